/* SPDX-License-Identifier: Apache-2.0
 *
 * One ceiling: a piece of work of about a millisecond, again and again, and the best of it. What disturbs makes it slower,
 * never faster.
 */
#include "machine/roofline_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static const double PIECE_NS = 1e6;
enum { LEAST_TRIES = 5 };

/* How long a piece takes at best. repeat is grown until a piece is long enough. */
static double find_best(ob_team *team, ob_team_fn fn, void *ctx, uint64_t *repeat, double seconds)
{
    const ob_clock clock = ob_clock_monotonic();
    double ns = ob__team_run(team, fn, ctx), best = 0;
    while (ns < PIECE_NS / 2 && *repeat < UINT64_C(1) << 40) {
        const double more = ns > 0 ? PIECE_NS / ns : 16;
        *repeat = (uint64_t)((double)*repeat * (more < 16 ? more : 16)) + 1;
        ns = ob__team_run(team, fn, ctx);
    }
    const uint64_t end = ob_clock_now_ns(&clock) + (uint64_t)(seconds * 1e9);
    for (int i = 0; i < LEAST_TRIES || ob_clock_now_ns(&clock) < end; i++) {
        ns = ob__team_run(team, fn, ctx);
        best = i == 0 || ns < best ? ns : best;
    }
    return best;
}

/* ---- multiply-adds ---- */

typedef struct peak_work {
    const ob_peak_row *row;
    uint64_t turns;
} peak_work;

static void use_registers(void *ctx, size_t thread)
{
    const peak_work *work = ctx;
    _Alignas(64) unsigned char ones[1024] = {0}, sums[6 * 1024];
    (void)thread;
    work->row->fn(work->turns, ones, sums);
}

ob_status ob__measure_peak(ob_team *team, const ob_peak_row *row, double seconds, ob_ceiling *out,
                           ob_err *err)
{
    peak_work work = {.row = row, .turns = OB_PEAK_TURNS};
    if (!ob__peak_call(row))
        return ob_err_set(err, OB_ERR_BACKEND, "%s computes wrong sums of %s", row->set,
                          ob_dtype_get_info(row->dtype)->name);
    const double ns = find_best(team, use_registers, &work, &work.turns, seconds);
    out->value =
        row->ops * (double)row->sums * (double)work.turns * (double)out->threads / ns * 1e9;
    snprintf(out->set, sizeof out->set, "%s", row->set);
    return OB_OK;
}

/* ---- memory ---- */

typedef struct arrays {
    unsigned char *memory;
    size_t mapped;
    size_t bytes; /* of one array */
    float *at[3]; /* a, b, c */
} arrays;

typedef struct stream_work {
    const ob_stream_row *row;
    arrays *of; /* per thread */
    uint64_t repeat;
    int failed;
} stream_work;

static const float IN_B = 1, IN_C = 2, FACTOR = 3;

/* By the thread that uses them: memory is where it is touched first. */
static void prepare(void *ctx, size_t thread)
{
    enum { HUGE = 2 << 20 };
    stream_work *work = ctx;
    arrays *own = &work->of[thread];
    own->mapped = 3 * (own->bytes + HUGE);
    own->memory = mmap(NULL, own->mapped, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (own->memory == MAP_FAILED) {
        own->memory = NULL;
        return;
    }
    if (own->bytes >= HUGE)
        madvise(own->memory, own->mapped, MADV_HUGEPAGE);
    /* Small ones lie behind each other, so that their lines do not fall into the same sets of a cache. */
    const size_t stride = own->bytes >= HUGE ? (own->bytes + HUGE - 1) / HUGE * HUGE : own->bytes;
    const uintptr_t start = ((uintptr_t)own->memory + HUGE - 1) / HUGE * HUGE;
    for (size_t i = 0; i < 3; i++)
        own->at[i] = (float *)(start + i * stride); /* NOLINT(performance-no-int-to-ptr) */
    for (size_t i = 0; i < own->bytes / sizeof(float); i++) {
        own->at[0][i] = 0;
        own->at[1][i] = IN_B;
        if (ob__stream_arrays(work->row->stream) == 3)
            own->at[2][i] = IN_C;
    }
}

static void stream(void *ctx, size_t thread)
{
    const stream_work *work = ctx;
    const arrays *own = &work->of[thread];
    _Alignas(64) float factor[16], last[16];
    for (size_t i = 0; i < 16; i++)
        factor[i] = FACTOR;
    for (uint64_t i = 0; i < work->repeat; i++)
        work->row->fn(own->at[0], own->at[1], own->at[2], own->bytes, factor, last);
}

static bool is_right(const stream_work *work, const arrays *own)
{
    static const float WANTED[] = {[OB_STREAM_LOAD] = 0,
                                   [OB_STREAM_STORE] = FACTOR,
                                   [OB_STREAM_COPY] = IN_B,
                                   [OB_STREAM_TRIAD] = IN_B + FACTOR * IN_C};
    _Alignas(64) float factor[16] = {0}, last[16] = {0};
    for (size_t i = 0; i < own->bytes / sizeof(float); i++)
        if (own->at[0][i] != WANTED[work->row->stream])
            return false;
    if (work->row->stream != OB_STREAM_LOAD)
        return true;
    work->row->fn(own->at[0], own->at[1], own->at[2], own->bytes, factor, last);
    return last[0] == IN_B;
}

static size_t array_bytes(const ob_memory_level *level, ob_stream stream, size_t threads)
{
    const uint64_t total = level->is_private ? level->bytes : level->bytes / threads;
    const uint64_t one = total / (uint64_t)ob__stream_arrays(stream);
    return one < OB_STREAM_UNIT ? OB_STREAM_UNIT : (size_t)(one / OB_STREAM_UNIT * OB_STREAM_UNIT);
}

static ob_status run_stream(ob_team *team, stream_work *work, size_t threads, double seconds,
                            double *ns, ob_err *err)
{
    ob__team_run(team, prepare, work);
    for (size_t i = 0; i < threads; i++)
        if (work->of[i].memory == NULL)
            return ob_err_set(err, OB_ERR_NOMEM, "out of memory for arrays of %zu bytes",
                              work->of[i].bytes);
    *ns = find_best(team, stream, work, &work->repeat, seconds);
    for (size_t i = 0; i < threads; i++)
        if (!is_right(work, &work->of[i]))
            return ob_err_set(err, OB_ERR_BACKEND, "%s of %s leaves wrong numbers",
                              ob__stream_word(work->row->stream), work->row->set);
    return OB_OK;
}

ob_status ob__measure_stream(ob_team *team, const ob_stream_row *row, const ob_memory_level *level,
                             double seconds, ob_ceiling *out, ob_err *err)
{
    const size_t threads = (size_t)out->threads;
    const size_t bytes = array_bytes(level, row->stream, threads);
    stream_work work = {.row = row, .repeat = 1, .of = calloc(threads, sizeof *work.of)};
    double ns = 0;
    if (work.of == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the arrays of %zu threads",
                          threads);
    for (size_t i = 0; i < threads; i++)
        work.of[i].bytes = bytes;
    const ob_status status = run_stream(team, &work, threads, seconds, &ns, err);
    for (size_t i = 0; i < threads; i++)
        if (work.of[i].memory != NULL)
            munmap(work.of[i].memory, work.of[i].mapped);
    free(work.of);
    if (status != OB_OK)
        return status;
    const double moved = (double)bytes * (double)ob__stream_arrays(row->stream) * (double)threads;
    out->bytes = (uint64_t)moved;
    out->value = moved * (double)work.repeat / ns * 1e9;
    snprintf(out->set, sizeof out->set, "%s%s", row->set, row->past_caches ? " past caches" : "");
    return OB_OK;
}

/* ---- levels ---- */

size_t ob__memory_levels(const ob_system *system, uint64_t available_bytes,
                         ob_memory_level out[OB_MEMORY_LEVELS])
{
    static const uint64_t LEAST_MEMORY = UINT64_C(256) << 20;
    size_t count = 0;
    const uint64_t caches[] = {system->l1d_bytes, system->l2_bytes, system->l3_bytes};
    static const char *const NAMES[] = {"L1", "L2", "L3"};
    uint64_t below = 0;
    for (size_t i = 0; i < 3; i++) {
        /* Half of it: the rest is for the stack and for others. It must not fit into what is below. */
        if (caches[i] / 2 <= below)
            continue;
        const bool is_private = i < 2;
        out[count++] = (ob_memory_level){NAMES[i], caches[i] / 2, is_private, !is_private};
        below = caches[i];
    }
    uint64_t memory = 4 * below > LEAST_MEMORY ? 4 * below : LEAST_MEMORY;
    if (available_bytes > 0 && memory > available_bytes / 4)
        memory = available_bytes / 4;
    if (memory > below)
        out[count++] = (ob_memory_level){"memory", memory, false, true};
    return count;
}
