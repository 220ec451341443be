/* SPDX-License-Identifier: Apache-2.0
 *
 * Opening backends, each in a process of its own: whether a library is whole and of the right version, and whether
 * there is a device behind it, is known only then. All are tried at the same time.
 */
#include "opbench/run.h"
#include "process/answer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { LIMIT_S = 20 };
#define CURE "install it again"

typedef struct trial {
    ob_context *context;
    const char *backend;
    ob_process process;
    ob_wire_inbox inbox;
} trial;

/* In the new process. The crashes of libraries leave no file. */
static int open_backend(void *ctx, int socket)
{
    const trial *t = ctx;
    const struct rlimit no_core = {0, 0};
    ob_run_options options;
    ob_session *session;
    ob_reason library = {.text = ""};
    ob_err err;
    setrlimit(RLIMIT_CORE, &no_core);
    ob_run_options_init(&options);
    options.backend = t->backend;
    ob_err_clear(&err);
    const bool opened = ob_session_open(t->context, &options, &session, &err) == OB_OK;
    if (opened)
        ob_session_library(session, &library);
    const char *said = opened ? library.text : err.message;
    ob__wire_send(socket, opened ? OB_MESSAGE_OPENED : OB_MESSAGE_FAILED, said, strlen(said), NULL);
    return EXIT_SUCCESS; /* without what libraries do at exit */
}

/* False: it said nothing until then, or until its end. */
static bool read_answer(trial *t, double end_s, ob_wire_message *out)
{
    enum { MOST_BYTES = 128 << 10 };
    return ob__process_answer(&t->process, &t->inbox, end_s, MOST_BYTES, out) == OB_OK &&
           (out->type == OB_MESSAGE_OPENED || out->type == OB_MESSAGE_FAILED);
}

static void finish(trial *t, double end_s, ob_backend_trial *out)
{
    ob_wire_message answer;
    const bool answered = read_answer(t, end_s, &answer);
    const bool ended = answered || ob__process_ended_by(&t->process, end_s);
    const int status = ob__process_end(&t->process, 0);
    out->opened = answered && answer.type == OB_MESSAGE_OPENED;
    if (answered)
        snprintf(out->text, sizeof out->text, "%.*s", (int)answer.size, answer.data);
    else if (!ended)
        snprintf(out->text, sizeof out->text, "its library did not open within %d s; " CURE,
                 LIMIT_S);
    else if (WIFSIGNALED(status))
        snprintf(out->text, sizeof out->text, "its library crashes when it is opened (%s); " CURE,
                 strsignal(WTERMSIG(status)));
    else
        snprintf(out->text, sizeof out->text,
                 "its library ends the process when it is opened (exit code %d); " CURE,
                 WEXITSTATUS(status));
    ob__process_close(&t->process);
    ob_text_fini(&t->inbox.bytes);
}

/* Members behind those of the first version of the struct are for a caller who has them alone. */
void ob_backends_try_sized(ob_context *context, void *trials, size_t trial_size, size_t count)
{
    trial *all = calloc(count > 0 ? count : 1, sizeof *all);
    for (size_t i = 0; i < count; i++) {
        ob_backend_trial *t = (void *)((char *)trials + i * trial_size);
        t->opened = t->tried = false;
        t->text[0] = '\0';
        if (all == NULL || t->name == NULL)
            continue;
        all[i] = (trial){.context = context, .backend = t->name};
        const ob_process_params params = {.fn = open_backend, .ctx = &all[i], .talk = true};
        t->tried = ob__process_start(&params, &all[i].process, NULL) == OB_OK;
    }
    const double end_s = ob__now_s() + LIMIT_S;
    for (size_t i = 0; all != NULL && i < count; i++) {
        ob_backend_trial *t = (void *)((char *)trials + i * trial_size);
        if (t->tried)
            finish(&all[i], end_s, t);
    }
    free(all);
}
