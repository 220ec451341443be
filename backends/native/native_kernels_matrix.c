/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix products. Every operator of the family is a batch of products
 *     out[i] = beta * self + alpha * a[i] b[i]
 * with vectors as matrices of one row or column. f32 and f64 matrices are used where they lie,
 * also transposed or expanded over the batch; what OpenBLAS cannot read that way is copied to the
 * scratch. Halves have their own products (half_precision.h).
 */
#include "blas.h"
#include "dense.h"
#include "half_precision.h"

/* What the last dimensions of a factor are. */
typedef enum form { MATRIX, ROW, COLUMN } form;

/* An operand as a batch of matrices. */
typedef struct batch {
    native_dense dense; /* not used when `data` is set */
    const void *data;   /* the tensor's own memory */
    int64_t count, rows, columns;
    int64_t step, row, column; /* strides in elements; step is between matrices */
} batch;

typedef struct product {
    bool is_half;
    native_half_precision halves; /* then nothing below is used */
    native_class cls;
    native_blas *blas;
    batch a, b;
    native_dense self; /* absent: nothing is added */
    native_dense out;
    bool self_is_out; /* in place: the values are there already */
    bool sums;        /* one output for the whole batch */
    native_gemm gemm; /* all but the data */
} product;

static bool is_whole(const product *p)
{
    return p->cls == NATIVE_I32 || p->cls == NATIVE_I64;
}

/* The shape of a tensor as a batch of matrices. */
static batch shape_of(const ob_tensor *t, form how)
{
    batch out = {.count = 1, .rows = 1, .columns = 1};
    const int last = t->ndim - 1;
    if (how == ROW) {
        out.columns = t->sizes[last];
        out.column = t->strides[last];
    } else if (how == COLUMN) {
        out.rows = t->sizes[last];
        out.row = t->strides[last];
    } else {
        out.rows = t->sizes[last - 1];
        out.row = t->strides[last - 1];
        out.columns = t->sizes[last];
        out.column = t->strides[last];
    }
    if (how == MATRIX && t->ndim == 3) {
        out.count = t->sizes[0];
        out.step = t->strides[0];
    }
    return out;
}

static ob_tensor swap_last(const ob_tensor *t)
{
    ob_tensor out = *t;
    const int last = t->ndim - 1;
    out.sizes[last] = t->sizes[last - 1];
    out.sizes[last - 1] = t->sizes[last];
    out.strides[last] = t->strides[last - 1];
    out.strides[last - 1] = t->strides[last];
    return out;
}

static ob_status lay_factor(ob_kit_call *call, product *p, const ob_tensor *t, form how, batch *out,
                            ob_err *err)
{
    *out = shape_of(t, how);
    const bool own = (p->cls == NATIVE_F32 && t->dtype == OB_DTYPE_F32) ||
                     (p->cls == NATIVE_F64 && t->dtype == OB_DTYPE_F64);
    if (own && native_matrix_fits(out->rows, out->columns, out->row, out->column)) {
        out->data = native_data(t);
        out->dense.is_direct = true;
        out->dense.direct = native_data(t);
        out->dense.present = true;
        return OB_OK;
    }
    /* What lies transposed stays so: it is read along its memory. The loops of integers want rows. */
    const bool turned = !is_whole(p) && how == MATRIX && out->row == 1 && out->column > 1;
    const ob_tensor copied = turned ? swap_last(t) : *t;
    OB_TRY(native_dense_plan(call, &copied, p->cls, &out->dense, err));
    out->row = turned ? 1 : out->columns;
    out->column = turned ? out->rows : 1;
    out->step = out->rows * out->columns;
    return OB_OK;
}

/* The names of the arguments and what they are; one row per kernel. */
typedef struct layout {
    const char *a, *b;
    form a_form, b_form;
    bool adds; /* has self, beta and alpha */
    bool sums;
} layout;

enum { MM, MV, DOT, OUTER, ADDMM, ADDBMM, ADDMV, ADDR, BADDBMM };
static const layout LAYOUTS[] = {
    [MM] = {"self", "mat2", MATRIX, MATRIX, false, false},
    [MV] = {"self", "vec", MATRIX, COLUMN, false, false},
    [DOT] = {"self", "tensor", ROW, COLUMN, false, false},
    [OUTER] = {"self", "vec2", COLUMN, ROW, false, false},
    [ADDMM] = {"mat1", "mat2", MATRIX, MATRIX, true, false},
    [ADDBMM] = {"batch1", "batch2", MATRIX, MATRIX, true, true},
    [ADDMV] = {"mat", "vec", MATRIX, COLUMN, true, false},
    [ADDR] = {"vec1", "vec2", COLUMN, ROW, true, false},
    [BADDBMM] = {"batch1", "batch2", MATRIX, MATRIX, true, false},
};

static ob_status lay_output(ob_kit_call *call, product *p, const layout *how, ob_err *err)
{
    const ob_tensor *out = ob_kit_output(call, 0);
    OB_TRY(native_dense_plan(call, out, p->cls, &p->out, err));
    p->gemm.alpha = 1;
    p->gemm.alpha_integer = 1;
    if (!how->adds)
        return OB_OK;
    p->gemm.alpha = ob_kit_arg_double(call, "alpha", 1);
    p->gemm.beta = ob_kit_arg_double(call, "beta", 1);
    p->gemm.alpha_integer = ob_kit_arg_int(call, "alpha", 1);
    p->gemm.beta_integer = ob_kit_arg_int(call, "beta", 1);
    const bool zero = is_whole(p) ? p->gemm.beta_integer == 0 : p->gemm.beta == 0;
    const ob_tensor *self = ob_kit_arg_tensor(call, "self");
    if (zero) /* then self may hold NaN and is not read */
        return OB_OK;
    p->self.present = true;
    p->self.cls = p->cls;
    p->self.tensor = native_broadcast(self, out);
    p->self_is_out = native_data(self) == native_data(out);
    return OB_OK;
}

static native_half_matrix half_of(const ob_tensor *t, const batch *shape)
{
    return (native_half_matrix){native_data(t), shape->step, shape->row, shape->column};
}

/* The output, or what has its sizes: a vector is the column or the row that is left of the product. */
static native_half_matrix half_output(const ob_tensor *t, const layout *how)
{
    if (t->ndim == 0)
        return (native_half_matrix){.data = native_data(t)};
    const form left = t->ndim > 1 ? MATRIX : how->b_form == COLUMN ? COLUMN : ROW;
    const batch shape = shape_of(t, left);
    return half_of(t, &shape);
}

static ob_status set_up_half_precision(ob_kit_call *call, product *p, const layout *how,
                                       ob_err *err)
{
    const ob_tensor *a = ob_kit_arg_tensor(call, how->a), *b = ob_kit_arg_tensor(call, how->b);
    const ob_tensor *out = ob_kit_output(call, 0);
    const batch left = shape_of(a, how->a_form), right = shape_of(b, how->b_form);
    p->halves = (native_half_precision){
        .dtype = a->dtype,
        .count = left.count,
        .m = left.rows,
        .n = right.columns,
        .k = left.columns,
        .sums = how->sums,
        .a = half_of(a, &left),
        .b = half_of(b, &right),
        .out = half_output(out, how),
        .alpha = how->adds ? (float)ob_kit_arg_double(call, "alpha", 1) : 1,
        .beta = how->adds ? (float)ob_kit_arg_double(call, "beta", 1) : 0,
    };
    p->halves.adds = p->halves.beta != 0; /* else self may hold NaN and is not read */
    if (p->halves.adds) {
        const ob_tensor self = native_broadcast(ob_kit_arg_tensor(call, "self"), out);
        p->halves.self = half_output(&self, how);
    }
    return native_half_precision_plan(call, &p->halves, err);
}

static bool are_halves(const ob_kit_call *call, const layout *how)
{
    const ob_dtype dtype = ob_kit_arg_tensor(call, how->a)->dtype;
    if (dtype != OB_DTYPE_F16 && dtype != OB_DTYPE_BF16)
        return false;
    const ob_tensor *self = how->adds ? ob_kit_arg_tensor(call, "self") : NULL;
    return ob_kit_arg_tensor(call, how->b)->dtype == dtype &&
           ob_kit_output(call, 0)->dtype == dtype && (self == NULL || self->dtype == dtype);
}

static ob_status setup(ob_kit_call *call, ob_err *err)
{
    const layout *how = &LAYOUTS[call->kernel->variant];
    void *state;
    OB_TRY(ob_kit_state(call, sizeof(product), &state, err));
    product *p = state;
    p->is_half = are_halves(call, how);
    if (p->is_half)
        return set_up_half_precision(call, p, how, err);
    const ob_tensor *a = ob_kit_arg_tensor(call, how->a), *b = ob_kit_arg_tensor(call, how->b);
    p->cls = native_class_of(a->dtype);
    p->sums = how->sums;
    if (!is_whole(p))
        OB_TRY(native_env_blas(call->env, &p->blas, err));
    OB_TRY(lay_factor(call, p, a, how->a_form, &p->a, err));
    OB_TRY(lay_factor(call, p, b, how->b_form, &p->b, err));
    OB_TRY(lay_output(call, p, how, err));
    native_gemm *g = &p->gemm;
    g->m = p->a.rows;
    g->k = p->a.columns;
    g->n = p->b.columns;
    g->a.row = p->a.row;
    g->a.column = p->a.column;
    g->b.row = p->b.row;
    g->b.column = p->b.column;
    g->c_row = g->n;
    g->c_column = 1;
    return is_whole(p) ? OB_OK : native_gemm_check(call->env->host, g, err);
}

static void multiply(const native_env *env, const product *p, const native_gemm *g)
{
    if (p->cls == NATIVE_F32)
        native_gemm_f32(p->blas, g);
    else if (p->cls == NATIVE_F64)
        native_gemm_f64(p->blas, g);
    else if (p->cls == NATIVE_I32) /* what a narrower result keeps of it is right */
        native_gemm_i32(env, g);
    else
        native_gemm_i64(env, g);
}

/* self goes to where the product is added. */
static void *start_output(const ob_kit_call *call, const product *p)
{
    void *out = native_dense_place(call, &p->out);
    if (p->self.present && !(p->self_is_out && p->out.is_direct))
        native_gather(call->env, &p->self.tensor, p->cls, out);
    return out;
}

/* The products of a batch that do not add to one output. */
typedef struct batch_job {
    const native_env *env;
    const product *p;
    const char *a, *b;
    char *out;
} batch_job;

static void run_products(void *ctx, int64_t begin, int64_t end)
{
    const batch_job *job = ctx;
    const product *p = job->p;
    const int64_t size = (int64_t)native_class_size(p->cls);
    native_gemm g = p->gemm;
    for (int64_t i = begin; i < end; i++) {
        g.a.data = job->a + i * p->a.step * size;
        g.b.data = job->b + i * p->b.step * size;
        g.c = job->out + i * g.m * g.n * size;
        multiply(job->env, p, &g);
    }
}

static void run_sum(const batch_job *job)
{
    const product *p = job->p;
    const int64_t size = (int64_t)native_class_size(p->cls);
    native_gemm g = p->gemm;
    g.c = job->out;
    for (int64_t i = 0; i < p->a.count; i++) {
        g.a.data = job->a + i * p->a.step * size;
        g.b.data = job->b + i * p->b.step * size;
        multiply(job->env, p, &g);
        g.beta = 1;
        g.beta_integer = 1;
    }
    if (p->a.count == 0) { /* nothing to add: beta * self is left */
        g.k = 0;
        multiply(job->env, p, &g);
    }
}

static ob_status run(const ob_kit_call *call, ob_err *err)
{
    (void)err;
    const native_env *env = call->env;
    const product *p = call->state;
    if (p->is_half) {
        native_half_precision_run(call, &p->halves);
        return OB_OK;
    }
    batch_job job = {.env = env, .p = p};
    job.a = native_dense_read(call, &p->a.dense);
    job.b = native_dense_read(call, &p->b.dense);
    job.out = start_output(call, p);
    const double work = (double)p->gemm.m * (double)p->gemm.n * (double)p->gemm.k;
    if (p->sums)
        run_sum(&job);
    else if (p->a.count < env->threads) /* then each product is cut up */
        run_products(&job, 0, p->a.count);
    else
        native_parallel(env, p->a.count, (int64_t)((double)NATIVE_GEMM_GRAIN / (work + 1)) + 1,
                        run_products, &job);
    native_dense_write(call, &p->out);
    return OB_OK;
}

#define ROW_OF(op_name, which)                                                                     \
    {                                                                                              \
        .name = "aten::" op_name, .dtypes = OB_KIT_NUMBERS, .setup = setup, .run = run,            \
        .variant = (which)                                                                         \
    }

const ob_kit_kernel native_kernels_matrix[] = {
    ROW_OF("mm", MM),        ROW_OF("bmm", MM),          ROW_OF("mv", MV),
    ROW_OF("dot", DOT),      ROW_OF("outer", OUTER),     ROW_OF("addmm", ADDMM),
    ROW_OF("addmm_", ADDMM), ROW_OF("addbmm", ADDBMM),   ROW_OF("addmv", ADDMV),
    ROW_OF("addr", ADDR),    ROW_OF("baddbmm", BADDBMM), ROW_OF("baddbmm_", BADDBMM),
    {.name = NULL},
};
