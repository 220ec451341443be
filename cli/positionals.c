/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks the words of a command line (what is not an option) by the command's rows.
 */
#include "help/help.h"

#include <string.h>

enum { MAX_CHOICES = 32, MAX_CHOICE_TEXT = 512 };

/* Splits "a|b|c" into names that point into copy. Returns how many. */
static size_t split_choices(const char *choices, char *copy, size_t size, const char **names)
{
    snprintf(copy, size, "%s", choices);
    size_t count = 0;
    char *rest = copy;
    for (char *name = strtok_r(rest, "|", &rest); name != NULL && count < MAX_CHOICES;
         name = strtok_r(NULL, "|", &rest))
        names[count++] = name;
    return count;
}

static int check_choice(ob_cli *cli, const ob_cli_word *row, const char *word)
{
    char copy[MAX_CHOICE_TEXT];
    const char *names[MAX_CHOICES];
    const size_t count = split_choices(row->choices, copy, sizeof copy, names);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], word) == 0)
            return OB_EXIT_OK;
    }
    const char *nearest = ob_nearest_name(word, names, count);
    if (nearest != NULL)
        return ob__cli_usage_error(cli, "unknown %s '%s'; did you mean '%s'?", row->name, word,
                                   nearest);
    return ob__cli_usage_error(cli, "unknown %s '%s'; give one of %s", row->name, word,
                               row->choices);
}

bool ob__cli_looks_like_config(const char *word)
{
    static const char *const ENDINGS[] = {".json", ".yaml", ".yml"};
    const size_t length = strlen(word);
    for (size_t i = 0; i < sizeof ENDINGS / sizeof ENDINGS[0]; i++) {
        const size_t ending = strlen(ENDINGS[i]);
        if (length > ending && strcmp(word + length - ending, ENDINGS[i]) == 0)
            return true;
    }
    return strcmp(word, "-") == 0 || strchr(word, '/') != NULL;
}

int ob__cli_take_operator(ob_cli *cli, ob_cli_call *call, const char **op)
{
    if (call->word_count == 0)
        return OB_EXIT_OK;
    if (call->word_count > 1 && ob__cli_looks_like_config(call->words[0]))
        return ob__cli_usage_error(cli, "unexpected word '%s'", call->words[1]);
    *op = *call->words++;
    call->word_count--;
    return OB_EXIT_OK;
}

int ob__cli_check_words(ob_cli *cli, const ob_cli_command *command, const char *const *words,
                        size_t count)
{
    size_t used = 0;
    for (const ob_cli_word *row = command->words; row != NULL && row->name != NULL; row++) {
        if (used == count) {
            if (!row->required)
                break;
            return ob__cli_usage_error(cli, "%s is missing%s%s", row->name,
                                       row->choices != NULL ? "; give one of " : "",
                                       row->choices != NULL ? row->choices : "");
        }
        if (row->choices != NULL && check_choice(cli, row, words[used]) != OB_EXIT_OK)
            return OB_EXIT_USAGE;
        used = row->many ? count : used + 1;
    }
    if (used == count)
        return OB_EXIT_OK;
    return ob__cli_usage_error(cli, "unexpected word '%s'", words[used]);
}

typedef struct sought {
    const char *names; /* "a|b" */
    bool is_there;
} sought;

static void look_at(void *ctx, const ob_option *row, const char *value)
{
    sought *s = ctx;
    const char *names = s->names;
    (void)value;
    for (size_t length; row != NULL && *names != '\0'; names += length + (names[length] == '|')) {
        length = strcspn(names, "|");
        s->is_there =
            s->is_there || (strlen(row->name) == length && memcmp(row->name, names, length) == 0);
    }
}

bool ob__cli_is_given(const ob_cli *cli, const char *names)
{
    sought s = {.names = names};
    ob_options_walk(cli->line_rows, cli->line_count, cli->line, look_at, &s, NULL);
    return s.is_there;
}

int ob__cli_take_word(ob_cli *cli, const ob_option *rows, void *options, const char *const *words,
                      size_t *count)
{
    const ob_cli_word *row = cli->command->words;
    if (row == NULL || row->option == NULL || *count != 1 ||
        (row->unless != NULL &&
         (ob__cli_is_given(cli, row->unless) || !ob__cli_looks_like_config(words[0]))))
        return OB_EXIT_OK;
    if (ob__cli_is_given(cli, row->option))
        return ob__cli_usage_error(cli, "'%s' and --%s name two files; give only one", words[0],
                                   row->option);
    memcpy((char *)options + ob_options_find(rows, row->option)->offset, words, sizeof *words);
    *count = 0;
    return OB_EXIT_OK;
}
