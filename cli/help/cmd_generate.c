/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench __generate: man pages, docs/commands.md and the options as JSON from the command rows. Hidden; the build and
 * the tests call it, so these texts cannot fall behind the program.
 */
#include "generate.h"

#include <stdlib.h>
#include <string.h>

void ob__generate_each_line(ob_cli *cli, const char *lines, ob_line_fn fn)
{
    while (lines != NULL && *lines != '\0') {
        const size_t length = strcspn(lines, "\n");
        fn(cli, lines, length);
        lines += length + (lines[length] == '\n');
    }
}

void ob__generate_each_option(ob_cli *cli, const ob_option *rows, const ob_option_printer *print)
{
    ob_text help = {0};
    const char *first = ob_options_next_group(rows, NULL);
    const bool several = first != NULL && ob_options_next_group(rows, first) != NULL;
    for (const char *group = first; group != NULL; group = ob_options_next_group(rows, group)) {
        if (several)
            print->heading(cli, group);
        for (const ob_option *row = rows; row->name != NULL; row++) {
            char title[192];
            help.size = 0;
            if (!ob_option_is_in(row, group) || !ob_option_append_help(row, &help) ||
                !ob_text_append(&help, "", 1))
                continue;
            ob_option_format_title(row, title, sizeof title);
            print->option(cli, title, help.data);
        }
    }
    ob_text_fini(&help);
}

void ob__generate_each_option_of(ob_cli *cli, const ob_cli_command *command,
                                 const ob_option_printer *print)
{
    ob_option *rows = ob__cli_command_options(cli, command, false);
    if (rows != NULL)
        ob__generate_each_option(cli, rows, print);
    free(rows);
}

/* ---- markdown ---- */

static void indented_line(ob_cli *cli, const char *line, size_t length)
{
    ob__cli_printf(cli, "    %.*s\n", (int)length, line);
}

static void markdown_group(ob_cli *cli, const char *group)
{
    ob__cli_printf(cli, "\n%s:\n\n", group);
}

static void markdown_option(ob_cli *cli, const char *title, const char *help)
{
    ob__cli_printf(cli, "- `%s`: %s\n", title, help);
}

static const ob_option_printer MARKDOWN = {.heading = markdown_group, .option = markdown_option};

static void generate_markdown(ob_cli *cli)
{
    ob__cli_printf(cli, "# Commands\n\n"
                        "Made by `opbench __generate markdown` (`make docs`); not edited by hand.\n"
                        "Every command takes `-h` and `--help`. Exit codes: 0 all went well, 1 "
                        "something failed, 2 wrong command line or config.\n");
    for (size_t i = 0; i < ob__cli_command_count; i++) {
        const ob_cli_command *command = ob__cli_commands[i];
        if (!ob__cli_is_listed(command))
            continue;
        char usage[256];
        ob__cli_format_usage(command, usage, sizeof usage);
        ob__cli_printf(cli, "\n## %s: %s\n\n    opbench %s %s\n\n%s\n\n", command->name,
                       command->help, command->name, usage, command->text);
        for (const ob_cli_word *w = command->words; w != NULL && w->name != NULL; w++)
            ob__cli_printf(cli, "- `%s`: %s%s%s%s\n", w->name, w->help,
                           w->choices != NULL ? " One of `" : "",
                           w->choices != NULL ? w->choices : "", w->choices != NULL ? "`." : "");
        ob__generate_each_option_of(cli, command, &MARKDOWN);
        if (command->example != NULL) {
            ob__cli_printf(cli, "\nExample:\n\n");
            ob__generate_each_line(cli, command->example, indented_line);
        }
    }
}

/* ---- the command ---- */

typedef struct generator {
    const char *name;
    void (*run)(ob_cli *cli);
} generator;

static const generator GENERATORS[] = {
    {.name = "man", .run = ob__generate_man},
    {.name = "markdown", .run = generate_markdown},
    {.name = "options", .run = ob__generate_options},
};

/* `man COMMAND` is the page of one command. */
static int run(ob_cli *cli, const ob_cli_call *call)
{
    if (call->word_count > 1) {
        const ob_cli_command *command = ob__cli_find_command(call->words[1]);
        if (command == NULL || strcmp(call->words[0], "man") != 0)
            return ob__cli_unknown_command(cli, call->words[1]);
        ob__generate_man_of(cli, command);
        return OB_EXIT_OK;
    }
    for (size_t i = 0; i < sizeof GENERATORS / sizeof GENERATORS[0]; i++) {
        if (strcmp(GENERATORS[i].name, call->words[0]) == 0)
            GENERATORS[i].run(cli);
    }
    return OB_EXIT_OK;
}

static const ob_cli_word WORDS[] = {
    {.name = "FORM",
     .choices = "man|markdown|options",
     .required = true,
     .help = "What to print: a man page, the page of the docs, or the options as JSON."},
    {.name = "COMMAND", .help = "Of the man pages that of this command; without it, opbench(1)."},
    {.name = NULL},
};

const ob_cli_command ob__command_generate = {
    .name = "__generate",
    .help = "print a text that is made from the command rows",
    .text = "Prints a man page, the page of the docs, or the options as JSON.",
    .words = WORDS,
    .run = run,
};
