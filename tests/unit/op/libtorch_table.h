/* SPDX-License-Identifier: Apache-2.0
 *
 * A table with the core's rows and then every schema of libtorch that is not among them, as a
 * backend adds them: names resolve to what PyTorch has, whatever rows the core has.
 */
#ifndef OB_TEST_LIBTORCH_TABLE_H
#define OB_TEST_LIBTORCH_TABLE_H

#include "check.h"
#include "opbench/op.h"

#include <stdlib.h>

typedef struct libtorch_table {
    ob_op_table *table;
    char *text; /* the golden file; its lines are cut in place */
    ob_op_row *rows;
    size_t row_count;
} libtorch_table;

static inline char *libtorch_read(void)
{
    FILE *file = fopen(OB_SOURCE_DIR "/tests/golden/libtorch_schemas.txt", "r");
    char *text = calloc(1, 1 << 20);
    if (file == NULL || text == NULL || fread(text, 1, (1 << 20) - 1, file) == 0)
        OB_TEST_FAIL("tests/golden/libtorch_schemas.txt cannot be read");
    if (file != NULL)
        fclose(file);
    return text;
}

static inline void libtorch_table_init(libtorch_table *t)
{
    ob_err err;
    *t = (libtorch_table){.text = libtorch_read(), .rows = calloc(4096, sizeof *t->rows)};
    if (ob_op_table_create(&t->table, &err) != OB_OK || t->rows == NULL) {
        OB_TEST_FAIL("%s", err.message);
        return;
    }
    char *rest = NULL;
    for (char *line = strtok_r(t->text, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        if (line[0] == '#')
            continue;
        ob_op_row *row = &t->rows[t->row_count++];
        row->schema = line;
        const ob_status status = ob_op_table_add(t->table, row, "libtorch", &err);
        if (status != OB_OK && status != OB_ERR_DUPLICATE)
            OB_TEST_FAIL("%s: %s", line, err.message);
    }
}

static inline void libtorch_table_fini(libtorch_table *t)
{
    ob_op_table_destroy(t->table);
    free(t->rows);
    free(t->text);
}

#endif
