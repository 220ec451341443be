/* SPDX-License-Identifier: Apache-2.0
 *
 * Tensors of balls: reading elements of every dtype, and walking along several of them.
 */
#include "reference_call.h"

#include <stdlib.h>
#include <string.h>

/* ---- dtypes ---- */

/* Bits of the significand and the exponents of the least normal number and of the first that is too large. */
typedef struct precision {
    int bits, least, beyond;
} precision;

static precision precision_of(ob_dtype dtype)
{
    switch (dtype) {
    case OB_DTYPE_F16:
        return (precision){11, -14, 16};
    case OB_DTYPE_BF16:
        return (precision){8, -126, 128};
    case OB_DTYPE_F32:
    case OB_DTYPE_C64:
        return (precision){24, -126, 128};
    default:
        return (precision){53, -1022, 1024};
    }
}

double ref_unit(ob_dtype dtype)
{
    return ref_is_whole(dtype) ? 0 : ldexp(1, -precision_of(dtype).bits);
}

double ref_round(ob_dtype dtype, double value)
{
    if (ref_is_whole(dtype) || dtype == OB_DTYPE_F64 || dtype == OB_DTYPE_C128 || value == 0 ||
        !isfinite(value))
        return value;
    const precision p = precision_of(dtype);
    int exponent; /* value = m * 2^exponent, m in [0.5, 1) */
    (void)frexp(value, &exponent);
    const int unit = (exponent - 1 < p.least ? p.least : exponent - 1) - (p.bits - 1);
    const double rounded = ldexp(nearbyint(ldexp(value, -unit)), unit);
    return fabs(rounded) < ldexp(1, p.beyond - 1) * 2 ? rounded : copysign(INFINITY, value);
}

double ref_largest(ob_dtype dtype)
{
    const precision p = precision_of(dtype);
    return ldexp(2 - ldexp(1, 1 - p.bits), p.beyond - 1);
}

double ref_least(ob_dtype dtype)
{
    const precision p = precision_of(dtype);
    /* Libraries may take subnormal numbers for zero, but not those of float16, which are not rare. */
    return ldexp(1, dtype == OB_DTYPE_F16 ? p.least - p.bits : p.least);
}

static double half_to_double(uint16_t bits)
{
    const int exponent = bits >> 10 & 31;
    const double fraction = bits & 1023;
    const double sign = bits & 0x8000 ? -1 : 1;
    if (exponent == 31)
        return fraction != 0 ? NAN : sign * INFINITY;
    return sign * (exponent == 0 ? ldexp(fraction, -24) : ldexp(1024 + fraction, exponent - 25));
}

static double bfloat_to_double(uint16_t bits)
{
    const uint32_t wide = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &wide, sizeof value);
    return (double)value;
}

/* ---- stores ---- */

ref_store *ref_store_empty(ob_dtype dtype)
{
    ref_store *s = calloc(1, sizeof *s);
    if (s != NULL) {
        s->uses = 1;
        s->dtype = dtype;
    }
    return s;
}

void ref_judge_release(ref_judge *judge)
{
    if (judge == NULL || --judge->uses > 0)
        return;
    ref_tensor_release(&judge->of);
    ref_tensor_release(&judge->values);
    free(judge->data);
    free(judge);
}

void ref_store_release(ref_store *store)
{
    if (store == NULL || --store->uses > 0)
        return;
    ref_judge_release(store->judge);
    free(store->values);
    free(store->bounds);
    free(store->wholes);
    free(store->places);
    free(store);
}

void ref_tensor_release(ref_tensor *tensor)
{
    ref_store_release(tensor->store);
    tensor->store = NULL;
}

void ref_value_release(ref_value *value)
{
    for (size_t i = 0; i < value->count; i++)
        ref_tensor_release(&value->items[i]);
    free(value->items);
    *value = (ref_value){.items = NULL};
}

ref_tensor ref_tensor_share(const ref_tensor *tensor)
{
    if (tensor->store != NULL)
        tensor->store->uses++;
    return *tensor;
}

/* ---- elements ---- */

#define RAW(type, at) (*(const type *)(s->raw + (at) * (int64_t)sizeof(type)))

static int64_t raw_whole(const ref_store *s, int64_t at)
{
    switch (s->dtype) {
    case OB_DTYPE_I8:
        return RAW(int8_t, at);
    case OB_DTYPE_I16:
        return RAW(int16_t, at);
    case OB_DTYPE_I32:
        return RAW(int32_t, at);
    case OB_DTYPE_I64:
        return RAW(int64_t, at);
    case OB_DTYPE_BOOL:
        return RAW(uint8_t, at) != 0;
    default:
        return RAW(uint8_t, at);
    }
}

/* `at` counts reals: a complex element has two. */
static double raw_real(const ref_store *s, int64_t at)
{
    switch (s->dtype) {
    case OB_DTYPE_F16:
        return half_to_double(RAW(uint16_t, at));
    case OB_DTYPE_BF16:
        return bfloat_to_double(RAW(uint16_t, at));
    case OB_DTYPE_F32:
    case OB_DTYPE_C64:
        return (double)RAW(float, at);
    default:
        return RAW(double, at);
    }
}

#undef RAW

int64_t ref_get_whole(const ref_tensor *t, int64_t offset)
{
    const ref_store *s = t->store;
    return s->raw != NULL ? raw_whole(s, offset) : s->wholes[offset];
}

bool ref_is_doubtful(const ref_tensor *t, int64_t offset)
{
    return t->store->bounds != NULL && t->store->bounds[offset] > 0;
}

static ball get_real(const ref_store *s, int64_t at)
{
    if (s->raw != NULL)
        return ball_of(raw_real(s, at));
    return (ball){s->values[at], s->bounds != NULL ? s->bounds[at] : 0};
}

ball ref_get(const ref_tensor *t, int64_t offset)
{
    if (ref_is_whole(t->dtype))
        return (ball){(double)ref_get_whole(t, offset),
                      ref_is_doubtful(t, offset) ? t->store->bounds[offset] : 0};
    return get_real(t->store, ref_is_complex(t->dtype) ? 2 * offset : offset);
}

ball ref_get_imaginary(const ref_tensor *t, int64_t offset)
{
    return ref_is_complex(t->dtype) ? get_real(t->store, 2 * offset + 1) : ball_of(0);
}

ref_store *ref_store_copy(const ref_store *from)
{
    const int64_t reals = ref_is_complex(from->dtype) ? 2 : 1;
    const size_t room = (size_t)(from->count * reals) + 1;
    const bool whole = ref_is_whole(from->dtype);
    ref_store *to = ref_store_empty(from->dtype);
    if (to == NULL)
        return NULL;
    to->count = from->count;
    to->bounds = calloc(room, sizeof *to->bounds);
    to->values = whole ? NULL : calloc(room, sizeof *to->values);
    to->wholes = whole ? calloc(room, sizeof *to->wholes) : NULL;
    if (to->bounds == NULL || (to->values == NULL && to->wholes == NULL)) {
        ref_store_release(to);
        return NULL;
    }
    for (int64_t i = 0; i < from->count * reals; i++) {
        if (from->bounds != NULL)
            to->bounds[i] = from->bounds[i];
        if (whole)
            to->wholes[i] = from->raw != NULL ? raw_whole(from, i) : from->wholes[i];
        else
            to->values[i] = from->raw != NULL ? raw_real(from, i) : from->values[i];
    }
    return to;
}

int64_t ref_offset(const ref_tensor *t, int64_t place)
{
    int64_t offset = t->offset;
    for (int d = t->ndim - 1; d >= 0; d--) {
        offset += place % t->sizes[d] * t->strides[d];
        place /= t->sizes[d];
    }
    return offset;
}

/* ---- walking ---- */

void ref_walk_start(ref_walk *w, const int64_t *sizes, int ndim)
{
    *w = (ref_walk){.ndim = ndim};
    for (int d = 0; d < ndim; d++)
        w->sizes[d] = sizes[d];
}

void ref_walk_add_strides(ref_walk *w, const int64_t *strides, int64_t offset)
{
    for (int d = 0; d < w->ndim; d++)
        w->strides[w->operands][d] = strides[d];
    w->start[w->operands] = w->offsets[w->operands] = offset;
    w->operands++;
}

void ref_walk_add(ref_walk *w, const ref_tensor *t)
{
    int64_t strides[OB_MAX_DIMS] = {0};
    for (int d = 0; t != NULL && d < t->ndim; d++)
        strides[w->ndim - t->ndim + d] = t->sizes[d] == 1 ? 0 : t->strides[d];
    ref_walk_add_strides(w, strides, t != NULL ? t->offset : 0);
}

static void step(ref_walk *w)
{
    w->place++;
    for (int d = w->ndim - 1; d >= 0; d--) {
        for (int k = 0; k < w->operands; k++)
            w->offsets[k] += w->strides[k][d];
        if (++w->index[d] < w->sizes[d])
            return;
        for (int k = 0; k < w->operands; k++)
            w->offsets[k] -= w->index[d] * w->strides[k][d];
        w->index[d] = 0;
    }
}

void ref_walk_seek(ref_walk *w, int64_t place)
{
    if (place == w->place)
        return;
    if (place == w->place + 1) {
        step(w);
        return;
    }
    int64_t rest = w->place = place;
    for (int k = 0; k < w->operands; k++)
        w->offsets[k] = w->start[k];
    for (int d = w->ndim - 1; d >= 0; d--) {
        w->index[d] = rest % w->sizes[d];
        rest /= w->sizes[d];
        for (int k = 0; k < w->operands; k++)
            w->offsets[k] += w->index[d] * w->strides[k][d];
    }
}
