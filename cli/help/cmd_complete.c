/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench __complete -- COMMAND WORD... PART: what a shell may offer for the last word, which is incomplete or empty. Hidden;
 * the scripts of bash, zsh and fish (cli/help/shells) call it, so that all three know the same, from the rows, and
 * nothing needs to be made anew when a row changes. docs/install.md has the form of the answer.
 *
 * It answers within milliseconds and changes nothing: no library of a backend is loaded, and no plug-in of the user's.
 */
#include "complete.h"

#include <stdlib.h>
#include <string.h>

/* Stands in the place of the word at the cursor while the line is walked; known by its address. */
static char at_cursor[] = "x";

static void take_seen(void *ctx, const ob_option *row, const char *value)
{
    ob_completion *c = ctx;
    if (value == at_cursor) {
        c->row = row;
        c->is_value = row != NULL;
    } else if (row == NULL) {
        c->first_word = c->place == 0 ? value : c->first_word;
        c->place++;
    } else if (strcmp(row->name, "config") == 0) {
        c->config = value;
    } else if (strcmp(row->name, "op") == 0) {
        c->op = value;
    }
}

static void offer_commands(ob_completion *c)
{
    for (size_t i = 0; i < ob__cli_command_count; i++)
        if (ob__cli_is_listed(ob__cli_commands[i]))
            ob__complete_offer(c, ob__cli_commands[i]->name, ob__cli_commands[i]->help);
}

static void offer_options(ob_completion *c, const ob_option *rows)
{
    for (const ob_option *row = rows; row->name != NULL; row++) {
        char name[96];
        if (row->help == NULL || row->refused != NULL)
            continue;
        snprintf(name, sizeof name, "--%s", row->name);
        ob__complete_offer(c, name, row->help);
        snprintf(name, sizeof name, "-%c", row->letter);
        if (row->letter != 0)
            ob__complete_offer(c, name, row->help);
    }
}

/* --name=PART, or an option's name that is begun. */
static void complete_option(ob_completion *c, const ob_option *rows)
{
    const size_t length = strcspn(c->part, "=");
    char name[96];
    if (c->part[length] != '=') {
        offer_options(c, rows);
        return;
    }
    if (length < 2 || length - 2 >= sizeof name)
        return;
    memcpy(name, c->part + 2, length - 2);
    name[length - 2] = '\0';
    c->row = ob_options_find(rows, name);
    if (c->row == NULL || c->row->type == OB_OPTION_FLAG || c->row->refused != NULL)
        return;
    c->kept = length + 1;
    ob__complete_value(c);
}

static const ob_cli_word *word_at(const ob_cli_command *command, size_t place)
{
    const ob_cli_word *row = command->words;
    for (size_t i = 0; row != NULL && row->name != NULL && i < place && !row->many; i++)
        row++;
    return row != NULL && row->name != NULL ? row : NULL;
}

static void complete_word(ob_completion *c, const ob_cli_command *command, const ob_option *rows)
{
    const ob_cli_word *word = word_at(command, c->place);
    if (strcmp(command->name, "help") == 0 && c->place == 0)
        offer_commands(c);
    else if (word != NULL)
        ob__complete_word(c, word);
    else if (c->place == 0)
        offer_options(c, rows);
}

/* words[0] is the command's name, the last one the word at the cursor. */
static void complete_line(ob_completion *c, const ob_cli_command *command, char **words, int count)
{
    ob_option *rows = ob__cli_command_options(c->cli, command, true);
    c->part = words[count - 1];
    words[count - 1] = at_cursor;
    if (rows != NULL && ob_options_walk(rows, count, words, take_seen, c, NULL) == OB_OK) {
        if (c->is_value)
            ob__complete_value(c);
        else if (c->part[0] == '-')
            complete_option(c, rows);
        else
            complete_word(c, command, rows);
    }
    free(rows);
}

/* submit -- RUN OPTION...: the line of another command. */
static int inner_line(const ob_cli_command *command, char *const *words, int count)
{
    if (command->words == NULL || command->words->name == NULL ||
        strcmp(command->words->name, "RUN OPTION") != 0)
        return 0;
    for (int i = 1; i < count - 1; i++)
        if (strcmp(words[i], "--") == 0)
            return i;
    return 0;
}

static int run(ob_cli *cli, const ob_cli_call *call)
{
    ob_completion c = {.cli = cli, .part = ""};
    const int count = (int)call->word_count;
    if (count == 0)
        return OB_EXIT_OK;
    if (count == 1) {
        c.part = call->words[0];
        offer_commands(&c);
        offer_options(&c, ob__cli_global_options());
        return OB_EXIT_OK;
    }
    const ob_cli_command *command = ob__cli_find_command(call->words[0]);
    char **words = calloc((size_t)count, sizeof *words);
    if (words == NULL)
        return ob__cli_out_of_memory(cli);
    memcpy(words, call->words, (size_t)count * sizeof *words);
    const int inner = command != NULL ? inner_line(command, words, count) : 0;
    if (inner > 0)
        command = ob__cli_find_command("run");
    if (command != NULL && ob__cli_is_listed(command))
        complete_line(&c, command, words + inner, count - inner);
    free(words);
    return OB_EXIT_OK;
}

static const ob_cli_word WORDS[] = {
    {.name = "WORD",
     .many = true,
     .help = "After --: the words after \"opbench\" up to the cursor; the last one is incomplete."},
    {.name = NULL},
};

const ob_cli_command ob__command_complete = {
    .name = "__complete",
    .help = "print what a shell may offer for a word",
    .text = "Prints what may stand for the last word, one per line, with a tab and what it is.",
    .usage = "-- WORD...",
    .words = WORDS,
    .run = run,
};
