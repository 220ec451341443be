/* SPDX-License-Identifier: Apache-2.0
 *
 * Benchmark configs and the cases they expand to.
 *
 * A config is read and checked as a whole before it gives any case. Cases are made on demand:
 * memory does not grow with their number, and any case is reached by its index.
 */
#ifndef OPBENCH_CONFIG_H
#define OPBENCH_CONFIG_H

#include "opbench/context.h"
#include "opbench/text.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ob_cases ob_cases;
typedef struct ob_case ob_case;

struct ob_config_options {
    size_t size;                  /* sizeof(ob_config_options) */
    const char *device;           /* NULL = "cpu"; handed to iterators */
    const ob_json_limits *limits; /* NULL = defaults */
    /* A backend that will run the cases has operators of its own: do not warn about names that the
     * core does not know. */
    bool foreign_operators;
    /* Another process has just opened this text without an error: do not ask iterators again
     * whether its lists are right. */
    bool checked;
    /* The arguments come from a command line or a program: they may name files to read tensors
     * from. */
    bool names_files;
    /* The operators come from there too: an unknown name is an error, not a warning. */
    bool knows_operators;
    /* If set: called first, and may replace the document (ob_config_expand_foreign). */
    ob_status (*expand)(ob_context *context, const ob_run_options *options, ob_json_doc **doc,
                        ob_err *err);
    const ob_run_options *expand_options;
};

/* Like ob_config_open_file; takes ownership of doc, even on failure. */
ob_status ob_config_open_json(ob_context *context, ob_json_doc *doc,
                              const ob_config_options *options, ob_config **out, ob_err *err);

/* The document it was read from; its name is ob_config_name. */
const ob_json *ob_config_json(const ob_config *config);
const char *ob_config_name(const ob_config *config);

size_t ob_config_op_count(const ob_config *config);
const char *ob_config_op_name(const ob_config *config, size_t index);
uint64_t ob_config_case_count(const ob_config *config);

/* A walk over all cases, or over those of one operator (op_name NULL = all). Any number of walks
 * may be open at once. */
ob_status ob_cases_open(const ob_config *config, const char *op_name, ob_cases **out, ob_err *err);
void ob_cases_close(ob_cases *cases); /* NULL is allowed */
uint64_t ob_cases_count(const ob_cases *cases);
/* Where the walk begins among all cases of the config: 0, or the first case of its operator. */
uint64_t ob_cases_first(const ob_cases *cases);
/* The next ob_cases_next gives case `index` of this walk; index == count is the end. */
ob_status ob_cases_seek(ob_cases *cases, uint64_t index, ob_err *err);
/* OB_OK and the case (valid until the next call), OB_END after the last one, or an error of a
 * plug-in's iterator; *out is NULL unless OB_OK. */
ob_status ob_cases_next(ob_cases *cases, const ob_case **out, ob_err *err);

const char *ob_case_op_name(const ob_case *c);
uint64_t ob_case_index(const ob_case *c);       /* within the walk */
const char *ob_case_id(const ob_case *c);       /* "<config>|<build>|<input>" */
const ob_json *ob_case_build(const ob_case *c); /* NULL = the config has no build here */
const ob_json *ob_case_input(const ob_case *c);
/* What makes the values of the build (NULL = the config has no build here) and of the input. */
const ob_generator_desc *ob_case_build_generator(const ob_case *c);
const ob_generator_desc *ob_case_input_generator(const ob_case *c);
/* 32 hex digits: a hash of operator, build and input in canonical form (aliases resolved, key order
 * and notes dropped), so it survives reordering and renaming. The text lives as long as the
 * case. */
const char *ob_case_key(const ob_case *c);

/* Appends one JSON line (without the newline) for the case to a growing buffer:
 * {"op_name": ..., "id": ..., "key": ..., "build": ..., "input": ...}. */
ob_status ob_case_print(const ob_case *c, ob_text *text, ob_err *err);
/* Appends the case as a call in the short notation of ob_builder_word:
 * torch.nn.Linear(64, 16)(f32[8,64]). */
ob_status ob_case_print_call(const ob_case *c, ob_text *text, ob_err *err);
/* Appends the words by which `opbench time` takes the case, quoted for a shell:
 * --op torch.nn.Linear 64 16 / 'f32[8,64]'. Options cannot follow them. */
ob_status ob_case_print_words(const ob_case *c, ob_text *text, ob_err *err);

#ifdef __cplusplus
}
#endif
#endif
