/* SPDX-License-Identifier: Apache-2.0
 *
 * Help as text, and what the makers of man page and completion share with it.
 */
#ifndef OB_CLI_HELP_H
#define OB_CLI_HELP_H

#include "command.h"

/* One sentence for the head of help and man page. */
#define OB_CLI_PURPOSE "measures tensor operators"
/* What it is like, in three lines. */
#define OB_CLI_EXAMPLES                                                                            \
    "opbench run torch.softmax 'f32[{64,256},1024]' -1 --backend native,torch\n"                   \
    "opbench diff before.json after.json\n"                                                        \
    "opbench replay trace.json --backend torch"

/* The options before a command's name. */
const ob_option *ob__cli_global_options(void);
/* What commands have in common; it lies behind the command's own struct. */
typedef struct ob_cli_common {
    bool help, help_all;                   /* all */
    ob_option_list plugins;                /* commands with a --backend */
    const char *library[OB_CLI_LIBRARIES]; /* commands with a --backend */
    ob_cli_backend_value backend[OB_CLI_BACKEND_VALUES];
} ob_cli_common;
size_t ob__cli_common_offset(const ob_cli_command *command);
/* Whether it is the name of one of its rows. */
bool ob__cli_is_common(const ob_cli *cli, const char *name);
/* The rows of it that this command has, but for --help, until the next call. */
const ob_option *ob__cli_common_options(ob_cli *cli, const ob_cli_command *command);
/* The command's rows, those, and --help if it is wanted, with the offsets that they have there. malloc'ed; NULL when memory
 * is out. */
ob_option *ob__cli_command_options(ob_cli *cli, const ob_cli_command *command, bool with_help);

/* What follows "opbench NAME " in the usage line: the row's own, or made from its words. */
void ob__cli_format_usage(const ob_cli_command *command, char *out, size_t size);

/* The row of the next exit code above `code`: the command's, else the one of all commands. With command NULL also those that
 * only some commands have. NULL = no more. */
const ob_cli_exit_row *ob__cli_next_exit(const ob_cli_command *command, int code);
/* Appends "Exit codes: 0: success; 1: ...", without a newline. False: out of memory. */
bool ob__cli_append_exits(const ob_cli_command *command, ob_text *text);

/* Whether the words fit the command's rows; says what is wrong and returns OB_EXIT_USAGE if not. */
int ob__cli_check_words(ob_cli *cli, const ob_cli_command *command, const char *const *words,
                        size_t count);

/* Takes the operator of a call, its first word. OB_EXIT_OK also without a word; a config among several words is refused. */
int ob__cli_take_operator(ob_cli *cli, ob_cli_call *call, const char **op);
/* A path, a file's name with an ending, or "-" for standard input. */
bool ob__cli_looks_like_config(const char *word);
/* Makes a single word the value of the option that it stands for. */
int ob__cli_take_word(ob_cli *cli, const ob_option *rows, void *options, const char *const *words,
                      size_t *count);

int ob__cli_print_overview(ob_cli *cli);
/* What most need, or all of it. */
int ob__cli_print_command_help(ob_cli *cli, const ob_cli_command *command, bool all);
int ob__cli_unknown_command(ob_cli *cli, const char *name);

#endif
