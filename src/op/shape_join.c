/* SPDX-License-Identifier: Apache-2.0
 *
 * Shapes of joining (cat, stack) and of splitting into views (split, chunk, unbind).
 */
#include "op/promote.h"
#include "op/shape_layout.h"
#include "op/shape_rules.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* cat ignores [0]: an old way to write "nothing yet". */
static bool is_nothing(const ob_tensor *t)
{
    return t->ndim == 1 && t->sizes[0] == 0;
}

static ob_status read_list(const ob_op_call *call, const ob_value **items, size_t *count,
                           ob__promotion *promotion, ob_err *err)
{
    OB_TRY(ob__arg_tensors(call, "tensors", items, count, err));
    if (*count == 0)
        return ob__shape_fail(call, err, "tensors is empty; give at least one tensor");
    *promotion = ob__promotion_start();
    for (size_t i = 0; i < *count; i++)
        ob__promotion_add_tensor(promotion, (*items)[i].as.tensor);
    return OB_OK;
}

static ob_status add_part(const ob_op_call *call, const ob_tensor *part, size_t index, int dim,
                          ob__shape *shape, ob_err *err)
{
    char a[OB__SHAPE_TEXT], b[OB__SHAPE_TEXT];
    bool fits = part->ndim == shape->ndim;
    for (int d = 0; fits && d < shape->ndim; d++)
        fits = d == dim || part->sizes[d] == shape->sizes[d];
    if (!fits)
        return ob__shape_fail(call, err,
                              "tensor %zu is %s where the ones before it make %s; all sizes but "
                              "that of dimension %d must be equal",
                              index, ob__tensor_text(part, a),
                              ob__sizes_text(shape->sizes, shape->ndim, b), dim);
    if (__builtin_add_overflow(shape->sizes[dim], part->sizes[dim], &shape->sizes[dim]))
        return ob_err_set(err, OB_ERR_OVERFLOW, "cat: dimension %d does not fit into 64 bits", dim);
    return OB_OK;
}

ob_status ob__shape_cat(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_value *items;
    size_t count;
    ob__promotion promotion;
    ob__shape shape = {.ndim = 0};
    bool started = false, channels_last = true;
    int dim = 0;
    OB_TRY(read_list(call, &items, &count, &promotion, err));
    for (size_t i = 0; i < count; i++) {
        const ob_tensor *part = items[i].as.tensor;
        if (part->ndim == 0)
            return ob__shape_fail(call, err,
                                  "tensor %zu has no dimensions; use stack, or unsqueeze it", i);
        channels_last = channels_last && ob__is_channels_last(part);
        if (is_nothing(part))
            continue;
        if (started) {
            OB_TRY(add_part(call, part, i, dim, &shape, err));
            continue;
        }
        OB_TRY(ob__arg_dim(call, "dim", 0, part->ndim, &dim, err));
        shape = ob__shape_dense(part);
        started = true;
    }
    if (!started)
        shape = ob__shape_dense(items[0].as.tensor);
    shape.dtype = ob__promotion_result(&promotion);
    if (started && channels_last)
        ob__set_channels_last(&shape);
    return ob__give(call, out, &shape, err);
}

ob_status ob__shape_stack(const ob_op_call *call, ob_value *out, ob_err *err)
{
    const ob_value *items;
    size_t count;
    ob__promotion promotion;
    int dim;
    char a[OB__SHAPE_TEXT], b[OB__SHAPE_TEXT];
    OB_TRY(read_list(call, &items, &count, &promotion, err));
    const ob_tensor *first = items[0].as.tensor;
    if (first->ndim == OB_MAX_DIMS)
        return ob__shape_fail(call, err, "the tensors have %d dimensions, one too many",
                              OB_MAX_DIMS);
    OB_TRY(ob__arg_dim(call, "dim", 0, first->ndim + 1, &dim, err));
    for (size_t i = 1; i < count; i++) {
        const ob_tensor *t = items[i].as.tensor;
        if (t->ndim != first->ndim ||
            memcmp(t->sizes, first->sizes, (size_t)t->ndim * sizeof t->sizes[0]) != 0)
            return ob__shape_fail(call, err,
                                  "tensor %zu is %s and tensor 0 is %s; both must be equal", i,
                                  ob__tensor_text(t, a), ob__tensor_text(first, b));
    }
    ob__shape shape = {.dtype = ob__promotion_result(&promotion), .ndim = first->ndim + 1};
    for (int d = 0; d < shape.ndim; d++)
        shape.sizes[d] = d == dim ? (int64_t)count : first->sizes[d < dim ? d : d - 1];
    return ob__give(call, out, &shape, err);
}

/* A limit on the length of a list output: a meta of each part is kept. */
enum { MAX_PARTS = 1 << 20 };

typedef struct splitter {
    const ob_tensor *self;
    int dim;
} splitter;

static ob_status read_splitter(const ob_op_call *call, splitter *s, ob_err *err)
{
    OB_TRY(ob__arg_tensor(call, "self", &s->self, err));
    if (s->self->ndim == 0)
        return ob__shape_fail(call, err, "self has no dimensions; it cannot be split");
    return ob__arg_dim(call, "dim", 0, s->self->ndim, &s->dim, err);
}

static ob_status too_many(const ob_op_call *call, int64_t parts, ob_err *err)
{
    return ob_err_set(err, OB_ERR_LIMIT, "%s: %" PRId64 " parts; at most %d are supported",
                      ob__op_label(call), parts, MAX_PARTS);
}

static ob__shape part_of(const splitter *s, int64_t start, int64_t size)
{
    ob__shape shape = ob__shape_of(s->self);
    shape.sizes[s->dim] = size;
    shape.offset += start * shape.strides[s->dim];
    return shape;
}

static ob_status give_equal_parts(const ob_op_call *call, const splitter *s, int64_t step,
                                  ob_value *out, ob_err *err)
{
    const int64_t size = s->self->sizes[s->dim];
    const int64_t count = size == 0 ? 1 : (size - 1) / step + 1;
    if (count > MAX_PARTS)
        return too_many(call, count, err);
    ob__shape *shapes = calloc((size_t)count, sizeof *shapes);
    if (shapes == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    for (int64_t i = 0; i < count; i++) {
        const int64_t start = i * step;
        shapes[i] = part_of(s, start, size - start < step ? size - start : step);
    }
    const ob_status status = ob__give_list(call, out, shapes, (size_t)count, err);
    free(shapes);
    return status;
}

ob_status ob__shape_split(const ob_op_call *call, ob_value *out, ob_err *err)
{
    splitter s;
    const int64_t step = ob__arg_int(call, "split_size", 0);
    OB_TRY(read_splitter(call, &s, err));
    const int64_t size = s.self->sizes[s.dim];
    if (step < 0 || (step == 0 && size != 0))
        return ob__shape_fail(call, err, "split_size is %" PRId64 "; it must be positive", step);
    return give_equal_parts(call, &s, step > 0 ? step : 1, out, err);
}

ob_status ob__shape_chunk(const ob_op_call *call, ob_value *out, ob_err *err)
{
    splitter s;
    const int64_t chunks = ob__arg_int(call, "chunks", 0);
    OB_TRY(read_splitter(call, &s, err));
    if (chunks < 1)
        return ob__shape_fail(call, err, "chunks is %" PRId64 "; it must be positive", chunks);
    const int64_t size = s.self->sizes[s.dim];
    const int64_t step = size / chunks + (size % chunks != 0);
    if (step > 0)
        return give_equal_parts(call, &s, step, out, err);
    /* An empty dimension gives as many empty parts as were asked for. */
    if (chunks > MAX_PARTS)
        return too_many(call, chunks, err);
    ob__shape *shapes = calloc((size_t)chunks, sizeof *shapes);
    if (shapes == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    for (int64_t i = 0; i < chunks; i++)
        shapes[i] = part_of(&s, 0, 0);
    const ob_status status = ob__give_list(call, out, shapes, (size_t)chunks, err);
    free(shapes);
    return status;
}

static ob_status fill_parts(const ob_op_call *call, const splitter *s, const ob_value *sizes,
                            ob__shape *shapes, ob_err *err)
{
    const int64_t whole = s->self->sizes[s->dim];
    int64_t start = 0;
    for (size_t i = 0; i < sizes->as.list.count; i++) {
        const ob_value *v = &sizes->as.list.items[i];
        if (v->kind != OB_VALUE_INT || v->as.integer < 0 || v->as.integer > whole - start)
            return ob__shape_fail(call, err,
                                  "part %zu does not fit: the sizes must add up to %" PRId64
                                  ", the size of dimension %d",
                                  i, whole, s->dim);
        shapes[i] = part_of(s, start, v->as.integer);
        start += v->as.integer;
    }
    if (start != whole)
        return ob__shape_fail(call, err,
                              "the sizes add up to %" PRId64 " and dimension %d is %" PRId64
                              "; both must be equal",
                              start, s->dim, whole);
    return OB_OK;
}

ob_status ob__shape_split_sizes(const ob_op_call *call, ob_value *out, ob_err *err)
{
    splitter s;
    const ob_value *sizes = ob__arg(call, "split_sizes");
    if (sizes == NULL)
        sizes = ob__arg(call, "split_size");
    OB_TRY(read_splitter(call, &s, err));
    if (sizes == NULL || sizes->kind != OB_VALUE_LIST)
        return ob__shape_fail(call, err, "split_sizes must be a list of integers");
    const size_t count = sizes->as.list.count;
    if (count > MAX_PARTS)
        return too_many(call, (int64_t)count, err);
    ob__shape *shapes = calloc(count > 0 ? count : 1, sizeof *shapes);
    if (shapes == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    ob_status status = fill_parts(call, &s, sizes, shapes, err);
    if (status == OB_OK)
        status = ob__give_list(call, out, shapes, count, err);
    free(shapes);
    return status;
}

ob_status ob__shape_unbind(const ob_op_call *call, ob_value *out, ob_err *err)
{
    splitter s;
    OB_TRY(read_splitter(call, &s, err));
    const int64_t count = s.self->sizes[s.dim];
    if (count > MAX_PARTS)
        return too_many(call, count, err);
    ob__shape *shapes = calloc(count > 0 ? (size_t)count : 1, sizeof *shapes);
    if (shapes == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    for (int64_t i = 0; i < count; i++) {
        shapes[i] = part_of(&s, i, 1);
        shapes[i].ndim--;
        for (int d = s.dim; d < shapes[i].ndim; d++) {
            shapes[i].sizes[d] = shapes[i].sizes[d + 1];
            shapes[i].strides[d] = shapes[i].strides[d + 1];
        }
    }
    const ob_status status = ob__give_list(call, out, shapes, (size_t)count, err);
    free(shapes);
    return status;
}
