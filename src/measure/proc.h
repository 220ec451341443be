/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading the kernel's small text files below a root that tests can replace, and the ticks of
 * /proc/stat.
 */
#ifndef OB_MEASURE_PROC_H
#define OB_MEASURE_PROC_H

#include "opbench/measure.h"

#include <stdio.h>

enum { OB_PROC_PATH_BYTES = 512 };

/* Opens root + the formatted path for reading; NULL if that is not possible. */
FILE *ob__proc_open(const char *root, const char *format, ...) OB_PRINTF(2, 3);
/* The first line of the file without blanks at its ends, NUL-terminated and cut to size; "" and false
 * when there is none. */
bool ob__proc_line(const char *root, char *out, size_t size, const char *format, ...)
    OB_PRINTF(4, 5);
/* Like ob__proc_line for a whole number, with the kernel's K, M and G behind it. */
bool ob__proc_number(const char *root, uint64_t *out, const char *format, ...) OB_PRINTF(3, 4);
/* The text behind the colon of the first line whose name is `name` ("model name\t: AMD EPYC"). */
bool ob__proc_named(FILE *file, const char *name, char *out, size_t size);
/* Digits and an optional K, M or G. */
bool ob__proc_parse_number(const char *text, uint64_t *out);

/* Ticks of the CPUs in a set, summed. */
typedef struct ob_cpu_ticks {
    uint64_t busy; /* user, nice, system, irq, softirq; guests are part of user */
    uint64_t idle; /* idle, iowait */
    uint64_t steal;
    size_t cpus; /* how many of the set have a line */
} ob_cpu_ticks;

/* Reads the "cpu<N> ..." lines at the start of /proc/stat's text. OB_ERR_SYNTAX for anything else at
 * its start, OB_ERR_NOT_FOUND when none of the set's CPUs is there. */
ob_status ob__cpu_ticks_read(FILE *file, const ob_cpu_set *cpus, ob_cpu_ticks *out, ob_err *err);

#endif
