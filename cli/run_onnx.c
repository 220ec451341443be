/* SPDX-License-Identifier: Apache-2.0
 *
 * The options of `opbench run` that are the onnxruntime backend's. A config is data and cannot name a model or a library;
 * only the command line can.
 */
#include "run_options.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char BACKEND[] = "onnxruntime";
static const char LIBRARY_VARIABLE[] = "OPBENCH_ONNXRUNTIME";

ob_status ob__run_onnx_check(const ob_run_line *line, ob_err *err)
{
    const char *given = line->onnx.model != NULL     ? "onnx"
                        : line->onnx.library != NULL ? "onnxruntime-library"
                                                     : NULL;
    if (given == NULL || line->run.backend == NULL ||
        ob__backend_is_among(line->run.backend, BACKEND))
        return OB_OK;
    return ob_err_set(err, OB_ERR_INVALID,
                      "--%s needs the onnxruntime backend; add --backend onnxruntime", given);
}

/* The library by the environment: workers have it too, and the backend is asked whether it can work before it has
 * options. */
static ob_status name_library(const char *path, ob_err *err)
{
    char resolved[PATH_MAX];
    if (path == NULL)
        return OB_OK;
    const bool there = realpath(path, resolved) != NULL;
    return setenv(LIBRARY_VARIABLE, there ? resolved : path, 1) == 0
               ? OB_OK
               : ob_err_set(err, OB_ERR_NOMEM, "out of memory for the environment");
}

ob_status ob__run_onnx_apply(const ob_run_line *line, ob_run_options *run, char **text, ob_err *err)
{
    enum { NAMES = 48 };
    const char *given = run->backend_options != NULL ? run->backend_options : "";
    const bool several = ob_run_options_backend_count(run) > 1;
    char model[PATH_MAX];
    *text = NULL;
    OB_TRY(name_library(line->onnx.library, err));
    if (line->onnx.library != NULL && run->backend == NULL)
        run->backend = BACKEND;
    if (line->onnx.model == NULL)
        return OB_OK;
    if (realpath(line->onnx.model, model) == NULL)
        return ob_err_set(err, OB_ERR_INVALID, "--onnx %s: there is no such file",
                          line->onnx.model);
    *text = malloc(strlen(given) + NAMES + 2 * strlen(model));
    if (*text == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the backend's options");
    char *to = stpcpy(*text, given);
    ob__append_backend_option(to, to == *text, several ? BACKEND : NULL, "model", model);
    if (!several)
        run->backend = BACKEND;
    run->backend_options = *text;
    return OB_OK;
}
