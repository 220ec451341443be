/* SPDX-License-Identifier: Apache-2.0
 *
 * Tensors that are not row-major: memory formats, and sparse ones, whose places are all different.
 */
#include "check.h"
#include "gen/sparse.h"
#include "gen/tensor_arg.h"

#include <string.h>

static ob_err err;

/* The caller frees the value. */
static ob_status make(const char *attributes, uint64_t seed, ob_value *out)
{
    char text[512];
    ob_json_doc *doc = NULL;
    ob_rng rng;
    ob_arg_path place = {.err = &err};
    ob_err_clear(&err);
    ob_rng_init(&rng, seed, 0);
    snprintf(text, sizeof text, "{\"type\": \"tensor\", \"dtype\": \"float\", %s}", attributes);
    CHECK_INT(ob_json_parse("test", text, strlen(text), NULL, &doc, &err), OB_OK);
    const ob_status status = ob__make_tensor(ob_json_doc_root(doc), &rng, out, &place);
    ob_text_fini(&place.path);
    ob_json_doc_destroy(doc);
    return status;
}

static void check_strides(const char *attributes, const int64_t *want, int count)
{
    ob_value value;
    CHECK_INT(make(attributes, 1, &value), OB_OK);
    CHECK_INT(value.as.tensor->ndim, count);
    for (int i = 0; i < count; i++)
        CHECK_INT(value.as.tensor->strides[i], want[i]);
    ob_value_fini(&value);
}

static void memory_formats(void)
{
    check_strides("\"shape\": [2, 8, 3, 4], \"memory_format\": \"channels_last\"",
                  (const int64_t[]){96, 1, 32, 8}, 4);
    check_strides("\"shape\": [2, 8, 3, 4, 5], \"memory_format\": \"channels_last_3d\"",
                  (const int64_t[]){480, 1, 160, 40, 8}, 5);
    check_strides("\"shape\": [2, 0, 3, 4], \"memory_format\": \"channels_last\"",
                  (const int64_t[]){12, 1, 4, 1}, 4);
    check_strides("\"shape\": [2, 3], \"memory_format\": \"contiguous_format\"",
                  (const int64_t[]){3, 1}, 2);
}

/* Columns rise strictly, so they are different; each index is below its size. */
static void check_places(const ob_tensor *t, int64_t taken)
{
    const int64_t *data = ob_tensor_data(t->indices);
    const int64_t entries = t->indices->sizes[1], dims = t->indices->sizes[0];
    for (int64_t i = 0; i < entries; i++) {
        int64_t before = -1, now = 0;
        for (int64_t d = 0; d < dims; d++) {
            CHECK(data[d * entries + i] >= 0 && data[d * entries + i] < t->sizes[d]);
            now = now * t->sizes[d] + data[d * entries + i];
            if (i % taken > 0)
                before = (d == 0 ? 0 : before) * t->sizes[d] + data[d * entries + i - 1];
        }
        CHECK(now > before);
    }
}

static void sparse(void)
{
    ob_value value;
    for (uint64_t seed = 0; seed < 20; seed++) {
        CHECK_INT(make("\"shape\": [5, 7, 3], \"layout\": \"sparse_coo\", \"density\": 0.3, "
                       "\"sparse_dim\": 2",
                       seed, &value),
                  OB_OK);
        const ob_tensor *t = value.as.tensor;
        CHECK_INT(t->layout, OB_LAYOUT_SPARSE_COO);
        CHECK(!t->requires_grad); /* unless it is asked for */
        CHECK_INT(t->indices->sizes[0], 2);
        CHECK_INT(t->indices->sizes[1], 11); /* 35 * 0.3, upwards */
        CHECK_INT(t->values->ndim, 2);
        CHECK_INT(t->values->sizes[0], 11);
        CHECK_INT(t->values->sizes[1], 3);
        check_places(t, 11);
        ob_value_fini(&value);
    }
    CHECK_INT(
        make("\"shape\": [4, 4], \"layout\": \"sparse_coo\", \"nnz\": 16, \"coalesced\": false, "
             "\"value\": 2.5, \"requires_grad\": true",
             3, &value),
        OB_OK);
    CHECK_INT(value.as.tensor->indices->sizes[1], 32);
    CHECK(value.as.tensor->requires_grad);
    CHECK_REAL(((const float *)ob_tensor_data(value.as.tensor->values))[31], 2.5);
    check_places(value.as.tensor, 16);
    ob_value_fini(&value);
    CHECK_INT(make("\"shape\": [0, 4], \"layout\": \"sparse_coo\", \"density\": 1", 3, &value),
              OB_OK);
    CHECK_INT(value.as.tensor->indices->sizes[1], 0);
    ob_value_fini(&value);
}

/* Their parts are those of a COO tensor, or those of a strided one; the layout tells what a backend makes of them. */
static void others(void)
{
    ob_value value, copy;
    CHECK_INT(make("\"shape\": [4, 6], \"layout\": \"sparse_csr\", \"nnz\": 5", 3, &value), OB_OK);
    CHECK_INT(value.as.tensor->layout, OB_LAYOUT_SPARSE_CSR);
    CHECK_INT(value.as.tensor->indices->sizes[1], 5);
    check_places(value.as.tensor, 5);
    CHECK_INT(ob_value_copy(&copy, &value, NULL), OB_OK);
    CHECK(ob_value_equal(&copy, &value));
    ob_value_fini(&copy);
    ob_value_fini(&value);
    CHECK_INT(make("\"shape\": [4, 6], \"layout\": \"mkldnn\", \"value\": 2.5", 3, &value), OB_OK);
    CHECK_INT(value.as.tensor->layout, OB_LAYOUT_MKLDNN);
    CHECK(!value.as.tensor->requires_grad);
    CHECK_REAL(((const float *)ob_tensor_data(value.as.tensor))[23], 2.5);
    CHECK_INT(ob_value_copy(&copy, &value, NULL), OB_OK);
    CHECK(ob_value_equal(&copy, &value));
    ob_value_fini(&copy);
    ob_value_fini(&value);
}

static void refused(void)
{
    ob_value value;
    CHECK_INT(make("\"shape\": [2, 3, 4], \"layout\": \"sparse_csr\", \"nnz\": 1", 1, &value),
              OB_ERR_CONFIG);
    CHECK_HAS(err.message, "a compressed sparse tensor has a shape of 2 dimensions, not 3");
    CHECK_INT(
        make("\"shape\": [2, 3], \"layout\": \"sparse_csc\", \"nnz\": 1, \"coalesced\": false", 1,
             &value),
        OB_ERR_CONFIG);
    CHECK_HAS(err.message, "are only for the layout \"sparse_coo\"");
    CHECK_INT(make("\"shape\": [2, 3], \"layout\": \"mkldnn\", \"nnz\": 1", 1, &value),
              OB_ERR_CONFIG);
    CHECK_HAS(err.message, "\"nnz\" is only for sparse tensors");
    CHECK_INT(make("\"shape\": [2, 3], \"layout\": \"sparse_coo\", \"nnz\": 7", 1, &value),
              OB_ERR_CONFIG);
    CHECK_HAS(err.message, "7 entries do not fit: the leading 2 dimensions have 6 places");
    /* Of each place its two indices and the value. */
    CHECK_INT(make("\"shape\": [10000000, 1000000], \"layout\": \"sparse_coo\", "
                   "\"nnz\": 1000000000000",
                   1, &value),
              OB_ERR_NOMEM);
    CHECK_HAS(err.message, "the tensor takes 24000000000000 bytes, more than this machine's");
    CHECK_INT(make("\"shape\": [2, 3], \"memory_format\": \"channels_last\"", 1, &value),
              OB_ERR_CONFIG);
    CHECK_HAS(err.message, "needs a shape of 4 dimensions");
    CHECK_INT(
        make("\"shape\": [1099511627776], \"layout\": \"sparse_coo\", \"density\": 0.9", 1, &value),
        OB_ERR_NOMEM);
}

int main(void)
{
    RUN(memory_formats);
    RUN(sparse);
    RUN(others);
    RUN(refused);
    return ob_test_end();
}
