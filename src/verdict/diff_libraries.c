/* SPDX-License-Identifier: Apache-2.0
 *
 * What backends say of their libraries, in the header or, where that came first, in a result: versions, files and instruction sets. A
 * difference in them explains a difference of times, so it is said.
 */
#include "opbench/vec.h"
#include "verdict/diff_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of a side: files mean no harm with fewer. */
enum { MOST_FACTS = 256, MOST_SHOWN = 12 };

static const ob_diff_fact *find(const ob_diff_side_data *side, const char *name)
{
    for (size_t i = 0; i < side->fact_count; i++)
        if (strcmp(side->facts[i].name, name) == 0)
            return &side->facts[i];
    return NULL;
}

/* What is a number alone counts something, such as threads, and names no library. */
static bool names_something(const char *value)
{
    return value != NULL && value[strspn(value, "0123456789")] != '\0';
}

/* The first that is said of a name stays. */
static ob_status add(ob_diff *diff, ob_diff_side_data *side, const char *backend, const char *key,
                     const char *value, ob_err *err)
{
    char name[128];
    snprintf(name, sizeof name, "%.60s%s%.60s", backend, backend[0] != '\0' ? " " : "", key);
    if (!names_something(value) || side->fact_count == MOST_FACTS || find(side, name) != NULL)
        return OB_OK;
    if (!OB_RESERVE(side->facts, side->fact_room, side->fact_count + 1))
        return ob__diff_no_memory(err);
    ob_diff_fact *fact = &side->facts[side->fact_count];
    OB_TRY(ob__diff_keep(diff, name, &fact->name, err));
    OB_TRY(ob__diff_keep(diff, value, &fact->value, err));
    side->fact_count++;
    return OB_OK;
}

ob_status ob__diff_take_libraries(ob_diff *diff, ob_diff_side_data *side, const char *backend,
                                  const ob_json *said, ob_err *err)
{
    for (size_t i = 0; i < ob_json_count(said); i++) {
        const ob_json *item = ob_json_item(said, i);
        const char *key = ob_json_key(said, i);
        if (key == NULL)
            return OB_OK;
        OB_TRY(add(diff, side, backend, key, ob_json_string(item, NULL), err));
        for (size_t m = 0; m < ob_json_count(item) && ob_json_key(item, m) != NULL; m++)
            OB_TRY(add(diff, side, key, ob_json_key(item, m),
                       ob_json_string(ob_json_item(item, m), NULL), err));
    }
    return OB_OK;
}

ob_status ob__diff_note_libraries(ob_diff *diff, const ob_diff_side_data *side, ob_err *err)
{
    const ob_diff_side_data *base = diff->sides[0];
    ob_text text = {.data = NULL};
    size_t shown = 0;
    bool ok = true;
    for (size_t i = 0; ok && i < side->fact_count && shown < MOST_SHOWN; i++) {
        const ob_diff_fact *own = &side->facts[i], *other = find(base, own->name);
        if (other == NULL || strcmp(own->value, other->value) == 0)
            continue;
        ok = ob_text_printf(&text, "%s%s %.200s, not %.200s", shown > 0 ? "; " : "", own->name,
                            own->value, other->value);
        shown++;
    }
    const ob_status status =
        !ok         ? ob__diff_no_memory(err)
        : shown > 0 ? ob__diff_note(diff, err, "%s has different libraries than %s: %.*s",
                                    side->name, base->name, (int)text.size, text.data)
                    : OB_OK;
    ob_text_fini(&text);
    return status;
}
