/* SPDX-License-Identifier: Apache-2.0
 *
 * Definitions as they are kept: checked, dedented, with everything that a group implies written out.
 */
#ifndef OB_SNIPPET_SUITE_INT_H
#define OB_SNIPPET_SUITE_INT_H

#include "base/arena.h"
#include "op/name_index.h"
#include "opbench/manifest.h"
#include "opbench/snippet.h"

typedef struct ob_snippet_signature {
    const char *const *args; /* NULL = no signature was given */
    size_t arg_count;
    const char *output; /* NULL = none */
} ob_snippet_signature;

typedef struct ob_definition {
    const char *const *label;
    size_t label_parts;
    bool is_group; /* else `args` alone counts */
    ob_timer_args args;
    const char *stmt[OB_LANGUAGE_COUNT];        /* forward; NULL = none */
    const char *model_setup[OB_LANGUAGE_COUNT]; /* NULL = none */
    ob_grouped_setup setup;                     /* no NULLs */
    ob_snippet_signature signature;
    bool torchscript, autograd;
    const int64_t *num_threads;
    size_t num_threads_count;
} ob_definition;

struct ob_suite {
    ob_arena arena;
    ob_definition *definitions;
    size_t size, capacity;
    ob__name_index labels; /* to find duplicates */
};

ob_status ob__snippet_no_memory(ob_err *err);

/* Adds a checked definition; its texts are in the suite's arena, its label is copied. */
ob_status ob__snippet_signature_parse(ob_arena *arena, const char *text, ob_snippet_signature *out,
                                      ob_err *err);

/* "[y = ]model(a, b)" in Python, "[auto y = ]model->forward(a, b);" in C++; for a model that was made ahead the same with
 * jit_model, in C++ as `ahead` says. "ob_op_call(model);" in C. NULL when memory is out. */
const char *ob__call_model(ob_arena *arena, const ob_snippet_signature *signature,
                           ob_language language, const ob_manifest_models *ahead);

/* Blocks of one statement per line. */
typedef struct ob_variant {
    const char *label;
    int number; /* of its label; -1 = it is the only one */
    const char *stmt[OB_LANGUAGE_COUNT];
} ob_variant;

typedef struct ob_variants {
    ob_variant *items;
    size_t count;
    ob_grouped_setup setup;
} ob_variants;

ob_status ob__variants_parse(ob_arena *arena, const char *const blocks[OB_LANGUAGE_COUNT],
                             ob_variants *out, ob_err *err);
/* Two columns; both texts in the arena. */
ob_status ob__stmts_parse(ob_arena *arena, const char *text, const char **python, const char **cpp,
                          ob_err *err);

#endif
