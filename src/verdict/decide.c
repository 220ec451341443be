/* SPDX-License-Identifier: Apache-2.0
 *
 * The decision. All is done with logarithms, in which a ratio and its inverse are alike: the centre of the units'
 * differences, its interval by Student's t, and where that lies. Faster and slower have an error rate that all cases and all
 * looks share (Bonferroni's bound holds however they depend on each other); same is an equivalence test, whose
 * interval must lie within the threshold.
 */
#include "base/sized.h"
#include "opbench/measure.h"
#include "opbench/verdict.h"
#include "verdict/centre.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Below ENOUGH_UNITS only what no placement does is called a difference. Where a process may land at one of two places that differ by
 * some per cent, three pairs of identical sides agree on a difference in 3 % of comparisons, five in 0.2 %. */
enum { LEAST_UNITS = 3, ENOUGH_UNITS = 5 };
/* That nothing is different is believed later: three processes in ten that are slower may well be in none of five. */
enum { ENOUGH_FOR_SAME = 12 };
static const double BEYOND_PLACEMENT = 0.1;
/* A process with fewer samples than this knows its own scatter badly: from two of them. Half of it is then what is usual. */
enum { ENOUGH_FOR_SCATTER = 25 };
/* The width of an interval is an estimate too. */
static const double EFFORT_MARGIN = 1.5;

/* ---- words ---- */

const char *ob_verdict_word(ob_verdict_kind kind)
{
    static const char *const WORDS[OB_VERDICT_KIND_COUNT] = {
#define ROW(id, word) [OB_VERDICT_##id] = (word),
        OB_VERDICT_MAP(ROW)
#undef ROW
    };
    return (unsigned)kind < OB_VERDICT_KIND_COUNT ? WORDS[kind] : NULL;
}

/* ---- parameters ---- */

static double or_default(double value, double initial)
{
    return value != 0 ? value : initial;
}

static ob_status take_params(const ob_verdict_params *from, ob_verdict_params *p, ob_err *err)
{
    OB_TRY(OB__TAKE_OPTIONAL(ob_verdict_params, p, from, err));
    p->floor = or_default(p->floor, OB_VERDICT_FLOOR);
    p->threshold = or_default(p->threshold, OB_VERDICT_THRESHOLD);
    p->error_rate = or_default(p->error_rate, OB_VERDICT_ERROR_RATE);
    p->cases = p->cases > 0 ? p->cases : 1;
    p->look_share = or_default(p->look_share, 1);
    const bool sense = p->floor > 0 && p->floor < 10 && p->threshold > 0 && p->threshold < 10 &&
                       p->error_rate > 0 && p->error_rate < 1 && p->look_share > 0 &&
                       p->look_share <= 1;
    return sense ? OB_OK
                 : ob_err_set(err, OB_ERR_INVALID,
                              "a verdict needs a floor and a threshold between 0 and 10, and an "
                              "error rate and its share between 0 and 1");
}

/* ---- centres ---- */

typedef enum measure { LOW, MEDIAN, TAIL } measure;

static double log_of(const ob_verdict_unit *unit, measure which)
{
    return log(which == LOW ? unit->low : which == MEDIAN ? unit->median : unit->tail);
}

typedef struct sides {
    const ob_verdict_unit *a, *b;
    size_t a_count, b_count;
    bool paired;
    double *scratch, *variances, *usual; /* for the longer of them */
} sides;

/* Logarithms of the ratio. */
typedef struct range {
    double low, high;
} range;

static double squared(double x)
{
    return x * x;
}

/* The low quantiles know how sure they are; if only some do, all count alike. */
static const double *known(const double *variances, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (isnan(variances[i]))
            return NULL;
    return variances;
}

static bool has_few_samples(const ob_verdict_unit *unit)
{
    return unit->samples - unit->set_aside < ENOUGH_FOR_SCATTER;
}

/* Without this, a process whose two lowest samples happen to be close would count for all others. */
static void level(const sides *s)
{
    for (size_t i = 0; i < s->a_count; i++)
        s->usual[i] = s->variances[i];
    ob_stats_sort(s->usual, s->a_count);
    const double usual = ob_stats_quantile(s->usual, s->a_count, 0.5);
    for (size_t i = 0; i < s->a_count; i++)
        if (has_few_samples(&s->a[i]) || has_few_samples(&s->b[i]))
            s->variances[i] = (s->variances[i] + usual) / 2;
}

/* Of processes that did not run in turns the quiet ones may be those of a slower time: they count alike. */
static const double *weigh(const sides *s, measure which)
{
    if (!s->paired || which != LOW)
        return NULL;
    for (size_t i = 0; i < s->a_count; i++)
        s->variances[i] = squared(s->a[i].scatter) + squared(s->b[i].scatter);
    if (known(s->variances, s->a_count) == NULL)
        return NULL;
    level(s);
    return s->variances;
}

static ob_centre centre_of(const sides *s, const ob_verdict_unit *units, size_t count,
                           measure which)
{
    for (size_t i = 0; i < count; i++)
        s->scratch[i] = log_of(&units[i], which);
    return ob__centre_of(s->scratch, weigh(s, which), count);
}

/* In relative terms, as the processes usually have it. */
static double tick_of(const ob_verdict_unit *units, size_t count, double *scratch)
{
    for (size_t i = 0; i < count; i++)
        scratch[i] = units[i].tick;
    ob_stats_sort(scratch, count);
    return ob_stats_quantile(scratch, count, 0.5);
}

/* A clock that ticks rounds all samples of a side the same way, evenly within a tick: half a tick at most, and a standard
 * deviation of 1 / sqrt(12). Nothing of that is estimated, so Student's t has no part in it. */
static double rounding_at_most(const sides *s)
{
    return (tick_of(s->a, s->a_count, s->scratch) + tick_of(s->b, s->b_count, s->scratch)) / 2;
}

static double usual_rounding(const sides *s, double miss)
{
    static const double ANY = 1e6; /* so many degrees of freedom: a normal distribution */
    const double error =
        hypot(tick_of(s->a, s->a_count, s->scratch), tick_of(s->b, s->b_count, s->scratch)) /
        sqrt(12);
    return fmin(ob_student_t_quantile(1 - miss / 2, ANY) * error, rounding_at_most(s));
}

static void find_differences(const sides *s, measure which)
{
    for (size_t i = 0; i < s->a_count; i++)
        s->scratch[i] = log_of(&s->b[i], which) - log_of(&s->a[i], which);
}

static ob_centre difference_of(const sides *s, measure which)
{
    if (!s->paired) {
        const ob_centre a = centre_of(s, s->a, s->a_count, which);
        const ob_centre b = centre_of(s, s->b, s->b_count, which);
        return ob__centre_difference(&a, &b);
    }
    find_differences(s, which);
    return ob__centre_of(s->scratch, weigh(s, which), s->a_count);
}

static double half_width_of(const sides *s, const ob_centre *d, double miss)
{
    return hypot(ob__centre_half_width(d, miss), usual_rounding(s, miss));
}

static double sure_half_width_of(const sides *s, const ob_centre *d, double miss)
{
    return ob__centre_sure_half_width(d, miss) + rounding_at_most(s);
}

/* Of the undisturbed times. Differences of pairs are symmetrical around the true one, because the sides ran in turns. */
static range interval_of(const sides *s, const ob_centre *d)
{
    const double miss = 1 - OB_VERDICT_CONFIDENCE;
    range out;
    if (s->paired) {
        find_differences(s, LOW);
        if (ob__centre_typical(s->scratch, weigh(s, LOW), s->a_count, miss, &out.low, &out.high)) {
            const double clocks = usual_rounding(s, miss);
            return (range){d->mean - hypot(fmax(d->mean - out.low, 0), clocks),
                           d->mean + hypot(fmax(out.high - d->mean, 0), clocks)};
        }
    }
    const double half = half_width_of(s, d, miss);
    return (range){d->mean - half, d->mean + half};
}

/* What misses in 5 % of comparisons may be cut off where less than 1 % lies: it then misses in hardly more. Choices of pairs that
 * leave out the few undisturbed ones reach far, and the errors that are estimated know that these count for little. */
static range within(range of, double mean, double half)
{
    return (range){fmax(of.low, mean - half), fmin(of.high, mean + half)};
}

static double set_aside_share(const sides *s)
{
    double aside = 0, all = 0;
    for (size_t i = 0; i < s->a_count; i++) {
        aside += (double)s->a[i].set_aside;
        all += (double)s->a[i].samples;
    }
    for (size_t i = 0; i < s->b_count; i++) {
        aside += (double)s->b[i].set_aside;
        all += (double)s->b[i].samples;
    }
    return all > 0 ? aside / all : 0;
}

/* ---- the decision ---- */

/* What is compared with what: logarithms. */
typedef struct bounds {
    double floor, threshold, miss;
} bounds;

static bounds bounds_of(const ob_verdict_params *p, uint64_t units)
{
    const double threshold = log1p(p->threshold), least = log1p(p->floor);
    const double floor = units < ENOUGH_UNITS ? fmax(least, log1p(BEYOND_PLACEMENT)) : least;
    return (bounds){.floor = p->one_process && threshold > floor ? threshold : floor,
                    .threshold = threshold,
                    .miss = p->error_rate / (double)p->cases * p->look_share};
}

/* How many times as many units would bring the half width down to the gap; NaN if none would. */
static double effort(double half, double gap)
{
    return gap > 0 ? (half / gap) * (half / gap) : NAN;
}

static double least_effort(double difference, double half, double sure_half, const bounds *b)
{
    const double apart = effort(sure_half, fabs(difference) - b->floor);
    const double alike = effort(half, b->threshold - fabs(difference));
    const double least = isnan(apart) || alike < apart ? alike : apart;
    return least < 1 ? 1 : least;
}

/* One process does not show what its placement does to it: as much as the floor, on either side of the interval. */
static double unseen_placement(const ob_verdict_params *p)
{
    return p->one_process ? log1p(p->floor) : 0;
}

static ob_verdict_kind kind_of(double difference, double half, double sure_half, const bounds *b)
{
    if (difference - sure_half > b->floor)
        return OB_VERDICT_SLOWER;
    if (difference + sure_half < -b->floor)
        return OB_VERDICT_FASTER;
    return fabs(difference) + half < b->threshold ? OB_VERDICT_SAME : OB_VERDICT_UNDECIDED;
}

/* A difference that the undisturbed times do not have. */
static bool say_other(const sides *s, const bounds *b, measure which, const char *name,
                      ob_verdict *out)
{
    const ob_centre d = difference_of(s, which);
    const double sure = fabs(d.mean) - sure_half_width_of(s, &d, b->miss);
    const bool against = (out->kind == OB_VERDICT_SLOWER && d.mean > 0) ||
                         (out->kind == OB_VERDICT_FASTER && d.mean < 0);
    if (!(sure > b->threshold) || against)
        return false;
    snprintf(out->why, sizeof out->why, "%s %.3g %% %s, though the undisturbed time is not", name,
             100 * expm1(fabs(d.mean)), d.mean > 0 ? "slower" : "faster");
    return true;
}

/* Less jitter, or more, moves the low quantile and not the median. */
static bool say_unconfirmed(const sides *s, ob_verdict *out)
{
    const ob_centre d = difference_of(s, MEDIAN);
    const double half = half_width_of(s, &d, 1 - OB_VERDICT_CONFIDENCE);
    const double called = log(out->ratio), median = called > 0 ? d.mean : -d.mean;
    if (out->kind == OB_VERDICT_SAME || !(median + half < fabs(called) / 2))
        return false;
    snprintf(out->why, sizeof out->why, "the median does not confirm it: %+.2g %%",
             100 * expm1(d.mean));
    return true;
}

static void explain(const sides *s, const ob_verdict_params *p, const bounds *b, ob_verdict *out)
{
    if (out->kind == OB_VERDICT_UNDECIDED) {
        if (isnan(out->low))
            snprintf(out->why, sizeof out->why, "too few %s: each side needs at least %d",
                     p->one_process ? "samples" : "processes", LEAST_UNITS);
        else if (s->a_count < ENOUGH_UNITS || s->b_count < ENOUGH_UNITS)
            snprintf(out->why, sizeof out->why,
                     "fewer than %d %s per side: only differences beyond %g %% are reported",
                     ENOUGH_UNITS, p->one_process ? "samples" : "processes",
                     100 * BEYOND_PLACEMENT);
        else if (isnan(out->more))
            snprintf(out->why, sizeof out->why, "%s",
                     p->one_process ? "no more samples of one process would decide it: measure "
                                      "with --processes 10"
                                    : "no more time would decide it: it lies between the threshold "
                                      "and the floor");
        else if (out->more < 1000)
            snprintf(out->why, sizeof out->why, "deciding would take about %.*f times as long",
                     out->more < 10 ? 1 : 0, out->more * EFFORT_MARGIN);
        else
            snprintf(out->why, sizeof out->why, "deciding would take more than 1000 times as long");
        return;
    }
    if (!say_other(s, b, MEDIAN, "the median is", out) && !say_unconfirmed(s, out))
        say_other(s, b, TAIL, "the slowest tenth is", out);
}

static void decide(const sides *s, const ob_verdict_params *p, ob_verdict *out)
{
    const bounds b = bounds_of(p, s->a_count < s->b_count ? s->a_count : s->b_count);
    const ob_centre d = difference_of(s, LOW);
    out->floor = b.floor;
    out->ratio = exp(d.mean);
    out->median_ratio = exp(difference_of(s, MEDIAN).mean);
    out->tail_ratio = exp(difference_of(s, TAIL).mean);
    if (s->a_count >= LEAST_UNITS && s->b_count >= LEAST_UNITS) {
        const double sure_half = sure_half_width_of(s, &d, b.miss);
        const range shown = within(interval_of(s, &d), d.mean, sure_half);
        const double half = fmax(shown.high - d.mean, d.mean - shown.low);
        const double unseen = unseen_placement(p);
        /* No effort makes it smaller, so the bounds move instead of the widths. */
        const bounds moved = {
            .floor = b.floor + unseen, .threshold = b.threshold - unseen, .miss = b.miss};
        out->low = exp(shown.low - unseen);
        out->high = exp(shown.high + unseen);
        out->sure_low = exp(d.mean - sure_half - unseen);
        out->sure_high = exp(d.mean + sure_half + unseen);
        out->kind = kind_of(d.mean, half, sure_half, &moved);
        out->more =
            out->kind == OB_VERDICT_UNDECIDED ? least_effort(d.mean, half, sure_half, &moved) : NAN;
    }
    explain(s, p, &b, out);
}

static bool are_times(const ob_verdict_unit *units, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!(units[i].low > 0 && units[i].median > 0 && units[i].tail > 0) ||
            !isfinite(units[i].low) || !isfinite(units[i].median) || !isfinite(units[i].tail))
            return false;
    return count > 0;
}

ob_status ob_verdict_decide(const ob_verdict_unit *baseline, size_t baseline_count,
                            const ob_verdict_unit *subject, size_t subject_count,
                            const ob_verdict_params *params, ob_verdict *out, ob_err *err)
{
    ob_verdict_params p;
    OB_TRY(take_params(params, &p, err));
    if (!are_times(baseline, baseline_count) || !are_times(subject, subject_count))
        return ob_err_set(err, OB_ERR_INVALID,
                          "a verdict needs at least one unit of positive times on each side");
    const size_t most = baseline_count > subject_count ? baseline_count : subject_count;
    sides s = {.a = baseline,
               .b = subject,
               .a_count = baseline_count,
               .b_count = subject_count,
               .paired = p.paired && baseline_count == subject_count,
               .scratch = malloc(3 * most * sizeof *s.scratch)};
    if (s.scratch == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a verdict");
    s.variances = s.scratch + most;
    s.usual = s.variances + most;
    ob_verdict v = {.size = sizeof v,
                    .baseline = exp(centre_of(&s, baseline, baseline_count, LOW).mean),
                    .subject = exp(centre_of(&s, subject, subject_count, LOW).mean),
                    .low = NAN,
                    .high = NAN,
                    .sure_low = NAN,
                    .sure_high = NAN,
                    .more = NAN,
                    .baseline_units = baseline_count,
                    .subject_units = subject_count,
                    .set_aside = set_aside_share(&s)};
    decide(&s, &p, &v);
    free(s.scratch);
    return OB__GIVE(ob_verdict, out, &v, err);
}

ob_status ob_verdict_of_samples(const ob_verdict_samples *baseline,
                                const ob_verdict_samples *subject, const ob_verdict_params *params,
                                ob_verdict *out, ob_err *err)
{
    ob_verdict_unit a[OB_VERDICT_BATCHES], b[OB_VERDICT_BATCHES];
    size_t a_count, b_count;
    ob_verdict_params p;
    OB_TRY(OB__TAKE_OPTIONAL(ob_verdict_params, &p, params, err));
    p.one_process = true;
    OB_TRY(ob_verdict_batches_of(baseline, a, OB_VERDICT_BATCHES, &a_count, err));
    OB_TRY(ob_verdict_batches_of(subject, b, OB_VERDICT_BATCHES, &b_count, err));
    return ob_verdict_decide(a, a_count, b, b_count, &p, out, err);
}

bool ob_verdict_is_final(const ob_verdict *verdict, const ob_verdict_params *params)
{
    ob_verdict_params p;
    if (take_params(params, &p, NULL) != OB_OK || verdict->kind == OB_VERDICT_UNDECIDED)
        return false;
    const bool few =
        verdict->baseline_units < ENOUGH_FOR_SAME || verdict->subject_units < ENOUGH_FOR_SAME;
    return verdict->kind != OB_VERDICT_SAME ||
           (!few &&
            log(verdict->sure_high / verdict->sure_low) <= bounds_of(&p, ENOUGH_UNITS).floor);
}
