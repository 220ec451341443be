/* SPDX-License-Identifier: Apache-2.0
 *
 * The known operator that is spelled most like an unknown one, for messages.
 */
#include "base/nearest.h"
#include "op/table.h"

#include <string.h>

enum { LONGEST = 128 };

/* "aten::" of "aten::add" */
static size_t space_length(const char *name, size_t length)
{
    for (size_t i = length; i >= 2; i--)
        if (name[i - 1] == ':' && name[i - 2] == ':')
            return i;
    return 0;
}

bool ob__table_nearest(const ob_op_table *table, const char *base, char *out, size_t size)
{
    static const char DEFAULT_SPACE[] = "aten::";
    size_t space = space_length(base, strlen(base));
    const char *word = base + space;
    const char *wanted_space = space > 0 ? base : DEFAULT_SPACE;
    space = space > 0 ? space : sizeof DEFAULT_SPACE - 1;
    const ob__op_entry *best = NULL;
    ob_nearest nearest;
    ob__nearest_start(&nearest, word, strlen(word));
    /* Those of the wanted namespace first: of equally near names the first one stays. */
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < table->count; i++) {
            const ob__op_entry *entry = ob__table_entry(table, i);
            const size_t own = space_length(entry->name, entry->base_length);
            const bool same = own == space && memcmp(entry->name, wanted_space, own) == 0;
            const size_t length = entry->base_length - own;
            char candidate[LONGEST];
            if (entry->last_overload == OB__INDEX_NONE || same != (pass == 0) || length >= LONGEST)
                continue;
            memcpy(candidate, entry->name + own, length);
            candidate[length] = '\0';
            nearest.best = NULL;
            ob__nearest_offer(&nearest, candidate);
            if (nearest.best != NULL)
                best = entry;
        }
    }
    if (best == NULL || best->base_length >= size)
        return false;
    memcpy(out, best->name, best->base_length);
    out[best->base_length] = '\0';
    return true;
}
