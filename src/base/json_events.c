/* SPDX-License-Identifier: Apache-2.0
 *
 * What readers of events do with a whole value: pass over it, or keep it as text.
 */
#include "base/json_node.h"
#include "base/json_read.h"
#include "base/number.h"

#include <math.h>

const char *ob__json_event_text(ob_json_event_kind kind)
{
    switch (kind) {
    case OB_JSON_EVENT_NULL:
        return "null";
    case OB_JSON_EVENT_BOOL:
        return "a boolean";
    case OB_JSON_EVENT_INT:
    case OB_JSON_EVENT_REAL:
        return "a number";
    case OB_JSON_EVENT_STRING:
        return "a string";
    case OB_JSON_EVENT_BEGIN_ARRAY:
        return "a list";
    default:
        return "an object";
    }
}

bool ob__json_event_whole(const ob_json_event *event, int64_t *out)
{
    if (event->kind == OB_JSON_EVENT_INT) {
        *out = event->integer;
        return true;
    }
    if (event->kind != OB_JSON_EVENT_REAL)
        return false;
    const double value = ob__parse_double(event->text, event->length);
    if (!(fabs(value) < 9e15) || value != trunc(value))
        return false;
    *out = (int64_t)value;
    return true;
}

static bool opens(const ob_json_event *event)
{
    return event->kind == OB_JSON_EVENT_BEGIN_ARRAY || event->kind == OB_JSON_EVENT_BEGIN_OBJECT;
}

ob_status ob__json_reader_skip(ob_json_reader *reader, const ob_json_event *begin, ob_err *err)
{
    ob_json_event event;
    const uint32_t depth = ob__json_reader_depth(reader);
    if (!opens(begin))
        return OB_OK;
    while (ob__json_reader_depth(reader) >= depth)
        OB_TRY(ob__json_reader_next(reader, &event, err));
    return OB_OK;
}

static bool append_event(ob_text *text, const ob_json_event *event, bool *comma)
{
    const bool closes =
        event->kind == OB_JSON_EVENT_END_ARRAY || event->kind == OB_JSON_EVENT_END_OBJECT;
    if (*comma && !closes && !ob_text_append(text, ", ", 2))
        return false;
    *comma = true;
    switch (event->kind) {
    case OB_JSON_EVENT_NULL:
        return ob_text_append_str(text, "null");
    case OB_JSON_EVENT_BOOL:
        return ob_text_append_str(text, event->boolean ? "true" : "false");
    case OB_JSON_EVENT_INT:
        return ob__text_append_i64(text, event->integer);
    case OB_JSON_EVENT_REAL:
        return ob_text_append(text, event->text, event->length);
    case OB_JSON_EVENT_STRING:
        return ob__json_write_string(text, event->text, event->length);
    case OB_JSON_EVENT_KEY:
        *comma = false;
        return ob__json_write_string(text, event->text, event->length) &&
               ob_text_append(text, ": ", 2);
    case OB_JSON_EVENT_END_ARRAY:
        return ob_text_append(text, "]", 1);
    case OB_JSON_EVENT_END_OBJECT:
        return ob_text_append(text, "}", 1);
    default:
        *comma = false;
        return ob_text_append(text, event->kind == OB_JSON_EVENT_BEGIN_ARRAY ? "[" : "{", 1);
    }
}

ob_status ob__json_reader_copy(ob_json_reader *reader, const ob_json_event *begin, ob_text *text,
                               ob_err *err)
{
    ob_json_event event = *begin;
    bool comma = false, ok = append_event(text, &event, &comma);
    const uint32_t depth = ob__json_reader_depth(reader);
    while (ok && opens(begin) && ob__json_reader_depth(reader) >= depth) {
        OB_TRY(ob__json_reader_next(reader, &event, err));
        ok = append_event(text, &event, &comma);
    }
    return ok ? OB_OK : ob_err_set(err, OB_ERR_NOMEM, "out of memory for a JSON value");
}
