/* SPDX-License-Identifier: Apache-2.0
 *
 * What only moves elements: each of the result is one of an argument, or a constant. Exact, but for conversions.
 */
#include "reference_call.h"

#include <stdlib.h>

typedef struct mover mover;
/* Which argument and offset an element comes from; false: it is the constant. */
typedef bool (*locate_fn)(const mover *m, const int64_t *index, const ref_tensor **from,
                          int64_t *offset);

struct mover {
    const ref_call *call;
    const ref_tensor *self;
    const ref_value *list;
    locate_fn locate;
    int dim, other_dim;
    int64_t first, step, length; /* of a slice; first: of a selection, a diagonal */
    int64_t pads[2 * OB_MAX_DIMS];
    size_t pad_count;
    bool flipped[OB_MAX_DIMS];
    int64_t shifts[OB_MAX_DIMS];
    ball constant;
    int64_t whole_constant;
};

/* ---- where elements come from ---- */

/* Broadcast, with dimensions that are missing at the front. */
static bool same_place(const mover *m, const int64_t *index, const ref_tensor **from,
                       int64_t *offset)
{
    const int missing = m->call->outs[0].t.ndim - m->self->ndim;
    *from = m->self;
    *offset = m->self->offset;
    for (int d = 0; d < m->self->ndim; d++)
        if (m->self->sizes[d] > 1)
            *offset += index[missing + d] * m->self->strides[d];
    return true;
}

static bool selected(const mover *m, const int64_t *index, const ref_tensor **from, int64_t *offset)
{
    int64_t short_index[OB_MAX_DIMS];
    int count = 0;
    for (int d = 0; d <= m->self->ndim; d++)
        if (d != m->dim)
            short_index[count++] = index[d];
    *from = m->self;
    *offset = ref_offset_at(m->self, short_index);
    return index[m->dim] == m->first;
}

static bool sliced(const mover *m, const int64_t *index, const ref_tensor **from, int64_t *offset)
{
    const int64_t at = index[m->dim] - m->first;
    *from = m->self;
    if (at < 0 || at % m->step != 0 || at / m->step >= m->length)
        return false;
    /* A gradient of one element is that of the whole slice. */
    const int64_t in_grad = m->self->sizes[m->dim] == 1 ? 0 : at / m->step;
    *offset = ref_offset_at(m->self, index) + (in_grad - index[m->dim]) * m->self->strides[m->dim];
    return true;
}

static bool on_diagonal(const mover *m, const int64_t *index, const ref_tensor **from,
                        int64_t *offset)
{
    int64_t short_index[OB_MAX_DIMS];
    int count = 0;
    const int64_t row = index[m->dim], column = index[m->other_dim];
    for (int d = 0; d <= m->self->ndim; d++)
        if (d != m->dim && d != m->other_dim)
            short_index[count++] = index[d];
    short_index[count] = m->first >= 0 ? row : column;
    *from = m->self;
    if (column - row != m->first)
        return false;
    *offset = ref_offset_at(m->self, short_index);
    return true;
}

static bool repeated(const mover *m, const int64_t *index, const ref_tensor **from, int64_t *offset)
{
    const int missing = m->call->outs[0].t.ndim - m->self->ndim;
    *from = m->self;
    *offset = m->self->offset;
    for (int d = 0; d < m->self->ndim; d++)
        *offset += index[missing + d] % m->self->sizes[d] * m->self->strides[d];
    return true;
}

/* roll and flip. */
static bool turned(const mover *m, const int64_t *index, const ref_tensor **from, int64_t *offset)
{
    *from = m->self;
    *offset = m->self->offset;
    for (int d = 0; d < m->self->ndim; d++) {
        const int64_t size = m->self->sizes[d];
        const int64_t at = ((index[d] - m->shifts[d]) % size + size) % size;
        *offset += (m->flipped[d] ? size - 1 - at : at) * m->self->strides[d];
    }
    return true;
}

static bool rolled_flat(const mover *m, const int64_t *index, const ref_tensor **from,
                        int64_t *offset)
{
    int64_t place = 0;
    const int64_t count = ref_numel(m->self);
    for (int d = 0; d < m->self->ndim; d++)
        place = place * m->self->sizes[d] + index[d];
    *from = m->self;
    *offset = ref_offset(m->self, ((place - m->first) % count + count) % count);
    return true;
}

static bool in_triangle(const mover *m, const int64_t *index, const ref_tensor **from,
                        int64_t *offset)
{
    const int n = m->self->ndim;
    const int64_t above = index[n - 1] - index[n - 2] - m->first;
    *from = m->self;
    *offset = ref_offset_at(m->self, index);
    return m->step < 0 ? above <= 0 : above >= 0;
}

static bool padded(const mover *m, const int64_t *index, const ref_tensor **from, int64_t *offset)
{
    *from = m->self;
    *offset = m->self->offset;
    for (int d = 0; d < m->self->ndim; d++) {
        const size_t pair = (size_t)(m->self->ndim - 1 - d);
        const int64_t at = index[d] - (2 * pair < m->pad_count ? m->pads[2 * pair] : 0);
        if (at < 0 || at >= m->self->sizes[d])
            return false;
        *offset += at * m->self->strides[d];
    }
    return true;
}

static bool joined(const mover *m, const int64_t *index, const ref_tensor **from, int64_t *offset)
{
    int64_t at = index[m->dim];
    for (size_t i = 0; i < m->list->count; i++) {
        const ref_tensor *t = &m->list->items[i];
        if (t->ndim <= m->dim) /* an empty one of another shape */
            continue;
        if (at < t->sizes[m->dim]) {
            *from = t;
            *offset = ref_offset_at(t, index) + (at - index[m->dim]) * t->strides[m->dim];
            return true;
        }
        at -= t->sizes[m->dim];
    }
    return false;
}

static bool stacked(const mover *m, const int64_t *index, const ref_tensor **from, int64_t *offset)
{
    mover one = *m;
    one.self = &m->list->items[index[m->dim]];
    one.first = index[m->dim];
    return selected(&one, index, from, offset);
}

/* ---- the operators ---- */

static ob_status move(mover *m, ref_call *call, ob_err *err)
{
    ref_out *out = call->outs;
    ref_walk w;
    int64_t *chosen, count;
    m->call = call;
    ref_walk_start(&w, out->t.sizes, out->t.ndim);
    OB_TRY(ref_choose_elements(call, out, 30, &chosen, &count, err));
    for (int64_t i = 0; i < count; i++) {
        const ref_tensor *from = NULL;
        int64_t offset = 0;
        ref_walk_seek(&w, chosen != NULL ? chosen[i] : i);
        if (m->locate(m, w.index, &from, &offset))
            ref_put_copy(call, out, w.place, from, offset);
        else if (ref_is_whole(out->t.dtype))
            ref_put_whole(out, w.place, m->whole_constant, false);
        else
            ref_put(call, out, w.place, m->constant);
    }
    free(chosen);
    return OB_OK;
}

static int dim_of(const ref_call *call, const char *name, int64_t otherwise)
{
    return ob_kit_dim(ob_kit_arg_int(&call->kit, name, otherwise), call->outs[0].t.ndim);
}

static ob_status run_copy(ref_call *call, ob_err *err)
{
    mover m = {.self = ref_arg(call, call->data), .locate = same_place};
    return move(&m, call, err);
}

static ob_status run_select_backward(ref_call *call, ob_err *err)
{
    const int dim = dim_of(call, "dim", 0);
    const int64_t index = ob_kit_arg_int(&call->kit, "index", 0);
    mover m = {.self = ref_arg(call, "grad_output"),
               .locate = selected,
               .dim = dim,
               .first = index < 0 ? index + call->outs[0].t.sizes[dim] : index};
    return move(&m, call, err);
}

static ob_status run_slice_backward(ref_call *call, ob_err *err)
{
    const int dim = dim_of(call, "dim", 0);
    const ref_tensor *grad = ref_arg(call, "grad_output");
    const int64_t size = call->outs[0].t.sizes[dim];
    int64_t first = ob_kit_arg_int(&call->kit, "start", 0);
    first = first < 0 ? first + size : first;
    mover m = {.self = grad,
               .locate = sliced,
               .dim = dim,
               .first = first < 0 ? 0 : first,
               .step = ob_kit_arg_int(&call->kit, "step", 1),
               .length = grad->sizes[dim] == 1 ? INT64_MAX : grad->sizes[dim]};
    int64_t end = ob_kit_arg_int(&call->kit, "end", size);
    end = end < 0 ? end + size : end < size ? end : size;
    if (m.length == INT64_MAX)
        m.length = end > m.first ? (end - m.first + m.step - 1) / m.step : 0;
    return move(&m, call, err);
}

static ob_status run_diagonal_backward(ref_call *call, ob_err *err)
{
    mover m = {.self = ref_arg(call, "grad_output"),
               .locate = on_diagonal,
               .dim = dim_of(call, "dim1", 0),
               .other_dim = dim_of(call, "dim2", 1),
               .first = ob_kit_arg_int(&call->kit, "offset", 0)};
    return move(&m, call, err);
}

static ob_status run_repeat(ref_call *call, ob_err *err)
{
    mover m = {.self = ref_arg(call, "self"), .locate = repeated};
    return move(&m, call, err);
}

static ob_status run_roll(ref_call *call, ob_err *err)
{
    int64_t shifts[OB_MAX_DIMS], dims[OB_MAX_DIMS];
    mover m = {.self = ref_arg(call, "self"), .locate = turned};
    const size_t count = ob_kit_arg_ints(&call->kit, "shifts", shifts, OB_MAX_DIMS);
    if (ob_kit_arg_ints(&call->kit, "dims", dims, OB_MAX_DIMS) == 0) {
        m.locate = rolled_flat;
        m.first = count > 0 ? shifts[0] : 0;
    } else {
        for (size_t i = 0; i < count && m.self->ndim > 0; i++)
            m.shifts[ob_kit_dim(dims[i], m.self->ndim)] += shifts[i];
    }
    return move(&m, call, err);
}

static ob_status run_flip(ref_call *call, ob_err *err)
{
    int64_t dims[OB_MAX_DIMS];
    mover m = {.self = ref_arg(call, "self"), .locate = turned};
    const size_t count = ob_kit_arg_ints(&call->kit, "dims", dims, OB_MAX_DIMS);
    for (size_t i = 0; i < count && m.self->ndim > 0; i++)
        m.flipped[ob_kit_dim(dims[i], m.self->ndim)] = true;
    return move(&m, call, err);
}

/* variant: -1 keeps what is below the diagonal, 1 what is above. */
static ob_status run_triangle(ref_call *call, ob_err *err)
{
    mover m = {.self = ref_arg(call, "self"),
               .locate = in_triangle,
               .first = ob_kit_arg_int(&call->kit, "diagonal", 0),
               .step = call->variant};
    return move(&m, call, err);
}

static ob_status run_pad(ref_call *call, ob_err *err)
{
    mover m = {.self = ref_arg(call, "self"),
               .locate = padded,
               .constant = ref_arg_number(call, "value", 0),
               .whole_constant = ob_kit_arg_int(&call->kit, "value", 0)};
    m.pad_count = ob_kit_arg_ints(&call->kit, "pad", m.pads, 2 * OB_MAX_DIMS);
    return move(&m, call, err);
}

static ob_status run_join(ref_call *call, ob_err *err)
{
    mover m = {.list = ref_arg_list(call, "tensors"),
               .locate = call->variant ? stacked : joined,
               .dim = dim_of(call, "dim", 0)};
    return move(&m, call, err);
}

#define COPY(op, argument)                                                                         \
    {                                                                                              \
        .name = "aten::" #op, .run = run_copy, .data = (argument)                                  \
    }

const ref_row ref_rows_move[] = {
    COPY(clone, "self"),
    COPY(contiguous, "self"),
    COPY(to, "self"),
    COPY(_to_copy, "self"),
    COPY(copy, "src"),
    {.name = "aten::select_backward", .run = run_select_backward},
    {.name = "aten::slice_backward", .run = run_slice_backward},
    {.name = "aten::diagonal_backward", .run = run_diagonal_backward},
    {.name = "aten::repeat", .run = run_repeat},
    {.name = "aten::roll", .run = run_roll},
    {.name = "aten::flip", .run = run_flip},
    {.name = "aten::tril", .run = run_triangle, .variant = -1},
    {.name = "aten::triu", .run = run_triangle, .variant = 1},
    {.name = "aten::constant_pad_nd", .run = run_pad},
    {.name = "aten::cat", .run = run_join, .variant = 0},
    {.name = "aten::stack", .run = run_join, .variant = 1},
    {.name = NULL},
};
