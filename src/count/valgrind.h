/* SPDX-License-Identifier: Apache-2.0
 *
 * A process under callgrind, seen from outside: the words before its command line, its environment, the folder
 * where its counts appear, and what it means when valgrind gives up.
 */
#ifndef OB_COUNT_VALGRIND_H
#define OB_COUNT_VALGRIND_H

#include "base/scratch.h"
#include "opbench/count.h"

enum { OB_MOST_VALGRIND_WORDS = 12, OB_MOST_DUMP_PATH = 1152 };

typedef struct ob_valgrind {
    char *program;
    ob_scratch scratch;                        /* where its files are */
    char out[OB_MOST_DUMP_PATH];               /* the word that names its files */
    const char *words[OB_MOST_VALGRIND_WORDS]; /* before the program and its words; ended by NULL */
} ob_valgrind;

/* "NAME=VALUE", ended by NULL. */
extern const char *const ob__valgrind_variables[];

/* Finds valgrind (program NULL = that of PATH) and makes a folder. OB_ERR_UNSUPPORTED: it is missing. */
ob_status ob__valgrind_open(ob_valgrind *valgrind, const char *program, ob_err *err);
void ob__valgrind_close(ob_valgrind *valgrind); /* zero is allowed */

/* The counts of the dump with this number, from 1. */
ob_status ob__valgrind_read(const ob_valgrind *valgrind, int64_t number, ob_count_file **out,
                            ob_err *err);
/* How many dumps there are behind the first `before`, which may be gone. */
int64_t ob__valgrind_dumps(const ob_valgrind *valgrind, int64_t before);
/* Removes the dumps. */
void ob__valgrind_clear(const ob_valgrind *valgrind);

/* Whether what a process printed or died of says that it used instructions which valgrind does not know. */
bool ob__valgrind_cannot(const char *text);
/* OB_ERR_UNSUPPORTED with what to do about it. */
ob_status ob__valgrind_unable(ob_err *err);

#endif
