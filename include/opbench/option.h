/* SPDX-License-Identifier: Apache-2.0
 *
 * Option rows: help, parsing, man page and completion are made from them; nothing else lists them.
 */
#ifndef OPBENCH_OPTION_H
#define OPBENCH_OPTION_H

#include "opbench/status.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ob_option_type {
    OB_OPTION_FLAG,   /* bool */
    OB_OPTION_STRING, /* const char *: points into argv */
    OB_OPTION_INT,    /* int64_t, within [min, max] */
    OB_OPTION_DOUBLE, /* double, within [min, max] */
    OB_OPTION_CHOICE, /* const char *: one of `choices` */
} ob_option_type;

typedef struct ob_option {
    const char *name; /* "config": given as --config VALUE or --config=VALUE */
    char letter;      /* 'c', or 0 */
    bool open;        /* numbers only: min and max themselves are not allowed */
    ob_option_type type;
    size_t offset;       /* of the field in the options struct */
    const char *value;   /* placeholder in help, "FILE"; NULL for a flag */
    const char *choices; /* "on|off", else NULL */
    double min, max;     /* numbers only; both 0 = any */
    const char *help;    /* one sentence */
} ob_option;             /* a table ends with a row whose name is NULL */

/* Parses argv[1..] into *target by the rows. Words that are no options are gathered into
 * positionals (room for argc). "--" ends options. A repeated option: the last one counts.
 * OB_ERR_INVALID with a message that names the option and, for a misspelt one, the nearest row. */
ob_status ob_options_parse(const ob_option *rows, int argc, char *const *argv, void *target,
                           const char **positionals, size_t *positional_count, ob_err *err);

/* Writes the help block of the rows, one line or more each, wrapped at 80 columns, like snprintf:
 * at most size bytes with the NUL, and returns the length of the whole text. out may be NULL if
 * size is 0. */
size_t ob_options_help(const ob_option *rows, char *out, size_t size);

/* The row nearest in spelling to `word` from a list of names, or NULL when none is near. */
const char *ob_nearest_name(const char *word, const char *const *names, size_t count);

#ifdef __cplusplus
}
#endif
#endif
