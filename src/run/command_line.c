/* SPDX-License-Identifier: Apache-2.0
 *
 * Splitting and joining command lines, without a shell.
 */
#include "run/command_line.h"

#include "base/text_append.h"

#include <stdlib.h>

void ob__command_words_fini(ob_command_words *words)
{
    ob_text_fini(&words->text);
    *words = (ob_command_words){0};
}

bool ob__command_words_add(ob_command_words *words, const char *word)
{
    if (!ob_text_append(&words->text, word, strlen(word) + 1))
        return false;
    words->count++;
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Appends one word, without quotes, and moves *at behind it. False: memory is out. A quote that is not
 * closed sets *open. */
static bool take_word(ob_text *out, const char **at, bool *open)
{
    const char *c = *at;
    char quote = '\0';
    bool ok = true;
    for (; ok && *c != '\0' && (quote != '\0' || !is_blank(*c)); c++) {
        if (quote != '\'' && *c == '\\' && c[1] != '\0' &&
            (quote == '\0' || c[1] == '"' || c[1] == '\\'))
            ok = ob_text_append(out, ++c, 1);
        else if (quote != '\0' && *c == quote)
            quote = '\0';
        else if (quote == '\0' && (*c == '\'' || *c == '"'))
            quote = *c;
        else
            ok = ob_text_append(out, c, 1);
    }
    *open = quote != '\0';
    *at = c;
    return ok && ob_text_append(out, "", 1);
}

ob_status ob__command_words_split(ob_command_words *words, const char *text, const char *what,
                                  ob_err *err)
{
    const char *at = text;
    for (;;) {
        bool open = false;
        while (is_blank(*at))
            at++;
        if (*at == '\0')
            return OB_OK;
        if (!take_word(&words->text, &at, &open))
            return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the words of %s", what);
        words->count++;
        if (open)
            return ob_err_set(err, OB_ERR_SYNTAX, "%s has an unclosed quote", what);
    }
}

char **ob__command_words_list(const ob_command_words *words)
{
    char **list = calloc(words->count + 1, sizeof *list);
    char *at = words->text.data;
    for (size_t i = 0; list != NULL && i < words->count; i++) {
        list[i] = at;
        at += strlen(at) + 1;
    }
    return list;
}

bool ob__command_words_print(const ob_command_words *words, ob_text *line)
{
    const char *at = words->text.data;
    bool ok = true;
    for (size_t i = 0; ok && i < words->count; i++) {
        ok = (i == 0 || ob_text_append(line, " ", 1)) && ob__text_append_word(line, at);
        at += strlen(at) + 1;
    }
    return ok;
}
