/* SPDX-License-Identifier: Apache-2.0
 *
 * Binding of arguments to one schema: order, keywords, defaults, conversion, and what is refused.
 */
#include "bind_text.h"

typedef struct bind_case {
    const char *schema;
    const char *call;
    const char *want; /* the bound arguments, or the message */
} bind_case;

static void check_bind(const bind_case *c)
{
    ob_schema *schema = NULL;
    bind_text call;
    ob_value bound[CALL_MAX];
    char got[1024];
    ob_err err = {.code = OB_OK};
    CHECK_INT(ob_schema_parse(c->schema, strlen(c->schema), &schema, &err), OB_OK);
    if (schema == NULL)
        return;
    bind_text_init(&call, c->call);
    const ob_status status = ob_schema_bind(schema, &call.call, bound, &err);
    if (status == OB_OK) {
        bound_print(schema, bound, got, sizeof got);
    } else {
        CHECK_INT(status, OB_ERR_INVALID);
        snprintf(got, sizeof got, "%s", err.message);
        for (size_t i = 0; i < schema->arg_count; i++)
            CHECK_INT(bound[i].kind, OB_VALUE_NONE);
    }
    CHECK_STR(got, c->want);
    for (size_t i = 0; i < schema->arg_count; i++)
        ob_value_fini(&bound[i]);
    bind_text_fini(&call);
    ob_schema_destroy(schema);
}

#define ADD "a::add.T(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"
#define CONV                                                                                       \
    "a::conv(Tensor input, Tensor weight, Tensor? bias=None, int[2] stride=1, int[2] padding=0) "  \
    "-> Tensor"

static void arguments_find_their_places(void)
{
    static const bind_case CASES[] = {
        {ADD, "f(a2, b1)", "a::add.T(a2, b1, 1)"},
        {ADD, "f(a2, b1, alpha=2)", "a::add.T(a2, b1, 2)"},
        {ADD, "f(a2, alpha=2.5, other=b1)", "a::add.T(a2, b1, 2.50000)"},
        {ADD, "f(other=b1, self=a2)", "a::add.T(a2, b1, 1)"},
        {CONV, "f(x4, w4)", "a::conv(x4, w4, None, [1, 1], [0, 0])"},
        {CONV, "f(x4, w4, b1, 2, [3, 4])", "a::conv(x4, w4, b1, [2, 2], [3, 4])"},
        {CONV, "f(x4, w4, padding=(1, 2))", "a::conv(x4, w4, None, [1, 1], [1, 2])"},
        {"a::f() -> ()", "f()", "a::f()"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++)
        check_bind(&CASES[i]);
}

static void wrong_calls_are_explained(void)
{
    static const bind_case CASES[] = {
        {ADD, "f(a2)", "a::add.T: argument 'other' (Tensor) is missing"},
        {ADD, "f()", "a::add.T: argument 'self' (Tensor) is missing"},
        {ADD, "f(a2, b2, 3)",
         "a::add.T takes 2 positional arguments, 3 given; 'alpha' must be given by name"},
        {ADD, "f(a2, 3)", "a::add.T: argument 'other' must be Tensor, not int"},
        {ADD, "f(a2, [b2])", "a::add.T: argument 'other' must be Tensor, not list of Tensor"},
        {ADD, "f(a2, b2, alpha=c0)", "a::add.T: argument 'alpha' must be Scalar, not Tensor"},
        {ADD, "f(a2, b2, alpha='x')", "a::add.T: argument 'alpha' must be Scalar, not str 'x'"},
        {ADD, "f(a2, b2, self=a2)", "a::add.T: argument 'self' is given twice"},
        {ADD, "f(a2, b2, alpha=1, alpha=2)", "a::add.T: argument 'alpha' is given twice"},
        {ADD, "f(a2, b2, beta=1)",
         "a::add.T has no argument 'beta'; its arguments are: self, other, alpha"},
        {ADD, "f(None, b2)", "a::add.T: argument 'self' must be Tensor, not None"},
        {"a::f(int a) -> ()", "f(1, 2)", "a::f takes 1 argument, 2 given"},
        {"a::f(int a) -> ()", "f(True)", "a::f: argument 'a' must be int, not bool"},
        {"a::f(int a) -> ()", "f(1.0)", "a::f: argument 'a' must be int, not float"},
        {"a::f(bool a) -> ()", "f(1)", "a::f: argument 'a' must be bool, not int"},
        {"a::f(float a) -> ()", "f(True)", "a::f: argument 'a' must be float, not bool"},
        {"a::f(int[] a) -> ()", "f(3)", "a::f: argument 'a' must be int[], not int"},
        {"a::f(int[2] a) -> ()", "f([1, 'x'])",
         "a::f: argument 'a' must be int[2], not list of int"},
        {"a::f(Tensor[2] a) -> ()", "f(a1)", "a::f: argument 'a' must be Tensor[2], not Tensor"},
        {"a::f(int[2][2] a) -> ()", "f(1)", "a::f: argument 'a' must be int[2][2], not int"},
        {"a::f(ScalarType a) -> ()", "f('float33')",
         "a::f: argument 'a' must be ScalarType, not str 'float33'"},
        {"a::f(ScalarType a) -> ()", "f(99)", "a::f: argument 'a' must be ScalarType, not int"},
        {"a::f(Generator? a) -> ()", "f(-1)", "a::f: argument 'a' must be Generator?, not int"},
        {"a::f(ScalarType a) -> ()", "f(18)", "a::f: argument 'a' must be ScalarType, not int"},
        {"a::f(Device a) -> ()", "f('not a device')",
         "a::f: argument 'a' must be Device, not str 'not a device'"},
        {"a::f(Storage a) -> ()", "f(1)", "a::f: argument 'a' must be Storage, not int"},
        {"a::f((int, int) a) -> ()", "f([1])",
         "a::f: argument 'a' must be (int, int), not list of int"},
        {"a::f(Dict(str, int) a) -> ()", "f([])",
         "a::f: argument 'a' must be Dict(str, int), not list"},
        {"a::f() -> ()", "f(x=1)", "a::f has no argument 'x'; its arguments are: none"},
        {"a::f(int a, ...) -> ()", "f(1, 2)",
         "a::f takes any number of arguments after the first 1; these have no names to bind them "
         "to"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++)
        check_bind(&CASES[i]);
}

static void values_take_the_type_of_the_schema(void)
{
    static const bind_case CASES[] = {
        {"a::f(float a, float[] b) -> ()", "f(3, [1, 2.5])", "a::f(3.00000, [1.00000, 2.50000])"},
        {"a::f(Scalar a, Scalar b, Scalar c) -> ()", "f(1, 2.5, True)", "a::f(1, 2.50000, True)"},
        {"a::f(Tensor[] a, Tensor?[] b) -> ()", "f([a1, b2], [None, c3])",
         "a::f([a1, b2], [None, c3])"},
        {"a::f(int[]? a, int[2]? b, float? c) -> ()", "f(None, 7, 1)",
         "a::f(None, [7, 7], 1.00000)"},
        {"a::f(int[1] dim) -> ()", "f([0, 1])", "a::f([0, 1])"},
        {"a::f(SymInt a, SymInt[2] b) -> ()", "f(4, 5)", "a::f(4, [5, 5])"},
        {"a::f(bool[3] a) -> ()", "f(True)", "a::f([True, True, True])"},
        {"a::f(ScalarType a, ScalarType b, ScalarType? c) -> ()", "f(6, 'torch.float16', 'long')",
         "a::f(float32, float16, int64)"},
        {"a::f(ScalarType a) -> ()", "f(13)", "a::f(13)"}, /* quint8, which is torch's alone */
        {"a::f(Generator? a, Generator? b) -> ()", "f(None, 7)", "a::f(None, generator7)"},
        {"a::f(Device? a, Device b) -> ()", "f(None, 'cuda:1')", "a::f(None, cuda:1)"},
        {"a::f(Layout a, Layout b) -> ()", "f(0, 'torch.sparse_coo')", "a::f(layout0, layout1)"},
        {"a::f(MemoryFormat a, MemoryFormat? b) -> ()", "f(2, 'contiguous_format')",
         "a::f(format2, format0)"},
        {"a::f((int, float) a) -> ()", "f([1, 2])", "a::f((1, 2.00000))"},
        {"a::f(t[] a, Any b, tVal c) -> ()", "f([1, 'x'], a1, None)", "a::f([1, 'x'], a1, None)"},
        {"a::f(Dimname d) -> ()", "f('N')", "a::f('N')"},
        {"a::f(int[][] a) -> ()", "f([[1], []])", "a::f([[1], []])"},
        {"a::f(str a=\"mean\", int[] b=[0, 1]) -> ()", "f()", "a::f('mean', [0, 1])"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++)
        check_bind(&CASES[i]);
}

static void complex_numbers_are_made_of_real_ones(void)
{
    static const char SCHEMA[] = "a::f(complex a, complex b) -> ()";
    ob_schema *schema = NULL;
    ob_value bound[2];
    const ob_value args[] = {ob_value_int(3), ob_value_double(0.5)};
    const ob_call call = {.args = args, .arg_count = 2};
    CHECK_INT(ob_schema_parse(SCHEMA, strlen(SCHEMA), &schema, NULL), OB_OK);
    CHECK_INT(ob_schema_bind(schema, &call, bound, NULL), OB_OK);
    CHECK_INT(bound[0].kind, OB_VALUE_COMPLEX);
    CHECK_REAL(bound[0].as.complex.real, 3.0);
    CHECK_REAL(bound[0].as.complex.imag, 0.0);
    CHECK_REAL(bound[1].as.complex.real, 0.5);
    ob_schema_destroy(schema);
}

static void no_error_record_is_needed(void)
{
    static const char SCHEMA[] = "a::f(int a) -> ()";
    ob_schema *schema = NULL;
    ob_value bound[1];
    const ob_call call = {.arg_count = 0};
    CHECK_INT(ob_schema_parse(SCHEMA, strlen(SCHEMA), &schema, NULL), OB_OK);
    CHECK_INT(ob_schema_bind(schema, &call, bound, NULL), OB_ERR_INVALID);
    ob_schema_destroy(schema);
}

int main(void)
{
    RUN(arguments_find_their_places);
    RUN(wrong_calls_are_explained);
    RUN(values_take_the_type_of_the_schema);
    RUN(complex_numbers_are_made_of_real_ones);
    RUN(no_error_record_is_needed);
    return ob_test_end();
}
