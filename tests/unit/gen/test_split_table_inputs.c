/* SPDX-License-Identifier: Apache-2.0
 *
 * The generator of split embedding tables: offsets exactly, indices by their distribution, weights
 * by their moments, and what is refused.
 */
#include "check.h"
#include "gen/split_table.h"

#include <stdlib.h>

enum { SLOTS = 7 };

static ob_value args[SLOTS];
static ob_generated got;
static ob_err err;

static void finish(void)
{
    for (int i = 0; i < SLOTS; i++)
        ob_value_fini(&args[i]);
}

/* Arguments one after the other, as JSON values; extra are attributes of the pooling factor. */
typedef struct entry {
    const char *tables, *rows, *dims, *batch, *pooling, *weighted, *extra;
} entry;

static ob_status generate(const entry *e, uint64_t seed)
{
    static char text[2048];
    ob_json_doc *doc = NULL;
    ob_rng rng;
    ob_rng_init(&rng, seed, 0);
    finish();
    ob_err_clear(&err);
    snprintf(text, sizeof text,
             "{\"args\": [{\"value\": %s}, {\"value\": %s}, {\"value\": %s}, {\"value\": %s}, "
             "{\"value\": %s%s}, {\"value\": %s}, {\"value\": \"fp32\"}], \"kwargs\": {}}",
             e->tables, e->rows, e->dims, e->batch, e->pooling, e->extra ? e->extra : "",
             e->weighted);
    CHECK_INT(ob_json_parse("test", text, strlen(text), NULL, &doc, &err), OB_OK);
    got = (ob_generated){.args = args, .arg_count = SLOTS};
    const ob_generator_desc *desc = &ob__split_table_generator;
    const ob_status checked = desc->validate(NULL, ob_json_doc_root(doc), &err);
    const ob_status status = desc->generate(
        &(ob_generate_args){.entry = ob_json_doc_root(doc), .op_name = "x", .rng = &rng}, &got,
        &err);
    CHECK_INT(checked, status);
    ob_json_doc_destroy(doc);
    return status;
}

static const int64_t *integers(size_t i, int64_t count)
{
    const ob_tensor *t = args[i].as.tensor;
    CHECK_INT(args[i].kind, OB_VALUE_TENSOR);
    CHECK_INT(t->dtype, OB_DTYPE_I64);
    CHECK_INT(t->ndim, 1);
    CHECK_INT(t->sizes[0], count);
    CHECK(!t->requires_grad);
    return ob_tensor_data(t);
}

static void one_table(void)
{
    static const entry e = {"1", "50", "8", "3", "4", "false", NULL};
    CHECK_INT(generate(&e, 1), OB_OK);
    CHECK_INT(got.arg_count, 3);
    CHECK_INT(got.kwarg_count, 0);
    const int64_t *indices = integers(0, 12);
    bool differ = false;
    for (int i = 0; i < 12; i++) {
        CHECK(indices[i] >= 0 && indices[i] < 50);
        differ = differ || indices[i] != indices[0];
    }
    CHECK(differ);
    static const int64_t want[] = {0, 4, 8, 12};
    CHECK_INT(memcmp(integers(1, 4), want, sizeof want), 0);
    CHECK_INT(args[2].kind, OB_VALUE_NONE);
}

/* Offsets run on; lists may hold arguments, as a genericlist does. */
static void several_tables(void)
{
    static const entry e = {
        "2",
        "[3, 1000]",
        "[8, 16]",
        "2",
        "[{\"type\": \"int\", \"value\": 1}, {\"type\": \"int\", \"value\": 3}]",
        "true",
        NULL};
    static const int64_t want[] = {0, 1, 2, 5, 8};
    CHECK_INT(generate(&e, 1), OB_OK);
    CHECK_INT(memcmp(integers(1, 5), want, sizeof want), 0);
    const int64_t *indices = integers(0, 8);
    CHECK(indices[0] < 3 && indices[1] < 3);
    CHECK_INT(args[2].as.tensor->dtype, OB_DTYPE_F32);
    CHECK_INT(args[2].as.tensor->sizes[0], 8);
}

/* A plain number holds for every table. */
static void one_number_for_all_tables(void)
{
    static const entry e = {"3", "5", "8", "2", "4", "true", NULL};
    static const int64_t want[] = {0, 4, 8, 12, 16, 20, 24};
    CHECK_INT(generate(&e, 1), OB_OK);
    CHECK_INT(memcmp(integers(1, 7), want, sizeof want), 0);
    const int64_t *indices = integers(0, 24);
    for (int i = 0; i < 24; i++)
        CHECK(indices[i] >= 0 && indices[i] < 5);
    static const entry mixed = {"2", "5", "8", "2", "[1, 2]", "false", NULL};
    static const int64_t offsets[] = {0, 1, 2, 4, 6};
    CHECK_INT(generate(&mixed, 1), OB_OK);
    CHECK_INT(memcmp(integers(1, 5), offsets, sizeof offsets), 0);
}

static void linear_indices(void)
{
    static const entry by_pooling = {"1", "100", "8", "2", "3", "false", ", \"distribution\": 0"};
    static const entry by_rows = {"1", "4", "8", "2", "3", "false", ", \"distribution\": 0.5"};
    static const int64_t want[2][6] = {{0, 1, 2, 0, 1, 2}, {0, 1, 2, 3, 0, 1}};
    CHECK_INT(generate(&by_pooling, 1), OB_OK);
    CHECK_INT(memcmp(integers(0, 6), want[0], sizeof want[0]), 0);
    CHECK_INT(generate(&by_rows, 1), OB_OK);
    CHECK_INT(memcmp(integers(0, 6), want[1], sizeof want[1]), 0);
    /* A pooling factor above the number of rows never leaves the table. */
    static const entry wide = {"1", "2", "8", "1", "5", "false", ", \"distribution\": 0"};
    static const int64_t wrapped[] = {0, 1, 0, 1, 0};
    CHECK_INT(generate(&wide, 1), OB_OK);
    CHECK_INT(memcmp(integers(0, 5), wrapped, sizeof wrapped), 0);
}

/* Zipf with exponent 2: P(1) is 6 / pi^2, and 1 stands for index 1. */
static void zipf_indices(void)
{
    static const entry e = {"1", "1000", "8", "100", "100", "false", ", \"distribution\": 2"};
    int ones = 0;
    CHECK_INT(generate(&e, 1), OB_OK);
    const int64_t *indices = integers(0, 10000);
    for (int i = 0; i < 10000; i++) {
        CHECK(indices[i] >= 0 && indices[i] < 1000);
        ones += indices[i] == 1;
    }
    CHECK_NEAR(ones / 10000.0, 0.6079, 0.02);
}

static void uniform_indices_and_normal_weights(void)
{
    static const entry e = {"1", "10", "8", "100", "100", "true", NULL};
    double mean = 0, squares = 0;
    int counts[10] = {0};
    CHECK_INT(generate(&e, 1), OB_OK);
    const int64_t *indices = integers(0, 10000);
    const float *weights = ob_tensor_data(args[2].as.tensor);
    for (int i = 0; i < 10000; i++) {
        counts[indices[i]]++;
        mean += (double)weights[i] / 10000;
        squares += (double)weights[i] * (double)weights[i] / 10000;
    }
    for (int i = 0; i < 10; i++)
        CHECK_NEAR(counts[i], 1000, 150);
    CHECK_NEAR(mean, 0, 0.05);
    CHECK_NEAR(squares, 1, 0.05);
}

static void same_seed_same_data(void)
{
    static const entry e = {"1", "1000", "8", "4", "4", "true", NULL};
    int64_t first[16];
    CHECK_INT(generate(&e, 5), OB_OK);
    memcpy(first, integers(0, 16), sizeof first);
    CHECK_INT(generate(&e, 5), OB_OK);
    CHECK_INT(memcmp(first, integers(0, 16), sizeof first), 0);
    CHECK_INT(generate(&e, 6), OB_OK);
    CHECK(memcmp(first, integers(0, 16), sizeof first) != 0);
}

static void nothing_at_all(void)
{
    static const entry e = {"1", "10", "8", "0", "5", "true", NULL};
    CHECK_INT(generate(&e, 1), OB_OK);
    (void)integers(0, 0);
    CHECK_INT(*integers(1, 1), 0);
}

static void refuse(const entry *e, const char *part)
{
    CHECK_INT(generate(e, 1), OB_ERR_CONFIG);
    CHECK_INT(got.arg_count, 0);
    CHECK_HAS(err.message, part);
}

static void says_what_is_wrong(void)
{
    refuse(&(const entry){"0", "10", "8", "1", "1", "true", NULL}, "num_tables must be at least 1");
    refuse(&(const entry){"2000000", "10", "8", "1", "1", "true", NULL}, "at most 1048576");
    refuse(&(const entry){"1", "0", "8", "1", "1", "true", NULL},
           "rows must be one number of at least 1, or a list of one per table");
    CHECK_STR(err.path, ".args[1].value");
    refuse(&(const entry){"2", "[5]", "8", "1", "[1, 1]", "true", NULL},
           "rows must be one number of at least 1, or a list of one per table");
    refuse(&(const entry){"2", "[5, 6, 7]", "8", "1", "[1, 1]", "true", NULL},
           "rows must be one number of at least 1, or a list of one per table");
    refuse(&(const entry){"2", "[5, \"x\"]", "8", "1", "[1, 1]", "true", NULL},
           "rows must be one number of at least 1, or a list of one per table");
    refuse(&(const entry){"1", "10", "8", "-1", "1", "true", NULL},
           "batch_size must be a whole number of at least 0");
    refuse(&(const entry){"1", "10", "8", "1", "-1", "true", NULL},
           "pooling_factor must be one number of at least 0, or a list of one per table");
    refuse(&(const entry){"1", "10", "8", "1", "1", "3", NULL}, "weighted must be true or false");
    refuse(&(const entry){"1", "10", "8", "4611686018427387904", "4", "true", NULL},
           "more indices than fit in memory");
    refuse(&(const entry){"1", "10", "8", "1", "1", "true", ", \"distribution\": -1"},
           "distribution must be a number from 0 to 100");
    refuse(&(const entry){"1", "10", "8", "1", "1", "true", ", \"indices_tensor\": \"f.pt\""},
           "files written by torch.save;");
}

static void needs_seven_arguments(void)
{
    static const char text[] = "{\"args\": [{\"value\": 1}]}";
    ob_json_doc *doc = NULL;
    ob_err_clear(&err);
    CHECK_INT(ob_json_parse("test", text, strlen(text), NULL, &doc, &err), OB_OK);
    CHECK_INT(ob__split_table_generator.validate(NULL, ob_json_doc_root(doc), &err), OB_ERR_CONFIG);
    CHECK_HAS(err.message, "needs seven arguments");
    CHECK_INT(ob__split_table_generator.validate(NULL, NULL, &err), OB_ERR_CONFIG);
    ob_json_doc_destroy(doc);
}

int main(void)
{
    RUN(one_table);
    RUN(several_tables);
    RUN(one_number_for_all_tables);
    RUN(linear_indices);
    RUN(zipf_indices);
    RUN(uniform_indices_and_normal_weights);
    RUN(same_seed_same_data);
    RUN(nothing_at_all);
    RUN(says_what_is_wrong);
    RUN(needs_seven_arguments);
    finish();
    return ob_test_end();
}
