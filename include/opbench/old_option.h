/* SPDX-License-Identifier: Apache-2.0
 *
 * Old spellings of options: taken for the new ones, with a note of whoever parses, and shown nowhere.
 */
#ifndef OPBENCH_OLD_OPTION_H
#define OPBENCH_OLD_OPTION_H

#include "opbench/option.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A row after that of the new name: OB_OPTION_ROWS of no table. An old letter may follow. ob_options_join makes an option of it
 * that fills the same field. */
#define OB_OPTION_OLD_NAME(old_name, new_name, ...)                                                \
    {                                                                                              \
        .name = (old_name), .type = OB_OPTION_ROWS, .value = (new_name), __VA_ARGS__               \
    }

/* Of a row of a joined table: what to write instead of its name; NULL unless that is an old spelling. */
const char *ob_option_new_name(const ob_option *row);

#ifdef __cplusplus
}
#endif
#endif
