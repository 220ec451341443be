/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists of what a backend takes: reading, writing.
 */
#include "support.h"

#include <stdlib.h>
#include <string.h>

ob_status support_init(support *s, const ob_op_table *table, ob_err *err)
{
    *s = (support){.table = table, .rows = calloc(ob_op_table_count(table) + 1, sizeof *s->rows)};
    return s->rows != NULL ? OB_OK : ob_err_set(err, OB_ERR_NOMEM, "out of memory");
}

void support_fini(support *s)
{
    free(s->rows);
    *s = (support){.table = NULL};
}

support_row *support_find(const support *s, const char *op)
{
    const ob_op *found = ob_op_table_find(s->table, op);
    for (size_t i = 0; found != NULL && i < ob_op_table_count(s->table); i++)
        if (ob_op_table_at(s->table, i) == found)
            return &s->rows[i];
    return NULL;
}

taken support_taken(const support_row *row, int pass, ob_dtype dtype)
{
    const support_cell *cell = &row->cells[pass][dtype];
    return cell->taken == 0 ? TAKEN_NONE : cell->taken < cell->tried ? TAKEN_SOME : TAKEN_ALL;
}

void support_op_name(const ob_op *op, char *out, size_t size)
{
    snprintf(out, size, "%s%s%s", op->schema->name, op->schema->overload[0] != '\0' ? "." : "",
             op->schema->overload);
}

/* ---- writing ---- */

void support_dtypes(const support_row *row, int pass, char *out, size_t size)
{
    size_t at = 0;
    snprintf(out, size, "-");
    for (int d = 0; d < OB_DTYPE_COUNT && at < size; d++) {
        const taken how = support_taken(row, pass, (ob_dtype)d);
        if (how != TAKEN_NONE)
            at += (size_t)snprintf(out + at, size - at, "%s%s%s", at > 0 ? " " : "",
                                   ob_dtype_get_info((ob_dtype)d)->name,
                                   how == TAKEN_SOME ? "*" : "");
    }
}

typedef struct row_text {
    char dtypes[520]; /* of both passes */
} row_text;

static row_text text_of(const support_row *row)
{
    char forward[256], backward[256];
    row_text text;
    support_dtypes(row, 0, forward, sizeof forward);
    support_dtypes(row, 1, backward, sizeof backward);
    snprintf(text.dtypes, sizeof text.dtypes, "%s\t%s", forward, backward);
    return text;
}

static void print_rows(const support *s, const support *before, FILE *out)
{
    for (size_t i = 0; i < ob_op_table_count(s->table); i++) {
        char name[192];
        const row_text now = text_of(&s->rows[i]);
        const row_text was = text_of(before != NULL ? &before->rows[i] : &(support_row){0});
        support_op_name(ob_op_table_at(s->table, i), name, sizeof name);
        if (strcmp(now.dtypes, was.dtypes) != 0)
            fprintf(out, "%s\t%s\n", name, now.dtypes);
    }
}

void support_print(const support *s, FILE *out)
{
    print_rows(s, NULL, out);
}

void support_print_changes(const support *s, const support *before, const char *file, FILE *out)
{
    fprintf(out, "as %s, but:\n", file);
    print_rows(s, before, out);
}

/* ---- reading ---- */

static ob_status read_dtypes(support_row *row, int pass, char *text, ob_err *err)
{
    char *rest = NULL;
    for (char *word = strtok_r(text, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
        const size_t length = strcspn(word, "*");
        if (strcmp(word, "-") == 0)
            continue;
        const ob_dtype dtype = ob_dtype_from_name(word, length);
        if (dtype == OB_DTYPE_INVALID)
            return ob_err_set(err, OB_ERR_SYNTAX, "'%s' is not a dtype", word);
        row->cells[pass][dtype] = (support_cell){.tried = word[length] == '*' ? 2 : 1, .taken = 1};
    }
    return OB_OK;
}

static ob_status read_line(support *s, char *line, ob_err *err)
{
    char *rest = NULL;
    const char *name = strtok_r(line, "\t\n", &rest);
    char *forward = strtok_r(NULL, "\t\n", &rest), *backward = strtok_r(NULL, "\t\n", &rest);
    if (name == NULL || backward == NULL)
        return ob_err_set(err, OB_ERR_SYNTAX,
                          "a line has an operator and two columns of dtypes, separated by tabs");
    support_row *row = support_find(s, name);
    if (row == NULL)
        return ob_err_set(err, OB_ERR_NOT_FOUND, "there is no operator %s", name);
    *row = (support_row){0};
    OB_TRY(read_dtypes(row, 0, forward, err));
    return read_dtypes(row, 1, backward, err);
}

/* "as x.tsv, but:": the list of that name in the same folder comes first. */
static ob_status read_before(support *s, const char *path, const char *line, ob_err *err)
{
    char before[4096];
    snprintf(before, sizeof before, "%s", path);
    char *slash = strrchr(before, '/'), *file = slash != NULL ? slash + 1 : before;
    const char *name = line + strlen("as ");
    snprintf(file, sizeof before - (size_t)(file - before), "%.*s", (int)strcspn(name, ","), name);
    if (strcmp(before, path) == 0)
        return ob_err_set(err, OB_ERR_SYNTAX, "the list builds upon itself");
    return support_read(s, before, err);
}

ob_status support_read(support *s, const char *path, ob_err *err)
{
    FILE *in = fopen(path, "r");
    char line[1024];
    ob_status status = OB_OK;
    if (in == NULL)
        return ob_err_set(err, OB_ERR_IO, "cannot open %s; `make support` writes it", path);
    for (int number = 1; status == OB_OK && fgets(line, sizeof line, in) != NULL; number++) {
        ob_err local = {.message = ""};
        const bool builds = number == 1 && strncmp(line, "as ", 3) == 0;
        status = builds ? read_before(s, path, line, &local) : read_line(s, line, &local);
        if (status != OB_OK)
            ob_err_set(err, status, "%s, line %d: %s; `make support` writes it anew", path, number,
                       local.message);
    }
    fclose(in);
    return status;
}
