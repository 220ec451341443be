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

static void add_row(ob_table *table, const ob_list_item *item, bool broken)
{
    const char *const columns[COLUMNS] = {item->name, item->origin, item->category, item->also,
                                          item->library};
    const char *text = item->shown != NULL ? item->shown : item->help;
    char all[sizeof item->text + 1024];
    ob_table_add_row(table);
    for (size_t c = 0; c < COLUMNS; c++)
        ob_table_set_text(table, c, columns[c]);
    snprintf(all, sizeof all, "%s%snot available: %s", text,
             text[0] == '\0' ? ""
             : broken        ? "\n"
                             : "; ",
             item->reason);
    ob_table_set_text(table, COLUMNS, item->available ? text : all);
}

int ob__list_print_table(ob_cli *cli, const ob_list_query *query, size_t *shown)
{
    enum { NO_TERMINAL = 100 };
    const ob_list_topic *topic = query->topic;
    const size_t screen = ob__cli_width(cli);
    const size_t width = screen == 0 && topic->is_prose ? NO_TERMINAL : screen;
    const ob_table_style style = {
        .size = sizeof style, .width = width, .bold_titles = cli->colour_out};
    ob_table *table = ob_table_create();
    ob_err err;
    if (table == NULL)
        return ob__cli_out_of_memory(cli);
    for (size_t c = 0; c < COLUMNS; c++)
        ob_table_add_column(table, &(ob_column){.title = TITLES[c], .flags = OB_COLUMN_NOT_EMPTY});
    ob_table_add_column(table,
                        &(ob_column){.title = topic->help_title, .flags = OB_COLUMN_WRAPPED});
    for (size_t i = 0; i < topic->count(cli->context); i++) {
        ob_list_item item;
        ob__list_item_at(cli->context, topic, i, &item);
        if (ob__list_matches(cli->context, query, &item))
            add_row(table, &item, width > 0);
    }
    *shown = ob_table_row_count(table);
    if (*shown == 0)
        ob_table_destroy(table);
    return *shown == 0 || ob__cli_print_table(cli, table, &style, &err) == OB_OK
               ? OB_EXIT_OK
               : ob__cli_fail(cli, &err);
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
