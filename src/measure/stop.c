/* SPDX-License-Identifier: Apache-2.0
 *
 * Rules that say when enough was measured. A rule is a row of OB_STOP_RULE_MAP with two functions here:
 * init_<name> checks and completes its parameters, check_<name> judges the progress. The limits that
 * all rules share stand in one place.
 */
#include "measure/stop.h"

#include "measure/interval.h"

#include <inttypes.h>

/* So that a noisy machine cannot hold a run for ever. */
#define DEFAULT_MAX_TIME_NS UINT64_C(60000000000)

static ob_status init_count(ob_stop_params *params, ob_err *err)
{
    (void)params;
    (void)err;
    return OB_OK;
}

static ob_status check_count(ob_stop_rule *rule, const ob_stop_progress *progress, bool at_limit,
                             bool *done, ob_err *err)
{
    (void)at_limit;
    (void)err;
    *done = progress->blocks >= rule->params.count;
    return OB_OK;
}

static ob_status init_min_time(ob_stop_params *params, ob_err *err)
{
    if (params->min_time_ns == 0)
        return ob_err_set(err, OB_ERR_INVALID,
                          "a minimum time of 0 measures nothing; give a time above 0");
    if (params->min_blocks == 0)
        params->min_blocks = 1;
    return OB_OK;
}

static ob_status check_min_time(ob_stop_rule *rule, const ob_stop_progress *progress, bool at_limit,
                                bool *done, ob_err *err)
{
    (void)at_limit;
    (void)err;
    *done = progress->elapsed_ns >= rule->params.min_time_ns &&
            progress->blocks >= rule->params.min_blocks;
    return OB_OK;
}

static ob_status init_precision(ob_stop_params *params, ob_err *err)
{
    if (!(params->precision > 0 && params->precision < 1))
        return ob_err_set(err, OB_ERR_INVALID,
                          "precision is %g; it must be between 0 and 1: 0.01 asks for an interval "
                          "of 1 %% to each side of the median",
                          params->precision);
    OB_TRY(ob__confidence_check(&params->confidence, err));
    if (params->min_blocks < OB_MIN_PRECISE_SAMPLES)
        params->min_blocks = OB_MIN_PRECISE_SAMPLES;
    if (params->max_time_ns == 0)
        params->max_time_ns = DEFAULT_MAX_TIME_NS;
    return OB_OK;
}

/* Who looks often and stops at the first interval that is narrow enough stops when the samples happen to lie close, and
 * then the interval holds the median less often than it says. So the looks are few, each at a quarter more samples, and two in
 * a row must agree. At the limit there is no such choice: one look says it. */
static ob_status check_precision(ob_stop_rule *rule, const ob_stop_progress *progress,
                                 bool at_limit, bool *done, ob_err *err)
{
    const ob_stop_params *params = &rule->params;
    *done = false;
    if (!at_limit &&
        (progress->blocks < params->min_blocks || progress->elapsed_ns < params->min_time_ns ||
         progress->blocks < rule->next_look))
        return OB_OK;
    rule->next_look = progress->blocks + progress->blocks / 4 + 1;
    OB_TRY(ob_interval_from_samples(progress->samples, (size_t)progress->blocks, params->confidence,
                                    &rule->interval, err));
    const bool narrow =
        rule->interval.enough && rule->interval.relative_half_width <= params->precision;
    rule->narrow_looks = narrow ? rule->narrow_looks + 1 : 0;
    *done = rule->narrow_looks >= (at_limit ? 1 : 2);
    return OB_OK;
}

static const struct rule_row {
    const char *name;
    ob_status (*init)(ob_stop_params *params, ob_err *err);
    ob_status (*check)(ob_stop_rule *rule, const ob_stop_progress *progress, bool at_limit,
                       bool *done, ob_err *err);
} RULES[] = {
#define RULE_ROW(id, name) [OB_STOP_##id] = {#name, init_##name, check_##name},
    OB_STOP_RULE_MAP(RULE_ROW)
#undef RULE_ROW
};

static bool is_rule(ob_stop_rule_kind kind)
{
    return (unsigned)kind < OB_STOP_RULE_COUNT;
}

const char *ob__stop_rule_name(ob_stop_rule_kind kind)
{
    return is_rule(kind) ? RULES[kind].name : "";
}

ob_status ob__stop_rule_init(ob_stop_rule *rule, const ob_stop_params *params, ob_err *err)
{
    *rule = (ob_stop_rule){.params = *params};
    if (!is_rule(params->kind))
        return ob_err_set(err, OB_ERR_INVALID, "there is no stopping rule with the number %d",
                          (int)params->kind);
    OB_TRY(RULES[params->kind].init(&rule->params, err));
    const ob_stop_params *p = &rule->params;
    const bool limited = p->kind != OB_STOP_COUNT;
    if (limited && p->max_blocks != 0 && p->max_blocks < p->min_blocks)
        return ob_err_set(err, OB_ERR_INVALID,
                          "at most %" PRIu64 " blocks are allowed, but at least %" PRIu64
                          " are needed; raise the limit",
                          p->max_blocks, p->min_blocks);
    if (limited && p->max_time_ns != 0 && p->max_time_ns < p->min_time_ns)
        return ob_err_set(err, OB_ERR_INVALID,
                          "the time limit of %" PRIu64 " ns is below the minimum time of %" PRIu64
                          " ns; raise the limit",
                          p->max_time_ns, p->min_time_ns);
    return OB_OK;
}

ob_status ob__stop_rule_check(ob_stop_rule *rule, const ob_stop_progress *progress,
                              ob_stop_verdict *verdict, ob_err *err)
{
    const ob_stop_params *p = &rule->params;
    const uint64_t wall_ns = progress->wall_ns ? progress->wall_ns : progress->elapsed_ns;
    const bool limit_reached =
        p->kind != OB_STOP_COUNT && ((p->max_blocks != 0 && progress->blocks >= p->max_blocks) ||
                                     (p->max_time_ns != 0 && wall_ns >= p->max_time_ns));
    bool done = false;
    *verdict = OB_STOP_GO_ON;
    OB_TRY(RULES[p->kind].check(rule, progress, limit_reached, &done, err));
    if (done)
        *verdict = OB_STOP_DONE;
    else if (limit_reached)
        *verdict = OB_STOP_GAVE_UP;
    return OB_OK;
}
