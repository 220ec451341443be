/* SPDX-License-Identifier: Apache-2.0
 *
 * What a plug-in registered, as data: how a process knows a plug-in whose code it does not load. It is written where the
 * file was loaded, and read by a process that trusts nothing of it.
 */
#ifndef OB_PLUGIN_PLUGIN_REPORT_H
#define OB_PLUGIN_PLUGIN_REPORT_H

#include "plugin/registry.h"

/* How many entries of each kind a context has. */
typedef struct ob__registry_mark {
    size_t backends, operators, generators, iterators;
} ob__registry_mark;

ob__registry_mark ob__registry_get_mark(const ob_context *context);

/* Appends the report of the plug-in with that path, whose entries are all since the mark. Its backends are asked whether
 * they can work here. False: memory is out. */
bool ob__plugin_report_write(ob_context *context, const char *path, const ob__registry_mark *since,
                             ob_text *text);

/* Registers what the report tells. The structs are the context's own, with the functions of nobody: their code can be put
 * in later (bring_in.c). OB_ERR_PLUGIN with the reason: it is no report, or what it tells cannot be registered. */
ob_status ob__plugin_report_read(ob_context *context, const char *path, const char *text,
                                 size_t size, ob_err *err);

/* ---- rows, for both ---- */

typedef enum ob__report_kind {
    OB__REPORT_TEXT,
    OB__REPORT_CODE_TEXT, /* with line ends and tabs */
    OB__REPORT_FLAG,
    OB__REPORT_INT,
    OB__REPORT_SIZE,
    OB__REPORT_REAL,
    OB__REPORT_FUNCTION, /* whether there is one */
    OB__REPORT_ROWS,     /* a table, ended by a row without its first text */
} ob__report_kind;

/* A field of a struct. */
typedef struct ob__report_row {
    const char *name;
    ob__report_kind kind;
    size_t offset;
    int64_t least, most;    /* of numbers */
    void (*stand_in)(void); /* FUNCTION: what is there where the report has one; NULL = nothing */
    const struct ob__report_struct *rows; /* ROWS */
} ob__report_row;

typedef struct ob__report_struct {
    const char *name; /* of the list that has them */
    size_t size;
    const ob__report_row *fields; /* ended by name == NULL */
} ob__report_struct;

/* What is registered of a generator and an iterator: with who has their code. */
typedef struct ob__known_generator {
    ob_generator_desc desc;
    struct ob__walker *walker;
} ob__known_generator;
typedef struct ob__known_iterator {
    ob_iterator_desc desc;
    struct ob__walker *walker;
} ob__known_iterator;

extern const ob__report_struct ob__report_backend, ob__report_operator, ob__report_generator,
    ob__report_iterator;

#endif
