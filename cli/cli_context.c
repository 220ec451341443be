/* SPDX-License-Identifier: Apache-2.0
 *
 * The library's context as commands get it: messages on standard error, plug-ins from the folder
 * that belongs to this very program. The folder is found from the program's own place, so that an
 * installed tree can be moved and a program in the build tree takes the plug-ins built with it.
 */
#include "backend_options.h"
#include "own_path.h"
#include "screen.h"

#include <limits.h>
#include <string.h>

/* Without it the library's built-in directory is searched. */
bool ob__cli_plugin_dir(char *dir, size_t size)
{
    char exe[PATH_MAX];
    if (!ob__cli_own_file(exe))
        return false;
    char *slash = strrchr(exe, '/');
    if (slash == NULL)
        return false;
    *slash = '\0';
    const char *folder = strrchr(exe, '/');
    const bool installed = folder != NULL && strcmp(folder + 1, OB_CLI_BIN_NAME) == 0;
    const int written =
        snprintf(dir, size, "%s/%s", exe, installed ? OB_CLI_PLUGINS_FROM_BIN : "plugins");
    return written > 0 && (size_t)written < size;
}

void ob__cli_read_manifests(ob_cli *cli)
{
    char dir[PATH_MAX];
    ob_manifests_open(ob__cli_plugin_dir(dir, sizeof dir) ? dir : NULL, &cli->manifests, NULL);
}

static int create(ob_cli *cli, ob_log_level log_level)
{
    const ob_log log = {.fn = ob__cli_log, .ctx = cli, .max_level = log_level};
    ob_err err;
    return ob_context_create(&log, &cli->context, &err) == OB_OK ? OB_EXIT_OK
                                                                 : ob__cli_fail(cli, &err);
}

static int discover(ob_cli *cli)
{
    char dir[PATH_MAX];
    ob_err err;
    return ob_plugin_discover_isolated(
               cli->context, ob__cli_plugin_dir(dir, sizeof dir) ? dir : NULL, &err) == OB_OK
               ? OB_EXIT_OK
               : ob__cli_fail(cli, &err);
}

int ob__cli_open_context(ob_cli *cli, ob_cli_plugins plugins, ob_log_level log_level)
{
    const int code = create(cli, log_level);
    return code != OB_EXIT_OK || plugins == OB_CLI_NO_PLUGINS ? code : discover(cli);
}

int ob__cli_open_context_with(ob_cli *cli, const char *const *files, size_t count,
                              ob_log_level log_level)
{
    ob_err err;
    const int code = create(cli, log_level);
    if (code != OB_EXIT_OK)
        return code;
    for (size_t i = 0; i < count; i++)
        if (ob_plugin_load(cli->context, files[i], &err) != OB_OK)
            return ob__cli_fail(cli, &err);
    return discover(cli);
}

/* The path of the plug-in of this name, if --plugin gave it; else NULL. */
static const char *given_file(const ob_cli *cli, const char *plugin)
{
    const size_t count = ob_context_count(cli->context, OB_ENTRY_PLUGIN);
    for (size_t i = 0; i < count; i++) {
        const ob_entry_info info = ob_context_entry(cli->context, OB_ENTRY_PLUGIN, i);
        if (strcmp(info.name, plugin) == 0 && strstr(cli->plugin_path, info.origin) != NULL)
            return info.origin;
    }
    return NULL;
}

int ob__cli_check_plugin_backend(ob_cli *cli, const char *backend)
{
    /* An option that belongs to a backend (--torch) names it, too. */
    if (backend != NULL || cli->plugin_path == NULL ||
        ob__backend_option_given(cli, NULL, NULL) != NULL)
        return OB_EXIT_OK;
    const size_t count = ob_context_count(cli->context, OB_ENTRY_BACKEND);
    for (size_t i = 0; i < count; i++) {
        const ob_entry_info info = ob_context_entry(cli->context, OB_ENTRY_BACKEND, i);
        const char *file = given_file(cli, info.origin);
        if (file != NULL)
            return ob__cli_usage_error(cli,
                                       "--plugin %s has the backend %s; measure it with --backend "
                                       "%s, or name another one",
                                       file, info.name, info.name);
    }
    return OB_EXIT_OK;
}
