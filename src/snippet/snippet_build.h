/* SPDX-License-Identifier: Apache-2.0
 *
 * From a snippet in C or C++ to a shared object that can be loaded.
 */
#ifndef OB_SNIPPET_SNIPPET_BUILD_H
#define OB_SNIPPET_SNIPPET_BUILD_H

#include "base/arena.h"
#include "opbench/manifest.h"
#include "opbench/snippet_run.h"

/* A source and what it is compiled with. */
typedef struct ob_snippet_source {
    ob_language language;
    const char *text;
    const char *const *flags;     /* ended by NULL */
    const ob_manifest *with;      /* whose library it is compiled against; NULL = none */
    const char *const *libraries; /* ended by NULL; NULL = those of `with` */
    const char *what;             /* told before it is compiled; NULL = nothing is */
} ob_snippet_source;

/* The whole text, with the user's lines numbered as they are. Texts are normalised as a Timer's. The manifests say which
 * libraries there are, and must live as long as `out`. */
ob_status ob__snippet_source(ob_arena *arena, const ob_manifests *manifests,
                             const ob_timer_args *args, ob_snippet_source *out, ob_err *err);
/* Dedented, without one newline before and all blanks behind; *first_line gets the number of its first line
 * in the original. NULL when memory is out. */
const char *ob__snippet_normalise(ob_arena *arena, const char *text, int *first_line);

/* The task as a Timer has it: with its texts normalised, in the arena. */
ob_status ob__snippet_task(ob_arena *arena, const ob_task_spec *task, ob_task_spec *out,
                           ob_err *err);

/* The place of the object, from the cache or made now; the text lives in the arena. */
ob_status ob__snippet_build(ob_arena *arena, const ob_snippet_source *source,
                            const ob_snippet_options *options, const char **object, ob_err *err);

/* ---- the cache: a folder that nobody else can read or write ---- */

/* Its absolute path: `wanted` if we made it, or a folder of ours in it if it was there before. Also removes what
 * killed processes left there. */
ob_status ob__snippet_cache_open(ob_arena *arena, const char *wanted, const char **dir,
                                 ob_err *err);
/* Objects are "<hash>.so", with a hash of their bytes beside them. */
#define OB_OBJECT_END ".so"
#define OB_SUM_END ".sum"
/* Folders of models begin so. */
#define OB_MODELS_PREFIX "models-"
/* A library's header is "<backend>_<hash>.hpp", with what was made of it and, while that is being made, a lock beside it. */
#define OB_HEADER_BETWEEN "_"
#define OB_HEADER_END ".hpp"
#define OB_HEADER_MADE ".gch"
#define OB_HEADER_LOCK ".lock"
/* Removes what was not used for a month, and headers that a killed process did not finish; nothing that is not
 * ours. */
void ob__snippet_cache_expire(const char *dir);
/* So that it does not expire. */
void ob__snippet_cache_used(const char *path);
/* The path of a program, looked for as a shell does. what: "the compiler for C"; option: the one that names another. */
ob_status ob__find_program(ob_arena *arena, const char *name, const char *what, const char *option,
                           const char **path, ob_err *err);
/* The one that is named; else that of the active virtual environment (VIRTUAL_ENV), else the first python3 of PATH. */
ob_status ob__find_python(ob_arena *arena, const ob_snippet_options *options, const char **path,
                          ob_err *err);
/* 32 hexadecimal digits and a NUL: a hash of the file's bytes. */
ob_status ob__hash_file(const char *path, char hex[33], ob_err *err);

#endif
