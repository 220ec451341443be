/* SPDX-License-Identifier: Apache-2.0
 *
 * Random numbers. Nobody knows which, but everybody knows from where to where they go, how large they are on the average and how
 * far apart: mean and variance must be within six of their standard errors.
 */
#include "reference_call.h"

#include <stdio.h>
#include <stdlib.h>

static const char RANDOM[] = "it is random";
static const double DEVIATIONS = 6;
enum { LEAST_COUNT = 100 }; /* below it moments say too little */

/* ---- distributions: numbers are mean, variance, least and largest ---- */

static bool off(ob_reason *why, const char *what, double is, double want, double bound)
{
    if (fabs(is - want) <= bound)
        return false;
    snprintf(why->text, sizeof why->text,
             "is random and its %s is %.6g; it should be %.6g, and may differ by %.3g", what, is,
             want, bound);
    return true;
}

static bool judge_moments(const ref_judge *j, const ref_tensor *got, ob_reason *why)
{
    const double mean = j->numbers[0], variance = j->numbers[1];
    const double low = j->numbers[2], high = j->numbers[3], unit = ref_unit(got->dtype);
    const int64_t count = ref_numel(got);
    const double n = (double)count, reach = isfinite(high - low) ? high - low : sqrt(variance);
    double sum = 0, square = 0;
    for (int64_t i = 0; i < count; i++) {
        const double x = ref_get(got, ref_offset(got, i)).v;
        if (!(x >= low - unit * fabs(low) && x <= high + unit * fabs(high))) {
            snprintf(why->text, sizeof why->text,
                     "is random from %.6g to %.6g, but its element %lld is %.9g", low, high,
                     (long long)i, x);
            return false;
        }
        sum += x;
        square += (x - mean) * (x - mean);
    }
    if (count < LEAST_COUNT)
        return true;
    return !off(why, "mean", sum / n, mean, DEVIATIONS * sqrt(variance / n) + 2 * unit * reach) &&
           !off(why, "variance", square / n, variance,
                DEVIATIONS * variance * sqrt(2 / n) + 4 * unit * reach * reach);
}

static ob_status give(ref_call *call, ref_out *out, const ref_judge *judge, ob_err *err)
{
    OB_TRY(ref_out_make(call, out, 0, true, err));
    ref_out_unknown(out, RANDOM);
    return ref_out_judge(call, out, judge, NULL, 0, err);
}

static ob_status give_moments(ref_call *call, double mean, double variance, double low, double high,
                              ob_err *err)
{
    if (ref_is_complex(call->outs[0].t.dtype))
        return ref_unsupported(call, "of complex numbers", err);
    const ref_judge judge = {.fn = judge_moments, .numbers = {mean, variance, low, high}};
    return give(call, call->outs, &judge, err);
}

static ob_status run_uniform(ref_call *call, ob_err *err)
{
    const double from = ob_kit_arg_double(&call->kit, "from", 0);
    const double to = ob_kit_arg_double(&call->kit, "to", 1);
    return give_moments(call, (from + to) / 2, (to - from) * (to - from) / 12, from, to, err);
}

static ob_status run_normal(ref_call *call, ob_err *err)
{
    const double mean = ob_kit_arg_double(&call->kit, "mean", 0);
    const double deviation = ob_kit_arg_double(&call->kit, "std", 1);
    return give_moments(call, mean, deviation * deviation, -INFINITY, INFINITY, err);
}

static ob_status run_randint(ref_call *call, ob_err *err)
{
    const double low = ob_kit_arg_double(&call->kit, "low", 0);
    const double high = ob_kit_arg_double(&call->kit, "high", 1);
    const double width = high - low;
    return give_moments(call, (low + high - 1) / 2, (width * width - 1) / 12, low, high - 1, err);
}

/* ---- an order ---- */

static bool judge_permutation(const ref_judge *j, const ref_tensor *got, ob_reason *why)
{
    (void)j;
    const int64_t count = ref_numel(got);
    bool *seen = calloc((size_t)count + 1, sizeof *seen);
    bool right = seen != NULL;
    for (int64_t i = 0; right && i < count; i++) {
        const double x = ref_get(got, ref_offset(got, i)).v;
        const int64_t number = x >= 0 && x < (double)count ? (int64_t)x : -1;
        right = number >= 0 && !seen[number];
        if (right)
            seen[number] = true;
        else
            snprintf(
                why->text, sizeof why->text,
                "is a random order, but its element %lld, %.9g, appears twice or does not belong",
                (long long)i, x);
    }
    free(seen);
    return right;
}

static ob_status run_randperm(ref_call *call, ob_err *err)
{
    const ref_judge judge = {.fn = judge_permutation};
    return give(call, call->outs, &judge, err);
}

/* ---- there or not ---- */

/* numbers: the chance of not being zero (below 0: the elements of `of` are the chances), and what then comes out: times `of`,
 * or the constant. */
static bool judge_choice(const ref_judge *j, const ref_tensor *got, ob_reason *why)
{
    const int64_t count = ref_numel(got);
    const double unit = ref_unit(got->dtype), least = ref_least(got->dtype);
    double there = 0, expected = 0, variance = 0;
    for (int64_t i = 0; i < count; i++) {
        const double x = ref_get(got, ref_offset(got, i)).v;
        const double of = j->of.store != NULL ? ref_get(&j->of, ref_offset(&j->of, i)).v : 0;
        const double chance = j->numbers[0] < 0 ? of : j->numbers[0];
        const double value = j->numbers[1] != 0 ? of * j->numbers[1] : j->numbers[2];
        if (x != 0 && !(fabs(x - value) <= 4 * unit * fabs(value) + least) &&
            !(isnan(x) && isnan(value)) && x != value) {
            snprintf(
                why->text, sizeof why->text,
                "is randomly zero or not, but its element %lld is %.9g; it should be 0 or %.9g",
                (long long)i, x, value);
            return false;
        }
        if (value == 0)
            continue;
        there += x != 0;
        expected += chance;
        variance += chance * (1 - chance);
    }
    return count < LEAST_COUNT || !off(why, "number of elements that are not zero", there, expected,
                                       DEVIATIONS * sqrt(variance) + 1e-3);
}

static ob_status run_bernoulli(ref_call *call, ob_err *err)
{
    const bool given = ob_kit_arg(&call->kit, "p") != NULL;
    ref_judge judge = {.fn = judge_choice,
                       .numbers = {given ? ob_kit_arg_double(&call->kit, "p", 0.5) : -1, 0, 1}};
    if (!given)
        judge.of = *ref_arg(call, "self");
    return give(call, call->outs, &judge, err);
}

static ob_status copy_all(ref_call *call, const ref_tensor *from, ob_err *err)
{
    ref_out *out = call->outs;
    *call->cost += 20 * (double)ref_numel(&out->t);
    if (call->dry)
        return OB_END;
    OB_TRY(ref_out_make(call, out, 0, false, err));
    for (int64_t i = 0; i < ref_numel(&out->t); i++)
        ref_put_copy(call, out, i, from, ref_offset(from, i));
    if (call->out_count < 2)
        return OB_OK;
    OB_TRY(ref_out_make(call, &call->outs[1], 0, false, err));
    for (int64_t i = 0; i < ref_numel(&call->outs[1].t); i++)
        ref_put_whole(&call->outs[1], i, 1, false);
    return OB_OK;
}

static ob_status run_dropout(ref_call *call, ob_err *err)
{
    const ref_tensor *x = ref_arg(call, "input");
    x = x != NULL ? x : ref_arg(call, "self");
    const double p = ob_kit_arg_double(&call->kit, "p", 0.5);
    if (!ob_kit_arg_bool(&call->kit, "train", true) || p == 0)
        return copy_all(call, x, err);
    const ref_judge judge = {
        .fn = judge_choice, .of = *x, .numbers = {1 - p, p < 1 ? 1 / (1 - p) : 0, 0}};
    const ref_judge mask = {.fn = judge_choice, .numbers = {1 - p, 0, 1}};
    OB_TRY(give(call, &call->outs[0], &judge, err));
    return call->out_count > 1 ? give(call, &call->outs[1], &mask, err) : OB_OK;
}

#define RANDOM_ROW(op, function)                                                                   \
    {                                                                                              \
        .name = "aten::" #op, .run = (function)                                                    \
    }

#define BLIND_ROW(op, function)                                                                    \
    {                                                                                              \
        .name = "aten::" #op, .run = (function), .blind = true                                     \
    }

const ref_row ref_rows_random[] = {
    RANDOM_ROW(rand, run_uniform),           BLIND_ROW(rand_like, run_uniform),
    BLIND_ROW(uniform, run_uniform),         RANDOM_ROW(randn, run_normal),
    BLIND_ROW(randn_like, run_normal),       BLIND_ROW(normal, run_normal),
    RANDOM_ROW(randint, run_randint),        RANDOM_ROW(randperm, run_randperm),
    RANDOM_ROW(bernoulli, run_bernoulli),    RANDOM_ROW(dropout, run_dropout),
    RANDOM_ROW(native_dropout, run_dropout), {.name = NULL},
};
