/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"
#include "opbench/tensor.h"

#define SIZES(...) ((const int64_t[]){__VA_ARGS__})
#define NDIM(...) ((int)(sizeof SIZES(__VA_ARGS__) / sizeof(int64_t)))
#define SHAPE(...) SIZES(__VA_ARGS__), NDIM(__VA_ARGS__)

static void numel(void)
{
    int64_t n = -1;
    ob_err err;
    CHECK_INT(ob_shape_numel(NULL, 0, &n, NULL), OB_OK);
    CHECK_INT(n, 1);
    CHECK_INT(ob_shape_numel(SHAPE(2, 3, 5), &n, NULL), OB_OK);
    CHECK_INT(n, 30);
    CHECK_INT(ob_shape_numel(SHAPE(2, 0, 5), &n, NULL), OB_OK);
    CHECK_INT(n, 0);
    CHECK_INT(ob_shape_numel(SHAPE(INT64_MAX, 1), &n, NULL), OB_OK);
    CHECK_INT(n, INT64_MAX);
    CHECK_INT(ob_shape_numel(SHAPE(2, -1), &n, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, "size -1 of dimension 1 is negative");
    CHECK_INT(ob_shape_numel(SHAPE((int64_t)1 << 32, (int64_t)1 << 31), &n, &err), OB_ERR_OVERFLOW);
    CHECK_HAS(err.message, "does not fit 64 bits");
    /* Zero elements, but the strides would overflow. */
    CHECK_INT(ob_shape_numel(SHAPE(0, INT64_MAX, 2), &n, &err), OB_ERR_OVERFLOW);
    CHECK_INT(ob_shape_numel(SHAPE(INT64_MAX, 2, -1), &n, &err), OB_ERR_INVALID);
    int64_t many[OB_MAX_DIMS + 1];
    for (int i = 0; i <= OB_MAX_DIMS; i++)
        many[i] = 1;
    CHECK_INT(ob_shape_numel(many, OB_MAX_DIMS, &n, NULL), OB_OK);
    CHECK_INT(ob_shape_numel(many, OB_MAX_DIMS + 1, &n, &err), OB_ERR_LIMIT);
    CHECK_HAS(err.message, "the shape has 17 dimensions, but tensors have at most 16");
    CHECK_INT(ob_shape_numel(many, -1, &n, NULL), OB_ERR_INVALID);
}

static void strides(void)
{
    int64_t s[3];
    ob_shape_contiguous_strides(SHAPE(2, 3, 5), s);
    CHECK_INT(s[0], 15);
    CHECK_INT(s[1], 5);
    CHECK_INT(s[2], 1);
    ob_shape_contiguous_strides(SHAPE(4, 0, 5), s);
    CHECK_INT(s[0], 5);
    CHECK_INT(s[1], 5);
    CHECK_INT(s[2], 1);
}

static void span(void)
{
    int64_t bytes = -1;
    ob_err err;
    CHECK_INT(ob_shape_span_bytes(NULL, NULL, 0, OB_DTYPE_F64, &bytes, NULL), OB_OK);
    CHECK_INT(bytes, 8);
    CHECK_INT(ob_shape_span_bytes(SIZES(2, 3), SIZES(10, 2), 2, OB_DTYPE_F32, &bytes, NULL), OB_OK);
    CHECK_INT(bytes, 4 * (10 + 4 + 1));
    CHECK_INT(ob_shape_span_bytes(SIZES(1000, 3), SIZES(0, 1), 2, OB_DTYPE_I16, &bytes, NULL),
              OB_OK);
    CHECK_INT(bytes, 6);
    CHECK_INT(ob_shape_span_bytes(SIZES(0, 3), SIZES(1000, 1), 2, OB_DTYPE_I16, &bytes, NULL),
              OB_OK);
    CHECK_INT(bytes, 0);
    CHECK_INT(ob_shape_span_bytes(SIZES(2), SIZES(-1), 1, OB_DTYPE_F32, &bytes, &err),
              OB_ERR_INVALID);
    CHECK_HAS(err.message, "stride -1 of dimension 0 is negative");
    CHECK_INT(ob_shape_span_bytes(SIZES(3), SIZES(INT64_MAX), 1, OB_DTYPE_BOOL, &bytes, &err),
              OB_ERR_OVERFLOW);
    CHECK_HAS(err.message, "reaches beyond 64 bits");
    CHECK_INT(ob_shape_span_bytes(SIZES(2), SIZES(INT64_MAX), 1, OB_DTYPE_BOOL, &bytes, NULL),
              OB_ERR_OVERFLOW); /* the one more element */
    CHECK_INT(
        ob_shape_span_bytes(SIZES(INT64_MAX / 8 + 1), SIZES(1), 1, OB_DTYPE_F64, &bytes, &err),
        OB_ERR_OVERFLOW);
    CHECK_HAS(err.message, "8 bytes span more than 64 bits");
    CHECK_INT(ob_shape_span_bytes(SIZES(INT64_MAX / 8), SIZES(1), 1, OB_DTYPE_F64, &bytes, NULL),
              OB_OK);
    CHECK_INT(bytes, INT64_MAX - 7);
    CHECK_INT(ob_shape_span_bytes(SIZES(1), SIZES(1), 1, OB_DTYPE_INVALID, &bytes, &err),
              OB_ERR_INVALID);
    CHECK_HAS(err.message, "-1 is not a dtype");
}

static void broadcast(void)
{
    int64_t out[OB_MAX_DIMS];
    int ndim = -1;
    ob_err err;
    CHECK_INT(ob_shape_broadcast(SHAPE(5, 1, 3), SHAPE(4, 1), out, &ndim, NULL), OB_OK);
    CHECK_INT(ndim, 3);
    CHECK_INT(out[0], 5);
    CHECK_INT(out[1], 4);
    CHECK_INT(out[2], 3);
    CHECK_INT(ob_shape_broadcast(SHAPE(1), SHAPE(0), out, &ndim, NULL), OB_OK);
    CHECK_INT(out[0], 0);
    CHECK_INT(ob_shape_broadcast(NULL, 0, NULL, 0, out, &ndim, NULL), OB_OK);
    CHECK_INT(ndim, 0);
    CHECK_INT(ob_shape_broadcast(SHAPE(2, 3), SHAPE(4, 3), out, &ndim, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, "dimension -2 is 2 in one and 4 in the other");
    CHECK_INT(ob_shape_broadcast(SHAPE(0), SHAPE(2), out, &ndim, NULL), OB_ERR_INVALID);
    CHECK_INT(ob_shape_broadcast(out, OB_MAX_DIMS + 1, NULL, 0, out, &ndim, NULL), OB_ERR_LIMIT);
    int64_t same[2] = {7, 1}; /* in place */
    CHECK_INT(ob_shape_broadcast(same, 2, SHAPE(9), same, &ndim, NULL), OB_OK);
    CHECK_INT(same[0], 7);
    CHECK_INT(same[1], 9);
}

int main(void)
{
    RUN(numel);
    RUN(strides);
    RUN(span);
    RUN(broadcast);
    return ob_test_end();
}
