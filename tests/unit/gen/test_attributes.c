/* SPDX-License-Identifier: Apache-2.0
 *
 * Every attribute of a tensor argument with every dtype: defaults, value, value_range, strides,
 * requires_grad, device.
 */
#include "check.h"
#include "gen/tensor_arg.h"
#include "opbench/config.h"
#include "tensor/half.h"

#include <string.h>

static ob_err err;

/* {"type": "tensor", "dtype": <dtype>, <rest>}; none when refused. */
static ob_value make(ob_dtype dtype, const char *rest, ob_status want)
{
    char text[512];
    ob_json_doc *doc = NULL;
    ob_value out = ob_value_none();
    ob_arg_path place = {.err = &err};
    ob_rng rng;
    ob_rng_init(&rng, 1, 0);
    ob_err_clear(&err);
    snprintf(text, sizeof text, "{\"type\": \"tensor\", \"dtype\": \"%s\", %s}",
             ob_dtype_get_info(dtype)->param_name, rest);
    CHECK_INT(ob_json_parse("test", text, strlen(text), NULL, &doc, &err), OB_OK);
    const ob_status status = ob__make_tensor(ob_json_doc_root(doc), &rng, &out, &place);
    CHECK_INT(status, want);
    if (status == OB_OK)
        CHECK_INT(out.as.tensor->dtype, dtype);
    ob_text_fini(&place.path);
    ob_json_doc_destroy(doc);
    return out;
}

/* Element i of the memory; part 1 is the imaginary one. */
static double element(const ob_tensor *t, int64_t i, int part)
{
    const void *data = ob_tensor_data(t);
    switch (t->dtype) {
    case OB_DTYPE_BOOL:
    case OB_DTYPE_U8:
        return ((const uint8_t *)data)[i];
    case OB_DTYPE_I8:
        return ((const int8_t *)data)[i];
    case OB_DTYPE_I16:
        return ((const int16_t *)data)[i];
    case OB_DTYPE_I32:
        return ((const int32_t *)data)[i];
    case OB_DTYPE_I64:
        return (double)((const int64_t *)data)[i];
    case OB_DTYPE_F16:
        return (double)ob__f16_to_float(((const uint16_t *)data)[i]);
    case OB_DTYPE_BF16:
        return (double)ob__bf16_to_float(((const uint16_t *)data)[i]);
    case OB_DTYPE_F32:
        return (double)((const float *)data)[i];
    case OB_DTYPE_F64:
        return ((const double *)data)[i];
    case OB_DTYPE_C64:
        return (double)((const float *)data)[2 * i + part];
    default:
        return ((const double *)data)[2 * i + part];
    }
}

static bool is_complex(ob_dtype dtype)
{
    return ob_dtype_get_info(dtype)->cls == OB_DTYPE_CLASS_COMPLEX;
}

#define EACH_DTYPE(d) for (ob_dtype d = (ob_dtype)0; d < OB_DTYPE_COUNT; d++)

static void defaults(void)
{
    EACH_DTYPE(d)
    {
        ob_value v = make(d, "\"shape\": [100]", OB_OK);
        const bool real = ob_dtype_is_floating(d);
        const double low = real || d == OB_DTYPE_U8 || d == OB_DTYPE_BOOL ? 0 : -10;
        const double high = real ? 1 : d == OB_DTYPE_BOOL ? 2 : 10; /* not included */
        bool differ = false;
        for (int64_t i = 0; i < 100; i++) {
            for (int part = 0; part <= is_complex(d); part++) {
                CHECK(element(v.as.tensor, i, part) >= low);
                CHECK(element(v.as.tensor, i, part) < high);
            }
            differ = differ || element(v.as.tensor, i, 0) != element(v.as.tensor, 0, 0);
        }
        CHECK(differ);
        CHECK_INT(v.as.tensor->requires_grad, real);
        ob_value_fini(&v);
    }
}

static void one_value(void)
{
    EACH_DTYPE(d)
    {
        ob_value v = make(d, "\"shape\": [2, 3], \"value\": 1", OB_OK);
        for (int64_t i = 0; i < 6; i++)
            CHECK_REAL(element(v.as.tensor, i, 0), 1);
        ob_value_fini(&v);
    }
}

static void nested_values(void)
{
    EACH_DTYPE(d)
    {
        ob_value v = make(d, "\"shape\": [2, 2], \"value\": [[0, 1], [1, 0]]", OB_OK);
        static const double want[] = {0, 1, 1, 0};
        for (int64_t i = 0; i < 4; i++)
            CHECK_REAL(element(v.as.tensor, i, 0), want[i]);
        ob_value_fini(&v);
        v = make(d, "\"shape\": [2, 2], \"value\": [[0, 1]]", OB_ERR_CONFIG);
        CHECK_HAS(err.message, "a list of 2 here");
    }
}

static void value_ranges(void)
{
    EACH_DTYPE(d)
    {
        ob_value v = make(d, "\"shape\": [64], \"value_range\": [0, 1]", OB_OK);
        bool zero = false, one = false;
        for (int64_t i = 0; i < 64; i++) {
            const double x = element(v.as.tensor, i, 0);
            zero = zero || x == 0;
            one = one || x == 1;
            CHECK(x >= 0 && x <= 1);
        }
        /* Both ends of whole numbers; the upper end of others is not included. */
        if (ob_dtype_is_floating(d))
            CHECK(!one);
        else
            CHECK(zero && one);
        ob_value_fini(&v);
    }
}

/* Gaps hold values too. */
static void strided(void)
{
    EACH_DTYPE(d)
    {
        ob_value v = make(d, "\"shape\": [2, 3], \"strides\": [1, 4], \"value\": 1", OB_OK);
        CHECK_INT(v.as.tensor->strides[0], 1);
        CHECK_INT(v.as.tensor->strides[1], 4);
        for (int64_t i = 0; i < 10; i++)
            CHECK_REAL(element(v.as.tensor, i, 0), 1);
        ob_value_fini(&v);
        v = make(d, "\"shape\": [2, 3], \"strides\": [1]", OB_ERR_CONFIG);
        CHECK_HAS(err.message, "1 strides for a shape of 2 dimensions");
    }
}

static void gradients(void)
{
    EACH_DTYPE(d)
    {
        ob_value v = make(d, "\"shape\": [2], \"requires_grad\": true", OB_OK);
        CHECK_INT(v.as.tensor->requires_grad, ob_dtype_is_floating(d));
        ob_value_fini(&v);
        v = make(d, "\"shape\": [2], \"requires_grad\": false", OB_OK);
        CHECK(!v.as.tensor->requires_grad);
        ob_value_fini(&v);
        v = make(d, "\"shape\": [2], \"requires_grad\": null, \"value\": null", OB_OK);
        CHECK_INT(v.as.tensor->requires_grad, ob_dtype_is_floating(d));
        ob_value_fini(&v);
    }
}

static void devices_and_no_elements(void)
{
    EACH_DTYPE(d)
    {
        ob_value v = make(d, "\"shape\": [2], \"device\": \"cpu\"", OB_OK);
        CHECK_STR(v.as.tensor->device.type, "cpu");
        ob_value_fini(&v);
        v = make(d, "\"shape\": [2], \"device\": \"cuda:1\"", OB_OK);
        CHECK_STR(v.as.tensor->device.type, "cuda");
        CHECK_INT(v.as.tensor->device.index, 1);
        ob_value_fini(&v);
        v = make(d, "\"shape\": [2], \"device\": 3", OB_ERR_CONFIG);
        CHECK_HAS(err.message, "a tensor's device must be a name");
        v = make(d, "\"shape\": [0, 3]", OB_OK);
        CHECK_INT(ob_tensor_numel(v.as.tensor), 0);
        ob_value_fini(&v);
        v = make(d, "\"shape\": []", OB_OK);
        CHECK_INT(ob_tensor_numel(v.as.tensor), 1);
        ob_value_fini(&v);
    }
}

int main(void)
{
    RUN(defaults);
    RUN(one_value);
    RUN(nested_values);
    RUN(value_ranges);
    RUN(strided);
    RUN(gradients);
    RUN(devices_and_no_elements);
    return ob_test_end();
}
