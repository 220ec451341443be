/* SPDX-License-Identifier: Apache-2.0
 *
 * The roofline of a case: the most of the times that its operations, its bytes and the call itself take at least.
 */
#include "base/sized.h"
#include "machine/roofline_list.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *ob_bound_word(ob_bound bound)
{
    static const char *const WORDS[] = {
#define OB_BOUND_WORD(id, word, help) word,
        OB_BOUND_MAP(OB_BOUND_WORD)
#undef OB_BOUND_WORD
    };
    return bound >= 0 && bound < OB_BOUND_COUNT ? WORDS[bound] : "?";
}

/* With as many threads; else that of one thread times their number, which no machine exceeds; else of fewer. */
static double best_of(const ob_roofline *r, ob_ceiling_kind kind, const char *of, int64_t threads)
{
    double same = NAN, one = NAN;
    for (size_t i = 0; i < r->count; i++) {
        const ob_ceiling *c = &r->items[i];
        if (c->kind != kind || strcmp(c->of, of) != 0)
            continue;
        if (c->threads == threads)
            same = fmax(same, c->value);
        if (c->threads == 1)
            one = fmax(one, c->value);
    }
    return !isnan(same) ? same : one * (double)threads;
}

/* What a processor without instructions for a dtype computes it in. */
static const char *peak_name(const ob_roofline *r, ob_dtype dtype, int64_t threads)
{
    static const struct {
        ob_dtype dtype;
        const char *names[2];
    } NAMES[] = {
        {OB_DTYPE_F64, {"f64"}},        {OB_DTYPE_C128, {"f64"}}, {OB_DTYPE_BF16, {"bf16", "f32"}},
        {OB_DTYPE_F16, {"f16", "f32"}}, {OB_DTYPE_I8, {"i8"}},    {OB_DTYPE_U8, {"i8"}},
        {OB_DTYPE_F32, {"f32"}},        {OB_DTYPE_C64, {"f32"}}};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        for (size_t n = 0; NAMES[i].dtype == dtype && n < 2 && NAMES[i].names[n] != NULL; n++)
            if (!isnan(best_of(r, OB_CEILING_PEAK, NAMES[i].names[n], threads)))
                return NAMES[i].names[n];
    return NULL; /* whole numbers have no ceiling of their own */
}

static double peak_of(const ob_roofline *r, ob_dtype dtype, int64_t threads)
{
    const char *name = peak_name(r, dtype, threads);
    double peak = name != NULL ? best_of(r, OB_CEILING_PEAK, name, threads) : NAN;
    /* Wider numbers than the dtype's own may be faster than what it has instructions for. */
    if (dtype == OB_DTYPE_BF16 || dtype == OB_DTYPE_F16)
        peak = fmax(peak, best_of(r, OB_CEILING_PEAK, "f32", threads));
    return peak;
}

/* The best way of moving bytes there: whatever mix of reads and writes a case has, it is not above it. */
static double bandwidth_of(const ob_roofline *r, const char *level, int64_t threads)
{
    double most = NAN;
    for (int kind = OB_CEILING_LOAD; kind <= OB_CEILING_TRIAD; kind++)
        most = fmax(most, best_of(r, (ob_ceiling_kind)kind, level, threads));
    return most;
}

/* How many bytes a level holds: it was measured on half of it. Those of one thread are its own in L1 and L2. */
static double capacity_of(const ob_roofline *r, const char *level, int64_t threads)
{
    const bool is_private = strcmp(level, "L3") != 0;
    double most = 0;
    for (size_t i = 0; i < r->count; i++) {
        const ob_ceiling *c = &r->items[i];
        if (c->kind == OB_CEILING_LOAD && strcmp(c->of, level) == 0) {
            const double share = is_private ? (double)threads / (double)c->threads : 1;
            most = fmax(most, 2 * (double)c->bytes * share);
        }
    }
    return most;
}

/* At the smallest level that the working set fits into. As much of it as the level below holds may come from there. */
static double memory_seconds(const ob_roofline *r, const ob_work *work, int64_t threads,
                             char level[16])
{
    static const char *const LEVELS[] = {"L1", "L2", "L3"};
    const double all = work->working_set > 0 ? work->working_set : work->bytes;
    double below = 0, below_rate = 1;
    snprintf(level, 16, "memory");
    for (size_t i = 0; i < 3 && !work->cold; i++) {
        const double capacity = capacity_of(r, LEVELS[i], threads);
        if (!(capacity > below))
            continue;
        if (all <= capacity) {
            snprintf(level, 16, "%s", LEVELS[i]);
            break;
        }
        below = capacity;
        below_rate = bandwidth_of(r, LEVELS[i], threads);
    }
    const double rate = bandwidth_of(r, level, threads);
    return all > 0 ? work->bytes / all * ((all - below) / rate + below / below_rate) : 0 / rate;
}

/* ---- devices with memory of their own ---- */

static bool is_stream_of(const ob_ceiling *c, const char *device)
{
    return c->kind >= OB_CEILING_LOAD && c->kind <= OB_CEILING_TRIAD && strcmp(c->of, device) == 0;
}

/* How large its caches are is not known. What was measured over the next smaller working set, or over any larger one, is not
 * below what this one can have; of one that is smaller than all, nothing is known. 0: no ceiling of the device is there. */
static double device_rate(const ob_roofline *r, const ob_work *work)
{
    const double all = work->working_set > 0 ? work->working_set : work->bytes;
    double below = 0, largest = 0, rate = NAN;
    for (size_t i = 0; i < r->count; i++) {
        const ob_ceiling *c = &r->items[i];
        if (!is_stream_of(c, work->device))
            continue;
        largest = fmax(largest, (double)c->bytes);
        if ((double)c->bytes <= all)
            below = fmax(below, (double)c->bytes);
    }
    if (largest == 0)
        return 0;
    below = work->cold ? largest : below;
    for (size_t i = 0; i < r->count && below > 0; i++)
        if (is_stream_of(&r->items[i], work->device) && (double)r->items[i].bytes >= below)
            rate = fmax(rate, r->items[i].value);
    return rate;
}

static void attain_on_device(const ob_roofline *r, const ob_work *work, ob_attainable *out)
{
    const double rate = device_rate(r, work);
    if (rate == 0)
        return;
    snprintf(out->level, sizeof out->level, "device memory");
    if (work->bytes >= 0)
        out->seconds_of[OB_BOUND_MEMORY] = work->bytes / rate;
    if (work->backend != NULL)
        out->seconds_of[OB_BOUND_OVERHEAD] = best_of(r, OB_CEILING_LAUNCH, work->backend, 1);
}

static void attain_on_host(const ob_roofline *roofline, const ob_work *work, ob_attainable *out)
{
    const int64_t threads = work->threads > 0 ? work->threads : 1;
    if (work->bytes >= 0)
        out->seconds_of[OB_BOUND_MEMORY] = memory_seconds(roofline, work, threads, out->level);
    if (work->flops >= 0)
        out->seconds_of[OB_BOUND_COMPUTE] = work->flops / peak_of(roofline, work->dtype, threads);
    if (work->backend != NULL)
        out->seconds_of[OB_BOUND_OVERHEAD] = best_of(roofline, OB_CEILING_LAUNCH, work->backend, 1);
}

static void attain(const ob_roofline *roofline, const ob_work *work, ob_attainable *out)
{
    *out = (ob_attainable){.size = sizeof *out,
                           .seconds = NAN,
                           .bound = OB_BOUND_NONE,
                           .flops = work->flops,
                           .bytes = work->bytes};
    for (int i = 0; i < OB_BOUND_COUNT; i++)
        out->seconds_of[i] = NAN;
    if (work->device != NULL)
        attain_on_device(roofline, work, out);
    else
        attain_on_host(roofline, work, out);
    for (int i = 0; i < OB_BOUND_COUNT; i++)
        if (!isnan(out->seconds_of[i]) && !(out->seconds_of[i] <= out->seconds)) {
            out->seconds = out->seconds_of[i];
            out->bound = (ob_bound)i;
        }
}

ob_status ob_roofline_attain(const ob_roofline *roofline, const ob_work *work, ob_attainable *out,
                             ob_err *err)
{
    ob_work own;
    ob_attainable found;
    OB_TRY(OB__TAKE(ob_work, &own, work, err));
    attain(roofline, &own, &found);
    return OB__GIVE(ob_attainable, out, &found, err);
}

/* Three figures of billions a second, and none of an exponent. */
static void say_rate(double rate, char out[32])
{
    const double giga = rate / 1e9;
    snprintf(out, 32, giga < 1000 ? "%.3g" : "%.0f", giga);
}

bool ob_attainable_forbids(const ob_attainable *attainable, double seconds, char *why, size_t size)
{
    /* Repeats of a ceiling agree better than this; and what the best known algorithms save of the operations that the
     * definition has (Winograd 4 of 9 tiles and more, Strassen 1 of 8 per level). */
    static const double MARGIN = 1.25, SAVED = 4;
    const double memory = attainable->seconds_of[OB_BOUND_MEMORY] / MARGIN;
    const double compute = attainable->seconds_of[OB_BOUND_COMPUTE] / MARGIN / SAVED;
    const bool by_memory = memory > seconds, by_compute = compute > seconds;
    char got[32], most[32];
    if (by_memory) {
        say_rate(attainable->bytes / seconds, got);
        say_rate(attainable->bytes / attainable->seconds_of[OB_BOUND_MEMORY], most);
        snprintf(why, size, "faster than %s%s: %s GB/s of %s",
                 attainable->level[0] == 'L' ? "cache " : "", attainable->level, got, most);
    } else if (by_compute) {
        say_rate(attainable->flops / seconds, got);
        say_rate(attainable->flops / attainable->seconds_of[OB_BOUND_COMPUTE], most);
        snprintf(why, size, "faster than the processor: %s GFLOP/s of %s", got, most);
    }
    return by_memory || by_compute;
}
