/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows that are printed as they come say what is below them once; how many others have it is known at the end.
 */
#include "report/table_model.h"

#include <stdlib.h>
#include <string.h>

void ob__said_notes_fini(ob_said_notes *said)
{
    for (size_t i = 0; i < said->count; i++)
        free(said->items[i].text);
    said->count = 0;
}

/* Whether it was there before. Without room or memory it is taken for new. */
static bool count_note(ob_said_notes *said, const char *text)
{
    for (size_t i = 0; i < said->count; i++)
        if (strcmp(said->items[i].text, text) == 0) {
            said->items[i].count++;
            return true;
        }
    char *copy = said->count < OB_MOST_SAID ? strdup(text) : NULL;
    if (copy != NULL) {
        said->items[said->count].text = copy;
        said->items[said->count++].count = 1;
    }
    return false;
}

void ob__said_notes_take(ob_said_notes *said, ob_table *table, size_t first)
{
    for (size_t i = first; i < table->row_count; i++)
        for (ob_row_note **at = &table->rows[i].notes; *at != NULL;) {
            if (count_note(said, (*at)->text))
                *at = (*at)->next;
            else
                at = &(*at)->next;
        }
}
