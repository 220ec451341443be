/* SPDX-License-Identifier: Apache-2.0
 *
 * Texts by their number, in the order in which they came: a hash table for the views that put results together.
 */
#ifndef OB_REPORT_TEXT_INDEX_H
#define OB_REPORT_TEXT_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero is empty. Texts are borrowed. */
typedef struct ob_text_index {
    const char **texts;
    size_t count, room;
    size_t *slots; /* number + 1; 0 = free */
    size_t slot_count;
} ob_text_index;

#define OB_NO_TEXT SIZE_MAX

size_t ob__text_index_find(const ob_text_index *index, const char *text); /* or OB_NO_TEXT */
/* Appends a text that is not there; its number is the count before. False when memory is out. */
bool ob__text_index_add(ob_text_index *index, const char *text);
void ob__text_index_fini(ob_text_index *index);

#endif
