/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists of values in words: each word is cut into parts that stand as they are and places of lists; a combination picks
 * one value of every list.
 */
#include "config/word_lists.h"

#include "base/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* More cases than anybody waits for; a slip of a range must not fill the memory. */
enum { MOST_COMBINATIONS = 100000 };

struct ob_word_list {
    ob_word_list *next;
    const char *name; /* not ended; NULL = none */
    size_t name_length;
    char **values;
    size_t count, capacity;
    size_t period; /* combinations until the next value: the product of the counts of later lists */
};

struct ob_word_part {
    ob_word_part *next;
    const ob_word_list *list; /* NULL = the text */
    const char *text;
    size_t length;
};

typedef struct reader {
    ob_word_lists *lists;
    const char *word, *at;
    ob_err *err;
} reader;

static ob_status fail(const reader *r, const char *at, const char *what)
{
    return ob_err_set(r->err, OB_ERR_SYNTAX, "argument \"%.200s\", character %zu: %s", r->word,
                      (size_t)(at - r->word) + 1, what);
}

static ob_status no_memory(const reader *r)
{
    return ob_err_set(r->err, OB_ERR_NOMEM, "out of memory for the lists of an argument");
}

/* ---- the values of a list ---- */

static ob_status add_value(const reader *r, ob_word_list *list, const char *text, size_t length)
{
    if (list->count == list->capacity) {
        const size_t capacity = 2 * list->capacity + 8;
        char **more = ob__arena_alloc_array(&r->lists->arena, capacity, sizeof *more);
        if (more == NULL)
            return no_memory(r);
        if (list->count > 0)
            memcpy(more, list->values, list->count * sizeof *more);
        list->values = more;
        list->capacity = capacity;
    }
    char *value = ob__arena_strdup(&r->lists->arena, text, length);
    if (value == NULL)
        return no_memory(r);
    list->values[list->count++] = value;
    return list->count <= MOST_COMBINATIONS ? OB_OK : fail(r, r->at, "the list is too long");
}

typedef struct range {
    int64_t from, to, step;
    bool multiplies;
} range;

/* False: there is no further value that 64 bits hold. */
static bool next_value(const range *how, int64_t *value)
{
    return how->multiplies ? !__builtin_mul_overflow(*value, how->step, value)
                           : !__builtin_add_overflow(*value, how->step, value);
}

static ob_status add_range(const reader *r, ob_word_list *list, const range *how)
{
    char text[24];
    bool more = true;
    for (int64_t value = how->from; more && (how->step > 0 ? value <= how->to : value >= how->to);
         more = next_value(how, &value)) {
        const int length = snprintf(text, sizeof text, "%" PRId64, value);
        OB_TRY(add_value(r, list, text, (size_t)length));
    }
    return OB_OK;
}

static bool read_whole(const char *text, size_t length, int64_t *out)
{
    const size_t sign = length > 0 && text[0] == '-';
    for (size_t i = sign; i < length; i++)
        if (text[i] < '0' || text[i] > '9')
            return false;
    return length > sign && ob__parse_i64(text, length, out);
}

/* FROM..TO[:STEP] or FROM..TO:*FACTOR, whose dots are at `dots`. */
static ob_status read_range(const reader *r, ob_word_list *list, const char *dots, size_t length)
{
    const char *from = r->at, *end = from + length, *to = dots + 2;
    const char *colon = memchr(to, ':', (size_t)(end - to));
    range how = {.step = 1};
    if (!read_whole(from, (size_t)(dots - from), &how.from) ||
        !read_whole(to, (size_t)((colon != NULL ? colon : end) - to), &how.to))
        return fail(r, from, "the ends of a range in a list must be whole numbers, such as 1..8");
    if (how.from > how.to)
        how.step = -1;
    if (colon != NULL) {
        how.multiplies = colon + 1 < end && colon[1] == '*';
        const char *step = colon + 1 + how.multiplies;
        if (!read_whole(step, (size_t)(end - step), &how.step) || how.step == 0 ||
            (how.multiplies && (how.step < 2 || how.from < 1)))
            return fail(r, colon,
                        "after the colon, write the step to add, such as :16, or the factor to "
                        "multiply a positive number by, such as :*2");
    }
    if ((how.step > 0) != (how.from <= how.to) && how.from != how.to)
        return fail(r, from, "the range has no values: its step leads away from its end");
    return add_range(r, list, &how);
}

static const char *find_dots(const char *text, size_t length)
{
    for (size_t i = 1; i + 1 < length; i++)
        if (text[i] == '.' && text[i + 1] == '.')
            return text + i;
    return NULL;
}

/* What stands between the braces, behind the name if there is one. */
static ob_status read_values(reader *r, ob_word_list *list, const char *end)
{
    for (;; r->at++) {
        const size_t length = strcspn(r->at, ",}");
        const char *dots = find_dots(r->at, length);
        if (length == 0)
            return fail(r, r->at, "the list has an empty value");
        OB_TRY(dots != NULL ? read_range(r, list, dots, length)
                            : add_value(r, list, r->at, length));
        r->at += length;
        if (r->at == end)
            return OB_OK;
    }
}

/* ---- words ---- */

static bool is_name(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const char c = text[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
              (i > 0 && c >= '0' && c <= '9')))
            return false;
    }
    return length > 0;
}

static const ob_word_list *find_list(const ob_word_lists *lists, const char *name, size_t length)
{
    for (const ob_word_list *l = lists->lists; l != NULL; l = l->next)
        if (l->name_length == length && length > 0 && memcmp(l->name, name, length) == 0)
            return l;
    return NULL;
}

static ob_status make_list(reader *r, const char *name, size_t name_length, const char *end,
                           const ob_word_list **out)
{
    ob_word_list *list = ob__arena_alloc(&r->lists->arena, sizeof *list);
    if (list == NULL)
        return no_memory(r);
    *list = (ob_word_list){.next = r->lists->lists, .name = name, .name_length = name_length};
    OB_TRY(read_values(r, list, end));
    r->lists->lists = list;
    *out = list;
    return OB_OK;
}

/* At "{": a new list, or the name of one that was there before. */
static ob_status read_list(reader *r, const ob_word_list **out)
{
    const char *from = r->at + 1;
    const size_t length = strcspn(from, "{}");
    if (from[length] != '}')
        return fail(r, r->at,
                    from[length] == '{' ? "a list within a list"
                                        : "the list is not closed: \"}\" is missing");
    const char *end = from + length, *equals = memchr(from, '=', length);
    const size_t name = equals != NULL ? (size_t)(equals - from) : 0;
    if (equals == NULL && is_name(from, length)) {
        *out = find_list(r->lists, from, length);
        if (*out == NULL)
            return fail(r, from, "no earlier list has that name; write a named list as {n=64,128}");
    } else if (equals != NULL &&
               (!is_name(from, name) || find_list(r->lists, from, name) != NULL)) {
        return fail(r, from,
                    is_name(from, name) ? "another list already has that name"
                                        : "the name of the list is not valid");
    } else {
        r->at = equals != NULL ? equals + 1 : from;
        OB_TRY(make_list(r, from, name, end, out));
    }
    r->at = end + 1;
    return OB_OK;
}

static ob_status add_part(const reader *r, ob_word_part ***last, const ob_word_part *part)
{
    if (part->list == NULL && part->length == 0)
        return OB_OK;
    ob_word_part *copy = ob__arena_alloc(&r->lists->arena, sizeof *copy);
    if (copy == NULL)
        return no_memory(r);
    *copy = *part;
    **last = copy;
    *last = &copy->next;
    return OB_OK;
}

/* How much from here on stands as it is: to the next list outside of quotes. */
static size_t plain_length(const char *text)
{
    size_t at = 0;
    while (text[at] != '\0' && text[at] != '{') {
        const char quote = text[at];
        if (strncmp(text + at, "str:", 4) == 0)
            return at + strlen(text + at);
        if (quote == '"' || quote == '\'') {
            const char *end = strchr(text + at + 1, quote);
            if (end == NULL)
                return at + strlen(text + at);
            at = (size_t)(end - text);
        }
        at++;
    }
    return at;
}

/* NAME={"type": ...} or without the name. */
static bool is_json(const char *word)
{
    const size_t name = strcspn(word, "={\"");
    const char *value = word[name] == '=' && is_name(word, name) ? word + name + 1 : word;
    if (value[0] != '{')
        return false;
    value += 1 + strspn(value + 1, " \t\n");
    return value[0] == '"' || value[0] == '}';
}

static ob_status read_word(reader *r, ob_word_part **out)
{
    ob_word_part **last = out;
    *out = NULL;
    r->at = r->word;
    if (is_json(r->word))
        return add_part(r, &last, &(ob_word_part){.text = r->word, .length = strlen(r->word)});
    while (*r->at != '\0') {
        const size_t length = plain_length(r->at);
        OB_TRY(add_part(r, &last, &(ob_word_part){.text = r->at, .length = length}));
        r->at += length;
        if (*r->at == '{') {
            ob_word_part place = {0};
            OB_TRY(read_list(r, &place.list));
            OB_TRY(add_part(r, &last, &place));
        }
    }
    return OB_OK;
}

ob_status ob__word_lists_read(ob_word_lists *lists, const char *const *words, size_t count,
                              ob_err *err)
{
    *lists = (ob_word_lists){.word_count = count, .combinations = 1};
    ob__arena_init(&lists->arena, 0);
    reader r = {.lists = lists, .err = err};
    lists->words = ob__arena_alloc_array(&lists->arena, count, sizeof(ob_word_part *));
    if (lists->words == NULL)
        return no_memory(&r);
    for (size_t i = 0; i < count; i++) {
        r.word = words[i];
        OB_TRY(read_word(&r, &lists->words[i]));
    }
    for (ob_word_list *l = lists->lists; l != NULL; l = l->next) {
        l->period = lists->combinations;
        if (__builtin_mul_overflow(lists->combinations, l->count, &lists->combinations) ||
            lists->combinations > MOST_COMBINATIONS)
            return ob_err_set(err, OB_ERR_SYNTAX,
                              "the lists of the arguments make more than %d cases; leave some out",
                              MOST_COMBINATIONS);
    }
    return OB_OK;
}

void ob__word_lists_fini(ob_word_lists *lists)
{
    ob__arena_fini(&lists->arena);
}

bool ob__word_lists_print(const ob_word_lists *lists, size_t word, size_t combination, ob_text *out)
{
    for (const ob_word_part *p = lists->words[word]; p != NULL; p = p->next) {
        const ob_word_list *l = p->list;
        if (l != NULL ? !ob_text_append_str(out, l->values[combination / l->period % l->count])
                      : !ob_text_append(out, p->text, p->length))
            return false;
    }
    return ob_text_append(out, "", 1);
}
