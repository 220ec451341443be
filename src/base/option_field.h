/* SPDX-License-Identifier: Apache-2.0
 *
 * One option: its field in a struct, and the word that stands for its value.
 */
#ifndef OB_BASE_OPTION_FIELD_H
#define OB_BASE_OPTION_FIELD_H

#include "opbench/option.h"

/* Reads a value that the user gave; name is how the option was written, for messages. */
ob_status ob__option_store(const ob_option *row, const char *name, const char *value, void *field,
                           ob_err *err);
size_t ob__option_bytes(ob_option_type type); /* of the field; 0 = no such type */
/* The field's default. */
ob_status ob__option_store_default(const ob_option *row, void *field, ob_err *err);

/* "FILE", "SECONDS", "on|off"; "" for a flag. */
typedef struct ob_placeholder {
    char text[160];
} ob_placeholder;
ob_placeholder ob__option_placeholder(const ob_option *row);

/* Appends what is not the default as words of a command line ("--pin=3"), each with a NUL behind it. */
bool ob__options_append_words(const ob_option *rows, const void *target, ob_text *words);

#endif
