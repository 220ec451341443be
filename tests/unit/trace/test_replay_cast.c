/* SPDX-License-Identifier: Apache-2.0
 *
 * half and bfloat16 as float32 and back: any strides, lists, sparse tensors, what lies between elements.
 */
#include "check.h"
#include "trace/replay_cast.h"

#define SIZES(...) ((int64_t[]){__VA_ARGS__})

enum { ONE = 0x3f80, TWO = 0x4000, HALF_ONE = 0x3c00 }; /* bfloat16's 1 and 2, half's 1 */

static ob_value make_columns(uint16_t *bits)
{
    ob_storage *storage;
    ob_tensor tensor;
    ob_value value;
    CHECK_INT(ob_storage_create(6 * sizeof *bits, &storage, NULL), OB_OK);
    memcpy(ob_storage_data(storage), bits, 6 * sizeof *bits);
    /* Every second element, from the second on. */
    CHECK_INT(ob_tensor_init_view(&tensor, storage, OB_DTYPE_BF16, SIZES(2), 1, SIZES(2), 1, NULL),
              OB_OK);
    CHECK_INT(ob_value_init_tensor(&value, &tensor, NULL), OB_OK);
    ob_tensor_fini(&tensor);
    ob_storage_release(storage);
    return value;
}

static void test_views(void)
{
    uint16_t bits[6] = {7, ONE, 8, TWO, 9, 10};
    ob_value narrow = make_columns(bits), wide, list, wide_list;
    CHECK_INT(ob__replay_widen(&narrow, &wide, NULL), OB_OK);
    CHECK_INT(wide.as.tensor->dtype, OB_DTYPE_F32);
    CHECK_INT(wide.as.tensor->strides[0], 2);
    float *data = ob_tensor_data(wide.as.tensor);
    CHECK_REAL(data[0], 1);
    CHECK_REAL(data[2], 2);
    data[0] = 2;
    data[2] = 1.00001f; /* nearest is 1 */
    ob__replay_put_back(&wide, &narrow);
    const uint16_t *all = ob_storage_data(narrow.as.tensor->storage);
    const uint16_t expected[6] = {7, TWO, 8, ONE, 9, 10};
    CHECK_INT(memcmp(all, expected, sizeof expected), 0);

    CHECK_INT(ob_value_init_list(&list, OB_VALUE_LIST, 2, NULL), OB_OK);
    list.as.list.items[0] = narrow;
    list.as.list.items[1] = ob_value_int(5);
    CHECK_INT(ob__replay_widen(&list, &wide_list, NULL), OB_OK);
    CHECK_INT(wide_list.as.list.items[1].as.integer, 5);
    float *item = ob_tensor_data(wide_list.as.list.items[0].as.tensor);
    item[0] = 1;
    ob__replay_put_back(&wide_list, &list);
    CHECK_INT(all[1], ONE);
    ob_value_fini(&wide);
    ob_value_fini(&wide_list);
    ob_value_fini(&list);
}

static void test_results(void)
{
    ob_tensor tensor;
    ob_value value;
    CHECK_INT(ob_tensor_init(&tensor, OB_DTYPE_F32, SIZES(1, 2), 2, NULL, NULL), OB_OK);
    float *data = ob_tensor_data(&tensor);
    data[0] = data[1] = 1;
    CHECK_INT(ob_value_init_tensor(&value, &tensor, NULL), OB_OK);
    CHECK_INT(ob__replay_narrow(&value, OB_DTYPE_F16, NULL), OB_OK);
    CHECK_INT(value.as.tensor->dtype, OB_DTYPE_F16);
    CHECK_INT(((uint16_t *)ob_tensor_data(value.as.tensor))[1], HALF_ONE);
    /* What is no float32 stays. */
    CHECK_INT(ob__replay_narrow(&value, OB_DTYPE_BF16, NULL), OB_OK);
    CHECK_INT(value.as.tensor->dtype, OB_DTYPE_F16);
    ob_value_fini(&value);
    ob_tensor_fini(&tensor);
}

static void test_sparse(void)
{
    ob_tensor indices, values, sparse;
    ob_value value, wide;
    CHECK_INT(ob_tensor_init(&indices, OB_DTYPE_I64, SIZES(1, 2), 2, NULL, NULL), OB_OK);
    CHECK_INT(ob_tensor_init(&values, OB_DTYPE_F32, SIZES(2, 1), 2, NULL, NULL), OB_OK);
    memcpy(ob_tensor_data(&indices), SIZES(0, 2), 2 * sizeof(int64_t));
    memcpy(ob_tensor_data(&values), ((float[]){1, 2}), 2 * sizeof(float));
    CHECK_INT(ob_tensor_init_sparse(&sparse, SIZES(3, 1), 2, &indices, &values, NULL), OB_OK);
    CHECK_INT(ob_value_init_tensor(&value, &sparse, NULL), OB_OK);
    CHECK_INT(ob__replay_narrow(&value, OB_DTYPE_BF16, NULL), OB_OK);
    CHECK_INT(value.as.tensor->layout, OB_LAYOUT_SPARSE_COO);
    CHECK_INT(((uint16_t *)ob_tensor_data(value.as.tensor->values))[1], TWO);
    CHECK_INT(ob__replay_widen(&value, &wide, NULL), OB_OK);
    CHECK_INT(wide.as.tensor->dtype, OB_DTYPE_F32);
    CHECK_REAL(((float *)ob_tensor_data(wide.as.tensor->values))[0], 1);
    CHECK_INT(((int64_t *)ob_tensor_data(wide.as.tensor->indices))[1], 2);
    ob_value_fini(&wide);
    ob_value_fini(&value);
    ob_tensor_fini(&sparse);
    ob_tensor_fini(&values);
    ob_tensor_fini(&indices);
}

int main(void)
{
    RUN(test_views);
    RUN(test_results);
    RUN(test_sparse);
    return ob_test_end();
}
