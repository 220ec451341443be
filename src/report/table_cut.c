/* SPDX-License-Identifier: Apache-2.0
 *
 * See table_cut.h. Whether a cut keeps texts apart is found by trying it: a few places for the gap, and a hash of what is left.
 */
#include "report/table_cut.h"

#include "base/utf8.h"
#include "opbench/vec.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static const char DOTS[] = "...";
enum { DOT_COUNT = sizeof DOTS - 1, PLACES = 4 };

bool ob__cut_texts_add(ob_cut_texts *texts, const char *text, size_t size)
{
    if (texts->count == OB_MOST_CUT_TEXTS)
        return true;
    if (!OB_RESERVE(texts->items, texts->room, texts->count + 1))
        return false;
    char *copy = strndup(text, size);
    if (copy != NULL)
        texts->items[texts->count++] = copy;
    return copy != NULL;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

bool ob__cut_texts_close(ob_cut_texts *texts)
{
    size_t kept = 0;
    if (texts->count > 0)
        qsort(texts->items, texts->count, sizeof *texts->items, compare_texts);
    for (size_t i = 0; i < texts->count; i++) {
        if (kept > 0 && strcmp(texts->items[kept - 1], texts->items[i]) == 0)
            free(texts->items[i]);
        else
            texts->items[kept++] = texts->items[i];
    }
    texts->count = kept;
    texts->scratch = calloc(kept + 1, sizeof *texts->scratch);
    return texts->scratch != NULL;
}

void ob__cut_texts_fini(ob_cut_texts *texts)
{
    for (size_t i = 0; i < texts->count; i++)
        free(texts->items[i]);
    free(texts->items);
    free(texts->scratch);
    *texts = (ob_cut_texts){.count = 0};
}

/* ---- one cut ---- */

/* Where the character of this number begins. */
static const char *find(const char *text, const char *end, size_t characters)
{
    for (size_t i = 0; i < characters && text < end; i++)
        ob__utf8_next(&text, end);
    return text;
}

static size_t count_characters(const char *text, const char *end)
{
    size_t count = 0;
    for (; text < end; count++)
        ob__utf8_next(&text, end);
    return count;
}

/* What stays of a text: [text, head) and [tail, end). All of it, where it fits. */
static void find_cut(const char *text, const char *end, size_t width, size_t tail_width,
                     const char **head, const char **tail)
{
    const size_t count = count_characters(text, end);
    *head = *tail = end;
    if (count <= width || width < DOT_COUNT + 1)
        return;
    *head = find(text, end, width - DOT_COUNT - tail_width);
    *tail = find(text, end, count - tail_width);
}

bool ob__cut_text(ob_text *text, size_t width, size_t tail_width)
{
    const char *head, *tail;
    if (text->size == 0)
        return true;
    find_cut(text->data, text->data + text->size, width, tail_width, &head, &tail);
    const size_t kept = (size_t)(text->data + text->size - tail);
    if (head == text->data + text->size)
        return true;
    char *end = strndup(tail, kept);
    text->size = (size_t)(head - text->data);
    const bool ok = end != NULL && ob_text_append_str(text, DOTS) && ob_text_append_str(text, end);
    free(end);
    return ok;
}

/* ---- the best of several ---- */

static int compare_hashes(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* How many texts are different after the cut. */
static size_t count_apart(const ob_cut_texts *texts, size_t width, size_t tail_width)
{
    size_t apart = texts->count > 0;
    for (size_t i = 0; i < texts->count; i++) {
        const char *text = texts->items[i], *end = text + strlen(text), *head, *tail;
        find_cut(text, end, width, tail_width, &head, &tail);
        texts->scratch[i] = XXH3_64bits_withSeed(tail, (size_t)(end - tail),
                                                 XXH3_64bits(text, (size_t)(head - text)));
    }
    if (texts->count > 0)
        qsort(texts->scratch, texts->count, sizeof *texts->scratch, compare_hashes);
    for (size_t i = 1; i < texts->count; i++)
        apart += texts->scratch[i] != texts->scratch[i - 1];
    return apart;
}

size_t ob__cut_tail(const ob_cut_texts *texts, size_t width, bool *apart)
{
    const size_t room = width > DOT_COUNT ? width - DOT_COUNT : 0;
    size_t best = 0, most = 0;
    for (size_t i = 0; i < PLACES && most < texts->count; i++) {
        const size_t tail = room * i / PLACES, count = count_apart(texts, width, tail);
        if (count > most) {
            most = count;
            best = tail;
        }
    }
    *apart = most == texts->count;
    return best;
}
