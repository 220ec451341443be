/* SPDX-License-Identifier: Apache-2.0
 *
 * Front-end names: which operator they mean, and which overload a call takes.
 */
#include "bind_text.h"
#include "libtorch_table.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define F "torch.nn.functional."

static libtorch_table torch;

static void names_follow_the_rules(void)
{
    static const struct {
        const char *name, *base, *overload;
        bool known;
    } CASES[] = {
        {"torch.add", "aten::add", "", true},
        {"torch.add_", "aten::add_", "", true},
        {"torch.Tensor.view", "aten::view", "", true},
        {"Tensor.view", "aten::view", "", true},
        {"torch.Tensor.mul_", "aten::mul_", "", true},
        {"torch.Tensor.__iadd__", "aten::add_", "", true},
        {F "conv2d", "aten::conv2d", "", true},
        {F "linear", "aten::linear", "", true},
        {"torch.linalg.norm", "aten::linalg_norm", "", true},
        {"torch.fft.rfft2", "aten::fft_rfft2", "", true},
        {"torch.special.erf", "aten::special_erf", "", true},
        {"torch._C._nn.gelu", "aten::gelu", "", true},
        {"torch.spmm", "aten::mm", "", true},
        {"torch.sparse.mm", "aten::_sparse_mm", "", true},
        {"torch.sparse.sampled_addmm", "aten::sparse_sampled_addmm", "", true},
        {"torch.ops.aten.add", "aten::add", "", true},
        {"torch.ops.aten.add.Tensor", "aten::add", "Tensor", true},
        {"torch.ops.aten.mm.default", "aten::mm", "default", true},
        {"torch.ops.quantized.add", "quantized::add", "", true},
        {"aten.add.Tensor", "aten::add", "Tensor", true},
        {"aten::add", "aten::add", "", true},
        {"aten::add.Tensor", "aten::add", "Tensor", true},
        {"aten::add.Nothing", "aten::add", "Nothing", false},
        {"torch.nothing_of_the_sort", "aten::nothing_of_the_sort", "", false},
        {"mine::op", "mine::op", "", false},
        {"python::package.module.f", "python::package.module.f", "", false},
    };
    for (size_t i = 0; i < COUNT(CASES); i++) {
        ob_op_name name;
        ob_err err = {.code = OB_OK};
        CHECK_INT(ob_op_resolve_name(torch.table, CASES[i].name, &name, &err), OB_OK);
        CHECK_STR(name.base, CASES[i].base);
        CHECK_STR(name.overload, CASES[i].overload);
        CHECK_INT(name.known, CASES[i].known);
        CHECK(name.adapter == NULL);
    }
}

static void adapters_have_names(void)
{
    ob_op_name name;
    CHECK_INT(ob_op_resolve_name(torch.table, F "embedding", &name, NULL), OB_OK);
    CHECK_STR(name.base, "aten::embedding");
    CHECK(name.adapter != NULL && name.known);
    CHECK_INT(ob_op_resolve_name(torch.table, "Tensor.float", &name, NULL), OB_OK);
    CHECK_STR(name.base, "aten::to");
    CHECK_STR(name.overload, "dtype");
    CHECK(name.adapter != NULL);
}

static void other_names_are_not_found(void)
{
    static const struct {
        const char *name, *message;
    } CASES[] = {
        {F "softsign", "'torch.nn.functional.softsign' is not an operator"},
        {F "normalize", "is not an operator"},
        {F "local_response_norm", "is not an operator"},
        {"torch.nn.Linear", "'torch.nn.Linear' is not an operator"},
        {"torch.", "is not an operator"},
        {"torch.add.Tensor", "is not an operator"},
        {"torch.ops.aten", "is not an operator"},
        {"torch.ops.aten.add.Tensor.x", "is not an operator"},
        {"relu", "'relu' is not an operator; the nearest name is aten::relu"},
        {"", "is not an operator; give a name such as torch.add"},
        {F "rleu", "'torch.nn.functional.rleu' is not an operator; the nearest name is aten::relu"},
    };
    for (size_t i = 0; i < COUNT(CASES); i++) {
        ob_op_name name;
        ob_err err = {.code = OB_OK};
        CHECK_INT(ob_op_resolve_name(torch.table, CASES[i].name, &name, &err), OB_ERR_NOT_FOUND);
        CHECK_HAS(err.message, CASES[i].message);
        CHECK_STR(name.base, "");
    }
    char text[512];
    memset(text, 'x', sizeof text - 1);
    memcpy(text, "torch.", 6);
    text[sizeof text - 1] = '\0';
    ob_op_name name;
    ob_err err;
    CHECK_INT(ob_op_resolve_name(torch.table, text, &name, &err), OB_ERR_NOT_FOUND);
    CHECK_HAS(err.message, "is too long");
    memcpy(text, "aten::x.", 8);
    CHECK_INT(ob_op_resolve_name(torch.table, text, &name, &err), OB_ERR_NOT_FOUND);
    CHECK_HAS(err.message, "is too long");
}

typedef struct call_case {
    const char *call, *want;
} call_case;

static void check_calls(const call_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char got[2048];
        resolve_text(torch.table, cases[i].call, got, sizeof got);
        CHECK_STR(got, cases[i].want);
    }
}

static void overloads_are_chosen_by_type(void)
{
    static const call_case CASES[] = {
        {"torch.add(a2, b2)", "aten::add.Tensor(a2, b2, 1)"},
        {"torch.add(a2, 3)", "aten::add.Scalar(a2, 3, 1)"},
        {"torch.add(a2, b2, alpha=2)", "aten::add.Tensor(a2, b2, 2)"},
        {"torch.add(a2, b2, out=c2)", "aten::add.out(a2, b2, 1, c2)"},
        {"torch.add(a2, b2, out=None)", "aten::add.Tensor(a2, b2, 1)"},
        {"aten::add.out(a2, b2, out=c2)", "aten::add.out(a2, b2, 1, c2)"},
        {"torch.add_(a2, 3.5)", "aten::add_.Scalar(a2, 3.50000, 1)"},
        {"torch.Tensor.__radd__(a2, 1)", "aten::add.Scalar(a2, 1, 1)"},
        {"torch.div(a2, b2)", "aten::div.Tensor(a2, b2)"},
        {"torch.div(a2, b2, rounding_mode='floor')", "aten::div.Tensor_mode(a2, b2, 'floor')"},
        {"torch.div(a2, 2, rounding_mode=None)", "aten::div.Scalar_mode(a2, 2, None)"},
        {"torch.pow(a2, 2)", "aten::pow.Tensor_Scalar(a2, 2)"},
        {"torch.pow(2, a2)", "aten::pow.Scalar(2, a2)"},
        {"torch.pow(a2, b2)", "aten::pow.Tensor_Tensor(a2, b2)"},
        {"torch.sum(a2)", "aten::sum(a2, None)"},
        {"torch.sum(a2, 1)", "aten::sum.dim_IntList(a2, [1], False, None)"},
        {"torch.sum(a2, axis=[0, 1], keepdims=True)",
         "aten::sum.dim_IntList(a2, [0, 1], True, None)"},
        {"torch.sum(input=a2, dtype='float64')", "aten::sum(a2, float64)"},
        {"torch.var(a2, 1)", "aten::var.dim(a2, [1], True, False)"},
        {"torch.var(a2, False)", "aten::var(a2, False)"},
        {"torch.max(a2)", "aten::max(a2)"},
        {"torch.max(a2, b2)", "aten::max.other(a2, b2)"},
        {"torch.max(a2, 1)", "aten::max.dim(a2, 1, False)"},
        {"torch.max(a2, 1, out=(v1, i1))", "aten::max.dim_max(a2, 1, False, v1, i1)"},
        {"torch.mm(input=a2, mat2=b2)", "aten::mm(a2, b2)"},
        {"torch.baddbmm(a3, b3, c3, beta=0.5, alpha=2)", "aten::baddbmm(a3, b3, c3, 0.500000, 2)"},
        {"torch.softmax(a2, dim=1)", "aten::softmax.int(a2, 1, None)"},
        {"torch.where(c2, a2, 0)", "aten::where.ScalarOther(c2, a2, 0)"},
        {"torch.arange(5)", "aten::arange(5, None, None, None, None)"},
        {"torch.arange(1, 5)", "aten::arange.start(1, 5, None, None, None, None)"},
        {"torch.zeros([2, 3], dtype='float16', requires_grad=True)",
         "aten::zeros([2, 3], float16, None, None, None)"},
        {"torch.zeros(2, 3)", "aten::zeros([2, 3], None, None, None, None)"},
        /* Schemas and traces give keyword arguments by place. */
        {"aten::zeros([2, 3], 5)", "aten::zeros([2, 3], float16, None, None, None)"},
        {"torch.Tensor.view(a2, 3, 2)", "aten::view(a2, [3, 2])"},
        {"torch.Tensor.view(a2, [3, 2])", "aten::view(a2, [3, 2])"},
        {"torch.Tensor.view(a2, 'int32')", "aten::view.dtype(a2, int32)"},
        {"torch.Tensor.permute(a2, 1, 0)", "aten::permute(a2, [1, 0])"},
        {"torch.Tensor.to(a2, 'float16')", "aten::to.dtype(a2, float16, False, False, None)"},
        {"torch.Tensor.to(a2, 5)", "aten::to.dtype(a2, float16, False, False, None)"},
        {"torch.cat([a2, b2], 1)", "aten::cat([a2, b2], 1)"},
        {"torch.conv2d(a4, w4, None, 2)", "aten::conv2d(a4, w4, None, [2, 2], [0, 0], [1, 1], 1)"},
        {"torch.conv2d(a4, w4, padding='same')",
         "aten::conv2d.padding(a4, w4, None, [1, 1], 'same', [1, 1], 1)"},
        {"torch.mean(x=a2)", "aten::mean(a2, None)"},
        {"torch.ops.aten.mm.default(a2, b2)", "aten::mm(a2, b2)"},
        {"aten::mm.default(a2, b2)", "aten::mm(a2, b2)"},
        {"torch.clamp(a2, max=1)", "aten::clamp(a2, None, 1)"},
        {"torch.Tensor.uniform_(a2)", "aten::uniform_(a2, 0.00000, 1.00000, None)"},
        {"torch.index_select(a2, 0, i1)", "aten::index_select(a2, 0, i1)"},
    };
    check_calls(CASES, COUNT(CASES));
}

static void calls_that_fit_nothing_are_explained(void)
{
    static const call_case CASES[] = {
        {"torch.mm(a2)", "OB_ERR_INVALID: aten::mm: argument 'mat2' (Tensor) is missing"},
        {"torch.mm(a2, 1)", "OB_ERR_INVALID: aten::mm: argument 'mat2' must be Tensor, not int"},
        {"aten::mm(input=a2, mat2=b2)", "OB_ERR_INVALID: aten::mm has no argument 'input'; its "
                                        "arguments are: self, mat2"},
        {"torch.permute(a2, 1, 0)", "OB_ERR_INVALID: aten::permute takes 2 arguments, 3 given"},
        {"aten::zeros(2, 3)", "OB_ERR_INVALID: no overload of aten::zeros takes these arguments: "
                              "aten::zeros: argument 'size' must be SymInt[], not int; "},
        {"aten::add(a2, a2, 1, 2)", "aten::add.Tensor takes 2 positional arguments, 4 given"},
        {"aten::add.Nothing(a2)",
         "OB_ERR_NOT_FOUND: aten::add has no overload 'Nothing'; it has: aten::add."},
        {"torch.ad(a2)", "OB_ERR_NOT_FOUND: there is no operator aten::ad (for 'torch.ad'); the "
                         "nearest name is aten::add"},
        {"mine::qqqqqqqqqqqqqqqqqqqq(a2)",
         "OB_ERR_NOT_FOUND: there is no operator mine::qqqqqqqqqqqqqqqqqqqq (for "
         "'mine::qqqqqqqqqqqqqqqqqqqq'); a backend that brings its own operators may add it"},
        {"torch.add(a2, 'x')",
         "OB_ERR_INVALID: no overload of torch.add takes these arguments: aten::add."},
        {"torch.add(a2, 'x')", "aten::add.Tensor: argument 'other' must be Tensor, not str 'x'"},
        {"torch.add(a2, 'x')", "aten::add.Scalar: argument 'other' must be Scalar, not str 'x'"},
        {"quantized::ad(a2)", "the nearest name is quantized::add"},
    };
    for (size_t i = 0; i < COUNT(CASES); i++) {
        char got[2048];
        resolve_text(torch.table, CASES[i].call, got, sizeof got);
        CHECK_HAS(got, CASES[i].want);
    }
}

int main(void)
{
    libtorch_table_init(&torch);
    RUN(names_follow_the_rules);
    RUN(adapters_have_names);
    RUN(other_names_are_not_found);
    RUN(overloads_are_chosen_by_type);
    RUN(calls_that_fit_nothing_are_explained);
    libtorch_table_fini(&torch);
    return ob_test_end();
}
