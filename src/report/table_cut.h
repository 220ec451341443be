/* SPDX-License-Identifier: Apache-2.0
 *
 * Cutting texts to a width so that those that differ still do: calls that a screen is too narrow for differ at their ends as often
 * as at their beginnings.
 */
#ifndef OB_REPORT_TABLE_CUT_H
#define OB_REPORT_TABLE_CUT_H

#include "opbench/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Texts of one column. Zero is empty. */
typedef struct ob_cut_texts {
    char **items; /* different ones */
    size_t count, room;
    uint64_t *scratch; /* one for each */
} ob_cut_texts;

enum { OB_MOST_CUT_TEXTS = 4096 }; /* further ones are not looked at */

/* False: memory is out. */
bool ob__cut_texts_add(ob_cut_texts *texts, const char *text, size_t size);
/* Behind the last: each is kept once. */
bool ob__cut_texts_close(ob_cut_texts *texts);
void ob__cut_texts_fini(ob_cut_texts *texts);

/* How many characters of the end stay, of `width`, so that most texts stay apart; few, where that makes no difference. *apart: all
 * do. */
size_t ob__cut_tail(const ob_cut_texts *texts, size_t width, bool *apart);
/* Cuts a text that has more characters than `width`: its head, three dots, and so many of its last. False: memory is out. */
bool ob__cut_text(ob_text *text, size_t width, size_t tail);

#endif
