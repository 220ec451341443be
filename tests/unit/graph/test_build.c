/* SPDX-License-Identifier: Apache-2.0
 *
 * From a config's operator to a graph: operators, composites, modules, schemas given as build, and how
 * inputs become edges.
 */
#include "graph_test.h"

/* The printed graph, or NULL and the error. */
static char *build_text(const char *name, const ob_call *build, const ob_call *input, ob_err *err)
{
    ob_graph *graph = NULL;
    char *text = NULL;
    ob_err_clear(err);
    if (ob_graph_build(test_table, name, build, input, &graph, err) == OB_OK)
        CHECK_INT(ob_graph_print(graph, &text, NULL), OB_OK);
    else
        CHECK(graph == NULL);
    ob_graph_destroy(graph);
    return text;
}

static void check(const char *name, const ob_call *build, const ob_call *input, const char *want)
{
    ob_err err;
    char *text = build_text(name, build, input, &err);
    if (text == NULL)
        OB_TEST_FAIL("%s: %s", name, err.message);
    CHECK_STR(text, want);
    free(text);
}

static void check_error(const char *name, const ob_call *build, const ob_call *input,
                        ob_status code, const char *part)
{
    ob_err err;
    char *text = build_text(name, build, input, &err);
    CHECK(text == NULL);
    CHECK_INT(err.code, code);
    CHECK_HAS(err.message, part);
    free(text);
}

static void operators(void)
{
    ob_value args[] = {tensor_value("f32[2, 3]+"), tensor_value("f32[3]")};
    ob_value alpha = ob_value_double(0.5);
    const char *names[] = {"alpha"};
    const ob_call input = {
        .args = args, .arg_count = 2, .kwarg_names = names, .kwargs = &alpha, .kwarg_count = 1};
    const char *want = "# input_0: f32[2, 3], input requires_grad\n"
                       "# input_1: f32[3], input\n"
                       "# alpha: 0.5, input\n"
                       "add = aten::add.Tensor(input_0, input_1, alpha=0.5);\n"
                       "# return add\n";
    check("torch.add", NULL, &input, want);
    check("aten::add", NULL, &input, want);
    check("aten::add.Tensor", NULL, &input, want);
    const ob_call empty = {.arg_count = 0};
    check("torch.add", &empty, &input, want); /* a build without arguments is none */
    const ob_call one = {.args = args, .arg_count = 1};
    check("torch.nn.functional.softsign", NULL, &one,
          "# input_0: f32[2, 3], input requires_grad\n"
          "abs = aten::abs(input_0);\n"
          "add = aten::add.Scalar(abs, 1, 1);\n"
          "div = aten::div.Tensor(input_0, add);\n"
          "# return div\n");
    check("torch.relu_", NULL, &one,
          "# input_0: f32[2, 3], input requires_grad\n"
          "relu_ = aten::relu_(input_0);\n"
          "# return relu_\n");
    check_error("torch.no_such", NULL, &one, OB_ERR_NOT_FOUND, "torch.no_such");
    check_error("torch.add", &one, &one, OB_ERR_INVALID, "takes no build arguments");
    check_error("torch.mm", NULL, &input, OB_ERR_INVALID, "alpha");
    ob_value_fini(&args[0]);
    ob_value_fini(&args[1]);
}

/* A list with tensors is one edge per tensor; other inputs keep their values. */
static void list_inputs(void)
{
    ob_value args[2];
    CHECK_INT(ob_value_init_list(&args[0], OB_VALUE_TUPLE, 2, NULL), OB_OK);
    args[0].as.list.items[0] = tensor_value("f32[2, 3]");
    args[0].as.list.items[1] = tensor_value("f32[4, 3]+");
    args[1] = ob_value_int(0);
    const ob_call input = {.args = args, .arg_count = 2};
    check("torch.cat", NULL, &input,
          "# input_0_0: f32[2, 3], input\n"
          "# input_0_1: f32[4, 3], input requires_grad\n"
          "# input_1: 0, input\n"
          "cat = aten::cat([input_0_0, input_0_1], 0);\n"
          "# return cat\n");

    ob_value values[4];
    size_t count = 4;
    CHECK_INT(ob_graph_flatten_inputs(&input, values, &count, NULL), OB_OK);
    CHECK_INT(count, 3);
    CHECK_STR(meta_text(&values[0]), "f32[2, 3]");
    CHECK_STR(meta_text(&values[1]), "f32[4, 3]");
    CHECK_INT(values[2].kind, OB_VALUE_INT);
    for (size_t i = 0; i < count; i++)
        ob_value_fini(&values[i]);
    count = 2;
    CHECK_INT(ob_graph_flatten_inputs(&input, values, &count, NULL), OB_ERR_LIMIT);
    CHECK_INT(count, 0);
    ob_value_fini(&args[0]);
}

static void list_output(void)
{
    ob_value args[] = {tensor_value("f32[4, 3]"), ob_value_int(2)};
    const ob_call input = {.args = args, .arg_count = 2};
    check("torch.split", NULL, &input,
          "# input_0: f32[4, 3], input\n"
          "# input_1: 2, input\n"
          "split = aten::split.Tensor(input_0, 2, 0);\n"
          "# return split\n");
    ob_value_fini(&args[0]);
}

static void several_outputs(void)
{
    ob_value args[] = {tensor_value("f32[4, 3]"), ob_value_int(1)};
    const ob_call input = {.args = args, .arg_count = 2};
    check("torch.max", NULL, &input,
          "# input_0: f32[4, 3], input\n"
          "# input_1: 1, input\n"
          "max, max_3 = aten::max.dim(input_0, 1, False);\n"
          "# return max, max_3\n");
    ob_value_fini(&args[0]);
}

static void modules(void)
{
    ob_value build_args[] = {ob_value_int(3), ob_value_int(4)};
    ob_value no_bias = ob_value_bool(false);
    const char *names[] = {"bias"};
    const ob_call build = {.args = build_args, .arg_count = 2};
    const ob_call build_plain = {.args = build_args,
                                 .arg_count = 2,
                                 .kwarg_names = names,
                                 .kwargs = &no_bias,
                                 .kwarg_count = 1};
    ob_value x = tensor_value("f32[2, 3]");
    const ob_call input = {.args = &x, .arg_count = 1};
    const char *input_name[] = {"input"};
    const ob_call by_name = {.kwarg_names = input_name, .kwargs = &x, .kwarg_count = 1};
    check("torch.nn.Linear", &build, &input,
          "# input_0: f32[2, 3], input\n"
          "# weight: f32[4, 3], parameter uniform(0.5773502691896258)\n"
          "# bias: f32[4], parameter uniform(0.5773502691896258)\n"
          "linear = aten::linear(input_0, weight, bias);\n"
          "# return linear\n");
    check("torch.nn.Linear", &build_plain, &by_name,
          "# input: f32[2, 3], input\n"
          "# weight: f32[4, 3], parameter uniform(0.5773502691896258)\n"
          "linear = aten::linear(input, weight, None);\n"
          "# return linear\n");
    check_error("torch.nn.Linear", NULL, &input, OB_ERR_INVALID, "torch.nn.Linear: ");
    check_error("torch.nn.Linear", NULL, &input, OB_ERR_INVALID,
                "torch.nn.Linear: the build is missing; it holds the constructor's arguments: (int "
                "in_features, int out_features, bool bias=True");
    const ob_call none = {.arg_count = 0};
    check("torch.nn.Identity", NULL, &input,
          "# input_0: f32[2, 3], input\n"
          "# return input_0\n");
    check_error("torch.nn.Identity", NULL, &none, OB_ERR_INVALID, "input");
    check_error("torch.nn.NoSuch", &build, &input, OB_ERR_NOT_FOUND, "torch.nn.NoSuch");
    ob_value_fini(&x);
}

/* A tensor given to build is a buffer, or a parameter when it requires a gradient. */
static void tensors_in_build(void)
{
    ob_value weight = tensor_value("f32[3]");
    ob_value args[] = {tensor_value("f32[4, 3]+"), tensor_value("i64[4]")};
    const char *names[] = {"weight"};
    const ob_call build = {.kwarg_names = names, .kwargs = &weight, .kwarg_count = 1};
    const ob_call input = {.args = args, .arg_count = 2};
    check("torch.nn.CrossEntropyLoss", &build, &input,
          "# input_0: f32[4, 3], input requires_grad\n"
          "# input_1: i64[4], input\n"
          "# weight: f32[3], buffer\n"
          "cross_entropy_loss = aten::cross_entropy_loss(input_0, input_1, weight, 1, -100, 0.0);\n"
          "# return cross_entropy_loss\n");
    ob_value_fini(&weight);
    ob_value_fini(&args[0]);
    ob_value_fini(&args[1]);

    const char *embedding_names[] = {"_weight"};
    ob_value sizes[] = {ob_value_int(5), ob_value_int(3)};
    ob_value given = tensor_value("f32[5, 3]+"), index = tensor_value("i64[2]");
    const ob_call embedding = {.args = sizes,
                               .arg_count = 2,
                               .kwarg_names = embedding_names,
                               .kwargs = &given,
                               .kwarg_count = 1};
    const ob_call indices = {.args = &index, .arg_count = 1};
    check("torch.nn.Embedding", &embedding, &indices,
          "# input_0: i64[2], input\n"
          "# _weight: f32[5, 3], parameter\n"
          "embedding = aten::embedding(_weight, input_0, -1, False, False);\n"
          "# return embedding\n");
    ob_value_fini(&given);
    ob_value_fini(&index);
}

/* PARAM's way: the build of an aten:: operator is one schema string, whose name counts. */
static void schema_builds(void)
{
    ob_value args[] = {tensor_value("f32[2, 3]"), tensor_value("f32[3]")};
    static const struct {
        const char *op, *schema, *want;
    } good[] = {
        {"aten::neg", "aten::neg(Tensor self) -> Tensor", "aten::neg(input_0)"},
        {"aten::anything", "aten::neg(Tensor self) -> Tensor", "aten::neg(input_0)"},
        {"aten::anything", "aten::sum(Tensor self, *, ScalarType? dtype=None) -> Tensor",
         "aten::sum(input_0, dtype=None)"},
        /* Without a row of that exact name the types choose the overload. */
        {"aten::mul", "aten::mul(Tensor self, Tensor other) -> Tensor",
         "aten::mul.Tensor(input_0, input_1)"},
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        const ob_call call = {.args = args,
                              .arg_count = strstr(good[i].schema, "other") != NULL ? 2 : 1};
        ob_err err;
        ob_value schema = str_value(good[i].schema);
        const ob_call build = {.args = &schema, .arg_count = 1};
        char *text = build_text(good[i].op, &build, &call, &err);
        CHECK_HAS(text, good[i].want);
        free(text);
        ob_value_fini(&schema);
    }
    const ob_call input = {.args = args, .arg_count = 1};
    static const struct {
        const char *schema, *part;
        ob_status code;
    } bad[] = {
        {"aten::no_such_op(Tensor self) -> Tensor", "aten::no_such_op", OB_ERR_NOT_FOUND},
        {"aten::neg.wrong(Tensor self) -> Tensor", "aten::neg.wrong", OB_ERR_NOT_FOUND},
        {"aten::neg(Tensor self -> Tensor", "", OB_ERR_SYNTAX},
        {"", "", OB_ERR_SYNTAX},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ob_value schema = str_value(bad[i].schema);
        const ob_call build = {.args = &schema, .arg_count = 1};
        check_error("aten::neg", &build, &input, bad[i].code, bad[i].part);
        ob_value_fini(&schema);
    }
    ob_value number = ob_value_int(3);
    const ob_call no_string = {.args = &number, .arg_count = 1};
    check_error("aten::neg", &no_string, &input, OB_ERR_INVALID, "one positional string");
    ob_value_fini(&args[0]);
    ob_value_fini(&args[1]);
}

static void training_mode(void)
{
    ob_value p = ob_value_double(0.25), x = tensor_value("f32[2, 3]");
    const ob_call build = {.args = &p, .arg_count = 1}, input = {.args = &x, .arg_count = 1};
    check("torch.nn.Dropout", &build, &input,
          "# input_0: f32[2, 3], input\n"
          "dropout = aten::dropout(input_0, 0.25, True);\n"
          "# return dropout\n");
    ob_value_fini(&x);
    ob_value features = ob_value_int(3), image = tensor_value("f32[2, 3, 4, 4]");
    const ob_call norm = {.args = &features, .arg_count = 1};
    const ob_call images = {.args = &image, .arg_count = 1};
    check("torch.nn.BatchNorm2d", &norm, &images,
          "# input_0: f32[2, 3, 4, 4], input\n"
          "# weight: f32[3], parameter ones\n"
          "# bias: f32[3], parameter zeros\n"
          "# running_mean: f32[3], buffer zeros\n"
          "# running_var: f32[3], buffer ones\n"
          "# num_batches_tracked: i64[], buffer zeros\n"
          "add_ = aten::add_.Scalar(num_batches_tracked, 1, 1);\n"
          "batch_norm = aten::batch_norm(input_0, weight, bias, running_mean, running_var, True, "
          "0.1, 1e-05, True);\n"
          "# return batch_norm\n");
    ob_value_fini(&image);
}

int main(void)
{
    open_table();
    RUN(operators);
    RUN(list_inputs);
    RUN(list_output);
    RUN(several_outputs);
    RUN(modules);
    RUN(tensors_in_build);
    RUN(schema_builds);
    RUN(training_mode);
    ob_op_table_destroy(test_table);
    return ob_test_end();
}
