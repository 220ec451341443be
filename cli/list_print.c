/* SPDX-License-Identifier: Apache-2.0
 *
 * The items of `opbench list` as a table for people and as JSON lines for programs.
 */
#include "list.h"
#include "screen.h"

#include <stdlib.h>
#include <string.h>

/* ---- as a table ---- */

enum { COLUMNS = 5 };

static const char *const TITLES[COLUMNS] = {"NAME", "ORIGIN", "CATEGORY", "ALSO", "LIBRARY"};

static const char *column(const ob_list_item *item, size_t index)
{
    const char *const columns[COLUMNS] = {item->name, item->origin, item->category, item->also,
                                          item->library};
    return columns[index];
}

/* Where the last column stands. */
typedef struct layout {
    size_t widths[COLUMNS]; /* 0: empty in every row, not shown */
    size_t indent;          /* of the last column's lines after the first */
    bool own_line;          /* the last column does not fit beside the others */
    size_t screen;          /* width of the lines; 0 = they are not broken */
} layout;

/* Returns how many rows match. */
static size_t measure(const ob_cli *cli, const ob_list_query *query, layout *l)
{
    enum { LEAST_LAST = 24, OWN_LINE_INDENT = 4, NO_TERMINAL = 100 };
    const ob_list_topic *topic = query->topic;
    size_t shown = 0;
    *l = (layout){.screen = ob__cli_width(cli)};
    if (l->screen == 0 && topic->is_prose)
        l->screen = NO_TERMINAL;
    for (size_t i = 0; i < topic->count(cli->context); i++) {
        ob_list_item item;
        ob__list_item_at(cli->context, topic, i, &item);
        if (!ob__list_matches(cli->context, query, &item))
            continue;
        shown++;
        for (size_t c = 0; c < COLUMNS; c++) {
            const size_t length = strlen(column(&item, c));
            l->widths[c] = length > l->widths[c] ? length : l->widths[c];
        }
    }
    for (size_t c = 0; c < COLUMNS; c++) {
        if (l->widths[c] > 0 && l->widths[c] < strlen(TITLES[c]))
            l->widths[c] = strlen(TITLES[c]);
        l->indent += l->widths[c] > 0 ? l->widths[c] + 2 : 0;
    }
    l->own_line = l->screen > 0 && l->indent + LEAST_LAST > l->screen;
    if (l->own_line)
        l->indent = OWN_LINE_INDENT;
    return shown;
}

/* The columns before the last one; returns the width they took. */
static size_t print_columns(ob_cli *cli, const layout *l, const ob_list_item *item)
{
    size_t used = 0;
    for (size_t c = 0; c < COLUMNS; c++) {
        if (l->widths[c] == 0)
            continue;
        const char *text = item != NULL ? column(item, c) : TITLES[c];
        ob__cli_printf(cli, "%-*s  ", (int)l->widths[c], text);
        used += l->widths[c] + 2;
    }
    return used;
}

static void print_last(ob_cli *cli, const layout *l, const char *text, size_t used)
{
    if (l->screen == 0) {
        ob__cli_printf(cli, "%s\n", text);
        return;
    }
    if (l->own_line)
        ob__cli_write(cli, "\n", 1);
    ob__cli_print_wrapped(
        cli, text,
        &(ob_cli_wrap){.column = l->own_line ? 0 : used, .indent = l->indent, .width = l->screen});
}

static void print_row(ob_cli *cli, const ob_list_item *item, const layout *l)
{
    const char *text = item->shown != NULL ? item->shown : item->help;
    const size_t used = print_columns(cli, l, item);
    if (item->available) {
        print_last(cli, l, text, used);
        return;
    }
    char all[sizeof item->text + 1024];
    snprintf(all, sizeof all, "%s%snot available: %s", text,
             text[0] == '\0' ? ""
             : l->screen > 0 ? "\n"
                             : "; ",
             item->reason);
    print_last(cli, l, all, used);
}

static void print_header(ob_cli *cli, const ob_list_topic *topic, const layout *l)
{
    if (cli->colour_out)
        ob__cli_printf(cli, "\033[1m");
    print_columns(cli, l, NULL);
    ob__cli_printf(cli, "%s%s%s\n", l->own_line ? "\n    " : "", topic->help_title,
                   cli->colour_out ? "\033[0m" : "");
}

size_t ob__list_print_table(ob_cli *cli, const ob_list_query *query)
{
    const ob_list_topic *topic = query->topic;
    layout l;
    const size_t shown = measure(cli, query, &l);
    if (shown == 0)
        return 0;
    print_header(cli, topic, &l);
    for (size_t i = 0; i < topic->count(cli->context) && !cli->write_failed; i++) {
        ob_list_item item;
        ob__list_item_at(cli->context, topic, i, &item);
        if (ob__list_matches(cli->context, query, &item))
            print_row(cli, &item, &l);
    }
    return shown;
}

/* ---- as JSON lines ---- */

ob_status ob__list_set_string(ob_json_doc *doc, ob_json *object, const char *key, const char *text,
                              ob_err *err)
{
    return ob_json_set(doc, object, key, ob_json_new_string(doc, text, strlen(text)), err);
}

ob_status ob__list_set_words(ob_json_doc *doc, ob_json *object, const char *key, const char *text,
                             const char *separators, ob_err *err)
{
    ob_json *array = ob_json_new_array(doc);
    if (array == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    for (const char *at = text; *at != '\0';) {
        const size_t length = strcspn(at, separators);
        if (length > 0)
            OB_TRY(ob_json_append(doc, array, ob_json_new_string(doc, at, length), err));
        at += length;
        at += strspn(at, separators);
        at += separators[0] != ' ' ? strspn(at, " ") : 0;
    }
    return ob_json_set(doc, object, key, array, err);
}

static ob_status build_line(ob_json_doc *doc, const ob_list_item *item, ob_json *object,
                            ob_err *err)
{
    if (object == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    OB_TRY(ob__list_set_string(doc, object, "name", item->name, err));
    OB_TRY(ob__list_set_words(doc, object, "names", item->also, ",", err));
    OB_TRY(ob__list_set_string(doc, object, "origin", item->origin, err));
    OB_TRY(ob__list_set_string(doc, object, "category", item->category, err));
    OB_TRY(ob__list_set_string(doc, object, "help", item->help, err));
    OB_TRY(ob_json_set(doc, object, "available", ob_json_new_bool(doc, item->available), err));
    return ob__list_set_string(doc, object, "reason", item->reason, err);
}

static ob_status print_line(ob_cli *cli, const ob_list_topic *topic, size_t index,
                            const ob_list_item *item, ob_err *err)
{
    ob_json_doc *doc = NULL;
    OB_TRY(ob_json_doc_create(&doc, err));
    ob_json *object = ob_json_new_object(doc);
    ob_status status = build_line(doc, item, object, err);
    if (status == OB_OK && topic->add_fields != NULL)
        status = topic->add_fields(cli->context, index, doc, object, err);
    if (status == OB_OK)
        status = ob__cli_print_json(cli, object, err);
    ob_json_doc_destroy(doc);
    return status;
}

int ob__list_print_json(ob_cli *cli, const ob_list_query *query)
{
    const ob_list_topic *topic = query->topic;
    for (size_t i = 0; i < topic->count(cli->context) && !cli->write_failed; i++) {
        ob_list_item item;
        ob_err err;
        ob__list_item_at(cli->context, topic, i, &item);
        if (ob__list_matches(cli->context, query, &item) &&
            print_line(cli, topic, i, &item, &err) != OB_OK)
            return ob__cli_fail(cli, &err);
    }
    return OB_EXIT_OK;
}
