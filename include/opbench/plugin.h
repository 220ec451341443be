/* SPDX-License-Identifier: Apache-2.0
 *
 * Plug-ins: backends, operators, data generators and config iterators.
 *
 * A plug-in is one shared object that exports one symbol, `ob_plugin_entry`, of type
 * ob_plugin_entry_fn. It gets the host's function table (plug-ins link against nothing of ours) and
 * returns a const struct; the same struct is used when a plug-in is linked in. No constructors,
 * never dlclosed. The ABI number changes when a struct here changes in a way that old plug-ins
 * would misread; fields are appended under the same number, `size` tells how much of a struct the
 * plug-in knows, and OB_PLUGIN_HEAD has the sizes of all others that it hands over. Small values
 * (ob_value, ob_tensor, ob_cost, ob_kernel, ob_reason, ...) do not grow. "(required)" marks what
 * must be set; every other function pointer may be NULL.
 */
#ifndef OPBENCH_PLUGIN_H
#define OPBENCH_PLUGIN_H

#include "opbench/arg.h"
#include "opbench/graph.h"
#include "opbench/log.h"
#include "opbench/option.h"
#include "opbench/rng.h"
#include "opbench/shared_object.h"

#ifdef __cplusplus
extern "C" {
#endif

#define OB_PLUGIN_MAGIC 0x4f42504cu /* "OBPL" */
#define OB_PLUGIN_ABI 2u

/* ------------------------------------------------------------------ the host's table */

/* name in the table, return type, library function, parameters. Append only. */
#define OB_HOST_MAP(X)                                                                             \
    X(err_set, ob_status, ob_err_set, (ob_err *, ob_status, const char *, ...))                    \
    X(err_set_at, ob_status, ob_err_set_at,                                                        \
      (ob_err *, ob_status, const char *, uint32_t, uint32_t, const char *, const char *, ...))    \
    X(storage_create, ob_status, ob_storage_create, (size_t, ob_storage **, ob_err *))             \
    X(storage_wrap, ob_status, ob_storage_wrap,                                                    \
      (void *, size_t, const ob_device *, ob_storage_deleter, void *, ob_storage **, ob_err *))    \
    X(storage_retain, ob_storage *, ob_storage_retain, (ob_storage *))                             \
    X(storage_release, void, ob_storage_release, (ob_storage *))                                   \
    X(storage_data, void *, ob_storage_data, (const ob_storage *))                                 \
    X(storage_size, size_t, ob_storage_size, (const ob_storage *))                                 \
    X(tensor_init, ob_status, ob_tensor_init,                                                      \
      (ob_tensor *, ob_dtype, const int64_t *, int, const int64_t *, ob_err *))                    \
    X(tensor_init_meta, ob_status, ob_tensor_init_meta,                                            \
      (ob_tensor *, ob_dtype, const int64_t *, int, const int64_t *, ob_err *))                    \
    X(tensor_init_view, ob_status, ob_tensor_init_view,                                            \
      (ob_tensor *, ob_storage *, ob_dtype, const int64_t *, int, const int64_t *, int64_t,        \
       ob_err *))                                                                                  \
    X(tensor_copy, ob_status, ob_tensor_copy, (ob_tensor *, const ob_tensor *, ob_err *))          \
    X(tensor_fini, void, ob_tensor_fini, (ob_tensor *))                                            \
    X(tensor_numel, int64_t, ob_tensor_numel, (const ob_tensor *))                                 \
    X(tensor_data, void *, ob_tensor_data, (const ob_tensor *))                                    \
    X(tensor_is_contiguous, bool, ob_tensor_is_contiguous, (const ob_tensor *))                    \
    X(dtype_get_info, const ob_dtype_info *, ob_dtype_get_info, (ob_dtype))                        \
    X(dtype_from_name, ob_dtype, ob_dtype_from_name, (const char *, size_t))                       \
    X(value_init_str, ob_status, ob_value_init_str, (ob_value *, const char *, size_t, ob_err *))  \
    X(value_init_tensor, ob_status, ob_value_init_tensor,                                          \
      (ob_value *, const ob_tensor *, ob_err *))                                                   \
    X(value_init_list, ob_status, ob_value_init_list,                                              \
      (ob_value *, ob_value_kind, size_t, ob_err *))                                               \
    X(value_copy, ob_status, ob_value_copy, (ob_value *, const ob_value *, ob_err *))              \
    X(value_fini, void, ob_value_fini, (ob_value *))                                               \
    X(json_get_kind, ob_json_kind, ob_json_get_kind, (const ob_json *))                            \
    X(json_line, uint32_t, ob_json_line, (const ob_json *))                                        \
    X(json_column, uint32_t, ob_json_column, (const ob_json *))                                    \
    X(json_bool, bool, ob_json_bool, (const ob_json *, bool))                                      \
    X(json_int, int64_t, ob_json_int, (const ob_json *, int64_t))                                  \
    X(json_real, double, ob_json_real, (const ob_json *, double))                                  \
    X(json_string, const char *, ob_json_string, (const ob_json *, size_t *))                      \
    X(json_count, size_t, ob_json_count, (const ob_json *))                                        \
    X(json_item, const ob_json *, ob_json_item, (const ob_json *, size_t))                         \
    X(json_key, const char *, ob_json_key, (const ob_json *, size_t))                              \
    X(json_get, const ob_json *, ob_json_get, (const ob_json *, const char *))                     \
    X(json_doc_create, ob_status, ob_json_doc_create, (ob_json_doc **, ob_err *))                  \
    X(json_doc_destroy, void, ob_json_doc_destroy, (ob_json_doc *))                                \
    X(json_new_bool, ob_json *, ob_json_new_bool, (ob_json_doc *, bool))                           \
    X(json_new_int, ob_json *, ob_json_new_int, (ob_json_doc *, int64_t))                          \
    X(json_new_real, ob_json *, ob_json_new_real, (ob_json_doc *, double))                         \
    X(json_new_string, ob_json *, ob_json_new_string, (ob_json_doc *, const char *, size_t))       \
    X(json_new_array, ob_json *, ob_json_new_array, (ob_json_doc *))                               \
    X(json_new_object, ob_json *, ob_json_new_object, (ob_json_doc *))                             \
    X(json_append, ob_status, ob_json_append,                                                      \
      (ob_json_doc *, ob_json *, const ob_json *, ob_err *))                                       \
    X(json_set, ob_status, ob_json_set,                                                            \
      (ob_json_doc *, ob_json *, const char *, const ob_json *, ob_err *))                         \
    X(rng_init, void, ob_rng_init, (ob_rng *, uint64_t, uint64_t))                                 \
    X(rng_u64, uint64_t, ob_rng_u64, (ob_rng *))                                                   \
    X(rng_double, double, ob_rng_double, (ob_rng *))                                               \
    X(rng_int, int64_t, ob_rng_int, (ob_rng *, int64_t, int64_t))                                  \
    X(rng_normal, double, ob_rng_normal, (ob_rng *))                                               \
    X(rng_uniform, double, ob_rng_uniform, (ob_rng *, double, double))                             \
    X(log_message, void, ob_log_message, (const ob_log *, ob_log_level, const char *, ...))        \
    X(json_new_null, ob_json *, ob_json_new_null, (ob_json_doc *))                                 \
    X(schema_find_arg, int, ob_schema_find_arg, (const ob_schema *, const char *))                 \
    X(shape_span_bytes, ob_status, ob_shape_span_bytes,                                            \
      (const int64_t *, const int64_t *, int, ob_dtype, int64_t *, ob_err *))                      \
    X(tensor_init_sparse, ob_status, ob_tensor_init_sparse,                                        \
      (ob_tensor *, const int64_t *, int, const ob_tensor *, const ob_tensor *, ob_err *))         \
    X(dtype_promote, ob_dtype, ob_dtype_promote, (ob_dtype, ob_dtype))                             \
    X(graph_decompose, ob_status, ob_graph_decompose,                                              \
      (const ob_graph *, ob_op_filter, void *, ob_graph **, ob_err *))                             \
    X(graph_destroy, void, ob_graph_destroy, (ob_graph *))                                         \
    X(graph_derive_backward, ob_status, ob_graph_derive_backward,                                  \
      (const ob_graph *, ob_backward *, ob_err *))                                                 \
    X(backward_fini, void, ob_backward_fini, (ob_backward *))                                      \
    X(storage_device, const ob_device *, ob_storage_device, (const ob_storage *))                  \
    X(shared_object_find, bool, ob_shared_object_find, (const char *, char *, size_t))             \
    X(shared_object_open, ob_status, ob_shared_object_open, (const char *, void **, ob_err *))

typedef struct ob_host {
    uint32_t abi;
    uint32_t size; /* functions at this offset or beyond are missing: the host is older */
#define OB_HOST_FIELD(field, type, function, parameters) type(*field) parameters;
    OB_HOST_MAP(OB_HOST_FIELD)
#undef OB_HOST_FIELD
} ob_host;

/* ------------------------------------------------------------------ backends */

typedef struct ob_backend ob_backend;   /* one opened backend; the plug-in defines it */
typedef struct ob_prepared ob_prepared; /* one case, ready to run; the plug-in defines it */
typedef struct ob_event ob_event; /* a point on the device's time line; the plug-in defines it */

/* What `run` does. Each is timed, or not, by the executor; a backend never times itself. */
typedef enum ob_phase {
    OB_PHASE_FORWARD,
    OB_PHASE_MAKE_GRAD, /* make the gradients of the outputs (ones) */
    OB_PHASE_BACKWARD,  /* zero grad comes between two of them */
    OB_PHASE_ZERO_GRAD, /* drop the gradients of inputs and parameters */
    OB_PHASE_RESTORE,   /* restore inputs that the operator changed in place */
} ob_phase;

typedef enum ob_pass { OB_PASS_FORWARD = 0, OB_PASS_BACKWARD = 1 } ob_pass;

typedef struct ob_reason {
    char text[256]; /* why not, and what would help */
} ob_reason;

typedef struct ob_backend_settings {
    const ob_host *host;
    const ob_log *log;
    ob_device device;
    int threads;
    uint64_t seed;
    const void *options; /* the backend's own options struct, filled by its rows */
} ob_backend_settings;

/* The graphs stay valid until the prepared case is released. */
typedef struct ob_prepare_args {
    const ob_graph *graph;
    const ob_backward *backward; /* NULL without -b, or when the backend has has_autograd */
    /* One value per INPUT edge of the graph, in edge order; then one per PARAMETER or BUFFER. Host
     * memory, shared: the backend takes its own references. */
    const ob_value *inputs;
    size_t input_count;
    const ob_value *parameters;
    size_t parameter_count;
    ob_pass pass;
    bool inference_mode;
    bool once; /* forward is run one time and never restored: no copies of inputs are needed */
} ob_prepare_args;

/* One property of a backend for the header record ("library" = "OpenBLAS 0.3.21"). */
typedef void (*ob_property_fn)(void *ctx, const char *name, const char *value);
/* One schema of a backend that brings operators of its own. */
typedef ob_status (*ob_schema_fn)(void *ctx, const char *schema_text);

/* One operator that ran inside a case, as the backend's library tells of it. */
typedef struct ob_kernel {
    const char *name; /* "aten::mm" */
    double start_ns;  /* on the monotonic clock */
    double duration_ns;
    int depth; /* 0: called by the case itself; 1: by one of those; ... */
} ob_kernel;
typedef ob_status (*ob_kernel_fn)(void *ctx, const ob_kernel *kernel);

/* ------------------------------------------------------------------ references */

/* What the results of a case should be, and how far a correct kernel may be off: for --check. It
 * runs in the same worker as the backend that it checks, and shares nothing with it. */
typedef struct ob_reference ob_reference; /* of one case; the plug-in defines it */

typedef struct ob_reference_args {
    const ob_host *host;
    const ob_graph *graph;       /* as in ob_prepare_args */
    const ob_backward *backward; /* NULL = forward alone */
    const ob_value *inputs, *parameters;
    size_t input_count, parameter_count;
    double seconds;      /* approximate limit, beyond which only some elements are computed */
    double most_seconds; /* OB_ERR_LIMIT if all elements are needed and take longer */
    uint64_t seed;       /* decides which elements */
} ob_reference_args;

typedef enum ob_reference_kind {
    OB_REFERENCE_UNKNOWN, /* nothing is known about it; `reason` says why */
    OB_REFERENCE_VALUES,  /* a value and a bound for each element */
    OB_REFERENCE_JUDGED,  /* there is no single correct value: ask `judge` */
} ob_reference_kind;

/* One tensor of the results. Elements are row-major; of complex ones values and bounds have two
 * numbers each. */
typedef struct ob_reference_result {
    size_t size; /* sizeof(ob_reference_result) */
    ob_reference_kind kind;
    ob_dtype dtype;
    int ndim;
    const int64_t *sizes;
    int64_t count;         /* elements that were computed */
    const int64_t *places; /* which; NULL = all */
    const double *values;  /* NULL for integers and bool */
    const int64_t *wholes; /* the same for integers and bool */
    const double *bounds;  /* of |got - value|; INFINITY = nothing is known */
    double norm;           /* bound on the Euclidean norm of the differences */
    const char *reason;
    double shared; /* all elements may be off by this fraction, by a common factor */
} ob_reference_result;

typedef struct ob_reference_desc {
    /* OB_ERR_UNSUPPORTED or OB_ERR_LIMIT with the reason when there is none for the case. */
    ob_status (*compute)(const ob_reference_args *args, ob_reference **out, ob_err *err);
    void (*destroy)(ob_reference *reference);
    /* Tensors of the outputs (lists are flattened; for a graph without outputs, the inputs as it
     * left them), or of the gradients in the order of backward->targets. */
    size_t (*count)(const ob_reference *reference, ob_pass pass);
    const ob_reference_result *(*result)(const ob_reference *reference, ob_pass pass, size_t index);
    /* Whether a backend's result, in host memory, may be correct; if not, why says what is
     * wrong. */
    bool (*judge)(const ob_reference *reference, ob_pass pass, size_t index, const ob_tensor *got,
                  ob_reason *why);
} ob_reference_desc;

typedef struct ob_backend_desc {
    const char *name;         /* (required) "native" */
    const char *help;         /* (required) one line */
    const char *device_types; /* (required) "cpu cuda": which --device words it takes */
    const ob_option *options; /* rows, or NULL */
    size_t options_size;      /* of the struct that the rows fill */
    bool has_autograd;        /* runs backward by itself; needs no derived graph */
    bool asynchronous;        /* run returns before the work is done */

    /* Whether it can work here (library, device), without loading anything heavy. Fills why_not if
     * it cannot. */
    ob_status (*probe)(const ob_host *host, ob_reason *why_not);
    ob_status (*open)(const ob_backend_settings *settings, ob_backend **out,
                      ob_err *err);     /* (required) */
    void (*close)(ob_backend *backend); /* (required) */

    /* OB_OK, or OB_ERR_UNSUPPORTED with the reason. */
    ob_status (*supports)(ob_backend *backend, const ob_graph *graph, ob_pass pass,
                          ob_reason *why_not); /* (required) */
    ob_status (*prepare)(ob_backend *backend, const ob_prepare_args *args, ob_prepared **out,
                         ob_err *err);      /* (required) */
    void (*release)(ob_prepared *prepared); /* (required) */

    /* Hot. Runs a phase `iterations` times, enqueued if asynchronous. No allocation that can be
     * avoided, no log. Failures may also arrive at sync. (required) */
    ob_status (*run)(ob_prepared *prepared, ob_phase phase, uint64_t iterations, ob_err *err);
    /* Outputs of the last forward, or gradients (in the order of backward->targets, or of the
     * inputs and parameters that require one). Values are the caller's; data is in host memory. */
    ob_status (*outputs)(ob_prepared *prepared, ob_pass pass, ob_value *values, size_t capacity,
                         size_t *count, ob_err *err);
    /* Waits until everything enqueued is done. Required if asynchronous. */
    ob_status (*sync)(ob_backend *backend, ob_err *err);

    ob_status (*event_create)(ob_backend *backend, ob_event **out, ob_err *err);
    ob_status (*event_record)(ob_event *event, ob_err *err);
    ob_status (*event_elapsed_ns)(ob_event *start, ob_event *end, double *elapsed_ns, ob_err *err);
    void (*event_destroy)(ob_event *event);

    /* Device memory as storage, and copies between host and device. */
    ob_status (*alloc)(ob_backend *backend, size_t size_bytes, ob_storage **out, ob_err *err);
    ob_status (*copy)(ob_backend *backend, ob_storage *to, const ob_storage *from,
                      size_t size_bytes, ob_err *err);
    /* Highest use by the backend's allocator since the last reset. */
    ob_status (*memory_peak)(ob_backend *backend, bool reset, uint64_t *peak_bytes, ob_err *err);
    /* Drops cached operands of the prepared case, or the whole last-level cache; how is the word
     * for the record. NULL = in host memory the core does it, elsewhere it cannot be done. */
    ob_status (*flush_cache)(ob_backend *backend, ob_prepared *prepared, const char **how,
                             ob_err *err);

    ob_status (*set_threads)(ob_backend *backend, int threads, ob_err *err);
    void (*properties)(ob_backend *backend, ob_property_fn fn, void *ctx);
    /* Calls fn for each schema the backend can run beyond the core's rows (libtorch: thousands). */
    ob_status (*schemas)(ob_backend *backend, ob_schema_fn fn, void *ctx, ob_err *err);
    /* The host's time in ns, for backends whose time is not the machine's (null, simulators); the
     * executor then times with it. NULL = the monotonic clock. */
    uint64_t (*clock_ns)(ob_backend *backend);
    /* Backends with has_autograd, after prepare with OB_PASS_BACKWARD: false when no output depends
     * on anything that requires a gradient, so that there is no backward to run. NULL = there is
     * one. */
    bool (*has_backward)(ob_prepared *prepared);
    /* Runs the pass once more (backward: including its forward, which is not reported) and calls fn
     * for every operator inside, in the order of their starts. Not timed by anyone: for
     * --profile. */
    ob_status (*kernels)(ob_prepared *prepared, ob_pass pass, ob_kernel_fn fn, void *ctx,
                         ob_err *err);
    /* How many threads it really uses, if that may be fewer than set_threads asked for. NULL = as
     * many as asked for. */
    int (*threads)(ob_backend *backend);
    /* Why it never runs an operator of its own ("aten::from_file"; the overload does not matter):
     * effects outside of the process. NULL = it does run it. The text is static. NULL here = it
     * refuses none. */
    const char *(*refuses)(ob_backend *backend, const char *name);
    /* Without has_autograd: a gradient that would only be the incoming one, or a view of it, is
     * copied to its own memory, as PyTorch does. The backend must have aten::clone. */
    bool owns_gradients;
    /* Accepts sparse tensors as inputs; otherwise cases with one are refused. */
    bool takes_sparse;
    /* Properties of one prepared case, for its record: "forward" = the implementations that a
     * library chose for it. Asked once, after prepare. */
    void (*case_properties)(ob_prepared *prepared, ob_property_fn fn, void *ctx);
    /* The library that does its work, with its version, for listings: "oneDNN 2.6.3". It may be
     * loaded for that. NULL = there is none. */
    void (*library)(ob_backend *backend, ob_reason *out);
    /* Environment variables, with values, that limit its libraries to common instructions:
     * "ONEDNN_MAX_CPU_ISA=AVX2". Shown when a case dies of SIGILL. NULL = there are none. */
    const char *isa_limits;
    /* Called when inputs and parameters have new elements in the same host memory: takes them over
     * (uploads, reorders), so that the next forward computes with them. NULL = prepare is called
     * again instead. */
    ob_status (*refill)(ob_prepared *prepared, ob_err *err);
    /* What results should be, for all backends; opbench uses native's. NULL = it has none. */
    const ob_reference_desc *reference;
    /* Passes to fn the text of a config in which the user's own iterators and data generators,
     * given to this backend, are replaced: iterators by lists, data generators by one of the
     * plug-in. NULL = users cannot bring any. */
    ob_status (*expand)(ob_backend *backend, const char *config, ob_schema_fn fn, void *ctx,
                        ob_err *err);
} ob_backend_desc;

/* ------------------------------------------------------------------ data generators */

/* What a generator gets. */
typedef struct ob_generate_args {
    const ob_host *host;
    /* {"args": [...], "kwargs": {...}}: one materialised build or input; may be NULL. */
    const ob_json *entry;
    const char *op_name;
    const ob_device *device;
    ob_rng *rng;
} ob_generate_args;

/* Values made from an entry. Arrays are malloc'ed by the host before the call: `args` has one slot
 * per item of entry.args and min_capacity of the desc more, kwargs one per member and as many more;
 * all NONE. Names of kwargs are the plug-in's or the entry's, and stay. */
typedef struct ob_generated {
    ob_value *args;
    size_t arg_count; /* in: slots; out: how many are used */
    ob_value *kwargs;
    const char **kwarg_names;
    size_t kwarg_count;
} ob_generated;

typedef struct ob_generator_desc {
    const char *name; /* (required) */
    const char *help; /* (required) */
    /* Argument types of its own, ended by name == NULL; they come before the core's.
     * NULL = none. */
    const ob_arg_type *types;
    bool own_types_only; /* the core's types are not accepted */
    size_t min_capacity; /* argument slots of each kind that it may need beyond the entry's */
    /* Its own check of one materialised entry, after the types' checks passed. err's position is
     * filled by the core if left 0. */
    ob_status (*validate)(const ob_host *host, const ob_json *entry, ob_err *err);
    ob_status (*generate)(const ob_generate_args *args, ob_generated *out,
                          ob_err *err); /* (required) */
} ob_generator_desc;

/* ------------------------------------------------------------------ config iterators */

typedef struct ob_iterator_args {
    const ob_host *host;
    const ob_log *log;      /* for warnings; may be NULL */
    const ob_json *entries; /* the list under "build" or "input" */
    const char *key;        /* "build" or "input" */
    const ob_json *build;   /* the materialised build the inputs belong to; NULL = none */
    const char *device;
    const struct ob_generator_desc *generator; /* whose argument types apply */
} ob_iterator_args;

/* One step: the id within the list ("3", "0_12") and the materialised entry, valid until the next
 * call on the same state. */
typedef struct ob_iterator_item {
    char id[64];
    const ob_json *entry;
    const void *core; /* for the core's own iterators; plug-ins leave it NULL */
    /* An iterator of inputs may give each its build, where both depend on the same variables; the
     * config has no "build" then. NULL = the config's build. */
    const ob_json *build;
} ob_iterator_item;

typedef struct ob_iterator_desc {
    const char *name;      /* (required) */
    const char *help;      /* (required) */
    bool depends_on_build; /* count and items change with the build */
    /* Its own check of the list, once, before anything runs (args->build is NULL). Set err's
     * position from json_line and json_column of the offending node; the core adds file and
     * path. */
    ob_status (*validate)(const ob_iterator_args *args, ob_err *err);
    ob_status (*open)(const ob_iterator_args *args, void **state, ob_err *err); /* (required) */
    uint64_t (*count)(void *state);                                             /* (required) */
    /* Item `index` < count, in any order, though mostly one after the other. (required) */
    ob_status (*at)(void *state, uint64_t index, ob_iterator_item *item, ob_err *err);
    void (*close)(void *state); /* (required) */
} ob_iterator_desc;

/* ------------------------------------------------------------------ the plug-in */

/* The first fields of every ob_plugin: `static const ob_plugin PLUGIN = {OB_PLUGIN_HEAD, ...}`. */
#define OB_PLUGIN_HEAD                                                                             \
    .magic = OB_PLUGIN_MAGIC, .abi = OB_PLUGIN_ABI, .size = sizeof(ob_plugin),                     \
    .backend_size = sizeof(ob_backend_desc), .operator_size = sizeof(ob_op_row),                   \
    .generator_size = sizeof(ob_generator_desc), .iterator_size = sizeof(ob_iterator_desc),        \
    .option_size = sizeof(ob_option), .arg_type_size = sizeof(ob_arg_type),                        \
    .arg_attr_size = sizeof(ob_arg_attr), .constraint_size = sizeof(ob_constraint),                \
    .reference_size = sizeof(ob_reference_desc)

typedef struct ob_plugin {
    uint32_t magic; /* OB_PLUGIN_MAGIC */
    uint32_t abi;   /* OB_PLUGIN_ABI */
    uint32_t size;  /* sizeof(ob_plugin) */
    /* sizeof of what the lists point to, as the plug-in was compiled. */
    uint32_t backend_size, operator_size, generator_size, iterator_size, option_size;
    const char *name;    /* (required) no blanks */
    const char *version; /* for listings; may be NULL */
    /* Each list ends with NULL; a NULL list is empty. */
    const ob_backend_desc *const *backends;
    const ob_op_row *const *operators;
    const ob_generator_desc *const *generators;
    const ob_iterator_desc *const *iterators;
    /* sizeof of what those structs point to. */
    uint32_t arg_type_size, arg_attr_size, constraint_size, reference_size;
} ob_plugin;

/* Returns the plug-in's struct, or NULL with a reason when it cannot work here (a library is
 * missing). host stays valid for the life of the process. */
typedef const ob_plugin *(*ob_plugin_entry_fn)(const ob_host *host, ob_reason *why_not);
#define OB_PLUGIN_ENTRY "ob_plugin_entry"

#if defined(__GNUC__)
#define OB_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define OB_PLUGIN_EXPORT
#endif

/* The end of a plug-in that is one backend and has nothing to set up: the plug-in and its entry. */
#define OB_PLUGIN_OF_BACKEND(backend, plugin_name, plugin_version)                                 \
    static const ob_backend_desc *const ob_plugin_backends[] = {&(backend), NULL};                 \
    static const ob_plugin ob_plugin_only = {OB_PLUGIN_HEAD, .name = (plugin_name),                \
                                             .version = (plugin_version),                          \
                                             .backends = ob_plugin_backends};                      \
    OB_PLUGIN_EXPORT const ob_plugin *ob_plugin_entry(const ob_host *host, ob_reason *why_not);    \
    const ob_plugin *ob_plugin_entry(const ob_host *host, ob_reason *why_not)                      \
    {                                                                                              \
        (void)host, (void)why_not;                                                                 \
        return &ob_plugin_only;                                                                    \
    }                                                                                              \
    struct ob_plugin_ends_with_a_semicolon

#ifdef __cplusplus
}
#endif
#endif
