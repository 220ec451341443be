/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of sub-commands, made from commands.def.
 */
#include "backend_options.h"
#include "help/help.h"

#include <stdlib.h>
#include <string.h>

#define OB_COMMAND(name) extern const ob_cli_command ob__command_##name;
#include "commands.def"
#undef OB_COMMAND

const ob_cli_command *const ob__cli_commands[] = {
#define OB_COMMAND(name) &ob__command_##name,
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

static const ob_option HELP_OPTION = {.name = "help",
                                      .letter = 'h',
                                      .type = OB_OPTION_FLAG,
                                      .offset = offsetof(ob_cli_common, help),
                                      .help = "Show this help and exit."};
static const ob_option TORCH_OPTION = {
    .name = "torch",
    .type = OB_OPTION_STRING,
    .offset = offsetof(ob_cli_common, torch),
    .value = "PATH|python",
    .help = "The libtorch of the torch backend and of C++ snippets: its root, that of a torch "
            "package, or a python that has one; OPBENCH_TORCH if not given, else the one that "
            "opbench was built with."};

bool ob__cli_is_common(const char *name)
{
    return strcmp(name, HELP_OPTION.name) == 0 || strcmp(name, TORCH_OPTION.name) == 0;
}

const ob_option *ob__cli_common_options(ob_cli *cli, const ob_cli_command *command)
{
    ob_option *rows = cli->common_rows;
    size_t count = ob__backend_option_rows(cli, command, rows, OB_CLI_BACKEND_VALUES,
                                           offsetof(ob_cli_common, backend));
    if (ob__cli_takes_torch(command))
        rows[count++] = TORCH_OPTION;
    rows[count] = (ob_option){.name = NULL};
    return rows;
}

size_t ob__cli_common_offset(const ob_cli_command *command)
{
    const size_t unit = _Alignof(ob_cli_common);
    return (command->options_size + unit - 1) / unit * unit;
}

const ob_option *ob__cli_find_option(const ob_option *rows, const char *name)
{
    for (; rows != NULL && rows->name != NULL; rows++)
        if (strcmp(rows->name, name) == 0)
            return rows;
    return NULL;
}

size_t ob__cli_option_count(const ob_option *rows)
{
    size_t count = 0;
    while (rows != NULL && rows[count].name != NULL)
        count++;
    return count;
}

ob_option *ob__cli_command_options(ob_cli *cli, const ob_cli_command *command)
{
    const ob_option *common = ob__cli_common_options(cli, command);
    const size_t own = ob__cli_option_count(command->options), more = ob__cli_option_count(common);
    ob_option *rows = calloc(own + more + 2, sizeof *rows);
    if (rows == NULL)
        return NULL;
    if (own > 0)
        memcpy(rows, command->options, own * sizeof *rows);
    if (more > 0)
        memcpy(rows + own, common, more * sizeof *rows);
    rows[own + more] = HELP_OPTION;
    for (size_t i = own; i <= own + more; i++)
        rows[i].offset += ob__cli_common_offset(command);
    return rows;
}
