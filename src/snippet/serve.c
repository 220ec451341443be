/* SPDX-License-Identifier: Apache-2.0
 *
 * The process of a compiled snippet: loads the object and answers requests, a message each (process/wire.h):
 *
 *     time N             setup, one run, then N runs with the clock around them: the seconds
 *     count N W R        setup, W runs, then R times a block of N and one of 2N runs, each collected by
 *                        callgrind and dumped: 0
 *     blocks             setup: 0. From then on only this:
 *     block N            N runs with the clock around them: the seconds, and what getrusage counted meanwhile
 *                        (ob_snippet_block)
 *
 * What is timed: from the end of next() to its next call, so the loop of the snippet and one call through a pointer.
 */
#include "opbench/snippet_run.h"

#include "base/sized.h"
#include "measure/callgrind.h"
#include "plugin/registry.h"
#include "process/wire.h"
#include "snippet/host.h"
#include "snippet/operators.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { MOST_OPS = 256 };

static const char LEFT_LOOP[] =
    "the statement leaves the loop around it (break, return or goto), so it cannot be repeated; "
    "put it in a function in the global setup, or in its own loop";

typedef struct server {
    ob_snippet_host host; /* first: the snippet gives it back */
    int socket;
    bool counts;                      /* else times */
    bool by_blocks;                   /* as they are asked for */
    bool is_over;                     /* nobody asks any more */
    uint64_t number, warmup, repeats; /* of the request */
    uint64_t step;                    /* how often next() was called */
    uint64_t asked;                   /* runs of the block under way */
    bool finished;                    /* the last block is over */
    struct timespec start, end;
    struct rusage before, after;
    bool failed, refused; /* refused: by what the code is, not by what happened */
    char reason[1024];
    const ob_snippet_serve_params *params;
    ob_context *context; /* NULL until an operator is asked for */
    ob_snippet_op *ops[MOST_OPS];
    size_t op_count;
    jmp_buf escape; /* out of a statement in C whose operator failed */
} server;

/* ---- blocks ---- */

static void fail(ob_snippet_host *host, const char *what)
{
    server *s = (server *)(void *)host;
    s->failed = true;
    snprintf(s->reason, sizeof s->reason, "%s", what);
}

/* A statement that ends the loop around it has no number of runs. */
static void refuse(server *s)
{
    fail(&s->host, LEFT_LOOP);
    s->refused = true;
}

/* A block of a count: the warm-up, then n, 2n, n, 2n, ... */
static bool begin_count(server *s)
{
    const uint64_t block = s->step - 1;
    if (block > 2 * s->repeats)
        return false;
    s->asked = block == 0 ? s->warmup : block % 2 == 1 ? s->number : 2 * s->number;
    return true;
}

/* A block of a time: one run, then those with the clock around them. */
static bool begin_time(server *s)
{
    s->asked = s->step == 1 ? 1 : s->number;
    return s->step <= 2;
}

static bool answer(const server *s);
static bool take_number(const char **line, uint64_t *out);

/* Sends the answer to the previous request, then begins the block that the next one asks for. */
static bool begin_asked(server *s)
{
    ob_text request = {0};
    ob_message type;
    s->is_over = !answer(s) || ob__wire_receive(s->socket, &type, &request, NULL) != OB_OK ||
                 type != OB_MESSAGE_ASK || strncmp(request.data, "block ", 6) != 0;
    const char *line = s->is_over ? "" : request.data + strlen("block");
    s->is_over = s->is_over || !take_number(&line, &s->asked);
    ob_text_fini(&request);
    return !s->is_over;
}

/* Whether the clock goes around the block under way. */
static bool is_timed(const server *s)
{
    return !s->counts && (s->by_blocks ? s->step > 0 : s->step == 2);
}

/* What must stand closest to the block: the clock, or callgrind's switch. */
static void end_block(server *s)
{
    if (is_timed(s))
        clock_gettime(CLOCK_MONOTONIC, &s->end);
    if (s->by_blocks)
        getrusage(s->host.threads > 1 ? RUSAGE_SELF : RUSAGE_THREAD, &s->after);
    if (s->counts && s->step > 1)
        ob__callgrind_end();
}

static void begin_block(server *s)
{
    if (s->by_blocks)
        getrusage(s->host.threads > 1 ? RUSAGE_SELF : RUSAGE_THREAD, &s->before);
    if (is_timed(s))
        clock_gettime(CLOCK_MONOTONIC, &s->start);
    if (s->counts && s->step == 1)
        ob__callgrind_ready();
    if (s->counts && s->step > 1)
        ob__callgrind_begin();
}

/* A block of the request's own plan. */
static bool begin_own(server *s)
{
    s->step++;
    return s->counts ? begin_count(s) : begin_time(s);
}

static int next_block(ob_snippet_host *host, unsigned long done, unsigned long *runs)
{
    server *s = (server *)(void *)host;
    end_block(s);
    if (s->step > 0 && done != s->asked && !s->failed)
        refuse(s);
    const bool more = !s->failed && (s->by_blocks ? begin_asked(s) : begin_own(s));
    s->step += s->by_blocks;
    *runs = (unsigned long)s->asked;
    s->finished = !more;
    if (more)
        begin_block(s);
    return more;
}

/* ---- operators ---- */

_Noreturn static void escape(server *s, const char *what)
{
    fail(&s->host, what);
    longjmp(s->escape, 1);
}

static void *prepare_op(ob_snippet_host *host, const char *const *words)
{
    server *s = (server *)(void *)host;
    ob_err err = {0};
    if (s->context == NULL && s->params->open_context != NULL)
        s->context = s->params->open_context(s->params->ctx, &err);
    if (s->context == NULL)
        escape(s, err.message[0] != '\0' ? err.message : "there are no operators here");
    if (s->op_count == MOST_OPS)
        escape(s, "more than 256 operators are prepared; prepare them in the setup");
    if (ob__snippet_op_create(s->context, s->params->threads, words, &s->ops[s->op_count], &err) !=
        OB_OK)
        escape(s, err.message);
    return s->ops[s->op_count++];
}

static void call_op(ob_snippet_host *host, void *op)
{
    ob_err err;
    if (ob__snippet_op_call(op, &err) != OB_OK)
        escape((server *)(void *)host, err.message);
}

static ob_snippet_tensor op_tensor(ob_snippet_host *host, void *op, int is_output,
                                   unsigned long number)
{
    ob_snippet_tensor tensor;
    ob_err err;
    if (ob__snippet_op_tensor(op, is_output != 0, number, &tensor, &err) != OB_OK)
        escape((server *)(void *)host, err.message);
    return tensor;
}

/* One request; what the setup prepared dies with it. */
static void run_entry(server *s, ob_snippet_entry_fn entry)
{
    if (setjmp(s->escape) == 0)
        entry(&s->host);
    if (!s->finished && !s->failed)
        refuse(s);
    while (s->op_count > 0)
        ob__snippet_op_destroy(s->ops[--s->op_count]);
}

/* ---- requests ---- */

/* Of the block before: switches off the CPU, faults, and the peak of memory in KiB. */
static void print_block(const server *s, double seconds, char *out, size_t size)
{
    const struct rusage *a = &s->before, *b = &s->after;
    struct rusage all = {.ru_maxrss = 0};
    getrusage(RUSAGE_SELF, &all);
    snprintf(out, size, "%.17g %ld %ld %ld %ld", seconds, b->ru_nvcsw - a->ru_nvcsw,
             b->ru_nivcsw - a->ru_nivcsw,
             b->ru_minflt - a->ru_minflt + (b->ru_majflt - a->ru_majflt), all.ru_maxrss);
}

static bool answer(const server *s)
{
    char text[192];
    const double seconds = (double)(s->end.tv_sec - s->start.tv_sec) +
                           1e-9 * (double)(s->end.tv_nsec - s->start.tv_nsec);
    snprintf(text, sizeof text, "%.17g", s->counts || s->by_blocks ? 0.0 : seconds);
    if (s->by_blocks && s->step > 0)
        print_block(s, seconds, text, sizeof text);
    const ob_message type = s->refused  ? OB_MESSAGE_CANNOT
                            : s->failed ? OB_MESSAGE_FAILED
                                        : OB_MESSAGE_ANSWER;
    const char *said = s->failed ? s->reason : text;
    if (s->failed)
        fflush(stdout); /* whoever asked shows it */
    return ob__wire_send(s->socket, type, said, strlen(said), NULL) == OB_OK;
}

/* The number behind a blank; *line is moved behind it. */
static bool take_number(const char **line, uint64_t *out)
{
    char *end;
    if (**line != ' ')
        return false;
    errno = 0;
    *out = strtoull(*line + 1, &end, 10);
    const bool good = errno == 0 && end > *line + 1;
    *line = end;
    return good;
}

static bool read_request(server *s, const char *line)
{
    s->step = 0;
    s->failed = s->refused = s->finished = s->is_over = false;
    s->counts = strncmp(line, "count ", 6) == 0;
    s->by_blocks = strcmp(line, "blocks") == 0;
    if (s->by_blocks)
        return true;
    if (!s->counts && strncmp(line, "time ", 5) != 0)
        return false;
    line += strcspn(line, " ");
    return take_number(&line, &s->number) &&
           (!s->counts || (take_number(&line, &s->warmup) && take_number(&line, &s->repeats)));
}

static ob_status load(const char *object, ob_snippet_entry_fn *entry, ob_err *err)
{
    OB_TRY(ob__check_trusted(object, err));
    void *library = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return ob_err_set(err, OB_ERR_IO, "the snippet cannot be loaded: %s", dlerror());
    void *symbol = dlsym(library, OB_SNIPPET_ENTRY);
    memcpy(entry, &symbol, sizeof *entry);
    return OB_OK;
}

ob_status ob_snippet_serve(const ob_snippet_serve_params *params, ob_err *err)
{
    ob_snippet_serve_params own;
    OB_TRY(OB__TAKE(ob_snippet_serve_params, &own, params, err));
    params = &own;
    ob_snippet_entry_fn entry = NULL;
    OB_TRY(load(params->object, &entry, err));
    if (entry == NULL)
        return ob_err_set(err, OB_ERR_IO, "%s is not a snippet", params->object);
    server s = {.host = {.next = next_block,
                         .fail = fail,
                         .threads = (long)params->threads,
                         .op_prepare = prepare_op,
                         .op_call = call_op,
                         .op_tensor = op_tensor},
                .socket = params->socket,
                .params = params};
    ob_text request = {0};
    ob_message type;
    ob_status status;
    while ((status = ob__wire_receive(s.socket, &type, &request, err)) == OB_OK) {
        if (type != OB_MESSAGE_ASK || !read_request(&s, request.data)) {
            status = ob_err_set(err, OB_ERR_INVALID, "not a request: %.100s", request.data);
            break;
        }
        run_entry(&s, entry);
        if (s.is_over || !answer(&s))
            break;
    }
    ob_text_fini(&request);
    return status == OB_END ? OB_OK : status;
}
