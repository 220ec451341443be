/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbering equal items: sort by key, the earliest of each run is its first appearance, and numbers are
 * given in the order of these.
 */
#include "measure/unique.h"

#include <stdlib.h>
#include <string.h>

typedef struct entry {
    const void *item;
    size_t index;
} entry;

typedef struct sorting {
    ob_item_compare compare;
} sorting;

static int compare_entries(const void *a, const void *b, void *context)
{
    const entry *x = a, *y = b;
    const int order = ((const sorting *)context)->compare(x->item, y->item);
    return order != 0 ? order : (x->index > y->index) - (x->index < y->index);
}

ob_status ob__unique_init(ob_unique *unique, const void *const *items, size_t count,
                          ob_item_compare compare, ob_err *err)
{
    sorting how = {.compare = compare};
    entry *entries = calloc(count + 1, sizeof *entries);
    *unique = (ob_unique){.numbers = calloc(count + 1, sizeof *unique->numbers),
                          .firsts = calloc(count + 1, sizeof *unique->firsts)};
    if (entries == NULL || unique->numbers == NULL || unique->firsts == NULL) {
        free(entries);
        ob__unique_fini(unique);
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for grouping %zu items", count);
    }
    for (size_t i = 0; i < count; i++)
        entries[i] = (entry){.item = items[i], .index = i};
    if (count > 0)
        qsort_r(entries, count, sizeof *entries, compare_entries, &how);
    /* First the number of an item is the index of its key's first appearance ... */
    for (size_t i = 0, first = 0; i < count; i++) {
        if (i == 0 || compare(entries[i - 1].item, entries[i].item) != 0)
            first = entries[i].index;
        unique->numbers[entries[i].index] = first;
    }
    /* ... then, in their order, the key's own. */
    for (size_t i = 0; i < count; i++) {
        if (unique->numbers[i] == i) {
            unique->firsts[unique->count] = i;
            unique->numbers[i] = unique->count++;
        } else {
            unique->numbers[i] = unique->numbers[unique->numbers[i]];
        }
    }
    free(entries);
    return OB_OK;
}

void ob__unique_fini(ob_unique *unique)
{
    free(unique->numbers);
    free(unique->firsts);
    *unique = (ob_unique){.count = 0};
}

int ob__text_compare(const char *a, const char *b)
{
    if (a == NULL || b == NULL)
        return (a != NULL) - (b != NULL);
    return strcmp(a, b);
}
