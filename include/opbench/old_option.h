/* SPDX-License-Identifier: Apache-2.0
 *
 * Old spellings of options: accepted in place of the new ones, with a note from the parser, and
 * never shown.
 */
#ifndef OPBENCH_OLD_OPTION_H
#define OPBENCH_OLD_OPTION_H

#include "opbench/option.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A row for an old name, after the row of the new name (OB_OPTION_ROWS without a table). An old
 * letter may follow. ob_options_join turns it into an option that fills the same field. */
#define OB_OPTION_OLD_NAME(old_name, new_name, ...)                                                \
    {                                                                                              \
        .name = (old_name), .type = OB_OPTION_ROWS, .value = (new_name), __VA_ARGS__               \
    }

/* For a row of a joined table: the new name, if its own is an old spelling; else NULL. */
const char *ob_option_new_name(const ob_option *row);

#ifdef __cplusplus
}
#endif
#endif
