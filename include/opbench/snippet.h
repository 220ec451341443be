/* SPDX-License-Identifier: Apache-2.0
 *
 * Suites of snippets: related pieces of code in Python, C++ and C, defined in groups and expanded
 * to the single ones that run. They follow TimerArgs, GroupedStmts, GroupedModules and
 * GroupedVariants of PyTorch's benchmarks/instruction_counts, with the same rules and the same
 * texts.
 *
 * Nothing here runs or compiles any code; docs/snippets.md says how suites are written.
 */
#ifndef OPBENCH_SNIPPET_H
#define OPBENCH_SNIPPET_H

#include "opbench/json.h"

#ifdef __cplusplus
extern "C" {
#endif

/* enum name, name in labels, name in JSON, names that users write. */
#define OB_LANGUAGE_MAP(X)                                                                         \
    X(PYTHON, "Python", "PYTHON", "python", "py")                                                  \
    X(CPP, "C++", "CPP", "c++", "cpp")                                                             \
    X(C, "C", "C", "c", "c")

typedef enum ob_language {
#define OB_LANGUAGE_ENUM(id, label, json, name, other) OB_LANGUAGE_##id,
    OB_LANGUAGE_MAP(OB_LANGUAGE_ENUM)
#undef OB_LANGUAGE_ENUM
        OB_LANGUAGE_COUNT
} ob_language;

const char *ob_language_label(ob_language language); /* "C++" */
const char *ob_language_word(ob_language language);  /* "c++", as users write it */
/* "python", "py", "c++", "cpp" or "c", as written; OB_ERR_INVALID for any other. */
ob_status ob_language_parse(const char *name, ob_language *out, ob_err *err);

/* ------------------------------------------------------------------ definitions */

/* One snippet as it is. */
typedef struct ob_timer_args {
    size_t size; /* sizeof(ob_timer_args) */
    const char *stmt;
    const char *setup;        /* NULL = "pass" */
    const char *global_setup; /* NULL = "" */
    int64_t num_threads;      /* 0 = 1 */
    ob_language language;
} ob_timer_args;

/* Setup code that the snippets of a group share, by language. NULL = "". */
typedef struct ob_grouped_setup {
    const char *code[OB_LANGUAGE_COUNT];
    const char *global_setup[OB_LANGUAGE_COUNT]; /* outside functions; not for Python */
} ob_grouped_setup;

/* A group of related snippets. What `code` holds depends on the kind of group: a statement per
 * language, the definition of a `model` (in C one that ob_op_prepare made), or a block of one
 * statement per line. NULL = not in this language. */
typedef struct ob_snippet_group {
    size_t size; /* sizeof(ob_snippet_group) */
    const char *code[OB_LANGUAGE_COUNT];
    ob_grouped_setup setup;     /* variants: part of the blocks instead */
    const char *signature;      /* "f(x, w) -> y", or NULL; not for variants */
    bool torchscript;           /* not for variants */
    bool autograd;              /* not for variants */
    const int64_t *num_threads; /* NULL = {1} */
    size_t num_threads_count;
} ob_snippet_group;

typedef struct ob_suite ob_suite;

ob_status ob_suite_create(ob_suite **out, ob_err *err);
void ob_suite_destroy(ob_suite *suite); /* NULL is allowed */
/* Definitions in YAML or JSON. Runs nothing. */
ob_status ob_suite_parse(const char *name, const void *data, size_t size, ob_suite **out,
                         ob_err *err);
ob_status ob_suite_read(const char *path, ob_suite **out, ob_err *err); /* "-": stdin */

/* Adds a definition under a label of one or more parts; copies everything. OB_ERR_DUPLICATE for a
 * label that is there already, OB_ERR_CONFIG for a group that cannot be expanded. */
ob_status ob_suite_add_timer(ob_suite *suite, const char *const *label, size_t parts,
                             const ob_timer_args *args, ob_err *err);
ob_status ob_suite_add_stmts(ob_suite *suite, const char *const *label, size_t parts,
                             const ob_snippet_group *group, ob_err *err);
ob_status ob_suite_add_modules(ob_suite *suite, const char *const *label, size_t parts,
                               const ob_snippet_group *group, ob_err *err);
/* One definition per line of the blocks. */
ob_status ob_suite_add_variants(ob_suite *suite, const char *const *label, size_t parts,
                                const ob_snippet_group *group, ob_err *err);
size_t ob_suite_definition_count(const ob_suite *suite);

/* ------------------------------------------------------------------ expansion */

/* One snippet that runs. */
typedef struct ob_snippet {
    const char *const *label;
    size_t label_parts;
    const char *runtime;  /* "Eager", "TorchScript", or "" */
    const char *autograd; /* "Forward", "Forward + Backward", or "" */
    /* TorchScript only: the Python text that makes `jit_model`, and the file where the snippet
     * expects it. */
    const char *model_source, *model_path;
    ob_timer_args args; /* all texts are there */
} ob_snippet;

typedef struct ob_snippets ob_snippets;

typedef struct ob_expand_options {
    size_t size;             /* sizeof(ob_expand_options) */
    const char *models_dir;  /* where TorchScript models will be; NULL = "TorchScript_models" */
    const ob_language *only; /* snippets in this language; NULL = in all */
    const char *name_part;   /* snippets with this in their name (ob_snippet_name); NULL = all */
} ob_expand_options;

/* Every runtime, with and without backward, in every language and with every number of threads that
 * the definitions ask for, in this order. options may be NULL. The suite must live as long as the
 * snippets. */
ob_status ob_suite_expand(const ob_suite *suite, const ob_expand_options *options,
                          ob_snippets **out, ob_err *err);
void ob_snippets_destroy(ob_snippets *snippets); /* NULL is allowed */
size_t ob_snippets_count(const ob_snippets *snippets);
const ob_snippet *ob_snippets_at(const ob_snippets *snippets, size_t index);

/* "Pointwise / add  Eager, Forward  Python, 1 thread". free() it. */
ob_status ob_snippet_name(const ob_snippet *snippet, char **name, ob_err *err);
/* The original's name of a snippet: JSON of label, autolabels and num_threads, ASCII only. free()
 * it. */
ob_status ob_snippet_key(const ob_snippet *snippet, char **key, ob_err *err);
enum { OB_MD5_TEXT = 33 };
/* Hash over the distinct keys in order, as 32 hexadecimal digits and a NUL. Snippets in C are ours
 * and left out, so that suites of the original keep its hash; "none" when there are no others. */
ob_status ob_snippets_md5(const ob_snippets *snippets, char hex[OB_MD5_TEXT], ob_err *err);
/* {"label", "autolabels", "num_threads", "stmt", "setup", "global_setup", "language"}. */
ob_status ob_snippet_to_json(const ob_snippet *snippet, ob_json_doc *doc, ob_json **out,
                             ob_err *err);

/* ------------------------------------------------------------------ notations */

/* "f(a, b) -> y": the arguments as a list of texts and y as a text or null (for "None"). */
ob_status ob_signature_parse(const char *signature, ob_json_doc *doc, ob_json **args,
                             ob_json **output, ob_err *err);
/* Statements in two columns, Python and C++, below a heading and a line of dashes. free() both. */
ob_status ob_stmts_parse(const char *text, char **python, char **cpp, ob_err *err);

#ifdef __cplusplus
}
#endif
#endif
