/* SPDX-License-Identifier: Apache-2.0
 *
 * Look-ups in split tables: shapes, costs, and what a call that does not fit is told.
 */
#include "check.h"
#include "op/call_text.h"

static ob_op_table *table;

/* Two tables, of 10 rows of 4 and 5 rows of 8: 80 elements, 15 rows, 12 columns; 3 bags each. */
#define LOOKUP(weights, momentum, indices, offsets, factors, rows, dims, pooling)                  \
    "opbench::split_table_embedding_bags(f32[0], " weights ", " momentum ", " indices ", " offsets \
    ", " factors ", " rows ", " dims ", " pooling ", 0.01, 1e-8)"
#define PLAIN LOOKUP("f32[80]", "f32[15]", "i64[20]", "i64[7]", "None", "[10, 5]", "[4, 8]", "0")
#define UPDATE(grad)                                                                               \
    "opbench::split_table_embedding_bags_update(" grad ", f16[80], f32[15], i64[20], i64[7], "     \
    "f32[20], [10, 5], [4, 8], 0, 0.01, 1e-8)"

static void shapes(void)
{
    static const struct {
        const char *call, *want;
    } ROWS[] = {
        {PLAIN, "f32[3, 12]"},
        {LOOKUP("f16[80]", "f32[15]", "i32[20]", "i32[7]", "f32[20]", "[10, 5]", "[4, 8]", "1"),
         "f32[3, 12]"},
        {LOOKUP("f32[80]", "f32[15]", "i64[0]", "i64[1]", "None", "[10, 5]", "[4, 8]", "0"),
         "f32[0, 12]"},
        {LOOKUP("f32[1]", "f32[1]", "i64[1]", "i64[2]", "None", "[1]", "[1]", "0"), "f32[1, 1]"},
        {UPDATE("f32[3, 12]"), "f32[0]"},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        char got[1024];
        const char *p = ROWS[i].call;
        call_infer(table, &p, got, sizeof got);
        CHECK_STR(got, ROWS[i].want);
    }
}

static void refuses(void)
{
    static const struct {
        const char *call, *part;
    } ROWS[] = {
        {LOOKUP("f32[80]", "f32[15]", "i64[20]", "i64[7]", "None", "[10]", "[4, 8]", "0"),
         "rows and dims must have one entry per table"},
        {LOOKUP("f32[80]", "f32[15]", "i64[20]", "i64[7]", "None", "[]", "[]", "0"),
         "rows and dims must have one entry per table"},
        {LOOKUP("f32[80]", "f32[15]", "i64[20]", "i64[7]", "None", "[10, 0]", "[4, 8]", "0"),
         "table 1 must have at least one row and one column"},
        {LOOKUP("f32[80]", "f32[15]", "i64[20]", "i64[7]", "None", "[10, 5]", "[0, 8]", "0"),
         "table 0 must have at least one row and one column"},
        {LOOKUP("f32[80]", "f32[15]", "i64[20]", "i64[7]", "None", "[4294967296]", "[4294967296]",
                "0"),
         "the tables have more than 2^63 elements"},
        {LOOKUP("f32[80]", "f32[15]", "i64[20]", "i64[7]", "None",
                "[9223372036854775807, 9223372036854775807]", "[1, 1]", "0"),
         "the tables have more than 2^63 elements"},
        {LOOKUP("f32[79]", "f32[15]", "i64[20]", "i64[7]", "None", "[10, 5]", "[4, 8]", "0"),
         "weights must be [80] and momentum [15], contiguous: all tables one after the other"},
        {LOOKUP("f32[80]", "f32[16]", "i64[20]", "i64[7]", "None", "[10, 5]", "[4, 8]", "0"),
         "weights must be [80] and momentum [15]"},
        {LOOKUP("f32[8, 10]", "f32[15]", "i64[20]", "i64[7]", "None", "[10, 5]", "[4, 8]", "0"),
         "weights must be [80] and momentum [15]"},
        {LOOKUP("f32[80]", "f32[15, 1]", "i64[20]", "i64[7]", "None", "[10, 5]", "[4, 8]", "0"),
         "weights must be [80] and momentum [15]"},
        {LOOKUP("f32[80]/[2]", "f32[15]", "i64[20]", "i64[7]", "None", "[10, 5]", "[4, 8]", "0"),
         "weights must be [80] and momentum [15]"},
        {LOOKUP("f32[80]", "f32[15]/[2]", "i64[20]", "i64[7]", "None", "[10, 5]", "[4, 8]", "0"),
         "weights must be [80] and momentum [15]"},
        {LOOKUP("f32[80]", "f32[15]", "i64[20]", "i64[8]", "None", "[10, 5]", "[4, 8]", "0"),
         "it must have one entry per bag of each of the 2 tables, and one more"},
        {LOOKUP("f32[80]", "f32[15]", "i64[20]", "i64[0]", "None", "[10, 5]", "[4, 8]", "0"),
         "it must have one entry per bag of each of the 2 tables, and one more"},
        {LOOKUP("f32[80]", "f32[15]", "f32[20]", "i64[7]", "None", "[10, 5]", "[4, 8]", "0"),
         "indices"},
        {LOOKUP("f32[80]", "f32[15]", "i64[20]", "f32[7]", "None", "[10, 5]", "[4, 8]", "0"),
         "offsets"},
        {LOOKUP("f32[80]", "f32[15]", "i64[4, 5]", "i64[7]", "None", "[10, 5]", "[4, 8]", "0"),
         "indices"},
        {LOOKUP("f32[80]", "f32[15]", "i64[20]", "i64[7, 1]", "None", "[10, 5]", "[4, 8]", "0"),
         "offsets"},
        {LOOKUP("f32[80]", "f32[15]", "i64[20]", "i64[7]", "f32[19]", "[10, 5]", "[4, 8]", "0"),
         "per_sample_weights is [19]; it must have one entry per index"},
        {LOOKUP("f32[80]", "f32[15]", "i64[20]", "i64[7]", "f32[20, 1]", "[10, 5]", "[4, 8]", "0"),
         "it must have one entry per index"},
        {LOOKUP("f32[80]", "f32[15]", "i64[20]", "i64[7]", "None", "[10, 5]", "[4, 8]", "2"),
         "pooling is 2; it must be 0 (sum) or 1 (mean)"},
        {UPDATE("f32[3, 11]"), "grad is [3, 11]; it must be [3, 12]"},
        {UPDATE("f32[4, 12]"), "it must be [3, 12]"},
        {UPDATE("f32[36]"), "it must be [3, 12]"},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        char got[1024];
        const char *p = ROWS[i].call;
        call_infer(table, &p, got, sizeof got);
        CHECK_HAS(got, ROWS[i].part);
    }
}

/* 20 indices over two tables of 12 columns in all: 120 elements are read and added. */
static void costs(void)
{
    static const struct {
        const char *call;
        double flops, read_bytes, write_bytes;
    } ROWS[] = {
        {PLAIN, 120, 120 * 4 + 20 * 8 + 7 * 8, 3 * 12 * 4},
        {LOOKUP("f16[80]", "f32[15]", "i32[20]", "i32[7]", "f32[20]", "[10, 5]", "[4, 8]", "1"),
         120, 120 * 2 + 20 * 4 + 7 * 4 + 20 * 4, 3 * 12 * 4},
        {UPDATE("f32[3, 12]"), 600, 120 * 2 + 3 * 12 * 4 + 20 * 8 + 7 * 8 + 20 * 4, 120 * 2},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        const char *p = ROWS[i].call;
        bound_call b;
        ob_err err;
        ob_value outputs[2];
        ob_cost cost;
        if (!bound_call_open(table, &p, &b, &err) ||
            b.op->row->shape(&b.call, outputs, &err) != OB_OK) {
            OB_TEST_FAIL("%s: %s", ROWS[i].call, err.message);
            continue;
        }
        CHECK_INT(b.op->row->cost(&b.call, outputs, &cost), OB_OK);
        CHECK_REAL(cost.flops, ROWS[i].flops);
        CHECK_REAL(cost.read_bytes, ROWS[i].read_bytes);
        CHECK_REAL(cost.write_bytes, ROWS[i].write_bytes);
        ob_value_fini(&outputs[0]);
        bound_call_close(&b);
    }
}

int main(void)
{
    CHECK_INT(ob_op_table_create(&table, NULL), OB_OK);
    RUN(shapes);
    RUN(refuses);
    RUN(costs);
    ob_op_table_destroy(table);
    return ob_test_end();
}
