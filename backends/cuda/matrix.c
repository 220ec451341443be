/* SPDX-License-Identifier: Apache-2.0
 *
 * Products of matrices by cuBLAS. It counts down columns and we along rows, so it is given the transposed
 * product: C^T = B^T A^T.
 */
#include "cuda_elementwise.h"

#include <limits.h>
#include <stdio.h>

/* How a tensor is taken as a batch of matrices. */
typedef enum form { MATRIX, ROW, COLUMN } form;

/* The names of the arguments and what they are; one row per kernel. */
typedef struct layout {
    const char *a, *b;
    form a_form, b_form, out_form;
    bool adds; /* has self, beta and alpha */
} layout;

enum { MM, MV, ADDMM, ADDMV, BADDBMM };
static const layout LAYOUTS[] = {
    [MM] = {"self", "mat2", MATRIX, MATRIX, MATRIX, false},
    [MV] = {"self", "vec", MATRIX, COLUMN, COLUMN, false},
    [ADDMM] = {"mat1", "mat2", MATRIX, MATRIX, MATRIX, true},
    [ADDMV] = {"mat", "vec", MATRIX, COLUMN, COLUMN, true},
    [BADDBMM] = {"batch1", "batch2", MATRIX, MATRIX, MATRIX, true},
};

typedef struct matrix {
    int64_t count, rows, columns;
    int64_t step, row, column; /* strides in elements */
} matrix;

static matrix as_matrix(const ob_tensor *t, form how)
{
    const int n = t->ndim;
    if (how != MATRIX) {
        const int64_t size = n > 0 ? t->sizes[n - 1] : 1, stride = n > 0 ? t->strides[n - 1] : 1;
        return how == COLUMN ? (matrix){1, size, 1, 0, stride, 1}
                             : (matrix){1, 1, size, 0, 1, stride};
    }
    return (matrix){.count = n > 2 ? t->sizes[0] : 1,
                    .rows = t->sizes[n - 2],
                    .columns = t->sizes[n - 1],
                    .step = n > 2 ? t->strides[0] : 0,
                    .row = t->strides[n - 2],
                    .column = t->strides[n - 1]};
}

/* Whether cuBLAS can read it where it is, and how: by rows (what it calls a plain transposed matrix) or
 * by columns. */
static bool lies(const matrix *m, cublasOperation_t *how, int64_t *leading)
{
    const int64_t rows = m->rows > 1 ? m->rows : 1, columns = m->columns > 1 ? m->columns : 1;
    if ((m->columns <= 1 || m->column == 1) && (m->rows <= 1 || m->row >= columns)) {
        *how = CUBLAS_OP_N;
        *leading = m->rows <= 1 ? columns : m->row;
        return true;
    }
    if ((m->rows <= 1 || m->row == 1) && (m->columns <= 1 || m->column >= rows)) {
        *how = CUBLAS_OP_T;
        *leading = m->columns <= 1 ? rows : m->column;
        return true;
    }
    return false;
}

static ob_status check_matrix(const ob_kit_call *call, const ob_tensor *t, form how, bool is_result,
                              ob_err *err)
{
    const matrix m = as_matrix(t, how);
    cublasOperation_t operation;
    int64_t leading = 0;
    if (!lies(&m, &operation, &leading) || (is_result && operation != CUBLAS_OP_N))
        return call->host->err_set(err, OB_ERR_UNSUPPORTED,
                                   "%s: the cuda backend takes matrices stored by rows or by "
                                   "columns (the result: by rows); make a contiguous copy",
                                   call->op->schema->name);
    if (m.rows > INT_MAX || m.columns > INT_MAX || m.count > INT_MAX || leading > INT_MAX)
        return call->host->err_set(err, OB_ERR_UNSUPPORTED,
                                   "%s: cuBLAS takes at most 2^31 - 1 rows or columns",
                                   call->op->schema->name);
    return OB_OK;
}

static ob_status check(ob_kit_call *call, ob_err *err)
{
    const layout *how = &LAYOUTS[call->kernel->variant];
    OB_TRY(check_matrix(call, ob_kit_arg_tensor(call, how->a), how->a_form, false, err));
    OB_TRY(check_matrix(call, ob_kit_arg_tensor(call, how->b), how->b_form, false, err));
    return check_matrix(call, ob_kit_output(call, 0), how->out_form, true, err);
}

typedef struct operand {
    const void *data;
    cublasOperation_t how;
    int leading;
    int64_t step;
} operand;

/* All that one call of cuBLAS needs. */
typedef struct product {
    operand a, b;
    void *out;
    int leading, m, n, k, count;
    int64_t step;
    cudaDataType type;
    cublasComputeType_t compute;
    union {
        float f32;
        double f64;
    } alpha, beta;
    bool starts_with_self;
    cuda_work self; /* puts it where the product is added */
} product;

static const void *pointer_to(const ob_host *host, const ob_tensor *t)
{
    return (const void *)(uintptr_t)cuda_address(host, t); // NOLINT(performance-no-int-to-ptr)
}

static operand as_operand(const ob_host *host, const ob_tensor *t, const matrix *m)
{
    operand o = {.data = pointer_to(host, t), .step = m->step};
    int64_t leading = 1;
    lies(m, &o.how, &leading);
    o.leading = (int)leading;
    return o;
}

static void set_numbers(product *p, ob_dtype dtype, double alpha, double beta)
{
    p->type = dtype == OB_DTYPE_F64    ? CUDA_R_64F
              : dtype == OB_DTYPE_F32  ? CUDA_R_32F
              : dtype == OB_DTYPE_BF16 ? CUDA_R_16BF
                                       : CUDA_R_16F;
    p->compute = dtype == OB_DTYPE_F64 ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F;
    if (dtype == OB_DTYPE_F64) {
        p->alpha.f64 = alpha;
        p->beta.f64 = beta;
    } else {
        p->alpha.f32 = (float)alpha;
        p->beta.f32 = (float)beta;
    }
}

/* self goes to the result first, unless it is the result or beta leaves nothing of it. */
static ob_status place_self(ob_kit_call *call, product *p, double beta, ob_err *err)
{
    const ob_tensor *out = ob_kit_output(call, 0);
    if (beta == 0 || call->op->schema->args[0].writes)
        return OB_OK;
    p->starts_with_self = true;
    return cuda_work_copy(call->env, out, ob_kit_arg(call, "self"), &p->self, err);
}

static ob_status open_blas(ob_kit_env *env, ob_err *err)
{
    if (env->blas != NULL)
        return OB_OK;
    if (env->cublas.library == NULL)
        OB_TRY(cuda_cublas_open(env->host, &env->cublas, err));
    const cublasStatus_t status = env->cublas.create(&env->blas);
    if (status != CUBLAS_STATUS_SUCCESS) {
        env->blas = NULL;
        return env->host->err_set(err, OB_ERR_BACKEND, "cuBLAS does not start (status %d)",
                                  (int)status);
    }
    env->cublas.version(env->blas, &env->blas_version);
    env->cublas.use_stream(env->blas, (cudaStream_t)env->stream);
    return OB_OK;
}

static ob_status setup(ob_kit_call *call, ob_err *err)
{
    const layout *how = &LAYOUTS[call->kernel->variant];
    const ob_tensor *a = ob_kit_arg_tensor(call, how->a), *b = ob_kit_arg_tensor(call, how->b);
    const ob_tensor *out = ob_kit_output(call, 0);
    const matrix left = as_matrix(a, how->a_form), right = as_matrix(b, how->b_form);
    const matrix result = as_matrix(out, how->out_form);
    const double alpha = how->adds ? ob_kit_arg_double(call, "alpha", 1) : 1;
    const double beta = how->adds ? ob_kit_arg_double(call, "beta", 1) : 0;
    void *state;
    OB_TRY(open_blas(call->env, err));
    OB_TRY(ob_kit_state(call, sizeof(product), &state, err));
    product *p = state;
    const operand to = as_operand(call->host, out, &result);
    *p = (product){.a = as_operand(call->host, a, &left),
                   .b = as_operand(call->host, b, &right),
                   .out = (void *)(uintptr_t)cuda_address(call->host, out), // NOLINT
                   .leading = to.leading,
                   .m = (int)left.rows,
                   .n = (int)right.columns,
                   .k = (int)left.columns,
                   .count = (int)result.count,
                   .step = result.step};
    set_numbers(p, out->dtype, alpha, beta);
    return how->adds ? place_self(call, p, beta, err) : OB_OK;
}

static ob_status run(const ob_kit_call *call, ob_err *err)
{
    const ob_kit_env *env = call->env;
    product *p = call->state;
    if (p->m == 0 || p->n == 0 || p->count == 0)
        return OB_OK;
    if (p->starts_with_self)
        OB_TRY(cuda_work_launch(env, &p->self, err));
    const cublasStatus_t status = env->cublas.gemm(
        env->blas, p->b.how, p->a.how, p->n, p->m, p->k, &p->alpha, p->b.data, p->type,
        p->b.leading, p->b.step, p->a.data, p->type, p->a.leading, p->a.step, &p->beta, p->out,
        p->type, p->leading, p->step, p->count, p->compute, CUBLAS_GEMM_DEFAULT);
    if (status == CUBLAS_STATUS_SUCCESS)
        return OB_OK;
    return env->host->err_set(err, OB_ERR_BACKEND, "%s: cuBLAS fails (status %d)",
                              call->op->schema->name, (int)status);
}

#define ROW_OF(op_name, which)                                                                     \
    {                                                                                              \
        .name = "aten::" op_name, .dtypes = OB_KIT_FLOATS, .setup = setup, .run = run,             \
        .check = check, .variant = (which)                                                         \
    }

const ob_kit_kernel cuda_kernels_matrix[] = {
    ROW_OF("mm", MM),           ROW_OF("bmm", MM),           ROW_OF("mv", MV),
    ROW_OF("addmm", ADDMM),     ROW_OF("addmm_", ADDMM),     ROW_OF("addmv", ADDMV),
    ROW_OF("baddbmm", BADDBMM), ROW_OF("baddbmm_", BADDBMM), {.name = NULL},
};
