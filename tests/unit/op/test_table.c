/* SPDX-License-Identifier: Apache-2.0
 *
 * The operator table: its own rows, rows from outside, duplicates, further names.
 */
#include "bind_text.h"
#include "libtorch_table.h"

static const ob_op_row MINE = {.schema = "mine::f(Tensor self, int n=2) -> Tensor",
                               .category = "test",
                               .names = "my.f  torch.my_f"};
static const ob_op_row MINE_SCALAR = {.schema = "mine::f.Scalar(Scalar self) -> Scalar",
                                      .names = "my.f"};

static ob_op_table *create(void)
{
    ob_op_table *table = NULL;
    ob_err err = {.code = OB_OK};
    if (ob_op_table_create(&table, &err) != OB_OK)
        OB_TEST_FAIL("%s", err.message);
    return table;
}

static void built_in_rows_are_whole(void)
{
    ob_op_table *table = create();
    for (size_t i = 0; i < ob_op_table_count(table); i++) {
        const ob_op *op = ob_op_table_at(table, i);
        char full[256];
        CHECK(op != NULL && op->schema != NULL);
        if (op == NULL)
            continue;
        CHECK_STR(op->origin, "built in");
        CHECK_STR(op->schema->text, op->row->schema);
        snprintf(full, sizeof full, "%s%s%s", op->schema->name, op->schema->overload[0] ? "." : "",
                 op->schema->overload);
        CHECK(ob_op_table_find(table, full) == op);
    }
    ob_op_table_destroy(table);
}

/* What the example configs of the benchmark use must be there without any backend. */
static void common_names_are_known(void)
{
    static const char *const NAMES[] = {
        "torch.add",
        "torch.add_",
        "torch.mul",
        "torch.mm",
        "torch.bmm",
        "torch.matmul",
        "torch.mean",
        "torch.baddbmm",
        "torch.cat",
        "torch.reshape",
        "torch.clamp_",
        "aten::neg",
        "torch.Tensor.view",
        "torch.nn.functional.relu",
        "torch.nn.functional.embedding_bag",
        "torch.nn.functional.cross_entropy",
    };
    ob_op_table *table = create();
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        ob_op_name name;
        CHECK_INT(ob_op_resolve_name(table, NAMES[i], &name, NULL), OB_OK);
        if (!name.known)
            OB_TEST_FAIL("%s has no row", NAMES[i]);
    }
    ob_op_table_destroy(table);
}

static void rows_can_be_added(void)
{
    ob_op_table *table = create();
    const size_t before = ob_op_table_count(table);
    CHECK(ob_op_table_find(table, "mine::f") == NULL);
    CHECK_INT(ob_op_table_add(table, &MINE, "here", NULL), OB_OK);
    CHECK_INT(ob_op_table_add(table, &MINE_SCALAR, "there", NULL), OB_OK);
    CHECK_INT(ob_op_table_count(table), before + 2);
    const ob_op *op = ob_op_table_find(table, "mine::f");
    CHECK(op != NULL && op == ob_op_table_at(table, before));
    CHECK(op->row == &MINE);
    CHECK_STR(op->origin, "here");
    CHECK_STR(op->schema->name, "mine::f");
    op = ob_op_table_find(table, "mine::f.Scalar");
    CHECK(op != NULL && op->row == &MINE_SCALAR);
    CHECK(ob_op_table_find(table, "mine::f.Nothing") == NULL);
    CHECK(ob_op_table_find(table, "mine::") == NULL);

    char got[2048];
    resolve_text(table, "my.f(a2)", got, sizeof got);
    CHECK_STR(got, "mine::f(a2, 2)");
    resolve_text(table, "my.f(3)", got, sizeof got);
    CHECK_STR(got, "mine::f.Scalar(3)");
    resolve_text(table, "torch.my_f(input=a2, n=5)", got, sizeof got);
    CHECK_STR(got, "mine::f(a2, 5)");
    resolve_text(table, "torch.ops.mine.f(a2, 7)", got, sizeof got);
    CHECK_STR(got, "mine::f(a2, 7)");
    ob_op_name name;
    CHECK_INT(ob_op_resolve_name(table, "my.f", &name, NULL), OB_OK);
    CHECK_STR(name.base, "mine::f");
    CHECK_STR(name.overload, "");
    CHECK(name.known && name.adapter == NULL);
    ob_op_table_destroy(table);
}

static void out_variants_are_kept_apart(void)
{
    static const ob_op_row PLAIN = {.schema = "mine::a(Tensor self) -> Tensor"};
    static const ob_op_row OUT = {
        .schema = "mine::b.out(Tensor self, *, Tensor(a!) result) -> Tensor(a!)", .names = "my.b"};
    ob_op_table *table = create();
    char got[2048];
    CHECK_INT(ob_op_table_add(table, &PLAIN, "here", NULL), OB_OK);
    CHECK_INT(ob_op_table_add(table, &OUT, "here", NULL), OB_OK);
    resolve_text(table, "torch.ops.mine.a(a2, out=b2)", got, sizeof got);
    CHECK_STR(got, "OB_ERR_INVALID: no overload of torch.ops.mine.a writes to out=; leave it out");
    resolve_text(table, "my.b(a2)", got, sizeof got);
    CHECK_STR(got, "OB_ERR_INVALID: my.b only writes to a given tensor; pass it as out=");
    resolve_text(table, "my.b(a2, out=b2)", got, sizeof got);
    CHECK_STR(got, "mine::b.out(a2, b2)");
    resolve_text(table, "mine::b(a2, result=b2)", got, sizeof got);
    CHECK_STR(got, "mine::b.out(a2, b2)");
    resolve_text(table, "my.b(a2, out=(b2, c2))", got, sizeof got);
    CHECK_STR(got, "OB_ERR_INVALID: mine::b.out has no argument 'out'; its arguments are: self, "
                   "result");
    ob_op_table_destroy(table);
}

static void bad_rows_are_refused(void)
{
    static const struct {
        ob_op_row row;
        ob_status status;
        const char *message;
    } CASES[] = {
        {{.schema = "mine::f(int a) -> ()"},
         OB_ERR_DUPLICATE,
         "operator mine::f already exists (here)"},
        {{.schema = NULL}, OB_ERR_INVALID, "an operator row needs a schema"},
        {{.schema = "f(int a) -> ()"},
         OB_ERR_INVALID,
         "operator 'f' has no namespace; write mine::f"},
        {{.schema = "mine::g(int a -> ()"},
         OB_ERR_SYNTAX,
         "expected ',' or ')' after argument 'a' at column 15 of the schema"},
        {{.schema = "mine::g() -> ()", .names = "other.g my.f"},
         OB_ERR_DUPLICATE,
         "mine::g uses the name 'my.f', which belongs to mine::f; choose another name"},
        {{.schema = "mine::g() -> ()", .names = "torch.mm"},
         OB_ERR_DUPLICATE,
         "mine::g uses the name 'torch.mm', which belongs to aten::mm; choose another name"},
        {{.schema = "mine::g() -> ()", .names = "torch.nn.functional.relu"},
         OB_ERR_DUPLICATE,
         "mine::g uses the name 'torch.nn.functional.relu', which belongs to aten::relu"},
    };
    static const ob_op_row MM = {.schema = "aten::mm(Tensor self, Tensor mat2) -> Tensor"};
    static const ob_op_row RELU = {.schema = "aten::relu(Tensor self) -> Tensor"};
    ob_op_table *table = create();
    if (ob_op_table_find(table, "aten::mm") == NULL)
        CHECK_INT(ob_op_table_add(table, &MM, "test", NULL), OB_OK);
    if (ob_op_table_find(table, "aten::relu") == NULL)
        CHECK_INT(ob_op_table_add(table, &RELU, "test", NULL), OB_OK);
    CHECK_INT(ob_op_table_add(table, &MINE, "here", NULL), OB_OK);
    const size_t before = ob_op_table_count(table);
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        ob_err err = {.code = OB_OK};
        CHECK_INT(ob_op_table_add(table, &CASES[i].row, "test", &err), CASES[i].status);
        CHECK_INT(err.code, CASES[i].status);
        CHECK_HAS(err.message, CASES[i].message);
        CHECK_INT(ob_op_table_count(table), before);
    }
    CHECK(ob_op_table_find(table, "mine::g") == NULL);
    ob_op_table_destroy(table);
    ob_op_table_destroy(NULL);
}

/* Operators stay where they are while thousands come in: graphs point to them. */
static void operators_do_not_move(void)
{
    libtorch_table t;
    ob_op_table *table = create();
    CHECK_INT(ob_op_table_add(table, &MINE, "here", NULL), OB_OK);
    const ob_op *op = ob_op_table_find(table, "mine::f");
    const ob_schema *schema = op->schema;
    libtorch_table_init(&t);
    CHECK_INT(t.row_count, 3199);
    for (size_t i = 0; i < t.row_count; i++)
        (void)ob_op_table_add(table, &t.rows[i], "libtorch", NULL);
    CHECK(ob_op_table_find(table, "mine::f") == op);
    CHECK(op->schema == schema);
    CHECK_INT(ob_op_table_count(table), ob_op_table_count(t.table) + 1);
    for (size_t i = 0; i < t.row_count; i++) {
        char full[256];
        snprintf(full, sizeof full, "%.*s", (int)strcspn(t.rows[i].schema, "("), t.rows[i].schema);
        const ob_op *found = ob_op_table_find(table, full);
        CHECK(found != NULL);
        if (found != NULL)
            CHECK_STR(found->schema->text, t.rows[i].schema);
    }
    libtorch_table_fini(&t);
    ob_op_table_destroy(table);
}

int main(void)
{
    RUN(built_in_rows_are_whole);
    RUN(common_names_are_known);
    RUN(rows_can_be_added);
    RUN(out_variants_are_kept_apart);
    RUN(bad_rows_are_refused);
    RUN(operators_do_not_move);
    return ob_test_end();
}
