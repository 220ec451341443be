/* SPDX-License-Identifier: Apache-2.0
 *
 * JSON trees, read with the position of every value, or built in memory.
 *
 * A tree lives in a document; all nodes die with it. Nodes are read through accessors; each
 * accessor takes NULL and wrong kinds and answers with a default, so that a reader can walk without
 * checking every step and judge at the end.
 */
#ifndef OPBENCH_JSON_H
#define OPBENCH_JSON_H

#include "opbench/status.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ob_json_kind {
    OB_JSON_NULL,
    OB_JSON_BOOL,
    OB_JSON_INT,  /* fits int64_t */
    OB_JSON_REAL, /* any other number; its text is kept as written */
    OB_JSON_STRING,
    OB_JSON_ARRAY,
    OB_JSON_OBJECT,
} ob_json_kind;

typedef struct ob_json_doc ob_json_doc;

typedef struct ob_json_limits {
    size_t size;             /* sizeof(ob_json_limits) */
    size_t max_memory_bytes; /* 0 = 512 MiB: what the tree may take */
    size_t max_string_bytes; /* 0 = 16 MiB */
    uint32_t max_depth;      /* 0 = 256 */
} ob_json_limits;

/* Parses one JSON text. `name` is the file name for messages ("-" is shown as <stdin>). Duplicate
 * keys, invalid UTF-8, NaN and Infinity are errors. A comma before a closing bracket is read over
 * and counted (ob_json_doc_trailing_commas). limits may be NULL. */
ob_status ob_json_parse(const char *name, const void *data, size_t size,
                        const ob_json_limits *limits, ob_json_doc **out, ob_err *err);
/* Reads a file ("-": standard input) in pieces. */
ob_status ob_json_parse_file(const char *path, const ob_json_limits *limits, ob_json_doc **out,
                             ob_err *err);
/* An empty document to build nodes in; its root is null until set. */
ob_status ob_json_doc_create(ob_json_doc **out, ob_err *err);
void ob_json_doc_destroy(ob_json_doc *doc); /* NULL is allowed */
const ob_json *ob_json_doc_root(const ob_json_doc *doc);
void ob_json_doc_set_root(ob_json_doc *doc, const ob_json *root);
const char *ob_json_doc_name(const ob_json_doc *doc);
/* How many stray commas were read over; line and column (may be NULL) get the first one's place. */
size_t ob_json_doc_trailing_commas(const ob_json_doc *doc, uint32_t *line, uint32_t *column);

/* ---- reading ---- */
ob_json_kind ob_json_get_kind(const ob_json *node); /* NULL node: OB_JSON_NULL */
const char *ob_json_kind_name(ob_json_kind kind);   /* "object", for messages */
uint32_t ob_json_line(const ob_json *node);
uint32_t ob_json_column(const ob_json *node);
bool ob_json_bool(const ob_json *node, bool fallback);
int64_t ob_json_int(const ob_json *node, int64_t fallback);
double ob_json_real(const ob_json *node, double fallback); /* INT too */
/* NUL-terminated; NULL if node is not a string. length may be NULL. */
const char *ob_json_string(const ob_json *node, size_t *length);
size_t ob_json_count(const ob_json *node); /* items of an array, members of an object */
const ob_json *ob_json_item(const ob_json *node, size_t index);     /* array item or member value */
const ob_json *ob_json_key_node(const ob_json *node, size_t index); /* the key's own node */
const char *ob_json_key(const ob_json *node, size_t index);
const ob_json *ob_json_get(const ob_json *node, const char *key); /* NULL if absent */

/* ---- building: NULL when out of memory ---- */
ob_json *ob_json_new_null(ob_json_doc *doc);
ob_json *ob_json_new_bool(ob_json_doc *doc, bool value);
ob_json *ob_json_new_int(ob_json_doc *doc, int64_t value);
ob_json *ob_json_new_real(ob_json_doc *doc, double value);
ob_json *ob_json_new_string(ob_json_doc *doc, const char *text, size_t length);
ob_json *ob_json_new_array(ob_json_doc *doc);
ob_json *ob_json_new_object(ob_json_doc *doc);
/* Append by value: `value`'s node is copied (its children are shared). An existing key is
 * replaced. */
ob_status ob_json_append(ob_json_doc *doc, ob_json *array, const ob_json *value, ob_err *err);
ob_status ob_json_set(ob_json_doc *doc, ob_json *object, const char *key, const ob_json *value,
                      ob_err *err);

/* ---- writing ---- */
/* One line, ", " and ": " as separators (what Python's json.dumps prints), UTF-8. The text is
 * malloc'ed and NUL-terminated; free() it. */
ob_status ob_json_print(const ob_json *node, char **text, size_t *length, ob_err *err);

#ifdef __cplusplus
}
#endif
#endif
