/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of sub-commands, made from commands.def.
 */
#include "help.h"

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

static const ob_option HELP_OPTION = {
    .name = "help", .letter = 'h', .type = OB_OPTION_FLAG, .help = "Show this help and exit."};

size_t ob__cli_option_count(const ob_option *rows)
{
    size_t count = 0;
    while (rows != NULL && rows[count].name != NULL)
        count++;
    return count;
}

ob_option *ob__cli_command_options(const ob_cli_command *command)
{
    const size_t count = ob__cli_option_count(command->options);
    ob_option *rows = calloc(count + 2, sizeof *rows);
    if (rows == NULL)
        return NULL;
    if (count > 0)
        memcpy(rows, command->options, count * sizeof *rows);
    rows[count] = HELP_OPTION;
    rows[count].offset = command->options_size;
    return rows;
}
