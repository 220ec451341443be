/* SPDX-License-Identifier: Apache-2.0
 *
 * Options of commands that are a backend's own (--torchscript, --onnx): rows of the manifests, read before any plug-in is
 * loaded. A config is data and cannot name a script, a model or a library; only the command line can.
 */
#ifndef OB_CLI_BACKEND_OPTIONS_H
#define OB_CLI_BACKEND_OPTIONS_H

#include "command.h"

#include "opbench/run.h"

/* Fills rows with those of the command, at most `room`, which lie behind each other from `offset` on; returns how many. */
size_t ob__backend_option_rows(const ob_cli *cli, const ob_cli_command *command, ob_option *rows,
                               size_t room, size_t offset);
/* The first option that is given and has the property; NULL = none. Its backend goes to *backend, which may be NULL. */
typedef bool (*ob_backend_option_test)(const ob_manifest_option *row);
const ob_manifest_option *ob__backend_option_given(const ob_cli *cli, ob_backend_option_test test,
                                                   const char **backend);
bool ob__backend_option_brings_operators(const ob_manifest_option *row);
bool ob__backend_option_writes(const ob_manifest_option *row); /* a file beside the records */
/* OB_ERR_INVALID when one is given and its backend is none of those named; NULL = none is named. */
ob_status ob__backend_options_check(const ob_cli *cli, const char *backends, ob_err *err);

/* What is done with them: `records` is the file of the records, or NULL; `replace`: files that are there may go. */
typedef struct ob_backend_options_use {
    const char *records;
    bool replace;
} ob_backend_options_use;
/* Sets the variables that some of them become, before the command runs; an exit code. `options` is the command's own struct:
 * an option of the same name there is the backend's too. */
int ob__backend_variables_set(ob_cli *cli, const void *options);
/* The variable that an option of the backend becomes; NULL = it has no such option, or that one becomes something else. */
const char *ob__backend_variable_of(const ob_cli *cli, const char *backend, const char *option);
/* Calls fn with each option that the environment gives instead of the line, as "--name=value", for the backends named. The word
 * is fn's to free; NULL = memory was out. */
void ob__backend_variables_walk(const ob_cli *cli, const char *backends,
                                void (*fn)(void *ctx, char *word), void *ctx);
/* Makes the others options of the backend: run->backend, and run->backend_options, whose text is *text then
 * (malloc'ed; NULL when there is nothing to add). */
ob_status ob__backend_options_apply(const ob_cli *cli, const ob_backend_options_use *use,
                                    ob_run_options *run, char **text, ob_err *err);
/* What is to be known before a run, and the files that are there after it. */
void ob__backend_options_warn(ob_cli *cli);
void ob__backend_options_print_files(ob_cli *cli, const char *records);
/* All that the command `run` has, by their names, as members of a header's options. */
ob_status ob__backend_options_list(const ob_cli *cli, ob_json_doc *doc, ob_json *object,
                                   ob_err *err);

#endif
