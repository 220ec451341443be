/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables of rows made from other tables, so that a row which several commands have stands in one place.
 */
#include "opbench/old_option.h"

#include <stdlib.h>
#include <string.h>

size_t ob_options_count(const ob_option *rows)
{
    size_t count = 0;
    while (rows != NULL && rows[count].name != NULL)
        count++;
    return count;
}

const ob_option *ob_options_find(const ob_option *rows, const char *name)
{
    for (; rows != NULL && rows->name != NULL; rows++)
        if (strcmp(rows->name, name) == 0)
            return rows;
    return NULL;
}

static const char *either(const char *given, const char *other)
{
    return given != NULL ? given : other;
}

/* A row of another table, with what stands in this one's place of it. */
static ob_option take(const ob_option *row, const ob_option *place)
{
    ob_option taken = *row;
    taken.offset += place->offset;
    taken.letter = place->letter != 0 ? place->letter : row->letter;
    taken.value = either(place->value, row->value);
    taken.choices = either(place->choices, row->choices);
    taken.initial = either(place->initial, row->initial);
    taken.otherwise = either(place->otherwise, row->otherwise);
    taken.group = either(place->group, row->group);
    taken.help = either(place->help, row->help);
    taken.rare = place->rare || row->rare;
    return taken;
}

/* The table under way; without room its rows are only counted. */
typedef struct table {
    ob_option *rows;
    size_t count;
} table;

/* A row of the same name for the same field takes the place of the one before. */
static void add(table *to, const ob_option *row)
{
    size_t at = 0;
    while (to->rows != NULL && at < to->count &&
           (strcmp(to->rows[at].name, row->name) != 0 || to->rows[at].offset != row->offset))
        at++;
    if (to->rows != NULL)
        to->rows[at] = *row;
    to->count += to->rows == NULL || at == to->count;
}

/* The heading of old spellings, which have no help and are shown nowhere: it marks them. */
static const char OLD[] = "old spellings";

const char *ob_option_new_name(const ob_option *row)
{
    return row->group == OLD ? row->otherwise : NULL;
}

/* The row of the new name under another one. */
static ob_status add_old(table *to, const ob_option *row, ob_err *err)
{
    size_t at = 0;
    while (to->rows != NULL && at < to->count && strcmp(to->rows[at].name, row->value) != 0)
        at++;
    if (to->rows == NULL) {
        to->count++;
        return OB_OK;
    }
    if (at == to->count)
        return ob_err_set(err, OB_ERR_INVALID, "no row before has the name '%.200s'", row->value);
    ob_option old = to->rows[at];
    old.name = row->name;
    old.letter = row->letter;
    old.group = OLD;
    old.otherwise = row->value;
    old.help = NULL;
    old.affects_measurement = false; /* the row of the new name says it */
    to->rows[to->count++] = old;
    return OB_OK;
}

/* Whether the list "a|b" has the name. */
static bool is_listed(const char *list, const char *name)
{
    const size_t length = strlen(name);
    for (; *list != '\0'; list += strcspn(list, "|"), list += *list == '|')
        if (strcspn(list, "|") == length && memcmp(list, name, length) == 0)
            return true;
    return false;
}

/* In the order of the other table. Returns how many. */
static size_t add_rows(table *to, const ob_option *place)
{
    const bool all = strcmp(place->name, "*") == 0, but = place->name[0] == '!';
    size_t count = 0;
    for (const ob_option *row = place->rows(); row->name != NULL; row++)
        if (all || is_listed(place->name + but, row->name) != but) {
            const ob_option taken = take(row, place);
            add(to, &taken);
            count++;
        }
    return count;
}

static size_t count_names(const char *list)
{
    size_t count = 1;
    for (; *list != '\0'; list++)
        count += *list == '|';
    return count;
}

static ob_status join(const ob_option *rows, table *to, ob_err *err)
{
    to->count = 0;
    for (const ob_option *row = rows; row != NULL && row->name != NULL; row++) {
        if (row->type == OB_OPTION_ROWS && row->rows == NULL)
            OB_TRY(add_old(to, row, err));
        else if (row->type != OB_OPTION_ROWS)
            add(to, row);
        else if (add_rows(to, row) < count_names(row->name))
            return ob_err_set(err, OB_ERR_INVALID, "no row has one of the names '%.200s'",
                              row->name);
    }
    return OB_OK;
}

ob_status ob_options_join(const ob_option *rows, ob_option **out, ob_err *err)
{
    table t = {.rows = NULL};
    *out = NULL;
    OB_TRY(join(rows, &t, err));
    t.rows = calloc(t.count + 1, sizeof *t.rows);
    if (t.rows == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the options");
    const ob_status status = join(rows, &t, err);
    if (status == OB_OK)
        *out = t.rows;
    else
        free(t.rows);
    return status;
}
