/* SPDX-License-Identifier: Apache-2.0
 *
 * Results of the reference that are judged once the backend has run: by what was there before it overwrote its operands, and
 * only whole.
 */
#include "native_test.h"

enum { ROWS = 300, COLUMNS = 3, STEP = 2 }; /* every second row of its memory */

static native_subject subject;

typedef struct judged_case {
    ob_graph *graph;
    ob_tensor x;
    ob_value input;
    ob_reference *reference;
} judged_case;

/* The reference of statements over one tensor x; their last result is the output. */
static void case_open(judged_case *c, const char *text)
{
    const int64_t sizes[] = {ROWS, COLUMNS}, strides[] = {STEP * COLUMNS, 1};
    ob_err err;
    ob_err_clear(&err);
    *c = (judged_case){.graph = NULL};
    CHECK_INT(ob_tensor_init(&c->x, OB_DTYPE_F32, sizes, 2, strides, &err), OB_OK);
    float *elements = ob_tensor_data(&c->x);
    for (int i = 0; i < ((ROWS - 1) * STEP + 1) * COLUMNS; i++)
        elements[i] = (float)(i % 7 + 1);
    CHECK_INT(ob_value_init_tensor(&c->input, &c->x, &err), OB_OK);
    CHECK_INT(ob_graph_create(ob_context_operators(subject.context), &c->graph, &err), OB_OK);
    CHECK_INT(ob_graph_add_input(c->graph, "x", &c->input, NULL, &err), OB_OK);
    CHECK_INT(ob_graph_add_text(c->graph, text, NULL, 0, &err), OB_OK);
    const ob_edge_id last = (ob_edge_id)(c->graph->edge_count - 1);
    CHECK_INT(ob_graph_set_outputs(c->graph, &last, 1, &err), OB_OK);
    const ob_reference_args args = {.host = ob_host_get(),
                                    .graph = c->graph,
                                    .inputs = &c->input,
                                    .input_count = 1,
                                    .seconds = 1,
                                    .most_seconds = 10,
                                    .seed = 1};
    CHECK_INT(subject.desc->reference->compute(&args, &c->reference, &err), OB_OK);
    CHECK_STR(err.message, "");
}

static void case_end(judged_case *c)
{
    subject.desc->reference->destroy(c->reference);
    ob_graph_destroy(c->graph);
    ob_value_fini(&c->input);
    ob_tensor_fini(&c->x);
}

static const ob_reference_result *result_of(const judged_case *c)
{
    return subject.desc->reference->result(c->reference, OB_PASS_FORWARD, 0);
}

static bool judge(const judged_case *c)
{
    ob_reason why;
    return subject.desc->reference->judge(c->reference, OB_PASS_FORWARD, 0, &c->x, &why);
}

/* Every element times `factor`, but every second, which becomes zero. */
static void overwrite(const judged_case *c, float factor)
{
    float *elements = ob_tensor_data(&c->x);
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        float *at = &elements[i / COLUMNS * STEP * COLUMNS + i % COLUMNS];
        *at = i % 2 == 0 ? 0 : *at * factor;
    }
}

static void test_overwritten_operand(void)
{
    judged_case c;
    case_open(&c, "y = dropout_(x, 0.5, True)");
    CHECK_INT(result_of(&c)->kind, OB_REFERENCE_JUDGED);
    CHECK(!judge(&c)); /* nothing was dropped */
    overwrite(&c, 2);
    CHECK(judge(&c));
    overwrite(&c, 2);
    CHECK(!judge(&c)); /* twice as large as they should be */
    case_end(&c);
}

static void test_moments_of_strided(void)
{
    judged_case c;
    case_open(&c, "y = bernoulli_.float(x, 0.5)");
    CHECK_INT(result_of(&c)->kind, OB_REFERENCE_JUDGED);
    CHECK(!judge(&c));
    case_end(&c);
}

/* What the first call drew says nothing of what the second made of it. */
static void test_changed_after(void)
{
    static const char *const UNKNOWN[] = {
        "y = uniform_(x); z = add_(y, 5)",          "y = uniform_(x); z = mul(y, 5)",
        "p = randperm(10); y = narrow(p, 0, 0, 5)", "y = uniform_(x); z = narrow(y, 0, 0, 5)",
        "y = uniform_(x); z = transpose(y, 0, 1)",
    };
    for (size_t i = 0; i < sizeof UNKNOWN / sizeof *UNKNOWN; i++) {
        judged_case c;
        case_open(&c, UNKNOWN[i]);
        CHECK_INT(result_of(&c)->kind, OB_REFERENCE_UNKNOWN);
        CHECK_STR(result_of(&c)->reason, "it is random");
        case_end(&c);
    }
}

static void test_drawn_again(void)
{
    judged_case c;
    case_open(&c, "y = normal_(x, 100, 1); z = bernoulli_.float(y, 0.5)");
    CHECK_INT(result_of(&c)->kind, OB_REFERENCE_UNKNOWN); /* it is made from what is random */
    case_end(&c);
    case_open(&c, "y = normal_(x, 100, 1); z = uniform_(y, 0, 1)");
    CHECK_INT(result_of(&c)->kind, OB_REFERENCE_JUDGED);
    float *elements = ob_tensor_data(&c.x);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        elements[i / COLUMNS * STEP * COLUMNS + i % COLUMNS] = (float)i / (ROWS * COLUMNS);
    CHECK(judge(&c));
    case_end(&c);
}

int main(void)
{
    subject_open(&subject, 1);
    RUN(test_overwritten_operand);
    RUN(test_moments_of_strided);
    RUN(test_changed_after);
    RUN(test_drawn_again);
    subject_close(&subject);
    return ob_test_end();
}
