/* SPDX-License-Identifier: Apache-2.0
 *
 * The file that trace and convert are told; which of its calls is said by ob__trace_rows.
 */
#ifndef OB_CLI_TRACE_ROWS_H
#define OB_CLI_TRACE_ROWS_H

#include "command.h"
#include "command_rows.h"

#define OB_TRACE_FILE_WORD                                                                         \
    {                                                                                              \
        .name = "FILE", .required = true,                                                          \
        .help = "The trace: JSON, plain or packed (.gz, .tar.gz, .zst); - reads standard input."   \
    }

#endif
