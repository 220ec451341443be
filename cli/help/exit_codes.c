/* SPDX-License-Identifier: Apache-2.0
 *
 * Exit codes as help, man pages and docs/commands.md show them: those of all commands are here, those of one in its row.
 */
#include "help.h"

#include "opbench/text.h"

static const ob_cli_exit_row EXITS[] = {
    {OB_EXIT_OK, "success"},
    {OB_EXIT_FAILED, "something failed"},
    {OB_EXIT_USAGE, "wrong command line or config"},
    {OB_EXIT_INTERRUPTED, "interrupted"},
    {.meaning = NULL},
};

/* The lowest above `code`, unless `best` is lower still or the same. */
static const ob_cli_exit_row *lower(const ob_cli_exit_row *best, const ob_cli_exit_row *rows,
                                    int code)
{
    for (; rows != NULL && rows->meaning != NULL; rows++) {
        if (rows->code > code && (best == NULL || rows->code < best->code))
            best = rows;
    }
    return best;
}

const ob_cli_exit_row *ob__cli_next_exit(const ob_cli_command *command, int code)
{
    const ob_cli_exit_row *best =
        command != NULL ? lower(NULL, command->exits, code) : lower(NULL, EXITS, code);
    if (command != NULL)
        return lower(best, EXITS, code);
    for (size_t i = 0; i < ob__cli_command_count; i++) {
        if (ob__cli_is_listed(ob__cli_commands[i]))
            best = lower(best, ob__cli_commands[i]->exits, code);
    }
    return best;
}

bool ob__cli_append_exits(const ob_cli_command *command, ob_text *text)
{
    const char *before = "Exit codes: ";
    int code = -1;
    for (const ob_cli_exit_row *row; (row = ob__cli_next_exit(command, code)) != NULL;
         code = row->code, before = "; ") {
        if (!ob_text_printf(text, "%s%d: %s", before, row->code, row->meaning))
            return false;
    }
    return ob_text_append(text, ".", 1);
}
