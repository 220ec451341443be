/* SPDX-License-Identifier: Apache-2.0
 *
 * A word that is being completed, for cmd_complete.c, which finds out what it stands for, and complete_values.c, which
 * knows what values there are.
 */
#ifndef OB_CLI_COMPLETE_H
#define OB_CLI_COMPLETE_H

#include "help.h"

typedef struct ob_completion {
    ob_cli *cli;
    const char *part;        /* what is written of the word */
    size_t kept;             /* how much of it stands before the value: "--config=", "native," */
    const ob_option *row;    /* whose value it is, or NULL */
    bool is_value;           /* it is that value, in a word of its own */
    size_t place;            /* which of the words it is that are no options */
    const char *first_word;  /* the first of those, if it is not the one; or NULL */
    const char *config, *op; /* what the options of these names say; or NULL */
} ob_completion;

/* A line of the answer, if the word begins as what was written does: what was kept, the word, a tab, the first sentence of
 * help (NULL = none). */
void ob__complete_offer(const ob_completion *c, const char *word, const char *help);
/* What the value of c->row may be. */
void ob__complete_value(ob_completion *c);
/* What a word of a command may be. */
void ob__complete_word(ob_completion *c, const ob_cli_word *word);

#endif
