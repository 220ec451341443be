/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a backend may differ from PyTorch and the reference, because its library does: backends/<name>/<name>_exceptions.tsv,
 * with a line for an operator, what may differ ("nan": a number where the others give NaN, or NaN sorted otherwise; "value";
 * "taken": whether it is, which the library decides by the processor), in which dtypes ("all", "integers", or their names), and why, separated by tabs.
 */
#include "conform.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool has_dtype(char *list, ob_dtype dtype)
{
    char *rest = NULL;
    for (const char *word = strtok_r(list, " ", &rest); word != NULL;
         word = strtok_r(NULL, " ", &rest))
        if (strcmp(word, "all") == 0 ||
            (strcmp(word, "integers") == 0 && ob_dtype_is_integral(dtype)) ||
            ob_dtype_from_name(word, strlen(word)) == dtype)
            return true;
    return false;
}

/* A line that is none ends the test: nobody would see that it has no effect. */
static bool line_fits(char *line, const char *path, const char *op, const char *what,
                      ob_dtype dtype)
{
    char *columns[4], *rest = line;
    size_t count = 0;
    line[strcspn(line, "\n")] = '\0';
    if (line[0] == '#' || line[0] == '\0')
        return false;
    while (count < 4 && rest != NULL)
        columns[count++] = strsep(&rest, "\t");
    if (count < 4 || (strcmp(columns[1], "nan") != 0 && strcmp(columns[1], "value") != 0 &&
                      strcmp(columns[1], "taken") != 0)) {
        printf("%s: '%s' is no line of operator, nan, value or taken, dtypes, and why\n", path,
               line);
        exit(1);
    }
    return strcmp(columns[0], op) == 0 && strcmp(columns[1], what) == 0 &&
           has_dtype(columns[2], dtype);
}

static bool is_exception(const char *backend, const char *op, const char *what, ob_dtype dtype)
{
    char path[512], *line = NULL;
    size_t size = 0;
    bool found = false;
    snprintf(path, sizeof path, OB_BACKENDS_DIR "/%s/%s_exceptions.tsv", backend, backend);
    FILE *file = fopen(path, "re");
    while (file != NULL && !found && getline(&line, &size, file) >= 0)
        found = line_fits(line, path, op, what, dtype);
    free(line);
    if (file != NULL)
        fclose(file);
    return found;
}

bool result_may_differ(const char *backend, const char *op, ob_dtype dtype)
{
    return is_exception(backend, op, "value", dtype);
}

bool nan_may_be_lost(const char *backend, const char *op, ob_dtype dtype)
{
    return is_exception(backend, op, "nan", dtype);
}

bool taking_may_differ(const char *backend, const char *op, ob_dtype dtype)
{
    return is_exception(backend, op, "taken", dtype);
}

bool golden_holds_nan(const golden *g)
{
    for (size_t a = 0; a < g->arg_count; a++) {
        const ob_value *value = &g->args[a];
        if (value->kind != OB_VALUE_TENSOR || !ob_dtype_is_floating(value->as.tensor->dtype))
            continue;
        for (int64_t i = 0; i < tensor_count(value->as.tensor); i++)
            if (isnan(tensor_get(value->as.tensor, i)))
                return true;
    }
    return false;
}
