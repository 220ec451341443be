/* SPDX-License-Identifier: Apache-2.0
 *
 * Names and words of comparisons. The original means to show a missing environment like this, but fails.
 */
#include "compare/compare_names.h"

#include "opbench/compare.h"

#include <string.h>

const char *ob__env_name(const char *env)
{
    return env != NULL ? env : "Unspecified env";
}

const char *ob__or_empty(const char *text)
{
    return text != NULL ? text : "";
}

static const char *const COLORIZE_WORDS[] = {
#define WORD(id, word, help) [OB_COLORIZE_##id] = word,
    OB_COLORIZE_MAP(WORD)
#undef WORD
};

static const char *const FORMAT_WORDS[] = {
#define WORD(id, word, help) [OB_TABLE_##id] = word,
    OB_TABLE_FORMAT_MAP(WORD)
#undef WORD
};

bool ob_colorize_from_word(const char *word, ob_colorize *out)
{
    for (int i = 0; i < OB_COLORIZE_COUNT; i++)
        if (strcmp(COLORIZE_WORDS[i], word) == 0) {
            *out = (ob_colorize)i;
            return true;
        }
    return false;
}

bool ob_table_format_from_word(const char *word, ob_table_format *out)
{
    for (int i = 0; i < OB_TABLE_FORMAT_COUNT; i++)
        if (strcmp(FORMAT_WORDS[i], word) == 0) {
            *out = (ob_table_format)i;
            return true;
        }
    return false;
}
