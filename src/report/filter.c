/* SPDX-License-Identifier: Apache-2.0
 *
 * The grammar, loosest binding first:
 *
 *   or:   and { "or" and }        and: not { "and" not }        not: { "not" } atom
 *   atom: "(" or ")"  |  COLUMN  |  COLUMN OPERATOR VALUE
 *   OPERATOR: == = != < <= > >= ~ !~
 *
 * A column alone is true where it has something. COLUMN and VALUE are words without blanks, or in quotes. Times take a unit:
 * ns, us, ms, s; without one they are ns. "~" finds a text in another; "*" stands for anything, "?" for one
 * character. A cell without anything is only != and !~ to a value. The expressions of fuzz specs know whole numbers alone,
 * so this is a language of its own.
 */
#include "report/filter.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 256, MOST_DEPTH = 64, MOST_WORD = 1024 };

typedef enum kind {
    IS_EQUAL,
    IS_UNEQUAL,
    IS_LESS,
    IS_LESS_EQUAL,
    IS_GREATER,
    IS_GREATER_EQUAL,
    IS_LIKE,
    IS_UNLIKE,
    IS_THERE,
    AND,
    OR,
    NOT,
} kind;

typedef struct node {
    kind kind;
    size_t left, right; /* nodes */
    size_t column;
    double number; /* the value, for a column of numbers */
    char *text;    /* the value, for a column of texts */
} node;

struct ob_filter {
    const ob_table *table;
    node nodes[MOST_NODES];
    size_t count, root;
};

/* Longer ones first, so that "<=" is not read as "<". */
static const struct {
    const char *text;
    kind kind;
} OPERATORS[] = {{"==", IS_EQUAL},      {"!=", IS_UNEQUAL},       {"!~", IS_UNLIKE},
                 {"<=", IS_LESS_EQUAL}, {">=", IS_GREATER_EQUAL}, {"=", IS_EQUAL},
                 {"<", IS_LESS},        {">", IS_GREATER},        {"~", IS_LIKE}};

/* ---- reading ---- */

typedef struct parser {
    ob_filter *filter;
    const char *text, *at;
    int depth;
    char word[MOST_WORD];
    bool quoted;
    ob_err *err;
} parser;

static ob_status fail(const parser *p, const char *what)
{
    return ob_err_set(p->err, OB_ERR_SYNTAX, "--filter '%.200s', character %zu: %s", p->text,
                      (size_t)(p->at - p->text) + 1, what);
}

static void skip_blanks(parser *p)
{
    p->at += strspn(p->at, " \t\r\n");
}

static size_t word_length(const char *at)
{
    return strcspn(at, " \t\r\n()=!<>~\"'");
}

static bool take_keyword(parser *p, const char *word)
{
    skip_blanks(p);
    const size_t length = word_length(p->at);
    if (length != strlen(word) || memcmp(p->at, word, length) != 0)
        return false;
    p->at += length;
    return true;
}

static ob_status take_word(parser *p, const char *missing)
{
    skip_blanks(p);
    p->quoted = *p->at == '"' || *p->at == '\'';
    const char *start = p->at + p->quoted;
    const char *end = p->quoted ? strchr(start, *p->at) : start + word_length(start);
    if (end == NULL)
        return fail(p, "the quote is not closed");
    if (end == start && !p->quoted)
        return fail(p, missing);
    if ((size_t)(end - start) >= sizeof p->word)
        return fail(p, "the word is too long");
    memcpy(p->word, start, (size_t)(end - start));
    p->word[end - start] = '\0';
    p->at = end + p->quoted;
    return OB_OK;
}

static ob_status add(parser *p, const node *n, size_t *out)
{
    if (p->filter->count == MOST_NODES)
        return fail(p, "the filter is too long; use fewer conditions");
    *out = p->filter->count;
    p->filter->nodes[p->filter->count++] = *n;
    return OB_OK;
}

/* "5us" of a column of times is 5000. */
static ob_status read_number(parser *p, ob_hint hint, double *out)
{
    static const struct {
        const char *unit;
        double ns;
    } UNITS[] = {{"", 1}, {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    char *end;
    *out = strtod(p->word, &end);
    end += strspn(end, " ");
    for (size_t i = 0; end != p->word && i < sizeof UNITS / sizeof *UNITS; i++)
        if (strcmp(end, UNITS[i].unit) == 0 && (i == 0 || hint == OB_HINT_TIME)) {
            *out *= UNITS[i].ns;
            return OB_OK;
        }
    if (end != p->word && hint == OB_HINT_SHARE && strcmp(end, "%") == 0) {
        *out /= 100;
        return OB_OK;
    }
    return fail(p, hint == OB_HINT_TIME    ? "a time must be a number with ns, us, ms or s"
                   : hint == OB_HINT_SHARE ? "a share must be a number, or a percentage"
                                           : "the column holds numbers; give a number");
}

static ob_status parse_condition(parser *p, size_t *out)
{
    node n = {.kind = IS_THERE};
    OB_TRY(take_word(p, "a column is missing"));
    OB_TRY(
        ob__table_find(p->filter->table, p->word, strlen(p->word), "--filter", &n.column, p->err));
    const ob_hint hint = p->filter->table->columns[n.column].hint;
    skip_blanks(p);
    for (size_t i = 0; n.kind == IS_THERE && i < sizeof OPERATORS / sizeof *OPERATORS; i++)
        if (strncmp(p->at, OPERATORS[i].text, strlen(OPERATORS[i].text)) == 0) {
            n.kind = OPERATORS[i].kind;
            p->at += strlen(OPERATORS[i].text);
        }
    if (n.kind == IS_THERE)
        return add(p, &n, out);
    OB_TRY(take_word(p, "a value is missing"));
    if (hint != OB_HINT_TEXT && (n.kind == IS_LIKE || n.kind == IS_UNLIKE))
        return fail(p, "~ is for text, but the column holds numbers");
    if (hint != OB_HINT_TEXT)
        OB_TRY(read_number(p, hint, &n.number));
    else if ((n.text = strdup(p->word)) == NULL)
        return ob_err_set(p->err, OB_ERR_NOMEM, "out of memory for a filter");
    const ob_status status = add(p, &n, out);
    if (status != OB_OK)
        free(n.text);
    return status;
}

static ob_status parse_or(parser *p, size_t *out);

static ob_status parse_not(parser *p, size_t *out)
{
    size_t negations = 0;
    while (take_keyword(p, "not"))
        negations++;
    if (*p->at == '(') {
        if (++p->depth > MOST_DEPTH)
            return fail(p, "too many nested parentheses");
        p->at++;
        OB_TRY(parse_or(p, out));
        skip_blanks(p);
        if (*p->at != ')')
            return fail(p, "a closing parenthesis is missing");
        p->at++;
        p->depth--;
    } else {
        OB_TRY(parse_condition(p, out));
    }
    const node n = {.kind = NOT, .left = *out};
    return negations % 2 == 1 ? add(p, &n, out) : OB_OK;
}

static ob_status parse_and(parser *p, size_t *out)
{
    OB_TRY(parse_not(p, out));
    while (take_keyword(p, "and")) {
        node n = {.kind = AND, .left = *out};
        OB_TRY(parse_not(p, &n.right));
        OB_TRY(add(p, &n, out));
    }
    return OB_OK;
}

static ob_status parse_or(parser *p, size_t *out)
{
    OB_TRY(parse_and(p, out));
    while (take_keyword(p, "or")) {
        node n = {.kind = OR, .left = *out};
        OB_TRY(parse_and(p, &n.right));
        OB_TRY(add(p, &n, out));
    }
    return OB_OK;
}

ob_status ob__filter_open(const ob_table *table, const char *text, ob_filter **out, ob_err *err)
{
    ob_filter *filter = calloc(1, sizeof *filter);
    if (filter == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a filter");
    parser p = {.filter = filter, .text = text, .at = text, .err = err};
    filter->table = table;
    ob_status status = parse_or(&p, &filter->root);
    skip_blanks(&p);
    if (status == OB_OK && *p.at != '\0')
        status = fail(&p, "expected `and`, `or` or the end");
    if (status != OB_OK)
        ob__filter_close(filter);
    *out = status == OB_OK ? filter : NULL;
    return status;
}

void ob__filter_close(ob_filter *filter)
{
    for (size_t i = 0; filter != NULL && i < filter->count; i++)
        free(filter->nodes[i].text);
    free(filter);
}

/* ---- asking ---- */

/* Whether the text, or a part of it, is the pattern; "*" stands for anything, "?" for one byte. */
static bool matches(const char *text, const char *pattern)
{
    /* As if a star stood at both ends. Where a star was last, and what it stood for so far. */
    const char *star = pattern, *from = text, *at = pattern;
    for (;;) {
        if (*at == '\0')
            return true;
        if (*at == '*') {
            star = ++at;
            from = text;
        } else if (*text != '\0' && (*at == '?' || *at == *text)) {
            at++;
            text++;
        } else if (*from == '\0') {
            return false;
        } else {
            at = star;
            text = ++from;
        }
    }
}

static bool holds(kind k, int order)
{
    return k == IS_EQUAL        ? order == 0
           : k == IS_UNEQUAL    ? order != 0
           : k == IS_LESS       ? order < 0
           : k == IS_LESS_EQUAL ? order <= 0
           : k == IS_GREATER    ? order > 0
                                : order >= 0;
}

static bool takes(const ob_filter *f, size_t index, size_t row)
{
    const node *n = &f->nodes[index];
    if (n->kind == NOT)
        return !takes(f, n->left, row);
    if (n->kind == AND || n->kind == OR)
        return takes(f, n->left, row) == (n->kind == OR) ? n->kind == OR : takes(f, n->right, row);
    const ob_cell *cell = ob__table_peek(f->table, row, n->column);
    const bool is_text = f->table->columns[n->column].hint == OB_HINT_TEXT;
    const bool there = is_text ? cell->text != NULL && cell->text[0] != '\0' : !isnan(cell->number);
    if (n->kind == IS_THERE)
        return there;
    if (!there)
        return n->kind == IS_UNEQUAL || n->kind == IS_UNLIKE;
    if (n->kind == IS_LIKE || n->kind == IS_UNLIKE)
        return matches(cell->text, n->text) == (n->kind == IS_LIKE);
    return holds(n->kind, is_text ? strcmp(cell->text, n->text)
                                  : (cell->number > n->number) - (cell->number < n->number));
}

bool ob__filter_takes(const ob_filter *filter, size_t row)
{
    return takes(filter, filter->root, row);
}
