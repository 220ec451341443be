/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench list: what this program knows, where each thing comes from, and why something is missing.
 *
 * Each topic gives its items one by one through the same struct; the text table and the JSON lines
 * are two printers of that struct and know nothing of the topics.
 */
#include "list.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { COLUMNS = 3 };

typedef struct list_options {
    bool json;
} list_options;

static bool matches(const ob_list_item *item, const char *pattern)
{
    return pattern == NULL || strcasestr(item->name, pattern) != NULL ||
           strcasecmp(item->category, pattern) == 0;
}

/* ---- as a table ---- */

static const char *const TITLES[COLUMNS] = {"NAME", "ORIGIN", "CATEGORY"};

static const char *column(const ob_list_item *item, size_t index)
{
    return index == 0 ? item->name : index == 1 ? item->origin : item->category;
}

static void print_row(ob_cli *cli, const ob_list_item *item, const size_t *widths)
{
    for (size_t c = 0; c < COLUMNS; c++) {
        if (widths[c] > 0)
            ob__cli_printf(cli, "%-*s  ", (int)widths[c], column(item, c));
    }
    if (item->available)
        ob__cli_printf(cli, "%s\n", item->help);
    else
        ob__cli_printf(cli, "%s%snot available: %s\n", item->help,
                       item->help[0] != '\0' ? "; " : "", item->reason);
}

static void print_header(ob_cli *cli, const ob_list_topic *topic, const size_t *widths)
{
    if (cli->colour_out)
        ob__cli_printf(cli, "\033[1m");
    for (size_t c = 0; c < COLUMNS; c++) {
        if (widths[c] > 0)
            ob__cli_printf(cli, "%-*s  ", (int)widths[c], TITLES[c]);
    }
    ob__cli_printf(cli, "%s%s\n", topic->help_title, cli->colour_out ? "\033[0m" : "");
}

/* A column that is empty in every row is not shown. Returns how many rows match. */
static size_t measure(const ob_cli *cli, const ob_list_topic *topic, const char *pattern,
                      size_t *widths)
{
    size_t shown = 0;
    memset(widths, 0, COLUMNS * sizeof *widths);
    for (size_t i = 0; i < topic->count(cli->context); i++) {
        ob_list_item item;
        topic->at(cli->context, i, &item);
        if (!matches(&item, pattern))
            continue;
        shown++;
        for (size_t c = 0; c < COLUMNS; c++) {
            const size_t length = strlen(column(&item, c));
            widths[c] = length > widths[c] ? length : widths[c];
        }
    }
    for (size_t c = 0; c < COLUMNS; c++) {
        if (widths[c] > 0 && widths[c] < strlen(TITLES[c]))
            widths[c] = strlen(TITLES[c]);
    }
    return shown;
}

static size_t print_table(ob_cli *cli, const ob_list_topic *topic, const char *pattern)
{
    size_t widths[COLUMNS];
    const size_t shown = measure(cli, topic, pattern, widths);
    if (shown == 0)
        return 0;
    print_header(cli, topic, widths);
    for (size_t i = 0; i < topic->count(cli->context) && !cli->write_failed; i++) {
        ob_list_item item;
        topic->at(cli->context, i, &item);
        if (matches(&item, pattern))
            print_row(cli, &item, widths);
    }
    return shown;
}

/* ---- as JSON lines ---- */

static ob_status set_string(ob_json_doc *doc, ob_json *object, const char *key, const char *text,
                            ob_err *err)
{
    return ob_json_set(doc, object, key, ob_json_new_string(doc, text, strlen(text)), err);
}

static ob_status build_line(ob_json_doc *doc, const ob_list_item *item, ob_json **out, ob_err *err)
{
    ob_json *object = ob_json_new_object(doc);
    *out = object;
    if (object == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    OB_TRY(set_string(doc, object, "name", item->name, err));
    OB_TRY(set_string(doc, object, "origin", item->origin, err));
    OB_TRY(set_string(doc, object, "category", item->category, err));
    OB_TRY(set_string(doc, object, "help", item->help, err));
    OB_TRY(ob_json_set(doc, object, "available", ob_json_new_bool(doc, item->available), err));
    return set_string(doc, object, "reason", item->reason, err);
}

static ob_status print_line(ob_cli *cli, const ob_list_item *item, ob_err *err)
{
    ob_json_doc *doc = NULL;
    OB_TRY(ob_json_doc_create(&doc, err));
    ob_json *object = NULL;
    char *text = NULL;
    size_t length = 0;
    ob_status status = build_line(doc, item, &object, err);
    if (status == OB_OK)
        status = ob_json_print(object, &text, &length, err);
    if (status == OB_OK) {
        ob__cli_write(cli, text, length);
        ob__cli_write(cli, "\n", 1);
    }
    free(text);
    ob_json_doc_destroy(doc);
    return status;
}

static int print_json(ob_cli *cli, const ob_list_topic *topic, const char *pattern)
{
    for (size_t i = 0; i < topic->count(cli->context) && !cli->write_failed; i++) {
        ob_list_item item;
        ob_err err;
        topic->at(cli->context, i, &item);
        if (matches(&item, pattern) && print_line(cli, &item, &err) != OB_OK)
            return ob__cli_fail(cli, &err);
    }
    return OB_EXIT_OK;
}

/* ---- the command ---- */

static int run(ob_cli *cli, const ob_cli_call *call)
{
    const list_options *options = call->options;
    const ob_list_topic *topic = ob__list_find_topic(call->words[0]);
    const char *pattern = call->word_count > 1 ? call->words[1] : NULL;
    /* A plug-in that did not load is one of the rows where `shows_failures`: no need to warn too. */
    const int code =
        ob__cli_open_context(cli, topic->needs_plugins ? OB_CLI_WITH_PLUGINS : OB_CLI_NO_PLUGINS,
                             topic->shows_failures ? OB_LOG_ERROR : OB_LOG_WARNING);
    if (code != OB_EXIT_OK)
        return code;
    if (options->json)
        return print_json(cli, topic, pattern);
    if (print_table(cli, topic, pattern) == 0)
        ob__cli_warn(cli, pattern != NULL ? "no %s match '%s'" : "there are no %s", topic->name,
                     pattern);
    return OB_EXIT_OK;
}

static const ob_cli_word WORDS[] = {
    {.name = "TOPIC",
     .choices = OB_LIST_TOPICS,
     .required = true,
     .help =
         "What to list: operators with modules and models, backends, plug-ins, data generators, "
         "config iterators, element types, or types of config arguments."},
    {.name = "PATTERN",
     .help = "Only what has this text in its name (upper and lower case are alike), or is of this "
             "category."},
    {.name = NULL},
};

static const ob_option OPTIONS[] = {
    {.name = "json",
     .type = OB_OPTION_FLAG,
     .offset = offsetof(list_options, json),
     .help = "One JSON object per line: name, origin, category, help, available, reason."},
    {.name = NULL},
};

const ob_cli_command ob__command_list = {
    .name = "list",
    .help = "show operators, backends, plug-ins and types",
    .text =
        "Lists what this program knows, where it comes from (built in, or which plug-in) and of "
        "which category it is. What is known but cannot be used here is listed with the reason and "
        "the cure.\n\nPlug-ins are looked for in the directories of OPBENCH_PLUGIN_PATH (separated "
        "by colons), then in the program's own plug-in directory.",
    .words = WORDS,
    .options = OPTIONS,
    .options_size = sizeof(list_options),
    .example = "opbench list ops conv\nopbench list backends --json",
    .run = run,
};
