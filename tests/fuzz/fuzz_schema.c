/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a schema: what parses must print, the print must parse again and print the same, and
 * calls of it bind or are refused. Input: the schema; seeds are in corpus/schema.
 */
#include "opbench/schema.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void bind(const ob_schema *schema, const ob_value *values, size_t count, size_t shift)
{
    ob_value args[8];
    ob_value *bound = malloc((schema->arg_count + 1) * sizeof *bound);
    const size_t arg_count = schema->positional_count < 8 ? schema->positional_count : 8;
    if (bound == NULL)
        return;
    for (size_t i = 0; i < arg_count; i++)
        args[i] = values[(i + shift) % count];
    const char *name = schema->arg_count > arg_count ? schema->args[arg_count].name : NULL;
    const ob_call call = {.args = args,
                          .arg_count = arg_count,
                          .kwarg_names = &name,
                          .kwargs = &values[shift % count],
                          .kwarg_count = name != NULL};
    ob_err err;
    (void)ob_schema_bind(schema, &call, bound, &err);
    for (size_t i = 0; i < schema->arg_count; i++)
        ob_value_fini(&bound[i]);
    free(bound);
}

static void bind_some(const ob_schema *schema)
{
    enum { COUNT = 7 };
    const int64_t sizes[] = {2, 3};
    ob_value values[COUNT] = {ob_value_int(2), ob_value_double(0.5), ob_value_bool(true),
                              ob_value_none()};
    ob_tensor tensor;
    if (ob_tensor_init_meta(&tensor, OB_DTYPE_F32, sizes, 2, NULL, NULL) != OB_OK)
        abort();
    if (ob_value_init_tensor(&values[4], &tensor, NULL) != OB_OK ||
        ob_value_init_str(&values[5], "float32", 7, NULL) != OB_OK ||
        ob_value_init_list(&values[6], OB_VALUE_LIST, 2, NULL) != OB_OK)
        abort();
    values[6].as.list.items[0] = ob_value_int(1);
    values[6].as.list.items[1] = ob_value_int(2);
    for (size_t shift = 0; shift < COUNT; shift++)
        bind(schema, values, COUNT, shift);
    for (size_t i = 0; i < COUNT; i++)
        ob_value_fini(&values[i]);
    ob_tensor_fini(&tensor);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ob_schema *schema = NULL, *again = NULL;
    char *first = NULL, *second = NULL;
    ob_err err;
    if (ob_schema_parse((const char *)data, size, &schema, &err) != OB_OK)
        return 0;
    if (ob_schema_print(schema, &first, &err) != OB_OK ||
        ob_schema_parse(first, strlen(first), &again, &err) != OB_OK ||
        ob_schema_print(again, &second, &err) != OB_OK || strcmp(first, second) != 0 ||
        again->arg_count != schema->arg_count || again->return_count != schema->return_count)
        abort();
    bind_some(schema);
    free(first);
    free(second);
    ob_schema_destroy(schema);
    ob_schema_destroy(again);
    return 0;
}
