/* SPDX-License-Identifier: Apache-2.0
 *
 * See library_choice.h. A library is found, and the backend's part compiled for it, before anything is measured; the
 * processes that measure read it in their environment.
 */
#include "library_choice.h"

#include "help/help.h"
#include "run/run_options.h"

#include "opbench/backend_library.h"
#include "opbench/run.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The index-th manifest that has a library whose option the command, if one is meant, does not have itself; NULL = there
 * are no more. */
static const ob_manifest *find(const ob_cli *cli, const ob_cli_command *command, size_t index)
{
    size_t at = 0;
    for (size_t m = 0; cli->manifests != NULL && index < OB_CLI_LIBRARIES &&
                       m < ob_manifests_count(cli->manifests);
         m++) {
        const ob_manifest *manifest = ob_manifests_at(cli->manifests, m);
        const ob_manifest_library *library = manifest->library;
        if (library != NULL &&
            (command == NULL ||
             ob_options_find(ob__cli_own_options(command), library->option) == NULL) &&
            at++ == index)
            return manifest;
    }
    return NULL;
}

static bool takes_libraries(const ob_cli_command *command)
{
    return ob__cli_is_listed(command) &&
           ob_options_find(ob__cli_own_options(command), "backend") != NULL;
}

bool ob__library_option_is(const ob_cli *cli, const char *name)
{
    const ob_manifest *m;
    for (size_t i = 0; (m = find(cli, NULL, i)) != NULL; i++)
        if (strcmp(m->library->option, name) == 0)
            return true;
    return false;
}

size_t ob__library_option_rows(const ob_cli *cli, const ob_cli_command *command, ob_option *rows,
                               size_t offset)
{
    const ob_manifest *m;
    size_t count = 0;
    for (; takes_libraries(command) && (m = find(cli, command, count)) != NULL; count++)
        rows[count] = (ob_option){.name = m->library->option,
                                  .type = OB_OPTION_STRING,
                                  .offset = offset + count * sizeof(const char *),
                                  .rare = true,
                                  .group = "Backend",
                                  .value = m->library->value,
                                  .otherwise = m->library->otherwise,
                                  .help = m->library->help};
    return count;
}

bool ob__library_options_append(const ob_cli *cli, ob_text *out)
{
    const ob_manifest *m;
    bool ok = true;
    for (size_t i = 0; ok && (m = find(cli, cli->command, i)) != NULL; i++) {
        const char *chosen = getenv(m->variable);
        if (chosen == NULL || chosen[0] == '\0')
            continue;
        const char *const words[] = {m->library->option, chosen};
        ok = ob_text_append(out, " --", 3) && ob_text_append_command(out, words, 2);
    }
    return ok;
}

/* ---- following them ---- */

static void tell(void *ctx, const char *text)
{
    const ob_cli *cli = ctx;
    ob__cli_say("opbench %s: %s\n", cli->command->name, text);
}

static void set(const char *variable, const char *value)
{
    if (variable != NULL && value != NULL)
        setenv(variable, value, 1);
}

/* Given on the command line, it must work; from the environment, only who wants the backend is told. */
static int choose(ob_cli *cli, const ob_manifest *m, const char *wanted, ob_cli_library_use use,
                  bool given)
{
    const ob_snippet_options options = {.size = sizeof options, .notice = tell, .ctx = cli};
    char dir[PATH_MAX];
    ob_library_chosen chosen;
    ob_err err;
    if (!ob__cli_plugin_dir(dir, sizeof dir))
        return ob__cli_usage_error(cli, "--%s: this program cannot find its own path",
                                   m->library->option);
    const ob_status status =
        ob_library_choose(m, wanted, use == OB_CLI_BACKEND ? dir : NULL, &options, &chosen, &err);
    if (status == OB_OK) {
        set(m->variable, chosen.root);
        set(m->library->part_variable, chosen.part);
        ob_library_chosen_fini(&chosen);
        return OB_EXIT_OK;
    }
    if (given)
        return ob__cli_usage_error(cli, "--%s: %s", m->library->option, err.message);
    char reason[sizeof err.message + 80];
    snprintf(reason, sizeof reason, "!%s: %s", m->variable, err.message);
    set(m->library->part_variable, reason);
    return OB_EXIT_OK;
}

static int apply_one(ob_cli *cli, const ob_manifest *m, const void *options, const char *given)
{
    const char *variable = getenv(m->variable);
    const char *wanted = given != NULL                             ? given
                         : variable != NULL && variable[0] != '\0' ? variable
                                                                   : NULL;
    if (m->library->part_variable != NULL) /* it is this program's own word to those it starts */
        unsetenv(m->library->part_variable);
    if (wanted == NULL)
        return OB_EXIT_OK;
    const ob_option *row = ob_options_find(ob__cli_own_options(cli->command), "backend");
    const char *backend;
    memcpy(&backend, (const char *)options + row->offset, sizeof backend);
    const ob_cli_library_use use = backend == NULL                         ? cli->command->libraries
                                   : ob_backend_is_meant(backend, m->name) ? OB_CLI_BACKEND
                                                                           : OB_CLI_NO_LIBRARY;
    if (use == OB_CLI_NO_LIBRARY && given != NULL)
        return ob__cli_usage_error(cli, "--%s needs the %s backend; add --backend %s",
                                   m->library->option, m->name, m->name);
    return use != OB_CLI_NO_LIBRARY ? choose(cli, m, wanted, use, given != NULL) : OB_EXIT_OK;
}

int ob__library_options_apply(ob_cli *cli, const void *options, const char *const *given)
{
    const ob_manifest *m;
    int code = OB_EXIT_OK;
    for (size_t i = 0; takes_libraries(cli->command) && code == OB_EXIT_OK &&
                       (m = find(cli, cli->command, i)) != NULL;
         i++)
        code = apply_one(cli, m, options, given[i]);
    return code;
}
