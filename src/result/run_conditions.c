/* SPDX-License-Identifier: Apache-2.0
 *
 * The words for where and how a case was run.
 */
#include "result/run_conditions.h"

#include "base/text_append.h"

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

const char *ob__record_call(const ob_record_result *result)
{
    static const char *const PREFIXES[] = {"torch.nn.functional.", "torch.", "aten::"};
    const char *text = result->call != NULL        ? result->call
                       : result->task.stmt != NULL ? result->task.stmt
                       : result->op_name != NULL   ? result->op_name
                                                   : "";
    for (size_t i = 0; i < sizeof PREFIXES / sizeof *PREFIXES; i++) {
        const size_t length = strlen(PREFIXES[i]);
        if (strncmp(text, PREFIXES[i], length) == 0 && text[length] != '\0')
            return text + length;
    }
    return text;
}
