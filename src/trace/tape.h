/* SPDX-License-Identifier: Apache-2.0
 *
 * One JSON value as a flat row of tokens: what a node of a trace is read into before it is understood,
 * because its types come after its values. The buffers are used again for the next node.
 */
#ifndef OB_TRACE_TAPE_H
#define OB_TRACE_TAPE_H

#include "base/json_read.h"
#include "opbench/tensor.h"

typedef struct ob_tape_token {
    uint8_t kind;  /* ob_json_event_kind; no END_* */
    uint32_t span; /* tokens of the value, this one included */
    uint32_t line;
    uint32_t length; /* STRING, KEY, REAL: bytes of the text */
    union {
        int64_t integer; /* INT, BOOL */
        double real;
        size_t text; /* STRING, KEY: where it begins in the tape's text */
    } as;
} ob_tape_token;

typedef struct ob_tape {
    ob_tape_token *tokens;
    size_t count, capacity;
    char *text; /* strings, each with a NUL behind it */
    size_t text_size, text_capacity;
    const char *name; /* the file's, for messages; borrowed */
} ob_tape;

void ob__tape_fini(ob_tape *tape);

/* Reads the value whose first event is `first`; it replaces what the tape held. */
ob_status ob__tape_read(ob_tape *tape, ob_json_reader *reader, const ob_json_event *first,
                        ob_err *err);

/* ---- walking: a place is the index of a token; OB_TAPE_NONE = there is none ---- */

#define OB_TAPE_NONE SIZE_MAX

static inline const ob_tape_token *ob__tape_at(const ob_tape *tape, size_t place)
{
    static const ob_tape_token nothing = {.kind = OB_JSON_EVENT_NULL, .span = 1};
    return place < tape->count ? &tape->tokens[place] : &nothing;
}

/* The text of a STRING or KEY; "" for others. */
static inline const char *ob__tape_text(const ob_tape *tape, size_t place)
{
    const ob_tape_token *token = ob__tape_at(tape, place);
    const bool text = token->kind == OB_JSON_EVENT_STRING || token->kind == OB_JSON_EVENT_KEY;
    return text ? tape->text + token->as.text : "";
}

static inline bool ob__tape_is(const ob_tape *tape, size_t place, ob_json_event_kind kind)
{
    return place < tape->count && tape->tokens[place].kind == kind;
}

/* First item of an array, first key of an object; OB_TAPE_NONE when it is empty or no container. */
static inline size_t ob__tape_first(const ob_tape *tape, size_t container)
{
    const ob_tape_token *token = ob__tape_at(tape, container);
    const bool holds =
        token->kind == OB_JSON_EVENT_BEGIN_ARRAY || token->kind == OB_JSON_EVENT_BEGIN_OBJECT;
    return holds && token->span > 1 ? container + 1 : OB_TAPE_NONE;
}

/* The item behind `item` in the array (behind a key: its value is at key + 1; next key by
 * ob__tape_next(tape, object, key + 1)). */
static inline size_t ob__tape_next(const ob_tape *tape, size_t container, size_t item)
{
    if (item == OB_TAPE_NONE)
        return OB_TAPE_NONE;
    const size_t next = item + ob__tape_at(tape, item)->span;
    return next < container + ob__tape_at(tape, container)->span ? next : OB_TAPE_NONE;
}

/* The value of a key of an object. */
size_t ob__tape_get(const ob_tape *tape, size_t object, const char *key);
size_t ob__tape_items(const ob_tape *tape, size_t container); /* of an array */
/* INT, or a REAL without a fraction that fits. */
bool ob__tape_int(const ob_tape *tape, size_t place, int64_t *out);
/* INT, REAL, or "inf", "-inf", "nan" as a string. */
bool ob__tape_real(const ob_tape *tape, size_t place, double *out);
/* The items of an array as up to OB_MAX_DIMS sizes that are not negative; none for what is no array. */
bool ob__tape_sizes(const ob_tape *tape, size_t list, int64_t *out, int *count);

#endif
