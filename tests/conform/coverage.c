/* SPDX-License-Identifier: Apache-2.0
 *
 * Which rows have no golden: every row that does not draw random numbers must have one, or stand in the list
 * below with the reason.
 */
#include "conform.h"

#include <stdlib.h>
#include <string.h>

/* Operators whose results this reference cannot give. */
static const char *const EXCEPTIONS[] = {
    "aten::_embedding_bag_backward",                    /* reached by gradients of _embedding_bag */
    "aten::_embedding_bag_dense_backward",              /* likewise */
    "aten::_embedding_bag_per_sample_weights_backward", /* likewise */
};

static bool is_exception(const char *name)
{
    for (size_t i = 0; i < sizeof EXCEPTIONS / sizeof EXCEPTIONS[0]; i++) {
        if (strcmp(EXCEPTIONS[i], name) == 0)
            return true;
    }
    return strncmp(name, "aten::", 6) != 0;
}

int run_coverage(const char *plugin, const char *goldens_path)
{
    subject s;
    goldens file;
    golden g;
    ob_err err;
    int failures = 0;
    if (subject_open(&s, plugin, NULL, 1, &err) != OB_OK ||
        goldens_open(&file, goldens_path, &err) != OB_OK) {
        printf("%s\n", err.message);
        return 1;
    }
    const ob_op_table *table = ob_context_operators(s.context);
    bool *seen = calloc(ob_op_table_count(table) + 1, sizeof *seen);
    while (seen != NULL && goldens_next(&file, OB_DTYPE_F64, &g, &err) == OB_OK) {
        const ob_op *op = ob_op_table_find(table, g.op);
        for (size_t i = 0; i < ob_op_table_count(table); i++)
            seen[i] = seen[i] || ob_op_table_at(table, i) == op;
        golden_fini(&g);
    }
    for (size_t i = 0; seen != NULL && i < ob_op_table_count(table); i++) {
        const ob_op *op = ob_op_table_at(table, i);
        char name[192];
        snprintf(name, sizeof name, "%s%s%s", op->schema->name,
                 op->schema->overload[0] != '\0' ? "." : "", op->schema->overload);
        if (seen[i] || op->row->tolerance.kind == OB_TOL_RANDOM || is_exception(name))
            continue;
        printf("%s has no golden; add a case to tools/make_op_goldens.py\n", name);
        failures++;
    }
    free(seen);
    goldens_close(&file);
    subject_close(&s);
    return failures;
}
