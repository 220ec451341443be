/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench worker: the process in which cases run. `opbench run` starts it and gives it its descriptors; a
 * profiler that `opbench run` starts, starts it with a batch of cases (-s, -f). It is not for people.
 */
#include "command.h"

#include "opbench/batch.h"
#include "opbench/replay.h"
#include "opbench/snippet_run.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

typedef struct worker_options {
    ob_run_options run;
    int64_t socket_fd, state_fd, config_fd, ring_fd, ring_member;
    ob_batch_source batch;
    int64_t counts;
    const char *trial, *trial_library, *ask;
    bool verbose, hosted;
} worker_options;

#define FD_ROW(row_name, field, text)                                                              \
    {                                                                                              \
        .name = (row_name), .type = OB_OPTION_INT, .offset = offsetof(worker_options, field),      \
        .value = "FD", .min = 3, .max = 1024, .help = (text)                                       \
    }

#define ROW(kind, name, field, ...) OB_OPTION(kind, name, worker_options, field, __VA_ARGS__)

static const ob_option OPTIONS[] = {
    FD_ROW("socket-fd", socket_fd, "Messages to and from the supervisor."),
    FD_ROW("state-fd", state_fd, "Shared memory."),
    FD_ROW("config-fd", config_fd, "The config's text."),
    FD_ROW("ring-fd", ring_fd, "Memory shared by the workers that take turns."),
    ROW(INT, "ring-member", ring_member, .value = "N", .max = 15,
        .help = "Its number among these."),
    ROW(INT, "counts", counts, .value = "N", .max = 1000,
        .help = "Count this many times under valgrind; measure nothing."),
    ROW(STRING, "config-name", run.config_name, .value = "FILE",
        .help = "What to call the config in repro lines."),
    ROW(STRING, "config-command", run.config_command, .value = "COMMAND",
        .help = "What prints the config in repro lines."),
    ROW(FLAG, "by-words", run.by_words, .help = "The case was given on the command line."),
    ROW(STRING, "program-name", run.program, .value = "FILE",
        .help = "What to call this program in repro lines."),
    ROW(STRING, "command-name", run.command, .value = "FILE",
        .help = "The command that repro lines name."),
    ROW(STRING, "repro-before", run.repro_before, .value = "WORDS",
        .help = "What precedes the program in repro lines."),
    ROW(STRING, "side-name", run.side, .value = "NAME",
        .help = "Which side of a comparison it measures."),
    ROW(STRING, "shm-name", batch.shared_memory, .letter = 's', .value = "NAME",
        .help = "Run the batch in this shared memory, write nothing."),
    ROW(STRING, "file", batch.file, .letter = 'f', .value = "FILE",
        .help = "Run the batch in this file, write nothing."),
    ROW(STRING, "trial", trial, .value = "WHAT",
        .help = "Try an instruction set or a library, and crash if it does not work."),
    ROW(STRING, "trial-library", trial_library, .value = "FILE",
        .help = "With --trial: the library."),
    ROW(STRING, "ask", ask, .value = "WHAT",
        .help = "With --hosted: what to report about the backend over the socket."),
    ROW(FLAG, "hosted", hosted,
        .help = "The worker runs inside the program that its backend needs."),
    ROW(FLAG, "verbose", verbose, .letter = 'v',
        .help = "With a batch: print more about each case."),
    OB_OPTION_ROWS_OF(ob_run_option_rows, "*", offsetof(worker_options, run)),
    OB_OPTION_ROWS_OF(ob_timer_option_rows, "*", offsetof(worker_options, run)),
    {.name = NULL},
};

static const ob_cli_word WORDS[] = {
    {.name = "PLUGIN", .many = true, .help = "Plug-in files to load before all others."},
    {.name = NULL},
};

static void init(void *options)
{
    worker_options *o = options;
    ob_run_options_init(&o->run);
    o->batch.size = sizeof o->batch;
}

/* ---- a batch ---- */

typedef struct batch_run {
    ob_cli *cli;
    bool verbose, failed;
} batch_run;

/* Told at once, so that the last line before a crash names the case before it. */
static ob_status tell(void *ctx, const ob_record *record, ob_err *err)
{
    batch_run *b = ctx;
    const ob_record_result *r = &record->result;
    const ob_record_status_info *info = ob_record_status_get_info(r->status);
    (void)err;
    b->failed = b->failed || info == NULL || info->failed;
    ob__cli_printf(b->cli, "run_id: [%s] %s %s%s%s\n", r->id, r->op_name,
                   info != NULL ? info->word : "", r->reason != NULL ? ": " : "",
                   r->reason != NULL ? r->reason : "");
    if (b->verbose)
        ob__cli_printf(b->cli, "run_id: [%s] %zu warm-up samples, %zu measured\n", r->id,
                       r->forward.warmup_time_ms.count, r->forward.measure_time_ms.count);
    fflush(stdout);
    return OB_OK;
}

static int run_batch(ob_cli *cli, const worker_options *options)
{
    batch_run b = {.cli = cli, .verbose = options->verbose};
    ob_err err;
    if (options->batch.shared_memory != NULL && options->batch.file != NULL)
        return ob__cli_usage_error(cli,
                                   "a batch comes from -s NAME or from -f FILE, not from both");
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* nobody is left to read what it does */
    const int code = ob__cli_open_context(cli, OB_CLI_WITH_PLUGINS, OB_LOG_ERROR);
    if (code != OB_EXIT_OK)
        return code;
    if (ob_batch_serve(cli->context, &options->batch, tell, &b, &err) != OB_OK)
        return ob__cli_fail(cli, &err);
    return b.failed ? OB_EXIT_FAILED : OB_EXIT_OK;
}

/* ---- a trial ---- */

static int run_trial(ob_cli *cli, const worker_options *options)
{
    char answer[512];
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const ob_status status =
        ob_machine_try(options->trial, options->trial_library, answer, sizeof answer);
    ob__cli_printf(cli, "%s\n", answer);
    return status == OB_OK ? OB_EXIT_OK : OB_EXIT_FAILED;
}

/* ---- a question ---- */

static int answer(ob_cli *cli, const worker_options *options)
{
    ob_err err;
    const int code = ob__cli_open_context(cli, OB_CLI_WITH_PLUGINS, OB_LOG_ERROR);
    if (code != OB_EXIT_OK)
        return code;
    return ob_worker_answer(cli->context, &options->run, options->ask, (int)options->socket_fd,
                            &err) == OB_OK
               ? OB_EXIT_OK
               : ob__cli_fail(cli, &err);
}

/* ---- leases ---- */

static int run(ob_cli *cli, const ob_cli_call *call)
{
    const worker_options *options = call->options;
    char path[32];
    ob_config *config;
    ob_err err;
    if (options->trial != NULL)
        return run_trial(cli, options);
    if (options->batch.shared_memory != NULL || options->batch.file != NULL)
        return run_batch(cli, options);
    if (options->ask != NULL && options->hosted && options->socket_fd > 0)
        return answer(cli, options);
    if (options->socket_fd == 0 || options->state_fd == 0 || options->config_fd == 0)
        return ob__cli_usage_error(cli, "a worker is started by `opbench run`");
    int code = ob__cli_open_context_with(cli, call->words, call->word_count, OB_LOG_ERROR);
    if (code != OB_EXIT_OK)
        return code;
    if (options->counts > 0 && ob_backend_has_host(cli->context, options->run.backend))
        return ob__cli_usage_error(cli,
                                   "cannot count instructions of backend %s: valgrind does not "
                                   "follow into the program that hosts it",
                                   options->run.backend);
    if (!options->hosted &&
        ob_host_enter(cli->context, options->run.backend, (const char *const *)cli->line + 1,
                      (size_t)cli->line_count - 1, &err) != OB_OK)
        return ob__cli_fail(cli, &err);
    fcntl((int)options->socket_fd, F_SETFD, FD_CLOEXEC);
    fcntl((int)options->state_fd, F_SETFD, FD_CLOEXEC);
    if (options->ring_fd > 0)
        fcntl((int)options->ring_fd, F_SETFD, FD_CLOEXEC);
    snprintf(path, sizeof path, "/proc/self/fd/%d", (int)options->config_fd);
    const ob_config_options as_sent = {.size = sizeof as_sent, .checked = true};
    if (ob_config_open_file(cli->context, path, &as_sent, &config, &err) != OB_OK)
        return ob__cli_fail(cli, &err);
    close((int)options->config_fd);
    ob_run_options how = options->run;
    /* A config alone cannot name a trace, or code. */
    if (how.command != NULL && strcmp(how.command, "replay") == 0)
        how.maker = ob_replay_maker();
    if (how.command != NULL && strcmp(how.command, OB_SNIPPET_COMMAND) == 0)
        how.maker = ob_snippet_maker();
    const ob_worker_fds fds = {.size = sizeof fds,
                               .socket = (int)options->socket_fd,
                               .state = (int)options->state_fd,
                               .ring = (int)options->ring_fd,
                               .ring_member = (unsigned)options->ring_member,
                               .counts = (unsigned)options->counts};
    if (ob_worker_serve(cli->context, config, &how, &fds, &err) != OB_OK)
        code = ob__cli_fail(cli, &err);
    ob_config_destroy(config);
    return code;
}

const ob_cli_command ob__command_worker = {
    .name = "worker",
    .help = "the process that runs cases; started by `opbench run`",
    .text = "Takes ranges of cases from `opbench run` and returns records, or runs a batch of "
            "cases under a profiler. It is documented so that you recognise it in a process list; "
            "there is no need to start it by hand.",
    .usage = "--socket-fd FD --state-fd FD --config-fd FD [OPTIONS of run] | -s NAME | -f FILE",
    .words = WORDS,
    .options = OPTIONS,
    .options_size = sizeof(worker_options),
    .options_init = init,
    .started_by_opbench = true,
    .run = run,
};
