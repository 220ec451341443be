/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the schema parser, printer and binder share.
 */
#ifndef OB_OP_SCHEMA_INT_H
#define OB_OP_SCHEMA_INT_H

#include "opbench/schema.h"
#include "opbench/text.h"

/* Schemas come from files and plug-ins. These bounds are far above anything real (the longest of
 * PyTorch's has 1,033 bytes and 41 arguments) and keep memory and recursion small. */
enum {
    OB__SCHEMA_MAX_LENGTH = 65536,
    OB__SCHEMA_MAX_ARGS = 256,
    OB__TYPE_MAX_DEPTH = 32,
    OB__TYPE_MAX_LIST_SIZE = 64, /* a default of int[64] is repeated 64 times */
    OB__DEFAULT_MAX_DEPTH = 8,
};

/* The shared node of a plain type (no alias, no container) called name; NULL when name is none of
 * those with a kind of their own. */
const ob_type *ob__type_find_plain(const char *name, size_t length);
/* The plain types one by one; NULL behind the last. */
const ob_type *ob__type_plain_at(size_t index);
/* True if an alias annotation anywhere in the type says that the value is changed. */
bool ob__type_writes(const ob_type *type);

/* Makes *out (owned) from value as type wants it. The value must be accepted by the type. */
ob_status ob__type_convert(const ob_type *type, const ob_value *value, ob_value *out, ob_err *err);

/* The value that stands at *at as a literal of the notation; *at moves behind it. *known is false
 * for a name without meaning to us, and *out is NONE then. On failure *problem says what is wrong
 * at *at; NULL there means that memory is out. */
bool ob__default_parse(const char **at, const char *end, int depth, ob_value *out, bool *known,
                       const char **problem);

/* Appends the type. False when memory is out. */
bool ob__type_append(const ob_type *type, ob_text *text);
/* The type and the value's own kind for messages, cut to size. They return out. */
const char *ob__type_describe(const ob_type *type, char *out, size_t size);
const char *ob__value_describe(const ob_value *value, char *out, size_t size);

#endif
