/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints docs/ops.md: which operators the native backend runs, from the rows and the kernel tables. A test
 * compares the checked-in page with it.
 */
#include "native.h"

#include "opbench/context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_head(void)
{
    puts("# Operators of the native backend\n");
    puts("Made from the operator rows and the kernel tables by `ops_page`; do not edit it by hand "
         "(`build/tests/conform/ops_page > docs/ops.md`).\n");
    puts(
        "- **dtypes**: of the first tensor argument (of the result, where there is none). *floats* "
        "are f16, bf16, f32 and f64; f16 and bf16 are computed in f32. *ints* are u8, i8, i16, i32 "
        "and i64. *all* adds bool, c64 and c128. An operator that is *taken apart* takes what its "
        "parts take.");
    puts("- **forward**: *kernel*; *view* (shares memory, costs nothing); *taken apart* into "
         "operators of this list.");
    puts("- **backward**: *yes* (derived from the operator's row); *via parts* (after taking it "
         "apart); *flat* (no gradient passes); *no*.\n");
}

static const char *dtype_set(uint32_t mask)
{
    static const struct {
        uint32_t mask;
        const char *text;
    } sets[] = {
        {PLAN_ALL, "all"},
        {PLAN_REALS, "floats, ints, bool"},
        {PLAN_NUMBERS, "floats, ints"},
        {PLAN_FLOATS, "floats"},
        {PLAN_INTS | PLAN_BOOL, "ints, bool"},
        {PLAN_INTS, "ints"},
        {PLAN_BIT(F32) | PLAN_BIT(F64), "f32, f64"},
        {PLAN_BIT(I32) | PLAN_BIT(I64), "i32, i64"},
    };
    static char other[128];
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        if (sets[i].mask == mask)
            return sets[i].text;
    }
    other[0] = '\0';
    for (int d = 0; d < OB_DTYPE_COUNT; d++) {
        if ((mask & (1u << d)) == 0)
            continue;
        if (other[0] != '\0')
            strcat(other, ", ");
        strcat(other, ob_dtype_get_info((ob_dtype)d)->name);
    }
    return other;
}

static const char *backward_of(const ob_op *op)
{
    if (op->row->derivative != NULL)
        return op->row->derivative[0] != '\0' ? "yes" : "flat";
    return op->row->decomposition != NULL ? "via parts" : "no";
}

static void print_op(const ob_backend *backend, const ob_op *op)
{
    static const char *const kinds[] = {
        [PLAN_COMPUTE] = "kernel", [PLAN_VIEW] = "view", [PLAN_VIEW_OR_COMPUTE] = "view or kernel"};
    const plan_kernel *kernel = plan_kernel_find(&backend->engine, op);
    char name[192];
    printf("| `%s` | %s | %s | %s |\n", plan_op_name(op, name, sizeof name),
           kernel != NULL ? dtype_set(kernel->dtypes) : "",
           kernel != NULL                   ? kinds[kernel->kind]
           : op->row->decomposition != NULL ? "taken apart"
                                            : "**missing**",
           backward_of(op));
}

/* Number of the first operator of a family, whose members may stand apart in the table. */
static size_t first_of(const ob_op_table *table, const char *category)
{
    size_t i = 0;
    while (strcmp(ob_op_table_at(table, i)->row->category, category) != 0)
        i++;
    return i;
}

static void print_family(const ob_backend *backend, const ob_op_table *table, const char *category,
                         bool is_first)
{
    printf("%s## %s\n\n| operator | dtypes | forward | backward |\n|---|---|---|---|\n",
           is_first ? "" : "\n", category);
    for (size_t i = 0; i < ob_op_table_count(table); i++) {
        const ob_op *op = ob_op_table_at(table, i);
        if (strcmp(op->row->category, category) == 0)
            print_op(backend, op);
    }
}

/* Modules, functions and models are graphs of the operators above. */
static void print_composites(void)
{
    printf("\n## Made of these\n\nGraphs of operators, with their arguments. Where one needs "
           "an operator that is not in the list above, the record says which.\n\n");
    for (size_t i = 0; i < ob_module_count(); i++) {
        const ob_module_info info = ob_module_at(i);
        /* A second row of a name is an overload. */
        if (i > 0 && strcmp(ob_module_at(i - 1).name, info.name) == 0)
            continue;
        printf("- %s `%s`\n", info.category, info.signature);
    }
}

int main(void)
{
    ob_context *context = NULL;
    ob_err err;
    ob_backend backend = {.env = {.host = ob_host_get()}};
    if (ob_context_create(NULL, &context, &err) != OB_OK ||
        plan_engine_open(&backend.engine, ob_host_get(), &native_device, &backend.env, &err) !=
            OB_OK) {
        fprintf(stderr, "ops_page: %s\n", err.message);
        return 1;
    }
    const ob_op_table *table = ob_context_operators(context);
    print_head();
    for (size_t i = 0; i < ob_op_table_count(table); i++) {
        const char *category = ob_op_table_at(table, i)->row->category;
        if (first_of(table, category) == i)
            print_family(&backend, table, category, i == 0);
    }
    print_composites();
    plan_engine_close(&backend.engine);
    ob_context_destroy(context);
    return 0;
}
