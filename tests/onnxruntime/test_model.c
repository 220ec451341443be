/* SPDX-License-Identifier: Apache-2.0
 *
 * The writer of ONNX models: bytes as protocol buffers have them, and models that can be read back.
 */
#include "onnxruntime_model.h"

#include "check.h"

#include <string.h>

static void check_bytes(const ort_bytes *got, const void *want, size_t size)
{
    CHECK(!got->failed);
    CHECK(got->size == size);
    CHECK(got->size == size && memcmp(got->data, want, size) == 0);
}

static void test_fields(void)
{
    ort_bytes bytes = {.data = NULL};
    ort_put_int(&bytes, 1, 150); /* the example of the encoding's own description */
    check_bytes(&bytes, "\x08\x96\x01", 3);
    bytes.size = 0;
    ort_put_int(&bytes, 1, -1); /* ten bytes */
    check_bytes(&bytes, "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11);
    bytes.size = 0;
    ort_put_string(&bytes, 2, "testing");
    check_bytes(&bytes, "\x12\x07testing", 9);
    bytes.size = 0;
    ort_put_float(&bytes, 20, 1.5f); /* a tag of two bytes */
    check_bytes(&bytes, "\xa5\x01\x00\x00\xc0\x3f", 6);
    bytes.size = 0;
    ort_bytes inner = {.data = NULL};
    ort_put_int(&inner, 1, 0);
    ort_put_message(&bytes, 3, &inner);
    check_bytes(&bytes, "\x1a\x02\x08\x00", 4);
    CHECK(inner.size == 0);
    ort_put_message(&bytes, 3, &inner); /* an empty one */
    check_bytes(&bytes, "\x1a\x02\x08\x00\x1a\x00", 6);
    ort_bytes_fini(&inner);
    ort_bytes_fini(&bytes);
}

/* ---- reading back ---- */

typedef struct field {
    uint64_t number, wire, value; /* value: of varints; else the length */
    const uint8_t *data;
} field;

static uint64_t read_varint(const uint8_t **at, const uint8_t *end)
{
    uint64_t value = 0;
    for (int shift = 0; *at < end && shift < 64; shift += 7) {
        const uint8_t byte = *(*at)++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
    CHECK(false);
    return 0;
}

static bool next(const uint8_t **at, const uint8_t *end, field *f)
{
    if (*at >= end)
        return false;
    const uint64_t tag = read_varint(at, end);
    *f = (field){.number = tag >> 3, .wire = tag & 7};
    if (f->wire == 0) {
        f->value = read_varint(at, end);
        return true;
    }
    f->value = f->wire == 5 ? 4 : read_varint(at, end);
    CHECK(f->wire == 2 || f->wire == 5);
    CHECK(f->value <= (uint64_t)(end - *at));
    f->data = *at;
    *at += f->value;
    return true;
}

/* The n-th field of a number; wire 99 when there is none. */
static field nth(const uint8_t *data, uint64_t size, uint64_t number, int n)
{
    const uint8_t *at = data;
    field f;
    while (next(&at, data + size, &f))
        if (f.number == number && n-- == 0)
            return f;
    return (field){.wire = 99};
}

static field within(field outer, uint64_t number, int n)
{
    return outer.wire == 2 ? nth(outer.data, outer.value, number, n) : (field){.wire = 99};
}

static bool is_text(field f, const char *text)
{
    return f.wire == 2 && f.value == strlen(text) && memcmp(f.data, text, strlen(text)) == 0;
}

static void test_model(void)
{
    ort_model model = {.values = NULL};
    ort_bytes bytes;
    const int64_t sizes[] = {2, 3}, axes[] = {1, 0};
    const float one = 1;
    const ort_id x = ort_model_input(&model, OB_DTYPE_F32, sizes, 2);
    const ort_id w = ort_model_parameter(&model, OB_DTYPE_F16, sizes, 2);
    const ort_id c = ort_model_constant(&model, OB_DTYPE_F32, NULL, 0, &one, sizeof one);
    const ort_id y = ort_model_node(&model, "Gemm", ORT_IN(x, ORT_NONE, c), 1, OB_DTYPE_F32,
                                    ORT_ATTRS(ORT_I("transB", 1), ORT_F("alpha", 0.5),
                                              ORT_S("mode", "edge"), ORT_IS("perm", axes, 2)));
    CHECK(ort_model_output(&model, y, sizes, 2) == y);
    const ort_id twice = ort_model_output(&model, y, sizes, 2); /* a copy: names are given once */
    CHECK(twice != y);
    const ort_id copy = ort_model_output(&model, w, sizes, 2);
    CHECK(copy != w && model.values[copy].dtype == OB_DTYPE_F16);
    CHECK(model.values[x].readers == 1 && model.values[w].readers == 1);
    CHECK(ort_model_finish(&model, &bytes));

    CHECK(nth(bytes.data, bytes.size, 1, 0).value == 8); /* the format's version */
    CHECK(within(nth(bytes.data, bytes.size, 8, 0), 2, 0).value == ORT_OPSET);
    const field graph = nth(bytes.data, bytes.size, 7, 0);
    const field gemm = within(graph, 1, 0);
    CHECK(is_text(within(gemm, 4, 0), "Gemm"));
    CHECK(is_text(within(gemm, 1, 0), "v0") && is_text(within(gemm, 1, 1), "") &&
          is_text(within(gemm, 1, 2), "v2"));
    CHECK(is_text(within(gemm, 2, 0), "v3"));
    CHECK(within(within(gemm, 5, 0), 3, 0).value == 1);
    CHECK(memcmp(within(within(gemm, 5, 1), 2, 0).data, "\0\0\0\x3f", 4) == 0);
    CHECK(is_text(within(within(gemm, 5, 2), 4, 0), "edge"));
    CHECK(within(within(gemm, 5, 3), 8, 0).value == 1 &&
          within(within(gemm, 5, 3), 20, 0).value == 7);
    CHECK(is_text(within(within(graph, 1, 1), 4, 0), "Identity"));
    const field parameter = within(graph, 5, 0), constant = within(graph, 5, 1);
    CHECK(within(parameter, 2, 0).value == 10 && within(parameter, 14, 0).value == 1);
    CHECK(within(parameter, 1, 1).value == 3 && within(parameter, 9, 0).wire == 99);
    CHECK(within(constant, 9, 0).value == sizeof one && within(constant, 1, 0).wire == 99);
    const field input = within(graph, 11, 0);
    const field type = within(within(input, 2, 0), 1, 0);
    CHECK(is_text(within(input, 1, 0), "v0") && within(type, 1, 0).value == 1);
    CHECK(within(within(within(type, 2, 0), 1, 1), 1, 0).value == 3);
    CHECK(within(graph, 11, 1).wire == 99); /* parameters are no inputs */
    CHECK(within(graph, 12, 2).wire == 2 && within(graph, 12, 3).wire == 99);
    ort_bytes_fini(&bytes);
    ort_model_fini(&model);
}

static void test_dtypes(void)
{
    for (int d = 0; d < OB_DTYPE_COUNT; d++)
        CHECK(ort_dtype_number((ob_dtype)d) == 0 ||
              ort_dtype_from_number(ort_dtype_number((ob_dtype)d)) == (ob_dtype)d);
    CHECK(ort_dtype_number(OB_DTYPE_C64) == 0);
    CHECK(ort_dtype_from_number(0) == OB_DTYPE_INVALID);
    CHECK(ort_dtype_from_number(8) == OB_DTYPE_INVALID); /* strings */
}

int main(void)
{
    test_fields();
    test_model();
    test_dtypes();
    return ob_test_end();
}
