/* SPDX-License-Identifier: Apache-2.0
 *
 * The inside of a sweep: the checked file.
 */
#ifndef OB_SWEEP_SWEEP_INT_H
#define OB_SWEEP_SWEEP_INT_H

#include "opbench/sweep.h"
#include "sweep/space.h"

#include "base/arena.h"
#include "config/check_value.h"

enum { OB_SWEEP_MAX_JOBS = 256 };

/* One job config: element type and backend, with the words of the file. */
typedef struct ob_sweep_job {
    const char *precision; /* "fp16" */
    ob_dtype dtype;
    const char *backend;
} ob_sweep_job;

typedef struct ob_sweep_backend_jobs {
    const char *name;
    size_t jobs[OB_SWEEP_MAX_JOBS]; /* in the order of the precisions of its config */
    size_t job_count;
} ob_sweep_backend_jobs;

struct ob_sweep {
    ob_context *context;
    char *name;
    ob_json_doc *doc;
    const ob_json *root;
    const ob_json *inputs, *init; /* input_params, model_init_params */
    const char *model;
    char title[160];            /* what rows are called: the model, or the chain's own name */
    bool is_chain, takes_dtype; /* the constructor has an argument dtype */
    ob_json_doc *made;          /* scales written out, the chain's text */
    const ob_json *scales;
    const ob_json *chain_text;
    ob_sweep_space space;
    bool used[OB_SWEEP_MAX_VARIABLES];
    bool in_chain[OB_SWEEP_MAX_VARIABLES]; /* a constant of the chain's text */
    ob_sweep_job jobs[OB_SWEEP_MAX_JOBS];
    size_t job_count;
    ob_sweep_backend_jobs *backends;
    size_t backend_count, backend_capacity;
};

/* input_scales, with ranges written out. */
ob_status ob__sweep_read_scales(ob_sweep *sweep, ob_err *err);
/* job_configs. */
ob_status ob__sweep_read_jobs(ob_sweep *sweep, ob_err *err);
/* The model's nodes and edges as a text in graph notation. After the scales. */
ob_status ob__sweep_read_chain(ob_sweep *sweep, const ob_json *model, ob_err *err);
/* Marks the variable as used; an error at node that names the nearest one when there is none. */
ob_status ob__sweep_use(ob_sweep *sweep, const ob_json *node, const char *name, size_t *variable,
                        ob_err *err);
/* The columns of the table behind the variables. Times are in ns: the records have ms. */
#define OB_SWEEP_COLUMN_MAP(X)                                                                     \
    X(precision)                                                                                   \
    X(backend)                                                                                     \
    X(kind)                                                                                        \
    X(name)                                                                                        \
    X(status)                                                                                      \
    X(reason)                                                                                      \
    X(pass)                                                                                        \
    X(samples)                                                                                     \
    X(median_ns)                                                                                   \
    X(mean_ns)                                                                                     \
    X(iqr_ns)                                                                                      \
    X(min_ns)                                                                                      \
    X(p99_ns)                                                                                      \
    X(gflop_per_second)                                                                            \
    X(gb_per_second)                                                                               \
    X(peak_memory_bytes)                                                                           \
    X(attainable_ns)                                                                               \
    X(of_attainable)                                                                               \
    X(bound_by)                                                                                    \
    X(side)                                                                                        \
    X(best)                                                                                        \
    X(call)

enum {
#define OB_SWEEP_COLUMN_ENUM(name) OB_SWEEP_COLUMN_##name,
    OB_SWEEP_COLUMN_MAP(OB_SWEEP_COLUMN_ENUM)
#undef OB_SWEEP_COLUMN_ENUM
        OB_SWEEP_COLUMN_COUNT
};

const char *ob__sweep_column(size_t index);
/* Whether the table has a column of that name besides the variables. */
bool ob__sweep_is_column(const char *name);
/* The point and the job config that a record is of; OB_ERR_INVALID for a record that is not of this sweep. */
ob_status ob__sweep_locate(const ob_sweep *sweep, const ob_record_result *r, uint64_t *point,
                           const ob_sweep_job **job, ob_err *err);
/* An error at node if no operator, module or model has the name and no backend of the job configs can bring it. After
 * the jobs. */
ob_status ob__sweep_check_operator(const ob_sweep *sweep, const ob_json *node, ob_err *err);
/* Those of a chain's nodes. */
ob_status ob__sweep_check_chain(const ob_sweep *sweep, const ob_json *model, ob_err *err);
/* The name of an input: its own, or input_<index>. */
const char *ob__sweep_input_name(const ob_sweep *sweep, size_t index, char *out, size_t size);

#endif
