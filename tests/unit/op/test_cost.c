/* SPDX-License-Identifier: Apache-2.0
 *
 * Cost rules: exact flops and bytes of one call per rule.
 */
#include "check.h"
#include "op/call_text.h"

static ob_op_table *table;

typedef struct cost_case {
    const char *call;
    double flops, read_bytes, write_bytes;
} cost_case;

static void check_cost(const cost_case *want)
{
    const char *p = want->call;
    bound_call b;
    ob_err err;
    ob_value outputs[8];
    ob_cost cost = {.flops = -1, .read_bytes = -1, .write_bytes = -1};
    ob_err_clear(&err);
    if (!bound_call_open(table, &p, &b, &err) ||
        b.op->row->shape(&b.call, outputs, &err) != OB_OK) {
        OB_TEST_FAIL("%s: %s", want->call, err.message);
        bound_call_close(&b);
        return;
    }
    CHECK_INT(b.op->row->cost(&b.call, outputs, &cost), OB_OK);
    ob_test_checks++;
    if (cost.flops != want->flops || cost.read_bytes != want->read_bytes ||
        cost.write_bytes != want->write_bytes)
        OB_TEST_FAIL("%s costs %.17g, %.17g, %.17g, want %.17g, %.17g, %.17g", want->call,
                     cost.flops, cost.read_bytes, cost.write_bytes, want->flops, want->read_bytes,
                     want->write_bytes);
    for (size_t i = 0; i < b.op->schema->return_count; i++)
        ob_value_fini(&outputs[i]);
    bound_call_close(&b);
}

static void counts_work(void)
{
    static const cost_case cases[] = {
        {"aten::mm(f32[2, 3], f32[3, 5])", 2 * 2 * 5 * 3, (6 + 15) * 4, 10 * 4},
        {"aten::bmm(f64[7, 2, 3], f64[7, 3, 5])", 7 * 2 * 2 * 5 * 3, 7 * 21 * 8, 70 * 8},
        {"aten::addmm(f32[5], f32[2, 3], f32[3, 5])", 60 + 10, (5 + 6 + 15) * 4, 40},
        {"aten::addbmm(f32[2, 5], f32[7, 2, 3], f32[7, 3, 5])", 10 * (2 * 21 + 1), (10 + 147) * 4,
         40},
        {"aten::linear(f32[4, 2, 3], f32[5, 3], f32[5])", 40 * 7, (24 + 15 + 5) * 4, 160},
        {"aten::linear(f32[4, 2, 3], f32[5, 3])", 40 * 6, (24 + 15) * 4, 160},
        {"aten::matmul(f32[2, 3, 4], f32[4, 5])", 2 * 30 * 4, (24 + 20) * 4, 120},
        {"aten::dot(f32[8], f32[8])", 16, 64, 4},
        /* N 2, Cout 8, 6 x 6 places, Cin / groups 2, 3 x 3 kernel */
        {"aten::convolution(f32[2, 4, 8, 8], f32[8, 2, 3, 3], None, [1, 1], [0, 0], [1, 1], False, "
         "[0, 0], 2)",
         2.0 * 2 * 8 * 36 * 2 * 9, (512 + 144) * 4, 576 * 4},
        {"aten::conv2d(f32[2, 4, 8, 8], f32[8, 4, 3, 3], f32[8])", 2.0 * 576 * 36 + 576,
         (512 + 288 + 8) * 4, 576 * 4},
        {"aten::convolution(f32[1, 4, 5], f32[4, 2, 3], None, [2], [1], [1], True, [1], 2)",
         2.0 * 20 * 6, (20 + 24) * 4, 40 * 4},
        {"aten::convolution_backward(f32[1, 2, 3, 3], f32[1, 1, 3, 3], f32[2, 1, 3, 3], [2], [1, "
         "1], [1, 1], [1, 1], False, [0, 0], 1, [True, True, True])",
         2 * (2 * 18 * 9) + 18, (18 + 9 + 18) * 4, (9 + 18 + 2) * 4},
        {"aten::convolution_backward(f32[1, 2, 3, 3], f32[1, 1, 3, 3], f32[2, 1, 3, 3], None, [1, "
         "1], [1, 1], [1, 1], False, [0, 0], 1, [False, True, False])",
         2 * 18 * 9, (18 + 9 + 18) * 4, 18 * 4},
        {"aten::max_pool2d(f32[1, 2, 6, 6], [3, 2], [2, 2])", 2 * 2 * 3 * 6, 72 * 4, 12 * 4},
        {"aten::_adaptive_avg_pool2d(f32[1, 2, 6, 6], [2, 3])", 72, 72 * 4, 12 * 4},
        {"aten::_scaled_dot_product_attention(f32[1, 3, 4], f32[1, 5, 4], f32[1, 5, 6])",
         15 * (2 * 4 + 2 * 6 + 5), (12 + 20 + 30) * 4, (18 + 15) * 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_cost(&cases[i]);
}

static void counts_traffic(void)
{
    static const cost_case cases[] = {
        {"aten::add.Tensor(f32[2, 3], f32[3])", 6, (6 + 3) * 4, 24},
        /* An expanded operand is read once. */
        {"aten::add.Tensor(f32[2, 3], f32[2, 3]/[0, 1])", 6, (6 + 3) * 4, 24},
        {"aten::add_.Tensor(f32[2, 3], f32[3])", 6, (6 + 3) * 4, 24},
        {"aten::gelu(f32[10])", 80, 40, 40},
        {"aten::eq.Tensor(f64[10], f64[10])", 10, 160, 10},
        {"aten::sum(f32[10])", 10, 40, 4},
        {"aten::_softmax(f32[2, 5], 1, False)", 50, 40, 40},
        {"aten::sort(f32[2, 8])", 16 * 3, 64, 64 + 128},
        {"aten::view(f32[2, 5], [10])", 0, 0, 0},
        {"aten::split.Tensor(f32[10], 2)", 0, 0, 0},
        {"aten::clone(f32[10])", 0, 40, 40},
        {"aten::copy_(f32[2, 5], f64[5])", 0, 40, 40},
        {"aten::cat([f32[2], f32[3]])", 0, 20, 20},
        {"aten::zeros([10])", 0, 0, 40},
        {"aten::empty.memory_format([10])", 0, 0, 0},
        {"aten::zero_(f32[10])", 0, 0, 40},
        {"aten::rand([10])", 10, 0, 40},
        {"aten::embedding(f32[1000, 4], i64[3])", 0, 3 * 4 * 4 + 3 * 8, 48},
        {"aten::embedding_dense_backward(f32[3, 4], i64[3], 1000, -1, False)", 12, 48 + 24, 16000},
        {"aten::_embedding_bag(f32[1000, 4], i64[6], i64[2], False, 1)", 24, 24 * 4 + 48 + 16,
         2 * 4 * 4 + 6 * 8 + 2 * 8 + 2 * 8},
        {"aten::index_select(f32[100, 4], 0, i64[3])", 0, 48 + 24, 48},
        {"aten::index_add_(f32[100, 4], 0, i64[3], f32[3, 4])", 12, 24 + 48 + 48, 48},
        {"aten::index_add(f32[100, 4], 0, i64[3], f32[3, 4])", 12, 24 + 48 + 48 + 1600, 48 + 1600},
        {"aten::scatter_.value(f32[100], 0, i64[3], 1)", 0, 24, 12},
        {"aten::_foreach_mul_.Scalar([f32[10], f32[5]], 2)", 15, 60, 60},
        {"aten::_foreach_add.List([f32[10], f32[5]], [f32[10], f32[5]])", 15, 120, 60},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_cost(&cases[i]);
}

/* Every call with a known answer has a cost, and no part of it is negative or not a number. */
static void knows_every_call(void)
{
    static char line[1 << 14];
    FILE *file = fopen(OB_SOURCE_DIR "/tests/golden/shapes.txt", "r");
    CHECK(file != NULL);
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *p = line;
        bound_call b;
        ob_value outputs[8];
        ob_cost cost = {.flops = -1, .read_bytes = -1, .write_bytes = -1};
        if (line[0] == '#' || !bound_call_open(table, &p, &b, NULL))
            continue;
        ob_test_checks++;
        if (b.op->row->shape(&b.call, outputs, NULL) == OB_OK) {
            b.op->row->cost(&b.call, outputs, &cost);
            for (size_t i = 0; i < b.op->schema->return_count; i++)
                ob_value_fini(&outputs[i]);
        }
        if (!(cost.flops >= 0 && cost.read_bytes >= 0 && cost.write_bytes >= 0))
            OB_TEST_FAIL("cost of %s is %g, %g, %g", line, cost.flops, cost.read_bytes,
                         cost.write_bytes);
        bound_call_close(&b);
    }
    if (file != NULL)
        fclose(file);
}

int main(void)
{
    ob_err err;
    if (ob_op_table_create(&table, &err) != OB_OK) {
        fprintf(stderr, "no operator table: %s\n", err.message);
        return 1;
    }
    RUN(counts_work);
    RUN(counts_traffic);
    RUN(knows_every_call);
    ob_op_table_destroy(table);
    return ob_test_end();
}
