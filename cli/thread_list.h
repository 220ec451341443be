/* SPDX-License-Identifier: Apache-2.0
 *
 * --num-threads LIST: the commands that measure with each of several thread counts.
 */
#ifndef OB_CLI_THREAD_LIST_H
#define OB_CLI_THREAD_LIST_H

#include "command.h"

enum { OB_MOST_THREAD_COUNTS = 64 };

typedef struct ob_thread_list {
    int64_t counts[OB_MOST_THREAD_COUNTS];
    size_t size;
} ob_thread_list;

#define OB_THREAD_LIST_ROW(at)                                                                     \
    {                                                                                              \
        .name = "num-threads", .type = OB_OPTION_STRING, .offset = (at), .value = "LIST",          \
        .group = "Threads and processes",                                                          \
        .help = "Threads for every library underneath; a list such as 1,2,4 measures with each.",  \
        .otherwise = "1"                                                                           \
    }

/* "1,2,4"; NULL is "1". OB_EXIT_OK, or what is wrong was said. */
int ob__thread_list_read(ob_cli *cli, const char *text, ob_thread_list *out);

#endif
