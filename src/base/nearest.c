/* SPDX-License-Identifier: Apache-2.0
 *
 * Edit distance: insertions, deletions, replacements and swaps of neighbours, which are the slips
 * of a typing hand. One edit per three letters is still taken for a misspelling; more is another
 * word.
 */
#include "base/nearest.h"

#include "opbench/option.h"

#include <stdio.h>
#include <string.h>

/* Longer words are not searched for: no name of ours is that long, and the work is quadratic. */
enum { MAX_WORD = 128 };

static size_t min3(size_t a, size_t b, size_t c)
{
    const size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* Both at most MAX_WORD long. */
static size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t rows[3][MAX_WORD + 1]; /* rotate: the one before the last is for swaps */
    size_t *before = rows[0], *last = rows[1], *now = rows[2];
    for (size_t j = 0; j <= b_length; j++)
        last[j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        now[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            const size_t replaced = last[j - 1] + (a[i - 1] != b[j - 1]);
            now[j] = min3(last[j] + 1, now[j - 1] + 1, replaced);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 1 < now[j])
                now[j] = before[j - 2] + 1;
        }
        size_t *const oldest = before;
        before = last;
        last = now;
        now = oldest;
    }
    return last[b_length];
}

void ob__nearest_start(ob_nearest *nearest, const char *word, size_t length)
{
    *nearest = (ob_nearest){.word = word, .length = length, .limit = (length + 2) / 3};
}

void ob__nearest_offer(ob_nearest *nearest, const char *candidate)
{
    const size_t length = strlen(candidate);
    const size_t difference =
        length > nearest->length ? length - nearest->length : nearest->length - length;
    if (nearest->length > MAX_WORD || length > MAX_WORD || difference > nearest->limit)
        return;
    const size_t edits = edit_distance(nearest->word, nearest->length, candidate, length);
    /* As many edits as letters would turn any word into any other. */
    if (edits > nearest->limit || edits >= nearest->length || edits >= length)
        return;
    nearest->best = candidate;
    if (edits == 0) {
        nearest->length = MAX_WORD + 1; /* found: nothing can be nearer */
        return;
    }
    nearest->limit = edits - 1;
}

ob_near_text ob__near_text(const char *name, const char *before, const char *after,
                           const char *otherwise)
{
    ob_near_text near;
    if (name != NULL)
        snprintf(near.text, sizeof near.text, "%s%.128s%s", before, name, after);
    else
        snprintf(near.text, sizeof near.text, "%s", otherwise);
    return near;
}

const char *ob_nearest_name(const char *word, const char *const *names, size_t count)
{
    ob_nearest nearest;
    ob__nearest_start(&nearest, word, strlen(word));
    for (size_t i = 0; i < count; i++)
        ob__nearest_offer(&nearest, names[i]);
    return nearest.best;
}
