/* SPDX-License-Identifier: Apache-2.0
 *
 * The worker's side: opens a session, takes leases, gives record lines. Standard output and error are a
 * file in memory that the supervisor made; what libraries print there goes into the record.
 */
#include "process/shared_memory.h"
#include "run/record_fit.h"
#include "run/session_int.h"
#include "run/worker_state.h"

#include "base/sized.h"
#include "base/text_append.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST_FREE = 10 };

typedef struct worker {
    int socket;
    int printed; /* the file that standard output is at the start; an operator may put another there */
    ob_state_page *page;
    ob_cases *cases;
    ob_session *session;
    ob_turns turns; /* ring NULL = it runs alone */
    ob_text line, message;
    char output[OB_MOST_OUTPUT];
    void *shift; /* moves what is allocated later: see shift_heap */
} worker;

/* What was printed since the last case, into the record. */
static void take_output(worker *w, ob_record_result *r)
{
    struct stat st;
    fflush(NULL);
    if (fstat(w->printed, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size <= 0)
        return;
    const ssize_t got = pread(w->printed, w->output, sizeof w->output, 0);
    if (got > 0) {
        r->output = (ob_bytes){.data = w->output, .size = (size_t)got};
        r->output_dropped_bytes = (uint64_t)st.st_size - (uint64_t)got;
    }
    if (ftruncate(w->printed, 0) == 0)
        lseek(w->printed, 0, SEEK_SET);
}

/* Whether the supervisor wants the case under way to end. */
static int wants_stop(void *page)
{
    return atomic_load(&((ob_state_page *)page)->parts.stop) != 0;
}

static ob_status run_one(worker *w, uint64_t index, ob_err *err)
{
    const ob_clock clock = ob_clock_monotonic();
    const ob_case *c;
    ob_record record;
    if (w->session->log != NULL)
        ob__sample_log_reset(w->session->log);
    if (w->turns.ring != NULL)
        ob__turns_first(&w->turns);
    atomic_store(&w->page->started_ns, ob_clock_now_ns(&clock));
    atomic_store(&w->page->case_index, index);
    OB_TRY(ob_cases_seek(w->cases, index, err));
    OB_TRY(ob_cases_next(w->cases, &c, err));
    OB_TRY(ob_session_run(w->session, c, &record, err));
    take_output(w, &record.result);
    OB_TRY(
        ob__record_print_fitting(&record, ob__wire_most_bytes(OB_MESSAGE_RECORD), &w->line, err));
    const ob_text *parts = &w->session->parts;
    /* Before it is sent: a supervisor that is slow to take it must not count against the case. */
    atomic_store(&w->page->case_index, OB_NO_CASE);
    atomic_store(&w->page->parts.part, OB_NO_PART);
    atomic_store(&w->page->parts.size, 0);
    if (parts->size > 0)
        OB_TRY(ob__wire_send(w->socket, OB_MESSAGE_PARTS, parts->data, parts->size, err));
    return ob__wire_send(w->socket, OB_MESSAGE_RECORD, w->line.data, w->line.size, err);
}

static ob_status serve(worker *w, ob_err *err)
{
    for (;;) {
        ob_message type;
        const ob_status status = ob__wire_receive(w->socket, &type, &w->message, err);
        if (status == OB_END)
            return OB_OK;
        OB_TRY(status);
        ob_lease lease;
        ob_session *s = w->session;
        if (type != OB_MESSAGE_LEASE || w->message.size < sizeof lease ||
            (w->message.size - sizeof lease) % sizeof *s->lost != 0)
            return ob_err_set(err, OB_ERR_SYNTAX, "a worker only understands leases");
        memcpy(&lease, w->message.data, sizeof lease);
        s->lost = (const ob_lost_part *)(const void *)(w->message.data + sizeof lease);
        s->lost_count = (w->message.size - sizeof lease) / sizeof *s->lost;
        for (uint64_t i = 0; i < lease.count && atomic_load(&w->page->stop) == 0; i++) {
            OB_TRY(run_one(w, lease.first + i * lease.step, err));
            s->lost_count = 0;
        }
        if (ob__wire_send(w->socket, OB_MESSAGE_IDLE, "", 0, err) != OB_OK)
            return OB_OK; /* the supervisor has all that it wanted, and is gone */
    }
}

static ob_status start(worker *w, ob_context *context, const ob_config *config,
                       const ob_run_options *options, const ob_worker_fds *fds, ob_err *err)
{
    char *properties = NULL;
    size_t length = 0;
    OB_TRY(ob_cases_open(config, NULL, &w->cases, err));
    OB_TRY(ob__session_open(context, options, w->turns.ring != NULL ? &w->turns : NULL, &w->session,
                            err));
    w->session->options.count_repeats = fds->counts;
    w->session->stop = wants_stop;
    w->session->stop_ctx = w->page;
    w->session->progress = &w->page->parts;
    if (atomic_load(&w->page->has_samples))
        w->session->log = &w->page->samples;
    OB_TRY(ob_json_print(ob_session_properties(w->session), &properties, &length, err));
    const ob_status status = ob__wire_send(w->socket, OB_MESSAGE_READY, properties, length, err);
    free(properties);
    return status;
}

/* As much as the environment was made larger by, so that small buffers too lie elsewhere in each of several processes. */
static void *shift_heap(void)
{
    const char *pad = getenv("OPBENCH_PAD");
    return pad != NULL ? malloc(strlen(pad) + 1) : NULL;
}

static void refuse(worker *w, ob_status status, const char *why)
{
    const ob_refusal refusal = {.status = status};
    w->line.size = 0;
    if (ob_text_append(&w->line, (const char *)&refusal, sizeof refusal) &&
        ob_text_append_str(&w->line, why))
        ob__wire_send(w->socket, OB_MESSAGE_REFUSED, w->line.data, w->line.size, NULL);
}

ob_status ob_worker_serve(ob_context *context, const ob_config *config,
                          const ob_run_options *options, const ob_worker_fds *fds, ob_err *err)
{
    ob_worker_fds own_fds;
    ob_run_options own_options;
    OB_TRY(OB__TAKE(ob_worker_fds, &own_fds, fds, err));
    OB_TRY(OB__TAKE(ob_run_options, &own_options, options, err));
    fds = &own_fds;
    options = &own_options;
    worker w = {.socket = fds->socket};
    w.page = ob__shared_memory_take(fds->state, sizeof *w.page);
    if (w.page == NULL)
        return ob_err_set(err, OB_ERR_IO, "the state page cannot be mapped: %s", strerror(errno));
    if (fds->ring > 0) {
        ob_ring *ring = ob__shared_memory_take(fds->ring, sizeof *ring);
        if (ring == NULL || fds->ring_member >= OB_MOST_MEMBERS) {
            munmap(w.page, sizeof *w.page);
            return ob_err_set(err, OB_ERR_IO, "the memory of turns cannot be mapped: %s",
                              strerror(errno));
        }
        w.turns = (ob_turns){
            .ring = ring, .member = fds->ring_member, .case_started = &w.page->started_ns};
    }
    w.shift = shift_heap();
    w.printed = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, FIRST_FREE);
    signal(SIGINT, SIG_IGN); /* the supervisor decides */
    const ob_hello hello = ob__hello_own();
    ob_status status = ob__wire_send(w.socket, OB_MESSAGE_HELLO, &hello, sizeof hello, err);
    if (status == OB_OK)
        status = start(&w, context, config, options, fds, err);
    if (status != OB_OK)
        refuse(&w, status, err->message);
    else
        status = serve(&w, err);
    ob_cases_close(w.cases);
    ob_session_close(w.session);
    ob_text_fini(&w.line);
    ob_text_fini(&w.message);
    free(w.shift);
    if (w.printed >= 0)
        close(w.printed);
    if (w.turns.ring != NULL)
        munmap(w.turns.ring, sizeof *w.turns.ring);
    munmap(w.page, sizeof *w.page);
    return status;
}
