/* SPDX-License-Identifier: Apache-2.0
 *
 * The options of all commands as JSON, for programs that take them by name: the Python package makes command lines of keyword
 * arguments by it, so that it knows every option of the program that it starts and no list of its own.
 */
#include "generate.h"

#include <stdlib.h>
#include <string.h>

static const char *const TYPES[] = {
    [OB_OPTION_FLAG] = "flag",     [OB_OPTION_STRING] = "text",   [OB_OPTION_INT] = "int",
    [OB_OPTION_DOUBLE] = "number", [OB_OPTION_CHOICE] = "choice", [OB_OPTION_LIST] = "list",
};

static ob_status set_text(ob_json_doc *doc, ob_json *object, const char *key, const char *text,
                          ob_err *err)
{
    return text == NULL
               ? OB_OK
               : ob_json_set(doc, object, key, ob_json_new_string(doc, text, strlen(text)), err);
}

static ob_status describe(ob_json_doc *doc, const ob_option *row, ob_json *object, ob_err *err)
{
    ob_text help = {.data = NULL};
    OB_TRY(set_text(doc, object, "name", row->name, err));
    OB_TRY(set_text(doc, object, "type", TYPES[row->type], err));
    OB_TRY(set_text(doc, object, "group", row->group, err));
    OB_TRY(set_text(doc, object, "choices", row->choices, err));
    OB_TRY(set_text(doc, object, "refused", row->refused, err));
    ob_status status = OB_OK;
    if (row->help != NULL && ob_option_append_help(row, &help) && ob_text_append(&help, "", 1))
        status = set_text(doc, object, "help", help.data, err);
    ob_text_fini(&help);
    return status;
}

/* One line per command: {"command": ..., "options": [...]}. */
static ob_status print_command(ob_cli *cli, const ob_cli_command *command, ob_json_doc *doc,
                               ob_err *err)
{
    ob_option *rows = ob__cli_command_options(cli, command, false);
    ob_json *line = ob_json_new_object(doc), *list = ob_json_new_array(doc);
    ob_status status = rows != NULL ? set_text(doc, line, "command", command->name, err)
                                    : ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    for (const ob_option *row = rows; row != NULL && status == OB_OK && row->name != NULL; row++) {
        ob_json *object = ob_json_new_object(doc);
        status = describe(doc, row, object, err);
        if (status == OB_OK)
            status = ob_json_append(doc, list, object, err);
    }
    if (status == OB_OK)
        status = ob_json_set(doc, line, "options", list, err);
    if (status == OB_OK)
        status = ob__cli_print_json(cli, line, err);
    free(rows);
    return status;
}

void ob__generate_options(ob_cli *cli)
{
    ob_json_doc *doc;
    ob_err err;
    if (ob_json_doc_create(&doc, &err) != OB_OK) {
        ob__cli_fail(cli, &err);
        return;
    }
    ob_status status = OB_OK;
    for (size_t i = 0; status == OB_OK && i < ob__cli_command_count; i++)
        if (ob__cli_is_listed(ob__cli_commands[i]))
            status = print_command(cli, ob__cli_commands[i], doc, &err);
    if (status != OB_OK)
        ob__cli_fail(cli, &err);
    ob_json_doc_destroy(doc);
}
