/* SPDX-License-Identifier: Apache-2.0
 *
 * One call of the reference: its arguments, which elements are computed, and putting results.
 */
#include "reference_call.h"

#include <stdlib.h>
#include <string.h>

/* Elements of one result that are held at once, and how many are looked at in any case. */
static const int64_t MOST_HELD = INT64_C(1) << 26;
enum { LEAST_CHOSEN = 64 };

ob_status ref_no_memory(const ref_call *call, ob_err *err)
{
    return call->kit.host->err_set(err, OB_ERR_NOMEM, "out of memory for the reference of %s",
                                   call->kit.op->schema->name);
}

ob_status ref_unsupported(const ref_call *call, const char *what, ob_err *err)
{
    return call->kit.host->err_set(err, OB_ERR_UNSUPPORTED, "there is no reference for %s %s",
                                   call->kit.op->schema->name, what);
}

/* ---- arguments ---- */

const ref_value *ref_arg_list(const ref_call *call, const char *name)
{
    const int index = call->kit.host->schema_find_arg(call->kit.op->schema, name);
    return index < 0 ? NULL : &call->args[index];
}

const ref_tensor *ref_arg(const ref_call *call, const char *name)
{
    const ref_value *value = ref_arg_list(call, name);
    return value != NULL && !value->is_list && value->count == 1 && value->items[0].store != NULL
               ? &value->items[0]
               : NULL;
}

ball ref_number(const ref_call *call, double value)
{
    const double e =
        ref_round(call->computed, value) == value ? 0 : ref_unit(call->computed) * fabs(value);
    return (ball){value, e};
}

ball ref_arg_number(const ref_call *call, const char *name, double otherwise)
{
    return ref_number(call, ob_kit_arg_double(&call->kit, name, otherwise));
}

/* ---- outputs ---- */

static int64_t span_of(const ref_tensor *t)
{
    int64_t last = t->offset;
    for (int d = 0; d < t->ndim; d++) {
        if (t->sizes[d] == 0)
            return 0;
        last += (t->sizes[d] - 1) * t->strides[d];
    }
    return last + 1;
}

static bool allocate(ref_store *s, int64_t count, bool sampled)
{
    const size_t reals = ref_is_complex(s->dtype) ? 2 : 1;
    const size_t room = (size_t)count + 1;
    if (ref_is_whole(s->dtype))
        s->wholes = calloc(room, sizeof *s->wholes);
    else
        s->values = calloc(room * reals, sizeof *s->values);
    s->bounds = calloc(room * reals, sizeof *s->bounds);
    if (sampled)
        s->places = calloc(room, sizeof *s->places);
    s->count = count;
    return (s->wholes != NULL || s->values != NULL) && s->bounds != NULL &&
           (!sampled || s->places != NULL);
}

ob_status ref_out_make(ref_call *call, ref_out *out, int64_t capacity, bool sampled, ob_err *err)
{
    ref_store *s = ref_store_empty(out->t.dtype);
    if (s == NULL)
        return ref_no_memory(call, err);
    ref_store_release(out->t.store);
    out->t.store = s;
    out->used = 0;
    out->contiguous = ob_shape_is_contiguous(out->t.sizes, out->t.strides, out->t.ndim);
    return allocate(s, sampled ? capacity : span_of(&out->t), sampled) ? OB_OK
                                                                       : ref_no_memory(call, err);
}

void ref_out_unknown(ref_out *out, const char *why)
{
    if (out->t.store != NULL)
        out->t.store->why_unknown = why;
}

ob_status ref_out_judge(ref_call *call, ref_out *out, const ref_judge *judge, const void *data,
                        size_t size, ob_err *err)
{
    ref_judge *own = malloc(sizeof *own);
    void *copy = malloc(size + 1);
    if (own == NULL || copy == NULL) {
        free(own);
        free(copy);
        return ref_no_memory(call, err);
    }
    *own = *judge;
    own->uses = 1;
    if (size > 0)
        memcpy(copy, data, size);
    own->data = copy;
    own->of = ref_tensor_share(&judge->of);
    own->values = ref_tensor_share(&judge->values);
    out->t.store->judge = own;
    return OB_OK;
}

/* ---- which elements ---- */

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static int64_t random_below(uint64_t *state, int64_t bound)
{
    return (int64_t)(next_random(state) % (uint64_t)bound);
}

/* A place whose index in dimension `pinned` is the last. */
static int64_t random_place(uint64_t *state, const ref_tensor *t, int pinned)
{
    int64_t place = 0;
    for (int d = 0; d < t->ndim; d++)
        place = place * t->sizes[d] +
                (d == pinned ? t->sizes[d] - 1 : random_below(state, t->sizes[d]));
    return place;
}

static int compare_places(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int64_t sort_and_join(int64_t *places, int64_t count)
{
    int64_t kept = 0;
    qsort(places, (size_t)count, sizeof *places, compare_places);
    for (int64_t i = 0; i < count; i++)
        if (i == 0 || places[i] != places[kept - 1])
            places[kept++] = places[i];
    return kept;
}

/* shape: what single elements are chosen from; NULL = the parts have no shape. */
static ob_status choose(ref_call *call, const ref_tensor *shape, int64_t count, int64_t wanted,
                        int64_t **chosen, int64_t *chosen_count, ob_err *err)
{
    uint64_t state = call->seed;
    const int64_t room = wanted < count ? wanted : count;
    *chosen = malloc((size_t)room * sizeof **chosen);
    if (*chosen == NULL)
        return ref_no_memory(call, err);
    for (int64_t i = 0; i < room; i++) {
        const bool edge = shape != NULL && shape->ndim > 0 && i % 4 == 2;
        (*chosen)[i] = i == 0   ? 0
                       : i == 1 ? count - 1
                       : edge   ? random_place(&state, shape, (int)(i / 4 % shape->ndim))
                                : random_below(&state, count);
    }
    *chosen_count = sort_and_join(*chosen, room);
    return OB_OK;
}

typedef struct parts {
    const ref_tensor *shape;
    int64_t count, elements;
    double cost; /* of one */
} parts;

static ob_status choose_parts(ref_call *call, ref_out *out, const parts *p, int64_t **chosen,
                              int64_t *chosen_count, ob_err *err)
{
    const double total = (double)p->count * p->cost;
    const bool too_many = (double)p->count * (double)p->elements > (double)MOST_HELD;
    const bool sampled = call->may_sample && p->count > 1 && (total > call->steps || too_many);
    *chosen = NULL;
    *chosen_count = p->count;
    if (!sampled)
        *call->cost += total;
    if (call->dry)
        return OB_END;
    if (too_many && !sampled)
        return call->kit.host->err_set(err, OB_ERR_LIMIT,
                                       "the reference would need too much memory for %s",
                                       call->kit.op->schema->name);
    if (!sampled)
        return ref_out_make(call, out, 0, false, err);
    const double affordable =
        fmin(call->steps / p->cost, (double)MOST_HELD / 4 / (double)p->elements);
    const int64_t wanted = affordable < LEAST_CHOSEN ? LEAST_CHOSEN : (int64_t)affordable;
    OB_TRY(choose(call, p->shape, p->count, wanted, chosen, chosen_count, err));
    const ob_status status = ref_out_make(call, out, *chosen_count * p->elements, true, err);
    if (status != OB_OK) {
        free(*chosen);
        *chosen = NULL;
    }
    return status;
}

ob_status ref_choose(ref_call *call, ref_out *out, int64_t count, int64_t elements, double cost,
                     int64_t **chosen, int64_t *chosen_count, ob_err *err)
{
    const parts p = {.count = count, .elements = elements, .cost = cost};
    return choose_parts(call, out, &p, chosen, chosen_count, err);
}

ob_status ref_choose_elements(ref_call *call, ref_out *out, double cost, int64_t **chosen,
                              int64_t *chosen_count, ob_err *err)
{
    const parts p = {.shape = &out->t, .count = ref_numel(&out->t), .elements = 1, .cost = cost};
    return choose_parts(call, out, &p, chosen, chosen_count, err);
}

/* ---- putting ---- */

/* Where an element goes: its place in memory, or the next free one. */
static int64_t slot_of(ref_out *out, int64_t place)
{
    ref_store *s = out->t.store;
    if (s->places == NULL)
        return out->contiguous ? out->t.offset + place : ref_offset(&out->t, place);
    s->places[out->used] = place;
    s->place_count = out->used + 1;
    return out->used++;
}

/* What a kernel makes of x in the dtype. */
static ball round_to(const ref_call *call, ob_dtype dtype, ball x)
{
    if (isnan(x.e))
        x.e = INFINITY;
    if (isnan(x.v))
        return (ball){NAN, isfinite(x.e) ? 0 : INFINITY};
    if (isinf(x.v))
        return (ball){x.v, isfinite(x.e) ? 0 : INFINITY};
    if (x.e == 0 && ref_round(dtype, x.v) == x.v)
        return x;
    const double unit = ref_unit(dtype), most = ref_largest(dtype);
    if (x.e == 0 || unit > call->rules.u + call->rules.half)
        x.e += unit * (fabs(x.v) + x.e);
    x.e += ref_least(dtype);
    if (fabs(x.v) - x.e > most * (1 + unit))
        return ball_of(copysign(INFINITY, x.v));
    if (fabs(x.v) + x.e > most)
        x.e = INFINITY;
    return x;
}

static int64_t wrap(ob_dtype dtype, int64_t x)
{
    switch (dtype) {
    case OB_DTYPE_BOOL:
        return x != 0;
    case OB_DTYPE_U8:
        return (uint8_t)x;
    case OB_DTYPE_I8:
        return (int8_t)(uint8_t)x;
    case OB_DTYPE_I16:
        return (int16_t)(uint16_t)x;
    case OB_DTYPE_I32:
        return (int32_t)(uint32_t)x;
    default:
        return x;
    }
}

void ref_put_whole(ref_out *out, int64_t place, int64_t x, bool doubtful)
{
    const int64_t at = slot_of(out, place);
    out->t.store->wholes[at] = wrap(out->t.dtype, x);
    out->t.store->bounds[at] = doubtful ? INFINITY : 0;
}

/* Beyond the range of its dtype no conversion says what comes out. */
static void put_as_whole(ref_out *out, int64_t place, ball x)
{
    const bool truth = out->t.dtype == OB_DTYPE_BOOL;
    const bool near = fabs(x.v) + x.e < 0x1p63 && !isnan(x.v);
    const int64_t whole = truth ? isnan(x.v) || x.v != 0 : near ? (int64_t)trunc(x.v) : 0;
    const bool known = near && wrap(out->t.dtype, whole) == whole;
    const int64_t at = slot_of(out, place);
    out->t.store->wholes[at] = wrap(out->t.dtype, whole);
    out->t.store->bounds[at] = truth ? x.e : known ? ball_step(x, trunc).e : INFINITY;
}

void ref_put(const ref_call *call, ref_out *out, int64_t place, ball x)
{
    if (ref_is_whole(out->t.dtype)) {
        put_as_whole(out, place, x);
        return;
    }
    if (ref_is_complex(out->t.dtype)) {
        ref_put_complex(call, out, place, x, ball_of(0));
        return;
    }
    const int64_t at = slot_of(out, place);
    const ball rounded = round_to(call, out->t.dtype, x);
    out->t.store->values[at] = rounded.v;
    out->t.store->bounds[at] = rounded.e;
}

void ref_put_complex(const ref_call *call, ref_out *out, int64_t place, ball real, ball imaginary)
{
    const int64_t at = slot_of(out, place);
    const ball both[] = {round_to(call, out->t.dtype, real),
                         round_to(call, out->t.dtype, imaginary)};
    for (int i = 0; i < 2; i++) {
        out->t.store->values[2 * at + i] = both[i].v;
        out->t.store->bounds[2 * at + i] = both[i].e;
    }
}

void ref_put_copy(const ref_call *call, ref_out *out, int64_t place, const ref_tensor *from,
                  int64_t offset)
{
    if (ref_is_whole(out->t.dtype) && ref_is_whole(from->dtype))
        ref_put_whole(out, place, ref_get_whole(from, offset), ref_is_doubtful(from, offset));
    else if (ref_is_complex(out->t.dtype))
        ref_put_complex(call, out, place, ref_get(from, offset), ref_get_imaginary(from, offset));
    else
        ref_put(call, out, place, ref_get(from, offset));
}
