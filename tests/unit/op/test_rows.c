/* SPDX-License-Identifier: Apache-2.0
 *
 * The rows as tables: every schema is one that libtorch registers, every row is complete, and what
 * it says about its arguments names arguments that exist.
 */
#include "check.h"
#include "op/rows.h"

#include <stdlib.h>

typedef struct group {
    const char *name;
    const ob_op_row *rows;
} group;

static const group GROUPS[] = {
#define OB_ROW_GROUP(name) {#name, ob__rows_##name},
#include "op/row_groups.def"
#undef OB_ROW_GROUP
};
enum { GROUP_COUNT = sizeof GROUPS / sizeof GROUPS[0] };

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    if (file != NULL && fseek(file, 0, SEEK_END) == 0) {
        const long size = ftell(file);
        rewind(file);
        text = calloc((size_t)size + 2, 1);
        if (text != NULL && fread(text + 1, 1, (size_t)size, file) != (size_t)size)
            text[1] = '\0';
        if (text != NULL)
            text[0] = '\n';
    }
    if (file != NULL)
        fclose(file);
    return text;
}

static void stands_in_libtorch(void)
{
    char *known = read_file(OB_SOURCE_DIR "/tests/golden/libtorch_schemas.txt");
    char line[4096];
    CHECK(known != NULL);
    for (size_t g = 0; known != NULL && g < GROUP_COUNT; g++) {
        for (const ob_op_row *row = GROUPS[g].rows; row->schema != NULL; row++) {
            if (strncmp(row->schema, "opbench::", 9) == 0) /* our own */
                continue;
            snprintf(line, sizeof line, "\n%s\n", row->schema);
            ob_test_checks++;
            if (strstr(known, line) == NULL)
                OB_TEST_FAIL("rows_%s.c: not in libtorch: %s", GROUPS[g].name, row->schema);
        }
    }
    free(known);
}

static void check_name(const char *where, const ob_schema *schema, const char *name)
{
    ob_test_checks++;
    if (ob_schema_find_arg(schema, name) < 0)
        OB_TEST_FAIL("%s: \"%s\" is no argument of %s", where, name, schema->text);
}

static void check_constraints(const ob_op_row *row, const ob_schema *schema)
{
    for (const ob_constraint *c = row->constraints; c != NULL && c->arg != NULL; c++) {
        const bool bounded = c->kind == OB_CONSTRAINT_INDEX || c->kind == OB_CONSTRAINT_OFFSETS ||
                             c->kind == OB_CONSTRAINT_PLANE;
        check_name("constraint", schema, c->arg);
        CHECK(bounded == (c->of != NULL));
        if (c->of != NULL)
            check_name("of", schema, c->of);
        if (c->dim_arg != NULL)
            check_name("dim_arg", schema, c->dim_arg);
    }
}

static void is_complete(void)
{
    size_t count = 0;
    for (size_t g = 0; g < GROUP_COUNT; g++) {
        for (const ob_op_row *row = GROUPS[g].rows; row->schema != NULL; row++) {
            ob_schema *schema = NULL;
            ob_err err;
            count++;
            if (ob_schema_parse(row->schema, strlen(row->schema), &schema, &err) != OB_OK) {
                OB_TEST_FAIL("%s: %s", row->schema, err.message);
                continue;
            }
            CHECK(row->category != NULL && row->category[0] != '\0');
            CHECK(row->shape != NULL);
            CHECK(row->cost != NULL);
            CHECK(row->function == NULL);
            CHECK((row->tolerance.kind == OB_TOL_EXACT) <= (row->tolerance.factor == 0));
            check_constraints(row, schema);
            ob_schema_destroy(schema);
        }
    }
    CHECK(count >= 450);
}

/* The first statement of a derivative must be for an argument or a local; a text has either a
 * "=" per statement or is empty. */
static void has_statements(void)
{
    for (size_t g = 0; g < GROUP_COUNT; g++) {
        for (const ob_op_row *row = GROUPS[g].rows; row->schema != NULL; row++) {
            if (row->derivative != NULL && row->derivative[0] != '\0')
                CHECK(strstr(row->derivative, " = ") != NULL);
            if (row->decomposition != NULL)
                CHECK(strstr(row->decomposition, "result") != NULL);
        }
    }
}

/* In place, with a derivative: the text cannot mean the overwritten self. */
static void in_place_uses_the_result(void)
{
    for (size_t g = 0; g < GROUP_COUNT; g++) {
        for (const ob_op_row *row = GROUPS[g].rows; row->schema != NULL; row++) {
            if (strstr(row->schema, "(Tensor(a!) self") == NULL || row->derivative == NULL)
                continue;
            ob_test_checks++;
            if (strstr(row->derivative, "(self") != NULL ||
                strstr(row->derivative, ", self") != NULL)
                OB_TEST_FAIL("%s reads self after it was changed: %s", row->schema,
                             row->derivative);
        }
    }
}

int main(void)
{
    RUN(stands_in_libtorch);
    RUN(is_complete);
    RUN(has_statements);
    RUN(in_place_uses_the_result);
    return ob_test_end();
}
