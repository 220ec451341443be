/* SPDX-License-Identifier: Apache-2.0
 *
 * The loops of pooling; see pool.h.
 */
#include "pool.h"

#include <math.h>
#include <string.h>

void native_pool_window_spans(const native_window *w, int d, native_span *out)
{
    const int64_t step = w->dilation[d], reach = (w->kernel[d] - 1) * step + 1;
    for (int64_t o = 0; o < w->narrow[d]; o++) {
        const int64_t start = o * w->stride[d] - w->padding[d], end = start + reach;
        const int64_t padded_end = w->wide[d] + w->padding[d];
        out[o].lo = start >= 0 ? start : start + (-start + step - 1) / step * step;
        out[o].hi = end < w->wide[d] ? end : w->wide[d];
        out[o].full = (end < padded_end ? end : padded_end) - start;
    }
}

void native_pool_adaptive_spans(int64_t wide, int64_t narrow, native_span *out)
{
    for (int64_t o = 0; o < narrow; o++) {
        /* o * wide / narrow without its overflow */
        const int64_t lo = o / narrow * wide + (o % narrow) * (wide / narrow) +
                           (o % narrow) * (wide % narrow) / narrow;
        const int64_t next = o + 1;
        const int64_t hi = next / narrow * wide + (next % narrow) * (wide / narrow) +
                           ((next % narrow) * (wide % narrow) + narrow - 1) / narrow;
        out[o] = (native_span){.lo = lo, .hi = hi, .full = hi - lo};
    }
}

/* Output o (flat) of a plane: its three spans. */
static void find_spans(const native_pool *p, int64_t o, native_span spans[NATIVE_SPATIAL])
{
    spans[2] = p->spans[2][o % p->narrow[2]];
    spans[1] = p->spans[1][o / p->narrow[2] % p->narrow[1]];
    spans[0] = p->spans[0][o / p->narrow[2] / p->narrow[1]];
}

/* What an average over these spans is divided by; 0 when they are empty. */
static int64_t find_divisor(const native_pool *p, const native_span s[NATIVE_SPATIAL])
{
    int64_t inside = 1, full = 1;
    for (int d = 0; d < NATIVE_SPATIAL; d++) {
        inside *= s[d].hi > s[d].lo ? s[d].hi - s[d].lo : 0;
        full *= s[d].full;
    }
    if (inside == 0)
        return 0;
    return p->divisor != 0 ? p->divisor : p->include_pad ? full : inside;
}

int64_t native_pool_divisor(const native_pool *p, int64_t o)
{
    native_span spans[NATIVE_SPATIAL];
    find_spans(p, o, spans);
    return find_divisor(p, spans);
}

/* Whether the only output is the average of its whole plane. */
static bool sees_all(const native_pool *p)
{
    bool all = p->divisor == 0;
    for (int d = 0; d < NATIVE_SPATIAL; d++) {
        const native_span *s = &p->spans[d][0];
        all = all && p->step[d] == 1 && s->lo == 0 && s->hi == p->wide[d] && s->full == s->hi;
    }
    return all && native_window_product(p->wide) > 0;
}

/* The columns that are done a row at a time, none where that does not pay. Rows count places in 32 bits. */
static void find_inner(const native_pool *p, int64_t inner[2])
{
    inner[0] = inner[1] = 0;
    if (p->window != NULL && native_window_product(p->wide) <= INT32_MAX && p->narrow[2] >= 4)
        native_pool_inner_columns(p, &inner[0], &inner[1]);
}

/* Every line of outputs of a plane: the row's own columns by `row`, each other one (o, flat) by `one`. */
#define EACH_OUTPUT(p, inner, o, row, one)                                                         \
    for (int64_t line = 0; line < (p)->narrow[0] * (p)->narrow[1]; line++) {                       \
        if ((inner)[0] < (inner)[1])                                                               \
            row;                                                                                   \
        for (int64_t c = 0; c < (p)->narrow[2]; c++) {                                             \
            if (c == (inner)[0] && (inner)[0] < (inner)[1])                                        \
                c = (inner)[1];                                                                    \
            if (c == (p)->narrow[2])                                                               \
                break;                                                                             \
            const int64_t o = line * (p)->narrow[2] + c;                                           \
            one;                                                                                   \
        }                                                                                          \
    }

/* Every input position under the spans; i is its place in the plane. */
#define EACH_INPUT(p, s, i)                                                                        \
    for (int64_t d_ = s[0].lo; d_ < s[0].hi; d_ += (p)->step[0])                                   \
        for (int64_t h_ = s[1].lo; h_ < s[1].hi; h_ += (p)->step[1])                               \
            for (int64_t x_ = s[2].lo, i = (d_ * (p)->wide[1] + h_) * (p)->wide[2] + s[2].lo;      \
                 x_ < s[2].hi; x_ += (p)->step[2], i += (p)->step[2])

/* The place of the maximum, or -1 when all of the window lies in the padding. */
#define DEFINE_MAX(suffix, type)                                                                   \
    static int64_t find_max_##suffix(const native_pool *p, const type *plane, int64_t o)           \
    {                                                                                              \
        native_span s[NATIVE_SPATIAL];                                                             \
        find_spans(p, o, s);                                                                       \
        int64_t best = -1;                                                                         \
        EACH_INPUT(p, s, i)                                                                        \
        if (best < 0 || plane[i] > plane[best] || plane[i] != plane[i])                            \
            best = i;                                                                              \
        return best;                                                                               \
    }                                                                                              \
    static void max_plane_##suffix(const native_pool *p, const int64_t inner[2], const type *in,   \
                                   type *out, int64_t *indices)                                    \
    {                                                                                              \
        EACH_OUTPUT(p, inner, o, native_pool_max_row_##suffix(p, in, out, indices, line, inner), { \
            const int64_t best = find_max_##suffix(p, in, o);                                      \
            out[o] = best < 0 ? (type)-INFINITY : in[best];                                        \
            indices[o] = best < 0 ? 0 : best;                                                      \
        })                                                                                         \
    }                                                                                              \
    void native_pool_max_##suffix(const native_pool *p, const type *in, type *out,                 \
                                  int64_t *indices, int64_t begin, int64_t end)                    \
    {                                                                                              \
        const int64_t wide = native_window_product(p->wide);                                       \
        const int64_t narrow = native_window_product(p->narrow);                                   \
        int64_t inner[2];                                                                          \
        find_inner(p, inner);                                                                      \
        for (int64_t plane = begin; plane < end; plane++)                                          \
            max_plane_##suffix(p, inner, in + plane * wide, out + plane * narrow,                  \
                               indices + plane * narrow);                                          \
    }
NATIVE_POOL_TYPES(DEFINE_MAX)

#define DEFINE_AVG(suffix, type)                                                                   \
    bool native_pool_max_backward_##suffix(const native_pool *p, const type *grad,                 \
                                           const int64_t *indices, type *out, int64_t begin,       \
                                           int64_t end)                                            \
    {                                                                                              \
        const int64_t wide = native_window_product(p->wide);                                       \
        const int64_t narrow = native_window_product(p->narrow);                                   \
        for (int64_t plane = begin; plane < end; plane++) {                                        \
            memset(out + plane * wide, 0, (size_t)wide * sizeof *out);                             \
            for (int64_t o = plane * narrow; o < (plane + 1) * narrow; o++) {                      \
                if (indices[o] < 0 || indices[o] >= wide)                                          \
                    return false;                                                                  \
                out[plane * wide + indices[o]] += grad[o];                                         \
            }                                                                                      \
        }                                                                                          \
        return true;                                                                               \
    }                                                                                              \
    static type find_avg_##suffix(const native_pool *p, const type *in, int64_t o)                 \
    {                                                                                              \
        native_span s[NATIVE_SPATIAL];                                                             \
        double total = 0;                                                                          \
        find_spans(p, o, s);                                                                       \
        EACH_INPUT(p, s, i) total += (double)in[i];                                                \
        const int64_t divisor = find_divisor(p, s);                                                \
        return (type)(divisor == 0 ? 0 : total / (double)divisor);                                 \
    }                                                                                              \
    static void avg_plane_##suffix(const native_pool *p, const int64_t inner[2], const type *in,   \
                                   type *out)                                                      \
    {                                                                                              \
        EACH_OUTPUT(p, inner, o, native_pool_avg_row_##suffix(p, in, out, line, inner),            \
                    out[o] = find_avg_##suffix(p, in, o))                                          \
    }                                                                                              \
    void native_pool_avg_##suffix(const native_pool *p, const type *in, type *out, int64_t begin,  \
                                  int64_t end)                                                     \
    {                                                                                              \
        const int64_t wide = native_window_product(p->wide);                                       \
        const int64_t narrow = native_window_product(p->narrow);                                   \
        int64_t inner[2];                                                                          \
        find_inner(p, inner);                                                                      \
        for (int64_t plane = begin; plane < end; plane++)                                          \
            if (narrow == 1 && sees_all(p))                                                        \
                out[plane] = (type)(p->rows->sum(in + plane * wide, wide) / (double)wide);         \
            else                                                                                   \
                avg_plane_##suffix(p, inner, in + plane * wide, out + plane * narrow);             \
    }                                                                                              \
    void native_pool_avg_backward_##suffix(const native_pool *p, const type *grad, type *out,      \
                                           int64_t begin, int64_t end)                             \
    {                                                                                              \
        const int64_t wide = native_window_product(p->wide);                                       \
        const int64_t narrow = native_window_product(p->narrow);                                   \
        for (int64_t plane = begin; plane < end; plane++) {                                        \
            memset(out + plane * wide, 0, (size_t)wide * sizeof *out);                             \
            for (int64_t o = 0; o < narrow; o++) {                                                 \
                native_span s[NATIVE_SPATIAL];                                                     \
                find_spans(p, o, s);                                                               \
                const int64_t divisor = find_divisor(p, s);                                        \
                const type share = divisor == 0 ? 0 : grad[plane * narrow + o] / (type)divisor;    \
                EACH_INPUT(p, s, i) out[plane * wide + i] += share;                                \
            }                                                                                      \
        }                                                                                          \
    }
NATIVE_POOL_TYPES(DEFINE_AVG)
