/* SPDX-License-Identifier: Apache-2.0
 *
 * Drawing values of parameters. Only integer arithmetic, IEEE + - * / and the portable log and exp of
 * the random numbers are used, so that a seed gives the same values on every machine.
 */
#include "fuzz/fuzzer.h"

#include <math.h>

static double to_real(const ob_value *value)
{
    return value->kind == OB_VALUE_INT ? (double)value->as.integer : value->as.real;
}

static ob_value draw_uniform(const ob__fuzz_parameter *p, ob_rng *rng)
{
    if (p->min.kind == OB_VALUE_INT && p->max.kind == OB_VALUE_INT)
        return ob_value_int(ob_rng_int(rng, p->min.as.integer, p->max.as.integer));
    const double low = to_real(&p->min), high = to_real(&p->max);
    return ob_value_double(low < high ? ob_rng_uniform(rng, low, high) : low);
}

/* Cut to a whole number; the upper end lies one above the largest, which is drawn like all others
 * then. A real minimum that is cut below itself stays as it is, as in the original. */
static ob_value draw_loguniform(const ob__fuzz_parameter *p, ob_rng *rng)
{
    const double low = to_real(&p->min), high = to_real(&p->max);
    const double number = floor(ob_rng_loguniform(rng, low, floor(high) + 1));
    if (number < low)
        return p->min;
    if (number >= high && p->max.kind == OB_VALUE_INT)
        return p->max;
    return ob_value_int((int64_t)number);
}

static ob__fuzz_raw draw_choice(const ob__fuzz_parameter *p, ob_rng *rng)
{
    const size_t last = p->choice_count - 1;
    const double point = ob_rng_double(rng) * p->choices[last].up_to;
    size_t i = 0;
    while (i < last && point >= p->choices[i].up_to)
        i++;
    return (ob__fuzz_raw){.alias = p->choices[i].alias, .value = p->choices[i].value};
}

void ob__fuzz_draw_parameters(ob_fuzzer *f, ob_rng *rng, bool first_attempt)
{
    for (size_t i = 0; i < f->parameter_count; i++) {
        const ob__fuzz_parameter *p = &f->parameters[i];
        if (p->strict && !first_attempt)
            continue;
        if (p->distribution == OB_FUZZ_CHOICE)
            f->raw[i] = draw_choice(p, rng);
        else
            f->raw[i] = (ob__fuzz_raw){.alias = -1,
                                       .value = p->distribution == OB_FUZZ_UNIFORM
                                                    ? draw_uniform(p, rng)
                                                    : draw_loguniform(p, rng)};
    }
}

ob_status ob__fuzz_resolve_aliases(ob_fuzzer *f, ob_err *err)
{
    for (size_t i = 0; i < f->parameter_count; i++) {
        size_t at = i, hops = 0;
        while (f->raw[at].alias >= 0) {
            at = (size_t)f->raw[at].alias;
            if (++hops > f->parameter_count)
                return ob_err_set(err, OB_ERR_INVALID,
                                  "ParameterAlias cycle detected: \"%.64s\" is an alias that leads "
                                  "back to itself; give one parameter of the cycle a value",
                                  f->names[i]);
        }
        f->values[i] = f->raw[at].value;
    }
    return OB_OK;
}
