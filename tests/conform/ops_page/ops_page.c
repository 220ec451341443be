/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints docs/ops.md: which operators each backend runs, from the rows, the kernel tables of native and the
 * lists of all. A test compares the checked-in page with it, and needs no backend for that.
 */
#include "native.h"

#include "opbench/context.h"

#include "../support.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The lists: one per backend, and those of other releases of its library, which are counted only. */
typedef struct column {
    char name[64];
    bool is_release; /* "onednn-3" */
    support list;
} column;

typedef struct page {
    const ob_backend *native;
    const ob_op_table *table;
    column columns[32];
    size_t column_count;
} page;

static void print_head(void)
{
    puts("# Operators\n");
    puts("This page lists the operators that opbench knows, and which backend takes them in "
         "which dtype.\n");
    puts("`make support` writes it from the operator rows, the kernel tables of the native "
         "backend and the lists in `backends/<name>/support/`, which record how each backend "
         "answered the calls of the conformance tests. Do not edit it by hand.\n");
    puts("- **native runs it**: by a *kernel*; as a *view* (shares memory, costs nothing); "
         "*taken apart* into operators of this list. f16 and bf16 are computed in f32.");
    puts("- **gradient**: *yes* (derived from the operator's row); *via parts* (after taking it "
         "apart); *flat* (no gradient passes); *no*.");
    puts("- **a backend's column**: dtypes of forward / of backward, by the first tensor "
         "argument (by the result if there is none). *floats* are f16, bf16, f32 and f64; *ints*"
         " are u8, i8, i16, i32 and i64; *complex* is c64 and c128; *all* is all of these and "
         "bool. A star means that only some calls are taken. An empty cell means that none is, "
         "or that no call was tried.");
    puts("- **a backend with a version** in the first table: what it takes with that release of "
         "its library, if that differs from the other tables.\n");
    printf(
        "| backend | operators | forward: f32 | f64 | bf16 | f16 | i8 | i64 | backward: f32 | f64 "
        "| bf16 | f16 |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n");
}

/* ---- counts ---- */

static int count_ops(const page *p, const column *c, int pass, ob_dtype dtype)
{
    int count = 0;
    for (size_t i = 0; i < ob_op_table_count(p->table); i++)
        count += support_taken(&c->list.rows[i], pass, dtype) != TAKEN_NONE;
    return count;
}

static int count_any(const page *p, const column *c)
{
    int count = 0;
    for (size_t i = 0; i < ob_op_table_count(p->table); i++) {
        int dtype = 0;
        while (dtype < OB_DTYPE_COUNT &&
               support_taken(&c->list.rows[i], 0, (ob_dtype)dtype) == TAKEN_NONE)
            dtype++;
        count += dtype < OB_DTYPE_COUNT;
    }
    return count;
}

static void print_counts(const page *p)
{
    static const ob_dtype forward[] = {OB_DTYPE_F32, OB_DTYPE_F64, OB_DTYPE_BF16,
                                       OB_DTYPE_F16, OB_DTYPE_I8,  OB_DTYPE_I64};
    for (size_t k = 0; k < p->column_count; k++) {
        const column *c = &p->columns[k];
        printf("| %s | %d ", c->name, count_any(p, c));
        for (size_t d = 0; d < sizeof forward / sizeof *forward; d++)
            printf("| %d ", count_ops(p, c, 0, forward[d]));
        for (size_t d = 0; d < 4; d++)
            printf("| %d ", count_ops(p, c, 1, forward[d]));
        puts("|");
    }
    puts("");
}

/* ---- cells ---- */

static const ob_dtype FLOATS[] = {OB_DTYPE_F16, OB_DTYPE_BF16, OB_DTYPE_F32, OB_DTYPE_F64};
static const ob_dtype INTS[] = {OB_DTYPE_U8, OB_DTYPE_I8, OB_DTYPE_I16, OB_DTYPE_I32, OB_DTYPE_I64};
static const ob_dtype BOOLS[] = {OB_DTYPE_BOOL};
static const ob_dtype COMPLEX[] = {OB_DTYPE_C64, OB_DTYPE_C128};
static const struct {
    const char *name;
    const ob_dtype *dtypes;
    size_t count;
} SETS[] = {{"floats", FLOATS, 4}, {"ints", INTS, 5}, {"bool", BOOLS, 1}, {"complex", COMPLEX, 2}};
enum { SET_COUNT = sizeof SETS / sizeof *SETS };

/* How all of a set are taken; false when they are not alike. */
static bool is_uniform(const support_row *row, int pass, size_t set, taken *how)
{
    *how = support_taken(row, pass, SETS[set].dtypes[0]);
    for (size_t d = 1; d < SETS[set].count; d++)
        if (support_taken(row, pass, SETS[set].dtypes[d]) != *how)
            return false;
    return true;
}

static void print_word(const char *word, taken how, bool *is_first)
{
    if (how == TAKEN_NONE)
        return;
    printf("%s%s%s", *is_first ? "" : " ", word, how == TAKEN_SOME ? "\\*" : "");
    *is_first = false;
}

static void print_pass(const support_row *row, int pass)
{
    bool is_first = true, all = true;
    taken how;
    for (size_t set = 0; set < SET_COUNT; set++)
        all = all && is_uniform(row, pass, set, &how) && how == TAKEN_ALL;
    if (all) {
        printf("all");
        return;
    }
    for (size_t set = 0; set < SET_COUNT; set++) {
        if (is_uniform(row, pass, set, &how)) {
            print_word(SETS[set].name, how, &is_first);
            continue;
        }
        for (size_t d = 0; d < SETS[set].count; d++) {
            const ob_dtype dtype = SETS[set].dtypes[d];
            print_word(ob_dtype_get_info(dtype)->name, support_taken(row, pass, dtype), &is_first);
        }
    }
}

static void print_cell(const support_row *row)
{
    char backward[256];
    print_pass(row, 0);
    support_dtypes(row, 1, backward, sizeof backward);
    if (strcmp(backward, "-") != 0) {
        printf(" / ");
        print_pass(row, 1);
    }
    printf(" |");
}

/* ---- rows ---- */

static const char *backward_of(const ob_op *op)
{
    if (op->row->derivative != NULL)
        return op->row->derivative[0] != '\0' ? "yes" : "flat";
    return op->row->decomposition != NULL ? "via parts" : "no";
}

static void print_op(const page *p, size_t index)
{
    static const char *const kinds[] = {[OB_KIT_COMPUTE] = "kernel",
                                        [OB_KIT_VIEW] = "view",
                                        [OB_KIT_VIEW_OR_COMPUTE] = "view or kernel"};
    const ob_op *op = ob_op_table_at(p->table, index);
    const ob_kit_kernel *kernel = ob_kit_kernel_find(&p->native->engine, op);
    char name[192];
    printf("| `%s` | %s | %s | ", ob_kit_op_name(op, name, sizeof name),
           kernel != NULL                   ? kinds[kernel->kind]
           : op->row->decomposition != NULL ? "taken apart"
                                            : "**missing**",
           backward_of(op));
    const char *separator = "";
    for (size_t k = 0; k < p->column_count; k++) {
        if (p->columns[k].is_release)
            continue;
        printf("%s", separator);
        print_cell(&p->columns[k].list.rows[index]);
        separator = " ";
    }
    puts("");
}

/* Number of the first operator of a family, whose members may stand apart in the table. */
static size_t first_of(const ob_op_table *table, const char *category)
{
    size_t i = 0;
    while (strcmp(ob_op_table_at(table, i)->row->category, category) != 0)
        i++;
    return i;
}

static void print_family(const page *p, const char *category, bool is_first)
{
    printf("%s## %s\n\n| operator | native runs it | gradient |", is_first ? "" : "\n", category);
    for (size_t k = 0; k < p->column_count; k++)
        if (!p->columns[k].is_release)
            printf(" %s |", p->columns[k].name);
    printf("\n|---|---|---|");
    for (size_t k = 0; k < p->column_count; k++)
        if (!p->columns[k].is_release)
            printf("---|");
    puts("");
    for (size_t i = 0; i < ob_op_table_count(p->table); i++)
        if (strcmp(ob_op_table_at(p->table, i)->row->category, category) == 0)
            print_op(p, i);
}

/* Modules, functions and models are graphs of the operators above. */
static void print_composites(void)
{
    printf("\n## Made of these\n\nGraphs of operators, with their arguments. If one needs an "
           "operator that is not in the list above, the record says which.\n\n");
    for (size_t i = 0; i < ob_module_count(); i++) {
        const ob_module_info info = ob_module_at(i);
        /* A second row of a name is an overload. */
        if (i > 0 && strcmp(ob_module_at(i - 1).name, info.name) == 0)
            continue;
        printf("- %s `%s`\n", info.category, info.signature);
    }
}

/* ---- lists ---- */

static ob_status read_list(page *p, const char *path, ob_err *err)
{
    const char *file = strrchr(path, '/') + 1;
    column *c = &p->columns[p->column_count];
    if (p->column_count == sizeof p->columns / sizeof *p->columns)
        return ob_err_set(err, OB_ERR_LIMIT, "more lists than this program has room for");
    snprintf(c->name, sizeof c->name, "%.*s", (int)(strlen(file) - strlen(".tsv")), file);
    c->is_release = strchr(file, '-') != NULL;
    OB_TRY(support_init(&c->list, p->table, err));
    p->column_count++;
    return support_read(&c->list, path, err);
}

/* The lists of all folders, in the order of names, native first. */
static ob_status read_lists(page *p, const char *backends, ob_err *err)
{
    char pattern[4096];
    glob_t found = {.gl_pathc = 0};
    snprintf(pattern, sizeof pattern, "%s/native/support/native.tsv", backends);
    ob_status status = read_list(p, pattern, err);
    snprintf(pattern, sizeof pattern, "%s/*/support/*.tsv", backends);
    glob(pattern, 0, NULL, &found);
    for (size_t i = 0; status == OB_OK && i < found.gl_pathc; i++)
        if (strstr(found.gl_pathv[i], "/native.tsv") == NULL)
            status = read_list(p, found.gl_pathv[i], err);
    globfree(&found);
    return status;
}

int main(int argc, char **argv)
{
    ob_context *context = NULL;
    ob_err err;
    ob_backend backend = {.env = {.host = ob_host_get()}};
    static page p;
    if (argc != 2) {
        fprintf(stderr, "usage: ops_page BACKENDS\n");
        return 2;
    }
    ob_status status = ob_context_create(NULL, &context, &err);
    if (status == OB_OK)
        status =
            ob_kit_engine_open(&backend.engine, ob_host_get(), &native_device, &backend.env, &err);
    if (status == OB_OK) {
        p.native = &backend;
        p.table = ob_context_operators(context);
        status = read_lists(&p, argv[1], &err);
    }
    if (status != OB_OK) {
        fprintf(stderr, "ops_page: %s\n", err.message);
        return 1;
    }
    print_head();
    print_counts(&p);
    for (size_t i = 0; i < ob_op_table_count(p.table); i++) {
        const char *category = ob_op_table_at(p.table, i)->row->category;
        if (first_of(p.table, category) == i)
            print_family(&p, category, i == 0);
    }
    print_composites();
    for (size_t k = 0; k < p.column_count; k++)
        support_fini(&p.columns[k].list);
    ob_kit_engine_close(&backend.engine);
    ob_context_destroy(context);
    return 0;
}
