/* SPDX-License-Identifier: Apache-2.0
 *
 * The product of what sides may be told: the poor man's autotuner.
 */
#include "side_axes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_AXES = 8 };

typedef struct axis {
    char *text; /* the key, then the values, each with its NUL; owned */
    const char *values[OB_CLI_MOST_SIDES];
    size_t count;
} axis;

typedef struct product {
    axis axes[MOST_AXES];
    size_t count, sides;
} product;

/* Cuts at commas, and takes backslashes out. */
static ob_status read_values(axis *a, char *from, const char *word, ob_err *err)
{
    char *to = from;
    bool more = true;
    while (more) {
        if (a->count == OB_CLI_MOST_SIDES)
            return ob_err_set(err, OB_ERR_LIMIT,
                              "--axis %s has more than %d values, too many sides to take turns",
                              word, OB_CLI_MOST_SIDES);
        a->values[a->count++] = to;
        const char *start = to;
        for (; *from != '\0' && *from != ','; from++) {
            if (*from == '\\' && from[1] != '\0')
                from++;
            *to++ = *from;
        }
        more = *from == ',';
        from += more;
        if (to == start)
            return ob_err_set(err, OB_ERR_INVALID, "--axis %s: value %zu is empty; give KEY=A,B",
                              word, a->count);
        *to++ = '\0';
        for (size_t i = 0; i + 1 < a->count; i++)
            if (strcmp(a->values[i], start) == 0)
                return ob_err_set(err, OB_ERR_INVALID, "--axis %s has \"%s\" twice", word, start);
    }
    return OB_OK;
}

static ob_status read_axis(product *p, const char *word, ob_err *err)
{
    const size_t key = strcspn(word, "=");
    if (key == 0 || word[key] == '\0')
        return ob_err_set(err, OB_ERR_INVALID,
                          "--axis %s: write KEY=A,B,... with a key of a side, such as "
                          "env.NAME=1,2 or threads=1,2,4",
                          word);
    if (p->count == MOST_AXES)
        return ob_err_set(err, OB_ERR_LIMIT, "more than %d axes", MOST_AXES);
    axis *a = &p->axes[p->count++];
    a->text = strdup(word);
    if (a->text == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the axes");
    a->text[key] = '\0';
    for (size_t i = 0; i + 1 < p->count; i++)
        if (strcmp(p->axes[i].text, a->text) == 0)
            return ob_err_set(err, OB_ERR_INVALID,
                              "%s has two axes; give all its values to one: %s=A,B,C", a->text,
                              a->text);
    OB_TRY(read_values(a, a->text + key + 1, word, err));
    p->sides *= a->count;
    if (p->sides > OB_CLI_MOST_SIDES)
        return ob_err_set(err, OB_ERR_LIMIT,
                          "the axes have more than %d combinations, too many sides to take turns; "
                          "leave out some values",
                          OB_CLI_MOST_SIDES);
    return OB_OK;
}

/* The value that axis k has on a side. */
static const char *value_of(const product *p, size_t k, size_t side)
{
    size_t behind = 1; /* combinations of the axes behind it */
    for (size_t i = k + 1; i < p->count; i++)
        behind *= p->axes[i].count;
    size_t value = 0;
    for (size_t at = behind; at <= side; at += behind)
        value = value + 1 < p->axes[k].count ? value + 1 : 0;
    return p->axes[k].values[value];
}

static ob_status add_side(ob_cli_sides *sides, const product *p, size_t side, ob_err *err)
{
    ob_text name = {0};
    bool ok = true;
    for (size_t k = 0; ok && k < p->count; k++)
        ok = ob_text_append_str(&name, k > 0 ? " " : "") &&
             ob_text_append_str(&name, p->axes[k].text) && ob_text_append(&name, "=", 1) &&
             ob_text_append_str(&name, value_of(p, k, side));
    ob_status status = ok && ob_text_append(&name, "", 1)
                           ? ob__cli_side_begin(sides, name.data, err)
                           : ob_err_set(err, OB_ERR_NOMEM, "out of memory for the axes");
    ob_text_fini(&name);
    for (size_t k = 0; status == OB_OK && k < p->count; k++)
        status = ob__cli_side_set(sides, p->axes[k].text, value_of(p, k, side), err);
    return status;
}

ob_status ob__cli_sides_add_axes(ob_cli_sides *sides, const char *const *axes, ob_err *err)
{
    product p = {.sides = 1};
    ob_status status = OB_OK;
    for (size_t i = 0; status == OB_OK && axes[i] != NULL; i++)
        status = read_axis(&p, axes[i], err);
    for (size_t i = 0; status == OB_OK && p.count > 0 && i < p.sides; i++)
        status = add_side(sides, &p, i, err);
    for (size_t i = 0; i < p.count; i++)
        free(p.axes[i].text);
    return status;
}
