/* SPDX-License-Identifier: Apache-2.0
 *
 * The words for where and how a case was run.
 */
#include "result/run_conditions.h"

#include "base/text_append.h"

#include <stdio.h>
#include <string.h>

static bool is(const char *text, const char *other)
{
    return text != NULL && strcmp(text, other) == 0;
}

bool ob__run_conditions_append(ob_text *text, const ob_run_conditions *place)
{
    const bool is_continuous =
        is(place->mode, "continuous") || is(place->mode, "continuous_events");
    const char *const words[] = {
        place->backend,
        is(place->device, "cpu") ? NULL : place->device,
        is(place->cache_state, "cold") ? "cold cache" : NULL,
        is_continuous ? place->mode : NULL,
        place->is_backward ? "backward" : NULL,
    };
    bool ok = true;
    size_t count = 0;
    for (size_t i = 0; ok && i < sizeof words / sizeof *words; i++)
        if (words[i] != NULL && words[i][0] != '\0')
            ok = (count++ == 0 || ob_text_append(text, ", ", 2)) &&
                 ob_text_append_str(text, words[i]);
    return ok;
}

const char *ob__short_call(const char *stmt)
{
    static const char *const PREFIXES[] = {"torch.nn.functional.", "torch.", "aten::"};
    for (size_t i = 0; i < sizeof PREFIXES / sizeof *PREFIXES; i++) {
        const size_t length = strlen(PREFIXES[i]);
        if (strncmp(stmt, PREFIXES[i], length) == 0 && stmt[length] != '\0')
            return stmt + length;
    }
    return stmt;
}

const char *ob__record_call(const ob_record_result *r, char room[OB_CALL_ROOM])
{
    if (r->call != NULL)
        return r->call;
    if (r->task.stmt != NULL)
        return ob__short_call(r->task.stmt);
    snprintf(room, OB_CALL_ROOM, "%s%s%s", r->op_name != NULL ? r->op_name : "",
             r->id != NULL && r->id[0] != '\0' ? "|" : "", r->id != NULL ? r->id : "");
    return room;
}
