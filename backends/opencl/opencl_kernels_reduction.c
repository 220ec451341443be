/* SPDX-License-Identifier: Apache-2.0
 *
 * Reductions: sums, means, products, extremes and where they are, norms, variances, logsumexp. Every one is the
 * two steps of reduce.cl; variances and logsumexp are two of them, the second with what the first gave.
 */
#include "work.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_KEPT = OB_MAX_DIMS - 1, ACCUMULATOR_BYTES = 16 };

/* As reduce.cl has them. */
typedef enum reduce_kind {
    SUM,
    PROD,
    MAX,
    MIN,
    ARGMAX,
    ARGMIN,
    ANY,
    ALL,
    NORM0,
    NORM1,
    NORM2,
    NORMP,
    NORM_MAX,
    NORM_MIN,
    SQUARES,
    EXPS,
} reduce_kind;

typedef struct reduction {
    cl_long results, terms, parts;
    cl_long offset, kept_size[15], kept_stride[15], term_size[15], term_stride[15];
} reduction;

typedef struct finishing {
    cl_long offset, size[15], stride[15];
    cl_long index_offset, index_stride[15];
} finishing;

/* One reduction of a tensor. */
typedef struct job {
    const ob_tensor *in;
    bool reduced[OB_MAX_DIMS];
    bool keepdim;
    ob_dtype compute;
    reduction r;
    int kept, terms; /* dimensions */
    bool unit;
    ocl_buffer *accumulators;
} job;

/* ---- which dimensions ---- */

static ob_status read_dims(const ob_kit_call *call, job *j, ob_err *err)
{
    int64_t dims[OB_MAX_DIMS];
    const int n = j->in->ndim;
    const size_t count = ob_kit_arg_ints(call, "dim", dims, OB_MAX_DIMS);
    if (n > MAX_KEPT)
        return call->host->err_set(err, OB_ERR_UNSUPPORTED,
                                   "%s: the OpenCL backend reduces up to %d dimensions",
                                   call->op->schema->name, (int)MAX_KEPT);
    for (size_t i = 0; i < count && i < OB_MAX_DIMS && n > 0; i++)
        j->reduced[ob_kit_dim(dims[i], n)] = true;
    for (int d = 0; d < n && count == 0; d++)
        j->reduced[d] = true;
    j->keepdim = ob_kit_arg_bool(call, "keepdim", false);
    return OB_OK;
}

static void fill_reduction(const ob_kit_env *env, job *j)
{
    reduction *r = &j->r;
    const ob_tensor *in = j->in;
    *r = (reduction){.results = 1, .terms = 1, .parts = 1, .offset = in->offset};
    for (int d = 0; d < in->ndim; d++) {
        const bool reduced = j->reduced[d];
        int *n = reduced ? &j->terms : &j->kept;
        (reduced ? r->term_size : r->kept_size)[*n] = in->sizes[d];
        (reduced ? r->term_stride : r->kept_stride)[*n] = in->strides[d];
        *(reduced ? &r->terms : &r->results) *= in->sizes[d];
        ++*n;
    }
    ob_kit_dims terms = {
        .ndim = j->terms, .operand_count = 1, .sizes = r->term_size, .strides = {r->term_stride}};
    ob_kit_dims_merge(&terms);
    j->terms = terms.ndim;
    if (j->terms == 0) {
        r->term_size[0] = 1;
        j->terms = 1;
    }
    j->unit = j->terms == 1 && (r->term_stride[0] == 1 || r->term_size[0] == 1);
    /* Parts only as long as there are too few results for the device, and enough to do in each. */
    const int64_t wanted = (int64_t)env->device.units * (env->device.is_cpu ? 4 : 256);
    while (r->results > 0 && r->results * r->parts < wanted && r->terms / (r->parts * 2) >= 1024)
        r->parts *= 2;
}

/* ---- launches ---- */

static size_t write_options(const ocl_maker *m, const job *j, reduce_kind kind, ob_dtype out,
                            char *options, size_t size)
{
    const int n =
        snprintf(options, size, "-DC=%s%s -DKIND=%d -DKEPT=%d -DTERMS=%d%s -DTX=%s -DTO=%s",
                 ocl_compute_type(j->compute), ocl_is_whole(j->compute) ? " -DWHOLE" : "",
                 (int)kind, j->kept, j->terms, j->unit ? " -DUNIT" : "",
                 ocl_dtype_name(m, j->in->dtype), ocl_dtype_name(m, out));
    return n > 0 ? (size_t)n : 0;
}

/* numbers: NULL, or one per result; `number` otherwise. */
static ob_status add_gather(ocl_maker *m, job *j, reduce_kind kind, const ob_tensor *numbers,
                            double number, ob_err *err)
{
    char options[256];
    ocl_builder builder;
    const int64_t count = j->r.results * j->r.parts;
    OB_TRY(ocl_temporary(m, (size_t)count * ACCUMULATOR_BYTES, &j->accumulators, err));
    write_options(m, j, kind, OB_DTYPE_F32, options, sizeof options);
    const ocl_spec spec = {"reduce", options, "x", "gather"};
    OB_TRY(ocl_begin(m, &spec, &builder, err));
    ocl_put_tensor(&builder, j->in);
    ocl_put_buffer(&builder, j->accumulators);
    if (numbers != NULL)
        ocl_put_tensor(&builder, numbers);
    else
        ocl_put_buffer(&builder, j->accumulators);
    ocl_put(&builder, &j->r, sizeof j->r);
    ocl_put_number(&builder, j->compute, number, (int64_t)number);
    const ocl_range range = ocl_range_of(m->env, count);
    return ocl_end(&builder, &range, err);
}

typedef struct ending {
    reduce_kind kind;
    const char *expression; /* of x, n and number */
    const ob_tensor *out;
    const ob_tensor *indices; /* NULL: not wanted */
    const ob_tensor *numbers; /* NULL: `number` */
    double number;
} ending;

/* Strides of the result in the kept dimensions. */
static void fill_strides(const job *j, const ob_tensor *out, cl_long *strides)
{
    int n = 0;
    for (int d = 0, at = 0; d < j->in->ndim; d++) {
        if (!j->reduced[d])
            strides[n++] = out->strides[at];
        at += !j->reduced[d] || j->keepdim;
    }
}

static ob_status add_finish(ocl_maker *m, const job *j, const ending *e, ob_err *err)
{
    char options[256];
    ocl_builder builder;
    finishing f = {.offset = e->out->offset};
    for (int d = 0; d < 15; d++)
        f.size[d] = j->r.kept_size[d];
    fill_strides(j, e->out, f.stride);
    if (e->indices != NULL) {
        f.index_offset = e->indices->offset;
        fill_strides(j, e->indices, f.index_stride);
    }
    const size_t used = write_options(m, j, e->kind, e->out->dtype, options, sizeof options);
    snprintf(options + used, sizeof options - used, "%s%s", e->indices != NULL ? " -DINDICES" : "",
             e->numbers != NULL ? " -DNUMBERS" : "");
    const ocl_spec spec = {"reduce", options, e->expression, "finish"};
    OB_TRY(ocl_begin(m, &spec, &builder, err));
    ocl_put_buffer(&builder, j->accumulators);
    ocl_put_tensor(&builder, e->out);
    if (e->indices != NULL)
        ocl_put_tensor(&builder, e->indices);
    if (e->numbers != NULL)
        ocl_put_tensor(&builder, e->numbers);
    ocl_put(&builder, &j->r, sizeof j->r);
    ocl_put(&builder, &f, sizeof f);
    ocl_put_number(&builder, j->compute, e->number, (int64_t)e->number);
    const ocl_range range = ocl_range_of(m->env, j->r.results);
    return ocl_end(&builder, &range, err);
}

/* What one reduction gives another: a dense array in the compute type. */
static ob_status add_numbers(ocl_maker *m, const job *j, reduce_kind kind, const char *expression,
                             ob_tensor *out, ob_err *err)
{
    int64_t sizes[OB_MAX_DIMS];
    job kept = *j;
    kept.keepdim = true;
    for (int d = 0; d < j->in->ndim; d++)
        sizes[d] = j->reduced[d] ? 1 : j->in->sizes[d];
    OB_TRY(ocl_temporary_tensor(m, j->compute, sizes, j->in->ndim, out, err));
    const ending e = {.kind = kind, .expression = expression, .out = out};
    return add_finish(m, &kept, &e, err);
}

/* ---- operators ---- */

static ob_dtype compute_for(const ob_tensor *in, const ob_tensor *out)
{
    if (!ocl_is_whole(out->dtype))
        return out->dtype == OB_DTYPE_F64 || in->dtype == OB_DTYPE_F64 ? OB_DTYPE_F64
                                                                       : OB_DTYPE_F32;
    return ocl_is_whole(in->dtype)     ? OB_DTYPE_I64
           : in->dtype == OB_DTYPE_F64 ? OB_DTYPE_F64
                                       : OB_DTYPE_F32;
}

static ob_status start(ob_kit_call *call, ocl_maker *m, job *j, ob_err *err)
{
    *j = (job){.in = ob_kit_arg_tensor(call, "self")};
    OB_TRY(ocl_maker_open(call, m, err));
    OB_TRY(read_dims(call, j, err));
    j->compute = compute_for(j->in, ob_kit_output(call, 0));
    fill_reduction(m->env, j);
    return OB_OK;
}

/* kernel->variant is the kind, data the expression of the result. */
static ob_status setup_simple(ob_kit_call *call, ob_err *err)
{
    const reduce_kind kind = (reduce_kind)call->kernel->variant;
    ocl_maker m;
    job j;
    OB_TRY(start(call, &m, &j, err));
    if (j.r.results == 0)
        return OB_OK;
    OB_TRY(add_gather(&m, &j, kind, NULL, 0, err));
    const ending e = {.kind = kind,
                      .expression = call->kernel->data,
                      .out = ob_kit_output(call, 0),
                      .indices = ob_kit_output(call, 1)};
    return add_finish(&m, &j, &e, err);
}

static ob_status setup_norm(ob_kit_call *call, ob_err *err)
{
    const char *const name =
        call->host->schema_find_arg(call->op->schema, "ord") >= 0 ? "ord" : "p";
    const double p = ob_kit_arg_double(call, name, 2);
    ocl_maker m;
    job j;
    reduce_kind kind = NORMP;
    const char *expression = "pow(x, 1 / number)";
    OB_TRY(start(call, &m, &j, err));
    if (j.r.results == 0)
        return OB_OK;
    if (p == 0 || p == 1 || isinf(p)) {
        kind = p == 0 ? NORM0 : p == 1 ? NORM1 : p > 0 ? NORM_MAX : NORM_MIN;
        expression = "x";
    } else if (p == 2) {
        kind = NORM2;
        expression = "sqrt(x)";
    }
    OB_TRY(add_gather(&m, &j, kind, NULL, p, err));
    const ending e = {
        .kind = kind, .expression = expression, .out = ob_kit_output(call, 0), .number = p};
    return add_finish(&m, &j, &e, err);
}

/* data: the expression of the variance x / (n - number); the mean is the second output where there is one. */
static ob_status setup_variance(ob_kit_call *call, ob_err *err)
{
    double correction = ob_kit_arg_bool(call, "unbiased", true) ? 1 : 0;
    if (call->host->schema_find_arg(call->op->schema, "correction") >= 0)
        correction = ob_kit_arg_double(call, "correction", 1);
    const ob_tensor *mean = ob_kit_output(call, 1);
    ob_tensor means;
    ocl_maker m;
    job j;
    OB_TRY(start(call, &m, &j, err));
    if (j.r.results == 0)
        return OB_OK;
    OB_TRY(add_gather(&m, &j, SUM, NULL, 0, err));
    OB_TRY(add_numbers(&m, &j, SUM, "x / n", &means, err));
    if (mean != NULL) {
        const ending e = {.kind = SUM, .expression = "x / n", .out = mean};
        OB_TRY(add_finish(&m, &j, &e, err));
    }
    OB_TRY(add_gather(&m, &j, SQUARES, &means, 0, err));
    const ending e = {.kind = SQUARES,
                      .expression = call->kernel->data,
                      .out = ob_kit_output(call, 0),
                      .number = correction};
    return add_finish(&m, &j, &e, err);
}

static ob_status setup_logsumexp(ob_kit_call *call, ob_err *err)
{
    ob_tensor shifts;
    ocl_maker m;
    job j;
    OB_TRY(start(call, &m, &j, err));
    if (j.r.results == 0)
        return OB_OK;
    OB_TRY(add_gather(&m, &j, MAX, NULL, 0, err));
    /* An infinite shift would give NaN for infinity less infinity. */
    OB_TRY(add_numbers(&m, &j, MAX, "(isinf(x) ? (C)0 : x)", &shifts, err));
    OB_TRY(add_gather(&m, &j, EXPS, &shifts, 0, err));
    const ending e = {.kind = EXPS,
                      .expression = "log(x) + number",
                      .out = ob_kit_output(call, 0),
                      .numbers = &shifts};
    return add_finish(&m, &j, &e, err);
}

#define REDUCE(op, types, what, expression)                                                        \
    {                                                                                              \
        .name = (op), .dtypes = OB_KIT_##types, .setup = setup_simple, .run = ocl_run,             \
        .variant = (what), .data = (expression)                                                    \
    }
#define NORM(op)                                                                                   \
    {                                                                                              \
        .name = (op), .dtypes = OB_KIT_FLOATS, .setup = setup_norm, .run = ocl_run                 \
    }
#define VARIANCE(op, expression)                                                                   \
    {                                                                                              \
        .name = (op), .dtypes = OB_KIT_FLOATS, .setup = setup_variance, .run = ocl_run,            \
        .data = (expression)                                                                       \
    }
/* A divisor of no elements left is 0, not negative. */
#define DIVISOR "(n > number ? n - number : (C)0)"

const ob_kit_kernel ocl_kernels_reduction[] = {
    REDUCE("aten::sum", REALS, SUM, "x"),
    REDUCE("aten::sum.dim_IntList", REALS, SUM, "x"),
    REDUCE("aten::mean", REALS, SUM, "x / n"),
    REDUCE("aten::mean.dim", REALS, SUM, "x / n"),
    REDUCE("aten::prod", REALS, PROD, "x"),
    REDUCE("aten::prod.dim_int", REALS, PROD, "x"),
    REDUCE("aten::max", REALS, MAX, "x"),
    REDUCE("aten::min", REALS, MIN, "x"),
    REDUCE("aten::max.dim", REALS, MAX, "x"),
    REDUCE("aten::min.dim", REALS, MIN, "x"),
    REDUCE("aten::amax", REALS, MAX, "x"),
    REDUCE("aten::amin", REALS, MIN, "x"),
    REDUCE("aten::argmax", REALS, ARGMAX, "x"),
    REDUCE("aten::argmin", REALS, ARGMIN, "x"),
    REDUCE("aten::any", REALS, ANY, "x"),
    REDUCE("aten::any.dim", REALS, ANY, "x"),
    REDUCE("aten::all", REALS, ALL, "x"),
    REDUCE("aten::all.dim", REALS, ALL, "x"),
    NORM("aten::norm.Scalar"),
    NORM("aten::norm.ScalarOpt_dim"),
    NORM("aten::norm.ScalarOpt_dtype"),
    NORM("aten::norm.ScalarOpt_dim_dtype"),
    NORM("aten::linalg_vector_norm"),
    VARIANCE("aten::var", "x / " DIVISOR),
    VARIANCE("aten::var.dim", "x / " DIVISOR),
    VARIANCE("aten::var.correction", "x / " DIVISOR),
    VARIANCE("aten::std", "sqrt(x / " DIVISOR ")"),
    VARIANCE("aten::std.dim", "sqrt(x / " DIVISOR ")"),
    VARIANCE("aten::std.correction", "sqrt(x / " DIVISOR ")"),
    VARIANCE("aten::var_mean", "x / " DIVISOR),
    VARIANCE("aten::var_mean.dim", "x / " DIVISOR),
    VARIANCE("aten::var_mean.correction", "x / " DIVISOR),
    {.name = "aten::logsumexp", .dtypes = OB_KIT_FLOATS, .setup = setup_logsumexp, .run = ocl_run},
    {.name = NULL},
};
