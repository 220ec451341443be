/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"
#include "opbench/dtype.h"

static ob_dtype from(const char *name)
{
    return ob_dtype_from_name(name, strlen(name));
}

static void names(void)
{
    static const struct {
        ob_dtype dtype;
        const char *names[8];
    } CASES[] = {
        {OB_DTYPE_BOOL, {"bool", "torch.bool", "Bool"}},
        {OB_DTYPE_U8, {"u8", "uint8", "torch.uint8", "byte", "Byte", "unsigned char"}},
        {OB_DTYPE_I8, {"i8", "int8", "torch.int8", "char", "Char", "signed char"}},
        {OB_DTYPE_I16, {"i16", "int16", "torch.int16", "short", "Short", "short int"}},
        {OB_DTYPE_I32, {"i32", "int", "int32", "torch.int32", "torch.int", "Int"}},
        {OB_DTYPE_I64, {"i64", "long", "int64", "torch.int64", "torch.long", "Long", "long int"}},
        {OB_DTYPE_F16, {"f16", "half", "float16", "torch.half", "Half", "c10::Half", "c10::half"}},
        {OB_DTYPE_BF16, {"bf16", "bfloat16", "torch.bfloat16", "BFloat16", "c10::BFloat16"}},
        {OB_DTYPE_F32, {"f32", "float", "float32", "torch.float32", "torch.float", "Float"}},
        {OB_DTYPE_F64, {"f64", "double", "float64", "torch.float64", "torch.double", "Double"}},
        {OB_DTYPE_C64,
         {"c64", "complex64", "torch.complex64", "cfloat", "ComplexFloat", "c10::complex<float>"}},
        {OB_DTYPE_C128,
         {"c128", "complex128", "torch.cdouble", "ComplexDouble", "c10::complex<double>"}},
    };
    CHECK_INT(sizeof CASES / sizeof CASES[0], OB_DTYPE_COUNT);
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        for (size_t j = 0; j < 8 && CASES[i].names[j]; j++) {
            if (from(CASES[i].names[j]) != CASES[i].dtype)
                OB_TEST_FAIL("%s gives %d", CASES[i].names[j], (int)from(CASES[i].names[j]));
            CHECK_INT(from(CASES[i].names[j]), CASES[i].dtype);
        }
    }
}

static void unknown_names(void)
{
    static const char *const BAD[] = {"",
                                      "torch.",
                                      "f8",
                                      "floa",
                                      "floats",
                                      "int|",
                                      "|",
                                      "torch.torch.float",
                                      "long int ",
                                      " int",
                                      "complex",
                                      "c10::",
                                      "byte|unsigned char"};
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
        if (from(BAD[i]) != OB_DTYPE_INVALID)
            OB_TEST_FAIL("'%s' is taken for %d", BAD[i], (int)from(BAD[i]));
        CHECK_INT(from(BAD[i]), OB_DTYPE_INVALID);
    }
    CHECK_INT(ob_dtype_from_name("float32xyz", 7),
              OB_DTYPE_F32); /* the length counts, not the NUL */
    CHECK_INT(ob_dtype_from_name(NULL, 0), OB_DTYPE_INVALID);
}

static void rows(void)
{
    CHECK(ob_dtype_get_info(OB_DTYPE_INVALID) == NULL);
    CHECK(ob_dtype_get_info(OB_DTYPE_COUNT) == NULL);
    CHECK_INT(ob_dtype_size(OB_DTYPE_COUNT), 0);
    CHECK(!ob_dtype_is_floating(OB_DTYPE_INVALID));
    CHECK(!ob_dtype_is_integral(OB_DTYPE_INVALID));
    static const size_t SIZES[] = {1, 1, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16};
    static const int NUMBERS[] = {11, 0, 1, 2, 3, 4, 5, 15, 6, 7, 9, 10};
    for (int i = 0; i < OB_DTYPE_COUNT; i++) {
        const ob_dtype_info *info = ob_dtype_get_info((ob_dtype)i);
        CHECK_INT(info->dtype, i);
        CHECK_INT(info->size_bytes, SIZES[i]);
        CHECK_INT(info->torch_number, NUMBERS[i]);
        CHECK_INT(ob_dtype_from_torch_number(NUMBERS[i]), i);
        CHECK_INT(from(info->name), i);
        CHECK_INT(from(info->torch_name), i);
        CHECK_INT(from(info->param_name), i);
        CHECK(ob_dtype_is_floating((ob_dtype)i) == (i >= OB_DTYPE_F16));
        CHECK(ob_dtype_is_integral((ob_dtype)i) == (i < OB_DTYPE_F16));
    }
    CHECK_INT(ob_dtype_from_torch_number(8), OB_DTYPE_INVALID); /* complex32 */
    CHECK_INT(ob_dtype_from_torch_number(-1), OB_DTYPE_INVALID);
}

/* torch.promote_types, row by row in the order of the enum. */
static void promotion(void)
{
#define D(id) OB_DTYPE_##id
    static const ob_dtype TABLE[OB_DTYPE_COUNT][OB_DTYPE_COUNT] = {
        [D(BOOL)] = {D(BOOL), D(U8), D(I8), D(I16), D(I32), D(I64), D(F16), D(BF16), D(F32), D(F64),
                     D(C64), D(C128)},
        [D(U8)] = {D(U8), D(U8), D(I16), D(I16), D(I32), D(I64), D(F16), D(BF16), D(F32), D(F64),
                   D(C64), D(C128)},
        [D(I8)] = {D(I8), D(I16), D(I8), D(I16), D(I32), D(I64), D(F16), D(BF16), D(F32), D(F64),
                   D(C64), D(C128)},
        [D(I16)] = {D(I16), D(I16), D(I16), D(I16), D(I32), D(I64), D(F16), D(BF16), D(F32), D(F64),
                    D(C64), D(C128)},
        [D(I32)] = {D(I32), D(I32), D(I32), D(I32), D(I32), D(I64), D(F16), D(BF16), D(F32), D(F64),
                    D(C64), D(C128)},
        [D(I64)] = {D(I64), D(I64), D(I64), D(I64), D(I64), D(I64), D(F16), D(BF16), D(F32), D(F64),
                    D(C64), D(C128)},
        [D(F16)] = {D(F16), D(F16), D(F16), D(F16), D(F16), D(F16), D(F16), D(F32), D(F32), D(F64),
                    D(C64), D(C128)},
        [D(BF16)] = {D(BF16), D(BF16), D(BF16), D(BF16), D(BF16), D(BF16), D(F32), D(BF16), D(F32),
                     D(F64), D(C64), D(C128)},
        [D(F32)] = {D(F32), D(F32), D(F32), D(F32), D(F32), D(F32), D(F32), D(F32), D(F32), D(F64),
                    D(C64), D(C128)},
        [D(F64)] = {D(F64), D(F64), D(F64), D(F64), D(F64), D(F64), D(F64), D(F64), D(F64), D(F64),
                    D(C128), D(C128)},
        [D(C64)] = {D(C64), D(C64), D(C64), D(C64), D(C64), D(C64), D(C64), D(C64), D(C64), D(C128),
                    D(C64), D(C128)},
        [D(C128)] = {D(C128), D(C128), D(C128), D(C128), D(C128), D(C128), D(C128), D(C128),
                     D(C128), D(C128), D(C128), D(C128)},
    };
#undef D
    for (int a = 0; a < OB_DTYPE_COUNT; a++) {
        for (int b = 0; b < OB_DTYPE_COUNT; b++) {
            const ob_dtype got = ob_dtype_promote((ob_dtype)a, (ob_dtype)b);
            if (got != TABLE[a][b])
                OB_TEST_FAIL("%s + %s", ob_dtype_get_info((ob_dtype)a)->name,
                             ob_dtype_get_info((ob_dtype)b)->name);
            CHECK_INT(got, TABLE[a][b]);
        }
    }
    CHECK_INT(ob_dtype_promote(OB_DTYPE_INVALID, OB_DTYPE_F32), OB_DTYPE_INVALID);
    CHECK_INT(ob_dtype_promote(OB_DTYPE_F32, OB_DTYPE_COUNT), OB_DTYPE_INVALID);
}

int main(void)
{
    RUN(names);
    RUN(unknown_names);
    RUN(rows);
    RUN(promotion);
    return ob_test_end();
}
