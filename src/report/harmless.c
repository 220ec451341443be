/* SPDX-License-Identifier: Apache-2.0
 *
 * Texts of unknown origin on their way into a table. Names come from configs, traces and files of results; none may
 * move a terminal's cursor, end a cell, or be run by a spreadsheet.
 */
#include "report/table_model.h"

#include "base/utf8.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The code point at *at, harmless: 0 = nothing is left of it. */
static uint32_t take(const char **at, const char *end, bool keep_lines)
{
    const uint32_t code = ob__utf8_next(at, end);
    if (code == '\n' || code == '\t')
        return keep_lines ? code : ' ';
    if (code == '\r' && *at < end && **at == '\n')
        return 0;
    /* U+FFFE and its like are no characters, and no XML may have them. */
    return ob__utf8_is_control(code) || (code & 0xfffe) == 0xfffe ? '?' : code;
}

bool ob__append_harmless(ob_text *out, const char *text, bool keep_lines)
{
    const char *end = text + strlen(text);
    bool ok = true;
    while (ok && text < end) {
        const char *start = text, *at = text;
        const uint32_t code = take(&at, end, keep_lines);
        text = at;
        if (code == 0)
            continue;
        const char byte = (char)code;
        ok = code < 0x80 ? ob_text_append(out, &byte, 1)
                         : ob__utf8_repair(out, start, (size_t)(at - start));
    }
    return ok;
}

/* "_" inside a word is a letter to Markdown, as ids and names of functions have it; "*" at the end begins nothing. */
static bool is_plain(const ob_text *text, size_t i)
{
    const char c = text->data[i];
    if (c == '*' && i + 1 == text->size)
        return true;
    if (c != '_')
        return strchr("|\\`*[]~", c) == NULL;
    return i > 0 && i + 1 < text->size && isalnum((unsigned char)text->data[i - 1]) &&
           isalnum((unsigned char)text->data[i + 1]);
}

/* "@name" and "#12" would tell a person, and link a pull request, of a forge. A space of no width behind them parts what it
 * looks for, as other tools that write comments do. */
static bool is_reference(const ob_text *text, size_t i)
{
    const unsigned char next = i + 1 < text->size ? (unsigned char)text->data[i + 1] : 0;
    return (text->data[i] == '@' && isalnum(next)) || (text->data[i] == '#' && isdigit(next));
}

static bool ends_with(const ob_text *text, size_t end, const char *word)
{
    const size_t length = strlen(word);
    return end >= length && strncasecmp(text->data + end - length, word, length) == 0;
}

/* "https://", "mailto:" and "www." would become links without being written as any; the character that makes them one is written
 * as its number. An address of mail has its "@" parted already. */
static bool is_link(const ob_text *text, size_t i)
{
    static const char *const SCHEMES[] = {"http", "https", "ftp", "mailto", "xmpp"};
    if (text->data[i] == '.')
        return ends_with(text, i, "www");
    for (size_t s = 0; text->data[i] == ':' && s < sizeof SCHEMES / sizeof *SCHEMES; s++)
        if (ends_with(text, i, SCHEMES[s]))
            return true;
    return false;
}

bool ob__append_markdown(ob_text *out, const char *text)
{
    ob_text clean = {.data = NULL};
    bool ok = ob__append_harmless(&clean, text, true);
    for (size_t i = 0; ok && i < clean.size; i++) {
        const char c = clean.data[i];
        ok = c == '\n'            ? ob_text_append_str(out, "<br>")
             : c == '<'           ? ob_text_append_str(out, "&lt;")
             : c == '&'           ? ob_text_append_str(out, "&amp;")
             : is_link(&clean, i) ? ob_text_printf(out, "&#%d;", c)
             : is_reference(&clean, i)
                 ? ob_text_append(out, &c, 1) && ob_text_append_str(out, "&#8203;")
             : is_plain(&clean, i) ? ob_text_append(out, &c, 1)
                                   : ob_text_append(out, "\\", 1) && ob_text_append(out, &c, 1);
    }
    ob_text_fini(&clean);
    return ok;
}

/* What a spreadsheet would compute: -1 is a number and stays one. */
static bool is_formula(const char *text)
{
    char *end;
    if (text[0] == '\0' || strchr("=+-@\t\r", text[0]) == NULL)
        return false;
    strtod(text, &end);
    return end == text || *end != '\0';
}

bool ob__append_csv(ob_text *out, const char *text)
{
    ob_text clean = {.data = NULL};
    bool ok = (!is_formula(text) || ob_text_append(&clean, "'", 1)) &&
              ob__append_harmless(&clean, text, true) && ob_text_append(&clean, "", 1);
    const bool quoted = ok && clean.data[strcspn(clean.data, ",\"\r\n")] != '\0';
    ok = ok && (!quoted || ob_text_append(out, "\"", 1));
    for (size_t i = 0; ok && i + 1 < clean.size; i++)
        ok = (clean.data[i] != '"' || ob_text_append(out, "\"", 1)) &&
             ob_text_append(out, &clean.data[i], 1);
    ob_text_fini(&clean);
    return ok && (!quoted || ob_text_append(out, "\"", 1));
}
