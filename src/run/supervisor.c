/* SPDX-License-Identifier: Apache-2.0
 *
 * The supervisor: leases ranges of cases to a worker, takes its records, and watches it. When the worker
 * dies, hangs or grows beyond its limit, the page that both see says which case it was on: that case
 * becomes a failed record, a new worker goes on behind it. No finished record is ever lost, because
 * each is handed on before the next is waited for.
 */
#include "run/identity.h"
#include "run/spawn.h"

#include "base/text.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LEASE_CASES = 256, WATCH_MS = 20, MOST_OUTPUT = 4096, MOST_FAILED_STARTS = 3 };

typedef struct supervisor {
    ob_context *context;
    const ob_config *config;
    const ob_run_params *params;
    ob_run_summary *summary;
    ob_worker_seed seed;
    ob_worker_process worker;
    ob_cases *cases; /* to name what a dead worker was on, and to look for what is done */
    ob_text message;
    ob_identity identity;
    uint64_t max_memory_bytes;
    uint64_t last_index; /* of the last record that came; OB_NO_CASE before the first */
    bool told_ready, asked_to_stop;
} supervisor;

static int wanted_stop(const supervisor *s)
{
    return s->params->stop != NULL ? s->params->stop(s->params->ctx) : 0;
}

/* ---- records ---- */

static ob_status hand_on(supervisor *s, const char *line, size_t length, ob_err *err)
{
    ob_record_reader *reader;
    const ob_record *record;
    OB_TRY(ob_record_reader_open_memory("worker", line, length, NULL, &reader, err));
    ob_status status = ob_record_reader_next(reader, &record, err);
    if (status == OB_OK) {
        s->summary->cases[record->result.status]++;
        s->last_index = (uint64_t)record->result.index;
        status = s->params->on_record(s->params->ctx, record, line, length, err);
    }
    ob_record_reader_close(reader);
    return status;
}

/* What a worker printed before it died. */
static size_t read_output(const supervisor *s, char *out, size_t size)
{
    const ssize_t got = pread(s->seed.output_fd, out, size, 0);
    return got > 0 ? (size_t)got : 0;
}

/* Why a worker is gone. */
typedef struct loss {
    ob_record_status status;
    char reason[256];
    const char *signal; /* "SIGSEGV", or NULL */
    int64_t exit_code;
} loss;

static ob_status write_loss(supervisor *s, uint64_t index, const loss *why, ob_err *err)
{
    ob_record record;
    const ob_case *c;
    ob_text line = {0};
    char output[MOST_OUTPUT];
    const char *backend = s->params->options->backend;
    OB_TRY(ob_cases_seek(s->cases, index, err));
    OB_TRY(ob_cases_next(s->cases, &c, err));
    OB_TRY(ob__identity_fill(&s->identity, s->params->options, backend ? backend : "native", c,
                             &record, err));
    record.result.status = why->status;
    record.result.reason = why->reason;
    record.result.signal = why->signal;
    record.result.exit_code = why->exit_code;
    const size_t size = read_output(s, output, sizeof output);
    if (size > 0)
        record.result.output = (ob_bytes){.data = output, .size = size};
    ob_status status = ob_record_print(&record, &line, err);
    if (status == OB_OK)
        status = hand_on(s, line.data, line.size, err);
    ob_text_fini(&line);
    return status;
}

/* ---- watching ---- */

static void describe_death(int status, loss *out)
{
    out->exit_code = OB_NO_INT;
    if (WIFSIGNALED(status)) {
        static char name[32];
        const char *abbreviation = sigabbrev_np(WTERMSIG(status));
        snprintf(name, sizeof name, "SIG%s", abbreviation ? abbreviation : "?");
        out->signal = name;
        out->status = OB_RECORD_CRASHED;
        snprintf(out->reason, sizeof out->reason, "the worker died of %s (%s)%s", name,
                 strsignal(WTERMSIG(status)),
                 WTERMSIG(status) == SIGKILL ? "; when memory is out, the kernel does that" : "");
        return;
    }
    out->status = OB_RECORD_CRASHED;
    out->exit_code = WEXITSTATUS(status);
    snprintf(out->reason, sizeof out->reason, "the worker ended by itself with exit code %d",
             WEXITSTATUS(status));
}

/* Looks at the clock and at the worker's memory. True: it must go, *why says for what. */
static bool must_go(const supervisor *s, loss *why)
{
    const ob_clock clock = ob_clock_monotonic();
    const double limit_s = s->params->options->case_timeout_s;
    const uint64_t index = atomic_load(&s->seed.page->case_index);
    *why = (loss){.exit_code = OB_NO_INT};
    if (index != OB_NO_CASE && limit_s > 0) {
        const double took =
            (double)(ob_clock_now_ns(&clock) - atomic_load(&s->seed.page->started_ns)) / 1e9;
        if (took > limit_s) {
            why->status = OB_RECORD_TIMED_OUT;
            snprintf(why->reason, sizeof why->reason,
                     "the case took longer than %g s; see --case-timeout", limit_s);
            return true;
        }
    }
    const uint64_t resident = s->max_memory_bytes > 0 ? ob__worker_resident_bytes(&s->worker) : 0;
    if (resident > s->max_memory_bytes) {
        why->status = OB_RECORD_OUT_OF_MEMORY;
        snprintf(why->reason, sizeof why->reason,
                 "the worker held %.0f MiB, the limit is %.0f MiB; see --max-memory",
                 (double)resident / 1048576, (double)s->max_memory_bytes / 1048576);
        return true;
    }
    return false;
}

typedef enum event { MESSAGE, LOST, STOPPED } event;

/* Waits for a message, the worker's loss or the user's wish to stop at once. */
static ob_status next_event(supervisor *s, event *what, ob_message *type, loss *why, ob_err *err)
{
    for (;;) {
        struct pollfd p = {.fd = s->worker.socket, .events = POLLIN};
        const int ready = poll(&p, 1, WATCH_MS);
        const int stop = wanted_stop(s);
        int status;
        if (stop > 0)
            atomic_store(&s->seed.page->stop, 1);
        if (stop > 1) {
            ob__worker_end(&s->worker, true, &status);
            *what = STOPPED;
            return OB_OK;
        }
        if (ready < 0 && errno != EINTR)
            return ob_err_set(err, OB_ERR_IO, "the worker cannot be watched: %s", strerror(errno));
        if (ready > 0) {
            const ob_status got = ob__wire_receive(s->worker.socket, type, &s->message, err);
            *what = got == OB_OK ? MESSAGE : LOST;
            if (got == OB_OK)
                return OB_OK;
            if (got != OB_END && got != OB_ERR_SYNTAX)
                return got;
            ob__worker_end(&s->worker, got != OB_END, &status);
            describe_death(status, why);
            if (got == OB_ERR_SYNTAX)
                snprintf(why->reason, sizeof why->reason,
                         "the operator wrote to the worker's own descriptor; the worker was ended");
            return OB_OK;
        }
        if (must_go(s, why)) {
            ob__worker_end(&s->worker, true, &status);
            *what = LOST;
            return OB_OK;
        }
    }
}

/* ---- leases ---- */

static ob_status take_ready(supervisor *s, ob_err *err)
{
    ob_json_doc *doc;
    if (s->told_ready)
        return OB_OK;
    s->told_ready = true;
    if (s->params->on_ready == NULL)
        return OB_OK;
    OB_TRY(ob_json_parse("worker", s->message.data, s->message.size, NULL, &doc, err));
    const ob_status status = s->params->on_ready(s->params->ctx, ob_json_doc_root(doc), err);
    ob_json_doc_destroy(doc);
    return status;
}

/* Starts a worker and waits until its backend is open. */
static ob_status start(supervisor *s, ob_err *err)
{
    loss why = {.reason = ""};
    for (int attempt = 0; attempt < MOST_FAILED_STARTS; attempt++) {
        event what = LOST;
        ob_message type = OB_MESSAGE_IDLE;
        OB_TRY(ob__worker_start(&s->seed, &s->worker, err));
        s->summary->workers++;
        OB_TRY(next_event(s, &what, &type, &why, err));
        if (what == STOPPED)
            return OB_END;
        if (what == MESSAGE && type == OB_MESSAGE_READY)
            return take_ready(s, err);
        if (what == MESSAGE)
            return ob_err_set(err, OB_ERR_BACKEND, "%s", s->message.data);
    }
    char output[512];
    const size_t size = read_output(s, output, sizeof output - 1);
    output[size] = '\0';
    return ob_err_set(err, OB_ERR_BACKEND, "no worker starts: %s%s%s", why.reason,
                      size > 0 ? "; it said: " : "", output);
}

/* The worker is gone. *next is the case to go on with. */
static ob_status after_loss(supervisor *s, const loss *why, uint64_t *next, ob_err *err)
{
    const uint64_t index = atomic_load(&s->seed.page->case_index);
    atomic_store(&s->seed.page->case_index, OB_NO_CASE);
    if (s->last_index != OB_NO_CASE && s->last_index >= *next)
        *next = s->last_index + 1;
    if (index == OB_NO_CASE || index < *next)
        return OB_OK; /* between cases: the record had come already, or the next had not begun */
    OB_TRY(write_loss(s, index, why, err));
    *next = index + 1;
    return OB_OK;
}

/* Cases [next, end), with as many workers as it takes. OB_END = stop. */
static ob_status run_range(supervisor *s, uint64_t next, uint64_t end, ob_err *err)
{
    bool leased = false;
    while (next < end) {
        event what;
        ob_message type;
        loss why;
        if (s->worker.pid == 0) {
            OB_TRY(start(s, err));
            leased = false;
        }
        if (!leased) {
            const ob_lease lease = {.first = next, .count = end - next};
            leased = true;
            /* A worker that is gone already is noticed below. */
            ob__wire_send(s->worker.socket, OB_MESSAGE_LEASE, &lease, sizeof lease, NULL);
        }
        OB_TRY(next_event(s, &what, &type, &why, err));
        if (what == STOPPED)
            return OB_END;
        if (what == LOST) {
            OB_TRY(after_loss(s, &why, &next, err));
        } else if (type == OB_MESSAGE_RECORD) {
            OB_TRY(hand_on(s, s->message.data, s->message.size, err));
            next = s->last_index + 1;
        } else if (type == OB_MESSAGE_IDLE) {
            return atomic_load(&s->seed.page->stop) != 0 ? OB_END : OB_OK;
        }
        if (wanted_stop(s) > 0 && what == LOST)
            return OB_END;
    }
    /* The worker says that it is idle once the lease is done. */
    for (;;) {
        event what;
        ob_message type;
        loss why;
        if (s->worker.pid == 0)
            return OB_OK;
        OB_TRY(next_event(s, &what, &type, &why, err));
        if (what != MESSAGE || type == OB_MESSAGE_IDLE)
            return what == STOPPED ? OB_END : OB_OK;
    }
}

/* ---- which cases ---- */

static bool is_done(const supervisor *s, const ob_case *c)
{
    const char *backend = s->params->options->backend;
    const ob_done_name name = {.key = ob_case_key(c),
                               .id = ob_case_id(c),
                               .backend = backend ? backend : "native",
                               .process = OB_NO_INT};
    return s->params->done != NULL && ob_done_has(s->params->done, &name);
}

typedef ob_status (*range_fn)(supervisor *s, uint64_t first, uint64_t end, ob_err *err);

/* Calls run for stretches of cases that are to be run, none longer than a lease. */
static ob_status for_ranges(supervisor *s, range_fn run, ob_err *err)
{
    const uint64_t total = ob_cases_count(s->cases);
    uint64_t end = total;
    if (s->params->count < total - (s->params->first < total ? s->params->first : total))
        end = s->params->first + s->params->count;
    uint64_t first = s->params->first;
    while (first < end) {
        uint64_t next = first;
        if (s->params->done == NULL) {
            next = end - first > LEASE_CASES ? first + LEASE_CASES : end;
        } else {
            const ob_case *c;
            OB_TRY(ob_cases_seek(s->cases, first, err));
            bool done = true;
            while (next < end && next - first < LEASE_CASES) {
                OB_TRY(ob_cases_next(s->cases, &c, err));
                done = is_done(s, c);
                if (done)
                    break;
                next++;
            }
            if (next == first && done) {
                s->summary->left_out++;
                first++;
                continue;
            }
        }
        OB_TRY(run(s, first, next, err));
        first = next;
    }
    return OB_OK;
}

/* ---- in this process ---- */

static ob_status run_range_here(supervisor *s, ob_session *session, uint64_t first, uint64_t end,
                                ob_err *err)
{
    ob_text line = {0};
    ob_status status = ob_cases_seek(s->cases, first, err);
    for (uint64_t i = first; status == OB_OK && i < end; i++) {
        const ob_case *c;
        ob_record record;
        if (wanted_stop(s) > 0) {
            status = OB_END;
            break;
        }
        status = ob_cases_next(s->cases, &c, err);
        if (status == OB_OK)
            status = ob_session_run(session, c, &record, err);
        line.size = 0;
        if (status == OB_OK)
            status = ob_record_print(&record, &line, err);
        if (status == OB_OK)
            s->summary->cases[record.result.status]++;
        if (status == OB_OK)
            status = s->params->on_record(s->params->ctx, &record, line.data, line.size, err);
    }
    ob_text_fini(&line);
    return status;
}

static ob_status run_here(supervisor *s, ob_err *err)
{
    ob_session *session;
    OB_TRY(ob_session_open(s->context, s->params->options, &session, err));
    ob_status status = OB_OK;
    if (s->params->on_ready != NULL)
        status = s->params->on_ready(s->params->ctx, ob_session_properties(session), err);
    const uint64_t total = ob_cases_count(s->cases);
    for (uint64_t i = s->params->first;
         status == OB_OK && i < total && i - s->params->first < s->params->count; i++) {
        const ob_case *c;
        status = ob_cases_seek(s->cases, i, err);
        if (status == OB_OK)
            status = ob_cases_next(s->cases, &c, err);
        if (status == OB_OK && is_done(s, c)) {
            s->summary->left_out++;
            continue;
        }
        if (status == OB_OK)
            status = run_range_here(s, session, i, i + 1, err);
    }
    ob_session_close(session);
    return status;
}

/* ---- */

static ob_status run_with_workers(supervisor *s, ob_err *err)
{
    OB_TRY(ob__worker_seed_make(s->params->worker_program, s->config, s->params->options, &s->seed,
                                err));
    ob_status status = for_ranges(s, run_range, err);
    int ignored;
    ob__worker_end(&s->worker, status != OB_OK, &ignored);
    ob__worker_seed_fini(&s->seed);
    return status;
}

ob_status ob_run(ob_context *context, const ob_config *config, const ob_run_params *params,
                 ob_run_summary *summary, ob_err *err)
{
    supervisor s = {.context = context,
                    .config = config,
                    .params = params,
                    .summary = summary,
                    .worker = {.socket = -1},
                    .last_index = OB_NO_CASE};
    ob_system system;
    *summary = (ob_run_summary){.interrupted = false};
    OB_TRY(ob_run_options_check(params->options, err));
    OB_TRY(ob_system_read(NULL, NULL, &system, err));
    s.max_memory_bytes = ob__memory_limit(params->options, &system);
    OB_TRY(ob_cases_open(config, NULL, &s.cases, err));
    ob_status status =
        params->worker_program != NULL ? run_with_workers(&s, err) : run_here(&s, err);
    if (status == OB_END) {
        summary->interrupted = true;
        status = OB_OK;
    }
    ob_cases_close(s.cases);
    ob_text_fini(&s.message);
    ob__identity_fini(&s.identity);
    return status;
}
