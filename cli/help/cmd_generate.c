/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench __generate: man page, bash completion and docs/commands.md from the command rows. Hidden;
 * the build and the tests call it, so these texts cannot fall behind the program.
 */
#include "generate.h"

#include "opbench/version.h"

#include <stdlib.h>
#include <string.h>

/* Calls fn for every line of "a\nb". */
typedef void (*line_fn)(ob_cli *cli, const char *line, size_t length);

static void each_line(ob_cli *cli, const char *lines, line_fn fn)
{
    while (lines != NULL && *lines != '\0') {
        const size_t length = strcspn(lines, "\n");
        fn(cli, lines, length);
        lines += length + (lines[length] == '\n');
    }
}

/* Calls option for every row with its title and its help; before the first one of a group heading, where there are
 * several. */
typedef struct option_printer {
    void (*heading)(ob_cli *cli, const char *group);
    void (*option)(ob_cli *cli, const char *title, const char *help);
} option_printer;

static void each_option(ob_cli *cli, const ob_option *rows, const option_printer *print)
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

static void each_option_of(ob_cli *cli, const ob_cli_command *command, const option_printer *print)
{
    ob_option *rows = ob__cli_command_options(cli, command, false);
    if (rows != NULL)
        each_option(cli, rows, print);
    free(rows);
}

/* ---- man ---- */

/* roff takes a backslash, and a dot or apostrophe at the start of a line, for its own. */
static void roff_text(ob_cli *cli, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const char c = text[i];
        if (i == 0 && (c == '.' || c == '\''))
            ob__cli_printf(cli, "\\&");
        if (c == '\\')
            ob__cli_printf(cli, "\\e");
        else if (c == '-')
            ob__cli_printf(cli, "\\-");
        else if (c == '|')
            ob__cli_printf(cli, "|\\:"); /* a long list of choices may be broken there */
        else
            ob__cli_write(cli, &c, 1);
    }
}

static void roff_line(ob_cli *cli, const char *line, size_t length)
{
    if (length == 0) {
        ob__cli_printf(cli, ".PP\n");
        return;
    }
    roff_text(cli, line, length);
    ob__cli_printf(cli, "\n");
}

static void roff_tagged(ob_cli *cli, const char *tag, const char *text)
{
    ob__cli_printf(cli, ".TP\n.B ");
    roff_text(cli, tag, strlen(tag));
    ob__cli_printf(cli, "\n");
    roff_line(cli, text, strlen(text));
}

static void roff_word(ob_cli *cli, const ob_cli_word *word)
{
    char text[512];
    snprintf(text, sizeof text, "%s%s%s%s", word->help, word->choices != NULL ? " One of " : "",
             word->choices != NULL ? word->choices : "", word->choices != NULL ? "." : "");
    roff_tagged(cli, word->name, text);
}

static void roff_group(ob_cli *cli, const char *group)
{
    ob__cli_printf(cli, ".PP\n.I %s\n", group);
}

static const option_printer ROFF = {.heading = roff_group, .option = roff_tagged};

static void man_command(ob_cli *cli, const ob_cli_command *command)
{
    char usage[256];
    ob__cli_format_usage(command, usage, sizeof usage);
    ob__cli_printf(cli, ".SS opbench %s ", command->name);
    roff_text(cli, usage, strlen(usage));
    ob__cli_printf(cli, "\n");
    each_line(cli, command->text, roff_line);
    for (const ob_cli_word *w = command->words; w != NULL && w->name != NULL; w++)
        roff_word(cli, w);
    each_option_of(cli, command, &ROFF);
    if (command->example != NULL) {
        ob__cli_printf(cli, ".PP\nExample:\n.PP\n.nf\n.RS\n");
        each_line(cli, command->example, roff_line);
        ob__cli_printf(cli, ".RE\n.fi\n");
    }
}

static void generate_man(ob_cli *cli)
{
    ob__cli_printf(cli,
                   ".\\\" Made by 'opbench __generate man'.\n"
                   ".TH OPBENCH 1 \"\" \"opbench %s\" \"User Commands\"\n"
                   ".SH NAME\nopbench \\- %s\n"
                   ".SH SYNOPSIS\n.B opbench\n.I COMMAND\n[ARGUMENTS]\n.SH COMMANDS\n",
                   ob_version(), OB_CLI_PURPOSE);
    for (size_t i = 0; i < ob__cli_command_count; i++) {
        if (ob__cli_is_listed(ob__cli_commands[i]))
            man_command(cli, ob__cli_commands[i]);
    }
    ob__cli_printf(cli, ".SH OPTIONS\nEvery command takes \\-h and \\-\\-help.\n");
    each_option(cli, ob__cli_global_options(), &ROFF);
    ob__cli_printf(cli, ".SH EXIT STATUS\n");
    roff_tagged(cli, "0", "All went well.");
    roff_tagged(cli, "1", "Something failed, or the output could not be written.");
    roff_tagged(cli, "2", "The command line or the config is wrong.");
    ob__cli_printf(cli, ".SH ENVIRONMENT\n");
    roff_tagged(cli, "OPBENCH_PLUGIN_PATH",
                "Directories with plug-ins, separated by colons; searched first.");
    roff_tagged(cli, "NO_COLOR", "If set, nothing is coloured.");
    ob__cli_printf(cli, ".SH FILES\nBelow the prefix that opbench is installed to:\n");
    roff_tagged(
        cli, "share/opbench/examples",
        "The examples of this page and of the documentation: configs, plug-ins and a program "
        "that uses the library.");
    roff_tagged(cli, "lib/opbench/plugins", "The plug-ins that belong to this program.");
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

static const option_printer MARKDOWN = {.heading = markdown_group, .option = markdown_option};

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
        each_option_of(cli, command, &MARKDOWN);
        if (command->example != NULL) {
            ob__cli_printf(cli, "\nExample:\n\n");
            each_line(cli, command->example, indented_line);
        }
    }
}

/* ---- the command ---- */

typedef struct generator {
    const char *name;
    void (*run)(ob_cli *cli);
} generator;

static const generator GENERATORS[] = {
    {.name = "man", .run = generate_man},
    {.name = "bash", .run = ob__generate_bash},
    {.name = "markdown", .run = generate_markdown},
    {.name = "options", .run = ob__generate_options},
    {.name = "backends", .run = ob__generate_backends},
    {.name = "devices", .run = ob__generate_devices},
};

static int run(ob_cli *cli, const ob_cli_call *call)
{
    for (size_t i = 0; i < sizeof GENERATORS / sizeof GENERATORS[0]; i++) {
        if (strcmp(GENERATORS[i].name, call->words[0]) == 0)
            GENERATORS[i].run(cli);
    }
    return OB_EXIT_OK;
}

static const ob_cli_word WORDS[] = {
    {.name = "FORM",
     .choices = "man|bash|markdown|options|backends|devices",
     .required = true,
     .help =
         "What to print: the man page, the bash completion, the page of the docs, the options as "
         "JSON, or the words that the completion offers for a backend or a device."},
    {.name = NULL},
};

const ob_cli_command ob__command_generate = {
    .name = "__generate",
    .help = "print a text that is made from the command rows",
    .text = "Prints the man page, the bash completion or the page of the docs.",
    .words = WORDS,
    .run = run,
};
