/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of a fleet: a row per node. People see deviations from the class, programs their intervals too.
 */
#include "report/diff_view.h"
#include "report/table_model.h"

#include <inttypes.h>
#include <string.h>

enum { NODE, VERDICT, SICK, FIXED };            /* columns before those of the groups */
enum { DEVIATION, LOW, HIGH, CASES, OF_GROUP }; /* of each group, and of lost time */
enum { SCATTER, FOREIGN, STEAL, RESULTS, FAILED, CLASS_NODES, WHY, DIFFERENCES, LAST };

static const ob_column FIRST_COLUMNS[FIXED] = {
    [NODE] = {.title = "node", .name = "node", .flags = OB_COLUMN_SHORTENED},
    [VERDICT] = {.title = "verdict", .name = "verdict"},
    [SICK] = {.name = "sick"},
};

static const ob_column LAST_COLUMNS[LAST] = {
    [SCATTER] = {.name = "scatter", .hint = OB_HINT_FIGURE},
    [FOREIGN] = {.name = "foreign", .hint = OB_HINT_SHARE},
    [STEAL] = {.name = "steal", .hint = OB_HINT_SHARE},
    [RESULTS] = {.name = "results", .hint = OB_HINT_COUNT},
    [FAILED] = {.name = "failed", .hint = OB_HINT_COUNT},
    [CLASS_NODES] = {.name = "class_nodes", .hint = OB_HINT_COUNT},
    [WHY] = {.name = "why"},
    [DIFFERENCES] = {.name = "differences"},
};

static size_t group_count(const ob_fleet *fleet)
{
    size_t count = 0;
    while (ob_fleet_group(fleet, count) != NULL)
        count++;
    return count;
}

/* "compute f32" is compute_f32 for programs. */
static void add_group(ob_table *table, const char *title)
{
    static const char *const ENDS[OF_GROUP] = {"", "_low", "_high", "_cases"};
    char name[64];
    for (size_t i = 0; i < OF_GROUP; i++) {
        snprintf(name, sizeof name, "%.40s%s", title, ENDS[i]);
        for (char *c = name; *c != '\0'; c++)
            *c = *c == ' ' ? '_' : *c;
        ob_table_add_column(table, &(ob_column){.title = i == DEVIATION ? title : NULL,
                                                .name = name,
                                                .hint = i == CASES ? OB_HINT_COUNT : OB_HINT_FIGURE,
                                                .flags = i == DEVIATION ? OB_COLUMN_NOT_EMPTY : 0});
    }
}

static void add_columns(const ob_fleet *fleet, ob_table *table)
{
    for (size_t i = 0; i < FIXED; i++)
        ob_table_add_column(table, &FIRST_COLUMNS[i]);
    for (size_t g = 0; ob_fleet_group(fleet, g) != NULL; g++)
        add_group(table, ob_fleet_group(fleet, g));
    add_group(table, "lost time");
    for (size_t i = 0; i < LAST; i++)
        ob_table_add_column(table, &LAST_COLUMNS[i]);
}

static void fill_value(ob_table *table, size_t column, const ob_fleet_value *v)
{
    char text[32];
    if (!isnan(v->deviation)) {
        ob_table_set_text(table, column + DEVIATION, ob__diff_change(1 + v->deviation, text));
        ob_table_set_number(table, column + DEVIATION, v->deviation);
        ob_table_set_number(table, column + LOW, v->low);
        ob_table_set_number(table, column + HIGH, v->high);
    }
    ob_table_set_number(table, column + CASES, (double)v->cases);
    if (v->slow)
        ob__table_set_mark(table, column + DEVIATION, OB_MARK_FAILED);
}

static void fill_notes(ob_table *table, const ob_fleet_node *node)
{
    char line[1024];
    if (node->why[0] != '\0') {
        snprintf(line, sizeof line, "    %.900s", node->why);
        ob__table_add_note(table, line);
    }
    if (node->differences[0] != '\0') {
        snprintf(line, sizeof line, "    %.900s", node->differences);
        ob__table_add_note(table, line);
    }
}

static void fill_row(const ob_fleet *fleet, const ob_fleet_node *node, ob_table *table)
{
    const size_t groups = group_count(fleet), last = FIXED + (groups + 1) * OF_GROUP;
    ob_table_add_row(table);
    ob_table_set_text(table, NODE, node->name);
    ob_table_set_text(table, VERDICT, ob_fleet_state_word(node->state));
    ob__table_set_mark(table, VERDICT,
                       ob_fleet_state_is_sick(node->state) ? OB_MARK_FAILED
                       : node->state == OB_FLEET_UNDECIDED ? OB_MARK_DOUBTFUL
                                                           : OB_MARK_FINE);
    ob__table_set_flag(table, SICK, ob_fleet_state_is_sick(node->state));
    for (size_t g = 0; g < groups; g++)
        fill_value(table, FIXED + g * OF_GROUP, &node->groups[g]);
    fill_value(table, FIXED + groups * OF_GROUP, &node->lost);
    ob_table_set_number(table, last + SCATTER, node->scatter);
    ob_table_set_number(table, last + FOREIGN, node->foreign);
    ob_table_set_number(table, last + STEAL, node->steal);
    ob_table_set_number(table, last + RESULTS, (double)node->results);
    ob_table_set_number(table, last + FAILED, (double)node->failed);
    ob_table_set_number(table, last + CLASS_NODES, (double)node->class_nodes);
    ob_table_set_text(table, last + WHY, node->why);
    ob_table_set_text(table, last + DIFFERENCES, node->differences);
    fill_notes(table, node);
}

/* ---- what it comes to ---- */

static bool add_line(ob_table *table, ob_text *text)
{
    const bool ok = ob_text_append(text, "", 1);
    if (ok)
        ob_table_add_line(table, text->data);
    text->size = 0;
    return ok;
}

/* "200 nodes: 4 slow, 196 healthy" */
static bool say_states(const ob_fleet *fleet, ob_text *text)
{
    const size_t nodes = ob_fleet_node_count(fleet);
    const char *before = ": ";
    bool ok = ob_text_printf(text, "%zu node%s", nodes, nodes == 1 ? "" : "s");
    for (size_t s = OB_FLEET_STATE_COUNT; ok && s-- > 0;) {
        const size_t count = ob_fleet_count_state(fleet, (ob_fleet_state)s);
        if (count == 0)
            continue;
        ok =
            ob_text_printf(text, "%s%zu %s", before, count, ob_fleet_state_word((ob_fleet_state)s));
        before = ", ";
    }
    return ok;
}

/* A healthy node is one of which no more than this was seen. */
static bool say_limits(const ob_fleet *fleet, ob_text *text)
{
    const char *before = "called slow above: ";
    char change[32];
    bool ok = true;
    for (size_t g = 0; ok && ob_fleet_group(fleet, g) != NULL; g++) {
        const double limit = ob_fleet_group_limit(fleet, g);
        const size_t cases = ob_fleet_group_cases(fleet, g);
        if (isnan(limit))
            continue;
        ok = ob_text_printf(text, "%s%s %s (%zu case%s)", before, ob_fleet_group(fleet, g),
                            ob__diff_change(1 + limit, change), cases, cases == 1 ? "" : "s");
        before = ", ";
    }
    return ok;
}

static bool is_listed(const ob_fleet_node *node, bool all)
{
    return all || node->state != OB_FLEET_HEALTHY;
}

/* Titles with nothing below say nothing. */
static bool has_rows(const ob_fleet *fleet, bool all)
{
    for (size_t i = 0; ob_fleet_at(fleet, i) != NULL; i++)
        if (is_listed(ob_fleet_at(fleet, i), all))
            return true;
    return false;
}

ob_table *ob_fleet_table(const ob_fleet *fleet, bool all)
{
    ob_table *table = ob_table_create();
    ob_text text = {.data = NULL};
    bool ok = table != NULL;
    if (ok && has_rows(fleet, all))
        add_columns(fleet, table);
    for (size_t i = 0; ok && ob_fleet_at(fleet, i) != NULL; i++)
        if (is_listed(ob_fleet_at(fleet, i), all))
            fill_row(fleet, ob_fleet_at(fleet, i), table);
    ok = ok && say_states(fleet, &text) && add_line(table, &text) && say_limits(fleet, &text) &&
         (text.size == 0 || add_line(table, &text));
    ob_text_fini(&text);
    if (ok)
        return table;
    ob_table_destroy(table);
    return NULL;
}
