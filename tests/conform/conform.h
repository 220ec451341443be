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
#include "run/setup.h"

#include "support.h"

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
    bool shifted;  /* an argument is far from exact in the dtype: the results are of another call */
    bool has_real; /* an argument is a real tensor or the word for f64: dtypes make a difference */
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
/* Real scalars become whole ones: they would turn integers into real numbers, which in-place operators refuse. */
void golden_make_whole(golden *g);
/* Numbers of the whole range of int8 or uint8 in all tensors of that dtype, so that results wrap around. */
void golden_fill_bytes(golden *g, ob_dtype dtype, uint64_t seed);
/* Marks every floating tensor as requiring a gradient. */
void golden_require_grad(golden *g);

/* An opened backend. */
typedef struct subject {
    ob_context *context;
    const ob_backend_desc *desc;
    ob_backend *backend;
    ob_device device;
} subject;

/* The first backend of the plug-in, on the first of its device types. isa: of the native backend; NULL = the best.
 * OB_ERR_UNSUPPORTED with the reason when the backend cannot work here. */
ob_status subject_open(subject *s, const char *plugin, const char *isa, int threads, ob_err *err);
void subject_close(subject *s);
/* The list that holds for the version of the backend's library: of "x-2.6.tsv", "x-2.14.tsv" and so on the last one that is
 * not newer; where there is none, "x.tsv". */
void subject_list(const subject *s, const char *plain, char *out, size_t size);
/* The list before that one; false when it is "x.tsv", which has none. */
bool subject_list_before(const subject *s, const char *plain, char *out, size_t size);
/* Whether the list holds for a dtype on this machine. Where the backend multiplies matrices of it and the list says
 * that it does not, or the other way round, the list is of another processor or device. f32 all have. */
bool subject_has_listed(const subject *s, const support *listed, ob_dtype dtype);

/* One prepared call: the setup that a run would make, of a call instead of a case. */
typedef struct trial {
    const subject *subject;
    ob_setup setup;
} trial;

/* OB_ERR_UNSUPPORTED when the backend denies it; OB_END when nothing can be differentiated. */
ob_status trial_prepare(trial *t, const subject *s, const golden *g, ob_pass pass, ob_err *err);
void trial_release(trial *t); /* after a failed prepare, too */
ob_status trial_run(trial *t, ob_phase phase, ob_err *err);
/* The values of a pass, when everything enqueued is done; the caller frees them with values_free. */
ob_status trial_outputs(trial *t, ob_pass pass, ob_value **values, size_t *count, ob_err *err);
void values_free(ob_value *values, size_t count);

/* Whether the backend's library itself refuses, at run, what it does not have: libtorch alone may. */
bool trial_refused(const trial *t, ob_status status);
/* Whether results of a backend may differ, or a NaN may be missing in them: by its exceptions (exceptions.c). */
bool result_may_differ(const char *backend, const char *op, ob_dtype dtype);
bool nan_may_be_lost(const char *backend, const char *op, ob_dtype dtype);
bool taking_may_differ(const char *backend, const char *op, ob_dtype dtype);
bool golden_holds_nan(const golden *g);

/* Elements in row-major order as doubles. */
int64_t tensor_count(const ob_tensor *tensor);
double tensor_get(const ob_tensor *tensor, int64_t index);
void tensor_set(const ob_tensor *tensor, int64_t index, double value);

enum { SKIPPED = 77 }; /* for ctest */

/* The commands; each returns the exit code: 77 when the backend, or the one to compare with, cannot work here. */
typedef struct values_args {
    const char *plugin, *goldens, *isa, *support; /* support: NULL = at least one call must run */
    ob_dtype dtype;
    int threads;
} values_args;
int run_values(const values_args *args);
int run_gradients(const char *plugin, const char *goldens_path);
int run_coverage(const char *plugin, const char *goldens_path);
int run_framework(const char *plugin);
/* how: "quick", "full", or "bytes": int8 and uint8 with numbers of their whole range */
int run_beside(const char *plugin, const char *reference, const char *goldens_path,
               const char *how);
/* Prints what the backend takes of the goldens' calls, or compares it with the list of a file. */
int run_support_print(const char *plugin, const char *list_path, char *const *goldens_paths);
int run_support_check(const char *plugin, const char *list_path, char *const *goldens_paths);
/* Whether --check finds what is wrong with a right backend's results when they are spoiled. */
int run_broken(const char *plugin, const char *how, const char *exceptions, char *const *paths);
/* Calls that are wrong in every way: none may harm. Needs goldens to start from; isa: NULL = the best. */
typedef struct hostile_args {
    const char *plugin, *isa;
    uint64_t first, count, seed;
    char *const *goldens; /* ends with NULL */
} hostile_args;
int run_hostile(const hostile_args *args);
/* Prints where the backend's list is. */
int run_list(const char *plugin, const char *plain);

#endif
