/* SPDX-License-Identifier: Apache-2.0
 *
 * The onnxruntime backend: a case is one ONNX model for the forward and one for the backward, each a session that is
 * made in prepare, with all inputs and outputs bound to memory that stays.
 */
#ifndef OB_ONNXRUNTIME_BACKEND_H
#define OB_ONNXRUNTIME_BACKEND_H

#include "library.h"
#include "opbench/kit.h"
#include "translate.h"

/* What the option rows fill. */
typedef struct ort_options {
    const char *optimization; /* none, basic, extended, all */
    const char *weights;      /* constant, input */
    const char *model;        /* an ONNX file; NULL = none */
} ort_options;

typedef struct ort_file ort_file; /* onnxruntime_file.c */

struct ob_backend {
    const ob_host *host;
    const ob_log *log;
    const ort_library *library;
    const ort_api *api;
    OrtEnv *env;
    OrtMemoryInfo *memory; /* the CPU's, for tensors that we bring */
    int threads;
    const char *optimization;
    int optimization_level;
    bool weights_as_inputs;
    bool loses_nan;   /* its Max and Min do (quirks.c) */
    char *model_path; /* NULL = none */
    ort_file *file;   /* the model there, opened */
};

/* A tensor of a model: bound memory. */
typedef struct ort_bound {
    ort_id id;        /* in the model */
    ort_id asked;     /* outputs: the value that was asked for; id may be a copy of it */
    ob_tensor tensor; /* contiguous */
    bool is_seed;     /* inputs of a backward: the gradient of an output */
    OrtValue *value;
} ort_bound;

typedef struct ort_bounds {
    ort_bound *items;
    size_t count, capacity;
} ort_bounds;

typedef struct ort_session {
    OrtSession *session;
    OrtIoBinding *binding;
    bool borrowed;              /* the session is the model file's */
    ort_bounds inputs, outputs; /* inputs: parameters too */
} ort_session;

/* What the forward left in memory of ours goes to the caller's tensor, or back to what it was. */
typedef struct ort_copy {
    ob_tensor to, from;
} ort_copy;

typedef struct ort_copies {
    ort_copy *items;
    size_t count, capacity;
} ort_copies;

struct ob_prepared {
    ob_backend *backend;
    ort_session passes[2];
    ob_value *outputs, *grads;
    size_t output_count, grad_count;
    ort_copies after, restore; /* after each forward; at restore */
    ort_copies gathered;       /* of inputs that are not contiguous, at prepare and refill */
    bool has_constants;        /* parameters that the model holds itself */
    bool backward;             /* it was prepared for it */
    ob_kit_progress progress;
};

/* status.c: a status of the library as one of ours; it is released. OB_OK for NULL. `what` is put in front. */
ob_status ort_check(const ob_backend *backend, OrtStatus *status, const char *what, ob_err *err);

/* onnxruntime_session.c */
/* Opens the model with the memory of its inputs and outputs, which must be there. */
ob_status ort_session_open(ob_backend *backend, ort_model *model, ort_session *session,
                           ob_err *err);
/* The tensor's memory as a value of ONNX Runtime: nothing is copied. */
ob_status ort_bound_wrap(const ob_backend *backend, ort_bound *bound, ob_err *err);
ob_status ort_session_options(ob_backend *backend, OrtSessionOptions **out, ob_err *err);
void ort_session_close(const ob_backend *backend, ort_session *session);
/* Memory for a contiguous tensor like meta. */
ob_status ort_tensor_make(const ob_host *host, const ob_tensor *meta, ob_tensor *out, ob_err *err);
/* Adds a bound tensor to a list; takes the tensor over, also when it fails. */
ob_status ort_bound_add(const ob_backend *backend, ort_bounds *list, ort_id id, ort_id asked,
                        ob_tensor *tensor, ob_err *err);
const ort_bound *ort_bound_find(const ort_bounds *list, ort_id asked);

/* onnxruntime_memory.c: elements of one dtype and shape, any strides. */
void ort_copy_elements(const ob_host *host, const ob_tensor *to, const ob_tensor *from);
void ort_fill_ones(const ob_host *host, const ob_tensor *tensor);

/* quirks.c */
/* Asks the opened library by running it: fills loses_nan. */
ob_status ort_find_quirks(ob_backend *backend, ob_err *err);
/* Calls `start`, which opens the first session of the process. Debian's build registers every schema twice then, which its
 * ONNX tells on standard error, line by line and past any logger: that is left out, anything else that is written
 * meanwhile is not. */
ob_status ort_start_quietly(ob_backend *backend, ob_status (*start)(ob_backend *, ob_err *),
                            ob_err *err);

/* prepare.c */
ob_status ort_supports(ob_backend *backend, const ob_graph *graph, ob_pass pass,
                       ob_reason *why_not);
ob_status ort_prepare(ob_backend *backend, const ob_prepare_args *args, ob_prepared **out,
                      ob_err *err);
void ort_release(ob_prepared *prepared);

/* onnxruntime_file.c: the model of --onnx, as one operator */
#define ORT_FILE_OPERATOR "onnx::model"
ob_status ort_file_open(ob_backend *backend, ob_err *err);
void ort_file_close(ob_backend *backend);
ob_status ort_schemas(ob_backend *backend, ob_schema_fn fn, void *ctx, ob_err *err);
bool ort_is_file_case(const ob_graph *graph);
ob_status ort_file_prepare(ob_backend *backend, const ob_prepare_args *args, ob_prepared **out,
                           ob_err *err);

/* onnxruntime_run.c */
ob_status ort_run(ob_prepared *prepared, ob_phase phase, uint64_t iterations, ob_err *err);
ob_status ort_refill(ob_prepared *prepared, ob_err *err);
ob_status ort_outputs(ob_prepared *prepared, ob_pass pass, ob_value *values, size_t capacity,
                      size_t *count, ob_err *err);

#endif
