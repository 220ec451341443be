/* SPDX-License-Identifier: Apache-2.0
 *
 * What is known of a job's cases before they are measured: their calls, how large they are, and from both and what
 * those before them took, how long the others will take.
 */
#ifndef OB_JOB_OUTLOOK_H
#define OB_JOB_OUTLOOK_H

#include "opbench/batch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- how long the rest takes ---- */

/* A case takes a time of its own and, beyond it, one that grows with its size. Zero knows nothing. */
typedef struct ob_eta {
    double cases, seconds;     /* sums over the cases so far */
    double size, square, both; /* of sizes, their squares, and size times seconds */
} ob_eta;

void ob__eta_add(ob_eta *eta, double size, double seconds);
/* Seconds for so many cases more, whose sizes come to `size`. NaN: nothing is known yet. */
double ob__eta_left(const ob_eta *eta, double cases, double size);

/* ---- what is ahead ---- */

/* The cases of a part that are measured: without those of other shards. */
typedef struct ob_part_cases {
    ob_case_range *ranges;
    size_t count;
    uint64_t cases;
} ob_part_cases;

typedef struct ob_outlook ob_outlook;

/* Looks at the cases of all parts, or, of very many, at some of them. NULL: memory is out. What the parts point to must
 * outlive it. */
ob_outlook *ob__outlook_open(const ob_job_part *parts, const ob_part_cases *cases, size_t count);
void ob__outlook_close(ob_outlook *outlook); /* NULL is allowed */
/* Bytes of the inputs of the cases [first, end), about. */
double ob__outlook_size(const ob_outlook *outlook, uint64_t first, uint64_t end);
/* The call of a case, until the next question; NULL = not known. */
const char *ob__outlook_call(ob_outlook *outlook, uint64_t index);
size_t ob__outlook_call_width(const ob_outlook *outlook); /* the longest; 0 = not known */
/* Calls of the cases, or of some of very many; they live as long as the outlook. */
const char *const *ob__outlook_calls(const ob_outlook *outlook, size_t *count);
bool ob__outlook_has_backward(const ob_outlook *outlook);  /* cases have a second pass */
bool ob__outlook_repeats_calls(const ob_outlook *outlook); /* one behind the other */

#endif
