/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench worker: the process in which cases run. `opbench run` starts it and gives it its descriptors;
 * it is not for people.
 */
#include "command.h"

#include "opbench/run.h"

#include <fcntl.h>
#include <unistd.h>

typedef struct worker_options {
    ob_run_options run;
    int64_t socket_fd, state_fd, config_fd;
} worker_options;

#define FD_ROW(row_name, field, text)                                                              \
    {                                                                                              \
        .name = (row_name), .type = OB_OPTION_INT, .offset = offsetof(worker_options, field),      \
        .value = "FD", .min = 3, .max = 1024, .help = (text)                                       \
    }

static const ob_option OPTIONS[] = {
    FD_ROW("socket-fd", socket_fd, "Messages to and from the supervisor."),
    FD_ROW("state-fd", state_fd, "Memory that both see."),
    FD_ROW("config-fd", config_fd, "The config's text."),
    {.name = "config-name",
     .type = OB_OPTION_STRING,
     .offset = offsetof(worker_options, run.config_name),
     .value = "FILE",
     .help = "What the config is called in repro lines."},
    OB_RUN_OPTION_ROWS(offsetof(worker_options, run)),
    {.name = NULL},
};

static void init(void *options)
{
    ob_run_options_init(&((worker_options *)options)->run);
}

static int run(ob_cli *cli, const ob_cli_call *call)
{
    const worker_options *options = call->options;
    char path[32];
    ob_config *config;
    ob_err err;
    if (options->socket_fd == 0 || options->state_fd == 0 || options->config_fd == 0)
        return ob__cli_usage_error(cli, "a worker is started by `opbench run`");
    int code = ob__cli_open_context(cli, OB_CLI_WITH_PLUGINS, OB_LOG_ERROR);
    if (code != OB_EXIT_OK)
        return code;
    fcntl((int)options->socket_fd, F_SETFD, FD_CLOEXEC);
    fcntl((int)options->state_fd, F_SETFD, FD_CLOEXEC);
    snprintf(path, sizeof path, "/proc/self/fd/%d", (int)options->config_fd);
    if (ob_config_open_file(cli->context, path, NULL, &config, &err) != OB_OK)
        return ob__cli_fail(cli, &err);
    close((int)options->config_fd);
    const ob_worker_fds fds = {.socket = (int)options->socket_fd, .state = (int)options->state_fd};
    if (ob_worker_serve(cli->context, config, &options->run, &fds, &err) != OB_OK)
        code = ob__cli_fail(cli, &err);
    ob_config_destroy(config);
    return code;
}

const ob_cli_command ob__command_worker = {
    .name = "worker",
    .help = "the process in which cases run; `opbench run` starts it",
    .text = "Takes ranges of cases from `opbench run` and gives records back. It is listed so that "
            "it is "
            "known in a list of processes; there is nothing to start by hand.",
    .usage = "--socket-fd FD --state-fd FD --config-fd FD [OPTIONS of run]",
    .options = OPTIONS,
    .options_size = sizeof(worker_options),
    .options_init = init,
    .hidden = true,
    .run = run,
};
