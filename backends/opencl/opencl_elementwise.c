/* SPDX-License-Identifier: Apache-2.0
 *
 * The elementwise engine: operands of any strides are brought to the fewest dimensions that describe them, and
 * the program is built for their dtypes, for the number of those dimensions and for innermost strides
 * of 0 and 1, which are most.
 */
#include "work.h"

#include "kit/elementwise_calls.h"

#include <stdio.h>
#include <string.h>

enum { OPERANDS = 5, MAX_OUTER = OB_MAX_DIMS - 1 }; /* out, x, y, z, mask */

/* As elementwise.cl has it. */
typedef struct layout {
    cl_long columns;
    cl_long offset[OPERANDS];
    cl_long inner[OPERANDS];
    cl_long size[MAX_OUTER];
    cl_long outer[OPERANDS][MAX_OUTER];
} layout;

typedef struct operands {
    const ob_tensor *tensors[OPERANDS]; /* NULL: not there, or a number */
    int ndim;
    int64_t sizes[OB_MAX_DIMS];
    int64_t strides[OPERANDS][OB_MAX_DIMS];
    int64_t count, rows;
    int64_t span; /* the highest index that any operand reaches */
} operands;

/* Strides of each operand in the dimensions of the result; 0 where it is broadcast. */
static void align(operands *o)
{
    const ob_tensor *out = o->tensors[0];
    o->ndim = out->ndim;
    o->count = ob_kit_numel(out);
    memcpy(o->sizes, out->sizes, sizeof o->sizes);
    for (int k = 0; k < OPERANDS; k++) {
        if (o->tensors[k] != NULL)
            ob_kit_broadcast_strides(o->tensors[k], out->ndim, o->strides[k]);
        int64_t last = o->tensors[k] != NULL ? o->tensors[k]->offset : 0;
        for (int d = 0; d < o->ndim; d++)
            last += o->strides[k][d] * (o->sizes[d] > 0 ? o->sizes[d] - 1 : 0);
        o->span = last > o->span ? last : o->span;
    }
}

/* Dimensions of size 1 go; the others in the order in which the result lies in memory, and neighbours that every operand
 * walks as one become one. */
static void merge_dims(operands *o)
{
    ob_kit_dims dims = {.ndim = o->ndim, .operand_count = OPERANDS, .sizes = o->sizes};
    for (int k = 0; k < OPERANDS; k++)
        dims.strides[k] = o->strides[k];
    ob_kit_dims_drop_ones(&dims);
    for (int d = 1; d < dims.ndim; d++) {
        for (int e = d; e > 0 && o->strides[0][e - 1] < o->strides[0][e]; e--)
            ob_kit_dims_swap(&dims, e - 1, e);
    }
    ob_kit_dims_merge(&dims);
    o->ndim = dims.ndim;
}

static void fill_layout(operands *o, layout *l)
{
    const int outer = o->ndim > 0 ? o->ndim - 1 : 0;
    *l = (layout){.columns = o->ndim > 0 ? o->sizes[outer] : 1};
    o->rows = 1;
    for (int d = 0; d < outer; d++) {
        l->size[d] = o->sizes[d];
        o->rows *= o->sizes[d];
    }
    for (int k = 0; k < OPERANDS; k++) {
        l->offset[k] = o->tensors[k] != NULL ? o->tensors[k]->offset : 0;
        l->inner[k] = o->ndim > 0 ? o->strides[k][outer] : 0;
        for (int d = 0; d < outer; d++)
            l->outer[k][d] = o->strides[k][d];
    }
}

/* ---- the program's options ---- */

typedef struct text {
    char chars[512];
    size_t used;
} text;

static void append(text *t, const char *format, ...) OB_PRINTF(2, 3);

static void append(text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(t->chars + t->used, sizeof t->chars - t->used, format, args);
    va_end(args);
    if (n > 0 && (size_t)n < sizeof t->chars - t->used)
        t->used += (size_t)n;
}

static void write_options(const ocl_maker *m, const ocl_elementwise *work, const operands *o,
                          const layout *l, text *options)
{
    static const char letters[OPERANDS] = {'O', 'X', 'Y', 'Z', 'M'};
    append(options, "-DC=%s -DI=%s -DOUTER=%d", ocl_compute_type(work->compute),
           o->span > INT32_MAX || o->count > INT32_MAX ? "long" : "int",
           o->ndim > 0 ? o->ndim - 1 : 0);
    if (ocl_is_whole(work->compute))
        append(options, " -DWHOLE");
    if (work->divisor != NULL)
        append(options, " -DCHECKED");
    for (int k = 0; k < OPERANDS; k++) {
        if (o->tensors[k] == NULL)
            continue;
        append(options, " -DT%c=%s", letters[k], ocl_dtype_name(m, o->tensors[k]->dtype));
        if (l->inner[k] == 0 || l->inner[k] == 1)
            append(options, " -DS%c=%d", letters[k], (int)l->inner[k]);
    }
}

/* ---- numbers, in the compute type ---- */

static void put_numbers(ocl_builder *builder, const ocl_elementwise *work)
{
    union {
        cl_double f64[7];
        cl_float f32[7];
        cl_long i64[7];
        cl_int i32[7];
    } numbers = {.f64 = {0}};
    const ob_value none = {.kind = OB_VALUE_INT};
    size_t size = sizeof(cl_float);
    for (int i = 0; i < 7; i++) {
        const ob_value *value = i < 3 ? work->inputs[i] : work->scalars[i - 3];
        if (value == NULL || value->kind == OB_VALUE_TENSOR)
            value = &none;
        const double real = ob_kit_value_real(value);
        const int64_t whole = ob_kit_value_integer(value);
        if (work->compute == OB_DTYPE_F64)
            numbers.f64[i] = real;
        else if (work->compute == OB_DTYPE_I64)
            numbers.i64[i] = whole;
        else if (ocl_is_whole(work->compute))
            numbers.i32[i] = (cl_int)whole;
        else
            numbers.f32[i] = (cl_float)real;
    }
    if (work->compute == OB_DTYPE_F64 || work->compute == OB_DTYPE_I64)
        size = sizeof(cl_double);
    ocl_put(builder, &numbers, 7 * size);
}

/* Work-groups as wide as the columns, and as high as is left. */
static ocl_range range_of(const ocl_maker *m, int64_t columns, int64_t rows)
{
    const size_t most = m->env->device.max_group;
    ocl_range range = {.dims = 2, .global = {(size_t)columns, (size_t)rows}, .local = {1, 1}};
    const size_t wanted = most < 256 ? most : 256;
    while (range.local[0] * 2 <= wanted && (int64_t)range.local[0] < columns)
        range.local[0] *= 2;
    while (range.local[0] * range.local[1] * 2 <= wanted &&
           rows % (int64_t)(range.local[1] * 2) == 0)
        range.local[1] *= 2; /* rows are not checked in the kernel: only what divides them */
    return range;
}

ob_status ocl_elementwise_add(ocl_maker *m, const ocl_elementwise *work, ob_err *err)
{
    operands o = {.tensors = {work->out}};
    for (int k = 0; k < 3; k++) {
        const ob_value *value = work->inputs[k];
        o.tensors[k + 1] =
            value != NULL && value->kind == OB_VALUE_TENSOR ? value->as.tensor : NULL;
    }
    o.tensors[4] = work->mask;
    align(&o);
    if (o.count == 0)
        return OB_OK;
    merge_dims(&o);
    layout l;
    text options = {.used = 0};
    ocl_builder builder;
    fill_layout(&o, &l);
    write_options(m, work, &o, &l, &options);
    const ocl_spec spec = {"elementwise", options.chars, work->expression, "apply"};
    OB_TRY(ocl_begin(m, &spec, &builder, err));
    for (int k = 0; k < OPERANDS; k++) {
        if (o.tensors[k] != NULL)
            ocl_put_tensor(&builder, o.tensors[k]);
    }
    ocl_put(&builder, &l, sizeof l);
    put_numbers(&builder, work);
    if (work->divisor != NULL)
        ocl_put_fault(&builder, work->divisor);
    const ocl_range range = range_of(m, l.columns, o.rows);
    return ocl_end(&builder, &range, err);
}

/* ---- copies ---- */

/* A conversion computes in what it comes from, or goes to where that has more digits. */
static ob_dtype conversion_type(ob_dtype to, ob_dtype from)
{
    if (ocl_is_whole(from))
        return ocl_is_whole(to) ? OB_DTYPE_I64 : to == OB_DTYPE_F64 ? to : from;
    return from;
}

ob_status ocl_copy_add(ocl_maker *m, const ob_tensor *out, const ob_tensor *from, ob_err *err)
{
    const ob_value value = {.kind = OB_VALUE_TENSOR, .as = {.tensor = (ob_tensor *)from}};
    const ocl_elementwise work = {.expression = "x",
                                  .out = out,
                                  .inputs = {&value},
                                  .compute = conversion_type(out->dtype, from->dtype)};
    return ocl_elementwise_add(m, &work, err);
}

ob_status ocl_fill_add(ocl_maker *m, const ob_tensor *out, const ob_value *value, ob_err *err)
{
    const ocl_elementwise work = {
        .expression = "x", .out = out, .inputs = {value}, .compute = out->dtype};
    return ocl_elementwise_add(m, &work, err);
}

/* ---- dense operands ---- */

ob_status ocl_dense_read(ocl_maker *m, const ob_tensor *from, ob_dtype dtype, ob_tensor *out,
                         ob_err *err)
{
    *out = *from;
    if (from->dtype == dtype && ob_kit_is_contiguous(from))
        return OB_OK;
    OB_TRY(ocl_temporary_tensor(m, dtype, from->sizes, from->ndim, out, err));
    return ocl_copy_add(m, out, from, err);
}

ob_status ocl_dense_write(ocl_maker *m, const ob_tensor *to, ob_dtype dtype, ob_tensor *out,
                          ob_err *err)
{
    *out = *to;
    if (to->dtype == dtype && ob_kit_is_contiguous(to))
        return OB_OK;
    return ocl_temporary_tensor(m, dtype, to->sizes, to->ndim, out, err);
}

ob_status ocl_dense_back(ocl_maker *m, const ob_tensor *to, const ob_tensor *dense, ob_err *err)
{
    return to->storage == dense->storage ? OB_OK : ocl_copy_add(m, to, dense, err);
}
