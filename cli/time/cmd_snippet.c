/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench snippet: the process in which a compiled snippet runs. `opbench count` and `opbench time` start it, under
 * valgrind or not, with a socket as its descriptor 3. It is not for people.
 */
#include "command.h"

#include "opbench/snippet_run.h"

#include <signal.h>
#include <unistd.h>

enum { SOCKET = 3 };

typedef struct snippet_options {
    int64_t threads;
} snippet_options;

#define ROW(kind, name, field, ...) OB_OPTION(kind, name, snippet_options, field, __VA_ARGS__)

static const ob_option OPTIONS[] = {
    ROW(INT, "threads", threads, .value = "N", .min = 1, .max = 4096,
        .help = "Threads for libraries that have their own setting."),
    {.name = NULL},
};

/* What went wrong is in the output, which is shown with the failure. */
static ob_context *open_context(void *ctx, ob_err *err)
{
    ob_cli *cli = ctx;
    if (ob__cli_open_context(cli, OB_CLI_WITH_PLUGINS, OB_LOG_WARNING) == OB_EXIT_OK)
        return cli->context;
    ob_err_set(err, OB_ERR_PLUGIN, "the library cannot be opened");
    return NULL;
}

/* What the code printed is shown with its failure, so a crash must not lose it. No lock is taken, and what does not end
 * by itself is ended. */
static void print_last_words(int signal)
{
    alarm(2);
    fflush_unlocked(stdout);
    raise(signal);
}

/* Sanitizers have handlers of their own. */
static void keep_last_words(void)
{
    static const int SIGNALS[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    static char stack[1 << 16];
    const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    const struct sigaction ours = {.sa_handler = print_last_words,
                                   .sa_flags = (int)(SA_RESETHAND | SA_NODEFER | SA_ONSTACK)};
    sigaltstack(&other, NULL);
    for (size_t i = 0; i < sizeof SIGNALS / sizeof *SIGNALS; i++) {
        struct sigaction before;
        if (sigaction(SIGNALS[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(SIGNALS[i], &ours, NULL);
    }
}

static int run(ob_cli *cli, const ob_cli_call *call)
{
    const snippet_options *options = call->options;
    ob_err err;
    const ob_snippet_serve_params params = {.size = sizeof params,
                                            .socket = SOCKET,
                                            .object = call->words[0],
                                            .threads = options->threads,
                                            .open_context = open_context,
                                            .ctx = cli};
    keep_last_words();
    if (ob_snippet_serve(&params, &err) != OB_OK)
        return ob__cli_fail(cli, &err);
    return OB_EXIT_OK;
}

static const ob_cli_word WORDS[] = {
    {.name = "OBJECT", .required = true, .help = "The compiled snippet."},
    {.name = NULL},
};

const ob_cli_command ob__command_snippet = {
    .name = "snippet",
    .help = "run a compiled snippet",
    .text = "Answers requests to time or count a snippet. Other commands start it.",
    .words = WORDS,
    .options = OPTIONS,
    .options_size = sizeof(snippet_options),
    .started_by_opbench = true,
    .run = run,
};
