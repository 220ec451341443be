/* SPDX-License-Identifier: Apache-2.0
 *
 * What trace, convert and replay are told alike: the file, and which of its calls.
 */
#ifndef OB_CLI_TRACE_ROWS_H
#define OB_CLI_TRACE_ROWS_H

#include "command.h"

#include "opbench/trace.h"

/* base: offset of the ob_trace_selection; label_name: what the command calls its text. */
#define OB_TRACE_CHOICE_ROWS(base, label_name)                                                     \
    {.name = (label_name),                                                                         \
     .type = OB_OPTION_STRING,                                                                     \
     .offset = (base) + offsetof(ob_trace_selection, label),                                       \
     .value = "TEXT",                                                                              \
     .help = "Only what is below nodes with this text in their name."},                            \
        {.name = "leaves",                                                                         \
         .type = OB_OPTION_FLAG,                                                                   \
         .offset = (base) + offsetof(ob_trace_selection, leaves),                                  \
         .help = "The innermost operators instead of the topmost; most of the computing is not "   \
                 "there."},                                                                        \
    {                                                                                              \
        .name = "keep-loader", .type = OB_OPTION_FLAG,                                             \
        .offset = (base) + offsetof(ob_trace_selection, keep_loader),                              \
        .help = "Also what the data loader called."                                                \
    }

#define OB_TRACE_ITERATION_ROW(base)                                                               \
    {                                                                                              \
        .name = "iteration", .type = OB_OPTION_INT,                                                \
        .offset = (base) + offsetof(ob_trace_selection, iteration), .value = "N", .max = 1e15,     \
        .initial = "-1", .otherwise = "all",                                                       \
        .help = "Only this step that the profiler marked, from 0."                                 \
    }

#define OB_TRACE_FILE_WORD                                                                         \
    {                                                                                              \
        .name = "FILE", .required = true,                                                          \
        .help = "The trace: JSON, plain or packed (.gz, .tar.gz, .zst); - reads standard input."   \
    }

#endif
