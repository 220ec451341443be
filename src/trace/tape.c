/* SPDX-License-Identifier: Apache-2.0
 *
 * Filling and walking a tape.
 */
#include "trace/tape.h"

#include "base/number.h"
#include "opbench/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One node of a real trace has a few thousand tokens. */
enum { MAX_TOKENS = 4 << 20, MAX_TEXT = 64 << 20, MAX_DEPTH = 64 };

void ob__tape_fini(ob_tape *tape)
{
    free(tape->tokens);
    free(tape->text);
    tape->tokens = NULL;
    tape->text = NULL;
    tape->count = tape->capacity = tape->text_size = tape->text_capacity = 0;
}

static ob_status too_large(const ob_tape *tape, const ob_json_event *event, ob_err *err)
{
    return ob_err_set_at(err, OB_ERR_LIMIT, tape->name, event->line, event->column, NULL,
                         "one entry of the trace takes more than %d MiB of text, %d values or %d "
                         "levels of nesting (or memory ran out)",
                         MAX_TEXT >> 20, MAX_TOKENS, MAX_DEPTH);
}

/* Room for one more. */
static bool has_room(ob_tape *tape)
{
    return tape->count < MAX_TOKENS && OB_RESERVE(tape->tokens, tape->capacity, tape->count + 1);
}

static bool push_text(ob_tape *tape, const ob_json_event *event, size_t *at)
{
    const size_t needed = tape->text_size + event->length + 1;
    if (needed > MAX_TEXT || !OB_RESERVE(tape->text, tape->text_capacity, needed))
        return false;
    *at = tape->text_size;
    memcpy(tape->text + tape->text_size, event->text, event->length);
    tape->text[tape->text_size + event->length] = '\0';
    tape->text_size = needed;
    return true;
}

static bool add(ob_tape *tape, const ob_json_event *event)
{
    if (!has_room(tape))
        return false;
    ob_tape_token *token = &tape->tokens[tape->count++];
    token->kind = (uint8_t)event->kind;
    token->span = 1;
    token->line = event->line;
    token->length = (uint32_t)event->length;
    token->as.integer = event->integer;
    if (event->kind == OB_JSON_EVENT_STRING || event->kind == OB_JSON_EVENT_KEY)
        return push_text(tape, event, &token->as.text);
    if (event->kind == OB_JSON_EVENT_BOOL)
        token->as.integer = event->boolean;
    else if (event->kind == OB_JSON_EVENT_REAL)
        token->as.real = ob__parse_double(event->text, event->length);
    return true;
}

ob_status ob__tape_read(ob_tape *tape, ob_json_reader *reader, const ob_json_event *first,
                        ob_err *err)
{
    size_t open[MAX_DEPTH], depth = 0;
    ob_json_event event = *first;
    tape->count = tape->text_size = 0;
    for (;;) {
        const bool ends =
            event.kind == OB_JSON_EVENT_END_ARRAY || event.kind == OB_JSON_EVENT_END_OBJECT;
        if (ends && depth > 0) {
            depth--;
            tape->tokens[open[depth]].span = (uint32_t)(tape->count - open[depth]);
        } else {
            const bool begins =
                event.kind == OB_JSON_EVENT_BEGIN_ARRAY || event.kind == OB_JSON_EVENT_BEGIN_OBJECT;
            if (begins && depth == MAX_DEPTH)
                return too_large(tape, &event, err);
            if (begins)
                open[depth++] = tape->count;
            if (!add(tape, &event))
                return too_large(tape, &event, err);
        }
        if (depth == 0)
            return OB_OK;
        OB_TRY(ob__json_reader_next(reader, &event, err));
    }
}

size_t ob__tape_get(const ob_tape *tape, size_t object, const char *key)
{
    if (!ob__tape_is(tape, object, OB_JSON_EVENT_BEGIN_OBJECT))
        return OB_TAPE_NONE;
    for (size_t at = ob__tape_first(tape, object); at != OB_TAPE_NONE;
         at = ob__tape_next(tape, object, at + 1)) {
        const char *name = tape->text + tape->tokens[at].as.text;
        if (name[0] == key[0] && strcmp(name, key) == 0)
            return at + 1;
    }
    return OB_TAPE_NONE;
}

size_t ob__tape_items(const ob_tape *tape, size_t container)
{
    size_t count = 0;
    for (size_t at = ob__tape_first(tape, container); at != OB_TAPE_NONE;
         at = ob__tape_next(tape, container, at))
        count++;
    return count;
}

bool ob__tape_int(const ob_tape *tape, size_t place, int64_t *out)
{
    const ob_tape_token *token = ob__tape_at(tape, place);
    if (token->kind == OB_JSON_EVENT_INT) {
        *out = token->as.integer;
        return true;
    }
    if (token->kind != OB_JSON_EVENT_REAL || !(fabs(token->as.real) < 9e18) ||
        token->as.real != floor(token->as.real))
        return false;
    *out = (int64_t)token->as.real;
    return true;
}

bool ob__tape_real(const ob_tape *tape, size_t place, double *out)
{
    static const struct {
        const char *text;
        double value;
    } NAMED[] = {{"inf", (double)INFINITY},   {"Infinity", (double)INFINITY},
                 {"-inf", -(double)INFINITY}, {"-Infinity", -(double)INFINITY},
                 {"nan", (double)NAN},        {"NaN", (double)NAN},
                 {"-nan", (double)NAN}};
    const ob_tape_token *token = ob__tape_at(tape, place);
    if (token->kind == OB_JSON_EVENT_REAL || token->kind == OB_JSON_EVENT_INT) {
        *out = token->kind == OB_JSON_EVENT_INT ? (double)token->as.integer : token->as.real;
        return true;
    }
    for (size_t i = 0; token->kind == OB_JSON_EVENT_STRING && i < sizeof NAMED / sizeof *NAMED; i++)
        if (strcmp(ob__tape_text(tape, place), NAMED[i].text) == 0) {
            *out = NAMED[i].value;
            return true;
        }
    return false;
}

bool ob__tape_sizes(const ob_tape *tape, size_t list, int64_t *out, int *count)
{
    *count = 0;
    for (size_t at = ob__tape_first(tape, list); at != OB_TAPE_NONE;
         at = ob__tape_next(tape, list, at)) {
        if (*count == OB_MAX_DIMS || !ob__tape_int(tape, at, &out[*count]) || out[*count] < 0)
            return false;
        ++*count;
    }
    return true;
}
