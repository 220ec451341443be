/* SPDX-License-Identifier: Apache-2.0
 *
 * "Did you mean": the search for the nearest name, one candidate at a time, for tables that are no
 * array of names.
 */
#ifndef OB_BASE_NEAREST_H
#define OB_BASE_NEAREST_H

#include <stddef.h>

typedef struct ob_nearest {
    const char *word;
    size_t length;
    const char *best; /* NULL: none was near enough */
    size_t limit;     /* a better candidate needs at most so many edits */
} ob_nearest;

/* word must live as long as the search. */
void ob__nearest_start(ob_nearest *nearest, const char *word, size_t length);
/* What a message says of it: `before`, the name and `after`; `otherwise` where there is none (NULL). */
typedef struct ob_near_text {
    char text[512];
} ob_near_text;
ob_near_text ob__near_text(const char *name, const char *before, const char *after,
                           const char *otherwise);

/* Of equally near candidates the first one stays. */
void ob__nearest_offer(ob_nearest *nearest, const char *candidate);

#endif
