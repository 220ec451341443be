/* SPDX-License-Identifier: Apache-2.0
 *
 * The man pages: opbench(1), which lists the commands, and one page per command, so that `man opbench-run` (and `man
 * opbench run`) shows what concerns it alone. Sections are those of man-pages(7).
 */
#include "generate.h"

#include "opbench/version.h"

#include <ctype.h>
#include <string.h>

/* ---- roff ---- */

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
        else if (c == '\'')
            ob__cli_printf(cli, "\\(aq"); /* one that can be pasted into a shell */
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
    ob__cli_printf(cli, ".SS %s\n", group);
}

static const ob_option_printer ROFF = {.heading = roff_group, .option = roff_tagged};

/* ---- parts of pages ---- */

static void print_head(ob_cli *cli, const char *title, const char *name, const char *purpose)
{
    ob__cli_printf(cli, ".\\\" Made by 'opbench __generate man'.\n.TH ");
    for (; *title != '\0'; title++)
        ob__cli_printf(cli, "%c", toupper((unsigned char)*title));
    ob__cli_printf(cli, " 1 \"\" \"opbench %s\" \"User Commands\"\n.SH NAME\n", ob_version());
    roff_text(cli, name, strlen(name));
    ob__cli_printf(cli, " \\- ");
    roff_line(cli, purpose, strlen(purpose));
}

static void print_codes(ob_cli *cli, const ob_cli_command *command)
{
    int code = -1;
    ob__cli_printf(cli, ".SH EXIT STATUS\n");
    for (const ob_cli_exit_row *row; (row = ob__cli_next_exit(command, code)) != NULL;
         code = row->code) {
        char tag[16];
        snprintf(tag, sizeof tag, "%d", row->code);
        roff_tagged(cli, tag, row->meaning);
    }
}

/* ---- the page of a command ---- */

static void print_synopsis(ob_cli *cli, const ob_cli_command *command)
{
    char usage[512];
    ob__cli_format_usage(command, usage, sizeof usage);
    ob__cli_printf(cli, ".SH SYNOPSIS\n.nf\n.B opbench %s\n", command->name);
    /* One that has several lines is laid out already. */
    for (const char *line = usage; *line != '\0'; line += *line == '\n') {
        const size_t blanks = strspn(line, " ");
        const size_t length = strcspn(line + blanks, "\n");
        roff_line(cli, line + blanks, length);
        line += blanks + length;
    }
    ob__cli_printf(cli, ".fi\n");
}

static void print_example(ob_cli *cli, const char *example)
{
    if (example == NULL)
        return;
    ob__cli_printf(cli, ".SH EXAMPLES\n.nf\n");
    ob__generate_each_line(cli, example, roff_line);
    ob__cli_printf(cli, ".fi\n");
}

/* Those that its list of commands puts beside it. */
static void print_relatives(ob_cli *cli, const ob_cli_command *command)
{
    const char *heading = NULL;
    for (size_t i = 0; i < ob__cli_command_count; i++)
        if (ob__cli_commands[i] == command)
            heading = ob__cli_command_headings[i];
    ob__cli_printf(cli, ".SH SEE ALSO\n.BR opbench (1)");
    for (size_t i = 0; heading != NULL && i < ob__cli_command_count; i++)
        if (ob__cli_commands[i] != command && ob__cli_command_headings[i] != NULL &&
            strcmp(ob__cli_command_headings[i], heading) == 0)
            ob__cli_printf(cli, ",\n.BR opbench\\-%s (1)", ob__cli_commands[i]->name);
    ob__cli_printf(cli, "\n");
}

void ob__generate_man_of(ob_cli *cli, const ob_cli_command *command)
{
    char name[64];
    snprintf(name, sizeof name, "opbench-%s", command->name);
    print_head(cli, name, name, command->help);
    print_synopsis(cli, command);
    ob__cli_printf(cli, ".SH DESCRIPTION\n");
    ob__generate_each_line(cli, command->text, roff_line);
    for (const ob_cli_word *w = command->words; w != NULL && w->name != NULL; w++)
        roff_word(cli, w);
    ob__cli_printf(cli, ".SH OPTIONS\n");
    roff_tagged(cli, "-h, --help", "Show a short help and exit.");
    ob__generate_each_option_of(cli, command, &ROFF);
    print_codes(cli, command);
    print_example(cli, command->example);
    print_relatives(cli, command);
}

/* ---- opbench(1) ---- */

static void print_commands(ob_cli *cli)
{
    const char *heading = "";
    ob__cli_printf(cli, ".SH COMMANDS\nEach command has its own page:\n.B man opbench\\-run\n"
                        "and so on.\n");
    for (size_t i = 0; i < ob__cli_command_count; i++) {
        if (ob__cli_command_headings[i] == NULL)
            continue;
        if (strcmp(heading, ob__cli_command_headings[i]) != 0)
            ob__cli_printf(cli, ".SS %s\n", heading = ob__cli_command_headings[i]);
        ob__cli_printf(cli, ".TP\n.BR opbench\\-%s (1)\n", ob__cli_commands[i]->name);
        roff_line(cli, ob__cli_commands[i]->help, strlen(ob__cli_commands[i]->help));
    }
}

static void print_places(ob_cli *cli)
{
    ob__cli_printf(cli, ".SH ENVIRONMENT\n");
    roff_tagged(cli, "OPBENCH_PLUGIN_PATH",
                "Directories with plug-ins, separated by colons; searched first.");
    roff_tagged(cli, "NO_COLOR", "If set, nothing is coloured.");
    ob__cli_printf(cli, ".SH FILES\nBelow the prefix that opbench is installed to:\n");
    roff_tagged(cli, "share/opbench/examples",
                "The examples of these pages and of the documentation: configs, plug-ins and a "
                "program that uses the library.");
    roff_tagged(cli, "share/doc/opbench/docs", "The documentation; README.md lists its pages.");
    roff_tagged(cli, "lib/opbench/plugins", "The plug-ins that belong to this program.");
}

void ob__generate_man(ob_cli *cli)
{
    print_head(cli, "opbench", "opbench", OB_CLI_PURPOSE);
    ob__cli_printf(cli, ".SH SYNOPSIS\n.B opbench\n.I COMMAND\n[ARGUMENTS]\n");
    print_commands(cli);
    ob__cli_printf(cli, ".SH OPTIONS\nEvery command takes \\-h and \\-\\-help.\n");
    ob__generate_each_option(cli, ob__cli_global_options(), &ROFF);
    print_codes(cli, NULL);
    print_places(cli);
    print_example(cli, OB_CLI_EXAMPLES);
    ob__cli_printf(cli, ".SH SEE ALSO\n.BR opbench\\-run (1),\n.BR opbench\\-diff (1)\n");
}
