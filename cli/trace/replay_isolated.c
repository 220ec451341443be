/* SPDX-License-Identifier: Apache-2.0
 *
 * The process that makes the calls is this program with the same command line; the library starts it, and another
 * where one dies.
 */
#include "interrupts.h"
#include "own_path.h"
#include "replay_command.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* This process's own command line, but started by its file. Words are malloc'ed, the list ends with NULL. */
static char **own_words(void)
{
    enum { MOST = 256 };
    ob_own_path own;
    if (!ob__cli_own_path(&own))
        return NULL;
    char **words = calloc(MOST + 1, sizeof *words);
    FILE *file = fopen("/proc/self/cmdline", "re");
    char *line = NULL;
    size_t capacity = 0, count = 0;
    while (words != NULL && file != NULL && count < MOST &&
           getdelim(&line, &capacity, '\0', file) >= 0 &&
           (words[count] = strdup(count == 0 ? own.path : line)) != NULL)
        count++;
    free(line);
    if (file != NULL)
        fclose(file);
    return words;
}

typedef struct isolated {
    ob_cli *cli;
    const ob_replay_line *line;
} isolated;

static void tell_crash(void *ctx, int64_t node, int status)
{
    const isolated *i = ctx;
    const ob_backend_desc *desc = ob_context_find_backend(i->cli->context, i->line->run.backend);
    const bool illegal = WIFSIGNALED(status) && WTERMSIG(status) == SIGILL;
    const char *limits = illegal && desc != NULL ? desc->isa_limits : NULL;
    ob__cli_warn(i->cli,
                 "node %" PRId64 " ended the process (%s); it is left out, and the replay begins "
                 "again%s%s%s",
                 node, WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "exit",
                 limits != NULL ? "; a library took an instruction that this machine lacks: set "
                                : "",
                 limits != NULL ? limits : "", limits != NULL ? " in the environment" : "");
}

static int show(ob_cli *cli, const ob_replay_line *line, const ob_replay_outcome *outcome)
{
    const int status = outcome->status;
    if (outcome->result == NULL && outcome->interrupted)
        return OB_EXIT_INTERRUPTED;
    if (outcome->result == NULL && WIFEXITED(status))
        return WEXITSTATUS(status);
    if (outcome->result == NULL) {
        ob__cli_warn(cli, "the process that replays was ended: %s", strsignal(WTERMSIG(status)));
        return OB_EXIT_FAILED;
    }
    const int code = ob__replay_print(cli, line, ob_json_doc_root(outcome->result));
    /* That the profile could not be written only the process knows. */
    return WIFEXITED(status) && WEXITSTATUS(status) == OB_EXIT_USAGE ? OB_EXIT_USAGE : code;
}

int ob__replay_isolated(ob_cli *cli, const ob_replay_line *line)
{
    isolated i = {.cli = cli, .line = line};
    char **words = own_words();
    ob_replay_outcome outcome;
    ob_err err;
    if (words == NULL)
        return ob__cli_out_of_memory(cli);
    const ob_replay_apart_params params = {.words = (const char *const *)words,
                                           .stop = ob__cli_is_interrupted,
                                           .on_crash = tell_crash,
                                           .ctx = &i};
    ob__cli_catch_interrupts(cli);
    const ob_status status = ob_replay_apart(&params, &outcome, &err);
    for (size_t k = 0; words[k] != NULL; k++)
        free(words[k]);
    free(words);
    const int code = status == OB_OK ? show(cli, line, &outcome) : ob__cli_fail(cli, &err);
    ob_json_doc_destroy(status == OB_OK ? outcome.result : NULL);
    return code;
}
