/* SPDX-License-Identifier: Apache-2.0 */
#include "report/text_index.h"

#include "opbench/vec.h"

#include <stdlib.h>
#include <string.h>

/* FNV-1a. */
static size_t hash(const char *text)
{
    uint64_t h = 14695981039346656037ULL;
    for (const char *c = text; *c != '\0'; c++)
        h = (h ^ (unsigned char)*c) * 1099511628211ULL;
    return (size_t)(h ^ (h >> 32));
}

static void place(ob_text_index *index, size_t number)
{
    size_t at = hash(index->texts[number]) % index->slot_count;
    while (index->slots[at] != 0)
        at = (at + 1) % index->slot_count;
    index->slots[at] = number + 1;
}

size_t ob__text_index_find(const ob_text_index *index, const char *text)
{
    if (index->slot_count == 0)
        return OB_NO_TEXT;
    for (size_t at = hash(text) % index->slot_count; index->slots[at] != 0;
         at = (at + 1) % index->slot_count)
        if (strcmp(index->texts[index->slots[at] - 1], text) == 0)
            return index->slots[at] - 1;
    return OB_NO_TEXT;
}

bool ob__text_index_add(ob_text_index *index, const char *text)
{
    if (!OB_RESERVE(index->texts, index->room, index->count + 1))
        return false;
    if (2 * (index->count + 1) > index->slot_count) { /* at most half of them are taken */
        const size_t wanted = index->slot_count > 0 ? 2 * index->slot_count : 64;
        size_t *slots = calloc(wanted, sizeof *slots);
        if (slots == NULL)
            return false;
        free(index->slots);
        index->slots = slots;
        index->slot_count = wanted;
        for (size_t i = 0; i < index->count; i++)
            place(index, i);
    }
    index->texts[index->count] = text;
    place(index, index->count++);
    return true;
}

void ob__text_index_fini(ob_text_index *index)
{
    free(index->texts);
    free(index->slots);
    *index = (ob_text_index){.texts = NULL};
}
