/* SPDX-License-Identifier: Apache-2.0
 *
 * The matrix family: every member is one product of batches of matrices, seen through strides. What the
 * core decomposes (matmul, linear) comes here as mm, addmm and bmm.
 */
#include "work.h"

#include <stdio.h>

enum { TILE = 32, PER = 8, ROWS = 8, WIDE = 32, NARROW = 16 }; /* as matmul.cl has them */

/* As matmul.cl has it. */
typedef struct matmul {
    cl_long rows, columns, inner;
    cl_long out[4], left[4], right[4], self[4];
} matmul;

/* A matrix, or a batch of them: offset, strides of batch, row and column. */
typedef struct grid {
    cl_long place[4];
} grid;

static grid batches(const ob_tensor *t)
{
    const int n = t->ndim;
    return (grid){{t->offset, n > 2 ? t->strides[0] : 0, t->strides[n - 2], t->strides[n - 1]}};
}
static grid row_of(const ob_tensor *t)
{
    return (grid){{t->offset, 0, 0, t->strides[0]}};
}
static grid column_of(const ob_tensor *t)
{
    return (grid){{t->offset, 0, t->strides[0], 0}};
}

/* A tensor that is broadcast to `ndim` dimensions of the sizes of the result. */
static grid spread(const ob_tensor *t, int ndim)
{
    grid g = {{t->offset, 0, 0, 0}};
    for (int d = 0; d < t->ndim; d++) {
        const int at = 3 - (t->ndim - 1 - d);
        if (t->sizes[d] != 1 && ndim > t->ndim - 1 - d)
            g.place[at] = t->strides[d];
    }
    return g;
}

typedef struct job {
    const ob_tensor *out, *left, *right, *self;
    grid out_grid, left_grid, right_grid, self_grid;
    int64_t batch, rows, columns, inner;
    double alpha, beta;
} job;

static matmul fill_product(const job *j)
{
    matmul p = {.rows = j->rows, .columns = j->columns, .inner = j->inner};
    for (int i = 0; i < 4; i++) {
        p.out[i] = j->out_grid.place[i];
        p.left[i] = j->left_grid.place[i];
        p.right[i] = j->right_grid.place[i];
        p.self[i] = j->self_grid.place[i];
    }
    return p;
}

/* For panels: the right factor with dense rows in the compute type; behind the last column lies room. */
static ob_status pack_right(ocl_maker *m, const job *j, int64_t columns, ob_tensor *packed,
                            matmul *p, ob_err *err)
{
    const ob_dtype compute =
        j->out->dtype == OB_DTYPE_F16 || j->out->dtype == OB_DTYPE_BF16 ? OB_DTYPE_F32
        : ocl_is_whole(j->out->dtype) && j->out->dtype != OB_DTYPE_I64  ? OB_DTYPE_I32
                                                                        : j->out->dtype;
    *packed = *j->right;
    if (j->right->dtype == compute && p->right[3] == 1 && j->columns % columns == 0)
        return OB_OK;
    const int64_t pitch = (j->columns + columns - 1) / columns * columns;
    const int64_t sizes[] = {j->batch, j->inner, pitch};
    OB_TRY(ocl_temporary_tensor(m, compute, sizes, 3, packed, err));
    ob_tensor to = *packed, from = *j->right;
    to.ndim = from.ndim = 3;
    to.sizes[2] = j->columns;
    for (int d = 0; d < 3; d++) {
        from.sizes[d] = to.sizes[d];
        from.strides[d] = j->right_grid.place[d + 1];
        p->right[d + 1] = to.strides[d];
    }
    p->right[0] = 0;
    return ocl_copy_add(m, &to, &from, err);
}

static ob_status add_product(ob_kit_call *call, const job *j, ob_err *err)
{
    char options[192];
    ocl_maker m;
    ocl_builder builder;
    ob_tensor right = *j->right;
    matmul p = fill_product(j);
    const ob_dtype dtype = j->out->dtype;
    OB_TRY(ocl_maker_open(call, &m, err));
    if (j->batch == 0 || j->rows == 0 || j->columns == 0)
        return OB_OK;
    const bool panels = m.env->device.is_cpu && !m.env->tiles && j->inner > 0;
    const int64_t columns = ocl_compute_size(dtype) == 4 ? WIDE : NARROW;
    if (panels)
        OB_TRY(pack_right(&m, j, columns, &right, &p, err));
    int used = snprintf(options, sizeof options, "-DC=%s -DTO=%s -DTL=%s -DTR=%s",
                        ocl_compute_type(dtype), ocl_dtype_name(&m, dtype),
                        ocl_dtype_name(&m, j->left->dtype), ocl_dtype_name(&m, right.dtype));
    if (j->self != NULL)
        used += snprintf(options + used, sizeof options - (size_t)used, " -DTS=%s",
                         ocl_dtype_name(&m, j->self->dtype));
    if (panels)
        snprintf(options + used, sizeof options - (size_t)used, " -DPANEL=%d",
                 (int)(columns / NARROW));
    const ocl_spec spec = {"matmul", options, NULL, panels ? "panel" : "product"};
    OB_TRY(ocl_begin(&m, &spec, &builder, err));
    ocl_put_tensor(&builder, j->out);
    ocl_put_tensor(&builder, j->left);
    ocl_put_tensor(&builder, &right);
    if (j->self != NULL)
        ocl_put_tensor(&builder, j->self);
    ocl_put(&builder, &p, sizeof p);
    ocl_put_number(&builder, dtype, j->alpha, (int64_t)j->alpha);
    ocl_put_number(&builder, dtype, j->beta, (int64_t)j->beta);
    const ocl_range tiles = {
        .dims = 3,
        .global = {(size_t)j->columns, ((size_t)j->rows + PER - 1) / PER, (size_t)j->batch},
        .local = {TILE, TILE / PER, 1}};
    const ocl_range panel = {.dims = 3,
                             .global = {(size_t)((j->columns + columns - 1) / columns),
                                        ((size_t)j->rows + ROWS - 1) / ROWS, (size_t)j->batch},
                             .local = {1, 1, 1}};
    return ocl_end(&builder, panels ? &panel : &tiles, err);
}

/* data: names of the factors; variant: whether self is added. */
typedef struct names {
    const char *left, *right;
} names;

static job start(ob_kit_call *call)
{
    const names *row = call->kernel->data;
    return (job){.out = ob_kit_output(call, 0),
                 .self = call->kernel->variant != 0 ? ob_kit_arg_tensor(call, "self") : NULL,
                 .left = ob_kit_arg_tensor(call, row->left),
                 .right = ob_kit_arg_tensor(call, row->right),
                 .batch = 1,
                 .alpha = ob_kit_arg_double(call, "alpha", 1),
                 .beta = ob_kit_arg_double(call, "beta", 1)};
}

/* mm, addmm, bmm, baddbmm */
static ob_status setup_matrices(ob_kit_call *call, ob_err *err)
{
    job j = start(call);
    const int n = j.left->ndim;
    j.batch = n > 2 ? j.left->sizes[0] : 1;
    j.rows = j.left->sizes[n - 2];
    j.inner = j.left->sizes[n - 1];
    j.columns = j.right->sizes[j.right->ndim - 1];
    j.out_grid = batches(j.out);
    j.left_grid = batches(j.left);
    j.right_grid = batches(j.right);
    if (j.self != NULL)
        j.self_grid = spread(j.self, j.out->ndim);
    return add_product(call, &j, err);
}

/* mv, addmv */
static ob_status setup_vector(ob_kit_call *call, ob_err *err)
{
    job j = start(call);
    j.rows = j.left->sizes[0];
    j.inner = j.left->sizes[1];
    j.columns = 1;
    j.out_grid = column_of(j.out);
    j.left_grid = batches(j.left);
    j.right_grid = column_of(j.right);
    if (j.self != NULL)
        j.self_grid =
            (grid){{j.self->offset, 0,
                    j.self->ndim > 0 && j.self->sizes[0] != 1 ? j.self->strides[0] : 0, 0}};
    return add_product(call, &j, err);
}

static ob_status setup_dot(ob_kit_call *call, ob_err *err)
{
    job j = start(call);
    j.rows = j.columns = 1;
    j.inner = j.left->sizes[0];
    j.out_grid = (grid){{j.out->offset, 0, 0, 0}};
    j.left_grid = row_of(j.left);
    j.right_grid = column_of(j.right);
    return add_product(call, &j, err);
}

/* outer, addr */
static ob_status setup_outer(ob_kit_call *call, ob_err *err)
{
    job j = start(call);
    j.rows = j.left->sizes[0];
    j.inner = 1;
    j.columns = j.right->sizes[0];
    j.out_grid = batches(j.out);
    j.left_grid = column_of(j.left);
    j.right_grid = row_of(j.right);
    if (j.self != NULL)
        j.self_grid = spread(j.self, j.out->ndim);
    return add_product(call, &j, err);
}

#define PRODUCT(op, function, added, left, right)                                                  \
    {                                                                                              \
        .name = (op), .dtypes = OB_KIT_NUMBERS, .setup = (function), .run = ocl_run,               \
        .in_place = true, .variant = (added), .data = &(const names)                               \
        {                                                                                          \
            left, right                                                                            \
        }                                                                                          \
    }

const ob_kit_kernel ocl_kernels_matrix[] = {
    PRODUCT("aten::mm", setup_matrices, 0, "self", "mat2"),
    PRODUCT("aten::bmm", setup_matrices, 0, "self", "mat2"),
    PRODUCT("aten::addmm", setup_matrices, 1, "mat1", "mat2"),
    PRODUCT("aten::baddbmm", setup_matrices, 1, "batch1", "batch2"),
    PRODUCT("aten::mv", setup_vector, 0, "self", "vec"),
    PRODUCT("aten::addmv", setup_vector, 1, "mat", "vec"),
    PRODUCT("aten::outer", setup_outer, 0, "self", "vec2"),
    PRODUCT("aten::addr", setup_outer, 1, "vec1", "vec2"),
    PRODUCT("aten::dot", setup_dot, 0, "self", "tensor"),
    {.name = NULL},
};
