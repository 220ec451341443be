/* SPDX-License-Identifier: Apache-2.0
 *
 * The options of `opbench run` and `opbench list` that are the torch backend's: they become its backend options.
 * A config is data and cannot name a script or a library; only the command line can.
 */
#include "output_file.h"
#include "run_options.h"

#include <stdlib.h>
#include <string.h>

static const char BACKEND[] = "torch";

static const char *first_given(const ob_run_torch_line *torch)
{
    return torch->trace             ? "et"
           : torch->script != NULL  ? "torchscript"
           : torch->library != NULL ? "torch-library"
                                    : NULL;
}

bool ob__run_torch_given(const ob_run_line *line)
{
    return first_given(&line->torch) != NULL;
}

ob_status ob__run_torch_check(const ob_run_line *line, ob_err *err)
{
    const char *given = first_given(&line->torch);
    if (given == NULL || line->run.backend == NULL ||
        ob__backend_is_among(line->run.backend, BACKEND))
        return OB_OK;
    return ob_err_set(err, OB_ERR_INVALID, "--%s needs the torch backend; add --backend torch",
                      given);
}

ob_status ob__torch_options_text(const ob_run_torch_line *torch, const char *given,
                                 const char *trace, bool several, char **text, ob_err *err)
{
    enum { NAMES = 96 };
    given = given != NULL ? given : "";
    *text = malloc(strlen(given) + NAMES +
                   2 * (strlen(torch->script != NULL ? torch->script : "") +
                        strlen(torch->library != NULL ? torch->library : "") +
                        strlen(trace != NULL ? trace : "")));
    if (*text == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the backend's options");
    const char *prefix = several ? BACKEND : NULL;
    char *to = stpcpy(*text, given);
    to = ob__append_backend_option(to, to == *text, prefix, "library", torch->library);
    to = ob__append_backend_option(to, to == *text, prefix, "script", torch->script);
    ob__append_backend_option(to, to == *text, prefix, "et", trace);
    return OB_OK;
}

char *ob__run_torch_trace_path(const char *record_path)
{
    static const char END[] = ".json";
    const size_t length = strlen(record_path), end = sizeof END - 1;
    const size_t stem =
        length > end && strcmp(record_path + length - end, END) == 0 ? length - end : length;
    char *path = NULL;
    return asprintf(&path, "%.*s_et%s", (int)stem, record_path, END) < 0 ? NULL : path;
}

ob_status ob__run_torch_apply(const ob_run_line *line, const char *record_path, ob_run_options *run,
                              char **text, ob_err *err)
{
    const ob_run_torch_line *torch = &line->torch;
    const bool several = ob_run_options_backend_count(run) > 1;
    char *trace = NULL;
    *text = NULL;
    if (first_given(torch) == NULL)
        return OB_OK;
    if (torch->trace)
        trace = ob__run_torch_trace_path(record_path);
    if (torch->trace && trace == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the backend's options");
    const bool replace = line->force || line->resume || line->append;
    const ob_status status =
        trace != NULL && !replace && ob__cli_is_taken(trace)
            ? ob_err_set(err, OB_ERR_INVALID,
                         "%s, the execution graph of --et, is there already; --force replaces it",
                         trace)
            : ob__torch_options_text(torch, run->backend_options, trace, several, text, err);
    free(trace);
    if (status != OB_OK)
        return status;
    if (!several)
        run->backend = BACKEND;
    run->backend_options = *text;
    return OB_OK;
}
