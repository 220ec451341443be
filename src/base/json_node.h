/* SPDX-License-Identifier: Apache-2.0
 *
 * The inside of a JSON tree, for code that walks millions of nodes. Containers hold their children by
 * value in one array.
 */
#ifndef OB_BASE_JSON_NODE_H
#define OB_BASE_JSON_NODE_H

#include "base/arena.h"
#include "base/text_append.h"
#include "opbench/json.h"

typedef struct ob_json_member ob_json_member;

enum {
    OB_JSON_FLAG_PLAIN = 1,  /* a string that is written without escapes */
    OB_JSON_FLAG_VARIES = 2, /* changes from case to case: templates are cut here */
};

struct ob_json {
    uint8_t kind; /* ob_json_kind */
    uint8_t flags;
    uint32_t count; /* items, members, or bytes of a string */
    uint32_t line, column;
    union {
        bool boolean;
        int64_t integer;
        struct {
            double value;
            const char *text; /* as written, NUL-terminated; NULL = print value */
        } real;
        const char *string; /* NUL-terminated */
        ob_json *items;
        ob_json_member *members;
    } as;
};

struct ob_json_member {
    ob_json key; /* a string */
    ob_json value;
};

struct ob_json_doc {
    ob_arena arena;
    ob_json root;
    const char *name;
    size_t trailing_commas;
    uint32_t comma_line, comma_column;
};

/* Deep copy into arena (strings are shared with the source). False when memory is out. */
bool ob__json_clone(ob_arena *arena, const ob_json *from, ob_json *to);
/* The node for string text; length must fit the limits of the reader. */
bool ob__json_make_string(ob_arena *arena, const char *text, size_t length, ob_json *out);
ob_json *ob__json_get_mutable(ob_json *object, const char *key);

/* Appends the node in one line. */
bool ob__json_write(ob_text *text, const ob_json *node);
/* Appends a quoted string. */
bool ob__json_write_string(ob_text *text, const char *bytes, size_t length);
/* The same for bytes that may not be UTF-8: U+FFFD stands for each that is not. */
bool ob__json_write_any(ob_text *text, const char *bytes, size_t length);

/* Writes the place of the value that starts at line:column, in jq's notation (."torch.add".config[0]),
 * into out; "" when there is none. */
void ob__json_path_at(const ob_json *root, uint32_t line, uint32_t column, char *out, size_t size);
/* The path into out; one that is too long is cut behind a step and ends in "...". "" is ".". */
void ob__json_path_copy(const ob_text *path, char *out, size_t size);
/* Appends ".name" or ."na me" / "[3]" to a path under construction. */
bool ob__json_path_key(ob_text *path, const char *key, size_t length);
bool ob__json_path_index(ob_text *path, size_t index);

#endif
