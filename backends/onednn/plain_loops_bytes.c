/* SPDX-License-Identifier: Apache-2.0
 *
 * The end of arithmetic on bytes: the library's sums are wide, or real numbers without a fraction, and their last
 * eight bits are the result. Its own way to bytes would stop at the limits.
 */
#include "plain_loops.h"

/* What a row is made of; steps are in elements. */
typedef struct row {
    uint8_t *out;
    const void *in;
    const uint8_t *add; /* NULL: nothing is added */
    int64_t step, in_step, add_step, count;
    uint32_t scale, add_scale;
} row;

/* out = scale * in + add_scale * add, modulo 256. The usual steps have loops of their own, which the compiler
 * makes vectors of. */
#define DEFINE_WRAP(name, type)                                                                    \
    static void name(const row *r)                                                                 \
    {                                                                                              \
        const type *in = r->in;                                                                    \
        uint8_t *out = r->out;                                                                     \
        const uint8_t *add = r->add;                                                               \
        const uint32_t scale = r->scale, add_scale = r->add_scale;                                 \
        const bool dense = r->step == 1 && r->in_step == 1;                                        \
        if (dense && add == NULL && scale == 1)                                                    \
            for (int64_t i = 0; i < r->count; i++)                                                 \
                out[i] = (uint8_t)(int32_t)in[i];                                                  \
        else if (dense && add == NULL)                                                             \
            for (int64_t i = 0; i < r->count; i++)                                                 \
                out[i] = (uint8_t)(scale * (uint32_t)(int32_t)in[i]);                              \
        else if (dense && r->add_step == 1)                                                        \
            for (int64_t i = 0; i < r->count; i++)                                                 \
                out[i] = (uint8_t)(scale * (uint32_t)(int32_t)in[i] + add_scale * add[i]);         \
        else                                                                                       \
            for (int64_t i = 0; i < r->count; i++)                                                 \
                out[i * r->step] =                                                                 \
                    (uint8_t)(scale * (uint32_t)(int32_t)in[i * r->in_step] +                      \
                              (add != NULL ? add_scale * add[i * r->add_step] : 0));               \
    }
DEFINE_WRAP(wrap_i32, int32_t)
DEFINE_WRAP(wrap_f32, float)
#undef DEFINE_WRAP

void dnn_plain_wrap(const dnn_plain_loop *loop)
{
    const dnn_view *to = &loop->views[0], *from = &loop->views[1], *add = &loop->views[2];
    const bool adds = loop->count > 2;
    const dnn_view *const views[] = {to, from, add};
    const int last = to->ndim - 1, count = adds ? 3 : 2;
    int64_t index[OB_MAX_DIMS] = {0}, at[3] = {0, 0, 0};
    row r = {.step = last >= 0 ? to->strides[last] : 1,
             .in_step = last >= 0 ? from->strides[last] : 1,
             .add_step = last >= 0 && adds ? add->strides[last] : 1,
             .count = last >= 0 ? to->sizes[last] : 1,
             .scale = (uint32_t)(int32_t)loop->numbers[0],
             .add_scale = (uint32_t)(int32_t)loop->numbers[1]};
    do {
        r.out = (uint8_t *)loop->data[0] + at[0];
        r.in = loop->data[1] + at[1] * 4; /* int32 or float32 */
        r.add = adds ? (const uint8_t *)loop->data[2] + at[2] : NULL;
        (from->dtype == OB_DTYPE_F32 ? wrap_f32 : wrap_i32)(&r);
    } while (dnn_plain_advance(views, count, last, index, at));
}

void dnn_plain_total(const dnn_plain_loop *loop)
{
    const dnn_view *to = &loop->views[0], *from = &loop->views[1];
    const dnn_view *const views[] = {to};
    const int32_t *parts = (const int32_t *)(const void *)loop->data[1];
    const int64_t count = from->sizes[0], length = dnn_view_numel(to);
    int64_t index[OB_MAX_DIMS] = {0}, at = 0;
    for (int64_t i = 0; i < length; i++) {
        int64_t total = 0;
        for (int64_t part = 0; part < count; part++)
            total += parts[part * length + i];
        switch (to->dtype) {
        case OB_DTYPE_I64:
            ((int64_t *)(void *)loop->data[0])[at] = total;
            break;
        case OB_DTYPE_I32:
            ((int32_t *)(void *)loop->data[0])[at] = (int32_t)total;
            break;
        default:
            ((uint8_t *)loop->data[0])[at] = (uint8_t)total;
            break;
        }
        dnn_plain_advance(views, 1, to->ndim, index, &at);
    }
}
