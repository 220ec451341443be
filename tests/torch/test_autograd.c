/* SPDX-License-Identifier: Apache-2.0
 *
 * Gradients by torch's autograd: their values, where there are none, and the order of phases.
 */
#include "torch_test.h"

/* The gradients of one forward and backward. */
static void differentiate(torch_case *c)
{
    ob_err err;
    CHECK_OK(case_run(c, OB_PHASE_FORWARD, &err), err);
    CHECK_OK(case_run(c, OB_PHASE_MAKE_GRAD, &err), err);
    CHECK_OK(case_run(c, OB_PHASE_BACKWARD, &err), err);
    CHECK_OK(case_outputs(c, OB_PASS_BACKWARD, &err), err);
}

static void test_product(void)
{
    torch_case c;
    ob_err err;
    const ob_value args[] = {vector(1, 2, 3, true), vector(5, 6, 7, true)};
    const ob_op_table *core = ob_context_operators(context);
    CHECK_OK(case_open(&c, core, "torch.mul", args, 2, OB_PASS_BACKWARD, &err), err);
    CHECK(desc->has_backward(c.prepared));
    for (int round = 0; round < 2; round++) { /* cleared in between, so nothing adds up */
        differentiate(&c);
        CHECK_INT(c.output_count, 2);
        CHECK_REAL(f32_at(&c.outputs[0], 2), 7);
        CHECK_REAL(f32_at(&c.outputs[1], 2), 3);
        CHECK_OK(case_run(&c, OB_PHASE_ZERO_GRAD, &err), err);
    }
    CHECK_OK(case_outputs(&c, OB_PASS_BACKWARD, &err), err);
    CHECK_INT(c.outputs[0].kind, OB_VALUE_NONE); /* dropped */
    case_close(&c);
}

static void test_several_outputs(void)
{
    torch_case c;
    ob_err err;
    const ob_value max[] = {vector(3, 9, 4, true), ob_value_int(0)};
    CHECK_OK(case_open(&c, table, "aten::max", max, 2, OB_PASS_BACKWARD, &err), err);
    CHECK(desc->has_backward(c.prepared));
    differentiate(&c);
    CHECK_REAL(f32_at(&c.outputs[0], 0), 0);
    CHECK_REAL(f32_at(&c.outputs[0], 1), 1);
    case_close(&c);

    const ob_value split[] = {vector(1, 2, 3, true), ob_value_int(2)};
    CHECK_OK(case_open(&c, table, "aten::split", split, 2, OB_PASS_BACKWARD, &err), err);
    differentiate(&c);
    for (int i = 0; i < 3; i++)
        CHECK_REAL(f32_at(&c.outputs[0], i), 1);
    case_close(&c);
}

static void test_nothing_to_derive(void)
{
    torch_case c;
    ob_err err;
    const ob_value plain[] = {vector(1, 2, 3, false), vector(5, 6, 7, false)};
    CHECK_OK(case_open(&c, table, "aten::mul", plain, 2, OB_PASS_BACKWARD, &err), err);
    CHECK(!desc->has_backward(c.prepared));
    case_close(&c);
    const ob_value sign[] = {vector(1, 2, 3, true), vector(5, 6, 7, false)};
    CHECK_OK(case_open(&c, table, "aten::gt", sign, 2, OB_PASS_BACKWARD, &err), err);
    CHECK(!desc->has_backward(c.prepared));
    case_close(&c);
}

static void test_order(void)
{
    torch_case c;
    ob_err err;
    const ob_value args[] = {vector(1, 2, 3, true)};
    CHECK_OK(case_open(&c, table, "aten::neg", args, 1, OB_PASS_BACKWARD, &err), err);
    CHECK_INT(case_run(&c, OB_PHASE_BACKWARD, &err), OB_ERR_STATE);
    CHECK(strcmp(err.message, "no forward pass has run yet; run forward first") == 0);
    case_close(&c);
    const ob_value again[] = {vector(1, 2, 3, true)};
    CHECK_OK(case_open(&c, table, "aten::neg", again, 1, OB_PASS_FORWARD, &err), err);
    CHECK_INT(case_run(&c, OB_PHASE_MAKE_GRAD, &err), OB_ERR_STATE);
    CHECK(strcmp(err.message, "the case was prepared for forward only") == 0);
    case_close(&c);
}

static void test_in_place(void)
{
    torch_case c;
    ob_err err;
    const ob_value args[] = {vector(1, 2, 3, true), vector(10, 10, 10, false)};
    CHECK_OK(case_open(&c, table, "aten::add_", args, 2, OB_PASS_FORWARD, &err), err);
    CHECK_OK(case_run(&c, OB_PHASE_FORWARD, &err), err);
    CHECK_REAL(f32_at(&c.inputs[0], 0), 11);
    CHECK_OK(case_run(&c, OB_PHASE_RESTORE, &err), err);
    CHECK_REAL(f32_at(&c.inputs[0], 0), 1);
    case_close(&c);
}

int main(void)
{
    torch_open();
    RUN(test_product);
    RUN(test_several_outputs);
    RUN(test_nothing_to_derive);
    RUN(test_order);
    RUN(test_in_place);
    torch_close();
    return ob_test_end();
}
