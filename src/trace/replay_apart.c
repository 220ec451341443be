/* SPDX-License-Identifier: Apache-2.0
 *
 * A replay in processes of its own. The one that makes the calls says in a page of memory which one is under way, and
 * sends what came of all at its end. If it ends without, the call under way did that: the next process is told to
 * leave it out.
 */
#include "opbench/replay.h"

#include "base/text_append.h"
#include "process/process.h"
#include "process/shared_memory.h"
#include "process/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST_CRASHES = 100, CHILD_STATE = OB_CHILD_FIRST, LOOK_UP_MS = 50 };
static const double TORN_S = 60; /* for the rest of a message that has begun */
static const double EXIT_S = 60; /* for what libraries do at exit */

/* In memory that both see. */
typedef struct state {
    _Atomic int64_t node; /* id of the call under way; INT64_MIN = none yet */
} state;

/* ---- the process that makes the calls ---- */

ob_status ob_replay_child_open(int socket, int state_fd, ob_replay_child *out, ob_err *err)
{
    *out = (ob_replay_child){.socket = socket,
                             .page = ob__shared_memory_take(state_fd, sizeof(state))};
    if (out->page == NULL)
        return ob_err_set(err, OB_ERR_IO, "no shared page: %s", strerror(errno));
    fcntl(socket, F_SETFD, FD_CLOEXEC);
    return OB_OK;
}

void ob_replay_child_on_call(void *child, uint64_t iteration, uint64_t done, uint64_t total,
                             const ob_trace_node *node)
{
    state *page = ((ob_replay_child *)child)->page;
    (void)iteration, (void)done, (void)total;
    atomic_store(&page->node, node->id);
}

ob_status ob_replay_child_finish(ob_replay_child *child, const ob_json *result, ob_err *err)
{
    char *text;
    size_t length;
    OB_TRY(ob_json_print(result, &text, &length, err));
    const ob_status status = ob__wire_send(child->socket, OB_MESSAGE_RESULT, text, length, err);
    free(text);
    return status;
}

void ob_replay_child_close(ob_replay_child *child)
{
    if (child->page != NULL)
        munmap(child->page, sizeof(state));
    child->page = NULL;
}

/* ---- the one that waits for it ---- */

typedef struct attempts {
    const ob_replay_apart_params *params;
    ob_shared_memory memory;
    ob_wire_inbox inbox;
    ob_text crashed; /* "--crashed=12,34" */
    size_t crashes;
    ob_replay_outcome *out;
} attempts;

static ob_status start(attempts *a, ob_process *process, ob_err *err)
{
    const char *const more[] = {"--no-isolate", "--socket-fd=3", "--state-fd=4", a->crashed.data};
    size_t count = 0;
    while (a->params->words[count] != NULL)
        count++;
    const char **words = calloc(count + sizeof more / sizeof *more + 1, sizeof *words);
    if (words == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    memcpy(words, a->params->words, count * sizeof *words);
    memcpy(words + count, more, sizeof more);
    const ob_process_params params = {
        .words = words,
        .fds = {{STDERR_FILENO, STDERR_FILENO}, {CHILD_STATE, a->memory.fd}},
        .fd_count = 2,
        .talk = true};
    const ob_status status = ob__process_start(&params, process, err);
    free(words);
    return status;
}

/* The first wish to stop lets the process end its call and say what it has, the second ends it. */
static void pass_on(attempts *a, const ob_process *process, int *told)
{
    const int stop = a->params->stop != NULL ? a->params->stop(a->params->ctx) : 0;
    if (stop > *told && stop == 1)
        ob__process_signal(process, SIGTERM);
    else if (stop > *told)
        ob__process_kill(process);
    *told = stop > *told ? stop : *told;
    a->out->interrupted = *told > 0;
}

/* Until the result is there, or the process is at its end; false: there is none. */
static bool receive(attempts *a, ob_process *process, ob_wire_message *result)
{
    int told = 0;
    double torn_s = 0;
    ob__wire_inbox_reset(&a->inbox);
    for (;;) {
        const ob_status status = ob__wire_next(&a->inbox, result, NULL);
        const bool torn = a->inbox.bytes.size > a->inbox.start;
        if (status != OB_END)
            return status == OB_OK && result->type == OB_MESSAGE_RESULT;
        torn_s = !torn ? 0 : torn_s > 0 ? torn_s : ob__now_s();
        if (a->inbox.ended || (torn && ob__now_s() - torn_s > TORN_S))
            return false;
        struct pollfd p[] = {{.fd = process->socket, .events = POLLIN},
                             {.fd = process->control, .events = POLLIN}};
        const int ready = poll(p, 2, LOOK_UP_MS);
        pass_on(a, process, &told);
        if (ready > 0 && p[0].revents != 0) {
            if (ob__wire_fill(&a->inbox, process->socket, NULL) != OB_OK)
                return false;
        } else if (ready > 0) {
            a->inbox.ended = true; /* it is dead, and all that it sent was read */
        }
    }
}

/* One process; *again says whether to start another. */
static ob_status attempt(attempts *a, bool *again, ob_err *err)
{
    ob_process process;
    ob_wire_message result;
    state *page = a->memory.at;
    ob_status status = OB_OK;
    *again = false;
    atomic_store(&page->node, INT64_MIN);
    OB_TRY(start(a, &process, err));
    const bool got = receive(a, &process, &result);
    a->out->status = ob__process_end(&process, got ? EXIT_S : 1);
    const int64_t node = atomic_load(&page->node);
    if (got) {
        status = ob_json_parse("replay", result.data, result.size, NULL, &a->out->result, err);
    } else if (!a->out->interrupted && node != INT64_MIN && a->crashes < MOST_CRASHES) {
        if (a->params->on_crash != NULL)
            a->params->on_crash(a->params->ctx, node, a->out->status);
        a->crashed.size--; /* its end */
        *again = ob_text_printf(&a->crashed, "%s%" PRId64, a->crashes++ > 0 ? "," : "", node) &&
                 ob_text_append(&a->crashed, "", 1);
        if (!*again)
            status = ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    }
    ob__process_close(&process);
    return status;
}

ob_status ob_replay_apart(const ob_replay_apart_params *params, ob_replay_outcome *out, ob_err *err)
{
    attempts a = {.params = params, .memory = OB_NO_MEMORY, .out = out};
    bool again = true;
    *out = (ob_replay_outcome){.result = NULL};
    ob_status status = ob__shared_memory_make("opbench-replay", sizeof(state), &a.memory, err);
    if (status == OB_OK &&
        (!ob_text_append_str(&a.crashed, "--crashed=") || !ob_text_append(&a.crashed, "", 1)))
        status = ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    while (status == OB_OK && again)
        status = attempt(&a, &again, err);
    ob_text_fini(&a.crashed);
    ob_text_fini(&a.inbox.bytes);
    ob__shared_memory_close(&a.memory);
    return status;
}
