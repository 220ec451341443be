/* SPDX-License-Identifier: Apache-2.0
 *
 * Values on their way to torch and back: memory is shared and given back, strides and element types arrive
 * as they are, sparse tensors too; operators that are not the core's are called by their schema.
 */
#include "torch_test.h"

static void test_forward_shares_memory(void)
{
    torch_case c;
    ob_err err;
    const ob_value args[] = {vector(1, 2, 3, false), vector(10, 20, 30, false)};
    const ob_op_table *core = ob_context_operators(context);
    CHECK_OK(case_open(&c, core, "torch.add", args, 2, OB_PASS_FORWARD, &err), err);
    const ob_storage *storage = c.inputs[0].as.tensor->storage;
    CHECK_INT(ob_storage_use_count(storage), 2); /* ours, and torch's tensor */
    CHECK_OK(case_run(&c, OB_PHASE_FORWARD, &err), err);
    CHECK_OK(case_outputs(&c, OB_PASS_FORWARD, &err), err);
    CHECK_INT(c.output_count, 1);
    CHECK_REAL(f32_at(&c.outputs[0], 0), 11);
    CHECK_REAL(f32_at(&c.outputs[0], 2), 33);
    /* A change of the input is seen: nothing was copied. */
    ((float *)ob_tensor_data(c.inputs[0].as.tensor))[0] = 5;
    CHECK_OK(case_run(&c, OB_PHASE_FORWARD, &err), err);
    CHECK_OK(case_outputs(&c, OB_PASS_FORWARD, &err), err);
    CHECK_REAL(f32_at(&c.outputs[0], 0), 15);
    desc->release(c.prepared);
    c.prepared = NULL;
    CHECK_INT(ob_storage_use_count(storage), 1);
    CHECK_REAL(f32_at(&c.outputs[0], 1), 22); /* the output outlives the case */
    case_close(&c);
}

static void test_strides(void)
{
    torch_case c;
    ob_err err;
    ob_tensor view;
    ob_value args[1] = {ob_value_none()};
    const ob_value base =
        tensor_f32((const float[]){1, 2, 3, 4, 5, 6}, (const int64_t[]){6}, 1, false);
    /* A 3x2 view, transposed. */
    CHECK_OK(ob_tensor_init_view(&view, base.as.tensor->storage, OB_DTYPE_F32,
                                 (const int64_t[]){3, 2}, 2, (const int64_t[]){1, 3}, 0, &err),
             err);
    ob_value_init_tensor(&args[0], &view, NULL);
    ob_tensor_fini(&view);
    CHECK_OK(case_open(&c, table, "aten::neg", args, 1, OB_PASS_FORWARD, &err), err);
    CHECK_OK(case_run(&c, OB_PHASE_FORWARD, &err), err);
    CHECK_OK(case_outputs(&c, OB_PASS_FORWARD, &err), err);
    const float want[] = {-1, -4, -2, -5, -3, -6};
    for (int i = 0; i < 6; i++)
        CHECK_REAL(f32_at(&c.outputs[0], i), want[i]);
    case_close(&c);
    ob_value drop = base;
    ob_value_fini(&drop);
}

static void test_every_dtype(void)
{
    for (int d = 0; d < OB_DTYPE_COUNT; d++) {
        torch_case c;
        ob_err err;
        ob_tensor tensor;
        ob_value args[1] = {ob_value_none()};
        const ob_dtype_info *info = ob_dtype_get_info((ob_dtype)d);
        ob_tensor_init(&tensor, (ob_dtype)d, (const int64_t[]){4}, 1, NULL, NULL);
        memset(ob_tensor_data(&tensor), 1, 4 * info->size_bytes);
        ob_value_init_tensor(&args[0], &tensor, NULL);
        CHECK_OK(case_open(&c, table, "aten::clone", args, 1, OB_PASS_FORWARD, &err), err);
        CHECK_OK(case_run(&c, OB_PHASE_FORWARD, &err), err);
        CHECK_OK(case_outputs(&c, OB_PASS_FORWARD, &err), err);
        CHECK_INT(c.outputs[0].as.tensor->dtype, d);
        CHECK(memcmp(ob_tensor_data(c.outputs[0].as.tensor), ob_tensor_data(&tensor),
                     4 * info->size_bytes) == 0);
        ob_tensor_fini(&tensor);
        case_close(&c);
    }
}

static void test_sparse(void)
{
    torch_case c;
    ob_err err;
    const ob_value dense =
        tensor_f32((const float[]){0, 2, 0, 0, 0, 6}, (const int64_t[]){2, 3}, 2, false);
    CHECK_OK(case_open(&c, table, "aten::to_sparse", &dense, 1, OB_PASS_FORWARD, &err), err);
    CHECK_OK(case_run(&c, OB_PHASE_FORWARD, &err), err);
    CHECK_OK(case_outputs(&c, OB_PASS_FORWARD, &err), err);
    const ob_tensor *made = c.outputs[0].as.tensor;
    CHECK_INT(made->layout, OB_LAYOUT_SPARSE_COO);
    CHECK_INT(made->values->sizes[0], 2);
    const ob_value values = {.kind = OB_VALUE_TENSOR, .as = {.tensor = made->values}};
    CHECK_REAL(f32_at(&values, 1), 6);
    /* And back. */
    torch_case back;
    ob_value sparse;
    CHECK_OK(ob_value_copy(&sparse, &c.outputs[0], &err), err);
    CHECK_OK(case_open(&back, table, "aten::to_dense", &sparse, 1, OB_PASS_FORWARD, &err), err);
    CHECK_OK(case_run(&back, OB_PHASE_FORWARD, &err), err);
    CHECK_OK(case_outputs(&back, OB_PASS_FORWARD, &err), err);
    CHECK_REAL(f32_at(&back.outputs[0], 5), 6);
    CHECK_REAL(f32_at(&back.outputs[0], 0), 0);
    case_close(&back);
    case_close(&c);
}

static void test_lists_and_several_outputs(void)
{
    torch_case c;
    ob_err err;
    ob_value list;
    ob_value_init_list(&list, OB_VALUE_LIST, 2, NULL);
    list.as.list.items[0] = vector(1, 2, 3, false);
    list.as.list.items[1] = vector(4, 5, 6, false);
    const ob_value cat[] = {list, ob_value_int(0)};
    CHECK_OK(case_open(&c, table, "aten::cat", cat, 2, OB_PASS_FORWARD, &err), err);
    CHECK_OK(case_run(&c, OB_PHASE_FORWARD, &err), err);
    CHECK_OK(case_outputs(&c, OB_PASS_FORWARD, &err), err);
    CHECK_REAL(f32_at(&c.outputs[0], 5), 6);
    case_close(&c);

    const ob_value max[] = {vector(3, 9, 4, false), ob_value_int(0)};
    CHECK_OK(case_open(&c, table, "aten::max", max, 2, OB_PASS_FORWARD, &err), err);
    CHECK_OK(case_run(&c, OB_PHASE_FORWARD, &err), err);
    CHECK_OK(case_outputs(&c, OB_PASS_FORWARD, &err), err);
    CHECK_INT(c.output_count, 2);
    CHECK_REAL(f32_at(&c.outputs[0], 0), 9);
    CHECK_INT(*(const int64_t *)ob_tensor_data(c.outputs[1].as.tensor), 1);
    case_close(&c);

    const ob_value split[] = {vector(1, 2, 3, false), ob_value_int(2)};
    CHECK_OK(case_open(&c, table, "aten::split", split, 2, OB_PASS_FORWARD, &err), err);
    CHECK_OK(case_run(&c, OB_PHASE_FORWARD, &err), err);
    CHECK_OK(case_outputs(&c, OB_PASS_FORWARD, &err), err);
    CHECK_INT(c.outputs[0].kind, OB_VALUE_LIST);
    CHECK_INT(c.outputs[0].as.list.count, 2);
    CHECK_REAL(f32_at(&c.outputs[0].as.list.items[1], 0), 3);
    case_close(&c);
}

static void test_failures(void)
{
    torch_case c;
    ob_err err;
    const int64_t sizes[] = {1, 3};
    const float data[] = {1, 2, 3};
    const ob_value mm[] = {tensor_f32(data, sizes, 2, false), tensor_f32(data, sizes, 2, false)};
    CHECK_OK(case_open(&c, table, "aten::mm", mm, 2, OB_PASS_FORWARD, &err), err);
    CHECK_INT(case_run(&c, OB_PHASE_FORWARD, &err), OB_ERR_BACKEND);
    CHECK(strcmp(err.message, "mat1 and mat2 shapes cannot be multiplied (1x3 and 1x3)") == 0);
    case_close(&c);

    ob_value size;
    ob_value_init_list(&size, OB_VALUE_LIST, 2, NULL);
    size.as.list.items[0] = ob_value_int(INT64_C(1) << 30);
    size.as.list.items[1] = ob_value_int(INT64_C(1) << 27);
    CHECK_OK(case_open(&c, table, "aten::empty", &size, 1, OB_PASS_FORWARD, &err), err);
    CHECK_INT(case_run(&c, OB_PHASE_FORWARD, &err), OB_ERR_NOMEM);
    CHECK(strstr(err.message, "can't allocate memory") != NULL);
    CHECK(strchr(err.message, '\n') == NULL);
    case_close(&c);
}

static void test_effects_are_refused(void)
{
    torch_case c;
    ob_err err;
    ob_value name;
    ob_value_init_str(&name, "/etc/passwd", 11, NULL);
    CHECK_INT(case_open(&c, table, "aten::from_file", &name, 1, OB_PASS_FORWARD, &err),
              OB_ERR_UNSUPPORTED);
    CHECK(strcmp(err.message, "aten::from_file is refused: it maps a file") == 0);
    case_close(&c);
}

static void test_listing(void)
{
    CHECK(row_count > 2000);
    CHECK(ob_op_table_find(table, "aten::add.Tensor") != NULL);
    CHECK(ob_op_table_find(table, "opbench::split_table_embedding_bags") != NULL);
    CHECK_INT(ob_op_table_count(table), row_count); /* our parser reads every schema */
}

int main(void)
{
    torch_open();
    RUN(test_listing);
    RUN(test_forward_shares_memory);
    RUN(test_strides);
    RUN(test_every_dtype);
    RUN(test_sparse);
    RUN(test_lists_and_several_outputs);
    RUN(test_failures);
    RUN(test_effects_are_refused);
    torch_close();
    return ob_test_end();
}
