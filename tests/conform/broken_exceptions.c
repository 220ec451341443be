/* SPDX-License-Identifier: Apache-2.0
 *
 * What --check may miss of broken results: tests/conform/broken_exceptions.tsv.
 */
#include "broken.h"

#include <stdlib.h>
#include <string.h>

static bool has_word(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = list; *at != '\0'; at += strcspn(at, " "), at += strspn(at, " "))
        if (strcspn(at, " ") == length && strncmp(at, word, length) == 0)
            return true;
    return strcmp(list, "all") == 0;
}

bool broken_is_exception(broken_exceptions *t, const char *op, ob_dtype dtype, const char *word,
                         defect which)
{
    char backward[192];
    snprintf(backward, sizeof backward, "%s%s", op, word);
    for (size_t i = 0; i < t->count; i++) {
        broken_exception *e = &t->items[i];
        if (strcmp(e->op, backward) == 0 && has_word(e->defects, defect_name(which)) &&
            has_word(e->dtypes, ob_dtype_get_info(dtype)->name)) {
            e->used = true;
            return true;
        }
    }
    return false;
}

/* A line: operator ("aten::mm backward"), defects, dtypes ("bf16 f16", "all"), why; separated by tabs. */
bool broken_exceptions_read(broken_exceptions *t, const char *path)
{
    FILE *in = fopen(path, "re");
    char line[512];
    if (in == NULL) {
        printf("cannot open %s\n", path);
        return false;
    }
    while (fgets(line, sizeof line, in) != NULL && t->count < BROKEN_MOST_EXCEPTIONS) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] == '#' || line[0] == '\0')
            continue;
        broken_exception *e = &t->items[t->count++];
        char *rest = e->line = strdup(line);
        e->op = strsep(&rest, "\t");
        e->defects = strsep(&rest, "\t");
        e->dtypes = strsep(&rest, "\t");
        if (e->dtypes == NULL || rest == NULL || rest[0] == '\0') {
            printf("%s: '%s' is no line of operator, defect, dtypes, and why\n", path, line);
            fclose(in);
            return false;
        }
    }
    fclose(in);
    return true;
}

void broken_exceptions_end(broken_exceptions *t, bool all_tried)
{
    for (size_t i = 0; i < t->count; i++) {
        const broken_exception *e = &t->items[i];
        if (all_tried && !e->used)
            printf("not needed here: the exception of %s, %s, %s\n", e->op, e->defects, e->dtypes);
        free(e->line);
    }
    t->count = 0;
}
