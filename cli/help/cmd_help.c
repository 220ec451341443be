/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench help: the commands, or one of them in full; all of it from the rows.
 */
#include "help.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 80, MAX_NAMES = 64 };

void ob__cli_format_usage(const ob_cli_command *command, char *out, size_t size)
{
    if (command->usage != NULL) {
        snprintf(out, size, "%s", command->usage);
        return;
    }
    size_t used = 0;
    out[0] = '\0';
    for (const ob_cli_word *w = command->words; w != NULL && w->name != NULL; w++) {
        const int written = snprintf(out + used, size - used, w->required ? "%s%s " : "[%s%s] ",
                                     w->name, w->many ? "..." : "");
        if (written < 0 || (size_t)written >= size - used)
            return;
        used += (size_t)written;
    }
    snprintf(out + used, size - used, "[OPTIONS]");
}

static void wrap(ob_cli *cli, const char *text, size_t column, size_t indent)
{
    ob_text out = {0};
    const ob_wrap how = {.column = column, .indent = indent, .width = WIDTH};
    if (ob_text_append_wrapped(&out, text, &how))
        ob__cli_write(cli, out.data, out.size);
    ob_text_fini(&out);
}

/* "  LEFT   right": one row of a two-column list whose left part is `width` wide. */
static void print_pair(ob_cli *cli, const char *left, const char *right, size_t width)
{
    const size_t length = strlen(left);
    ob__cli_printf(cli, "  %s", left);
    if (length > width) {
        ob__cli_write(cli, "\n", 1);
        wrap(cli, right, 0, width + 4);
    } else {
        wrap(cli, right, length + 2, width + 4);
    }
}

static void print_title(ob_cli *cli, const char *title)
{
    char line[256];
    snprintf(line, sizeof line, cli->colour_out ? "\n\033[1m%s:\033[0m\n" : "\n%s:\n", title);
    ob__cli_write_styled(cli, line, strlen(line));
}

static int print_options(ob_cli *cli, const ob_option *rows)
{
    ob_text text = {0};
    bool ok = true;
    for (const char *group = ob_options_next_group(rows, NULL); ok && group != NULL;
         group = ob_options_next_group(rows, group)) {
        text.size = 0;
        ok = ob_options_append_help(rows, group, &text);
        print_title(cli, group);
        ob__cli_write(cli, text.data, text.size);
    }
    ob_text_fini(&text);
    return ok ? OB_EXIT_OK : ob__cli_out_of_memory(cli);
}

static void print_words(ob_cli *cli, const ob_cli_word *words)
{
    if (words == NULL || words->name == NULL)
        return;
    size_t width = 0;
    for (const ob_cli_word *w = words; w->name != NULL; w++)
        width = strlen(w->name) > width ? strlen(w->name) : width;
    print_title(cli, "Words");
    for (const ob_cli_word *w = words; w->name != NULL; w++) {
        char text[512];
        snprintf(text, sizeof text, "%s%s%s%s", w->help, w->choices != NULL ? " (" : "",
                 w->choices != NULL ? w->choices : "", w->choices != NULL ? ")" : "");
        print_pair(cli, w->name, text, width);
    }
}

static void print_example(ob_cli *cli, const char *lines)
{
    if (lines == NULL)
        return;
    print_title(cli, "Example");
    while (*lines != '\0') {
        const size_t length = strcspn(lines, "\n");
        ob__cli_printf(cli, "  %.*s\n", (int)length, lines);
        lines += length + (lines[length] == '\n');
    }
}

int ob__cli_print_command_help(ob_cli *cli, const ob_cli_command *command)
{
    char usage[256];
    ob__cli_format_usage(command, usage, sizeof usage);
    ob__cli_printf(cli, "Usage: opbench %s %s\n\n", command->name, usage);
    wrap(cli, command->text, 0, 0);
    print_words(cli, command->words);
    ob_option *rows = ob__cli_command_options(cli, command, true);
    const int code = rows != NULL ? print_options(cli, rows) : ob__cli_out_of_memory(cli);
    free(rows);
    if (code == OB_EXIT_OK)
        print_example(cli, command->example);
    return code;
}

int ob__cli_print_overview(ob_cli *cli)
{
    ob__cli_printf(cli, "Usage: opbench COMMAND [ARGUMENTS]\n\nopbench %s.\n", OB_CLI_PURPOSE);
    size_t width = 0;
    for (size_t i = 0; i < ob__cli_command_count; i++) {
        const size_t length = strlen(ob__cli_commands[i]->name);
        width = !ob__cli_commands[i]->hidden && length > width ? length : width;
    }
    print_title(cli, "Commands");
    for (size_t i = 0; i < ob__cli_command_count; i++) {
        const ob_cli_command *command = ob__cli_commands[i];
        if (!command->hidden)
            print_pair(cli, command->name, command->help, width);
    }
    const int code = print_options(cli, ob__cli_global_options());
    ob__cli_printf(cli,
                   "\nExit codes: 0 all went well, 1 something failed, 2 wrong command line or "
                   "config.\n'opbench help COMMAND' tells more.\n");
    return code;
}

int ob__cli_unknown_command(ob_cli *cli, const char *name)
{
    const char *names[MAX_NAMES];
    size_t count = 0;
    for (size_t i = 0; i < ob__cli_command_count && count < MAX_NAMES; i++) {
        if (!ob__cli_commands[i]->hidden)
            names[count++] = ob__cli_commands[i]->name;
    }
    const char *nearest = ob_nearest_name(name, names, count);
    cli->command = NULL; /* the list of commands helps here, not the help of `help` */
    if (nearest != NULL)
        return ob__cli_usage_error(cli, "unknown command '%s'; did you mean '%s'?", name, nearest);
    return ob__cli_usage_error(cli, "unknown command '%s'", name);
}

static int run(ob_cli *cli, const ob_cli_call *call)
{
    if (call->word_count == 0)
        return ob__cli_print_overview(cli);
    const ob_cli_command *command = ob__cli_find_command(call->words[0]);
    if (command == NULL)
        return ob__cli_unknown_command(cli, call->words[0]);
    return ob__cli_print_command_help(cli, command);
}

static const ob_cli_word WORDS[] = {
    {.name = "COMMAND", .help = "The command to explain; without it, all are listed."},
    {.name = NULL},
};

const ob_cli_command ob__command_help = {
    .name = "help",
    .help = "explain a command",
    .text = "Shows the list of commands, or what one command does and which options it takes. "
            "'opbench COMMAND --help' shows the same.",
    .words = WORDS,
    .example = "opbench help list",
    .run = run,
};
