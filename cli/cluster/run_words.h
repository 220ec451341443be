/* SPDX-License-Identifier: Apache-2.0
 *
 * The line of `opbench run` that another command passes on: read and checked here, so that what is wrong with it is said at once and not
 * by every node.
 */
#ifndef OB_CLI_CLUSTER_RUN_WORDS_H
#define OB_CLI_CLUSTER_RUN_WORDS_H

#include "command.h"

#include <limits.h>

/* Zero is empty. */
typedef struct ob_run_words {
    char **items; /* options of run, "-c" and the config's absolute path first; ended by NULL */
    size_t count, capacity;
    char config[PATH_MAX];
    uint64_t results; /* that its cases come to */
} ob_run_words;

/* words: what stands behind "--". config: NULL = it is among them. OB_EXIT_OK, or what is wrong was said. Fini also after a failure. */
int ob__run_words_read(ob_cli *cli, const char *config, const char *const *words, size_t count,
                       ob_run_words *out);
void ob__run_words_fini(ob_run_words *words);

#endif
