/* SPDX-License-Identifier: Apache-2.0
 *
 * Blocks of one statement per line. A line with "# @NAME" (Python) or "// @NAME" (C++ and C) anywhere in
 * it begins the lines of NAME; "setup" and "global setup" are names with a meaning. Lines of the same
 * name in different languages belong together by their position, which blank lines and comments hold
 * open.
 */
#include "base/text_append.h"
#include "opbench/vec.h"
#include "snippet/lines.h"
#include "snippet/suite_int.h"

#include <ctype.h>
#include <stdlib.h>

/* Lines of one language under one name. */
typedef struct line_list {
    const char **lines;
    size_t count, capacity;
} line_list;

typedef struct label_lines {
    const char *label;
    line_list of[OB_LANGUAGE_COUNT];
} label_lines;

typedef struct blocks {
    ob_arena *arena;
    label_lines *labels;
    size_t count, capacity;
    ob__name_index index;
    label_lines setup, global_setup;
} blocks;

static const char *const COMMENTS[OB_LANGUAGE_COUNT] = {
    [OB_LANGUAGE_PYTHON] = "#", [OB_LANGUAGE_CPP] = "//", [OB_LANGUAGE_C] = "//"};

static void free_lines(label_lines *l)
{
    for (size_t i = 0; i < OB_LANGUAGE_COUNT; i++)
        free((void *)l->of[i].lines);
}

static bool push_line(line_list *list, const char *line)
{
    if (!OB_RESERVE(list->lines, list->capacity, list->count + 1))
        return false;
    list->lines[list->count++] = line;
    return true;
}

/* The entry of a name, added when it is new; NULL when memory is out. */
static label_lines *find_label(blocks *b, const char *label)
{
    const size_t length = strlen(label);
    const uint32_t found = ob__index_find(&b->index, label, length);
    if (found != OB__INDEX_NONE)
        return &b->labels[found];
    if (!OB_RESERVE(b->labels, b->capacity, b->count + 1) || !ob__index_reserve(&b->index, 1))
        return NULL;
    ob__index_put(&b->index, label, length, (uint32_t)b->count);
    b->labels[b->count] = (label_lines){.label = label};
    return &b->labels[b->count++];
}

/* ---- reading ---- */

/* What stands behind "# @" in the line, or NULL. */
static const char *name_in(const char *stripped, const char *comment)
{
    const size_t length = strlen(comment);
    for (const char *at = stripped; (at = strstr(at, comment)) != NULL; at++)
        if (strncmp(at + length, " @", 2) == 0 && at[length + 2] != '\0')
            return at + length + 2;
    return NULL;
}

/* Whether name is `word`, with any case, and blanks for its underscores. */
static bool is_word(const char *name, const char *word)
{
    for (; *name != '\0' && *word != '\0'; name++, word++) {
        const char c = *name == ' ' ? '_' : (char)toupper((unsigned char)*name);
        if (c != *word)
            return false;
    }
    return *name == *word;
}

static ob_status read_block(blocks *b, const char *block, ob_language language, ob_err *err)
{
    const char *dedented = ob__dedent(b->arena, block);
    const char *at = dedented == NULL ? NULL : ob__strip(b->arena, dedented);
    if (at == NULL)
        return ob__snippet_no_memory(err);
    const char *name = "", *line;
    while (at != NULL && *at != '\0') {
        if (!ob__take_line(b->arena, &at, &line))
            return ob__snippet_no_memory(err);
        const char *stripped = ob__strip(b->arena, line);
        if (stripped == NULL)
            return ob__snippet_no_memory(err);
        const char *found = name_in(stripped, COMMENTS[language]);
        if (found != NULL) {
            name = found;
            continue;
        }
        label_lines *to = is_word(name, "SETUP")          ? &b->setup
                          : is_word(name, "GLOBAL_SETUP") ? &b->global_setup
                                                          : find_label(b, name);
        const bool is_comment = strncmp(line, COMMENTS[language], strlen(COMMENTS[language])) == 0;
        if (to == NULL || !push_line(&to->of[language], is_comment ? "" : line))
            return ob__snippet_no_memory(err);
    }
    return OB_OK;
}

/* ---- pairing ---- */

static const char *line_at(const label_lines *l, ob_language language, size_t i)
{
    return i < l->of[language].count ? l->of[language].lines[i] : "";
}

/* The statements at one position; false when there are none. */
static bool fill_variant(const label_lines *l, size_t i, ob_variant *out)
{
    bool any = false;
    *out = (ob_variant){.label = l->label, .number = -1};
    for (size_t k = 0; k < OB_LANGUAGE_COUNT; k++) {
        const char *line = line_at(l, (ob_language)k, i);
        out->stmt[k] = line[0] == '\0' ? NULL : line;
        any = any || line[0] != '\0';
    }
    return any;
}

static size_t longest(const label_lines *l)
{
    size_t most = 0;
    for (size_t k = 0; k < OB_LANGUAGE_COUNT; k++)
        most = l->of[k].count > most ? l->of[k].count : most;
    return most;
}

static ob_status pair_lines(const blocks *b, ob_variants *out, ob_err *err)
{
    size_t most = 0;
    for (size_t i = 0; i < b->count; i++)
        most += longest(&b->labels[i]);
    out->items = ob__arena_alloc_array(b->arena, most + 1, sizeof *out->items);
    out->count = 0;
    if (out->items == NULL)
        return ob__snippet_no_memory(err);
    for (size_t i = 0; i < b->count; i++) {
        const size_t first = out->count;
        for (size_t k = 0; k < longest(&b->labels[i]); k++)
            out->count += fill_variant(&b->labels[i], k, &out->items[out->count]);
        if (out->count - first > 1)
            for (size_t k = first; k < out->count; k++)
                out->items[k].number = (int)(k - first);
    }
    return OB_OK;
}

static ob_status join_lines(ob_arena *arena, label_lines *l, ob_language language, const char **out,
                            ob_err *err)
{
    if (!push_line(&l->of[language], NULL))
        return ob__snippet_no_memory(err);
    *out = ob__join(arena, "\n", l->of[language].lines);
    return *out != NULL ? OB_OK : ob__snippet_no_memory(err);
}

static ob_status read_all(blocks *b, const char *const texts[OB_LANGUAGE_COUNT], ob_variants *out,
                          ob_err *err)
{
    for (size_t k = 0; k < OB_LANGUAGE_COUNT; k++) {
        if (texts[k] != NULL)
            OB_TRY(read_block(b, texts[k], (ob_language)k, err));
        OB_TRY(join_lines(b->arena, &b->setup, (ob_language)k, &out->setup.code[k], err));
        OB_TRY(join_lines(b->arena, &b->global_setup, (ob_language)k, &out->setup.global_setup[k],
                          err));
    }
    if (out->setup.global_setup[OB_LANGUAGE_PYTHON][0] != '\0')
        return ob_err_set(err, OB_ERR_CONFIG,
                          "Python has no global setup; write \"# @setup\" instead");
    return pair_lines(b, out, err);
}

ob_status ob__variants_parse(ob_arena *arena, const char *const texts[OB_LANGUAGE_COUNT],
                             ob_variants *out, ob_err *err)
{
    blocks b = {.arena = arena};
    *out = (ob_variants){.count = 0};
    const ob_status status = read_all(&b, texts, out, err);
    for (size_t i = 0; i < b.count; i++)
        free_lines(&b.labels[i]);
    free_lines(&b.setup);
    free_lines(&b.global_setup);
    free(b.labels);
    ob__index_fini(&b.index);
    return status;
}
