/* SPDX-License-Identifier: Apache-2.0
 *
 * Sweeps: one operator, module or chain of them over the product of input scales, precisions and
 * backends (docs/sweep.md). A sweep becomes one config per backend, which runs like any other; the
 * records become rows.
 */
#ifndef OPBENCH_SWEEP_H
#define OPBENCH_SWEEP_H

#include "opbench/config.h"
#include "opbench/record.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ob_sweep ob_sweep;

/* JSON or YAML; "-" reads standard input. The context's operators tell modules from functions.
 * Errors have file, line, column and path. */
ob_status ob_sweep_open_file(ob_context *context, const char *path, ob_sweep **out, ob_err *err);
/* A text in memory; name is for messages and is copied. */
ob_status ob_sweep_open_memory(ob_context *context, const char *name, const void *data, size_t size,
                               ob_sweep **out, ob_err *err);
void ob_sweep_destroy(ob_sweep *sweep); /* NULL is allowed */

const char *ob_sweep_name(const ob_sweep *sweep);  /* of the file */
const char *ob_sweep_model(const ob_sweep *sweep); /* the operator's name, or "opbench.graph" */
const ob_json *ob_sweep_json(const ob_sweep *sweep);
uint64_t ob_sweep_point_count(const ob_sweep *sweep); /* the product of the scales */
size_t ob_sweep_variable_count(const ob_sweep *sweep);
const char *ob_sweep_variable(const ob_sweep *sweep, size_t index);
/* The backends that the job configs name, each once, in their order. */
size_t ob_sweep_backend_count(const ob_sweep *sweep);
const char *ob_sweep_backend(const ob_sweep *sweep, size_t index);
/* The backend that a job config's word for a runtime stands for, by the manifests: "torch" for
 * "pt"; the word itself if it stands for no other. */
const char *ob_sweep_backend_of_runtime(const ob_context *context, const char *word);

/* Which points are taken and how. Zeros are the defaults. */
typedef struct ob_sweep_params {
    size_t size;     /* sizeof(ob_sweep_params) */
    uint64_t every;  /* take the first of every n points; 0 = all */
    uint64_t sample; /* this many points, spread over the space; 0 = all. Not with every. */
    uint64_t seed;   /* of the sample */
    bool backward;   /* the inputs require gradients */
} ob_sweep_params;

/* The benchmark config of one backend's cases, for ob_config_open_json. params may be NULL. */
ob_status ob_sweep_make_config(const ob_sweep *sweep, size_t backend, const ob_sweep_params *params,
                               ob_json_doc **out, ob_err *err);

/* ---- rows: one per pass of a result; OB_ERR_INVALID for a record of another sweep ---- */

/* The names of the columns, with a newline. */
ob_status ob_sweep_print_csv_head(const ob_sweep *sweep, ob_text *text, ob_err *err);
/* The lines of a result; numbers read back exactly, what is not known is empty. */
ob_status ob_sweep_print_csv(const ob_sweep *sweep, const ob_record *record, ob_text *text,
                             ob_err *err);
/* The same rows as JSON objects, each followed by a newline; null for what is not known. */
ob_status ob_sweep_print_json(const ob_sweep *sweep, const ob_record *record, ob_text *text,
                              ob_err *err);

#ifdef __cplusplus
}
#endif
#endif
