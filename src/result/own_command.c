/* SPDX-License-Identifier: Apache-2.0
 *
 * A file of records may come from anybody, and the line that measures a case again is shown to be copied. So the line itself is never
 * shown: it is taken apart into words, of which a shell's syntax allows few kinds here, and written again from these. What a
 * terminal would hide or obey is thus escaped, and what would run something else has no form in which it could be written.
 */
#include "result/own_command.h"

#include "base/text_append.h"

#include <string.h>

#define LOWER_CASE "abcdefghijklmnopqrstuvwxyz"
#define NAME_CHARACTERS LOWER_CASE "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

static int hex_digit(char c)
{
    static const char DIGITS[] = "0123456789abcdef";
    const char *at = c != '\0' ? strchr(DIGITS, c) : NULL;
    return at != NULL ? (int)(at - DIGITS) : -1;
}

/* What follows a backslash in $'...': the escapes that ob__text_append_word writes. */
static const char *take_escape(const char *at, char *out)
{
    if (*at == '\\' || *at == '\'' || *at == 'n') {
        *out = *at == 'n' ? '\n' : *at;
        return at + 1;
    }
    const int high = *at == 'x' ? hex_digit(at[1]) : -1;
    const int low = high >= 0 ? hex_digit(at[2]) : -1;
    if (low < 0 || high + low == 0)
        return NULL;
    *out = (char)(high * 16 + low);
    return at + 3;
}

/* Of '...' or $'...', from behind its first quote to behind its last. */
static const char *take_quoted(const char *at, bool has_escapes, ob_text *word)
{
    while (at != NULL && *at != '\0' && *at != '\'') {
        char c = *at++;
        if (has_escapes && c == '\\')
            at = take_escape(at, &c);
        if (!ob_text_append(word, &c, 1))
            return NULL;
    }
    return at != NULL && *at == '\'' ? at + 1 : NULL;
}

/* The word that begins here, without its quotes; returns its end. NULL: a shell would see more in it than a word. */
static const char *take_word(const char *at, ob_text *word)
{
    static const char PLAIN[] = NAME_CHARACTERS "-./:=,@%+";
    word->size = 0;
    while (at != NULL && *at != '\0' && *at != ' ') {
        if (strchr(PLAIN, *at) != NULL || strncmp(at, "\\'", 2) == 0) {
            at += *at == '\\';
            at = ob_text_append(word, at, 1) ? at + 1 : NULL;
        } else if (*at == '\'') {
            at = take_quoted(at + 1, false, word);
        } else {
            at = strncmp(at, "$'", 2) == 0 ? take_quoted(at + 2, true, word) : NULL;
        }
    }
    return at != NULL && ob_text_append(word, "", 1) ? at : NULL;
}

/* The length of NAME= at the word's beginning, which a shell knows only outside of quotes; else 0. */
static size_t assigned_length(const char *word)
{
    const size_t length = strspn(word, NAME_CHARACTERS);
    return length > 0 && word[length] == '=' && strchr("0123456789", word[0]) == NULL ? length + 1
                                                                                      : 0;
}

/* By the last part of its path: "opbench", "/usr/bin/opbench", "my tools/opbench". Shells know more assignments than ours: A+=b. */
static bool is_program(const char *word)
{
    const char *slash = strrchr(word, '/');
    const char *name = slash != NULL ? slash + 1 : word;
    return strncmp(name, "opbench", strlen("opbench")) == 0 &&
           name[strspn(name, LOWER_CASE "0123456789._-")] == '\0' && strchr(word, '=') == NULL;
}

static bool append_command(ob_text *out, const char *text, ob_text *word)
{
    bool begins = true;
    for (const char *at = text;;) {
        const char *end = take_word(at, word);
        if (end == NULL || end == at)
            return false;
        const size_t assigned = begins ? assigned_length(at) : 0;
        if ((begins && assigned == 0 && !is_program(word->data)) ||
            !ob_text_append(out, word->data, assigned) ||
            !ob__text_append_word_on_line(out, word->data + assigned))
            return false;
        begins = assigned > 0;
        if (*end == '\0' || strcmp(end, OB_PIPED_REMARK) == 0)
            return !begins && ob_text_append_str(out, end);
        at = end + 1;
        const bool pipes = !begins && strncmp(at, "| ", 2) == 0;
        if (!ob_text_append_str(out, pipes ? " | " : " "))
            return false;
        begins |= pipes;
        at += pipes ? 2 : 0;
    }
}

bool ob__own_command_append(ob_text *out, const char *text)
{
    ob_text word = {.data = NULL};
    const bool ok = append_command(out, text, &word);
    ob_text_fini(&word);
    return ok;
}
