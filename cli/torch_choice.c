/* SPDX-License-Identifier: Apache-2.0
 *
 * --torch PATH|python, or OPBENCH_TORCH: which libtorch the torch backend and C++ snippets have. It is found, and the
 * backend's part compiled for it, before anything is measured; the processes that measure read it in their environment.
 */
#include "help/help.h"
#include "run/run_options.h"

#include "opbench/torch.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

bool ob__cli_takes_torch(const ob_cli_command *command)
{
    return !command->hidden && ob_options_find(ob__cli_own_options(command), "backend") != NULL;
}

static void tell(void *ctx, const char *text)
{
    const ob_cli *cli = ctx;
    ob__cli_say("opbench %s: %s\n", cli->command->name, text);
}

/* Given on the command line, it must work; from the environment, only who wants torch is told. */
static int choose(ob_cli *cli, const char *wanted, ob_cli_libtorch what, bool given)
{
    const ob_snippet_options options = {.size = sizeof options, .notice = tell, .ctx = cli};
    char dir[PATH_MAX];
    ob_torch_chosen chosen;
    ob_err err;
    if (!ob__cli_plugin_dir(dir, sizeof dir))
        return ob__cli_usage_error(cli, "--torch: this program does not know where it is");
    const ob_status status =
        ob_torch_choose(wanted, what == OB_CLI_SHIM ? dir : NULL, &options, &chosen, &err);
    if (status == OB_OK) {
        setenv(OB_TORCH_VARIABLE, chosen.root, 1);
        if (chosen.shim != NULL)
            setenv(OB_TORCH_SHIM_VARIABLE, chosen.shim, 1);
        ob_torch_chosen_fini(&chosen);
        return OB_EXIT_OK;
    }
    if (given)
        return ob__cli_usage_error(cli, "--torch: %s", err.message);
    char reason[sizeof err.message + sizeof OB_TORCH_VARIABLE + 8];
    snprintf(reason, sizeof reason, "!" OB_TORCH_VARIABLE ": %s", err.message);
    setenv(OB_TORCH_SHIM_VARIABLE, reason, 1);
    return OB_EXIT_OK;
}

int ob__cli_choose_torch(ob_cli *cli, const void *options, const char *given)
{
    const char *variable = getenv(OB_TORCH_VARIABLE);
    const char *wanted = given != NULL                             ? given
                         : variable != NULL && variable[0] != '\0' ? variable
                                                                   : NULL;
    if (!ob__cli_takes_torch(cli->command))
        return OB_EXIT_OK;
    unsetenv(OB_TORCH_SHIM_VARIABLE); /* it is this program's own word to those that it starts */
    if (wanted == NULL)
        return OB_EXIT_OK;
    const ob_option *row = ob_options_find(ob__cli_own_options(cli->command), "backend");
    const char *backend;
    memcpy(&backend, (const char *)options + row->offset, sizeof backend);
    const ob_cli_libtorch what = backend == NULL                          ? cli->command->libtorch
                                 : ob__backend_is_among(backend, "torch") ? OB_CLI_SHIM
                                                                          : OB_CLI_NO_LIBTORCH;
    if (what == OB_CLI_NO_LIBTORCH && given != NULL)
        return ob__cli_usage_error(cli, "--torch needs the torch backend; add --backend torch");
    return what != OB_CLI_NO_LIBTORCH ? choose(cli, wanted, what, given != NULL) : OB_EXIT_OK;
}
