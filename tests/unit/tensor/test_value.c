/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"
#include "opbench/value.h"

static void kinds(void)
{
    CHECK_STR(ob_value_kind_name(OB_VALUE_NONE), "none");
    CHECK_STR(ob_value_kind_name(OB_VALUE_MEMORY_FORMAT), "memory_format");
    CHECK_STR(ob_value_kind_name(OB_VALUE_TUPLE), "tuple");
    CHECK_STR(ob_value_kind_name(OB_VALUE_KIND_COUNT), "unknown");
}

static void strings(void)
{
    ob_value v, copy;
    CHECK_INT(ob_value_init_str(&v, "a\0b", 3, NULL), OB_OK);
    CHECK_INT(v.as.str.length, 3);
    CHECK_INT(v.as.str.text[3], '\0');
    CHECK_INT(ob_value_copy(&copy, &v, NULL), OB_OK);
    CHECK(copy.as.str.text != v.as.str.text);
    CHECK(ob_value_equal(&v, &copy));
    copy.as.str.text[2] = 'c';
    CHECK(!ob_value_equal(&v, &copy));
    ob_value_fini(&v);
    CHECK_INT(v.kind, OB_VALUE_NONE);
    ob_value_fini(&v);
    ob_value_fini(&copy);
    ob_value_fini(NULL);
    CHECK_INT(ob_value_init_str(&v, NULL, 0, NULL), OB_OK);
    CHECK_STR(v.as.str.text, "");
    ob_value_fini(&v);
}

static void tensors(void)
{
    ob_tensor t;
    ob_value v, copy;
    const int64_t sizes[] = {2, 3};
    CHECK_INT(ob_tensor_init(&t, OB_DTYPE_F32, sizes, 2, NULL, NULL), OB_OK);
    CHECK_INT(ob_value_init_tensor(&v, &t, NULL), OB_OK);
    CHECK_INT(ob_value_copy(&copy, &v, NULL), OB_OK);
    CHECK_INT(ob_storage_use_count(t.storage), 3);
    CHECK(ob_value_equal(&v, &copy));
    copy.as.tensor->strides[0] = 4;
    CHECK(!ob_value_equal(&v, &copy));
    copy.as.tensor->strides[0] = 3;
    copy.as.tensor->requires_grad = true;
    CHECK(!ob_value_equal(&v, &copy));
    ob_value_fini(&v);
    ob_value_fini(&copy);
    CHECK_INT(ob_storage_use_count(t.storage), 1);
    ob_tensor_fini(&t);
}

static void sparse_tensors(void)
{
    ob_tensor indices, values, t;
    ob_value a, b;
    CHECK_INT(ob_tensor_init_meta(&indices, OB_DTYPE_I64, (int64_t[]){1, 3}, 2, NULL, NULL), OB_OK);
    CHECK_INT(ob_tensor_init_meta(&values, OB_DTYPE_F32, (int64_t[]){3}, 1, NULL, NULL), OB_OK);
    CHECK_INT(ob_tensor_init_sparse(&t, (int64_t[]){9}, 1, &indices, &values, NULL), OB_OK);
    CHECK_INT(ob_value_init_tensor(&a, &t, NULL), OB_OK);
    CHECK_INT(ob_value_copy(&b, &a, NULL), OB_OK);
    CHECK(ob_value_equal(&a, &b));
    b.as.tensor->values->requires_grad = true;
    CHECK(!ob_value_equal(&a, &b));
    ob_value_fini(&a);
    ob_value_fini(&b);
    ob_tensor_fini(&t);
}

static void lists(void)
{
    ob_value list, copy;
    ob_err err;
    CHECK_INT(ob_value_init_list(&list, OB_VALUE_LIST, 3, NULL), OB_OK);
    CHECK_INT(list.as.list.items[2].kind, OB_VALUE_NONE);
    list.as.list.items[0] = ob_value_int(7);
    CHECK_INT(ob_value_init_list(&list.as.list.items[1], OB_VALUE_TUPLE, 2, NULL), OB_OK);
    CHECK_INT(ob_value_init_str(&list.as.list.items[1].as.list.items[0], "x", 1, NULL), OB_OK);
    CHECK_INT(ob_value_init_list(&list.as.list.items[1].as.list.items[1], OB_VALUE_LIST, 0, NULL),
              OB_OK);
    CHECK_INT(ob_value_init_str(&list.as.list.items[2], "y", 1, NULL), OB_OK);
    CHECK_INT(ob_value_copy(&copy, &list, NULL), OB_OK);
    CHECK(ob_value_equal(&copy, &list));
    copy.as.list.items[1].kind = OB_VALUE_LIST;
    CHECK(!ob_value_equal(&copy, &list));
    ob_value_fini(&copy);
    ob_value_fini(&list);
    CHECK_INT(list.kind, OB_VALUE_NONE);
    CHECK_INT(ob_value_init_list(&list, OB_VALUE_INT, 1, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, "values of kind int have no items");
    CHECK_INT(ob_value_init_list(&list, OB_VALUE_LIST, SIZE_MAX / 8, &err), OB_ERR_NOMEM);
    CHECK_INT(list.kind, OB_VALUE_NONE);
}

/* [[[...["end"]...]]] */
static void nest(ob_value *out, int depth)
{
    for (int i = 0; i < depth; i++) {
        CHECK_INT(ob_value_init_list(out, OB_VALUE_LIST, 2, NULL), OB_OK);
        out->as.list.items[1] = ob_value_int(i);
        out = &out->as.list.items[0];
    }
    CHECK_INT(ob_value_init_str(out, "end", 3, NULL), OB_OK);
}

static void depth(void)
{
    ob_value deep, copy;
    ob_err err;
    nest(&deep, OB_VALUE_MAX_DEPTH);
    CHECK_INT(ob_value_copy(&copy, &deep, NULL), OB_OK);
    CHECK(ob_value_equal(&copy, &deep));
    ob_value_fini(&copy);
    ob_value_fini(&deep);
    nest(&deep, OB_VALUE_MAX_DEPTH + 1);
    CHECK_INT(ob_value_copy(&copy, &deep, &err), OB_ERR_LIMIT);
    CHECK_HAS(err.message, "nested deeper than 512 levels");
    CHECK_INT(copy.kind, OB_VALUE_NONE);
    CHECK(!ob_value_equal(&deep, &deep));
    ob_value_fini(&deep);
    nest(&deep, 300000); /* recursion would overflow the stack */
    ob_value_fini(&deep);
    CHECK_INT(deep.kind, OB_VALUE_NONE);
}

static void equality(void)
{
    const ob_value nan = ob_value_double(NAN), zero = ob_value_double(0.0);
    const ob_value minus_zero = ob_value_double(-0.0), one = ob_value_int(1);
    const ob_value yes = ob_value_bool(true), no = ob_value_bool(false), none = ob_value_none();
    const ob_value one_real = ob_value_double(1);
    CHECK(ob_value_equal(&nan, &nan));
    CHECK(!ob_value_equal(&zero, &minus_zero));
    CHECK(ob_value_equal(&one, &one));
    CHECK(!ob_value_equal(&one, &one_real));
    CHECK(!ob_value_equal(&one, &yes));
    CHECK(!ob_value_equal(&yes, &no));
    CHECK(ob_value_equal(&none, &none));

    ob_value a, b;
#define DIFFER(value_kind, field, first, second)                                                   \
    a = (ob_value){.kind = OB_VALUE_##value_kind, .as.field = first};                              \
    b = a;                                                                                         \
    CHECK(ob_value_equal(&a, &b));                                                                 \
    b.as.field = second;                                                                           \
    CHECK(!ob_value_equal(&a, &b));
    DIFFER(DTYPE, dtype, OB_DTYPE_F32, OB_DTYPE_F64)
    DIFFER(LAYOUT, layout, OB_LAYOUT_STRIDED, OB_LAYOUT_SPARSE_COO)
    DIFFER(MEMORY_FORMAT, memory_format, OB_MEMORY_FORMAT_CONTIGUOUS, OB_MEMORY_FORMAT_PRESERVE)
    DIFFER(GENERATOR, seed, 1, 2)
    DIFFER(COMPLEX, complex.imag, 1.0, 2.0)
    DIFFER(COMPLEX, complex.real, 1.0, 2.0)
    DIFFER(DEVICE, device.index, -1, 0)
    a = (ob_value){.kind = OB_VALUE_DEVICE, .as.device = {.type = "cpu", .index = -1}};
    b = (ob_value){.kind = OB_VALUE_DEVICE, .as.device = {.type = "cuda", .index = -1}};
    CHECK(!ob_value_equal(&a, &b));
}

int main(void)
{
    RUN(kinds);
    RUN(strings);
    RUN(tensors);
    RUN(sparse_tensors);
    RUN(lists);
    RUN(depth);
    RUN(equality);
    return ob_test_end();
}
