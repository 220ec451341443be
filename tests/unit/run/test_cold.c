/* SPDX-License-Identifier: Apache-2.0
 *
 * Emptying caches, and seeing whether that was done. What a load takes is the machine's; here are the lines that are
 * looked at, and how the look uses what it is given.
 */
#include "check.h"
#include "run/cold.h"

#include "opbench/tensor.h"

#include <stdlib.h>

static ob_value tensor_of(int64_t elements)
{
    ob_tensor tensor;
    ob_value value;
    CHECK_INT(ob_tensor_init(&tensor, OB_DTYPE_F32, (int64_t[]){elements}, 1, NULL, NULL), OB_OK);
    CHECK_INT(ob_value_init_tensor(&value, &tensor, NULL), OB_OK);
    ob_tensor_fini(&tensor);
    return value;
}

static const char *data_of(const ob_value *value)
{
    return ob_storage_data(value->as.tensor->storage);
}

static bool has(const ob_cold_lines *lines, const char *at)
{
    size_t found = 0;
    for (size_t i = 0; i < lines->count; i++)
        found += lines->at[i] == at;
    CHECK(found <= 1); /* twice would be hot the second time */
    return found == 1;
}

static void lines_of_tensors(void)
{
    ob_value values[] = {tensor_of(1), tensor_of(160), tensor_of(1 << 20), {.kind = OB_VALUE_INT}};
    ob_cold_lines lines = {.count = 0};
    ob__cold_lines_of(&values[3], 1, &lines);
    CHECK_INT(lines.count, 0);
    ob__cold_lines_of(values, 2, &lines);
    CHECK_INT(lines.count, 1 + 3); /* 640 bytes are ten lines, of which every fourth is taken */
    CHECK(has(&lines, data_of(&values[0])));
    for (size_t i = 0; i < 3; i++)
        CHECK(has(&lines, data_of(&values[1]) + 256 * i));
    ob__cold_lines_of(&values[2], 1, &lines);
    CHECK_INT(lines.count, OB_MOST_COLD_LINES);
    for (size_t i = 4; i < lines.count; i++)
        CHECK(has(&lines, lines.at[i]));
    ob__cold_lines_of(&values[2], 1, &lines);
    CHECK_INT(lines.count, OB_MOST_COLD_LINES);
    for (size_t i = 0; i < 3; i++)
        ob_value_fini(&values[i]);
}

static void where_a_load_came_from(void)
{
    CHECK(ob__cold_is_reached(100, 100));
    CHECK(ob__cold_is_reached(51, 100));
    CHECK(!ob__cold_is_reached(49, 100));
    CHECK(!ob__cold_is_reached(0, 100));
}

static ob_status count_flushes(void *ctx, ob_err *err)
{
    ++*(int *)ctx;
    return *(int *)ctx > 7 ? ob_err_set(err, OB_ERR_BACKEND, "no more") : OB_OK;
}

static void a_look(void)
{
    ob_cold cold = {.sweep = NULL};
    ob_cold_look look;
    ob_err err;
    int flushes = 0;
    CHECK_INT(ob__cold_open(&cold, &err), OB_OK);
    const char *before = cold.sweep;
    CHECK_INT(ob__cold_open(&cold, &err), OB_OK);
    CHECK(cold.sweep == before && cold.sweep_bytes >= 32 << 20);
    CHECK_INT(cold.own.count, OB_MOST_COLD_LINES);
    for (size_t i = 0; i < cold.own.count; i++)
        CHECK(cold.own.at[i] >= cold.sweep + cold.sweep_bytes); /* none is swept over */
    const ob_cold_lines none = {.count = 0};
    CHECK_INT(ob__cold_look_at(&cold, &none, count_flushes, &flushes, &look, &err), OB_OK);
    CHECK(isnan(look.load_ns) && !look.reached);
    CHECK_INT(flushes, 0);
    CHECK_INT(ob__cold_look_at(&cold, &cold.own, count_flushes, &flushes, &look, &err), OB_OK);
    CHECK_INT(flushes, 5);
    CHECK_REAL(look.memory_ns, cold.memory_ns);
    CHECK_INT(ob__cold_look_at(&cold, &cold.own, count_flushes, &flushes, &look, &err),
              OB_ERR_BACKEND);
    CHECK_STR(err.message, "no more");
    ob_value value = tensor_of(100);
    const ob_value *const lists[] = {&value};
    const char *how = NULL;
    ob__cold_flush(&cold, lists, (size_t[]){1}, 1, &how);
    CHECK_STR(how, "the tensors' lines flushed, then a sweep over twice the size of all caches");
    ob_value_fini(&value);
    ob__cold_close(&cold);
    CHECK(cold.sweep == NULL);
}

int main(void)
{
    RUN(lines_of_tensors);
    RUN(where_a_load_came_from);
    RUN(a_look);
    return ob_test_end();
}
