/* SPDX-License-Identifier: Apache-2.0
 *
 * The operators inside a case, summed by name and pass.
 */
#include "check.h"
#include "run/chrome_trace.h"

enum { MOST = 8 };

typedef struct taken {
    ob_record_kernel rows[MOST];
    char names[MOST][32];
    size_t count;
} taken;

static ob_status take(void *ctx, const ob_record *record, ob_err *err)
{
    taken *t = ctx;
    (void)err;
    CHECK_INT(record->kind, OB_RECORD_KERNEL_LINE);
    CHECK_STR(record->kernel.case_op_name, "torch.x");
    CHECK_STR(record->kernel.case_id, "0|0|1");
    if (t->count == MOST)
        return OB_ERR_LIMIT;
    snprintf(t->names[t->count], sizeof t->names[0], "%s %s", record->kernel.name,
             record->kernel.pass);
    t->rows[t->count++] = record->kernel;
    return OB_OK;
}

static void sum(const char *line, taken *t)
{
    ob_record_reader *reader = NULL;
    const ob_record *record = NULL;
    *t = (taken){.count = 0};
    CHECK_INT(ob_record_reader_open_memory("t", line, strlen(line), NULL, &reader, NULL), OB_OK);
    CHECK_INT(ob_record_reader_next(reader, &record, NULL), OB_OK);
    if (record != NULL)
        CHECK_INT(ob__profile_sum_kernels(record, take, t, NULL), OB_OK);
    ob_record_reader_close(reader);
}

static void test_nested_calls(void)
{
    taken t;
    sum("{\"op_name\": \"torch.x\", \"id\": \"0|0|1\", \"kernel_iterations\": 7, \"kernels\": ["
        "[\"a\", \"forward\", 0, 0, 100], [\"b\", \"forward\", 1, 10, 30],"
        "[\"a\", \"forward\", 2, 15, 10], [\"b\", \"forward\", 1, 50, 20],"
        "[\"b\", \"backward\", 0, 200, 5]]}\n",
        &t);
    CHECK_INT(t.count, 3);
    CHECK_STR(t.names[0], "a forward");
    CHECK_INT(t.rows[0].calls, 2);
    CHECK_INT(t.rows[0].iterations, 7);
    CHECK_REAL(t.rows[0].total_ns, 100); /* the inner a is part of the outer one */
    CHECK_REAL(t.rows[0].own_ns, 60);    /* 100 - 30 - 20, and 10 */
    CHECK_STR(t.names[1], "b forward");
    CHECK_INT(t.rows[1].calls, 2);
    CHECK_REAL(t.rows[1].total_ns, 50);
    CHECK_REAL(t.rows[1].own_ns, 40); /* 30 - 10, and 20 */
    CHECK_STR(t.names[2], "b backward");
    CHECK_REAL(t.rows[2].total_ns, 5);
}

static void test_odd_lines(void)
{
    taken t;
    sum("{\"op_name\": \"torch.x\", \"id\": \"0|0|1\"}\n", &t);
    CHECK_INT(t.count, 0);
    sum("{\"op_name\": \"torch.x\", \"id\": \"0|0|1\", \"kernels\": [1, [], [\"a\"], {}]}\n", &t);
    CHECK_INT(t.count, 0);
    sum("{\"finish_time\": \"now\"}\n", &t);
    CHECK_INT(t.count, 0);
}

int main(void)
{
    RUN(test_nested_calls);
    RUN(test_odd_lines);
    return ob_test_end();
}
