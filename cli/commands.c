/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of sub-commands, made from commands.def.
 */
#include "backend_options.h"
#include "help/help.h"
#include "library_choice.h"

#include <stdlib.h>
#include <string.h>

#define OB_COMMAND(name, heading) extern const ob_cli_command ob__command_##name;
#include "commands.def"
#undef OB_COMMAND

const ob_cli_command *const ob__cli_commands[] = {
#define OB_COMMAND(name, heading) &ob__command_##name,
#include "commands.def"
#undef OB_COMMAND
};

const char *const ob__cli_command_headings[] = {
#define OB_COMMAND(name, heading) heading,
#include "commands.def"
#undef OB_COMMAND
};

const size_t ob__cli_command_count = sizeof ob__cli_commands / sizeof ob__cli_commands[0];

const ob_cli_command *ob__cli_find_command(const char *name)
{
    for (size_t i = 0; i < ob__cli_command_count; i++) {
        if (strcmp(ob__cli_commands[i]->name, name) == 0)
            return ob__cli_commands[i];
    }
    return NULL;
}

static size_t index_of(const ob_cli_command *command)
{
    size_t i = 0;
    while (ob__cli_commands[i] != command)
        i++;
    return i;
}

bool ob__cli_is_listed(const ob_cli_command *command)
{
    return ob__cli_command_headings[index_of(command)] != NULL;
}

static const ob_option HELP_OPTIONS[] = {
    OB_OPTION(FLAG, "help", ob_cli_common, help, .letter = 'h',
              .help = "Show a short help text and exit."),
    OB_OPTION(FLAG, "help-all", ob_cli_common, help_all,
              .help = "Show every option, explained in full."),
};
enum { HELP_OPTION_COUNT = sizeof HELP_OPTIONS / sizeof *HELP_OPTIONS };

/* Of commands that have backends. */
static const ob_option PLUGIN_OPTION =
    OB_OPTION(LIST, "plugin", ob_cli_common, plugins, .value = "FILE",
              .help = "Also load this plug-in; may be repeated.");

bool ob__cli_is_common(const ob_cli *cli, const char *name)
{
    if (strcmp(name, PLUGIN_OPTION.name) == 0)
        return true;
    for (size_t i = 0; i < HELP_OPTION_COUNT; i++)
        if (strcmp(name, HELP_OPTIONS[i].name) == 0)
            return true;
    return ob__library_option_is(cli, name);
}

const ob_option *ob__cli_common_options(ob_cli *cli, const ob_cli_command *command)
{
    ob_option *rows = cli->common_rows;
    size_t count = ob__backend_option_rows(cli, command, rows, OB_CLI_BACKEND_VALUES,
                                           offsetof(ob_cli_common, backend));
    count += ob__library_option_rows(cli, command, rows + count, offsetof(ob_cli_common, library));
    const ob_option *backend = ob_options_find(ob__cli_own_options(command), "backend");
    if (backend != NULL && !command->started_by_opbench) {
        rows[count] = PLUGIN_OPTION;
        rows[count++].group = backend->group;
    }
    rows[count] = (ob_option){.name = NULL};
    return rows;
}

size_t ob__cli_common_offset(const ob_cli_command *command)
{
    const size_t unit = _Alignof(ob_cli_common);
    return (command->options_size + unit - 1) / unit * unit;
}

/* Joined when they are asked for, and kept: one table or two in most runs. */
const ob_option *ob__cli_own_options(const ob_cli_command *command)
{
    static ob_option *tables[sizeof ob__cli_commands / sizeof ob__cli_commands[0]];
    static const ob_option NONE = {.name = NULL};
    const size_t i = index_of(command);
    if (tables[i] == NULL && ob_options_join(command->options, &tables[i], NULL) != OB_OK)
        return &NONE;
    return tables[i];
}

ob_option *ob__cli_command_options(ob_cli *cli, const ob_cli_command *command, bool with_help)
{
    const ob_option *own = ob__cli_own_options(command);
    const ob_option *common = ob__cli_common_options(cli, command);
    const size_t count = ob_options_count(own), more = ob_options_count(common);
    ob_option *rows = calloc(count + more + HELP_OPTION_COUNT + 1, sizeof *rows);
    if (rows == NULL)
        return NULL;
    memcpy(rows, own, count * sizeof *rows);
    memcpy(rows + count, common, more * sizeof *rows);
    if (with_help)
        memcpy(rows + count + more, HELP_OPTIONS, sizeof HELP_OPTIONS);
    for (size_t i = count; rows[i].name != NULL; i++)
        rows[i].offset += ob__cli_common_offset(command);
    return rows;
}
