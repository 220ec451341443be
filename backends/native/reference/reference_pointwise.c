/* SPDX-License-Identifier: Apache-2.0
 *
 * Element by element; see reference_pointwise.h.
 */
#include "reference_pointwise.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double STEPS = 40; /* per element */

/* One operand: a tensor, or a number. */
typedef struct operand {
    ref_tensor t; /* store NULL = the number */
    ball number;
    int64_t whole;
    double imaginary;
    bool is_whole;
} operand;

typedef struct point {
    const point_row *row;
    point_options options;
    operand operands[REF_MOST_OPERANDS];
    int count;
    bool wholes; /* computed in whole numbers */
} point;

/* ---- operands ---- */

/* One value per channel, as a tensor that broadcasts. */
static ref_tensor along_channels(const ref_tensor *weight, int ndim)
{
    ref_tensor t = *weight;
    if (ref_numel(weight) == 1) {
        t.ndim = 0;
        return t;
    }
    t.ndim = ndim;
    for (int d = 0; d < ndim; d++) {
        t.sizes[d] = d == 1 ? weight->sizes[weight->ndim - 1] : 1;
        t.strides[d] = d == 1 ? weight->strides[weight->ndim - 1] : 0;
    }
    return t;
}

static void take_number(const ref_call *call, const ob_value *value, operand *to)
{
    to->is_whole = value->kind == OB_VALUE_INT || value->kind == OB_VALUE_BOOL ||
                   (value->kind == OB_VALUE_DOUBLE && value->as.real == trunc(value->as.real));
    to->whole = ob_kit_value_int(value, 0);
    to->number = ref_number(call, value->kind == OB_VALUE_COMPLEX ? value->as.complex.real
                                                                  : ob_kit_value_double(value, 0));
    to->imaginary = value->kind == OB_VALUE_COMPLEX ? value->as.complex.imag : 0;
}

/* The operand called `name`, of `length`. False: there is none. */
static bool take(const ref_call *call, const char *name, size_t length, operand *to)
{
    char word[64];
    const bool channels = name[0] == '@';
    snprintf(word, sizeof word, "%.*s", (int)(length - channels), name + channels);
    const int index = call->kit.host->schema_find_arg(call->kit.op->schema, word);
    if (index < 0)
        return false;
    const ref_value *tensors = &call->args[index];
    const ob_value *value = &call->kit.args[index];
    *to = (operand){.whole = 0};
    if (tensors->count > 0) {
        const ref_tensor *t = tensors->items;
        if (t->store == NULL)
            return false;
        to->t = channels ? along_channels(t, call->outs[0].t.ndim) : *t;
        to->is_whole = ref_is_whole(t->dtype);
        return true;
    }
    if (value->kind == OB_VALUE_STR || value->kind == OB_VALUE_NONE)
        return false;
    take_number(call, value, to);
    return true;
}

/* One word of the row, with its alternatives. */
static bool take_any(const ref_call *call, const char *word, size_t length, operand *to)
{
    for (size_t at = 0; at < length;) {
        const size_t end = strcspn(word + at, "| ");
        if (take(call, word + at, end, to))
            return true;
        at += end + 1;
    }
    *to = (operand){.is_whole = true};
    return false;
}

static char mode_of(const ref_call *call)
{
    static const char *const WORDS[] = {"rounding_mode", "approximate"};
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
        const char *text = ob_kit_arg_str(&call->kit, WORDS[i]);
        if (text[0] != '\0')
            return text[0];
    }
    return '\0';
}

static void take_operands(const ref_call *call, point *p)
{
    const char *word = p->row->operands;
    p->options = (point_options){.mode = mode_of(call)};
    p->wholes = ref_is_whole(call->outs[0].t.dtype);
    p->count = 0;
    while (*word != '\0') {
        const size_t length = strcspn(word, " ");
        operand *to = &p->operands[p->count];
        if (take_any(call, word, length, to)) {
            p->options.given |= 1u << p->count;
            p->wholes = p->wholes && to->is_whole;
        }
        p->count++;
        word += length + strspn(word + length, " ");
    }
    p->options.truth = p->operands[0].t.store != NULL && p->operands[0].t.dtype == OB_DTYPE_BOOL;
}

/* ---- elements ---- */

static void put_real(const ref_call *call, const point *p, const ref_walk *w, ref_out *out)
{
    ball a[REF_MOST_OPERANDS];
    for (int k = 0; k < p->count; k++)
        a[k] = p->operands[k].t.store != NULL ? ref_get(&p->operands[k].t, w->offsets[k])
                                              : p->operands[k].number;
    ref_put(call, out, w->place, p->row->real(&call->rules, a, &p->options));
}

static void put_whole(const point *p, const ref_walk *w, ref_out *out)
{
    int64_t a[REF_MOST_OPERANDS];
    bool doubtful = false;
    for (int k = 0; k < p->count; k++) {
        const operand *from = &p->operands[k];
        a[k] = from->t.store != NULL ? ref_get_whole(&from->t, w->offsets[k]) : from->whole;
        doubtful = doubtful || (from->t.store != NULL && ref_is_doubtful(&from->t, w->offsets[k]));
    }
    ref_put_whole(out, w->place, p->row->whole(a, &p->options), doubtful);
}

static void put_complex(const ref_call *call, const point *p, const ref_walk *w, ref_out *out)
{
    complex_ball a[REF_MOST_OPERANDS];
    for (int k = 0; k < p->count; k++) {
        const operand *from = &p->operands[k];
        a[k] = from->t.store != NULL
                   ? (complex_ball){ref_get(&from->t, w->offsets[k]),
                                    ref_get_imaginary(&from->t, w->offsets[k])}
                   : (complex_ball){from->number, ref_number(call, from->imaginary)};
    }
    const complex_ball x = p->row->complex(&call->rules, a, &p->options);
    ref_put_complex(call, out, w->place, x.re, x.im);
}

static bool has_fraction(const point *p)
{
    for (int k = 0; k < p->count; k++)
        if (p->operands[k].t.store == NULL && !p->operands[k].is_whole)
            return true;
    return false;
}

static bool has_complex(const point *p)
{
    for (int k = 0; k < p->count; k++)
        if (p->operands[k].t.store != NULL && ref_is_complex(p->operands[k].t.dtype))
            return true;
    return false;
}

ob_status ref_pointwise(ref_call *call, ob_err *err)
{
    return ref_pointwise_into(call, call->outs, 1, err);
}

ob_status ref_pointwise_into(ref_call *call, ref_out *out, double elements, ob_err *err)
{
    point made = {.row = call->data}, *p = &made;
    ref_walk w;
    int64_t *chosen, count;
    take_operands(call, p);
    p->options.count = elements;
    const bool complex = ref_is_complex(out->t.dtype);
    if (ref_is_whole(out->t.dtype) && out->t.dtype != OB_DTYPE_BOOL && has_fraction(p))
        return ref_unsupported(call, "of whole numbers with fractions", err);
    if (has_complex(p) != complex || (complex && p->row->complex == NULL))
        return ref_unsupported(call, "on complex numbers", err);
    if (ref_is_whole(out->t.dtype) && p->wholes)
        call->rules.u = 0;
    ref_walk_start(&w, out->t.sizes, out->t.ndim);
    for (int k = 0; k < p->count; k++)
        ref_walk_add(&w, p->operands[k].t.store != NULL ? &p->operands[k].t : NULL);
    OB_TRY(ref_choose_elements(call, out, STEPS, &chosen, &count, err));
    const bool whole =
        p->wholes && p->row->whole != NULL && (!p->row->with_mode || p->options.mode != '\0');
    for (int64_t i = 0; i < count; i++) {
        ref_walk_seek(&w, chosen != NULL ? chosen[i] : i);
        if (complex)
            put_complex(call, p, &w, out);
        else if (whole)
            put_whole(p, &w, out);
        else
            put_real(call, p, &w, out);
    }
    free(chosen);
    return OB_OK;
}
