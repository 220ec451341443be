/* SPDX-License-Identifier: Apache-2.0
 *
 * The shortest way from a function to a backend: rows of an operator, its dtypes and a pointer to
 * the function that computes it in host memory. The rest of the plug-in comes from the kit,
 * libopbench_kit.a (`pkg-config --libs opbench-kit`). examples/plugin/kernel is a complete example;
 * opbench/kit.h is for backends that need more.
 *
 *     static void relu(const ob_kit_function_args *args)
 *     {
 *         const float *in = args->in[0].data;
 *         float *out = args->out[0].data;
 *         for (int64_t i = 0; i < args->out[0].count; i++)
 *             out[i] = in[i] > 0 ? in[i] : 0;
 *     }
 *     static const ob_kit_function_row ROWS[] = {
 *         {.op = "aten::relu", .dtypes = OB_KIT_BIT(F32), .function = relu}, {.op = NULL}};
 *     OB_KERNEL_PLUGIN("mine", ROWS);
 *
 * Calls that no row takes are refused, with the reason, before a function is called.
 */
#ifndef OPBENCH_KERNEL_PLUGIN_H
#define OPBENCH_KERNEL_PLUGIN_H

#include "opbench/kit.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One tensor, in host memory. */
typedef struct ob_kit_data {
    void *data;    /* address of the first element; NULL: the argument is None */
    int64_t count; /* number of elements */
    ob_dtype dtype;
    int ndim;
    const int64_t *sizes, *strides; /* strides are in elements */
} ob_kit_data;

/* What a function is called with. In place, out[0] is in[0]. */
typedef struct ob_kit_function_args {
    const ob_kit_data *in, *out; /* tensors in the schema's order; those of a list one by one */
    size_t in_count, out_count;
    /* The schema's numbers (int, float, bool, Scalar), in its order; NaN: the argument is None.
     * Lists of them, and texts, are found by their names: ob_kit_arg_ints(args->call,
     * "kernel_size", ...). */
    const double *numbers;
    size_t number_count;
    int threads; /* threads that it may use: --num-threads */
    const ob_kit_call *call;
} ob_kit_function_args;

typedef void (*ob_kit_function)(const ob_kit_function_args *args);

/* Which tensors a function can work on. */
typedef enum ob_kit_shapes {
    OB_KIT_ONE_SHAPE = 0, /* all have the same sizes and are contiguous: one loop will do */
    OB_KIT_CONTIGUOUS,    /* it looks at the sizes; each tensor is contiguous */
    OB_KIT_ANY_STRIDES,   /* it looks at the strides, too */
} ob_kit_shapes;

/* Several rows may have one operator: the first that takes the call is used. */
typedef struct ob_kit_function_row {
    const char *op;  /* "aten::add.Tensor": namespace, name, overload; NULL ends the rows */
    uint32_t dtypes; /* of the first tensor: OB_KIT_BIT(F32) | OB_KIT_BIT(F64) */
    ob_kit_function function; /* computes the operator */
    ob_kit_shapes shapes;
    uint32_t other_dtypes; /* further dtypes that other tensors may have: indices, masks */
} ob_kit_function_row;

/* A plug-in that is one backend of the rows' operators. Once per plug-in, at the end of its
 * file. */
#define OB_KERNEL_PLUGIN(backend_name, rows)                                                       \
    static ob_status ob_kit_open_rows(const ob_backend_settings *settings, ob_backend **out,       \
                                      ob_err *err)                                                 \
    {                                                                                              \
        return ob_kit_functions_open(settings, (backend_name), (rows), out, err);                  \
    }                                                                                              \
    static const ob_backend_desc ob_kit_backend_of_rows = {                                        \
        .name = (backend_name),                                                                    \
        .help = "kernels of the plug-in " backend_name,                                            \
        .device_types = "cpu",                                                                     \
        .open = ob_kit_open_rows,                                                                  \
        .close = ob_kit_functions_close,                                                           \
        .supports = ob_kit_functions_supports,                                                     \
        .prepare = ob_kit_functions_prepare,                                                       \
        .release = ob_kit_release,                                                                 \
        .run = ob_kit_run,                                                                         \
        .outputs = ob_kit_outputs,                                                                 \
        .memory_peak = ob_kit_functions_memory_peak,                                               \
        .set_threads = ob_kit_functions_set_threads,                                               \
        .refill = ob_kit_refill,                                                                   \
    };                                                                                             \
    OB_PLUGIN_OF_BACKEND(ob_kit_backend_of_rows, backend_name, "1")

/* ---- for the macro ---- */

ob_status ob_kit_functions_open(const ob_backend_settings *settings, const char *name,
                                const ob_kit_function_row *rows, ob_backend **out, ob_err *err);
void ob_kit_functions_close(ob_backend *backend);
ob_status ob_kit_functions_supports(ob_backend *backend, const ob_graph *graph, ob_pass pass,
                                    ob_reason *why_not);
ob_status ob_kit_functions_prepare(ob_backend *backend, const ob_prepare_args *args,
                                   ob_prepared **out, ob_err *err);
ob_status ob_kit_functions_memory_peak(ob_backend *backend, bool reset, uint64_t *peak_bytes,
                                       ob_err *err);
ob_status ob_kit_functions_set_threads(ob_backend *backend, int threads, ob_err *err);

#ifdef __cplusplus
}
#endif

#endif
