/* SPDX-License-Identifier: Apache-2.0
 *
 * Names that are the same on every machine: paths before known folders and the object file go. The rules
 * are the original's and greedy as its regular expressions are: of a folder that occurs twice the
 * last one counts, and an object begins at the FIRST " [".
 */
#include "base/text_append.h"
#include "count/counts_int.h"

#include <ctype.h>
#include <string.h>

/* Everything before the last `mark` goes, and so much of the mark itself. At least one character must stand
 * before it. */
typedef struct path_rule {
    const char *mark;
    size_t drop; /* bytes of the mark that go too */
} path_rule;

static const path_rule PATH_RULES[] = {
    {.mark = "build/../", .drop = 0},
    {.mark = "/build/aten/", .drop = 1},
    {.mark = "/Python/", .drop = 1},
    {.mark = "/Objects/", .drop = 1},
};

static const char *strip_path(const char *name, const path_rule *rule)
{
    const char *last = NULL, *at = name;
    while (*at != '\0' && (at = strstr(at + 1, rule->mark)) != NULL)
        last = at;
    return last == NULL ? name : last + rule->drop;
}

/* Length of the name without a blank and "[...]" at its end. */
static size_t length_without_object(const char *name)
{
    const size_t length = strlen(name);
    if (length < 4 || name[length - 1] != ']')
        return length;
    for (size_t i = 0; i + 3 < length; i++)
        if (isspace((unsigned char)name[i]) && name[i + 1] == '[')
            return i;
    return length;
}

static bool standard_name(void *ctx, const char *function, ob_text *out)
{
    (void)ctx;
    const char *name = function;
    for (size_t i = 0; i < sizeof PATH_RULES / sizeof PATH_RULES[0]; i++)
        name = strip_path(name, &PATH_RULES[i]);
    return ob_text_append(out, name, length_without_object(name));
}

ob_status ob_counts_standardise(const ob_counts *counts, ob_counts **out, ob_err *err)
{
    return ob_counts_rename(counts, standard_name, NULL, out, err);
}
