/* SPDX-License-Identifier: Apache-2.0
 *
 * What the native backend says to values that only a run can judge: indices outside of what they
 * index, offsets that fall, gradients that do not fit. It never reads or writes outside a tensor.
 */
#include "golden_values.h"
#include "native_test.h"

static native_subject subject;

/* f: a float tensor of zeros; i: integers. */
#define F(sizes, zeros) "{\"tensor\":\"f32\",\"sizes\":" sizes ",\"data\":" zeros "}"
#define I(sizes, data) "{\"tensor\":\"i64\",\"sizes\":" sizes ",\"data\":" data "}"
#define F3 F("[3]", "[0,0,0]")
#define F32 F("[3,2]", "[0,0,0,0,0,0]")
#define F23 F("[2,3]", "[0,0,0,0,0,0]")

static const struct {
    const char *op, *args, *message;
} CASES[] = {
    {"aten::gather", "[" F32 ",0," I("[1,2]", "[0,3]") "]",
     "aten::gather: index has the index 3, which is not in [0, 3)"},
    {"aten::gather", "[" F32 ",1," I("[1,1]", "[-1]") "]", "the index -1, which is not in [0, 2)"},
    {"aten::index_select", "[" F32 ",0," I("[2]", "[1,7]") "]",
     "the index 7, which is not in [0, 3)"},
    {"aten::index.Tensor", "[" F32 ",[" I("[2]", "[-3,3]") "]]",
     "indices has the index 3, which is not in [0, 3)"},
    {"aten::index.Tensor", "[" F32 ",[" I("[1]", "[-4]") "]]",
     "the index -4, which is not in [0, 3)"},
    {"aten::index_put", "[" F32 ",[" I("[1]", "[9]") "]," F("[1,2]", "[0,0]") "]",
     "the index 9, which is not in [0, 3)"},
    {"aten::index_add", "[" F32 ",0," I("[1]", "[3]") "," F("[1,2]", "[0,0]") "]",
     "the index 3, which is not in [0, 3)"},
    {"aten::scatter.src", "[" F32 ",1," I("[1,1]", "[2]") "," F("[1,1]", "[0]") "]",
     "the index 2, which is not in [0, 2)"},
    {"aten::scatter_add", "[" F32 ",0," I("[1,1]", "[-9]") "," F("[1,1]", "[0]") "]",
     "the index -9, which is not in [0, 3)"},
    {"aten::embedding", "[" F32 "," I("[2]", "[0,3]") "]", "the index 3, which is not in [0, 3)"},
    {"aten::embedding_dense_backward", "[" F23 "," I("[2]", "[0,5]") ",4,-1,false]",
     "the index 5, which is not in [0, 4)"},
    {"aten::embedding_dense_backward", "[" F23 "," I("[3]", "[0,1,2]") ",4,-1,false]",
     "grad_output is [2, 3]; it must have a row of 3 elements for each of the 3 indices"},
    {"aten::_embedding_bag", "[" F32 "," I("[2]", "[0,-1]") "," I("[1]", "[0]") "]",
     "the index -1, which is not in [0, 3)"},
    {"aten::_embedding_bag", "[" F32 "," I("[2]", "[0,1]") "," I("[2]", "[0,3]") "]",
     "offset 1 is 3; offsets must rise from 0 to at most 2"},
    {"aten::_embedding_bag", "[" F32 "," I("[2]", "[0,1]") "," I("[1]", "[1]") "]",
     "offset 0 is 1; offsets must rise from 0"},
    {"aten::one_hot", "[" I("[1]", "[4]") ",4]", "self has the index 4, which is not in [0, 4)"},
    {"aten::nll_loss_forward", "[" F32 "," I("[3]", "[0,1,2]") ",null,1,-100]",
     "target has the index 2, which is not in [0, 2)"},
    {"aten::nll_loss_backward",
     "[" F("[]", "[1]") "," F32 "," I("[3]", "[0,1,-5]") ",null,1,-100," F("[]", "[3]") "]",
     "target has the index -5, which is not in [0, 2)"},
    {"aten::nll_loss_backward",
     "[" F3 "," F32 "," I("[3]", "[0,1,1]") ",null,1,-100," F("[]", "[3]") "]",
     "grad_output is [3]; it must have 1 element"},
    {"aten::max_pool2d_with_indices_backward",
     "[" F("[1,1,1]", "[1]") "," F("[1,2,2]", "[0,0,0,0]") ",[2,2],[2,2],[0,0],[1,1],false," I(
         "[1,1,1]", "[4]") "]",
     "is outside its plane of 4 elements"},
};

static ob_status run_case(const ob_json *args, const char *op, ob_err *err)
{
    ob_value values[16] = {{.kind = OB_VALUE_NONE}};
    native_case c = {0};
    ob_status status = OB_OK;
    const size_t count = ob_json_count(args);
    for (size_t i = 0; i < count && status == OB_OK; i++)
        status = golden_read(ob_json_item(args, i), OB_DTYPE_F64, &values[i], err);
    const ob_call call = {.args = values, .arg_count = count};
    if (status == OB_OK)
        status = case_build(&c, &subject, op, NULL, &call, false, err);
    if (status == OB_OK)
        status = case_prepare(&c, err);
    if (status == OB_OK)
        status = case_run(&c, OB_PHASE_FORWARD, err);
    case_close(&c);
    for (size_t i = 0; i < count; i++)
        ob_value_fini(&values[i]);
    return status;
}

static void names_the_bad_value(void)
{
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        ob_json_doc *doc = NULL;
        ob_err err;
        ob_err_clear(&err);
        CHECK_INT(ob_json_parse("case", CASES[i].args, strlen(CASES[i].args), NULL, &doc, &err),
                  OB_OK);
        CHECK_INT(run_case(ob_json_doc_root(doc), CASES[i].op, &err), OB_ERR_INVALID);
        CHECK_HAS(err.message, CASES[i].message);
        ob_json_doc_destroy(doc);
    }
}

/* What a config may ask for and this backend cannot have is told before anything is prepared. */
static void refuses_other_devices(void)
{
    ob_tensor tensor;
    ob_value value = {.kind = OB_VALUE_NONE};
    native_case c = {0};
    ob_err err;
    ob_err_clear(&err);
    CHECK_INT(ob_tensor_init(&tensor, OB_DTYPE_F32, (int64_t[]){2, 3}, 2, NULL, &err), OB_OK);
    CHECK_INT(ob_device_parse("cuda:1", 6, &tensor.device, &err), OB_OK);
    CHECK_INT(ob_value_init_tensor(&value, &tensor, &err), OB_OK);
    ob_tensor_fini(&tensor);
    const ob_call call = {.args = &value, .arg_count = 1};
    CHECK_INT(case_build(&c, &subject, "aten::relu", NULL, &call, false, &err), OB_OK);
    CHECK_INT(case_prepare(&c, &err), OB_ERR_UNSUPPORTED);
    CHECK_HAS(err.message, "should be on the device cuda, but the native backend only has cpu;");
    case_close(&c);
    ob_value_fini(&value);
}

/* A pass is supported with all that its backward calls. */
static void judges_the_backward(void)
{
    ob_tensor tensor;
    ob_value value = {.kind = OB_VALUE_NONE};
    native_case c = {0};
    ob_reason why = {.text = ""};
    ob_err err;
    ob_err_clear(&err);
    CHECK_INT(ob_tensor_init(&tensor, OB_DTYPE_F32, (int64_t[]){2, 3}, 2, NULL, &err), OB_OK);
    tensor.requires_grad = true;
    CHECK_INT(ob_value_init_tensor(&value, &tensor, &err), OB_OK);
    ob_tensor_fini(&tensor);
    const ob_call call = {.args = &value, .arg_count = 1};
    CHECK_INT(case_build(&c, &subject, "aten::relu", NULL, &call, false, &err), OB_OK);
    CHECK_INT(subject.desc->supports(subject.backend, c.graph, OB_PASS_BACKWARD, &why), OB_OK);
    case_close(&c);
    ob_value_fini(&value);
}

int main(void)
{
    subject_open(&subject, 1);
    RUN(names_the_bad_value);
    RUN(refuses_other_devices);
    RUN(judges_the_backward);
    subject_close(&subject);
    subject_open(&subject, 2);
    RUN(names_the_bad_value);
    subject_close(&subject);
    return ob_test_end();
}
