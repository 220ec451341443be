/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists of values in the words of a command line: f32[{64,128},1024] are two words, and several lists are all their
 * combinations, the last list going round first.
 *
 *     {64,128,256}       each of these
 *     {1..9}  {64..512:*2}  {0..100:25}   from, to, and what is added (1) or multiplied with each time
 *     {n=64,128} ... {n} a list with a name, and the same value again
 *
 * Quotes, texts behind "str:" and arguments in JSON are left as they stand.
 */
#ifndef OB_CONFIG_WORD_LISTS_H
#define OB_CONFIG_WORD_LISTS_H

#include "opbench/text.h"

#include "base/arena.h"

typedef struct ob_word_list ob_word_list;
typedef struct ob_word_part ob_word_part;

typedef struct ob_word_lists {
    ob_arena arena;
    ob_word_list *lists;  /* newest first */
    ob_word_part **words; /* what each is made of */
    size_t word_count;
    size_t combinations; /* at least 1 */
} ob_word_lists;

/* Reads the words, which must outlive the lists. To be ended by fini, also after a failure. */
ob_status ob__word_lists_read(ob_word_lists *lists, const char *const *words, size_t count,
                              ob_err *err);
void ob__word_lists_fini(ob_word_lists *lists);
/* The word in a combination below lists->combinations, ended by a NUL; false when memory is out. */
bool ob__word_lists_print(const ob_word_lists *lists, size_t word, size_t combination,
                          ob_text *out);

#endif
