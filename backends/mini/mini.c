/* SPDX-License-Identifier: Apache-2.0
 *
 * A backend by the kit (opbench/kit.h): it has three kernels for float32 and nothing else of its own. Graphs, views,
 * memory, what the backward needs, and results come from the kit, which the plug-in links.
 */
#include <opbench/kit.h>

#include <stdlib.h>

struct ob_kit_env {
    const ob_host *host;
};

struct ob_backend {
    ob_kit_env env;
    ob_kit_engine engine;
};

/* ------------------------------------------------------------------ a walk over up to three tensors */

typedef enum work { NEG, MUL, ADD, COPY, FILL } work;

typedef struct walk {
    int ndim;
    int64_t sizes[OB_MAX_DIMS], strides[3][OB_MAX_DIMS];
    float *data[3]; /* the result, then what it is computed of */
    float number;   /* what is filled in, or multiplies the second operand of a sum */
} walk;

/* Tensors are broadcast to the first; dimensions that all of them have in one piece are one loop. */
static void walk_init(const ob_host *host, const ob_tensor *const *tensors, int count, walk *w)
{
    ob_kit_dims dims = {.ndim = tensors[0]->ndim, .operand_count = count, .sizes = w->sizes};
    for (int d = 0; d < dims.ndim; d++)
        w->sizes[d] = tensors[0]->sizes[d];
    for (int k = 0; k < count; k++) {
        ob_kit_broadcast_strides(tensors[k], dims.ndim, w->strides[k]);
        dims.strides[k] = w->strides[k];
        w->data[k] = host->tensor_data(tensors[k]);
    }
    ob_kit_dims_drop_ones(&dims);
    ob_kit_dims_merge(&dims);
    w->ndim = dims.ndim;
}

static void walk_run(const walk *w, work what)
{
    const int64_t count = ob_shape_count(w->sizes, w->ndim);
    for (int64_t i = 0; i < count; i++) {
        int64_t at[3] = {0}, rest = i;
        for (int d = w->ndim - 1; d >= 0; rest /= w->sizes[d], d--)
            for (int k = 0; k < 3; k++)
                at[k] += rest % w->sizes[d] * w->strides[k][d];
        const float x = w->data[1] != NULL ? w->data[1][at[1]] : w->number;
        const float y = w->data[2] != NULL ? w->data[2][at[2]] : 0;
        w->data[0][at[0]] = what == NEG   ? -x
                            : what == MUL ? x * y
                            : what == ADD ? x + w->number * y
                                          : x;
    }
}

/* ------------------------------------------------------------------ kernels */

/* All looking up is done here, once per case. */
static ob_status set_up(ob_kit_call *call, ob_err *err)
{
    const ob_tensor *tensors[3] = {ob_kit_output(call, 0), ob_kit_arg_tensor(call, "self"),
                                   ob_kit_arg_tensor(call, "other")};
    void *state;
    OB_TRY(ob_kit_state(call, sizeof(walk), &state, err));
    walk_init(call->host, tensors, tensors[2] != NULL ? 3 : 2, state);
    ((walk *)state)->number = (float)ob_kit_arg_double(call, "alpha", 1);
    return OB_OK;
}

static ob_status compute(const ob_kit_call *call, ob_err *err)
{
    (void)err;
    walk_run(call->state, (work)call->kernel->variant);
    return OB_OK;
}

/* What the mask of dtypes cannot say: the second operand is of the same type. */
static ob_status check(ob_kit_call *call, ob_err *err)
{
    const ob_tensor *other = ob_kit_arg_tensor(call, "other");
    if (other == NULL || other->dtype == OB_DTYPE_F32)
        return OB_OK;
    return call->host->err_set(err, OB_ERR_UNSUPPORTED, "the few backend computes in float32 only");
}

#define KERNEL(kernel, kind)                                                                       \
    {                                                                                              \
        .name = kernel, .dtypes = OB_KIT_BIT(F32), .setup = set_up, .run = compute,                \
        .variant = kind, .check = check                                                            \
    }
static const ob_kit_kernel KERNELS[] = {
    KERNEL("aten::neg", NEG),
    KERNEL("aten::mul.Tensor", MUL),
    KERNEL("aten::add.Tensor", ADD),
    {.name = NULL},
};
static const ob_kit_kernel *const TABLES[] = {KERNELS, ob_kit_kernels_view, NULL};

/* ------------------------------------------------------------------ the device */

static ob_status copy(ob_kit_env *env, const ob_tensor *to, const ob_tensor *from, ob_err *err)
{
    walk w = {.number = 0};
    (void)err;
    walk_init(env->host, (const ob_tensor *[]){to, from}, 2, &w);
    walk_run(&w, COPY);
    return OB_OK;
}

static ob_status fill(ob_kit_env *env, const ob_tensor *to, double value, ob_err *err)
{
    walk w = {.number = (float)value};
    (void)err;
    walk_init(env->host, &to, 1, &w);
    walk_run(&w, FILL);
    return OB_OK;
}

static const ob_kit_device DEVICE = {
    .name = "mini",
    .device_types = "cpu",
    .dtypes = OB_KIT_BIT(F32),
    .tables = TABLES,
    .copy = copy,
    .fill = fill,
};

/* ------------------------------------------------------------------ the backend */

static void close_backend(ob_backend *backend)
{
    ob_kit_engine_close(&backend->engine);
    free(backend);
}

static ob_status open_backend(const ob_backend_settings *settings, ob_backend **out, ob_err *err)
{
    *out = calloc(1, sizeof **out);
    if (*out == NULL)
        return settings->host->err_set(err, OB_ERR_NOMEM, "out of memory");
    (*out)->env.host = settings->host;
    const ob_status status =
        ob_kit_engine_open(&(*out)->engine, settings->host, &DEVICE, &(*out)->env, err);
    if (status != OB_OK) {
        close_backend(*out);
        *out = NULL;
    }
    return status;
}

static ob_status supports(ob_backend *backend, const ob_graph *graph, ob_pass pass,
                          ob_reason *why_not)
{
    return ob_kit_supports(&backend->engine, graph, pass, why_not);
}

static ob_status prepare(ob_backend *backend, const ob_prepare_args *args, ob_prepared **out,
                         ob_err *err)
{
    return ob_kit_prepare(&backend->engine, args, out, err);
}

static ob_status memory_peak(ob_backend *backend, bool reset, uint64_t *peak_bytes, ob_err *err)
{
    (void)err;
    return ob_kit_memory_peak(&backend->engine, reset, peak_bytes);
}

static const ob_backend_desc BACKEND = {
    .name = "mini",
    .help = "an example: three operators on float32, by the kit",
    .device_types = "cpu",
    .open = open_backend,
    .close = close_backend,
    .supports = supports,
    .prepare = prepare,
    .release = ob_kit_release,
    .run = ob_kit_run,
    .outputs = ob_kit_outputs,
    .memory_peak = memory_peak,
};

static const ob_backend_desc *const BACKENDS[] = {&BACKEND, NULL};

static const ob_plugin PLUGIN = {
    OB_PLUGIN_HEAD,
    .name = "example-kit",
    .version = "1.0",
    .backends = BACKENDS,
};

OB_PLUGIN_EXPORT const ob_plugin *ob_plugin_entry(const ob_host *host, ob_reason *why_not);

const ob_plugin *ob_plugin_entry(const ob_host *host, ob_reason *why_not)
{
    (void)host, (void)why_not;
    return &PLUGIN;
}
