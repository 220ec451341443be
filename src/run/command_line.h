/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists of words for exec: gathered one by one, or split from a line as a shell would.
 */
#ifndef OB_RUN_COMMAND_LINE_H
#define OB_RUN_COMMAND_LINE_H

#include "opbench/status.h"
#include "opbench/text.h"

#include <stdbool.h>

/* Words one behind the other, each ended by a NUL. Zero is empty. */
typedef struct ob_command_words {
    ob_text text;
    size_t count;
} ob_command_words;

void ob__command_words_fini(ob_command_words *words);
bool ob__command_words_add(ob_command_words *words, const char *word);
/* Blanks split; single and double quotes and backslashes work as in a shell, nothing else is special.
 * OB_ERR_SYNTAX for a quote that is not closed; `what` names the text in the message. */
ob_status ob__command_words_split(ob_command_words *words, const char *text, const char *what,
                                  ob_err *err);
/* A list ended by NULL that points into words; free() it. NULL when memory is out. */
char **ob__command_words_list(const ob_command_words *words);
/* As a line that a shell reads back to the same words. */
bool ob__command_words_print(const ob_command_words *words, ob_text *line);

#endif
