/* SPDX-License-Identifier: Apache-2.0
 *
 * Emptying caches from outside of a backend. What lies in a tensor of the case goes line by line, out of the caches of
 * all CPUs, where the processor has an instruction for it. The rest, such as a library's copies of weights, is pushed out by reading over more than all
 * caches hold.
 *
 * A load is timed in a row of them of which each needs the value of the one before for its address, so that none begins
 * early.
 */
#include "run/cold.h"

#include "opbench/tensor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 64, PAGE = 4096, LOOKS = 5, LEAST_SWEEP = 32 << 20, MOST_SWEEP = 1 << 30 };
static const char HOW[] =
    "the tensors' lines flushed, then a sweep over twice the size of all caches";

/* ---- lines ---- */

#if defined(__x86_64__)
static void drop_line(const char *at)
{
    __builtin_ia32_clflush(at);
}
static void drop_end(void)
{
    __builtin_ia32_mfence();
}
#elif defined(__aarch64__)
static void drop_line(const char *at)
{
    __asm__ volatile("dc civac, %0" : : "r"(at) : "memory");
}
static void drop_end(void)
{
    __asm__ volatile("dsb ish" : : : "memory");
}
#else
static void drop_line(const char *at)
{
    (void)at;
}
static void drop_end(void)
{
}
#endif

static const ob_storage *host_storage(const ob_value *value)
{
    const ob_storage *storage = value->kind == OB_VALUE_TENSOR ? value->as.tensor->storage : NULL;
    return storage != NULL && strcmp(ob_storage_device(storage)->type, "cpu") == 0 ? storage : NULL;
}

static void for_each_storage(const ob_value *values, size_t count,
                             void (*fn)(void *ctx, const char *data, size_t size), void *ctx)
{
    for (size_t i = 0; i < count; i++) {
        const ob_storage *storage = host_storage(&values[i]);
        if (storage != NULL && ob_storage_size(storage) > 0)
            fn(ctx, ob_storage_data(storage), ob_storage_size(storage));
        else if (ob_value_is_list(&values[i]))
            for_each_storage(values[i].as.list.items, values[i].as.list.count, fn, ctx);
    }
}

static void drop(void *ctx, const char *data, size_t size)
{
    (void)ctx;
    for (size_t at = 0; at < size; at += LINE)
        drop_line(data + at);
}

/* Some lines apart, and in no order that could be foreseen: the processor loads neighbours, and what a stride leads to, early. */
static void pick_lines(void *ctx, const char *data, size_t size)
{
    enum { APART = 4 };
    ob_cold_lines *lines = ctx;
    const size_t all = (size + (size_t)APART * LINE - 1) / ((size_t)APART * LINE);
    const size_t room = OB_MOST_COLD_LINES - lines->count;
    const size_t wanted = all < room ? all : room;
    const char **to = lines->at + lines->count;
    uint32_t state = 1;
    for (size_t i = 0; i < wanted; i++) {
        state = state * 1664525u + 1013904223u;
        const size_t other = (state >> 8) % (i + 1);
        to[i] = to[other];
        to[other] = data + i * (all / wanted) * APART * LINE;
    }
    lines->count += wanted;
}

void ob__cold_lines_of(const ob_value *values, size_t count, ob_cold_lines *lines)
{
    for_each_storage(values, count, pick_lines, lines);
}

/* ---- timing ---- */

/* ns for all lines. */
static double walk(const ob_cold *cold, const ob_cold_lines *lines)
{
    static volatile size_t nothing; /* 0, which the compiler does not know */
    const size_t zero = nothing;
    size_t sum = 0;
    const uint64_t start_ns = ob_clock_now_ns(&cold->clock);
    for (size_t i = 0; i < lines->count; i++)
        sum = (size_t) * (const volatile unsigned char *)(lines->at[i] + (sum & zero));
    const uint64_t end_ns = ob_clock_now_ns(&cold->clock);
    nothing = sum & zero;
    return (double)(end_ns - start_ns);
}

static double load_ns(const ob_cold *cold, double *walks, const ob_cold_lines *lines)
{
    ob_stats_sort(walks, LOOKS);
    const double ns = (walks[LOOKS / 2] - cold->overhead_ns) / (double)lines->count;
    return ns > 0 ? ns : 0;
}

/* A shared last cache takes about a third of the time of memory. */
bool ob__cold_is_reached(double load, double memory)
{
    return load >= memory / 2;
}

ob_status ob__cold_look_at(ob_cold *cold, const ob_cold_lines *lines,
                           ob_status (*flush)(void *ctx, ob_err *err), void *ctx, ob_cold_look *out,
                           ob_err *err)
{
    double walks[LOOKS];
    *out = (ob_cold_look){.load_ns = NAN, .memory_ns = cold->memory_ns};
    if (lines->count == 0)
        return OB_OK;
    for (int i = 0; i < LOOKS; i++) {
        walk(cold, lines);
        OB_TRY(flush(ctx, err));
        walks[i] = walk(cold, lines);
    }
    out->load_ns = load_ns(cold, walks, lines);
    out->reached = ob__cold_is_reached(out->load_ns, cold->memory_ns);
    return OB_OK;
}

/* ---- the sweep ---- */

static void sweep(const ob_cold *cold)
{
    volatile char *at = cold->sweep;
    for (size_t i = 0; i < cold->sweep_bytes; i += LINE)
        (void)at[i];
}

void ob__cold_flush(ob_cold *cold, const ob_value *const *lists, const size_t *counts,
                    size_t list_count, const char **how)
{
    for (size_t i = 0; i < list_count; i++)
        for_each_storage(lists[i], counts[i], drop, NULL);
    drop_end();
    sweep(cold);
    *how = HOW;
}

/* By the instruction where there is one, and else by the sweep, which then vouches for itself. */
static ob_status drop_own(void *ctx, ob_err *err)
{
    ob_cold *cold = ctx;
    (void)err;
    for (size_t i = 0; i < cold->own.count; i++)
        drop_line(cold->own.at[i]);
    drop_end();
#if !defined(__x86_64__) && !defined(__aarch64__)
    sweep(cold);
#endif
    return OB_OK;
}

ob_status ob__cold_open(ob_cold *cold, ob_err *err)
{
    const ob_cold_lines none = {.count = 0};
    ob_cold_look look;
    ob_system system;
    double walks[LOOKS];
    if (cold->sweep != NULL)
        return OB_OK;
    OB_TRY(ob_system_read(NULL, NULL, &system, err));
    const uint64_t caches = 2 * (system.l2_bytes + system.l3_bytes);
    cold->sweep_bytes = caches < LEAST_SWEEP  ? (size_t)LEAST_SWEEP
                        : caches > MOST_SWEEP ? (size_t)MOST_SWEEP
                                              : (size_t)caches / LINE * LINE;
    cold->clock = ob_clock_monotonic();
    const size_t room = cold->sweep_bytes + (size_t)OB_MOST_COLD_LINES * PAGE;
    cold->sweep = malloc(room);
    if (cold->sweep == NULL)
        return ob_err_set(err, OB_ERR_NOMEM,
                          "out of memory for emptying the caches (%zu bytes); use --cache hot",
                          room);
    memset(cold->sweep, 1, room); /* pages that were never written are all the same one */
    cold->own.count = 0;
    pick_lines(&cold->own, cold->sweep + cold->sweep_bytes, (size_t)OB_MOST_COLD_LINES * PAGE);
    for (int i = 0; i < LOOKS; i++)
        walks[i] = walk(cold, &none);
    ob_stats_sort(walks, LOOKS);
    cold->overhead_ns = walks[LOOKS / 2];
    OB_TRY(ob__cold_look_at(cold, &cold->own, drop_own, cold, &look, err));
    cold->memory_ns = look.load_ns;
    return OB_OK;
}

void ob__cold_close(ob_cold *cold)
{
    free(cold->sweep);
    *cold = (ob_cold){.sweep = NULL};
}
