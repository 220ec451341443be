/* SPDX-License-Identifier: Apache-2.0
 *
 * The schema parser and printer: every schema of libtorch, the newer forms, the values of defaults,
 * and the messages for what is wrong.
 */
#include "check.h"
#include "opbench/schema.h"

#include <stdlib.h>

static ob_schema *parse(const char *text)
{
    ob_schema *schema = NULL;
    ob_err err = {.code = OB_OK};
    if (ob_schema_parse(text, strlen(text), &schema, &err) != OB_OK)
        OB_TEST_FAIL("%s\n  %s", text, err.message);
    return schema;
}

static void check_same(const char *text)
{
    ob_schema *schema = parse(text);
    char *printed = NULL;
    if (schema == NULL)
        return;
    CHECK_INT(ob_schema_print(schema, &printed, NULL), OB_OK);
    CHECK_STR(printed, text);
    CHECK_STR(schema->text, text);
    free(printed);
    ob_schema_destroy(schema);
}

static void every_libtorch_schema_prints_back(void)
{
    char line[4096];
    size_t count = 0;
    FILE *file = fopen(OB_SOURCE_DIR "/tests/golden/libtorch_schemas.txt", "r");
    CHECK(file != NULL);
    if (file == NULL)
        return;
    while (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] == '#')
            continue;
        check_same(line);
        count++;
    }
    fclose(file);
    CHECK_INT(count, 3199);
}

static void newer_forms_print_back(void)
{
    static const char *const TEXTS[] = {
        "aten::f(SymInt[2]? size=None, SymInt n=0, SymFloat x=0., SymBool b=False) -> SymInt",
        "aten::_foreach_add_.Scalar(Tensor(a!)[] self, Scalar scalar) -> ()",
        "aten::split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]",
        "aten::f(Tensor(a|b) self, Tensor(c! -> c|*) x) -> Tensor(a|b)",
        "aten::append.t(t[](a!) self, t(c -> *) el) -> t[](a!)",
        "aten::index.Tensor(Tensor self, Tensor?[] indices) -> Tensor",
        "aten::f(str? a=None, int[2]? b=None, float[]? c=None, Tensor?[]? d=None) -> str?",
        "aten::f(Dict(str, Tensor) a, Dict(int, Dict(str, Tensor[])) b) -> Dict(str, Tensor)",
        "aten::wait(Future(t) self) -> t",
        "aten::f(RRef(t) a, Await(Future(int)[]) b) -> Future((Tensor, int))",
        "aten::f((Tensor, Tensor[]) a, (int, (str, float?))[] b) -> (Tensor, Tensor[])",
        "aten::f(Tensor a) -> (Tensor, int)[]",
        "aten::f(Tensor a) -> ((Tensor, int))",
        "aten::f(Tensor a) -> (Tensor)",
        "aten::f(Tensor a) -> (Tensor out)",
        "aten::f() -> ()",
        "aten::f(...) -> ...",
        "prim::f(Tensor a, ...) -> (Tensor, ...)",
        "aten::f(float a=1e-05, float b=-2.5E+3, float c=inf, float d=-inf, float e=nan) -> ()",
        "aten::f(float a=1., float b=.5, float c=3, Scalar d=1e3) -> ()",
        "aten::f(str a=\"x\\\"y\", str b='it\\'s', str c=\"a, b) -> (\", str d=\"\") -> ()",
        "aten::f(int[] a=[0, 1], int[2] b=0, int[3] c=[], bool[3] d=[True, True, False]) -> ()",
        "aten::f(int r=Mean, MemoryFormat? m=contiguous_format, ScalarType? t=long) -> ()",
        "aten::f(Layout l=strided, ScalarType t=12, Device? d=None, Generator? g=None) -> ()",
        "aten::f(int[][] a=[[1, 2], []], complex z=2j) -> ()",
        "aten::__and__.0_digit(Tensor self) -> Tensor",
        "a::b::c(Tensor self) -> Tensor",
        "torch.nn.Linear(int in_features, int out_features, bool bias=True)",
        "f(Tensor self)",
        "torch.relu(Tensor input) -> Tensor",
        "c::f(__torch__.torch.classes.c10d.Work w, Any? x=None) -> __torch__.A.b[]",
    };
    for (size_t i = 0; i < sizeof TEXTS / sizeof TEXTS[0]; i++)
        check_same(TEXTS[i]);
}

static void blanks_are_normalised(void)
{
    ob_schema *schema =
        parse(" aten::f.x ( Tensor  self ,\tint dim = 1,* , int[ ] a = [ 1,2 ] )->Tensor ");
    char *printed = NULL;
    CHECK_INT(ob_schema_print(schema, &printed, NULL), OB_OK);
    CHECK_STR(printed, "aten::f.x(Tensor self, int dim=1, *, int[] a=[ 1,2 ]) -> Tensor");
    free(printed);
    ob_schema_destroy(schema);
}

static void parts_are_found(void)
{
    ob_schema *s = parse("aten::add.out(Tensor self, Tensor? other, *, Scalar alpha=1, "
                         "Tensor(a!) out) -> Tensor(a!)");
    CHECK_STR(s->name, "aten::add");
    CHECK_STR(s->overload, "out");
    CHECK_INT(s->arg_count, 4);
    CHECK_INT(s->positional_count, 2);
    CHECK_INT(s->return_count, 1);
    CHECK(!s->vararg && !s->vararg_return && !s->parens_return && !s->no_return);
    CHECK_STR(s->args[0].name, "self");
    CHECK_INT(s->args[0].type->kind, OB_TYPE_TENSOR);
    CHECK_INT(s->args[1].type->kind, OB_TYPE_OPTIONAL);
    CHECK_INT(s->args[1].type->element->kind, OB_TYPE_TENSOR);
    CHECK(!s->args[1].keyword_only && !s->args[1].has_default && !s->args[1].writes);
    CHECK(s->args[2].keyword_only && s->args[2].has_default);
    CHECK_STR(s->args[2].default_text, "1");
    CHECK_INT(s->args[2].default_value.kind, OB_VALUE_INT);
    CHECK(s->args[3].writes && !s->args[3].has_default);
    CHECK_STR(s->args[3].type->alias, "a!");
    CHECK(s->returns[0].name == NULL && s->returns[0].writes);
    CHECK_INT(ob_schema_find_arg(s, "alpha"), 2);
    CHECK_INT(ob_schema_find_arg(s, "alph"), -1);
    ob_schema_destroy(s);

    s = parse("torch.nn.Linear(int in_features)");
    CHECK_STR(s->name, "torch.nn.Linear");
    CHECK_STR(s->overload, "");
    CHECK(s->no_return);
    CHECK_INT(s->return_count, 0);
    ob_schema_destroy(s);
}

static void types_nest(void)
{
    ob_schema *s = parse("aten::f(Dict(str, int[3]?) d, Tensor(a!)[] w) -> (Tensor a, int)");
    const ob_type *dict = s->args[0].type;
    CHECK_INT(dict->kind, OB_TYPE_DICT);
    CHECK_INT(dict->element->kind, OB_TYPE_STR);
    CHECK_INT(dict->element->next->kind, OB_TYPE_OPTIONAL);
    CHECK_INT(dict->element->next->element->kind, OB_TYPE_LIST);
    CHECK_INT(dict->element->next->element->list_size, 3);
    CHECK(dict->element->next->next == NULL);
    CHECK(s->args[1].writes);
    CHECK_INT(s->args[1].type->list_size, -1);
    CHECK_STR(s->args[1].type->element->alias, "a!");
    CHECK_STR(s->returns[0].name, "a");
    CHECK(s->returns[1].name == NULL);
    CHECK(s->parens_return);
    char *printed = NULL;
    CHECK_INT(ob_type_print(dict, &printed, NULL), OB_OK);
    CHECK_STR(printed, "Dict(str, int[3]?)");
    free(printed);
    ob_schema_destroy(s);
}

/* The default of the only argument of aten::f(<text>) -> (). */
static ob_value default_of(const char *argument)
{
    char text[256];
    ob_value value = ob_value_none();
    snprintf(text, sizeof text, "aten::f(%s) -> ()", argument);
    ob_schema *schema = parse(text);
    if (schema != NULL)
        CHECK_INT(ob_value_copy(&value, &schema->args[0].default_value, NULL), OB_OK);
    ob_schema_destroy(schema);
    return value;
}

static void defaults_have_the_type_of_their_argument(void)
{
    ob_value v = default_of("int a=-9223372036854775808");
    CHECK_INT(v.kind, OB_VALUE_INT);
    CHECK_INT(v.as.integer, INT64_MIN);
    v = default_of("float a=3");
    CHECK_INT(v.kind, OB_VALUE_DOUBLE);
    CHECK_REAL(v.as.real, 3.0);
    v = default_of("float a=1.0000000000000001e-05");
    CHECK_REAL(v.as.real, 1e-05);
    v = default_of("Scalar a=-inf");
    CHECK_REAL(v.as.real, -INFINITY);
    v = default_of("float a=nan");
    CHECK_INT(v.kind, OB_VALUE_DOUBLE);
    CHECK(isnan(v.as.real));
    v = default_of("Scalar a=True");
    CHECK_INT(v.kind, OB_VALUE_BOOL);
    v = default_of("int a=Sum");
    CHECK_INT(v.as.integer, 2);
    v = default_of("ScalarType? a=long");
    CHECK_INT(v.kind, OB_VALUE_DTYPE);
    CHECK_INT(v.as.dtype, OB_DTYPE_I64);
    v = default_of("ScalarType a=6");
    CHECK_INT(v.kind, OB_VALUE_DTYPE);
    CHECK_INT(v.as.dtype, OB_DTYPE_F32);
    v = default_of("MemoryFormat a=channels_last");
    CHECK_INT(v.kind, OB_VALUE_MEMORY_FORMAT);
    CHECK_INT(v.as.memory_format, OB_MEMORY_FORMAT_CHANNELS_LAST);
    v = default_of("Layout a=strided");
    CHECK_INT(v.kind, OB_VALUE_LAYOUT);
    v = default_of("complex a=2.5j");
    CHECK_INT(v.kind, OB_VALUE_COMPLEX);
    CHECK_REAL(v.as.complex.imag, 2.5);
    v = default_of("ScalarType a=12");
    CHECK_INT(v.kind, OB_VALUE_INT); /* qint8: no tensor has it here */
    v = default_of("QScheme a=per_tensor_affine");
    CHECK_INT(v.kind, OB_VALUE_NONE);

    v = default_of("str a=\"\\\"\\'\\\\\\n\\x41\\101\"");
    CHECK_INT(v.kind, OB_VALUE_STR);
    CHECK_STR(v.as.str.text, "\"'\\\nAA");
    ob_value_fini(&v);
    v = default_of("int[2] a=7");
    CHECK_INT(v.kind, OB_VALUE_LIST);
    CHECK_INT(v.as.list.count, 2);
    CHECK_INT(v.as.list.items[1].as.integer, 7);
    ob_value_fini(&v);
    v = default_of("float[] a=[1, 2.5]");
    CHECK_INT(v.as.list.count, 2);
    CHECK_REAL(v.as.list.items[0].as.real, 1.0);
    CHECK_REAL(v.as.list.items[1].as.real, 2.5);
    ob_value_fini(&v);
}

static void errors_say_where_and_what(void)
{
    static const struct {
        const char *text;
        unsigned column;
        const char *message;
    } CASES[] = {
        {"", 1, "expected an operator name such as aten::add at column 1 of the schema"},
        {"9x()", 1, "expected an operator name"},
        {"aten::", 7, "expected a name after '::' or '.'"},
        {"aten::f.a.b() -> ()", 10, "expected '(' after the operator's name"},
        {"aten::f", 8, "expected '(' after the operator's name at column 8 of the schema, found"},
        {"aten::f(", 9, "expected a type"},
        {"aten::f()", 10, "expected '->' after the arguments"},
        {"aten::f(Tensor self Tensor b) -> ()", 21, "expected ',' or ')' after argument 'self'"},
        {"aten::f(Tensor self", 20, "expected ',' or ')' after argument 'self'"},
        {"aten::f(Tensor) -> ()", 15, "expected an argument name after its type"},
        {"aten::f(Tensor self, ) -> ()", 22, "expected a type"},
        {"aten::f(Tensor a, *) -> ()", 20, "expected ',' and a keyword-only argument after '*'"},
        {"aten::f(*, int a, *, int b) -> ()", 20, "expected only one '*'"},
        {"aten::f(..., int a) -> ()", 12, "expected ')' after '...'"},
        {"aten::f(int[ a) -> ()", 14, "expected a list size or ']'"},
        {"aten::f(int[99] a) -> ()", 14, "a list size can be at most 64"},
        {"aten::f(Tensor(a! self) -> ()", 19, "expected ')' after the alias annotation"},
        {"aten::f(Tensor(a -> ) self) -> ()", 21, "expected an alias annotation such as 'a!'"},
        {"aten::f(Tensor() self) -> ()", 16, "expected an alias annotation such as 'a!'"},
        {"aten::f(Dict(str) a) -> ()", 18, "expected another type in the brackets before"},
        {"aten::f(Future(int, int) a) -> ()", 19, "expected ')'"},
        {"aten::f(int a=) -> ()", 15, "expected a value after the '=' of argument 'a'"},
        {"aten::f(int a=[1 2]) -> ()", 18, "expected ',' or ']' in the list"},
        {"aten::f(str a=\"x) -> ()", 15, "this string is not closed"},
        {"aten::f(int a=99999999999999999999) -> ()", 15, "the number does not fit in 64 bits"},
        {"aten::f(int a=1x) -> ()", 16, "expected the end of the number"},
        {"aten::f(int a=-None) -> ()", 15, "expected a number, 'inf' or 'nan' after '-'"},
        {"aten::f(Tensor a=5) -> ()", 18, "expected a default of type Tensor"},
        {"aten::f(int a=1.5) -> ()", 15, "expected a default of type int"},
        {"aten::f() -> Tensor, Tensor", 20, "expected the end of the schema"},
        {"aten::f() -> (Tensor", 21, "expected ',' or ')' after a return"},
        {"aten::f() -> ", 14, "expected a type"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        ob_schema *schema = (ob_schema *)&schema;
        ob_err err = {.code = OB_OK};
        const ob_status status =
            ob_schema_parse(CASES[i].text, strlen(CASES[i].text), &schema, &err);
        CHECK(status == OB_ERR_SYNTAX || status == OB_ERR_LIMIT);
        CHECK(schema == NULL);
        CHECK_INT(err.code, status);
        CHECK_HAS(err.message, CASES[i].message);
        CHECK_INT(err.column, CASES[i].column);
    }
}

/* Text made of `count` times `part` between head and tail. */
static ob_status parse_repeated(const char *head, const char *part, size_t count, const char *tail,
                                ob_err *err)
{
    const size_t size = strlen(head) + strlen(part) * count + strlen(tail) + 1;
    char *text = malloc(size);
    char *end = text;
    ob_schema *schema = NULL;
    if (text == NULL)
        return OB_ERR_NOMEM;
    end = stpcpy(end, head);
    for (size_t i = 0; i < count; i++)
        end = stpcpy(end, part);
    stpcpy(end, tail);
    const ob_status status = ob_schema_parse(text, strlen(text), &schema, err);
    ob_schema_destroy(schema);
    free(text);
    return status;
}

static void hostile_texts_are_refused(void)
{
    ob_err err;
    CHECK_INT(parse_repeated("aten::f(int", "?", 33, " a) -> ()", &err), OB_ERR_LIMIT);
    CHECK_HAS(err.message, "types are nested too deeply");
    CHECK_INT(parse_repeated("aten::f(int", "?", 32, " a) -> ()", &err), OB_OK);
    CHECK_INT(parse_repeated("aten::f(", "(", 30000, "", &err), OB_ERR_LIMIT);
    CHECK_INT(parse_repeated("aten::f(", "Future(", 8000, "", &err), OB_ERR_LIMIT);
    CHECK_INT(parse_repeated("aten::f(int[] a=", "[", 30000, "", &err), OB_ERR_SYNTAX);
    CHECK_HAS(err.message, "lists are nested too deeply");
    CHECK_INT(parse_repeated("aten::f(int[] a=[", "1,", 1000, "1]) -> ()", &err), OB_ERR_SYNTAX);
    CHECK_HAS(err.message, "the list is too long");
    CHECK_INT(parse_repeated("aten::f(", "x", 70000, "", &err), OB_ERR_LIMIT);
    CHECK_HAS(err.message, "a schema of 70008 bytes is too long; the limit is 65536");
    CHECK_INT(parse_repeated("aten::f(", ",", 60000, "", &err), OB_ERR_SYNTAX);

    ob_schema *schema = NULL;
    CHECK_INT(ob_schema_parse("aten::f(\0) -> ()", 16, &schema, &err), OB_ERR_SYNTAX);
    CHECK_HAS(err.message, "NUL byte at column 9");
    CHECK_INT(ob_schema_parse(NULL, 0, &schema, NULL), OB_ERR_SYNTAX);
    ob_schema_destroy(NULL);
}

static void too_many_arguments_are_refused(void)
{
    char text[8192] = "aten::f(";
    for (int i = 0; i < 257; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%sint a%d", i ? ", " : "", i);
    strcat(text, ") -> ()");
    ob_schema *schema = NULL;
    ob_err err;
    CHECK_INT(ob_schema_parse(text, strlen(text), &schema, &err), OB_ERR_LIMIT);
    CHECK_HAS(err.message, "a schema can have at most 256 arguments");
}

int main(void)
{
    RUN(every_libtorch_schema_prints_back);
    RUN(newer_forms_print_back);
    RUN(blanks_are_normalised);
    RUN(parts_are_found);
    RUN(types_nest);
    RUN(defaults_have_the_type_of_their_argument);
    RUN(errors_say_where_and_what);
    RUN(hostile_texts_are_refused);
    RUN(too_many_arguments_are_refused);
    return ob_test_end();
}
