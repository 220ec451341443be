/* SPDX-License-Identifier: Apache-2.0
 *
 * A file of records may come from anybody, and the line that measures a case again is shown to be copied. What opbench
 * writes itself (ob__text_append_word) is a small part of what a shell reads; nothing outside of it is let through.
 */
#include "result/own_command.h"

#include <string.h>

static const char *behind_quoted(const char *at)
{
    const char *end = strchr(at, '\'');
    return end != NULL ? end + 1 : NULL;
}

/* Of $'...', from behind its first quote. */
static const char *behind_escaped(const char *at)
{
    while (*at != '\0' && *at != '\'')
        at += at[0] == '\\' && at[1] != '\0' ? 2 : 1;
    return *at == '\'' ? at + 1 : NULL;
}

/* The end of the word that begins here; NULL: a shell would see more in it than a word. */
static const char *behind_word(const char *at)
{
    static const char PLAIN[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,@%+";
    while (at != NULL && *at != '\0' && *at != ' ') {
        if (strchr(PLAIN, *at) != NULL)
            at++;
        else if (*at == '\'')
            at = behind_quoted(at + 1);
        else if (strncmp(at, "\\'", 2) == 0)
            at += 2;
        else
            at = strncmp(at, "$'", 2) == 0 ? behind_escaped(at + 2) : NULL;
    }
    return at;
}

static bool is_assignment(const char *word)
{
    const size_t length =
        strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    return length > 0 && word[length] == '=' && strchr("0123456789", word[0]) == NULL;
}

/* By the last part of its path: "opbench", "/usr/bin/opbench", "'my tools/opbench'". */
static bool is_program(const char *word, const char *end)
{
    const char *name = word;
    for (const char *at = word; at < end; at++)
        if (*at == '/')
            name = at + 1;
    const bool is_quoted = *word == '\'';
    name += name == word && is_quoted;
    const char *rest = name + strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789._-");
    return strncmp(name, "opbench", strlen("opbench")) == 0 && rest + is_quoted == end;
}

bool ob__is_own_command(const char *text)
{
    bool begins = true;
    for (const char *at = text;;) {
        const char *end = behind_word(at);
        if (end == NULL || end == at)
            return false;
        const bool is_before = begins && is_assignment(at);
        if (begins && !is_before && !is_program(at, end))
            return false;
        begins = is_before;
        if (*end == '\0' || strcmp(end, OB_PIPED_REMARK) == 0)
            return !begins;
        at = end + 1;
        if (!begins && strncmp(at, "| ", 2) == 0) {
            begins = true;
            at += 2;
        }
    }
}
