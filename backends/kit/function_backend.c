/* SPDX-License-Identifier: Apache-2.0
 *
 * A backend whose kernels are rows with a function's pointer (opbench/kernel_plugin.h). Its memory is the host's.
 */
#include "kit/function_calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ob_backend {
    ob_kit_env env;
    ob_kit_engine engine;
    ob_kit_device device;
    ob_kit_kernel *kernels; /* one per operator of the rows, and the end */
    const ob_kit_kernel *tables[3];
    char has[256]; /* "it has aten::relu, aten::mm" */
};

/* ---- memory ---- */

typedef struct walk {
    int ndim;
    int64_t sizes[OB_MAX_DIMS], strides[2][OB_MAX_DIMS]; /* in bytes */
    char *to;
    const char *from; /* of the same shape, or one element for all */
    size_t size;      /* of an element */
} walk;

static walk walk_of(const ob_host *host, const ob_tensor *to)
{
    walk w = {.ndim = to->ndim,
              .to = host->tensor_data(to),
              .size = host->dtype_get_info(to->dtype)->size_bytes};
    for (int d = 0; d < to->ndim; d++) {
        w.sizes[d] = to->sizes[d];
        w.strides[0][d] = to->strides[d] * (int64_t)w.size;
    }
    return w;
}

static void walk_run(const walk *w)
{
    int64_t at[OB_MAX_DIMS] = {0};
    char *to = w->to;
    const char *from = w->from;
    for (int64_t left = ob_shape_count(w->sizes, w->ndim); left > 0; left--) {
        memcpy(to, from, w->size);
        int d = w->ndim - 1;
        for (; d >= 0 && ++at[d] == w->sizes[d]; d--) {
            at[d] = 0;
            to -= w->strides[0][d] * (w->sizes[d] - 1);
            from -= w->strides[1][d] * (w->sizes[d] - 1);
        }
        if (d >= 0) {
            to += w->strides[0][d];
            from += w->strides[1][d];
        }
    }
}

static ob_status copy(ob_kit_env *env, const ob_tensor *to, const ob_tensor *from, ob_err *err)
{
    (void)err;
    walk w = walk_of(env->host, to);
    for (int d = 0; d < w.ndim; d++)
        w.strides[1][d] = from->strides[d] * (int64_t)w.size;
    w.from = env->host->tensor_data(from);
    walk_run(&w);
    return OB_OK;
}

/* What gradients begin with is 1, which 16 bits of a float, or of another layout, hold exactly. */
static ob_status fill(ob_kit_env *env, const ob_tensor *to, double value, ob_err *err)
{
    const float single = (float)value;
    const double parts[2] = {value, 0};
    const float single_parts[2] = {single, 0};
    const uint16_t half_one = 0x3C00;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    const uint16_t upper = (uint16_t)(bits >> 16);
    walk w = walk_of(env->host, to);
    switch (to->dtype) {
    case OB_DTYPE_F32:
    case OB_DTYPE_C64:
        w.from = (const char *)single_parts;
        break;
    case OB_DTYPE_F64:
    case OB_DTYPE_C128:
        w.from = (const char *)parts;
        break;
    case OB_DTYPE_BF16:
        w.from = (const char *)&upper;
        break;
    case OB_DTYPE_F16:
        w.from = (const char *)&half_one;
        break;
    default:
        return env->host->err_set(err, OB_ERR_UNSUPPORTED, "%s has no gradients",
                                  env->host->dtype_get_info(to->dtype)->name);
    }
    walk_run(&w);
    return OB_OK;
}

/* ---- rows ---- */

static ob_kit_kernel *kernel_of(ob_backend *backend, const char *op)
{
    ob_kit_kernel *kernel = backend->kernels;
    while (kernel->name != NULL && strcmp(kernel->name, op) != 0)
        kernel++;
    return kernel;
}

static void note_name(ob_backend *backend, const char *op)
{
    const size_t length = strlen(backend->has);
    snprintf(backend->has + length, sizeof backend->has - length, "%s%s",
             length > 0 ? ", " : "it has ", op);
}

static ob_status read_row(ob_backend *backend, const ob_kit_function_row *rows,
                          const ob_kit_function_row *row, ob_err *err)
{
    const ob_host *host = backend->env.host;
    if (strstr(row->op, "::") == NULL)
        return host->err_set(
            err, OB_ERR_PLUGIN,
            "the row \"%s\" does not name an operator; write its namespace, name and overload, "
            "such as aten::add.Tensor (`opbench list ops` lists them)",
            row->op);
    if (row->function == NULL || row->dtypes == 0)
        return host->err_set(err, OB_ERR_PLUGIN, "the row of %s has no %s; add it", row->op,
                             row->function == NULL ? "function" : "dtypes");
    ob_kit_kernel *kernel = kernel_of(backend, row->op);
    if (kernel->name == NULL)
        note_name(backend, row->op);
    *kernel = (ob_kit_kernel){.name = row->op,
                              .dtypes = kernel->dtypes | row->dtypes,
                              .data = rows,
                              .check = ob_kit_function_check,
                              .setup = ob_kit_function_setup,
                              .run = ob_kit_function_run};
    return OB_OK;
}

static ob_status read_rows(ob_backend *backend, const ob_kit_function_row *rows, ob_err *err)
{
    size_t count = 0;
    while (rows[count].op != NULL)
        count++;
    backend->kernels = calloc(count + 1, sizeof *backend->kernels);
    if (backend->kernels == NULL)
        return backend->env.host->err_set(err, OB_ERR_NOMEM, "out of memory for %zu rows", count);
    for (size_t i = 0; i < count; i++)
        OB_TRY(read_row(backend, rows, &rows[i], err));
    backend->tables[0] = backend->kernels;
    backend->tables[1] = ob_kit_kernels_view;
    return OB_OK;
}

/* ---- the backend's functions ---- */

void ob_kit_functions_close(ob_backend *backend)
{
    ob_kit_engine_close(&backend->engine);
    free(backend->kernels);
    free(backend);
}

ob_status ob_kit_functions_open(const ob_backend_settings *settings, const char *name,
                                const ob_kit_function_row *rows, ob_backend **out, ob_err *err)
{
    ob_backend *backend = calloc(1, sizeof *backend);
    *out = NULL;
    if (backend == NULL)
        return settings->host->err_set(err, OB_ERR_NOMEM, "out of memory");
    backend->env =
        (ob_kit_env){.host = settings->host, .backend = name, .threads = settings->threads};
    backend->device = (ob_kit_device){.name = name,
                                      .device_types = "cpu",
                                      .tables = backend->tables,
                                      .has_functions = true,
                                      .copy = copy,
                                      .fill = fill,
                                      .has = backend->has};
    ob_status status = read_rows(backend, rows, err);
    if (status == OB_OK)
        status = ob_kit_engine_open(&backend->engine, settings->host, &backend->device,
                                    &backend->env, err);
    if (status == OB_OK)
        *out = backend;
    else
        ob_kit_functions_close(backend);
    return status;
}

ob_status ob_kit_functions_supports(ob_backend *backend, const ob_graph *graph, ob_pass pass,
                                    ob_reason *why_not)
{
    return ob_kit_supports(&backend->engine, graph, pass, why_not);
}

ob_status ob_kit_functions_prepare(ob_backend *backend, const ob_prepare_args *args,
                                   ob_prepared **out, ob_err *err)
{
    return ob_kit_prepare(&backend->engine, args, out, err);
}

ob_status ob_kit_functions_memory_peak(ob_backend *backend, bool reset, uint64_t *peak_bytes,
                                       ob_err *err)
{
    (void)err;
    return ob_kit_memory_peak(&backend->engine, reset, peak_bytes);
}

ob_status ob_kit_functions_set_threads(ob_backend *backend, int threads, ob_err *err)
{
    (void)err;
    backend->env.threads = threads;
    return OB_OK;
}
