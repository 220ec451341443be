/* SPDX-License-Identifier: Apache-2.0
 *
 * Conformance of a backend: what the parts of the program `conform` share.
 *
 * A golden is one call with its float64 results. It is replayed through the public API: graph, decomposition,
 * derived backward, prepare, run, outputs.
 */
#ifndef OB_TEST_CONFORM_H
#define OB_TEST_CONFORM_H

#include "opbench/context.h"

#include <stdio.h>

/* One line of the golden file, read for a dtype that stands for every f64 in it. */
typedef struct golden {
    ob_json_doc *doc;
    const char *op;
    ob_value *args;
    size_t arg_count;
    ob_value *kwargs;
    const char **kwarg_names;
    size_t kwarg_count;
    ob_value wanted; /* a list; real numbers stay float64 */
    bool nograd;     /* not to be differentiated: it has a kink there, or is a backward itself */
} golden;

typedef struct goldens {
    char *text;
    size_t size, at;
    int line;
} goldens;

ob_status goldens_open(goldens *file, const char *path, ob_err *err);
void goldens_close(goldens *file);
/* OB_END after the last. */
ob_status goldens_next(goldens *file, ob_dtype dtype, golden *out, ob_err *err);
void golden_fini(golden *g);
ob_call golden_call(const golden *g);
/* Marks every floating tensor as requiring a gradient. */
void golden_require_grad(golden *g);

/* An opened backend. */
typedef struct subject {
    ob_context *context;
    const ob_backend_desc *desc;
    ob_backend *backend;
} subject;

ob_status subject_open(subject *s, const char *plugin, const char *isa, int threads, ob_err *err);
void subject_close(subject *s);

/* One prepared call. */
typedef struct trial {
    const subject *subject;
    ob_graph *graph;
    ob_backward backward;
    ob_value *inputs;
    size_t input_count;
    ob_prepared *prepared;
} trial;

/* OB_ERR_UNSUPPORTED when the backend denies it, or when nothing can be differentiated. */
ob_status trial_prepare(trial *t, const subject *s, const golden *g, bool differentiate,
                        ob_err *err);
void trial_release(trial *t);
ob_status trial_run(trial *t, ob_phase phase, ob_err *err);
/* The values of a pass; the caller frees them with values_free. */
ob_status trial_outputs(trial *t, ob_pass pass, ob_value **values, size_t *count, ob_err *err);
void values_free(ob_value *values, size_t count);

/* Elements in row-major order as doubles. */
int64_t tensor_count(const ob_tensor *tensor);
double tensor_get(const ob_tensor *tensor, int64_t index);
void tensor_set(const ob_tensor *tensor, int64_t index, double value);

/* The commands; each returns how many cases failed. */
int run_values(const char *plugin, const char *goldens_path, ob_dtype dtype, const char *isa,
               int threads);
int run_gradients(const char *plugin, const char *goldens_path);
int run_coverage(const char *plugin, const char *goldens_path);
int run_framework(const char *plugin);
/* The exit code: 77 when there is no torch. */
int run_beside(const char *native, const char *torch, const char *goldens_path, bool full);

#endif
