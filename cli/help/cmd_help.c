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
    print_title(cli, "Arguments");
    for (const ob_cli_word *w = words; w->name != NULL; w++) {
        char text[512];
        snprintf(text, sizeof text, "%s%s%s%s", w->help, w->choices != NULL ? " (" : "",
                 w->choices != NULL ? w->choices : "", w->choices != NULL ? ")" : "");
        print_pair(cli, w->name, text, width);
    }
}

/* How much of a command fits a line: up to a blank outside of quotes, where a backslash can stand. */
static size_t fitting_length(const char *line, size_t length, size_t width)
{
    size_t fits = 0;
    char quote = '\0';
    if (length <= width)
        return length;
    for (size_t i = 0; i + 2 <= width; i++) {
        if (quote == '\0' && line[i] == ' ')
            fits = i;
        if (line[i] == '\'' || line[i] == '"')
            quote = quote == '\0' ? line[i] : quote == line[i] ? '\0' : quote;
    }
    return fits > 0 ? fits : length;
}

static void print_command_line(ob_cli *cli, const char *line, size_t length)
{
    size_t indent = 2;
    for (size_t fits; length > 0; line += fits, length -= fits) {
        if (indent > 2) {
            line++; /* the blank */
            length--;
        }
        fits = fitting_length(line, length, WIDTH - indent);
        ob__cli_printf(cli, "%*s%.*s%s\n", (int)indent, "", (int)fits, line,
                       fits < length ? " \\" : "");
        indent = 4;
    }
}

static void print_example(ob_cli *cli, const char *lines)
{
    if (lines == NULL)
        return;
    print_title(cli, strchr(lines, '\n') != NULL ? "Examples" : "Example");
    while (*lines != '\0') {
        const size_t length = strcspn(lines, "\n");
        print_command_line(cli, lines, length);
        lines += length + (lines[length] == '\n');
    }
}

/* Up to its first full stop that ends a sentence, or a paragraph. */
static size_t sentence_length(const char *text)
{
    const char *stop = strstr(text, ". ");
    return stop != NULL ? (size_t)(stop - text) + 1 : strlen(text);
}

/* Leaves out the rare rows and all but the first sentences, which are copied to room. Returns how many were left out. */
static size_t shorten(ob_option *rows, char *room)
{
    size_t left_out = 0;
    for (; rows->name != NULL; rows++) {
        if (rows->help == NULL)
            continue;
        left_out += rows->rare;
        const size_t length = sentence_length(rows->help);
        memcpy(room, rows->help, length);
        room[length] = '\0';
        rows->help = rows->rare ? NULL : room;
        room += length + 1;
    }
    return left_out;
}

static size_t help_size(const ob_option *rows)
{
    size_t size = 1;
    for (; rows->name != NULL; rows++)
        size += rows->help != NULL ? strlen(rows->help) + 1 : 0;
    return size;
}

static int print_rows(ob_cli *cli, const ob_cli_command *command, bool all)
{
    size_t left_out = 0;
    ob_option *rows = ob__cli_command_options(cli, command, true);
    char *room = rows != NULL ? malloc(help_size(rows)) : NULL;
    if (room != NULL && !all)
        left_out = shorten(rows, room);
    const int code = room != NULL ? print_options(cli, rows) : ob__cli_out_of_memory(cli);
    if (left_out > 0)
        ob__cli_printf(cli, "\n%zu more option%s: opbench %s --help-all\n", left_out,
                       left_out == 1 ? "" : "s", command->name);
    free(room);
    free(rows);
    return code;
}

static void print_usage(ob_cli *cli, const ob_cli_command *command)
{
    char usage[512], line[512 + 64];
    const size_t indent = strlen("Usage: opbench ") + strlen(command->name) + 1;
    ob__cli_format_usage(command, usage, sizeof usage);
    snprintf(line, sizeof line, "Usage: opbench %s ", command->name);
    ob__cli_write(cli, line, strlen(line));
    if (strchr(usage, '\n') != NULL)
        ob__cli_printf(cli, "%s\n", usage); /* broken already */
    else
        wrap(cli, usage, indent, indent);
    ob__cli_write(cli, "\n", 1);
}

static void list_exits(ob_cli *cli, const ob_cli_command *command)
{
    int code = -1;
    print_title(cli, "Exit codes");
    for (const ob_cli_exit_row *row; (row = ob__cli_next_exit(command, code)) != NULL;
         code = row->code) {
        char number[16];
        snprintf(number, sizeof number, "%d", row->code);
        print_pair(cli, number, row->meaning, 3);
    }
}

/* In a paragraph, which takes less room than the list. */
static int print_exits(ob_cli *cli, const ob_cli_command *command)
{
    ob_text text = {0};
    const bool ok = ob__cli_append_exits(command, &text) && ob_text_append(&text, "", 1);
    ob__cli_write(cli, "\n", 1);
    if (ok)
        wrap(cli, text.data, 0, 0);
    ob_text_fini(&text);
    return ok ? OB_EXIT_OK : ob__cli_out_of_memory(cli);
}

int ob__cli_print_command_help(ob_cli *cli, const ob_cli_command *command, bool all)
{
    char first[2048];
    const char *end = strstr(command->text, "\n\n");
    snprintf(first, sizeof first, "%.*s",
             end != NULL ? (int)(end - command->text) : (int)strlen(command->text), command->text);
    print_usage(cli, command);
    wrap(cli, all ? command->text : first, 0, 0);
    print_words(cli, command->words);
    int code = print_rows(cli, command, all);
    if (code == OB_EXIT_OK && all)
        list_exits(cli, command);
    else if (code == OB_EXIT_OK)
        code = print_exits(cli, command);
    if (code == OB_EXIT_OK)
        print_example(cli, command->example);
    return code;
}

static void print_commands(ob_cli *cli)
{
    const char *heading = "";
    size_t width = 0;
    for (size_t i = 0; i < ob__cli_command_count; i++) {
        const size_t length = strlen(ob__cli_commands[i]->name);
        width = ob__cli_command_headings[i] != NULL && length > width ? length : width;
    }
    for (size_t i = 0; i < ob__cli_command_count; i++) {
        const ob_cli_command *command = ob__cli_commands[i];
        if (ob__cli_command_headings[i] == NULL)
            continue;
        if (strcmp(heading, ob__cli_command_headings[i]) != 0)
            print_title(cli, heading = ob__cli_command_headings[i]);
        print_pair(cli, command->name, command->help, width);
    }
}

int ob__cli_print_overview(ob_cli *cli)
{
    ob__cli_printf(cli, "Usage: opbench COMMAND [ARGUMENTS]\n\nopbench %s.\n", OB_CLI_PURPOSE);
    print_commands(cli);
    print_example(cli, OB_CLI_EXAMPLES);
    const int code = print_options(cli, ob__cli_global_options());
    list_exits(cli, NULL);
    ob__cli_printf(cli, "\nRun 'opbench help COMMAND' for more.\n");
    return code;
}

int ob__cli_unknown_command(ob_cli *cli, const char *name)
{
    const char *names[MAX_NAMES];
    size_t count = 0;
    for (size_t i = 0; i < ob__cli_command_count && count < MAX_NAMES; i++) {
        if (ob__cli_is_listed(ob__cli_commands[i]))
            names[count++] = ob__cli_commands[i]->name;
    }
    const char *nearest = ob_nearest_name(name, names, count);
    cli->command = NULL; /* the list of commands helps here, not the help of `help` */
    if (nearest != NULL)
        return ob__cli_usage_error(cli, "unknown command '%s'; did you mean '%s'?", name, nearest);
    return ob__cli_usage_error(cli, "unknown command '%s'", name);
}

typedef struct help_line {
    bool all;
} help_line;

static int run(ob_cli *cli, const ob_cli_call *call)
{
    if (call->word_count == 0)
        return ob__cli_print_overview(cli);
    const ob_cli_command *command = ob__cli_find_command(call->words[0]);
    if (command == NULL)
        return ob__cli_unknown_command(cli, call->words[0]);
    return ob__cli_print_command_help(cli, command, ((const help_line *)call->options)->all);
}

static const ob_cli_word WORDS[] = {
    {.name = "COMMAND", .help = "The command to explain; without it, all are listed."},
    {.name = NULL},
};

static const ob_option OPTIONS[] = {
    OB_OPTION(FLAG, "all", help_line, all,
              .help = "Explain every option in full, as COMMAND --help-all does."),
    {.name = NULL},
};

const ob_cli_command ob__command_help = {
    .name = "help",
    .help = "explain a command",
    .text = "Lists the commands, or shows what a command does and the options that most people "
            "need. 'opbench COMMAND --help' shows the same.",
    .words = WORDS,
    .options = OPTIONS,
    .options_size = sizeof(help_line),
    .example = "opbench help list",
    .run = run,
};
