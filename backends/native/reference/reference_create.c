/* SPDX-License-Identifier: Apache-2.0
 *
 * Tensors from nothing: constants, rows of numbers, and what nobody initialised.
 */
#include "reference_formula.h"

#include <stdlib.h>

typedef struct series {
    ball start, step;
    int64_t whole_start, whole_step;
    double imaginary;
    bool whole;
} series;

static ob_status fill(ref_call *call, const series *s, ob_err *err)
{
    ref_out *out = call->outs;
    const ball_rules *r = &call->rules;
    int64_t *chosen, count;
    OB_TRY(ref_choose_elements(call, out, 20, &chosen, &count, err));
    for (int64_t i = 0; i < count; i++) {
        const int64_t place = chosen != NULL ? chosen[i] : i;
        const ball x =
            s->step.v != 0 ? ADD(s->start, MUL(s->step, ball_of((double)place))) : s->start;
        if (ref_is_complex(out->t.dtype))
            ref_put_complex(call, out, place, x, ref_number(call, s->imaginary));
        else if (s->whole && ref_is_whole(out->t.dtype))
            ref_put_whole(out, place, s->whole_start + place * s->whole_step, false);
        else
            ref_put(call, out, place, x);
    }
    free(chosen);
    return OB_OK;
}

/* variant: the constant, or -1 for the argument called `data`. */
static ob_status run_constant(ref_call *call, ob_err *err)
{
    series s = {.start = ball_of(call->variant), .whole_start = call->variant, .whole = true};
    if (call->variant < 0) {
        const ob_value *value = ob_kit_arg(&call->kit, call->data);
        const bool complex = value->kind == OB_VALUE_COMPLEX;
        s.start =
            ref_number(call, complex ? value->as.complex.real : ob_kit_value_double(value, 0));
        s.imaginary = complex ? value->as.complex.imag : 0;
        s.whole = value->kind == OB_VALUE_INT || value->kind == OB_VALUE_BOOL;
        s.whole_start = ob_kit_value_int(value, 0);
    }
    return fill(call, &s, err);
}

static bool is_whole(const ob_value *value)
{
    const double x = ob_kit_value_double(value, 0);
    return x == trunc(x);
}

static ob_status run_arange(ref_call *call, ob_err *err)
{
    const ob_kit_call *kit = &call->kit;
    const ob_value *start = ob_kit_arg(kit, "start"), *step = ob_kit_arg(kit, "step");
    const series s = {.start = ref_number(call, ob_kit_value_double(start, 0)),
                      .step = ref_number(call, ob_kit_value_double(step, 1)),
                      .whole_start = ob_kit_value_int(start, 0),
                      .whole_step = ob_kit_value_int(step, 1),
                      .whole = is_whole(start) && is_whole(step)};
    if (ref_is_whole(call->outs[0].t.dtype) && !s.whole)
        return ref_unsupported(call, "of whole numbers with fractions", err);
    return fill(call, &s, err);
}

static ob_status run_linspace(ref_call *call, ob_err *err)
{
    const ball_rules *r = &call->rules;
    const ball start = ref_arg_number(call, "start", 0), end = ref_arg_number(call, "end", 0);
    const double steps = ob_kit_arg_double(&call->kit, "steps", 1);
    const series s = {.start = start,
                      .step = steps > 1 ? DIV(SUB(end, start), ball_of(steps - 1)) : ball_of(0)};
    return fill(call, &s, err);
}

static ob_status run_empty(ref_call *call, ob_err *err)
{
    OB_TRY(ref_out_make(call, call->outs, 0, true, err));
    ref_out_unknown(call->outs, "it is not initialised");
    return OB_OK;
}

#define CONSTANT(op, value)                                                                        \
    {                                                                                              \
        .name = "aten::" #op, .run = run_constant, .variant = (value), .blind = true               \
    }
#define GIVEN(op, argument)                                                                        \
    {                                                                                              \
        .name = "aten::" #op, .run = run_constant, .variant = -1, .data = (argument)               \
    }

const ref_row ref_rows_create[] = {
    CONSTANT(zeros, 0),
    CONSTANT(zeros_like, 0),
    CONSTANT(new_zeros, 0),
    CONSTANT(ones, 1),
    CONSTANT(ones_like, 1),
    CONSTANT(new_ones, 1),
    GIVEN(full, "fill_value"),
    GIVEN(full_like, "fill_value"),
    GIVEN(new_full, "fill_value"),
    GIVEN(scalar_tensor, "s"),
    {.name = "aten::arange", .run = run_arange},
    {.name = "aten::linspace", .run = run_linspace},
    {.name = "aten::empty", .run = run_empty, .blind = true},
    {.name = "aten::empty_strided", .run = run_empty, .blind = true},
    {.name = "aten::empty_like", .run = run_empty, .blind = true},
    {.name = "aten::new_empty", .run = run_empty, .blind = true},
    {.name = "aten::new_empty_strided", .run = run_empty, .blind = true},
    {.name = NULL},
};
