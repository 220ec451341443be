/* SPDX-License-Identifier: Apache-2.0
 *
 * Shape rules: the file of calls with PyTorch's own answers, the rules that matter most by name,
 * and what a call that does not fit is told.
 */
#include "check.h"
#include "op/call_text.h"

static ob_op_table *table;

typedef struct shape_case {
    const char *call;
    const char *want;
} shape_case;

static void check_cases(const shape_case *cases, size_t count)
{
    static char got[1 << 14];
    for (size_t i = 0; i < count; i++) {
        const char *p = cases[i].call;
        call_infer(table, &p, got, sizeof got);
        ob_test_checks++;
        if (strcmp(got, cases[i].want) != 0)
            OB_TEST_FAIL("%s is\n  \"%s\", want\n  \"%s\"", cases[i].call, got, cases[i].want);
    }
}
#define CHECK_CASES(cases) check_cases(cases, sizeof(cases) / sizeof(cases)[0])

static void replays_what_pytorch_gives(void)
{
    static char line[1 << 14];
    int lines = 0;
    FILE *file = fopen(OB_SOURCE_DIR "/tests/golden/shapes.txt", "r");
    CHECK(file != NULL);
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (line[0] == '#')
            continue;
        line[strcspn(line, "\n")] = '\0';
        char *arrow = strstr(line, " -> ");
        if (arrow == NULL) {
            OB_TEST_FAIL("no result in \"%s\"", line);
            break;
        }
        *arrow = '\0';
        const shape_case one = {.call = line, .want = arrow + 4};
        check_cases(&one, 1);
        lines++;
    }
    if (file != NULL)
        fclose(file);
    CHECK(lines > 2000);
}

static void promotes_dtypes(void)
{
    static const shape_case cases[] = {
        {"aten::add.Tensor(f32[2, 3], i64[3])", "f32[2, 3]"},
        /* A tensor without dimensions counts less than one with, a number least of all. */
        {"aten::add.Tensor(i32[2], i64[])", "i32[2]"},
        {"aten::add.Tensor(f16[2], f64[])", "f16[2]"},
        {"aten::add.Tensor(i64[2], f64[])", "f64[2]"},
        {"aten::add.Tensor(f16[2], bf16[2])", "f32[2]"},
        {"aten::add.Tensor(u8[2], i8[2])", "i16[2]"},
        {"aten::add.Scalar(i8[2], 3)", "i8[2]"},
        {"aten::add.Scalar(i8[2], 1.5)", "f32[2]"},
        {"aten::add.Scalar(bool[2], 3)", "i64[2]"},
        {"aten::add.Scalar(f16[2], 1.5)", "f16[2]"},
        {"aten::div.Tensor(i64[2], i64[2])", "f32[2]"},
        {"aten::div.Tensor_mode(i64[2], i64[2], rounding_mode=\"floor\")", "i64[2]"},
        {"aten::eq.Tensor(f32[2, 1], i64[3])", "bool[2, 3]"},
        {"aten::exp(i32[4])", "f32[4]"},
        {"aten::abs(c64[4])", "f32[4]"},
        {"aten::sum(i8[4])", "i64[]"},
        {"aten::any(u8[4])", "u8[]"},
        {"aten::argmax(f16[4, 5], 1)", "i64[4]"},
        {"aten::where.self(bool[3], f32[2, 1], f64[])", "f32[2, 3]"},
    };
    CHECK_CASES(cases);
}

static void keeps_strides_of_views(void)
{
    static const shape_case cases[] = {
        {"aten::transpose.int(f32[2, 3, 4], 0, -1)", "f32[4, 3, 2]/[1, 4, 12]"},
        {"aten::permute(f32[2, 3, 4], [2, 0, 1])", "f32[4, 2, 3]/[1, 12, 4]"},
        {"aten::expand(f32[3, 1], [2, 3, 4])", "f32[2, 3, 4]/[0, 1, 0]"},
        {"aten::slice.Tensor(f32[8, 4], 0, 1, 7, 3)", "f32[2, 4]/[12, 1]"},
        {"aten::select.int(f32[2, 3, 4], 2, -1)", "f32[2, 3]/[12, 4]"},
        {"aten::view(f32[4, 3]/[3, 1], [2, 2, -1])", "f32[2, 2, 3]"},
        {"aten::view(f32[4, 6]/[12, 1], [2, 2, 3, 2])", "f32[2, 2, 3, 2]/[24, 12, 2, 1]"},
        {"aten::reshape(f32[3, 4]/[1, 3], [12])", "f32[12]"},
        {"aten::unbind.int(f32[2, 3], 1)", "[f32[2]/[3], f32[2]/[3], f32[2]/[3]]"},
        {"aten::add.Tensor(f32[2, 3]/[1, 2], f32[2, 3]/[1, 2])", "f32[2, 3]/[1, 2]"},
        {"aten::clone(f32[2, 3]/[1, 2])", "f32[2, 3]/[1, 2]"},
        {"aten::contiguous(f32[2, 3]/[1, 2])", "f32[2, 3]"},
    };
    CHECK_CASES(cases);
}

static void sizes_windows(void)
{
    static const shape_case cases[] = {
        {"aten::conv2d(f32[2, 3, 224, 224], f32[64, 3, 7, 7], None, [2, 2], [3, 3])",
         "f32[2, 64, 112, 112]"},
        {"aten::conv2d(f32[3, 8, 8], f32[4, 3, 3, 3])", "f32[4, 6, 6]"},
        {"aten::conv1d(f32[2, 4, 10], f32[6, 2, 3], None, [2], [1], [2], 2)", "f32[2, 6, 4]"},
        {"aten::convolution(f32[1, 4, 5], f32[4, 2, 3], None, [2], [1], [1], True, [1], 2)",
         "f32[1, 4, 10]"},
        {"aten::max_pool2d(f32[1, 2, 6, 6], [3, 3], [2, 2], [0, 0], [1, 1], False)",
         "f32[1, 2, 2, 2]"},
        {"aten::max_pool2d(f32[1, 2, 6, 6], [3, 3], [2, 2], [0, 0], [1, 1], True)",
         "f32[1, 2, 3, 3]"},
        /* The last window would lie in the padding alone. */
        {"aten::avg_pool2d(f32[1, 1, 3, 3], [2, 2], [2, 2], [1, 1], True)", "f32[1, 1, 2, 2]"},
        {"aten::convolution_backward(f32[1, 2, 3, 3], f32[1, 1, 3, 3], f32[2, 1, 3, 3], [2], "
         "[1, 1], [1, 1], [1, 1], False, [0, 0], 1, [True, False, True])",
         "f32[1, 1, 3, 3], None, f32[2]"},
    };
    CHECK_CASES(cases);
}

static void joins_with_legacy_empties(void)
{
    static const shape_case cases[] = {
        {"aten::cat([f32[0], f32[2, 3], f32[2, 1]], 1)", "f32[2, 4]"},
        {"aten::cat([f32[0], f32[0]], 0)", "f32[0]"},
        {"aten::cat([i64[2], f16[3]], 0)", "f16[5]"},
        {"aten::chunk(f32[5], 4)", "[f32[2], f32[2], f32[1]]"},
        {"aten::_foreach_add_.Scalar([f32[2]], 1)", "()"},
    };
    CHECK_CASES(cases);
}

static void says_what_does_not_fit(void)
{
    static const shape_case cases[] = {
        {"aten::mm(f32[2, 3], f32[4, 5])",
         "error: mm: self is [2, 3] and mat2 is [4, 5]; the 3 and the 4 must be equal"},
        {"aten::mm(f32[2, 3], f64[3, 5])",
         "error: mm: self is float32 and mat2 is float64; both must have the same dtype"},
        {"aten::mv(f32[2, 3], f64[3])",
         "error: mv: self is float32 and vec is float64; both must have the same dtype"},
        {"aten::addmv(f32[2], f32[2, 3], f64[3])",
         "error: addmv: mat is float32 and vec is float64; both must have the same dtype"},
        {"aten::mm(f32[2], f32[3, 5])", "error: mm: self is [2]; it must have 2 dimensions"},
        {"aten::bmm(f32[2, 3, 4], f32[3, 4, 5])",
         "error: bmm: self is [2, 3, 4] and mat2 is [3, 4, 5]; the 2 and the 3 must be equal"},
        {"aten::addmm(f32[7], f32[2, 3], f32[3, 5])",
         "error: addmm: self is [7]; it must expand to [2, 5]"},
        {"aten::matmul(f32[2, 3, 4], f32[3, 4, 5])",
         "error: matmul: the batch of self is [2] and that of other is [3]; the 2 and the 3 must "
         "be "
         "equal, or one of them 1"},
        {"aten::add.Tensor(f32[2, 3], f32[2, 4])",
         "error: add: self is [2, 3] and other is [2, 4]; the 3 and the 4 must be equal, or one of "
         "them 1"},
        {"aten::add_.Tensor(f32[3], f32[2, 3])", "error: add_: self is [3] and the result is [2, "
                                                 "3]; an in-place operator cannot grow self, "
                                                 "use the form without the underscore"},
        {"aten::div_.Tensor(i64[3], i64[3])",
         "error: div_: the result is float32 and self is int64, which cannot hold it; use the form "
         "without the underscore"},
        {"aten::div.Tensor_mode(f32[3], f32[3], rounding_mode=\"up\")",
         "error: div: rounding_mode is \"up\"; it must be None, \"trunc\" or \"floor\""},
        {"aten::gelu(i64[3])", "error: gelu: self is int64; it must be a floating dtype"},
        {"aten::bitwise_not(f32[3])",
         "error: bitwise_not: self is float32; it must be a bool or integer dtype"},
        {"aten::sum.dim_IntList(f32[2, 3], [0, -2])",
         "error: sum: dimension 0 is in dim twice; name it once"},
        {"aten::sum.dim_IntList(f32[2, 3], [2])",
         "error: sum: dim is 2 for a tensor of 2 dimensions; it must be from -2 to 1"},
        {"aten::mean(i64[2])", "error: mean: self is int64; it must be a floating dtype"},
        {"aten::remainder.Scalar(i64[2], 0)",
         "error: remainder: other is 0; integers cannot be divided by it"},
        {"aten::div.Scalar_mode(i32[2], False, rounding_mode=\"floor\")",
         "error: div: other is 0; integers cannot be divided by it"},
        {"aten::uniform_(f32[2], 2, 1)",
         "error: uniform_: from is 2 and to is 1; from must not be larger"},
        {"aten::normal_(f32[2], 0, -1)", "error: normal_: std is -1; it must not be negative"},
        {"aten::searchsorted.Tensor(f32[6], f32[2], sorter=i64[1])",
         "error: searchsorted: sorter is [1]; it must be [6]"},
        {"aten::searchsorted.Tensor(f32[6], f32[2], sorter=u8[6])",
         "error: searchsorted: sorter is uint8; indices must be int64"},
        {"aten::searchsorted.Tensor(f32[6], f32[2], side=\"up\")",
         "error: searchsorted: side is \"up\"; it must be \"left\" or \"right\""},
        {"aten::embedding_dense_backward(f32[2, 3], i64[3], 4, -1, False)",
         "error: embedding_dense_backward: grad_output is [2, 3]; it must have a row of 3 elements "
         "for each of the 3 indices"},
        {"aten::_embedding_bag_dense_backward(f32[4, 3], i64[7], i64[7], i64[4], i64[4], 6, False, "
         "0, f32[])",
         "error: _embedding_bag_dense_backward: indices is [7] and per_sample_weights is []; both "
         "must be equal"},
        {"aten::_embedding_bag_dense_backward(f32[4, 3], i64[7], i64[6], i64[4], i64[4], 6, False, "
         "0, None)",
         "error: _embedding_bag_dense_backward: offset2bag is [6]; it must have 7 elements"},
        {"aten::_embedding_bag_dense_backward(f32[4, 3], i64[7], i64[7], i64[4], i64[4, 2], 6, "
         "False, 2, None)",
         "error: _embedding_bag_dense_backward: maximum_indices is [4, 2]; it must have 12 "
         "elements"},
        {"aten::convolution_backward(f32[1, 3, 5], f32[64, 2, 9], f32[3, 2, 3], [3], [2], [1], "
         "[1], False, [0], 1, [True, True, True])",
         "error: convolution_backward: grad_output is [1, 3, 5]; it must be [64, 3, 5]"},
        {"aten::constant_pad_nd(f32[2, 5], [-10, 20])",
         "error: constant_pad_nd: pad [-10, 20] leaves no valid size of dimension 1 of [2, 5]"},
        {"aten::max(f32[0, 2])",
         "error: max: self is [0, 2]; the dimensions that are reduced must not be empty"},
        {"aten::topk(f32[3], 4)",
         "error: topk: k is 4 and self is [3]; k must be from 0 to the size of dimension 0"},
        {"aten::_softmax(i64[3], 0, False)",
         "error: _softmax: self is int64; give a floating tensor or dtype="},
        {"aten::layer_norm(f32[2, 3], [2])",
         "error: layer_norm: input is [2, 3] and normalized_shape is [2]; input must end with "
         "normalized_shape"},
        {"aten::native_batch_norm(f32[2, 3], f32[2], None, None, None, True, 0.1, 1e-5)",
         "error: native_batch_norm: weight is [2]; it must be [3]"},
        {"aten::native_batch_norm(f32[2, 3], None, None, None, None, False, 0.1, 1e-5)",
         "error: native_batch_norm: running_mean and running_var are needed when training is "
         "False"},
        {"aten::group_norm(f32[2, 3], 2)",
         "error: group_norm: 3 channels do not divide into 2 groups"},
        {"aten::conv2d(f32[1, 3, 8, 8], f32[4, 2, 3, 3])",
         "error: conv2d: input is [1, 3, 8, 8] and weight is [4, 2, 3, 3] with groups 1; input has "
         "3 channels where weight expects 2"},
        {"aten::conv2d(f32[1, 3, 2, 2], f32[4, 3, 3, 3])",
         "error: conv2d: the output would have size 0 in spatial dimension 0: input 2, kernel 3, "
         "padding 0, dilation 1; enlarge the input or the padding"},
        {"aten::conv2d(f32[1, 3, 4, 4], f32[4, 3, 3, 3], f32[3])",
         "error: conv2d: bias is [3]; it must be [4], one per output channel"},
        {"aten::conv2d(f32[1, 3, 4, 4], f32[4, 3, 3, 3], None, [1, 1, 1])",
         "error: conv2d: stride has 3 entries; it must have 1 or 2"},
        {"aten::max_pool2d(f32[1, 3, 4, 4], [2, 2], [2, 2], [2, 2])",
         "error: max_pool2d: padding is 2 and kernel_size is 2; padding must be at most half of "
         "it"},
        {"aten::embedding(f32[2], i64[2])",
         "error: embedding: weight is [2]; it must have 2 dimensions"},
        {"aten::embedding(f32[2, 2], f32[2])",
         "error: embedding: indices is float32; indices must be int64 or int32"},
        {"aten::_embedding_bag(f32[2, 2], i64[4], i64[1], False, 1, False, f32[4])",
         "error: _embedding_bag: per_sample_weights only goes with mode 0 (sum)"},
        {"aten::one_hot(i64[3])",
         "error: one_hot: num_classes is -1, so the shape depends on the data; give num_classes"},
        {"aten::cat([f32[2, 3], f32[3, 4]], 0)",
         "error: cat: tensor 1 is [3, 4] where the ones before it make [2, 3]; all sizes but that "
         "of dimension 0 must be equal"},
        {"aten::cat([], 0)", "error: cat: tensors is empty; give at least one tensor"},
        {"aten::stack([f32[2], f32[3]], 0)",
         "error: stack: tensor 1 is [3] and tensor 0 is [2]; both must be equal"},
        {"aten::split_with_sizes(f32[5], [2, 2])",
         "error: split_with_sizes: the sizes add up to 4 and dimension 0 is 5; both must be equal"},
        {"aten::view(f32[2, 3], [4])",
         "error: view: self is [2, 3], which has 6 elements; they do not fit into [4]"},
        {"aten::reshape(f32[2, 0, 6], [4611686018427387903, 0, 6])",
         "error: reshape: self is [2, 0, 6], which has 0 elements; they do not fit into "
         "[4611686018427387903, 0, 6]"},
        {"aten::view(f32[2, 3]/[1, 2], [6])",
         "error: view: self is [2, 3] with strides [1, 2], which cannot be viewed as [6] without a "
         "copy; use reshape"},
        {"aten::expand(f32[2], [3])", "error: expand: self is [2]; it does not expand to [3] (only "
                                      "sizes of 1 grow, new dimensions come first)"},
        {"aten::permute(f32[2, 3], [0, 0])",
         "error: permute: self is [2, 3] and dims is [0, 0]; dims must name each dimension once"},
        {"aten::select.int(f32[2], 0, 2)",
         "error: select: index 2 is not in dimension 0 of [2]; give one from -2 to 1"},
        {"aten::gather(f32[2, 2], 0, i64[2, 3])",
         "error: gather: self is [2, 2] and index is [2, 3]; it needs the same number of "
         "dimensions, and no size larger than self's except in dimension 0"},
        {"aten::scatter.src(f32[5], 0, i64[5], f32[])",
         "error: scatter: index is [5] and src is []; index needs the same number of dimensions "
         "and no larger size"},
        {"aten::scatter_add(f32[5], 0, i64[5], f32[])",
         "error: scatter_add: index is [5] and src is []; index needs the same number of "
         "dimensions and no larger size"},
        {"aten::index_add(f32[], 0, i64[5], f32[])",
         "error: index_add: self is [], index is [5] and source is []; source must be like self "
         "with one entry per index in dimension 0"},
        {"aten::index_select(f32[], 0, i64[5])",
         "error: index_select: self has no dimensions and index has 5 elements; it must have 1"},
        {"aten::where.Scalar(f32[2, 1], 22, True)",
         "error: where: condition is float32; it must be bool"},
        {"aten::where.self(i64[2], f32[2], f32[2])",
         "error: where: condition is int64; it must be bool"},
        {"aten::masked_fill.Scalar(f32[2], f32[2], 1)",
         "error: masked_fill: mask is float32; it must be bool"},
        {"aten::masked_fill_.Scalar(f32[2], f32[2], 1)",
         "error: masked_fill_: mask is float32; it must be bool"},
        {"aten::masked_fill_.Tensor(f32[2], bool[2], f32[3])",
         "error: masked_fill_: value is [3]; it must have 0 dimensions"},
        {"aten::index.Tensor(f32[2], [bool[2]])",
         "error: index: index 0 is a mask, so the shape depends on the data; use integer indices, "
         "or where"},
        {"aten::nll_loss(f32[2, 3], i64[3])",
         "error: nll_loss: self is [2, 3] and target is [3]; target must be like self without its "
         "class dimension 1"},
        {"aten::mse_loss(f32[2], f32[2], 3)",
         "error: mse_loss: reduction is 3; it must be 0 (none), 1 (mean) or 2 (sum)"},
        {"aten::native_dropout(f32[2], 1.5, True)",
         "error: native_dropout: p is 1.5; a probability is from 0 to 1"},
        {"aten::_foreach_add.List([f32[2]], [f32[2], f32[2]])",
         "error: _foreach_add: self has 1 entries and other has 2; both need the same number"},
        {"aten::arange.start_step(0, 5, -1)", "error: arange: from 0 to 5 in steps of -1 never "
                                              "ends; give a step that leads from start to end"},
    };
    CHECK_CASES(cases);
}

/* Numbers that overflow, too many dimensions, empty things: an error or an answer, no crash. */
static void survives_extremes(void)
{
    static const char *const refused[] = {
        "aten::prelu(f32[1, 3, 1], f32[1, 3, 1])",
        "aten::zeros([4611686018427387904, 4])",
        "aten::zeros([-1])",
        "aten::repeat(f32[2, 2], [4611686018427387904, 4611686018427387904])",
        "aten::mm(f32[3000000000, 1], f32[1, 4000000000])",
        "aten::outer(f32[4000000000], f32[4000000000])",
        "aten::expand(f32[1], [4611686018427387904, 4])",
        "aten::constant_pad_nd(f32[4], [9223372036854775807, 9223372036854775807])",
        "aten::conv1d(f32[1, 1, 4], f32[1, 1, 3], None, [1], [9223372036854775807])",
        "aten::conv1d(f32[1, 1, 4], f32[1, 1, 3], None, [0])",
        "aten::conv1d(f32[1, 1, 4], f32[1, 1, 3], None, [1], [0], [1], 0)",
        "aten::conv1d(f32[1, 1, 4], f32[1, 1, 3], None, [1], [0], [1], 9223372036854775807)",
        "aten::max_pool1d(f32[1, 1, 4], [9223372036854775807])",
        "aten::unsqueeze(f32[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1], 0)",
        "aten::stack([f32[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]], 0)",
        "aten::chunk(f32[0, 2], 9223372036854775807)",
        "aten::split.Tensor(f32[2], -1)",
        "aten::split.Tensor(f32[2], 0)",
        "aten::view(f32[0, 2], [-1, 0])",
        "aten::view(f32[4], [4611686018427387904, 4])",
        "aten::as_strided(f32[4], [2], [-1])",
        "aten::pixel_shuffle(f32[1, 4, 2, 2], 9223372036854775807)",
        "aten::native_group_norm(f32[2, 3], None, None, 4611686018427387904, 4, 2, 1, 1e-5)",
        "aten::slice.Tensor(f32[4, 2], 0, 0, 4, 0)",
        "aten::arange.start_step(0, 1e300, 1e-300)",
        "aten::arange.start_step(0, 1, 0)",
        "aten::linspace(0, 1, -1)",
        "aten::embedding_dense_backward(f32[], i64[2], 3, -1, False)",
        "aten::t(f32[1, 1, 1])",
        "aten::tril(f32[3])",
        "aten::diagonal(f32[3, 3], 0, 1, 1)",
        "aten::randint(0, [2])",
        "aten::upsample_nearest2d.vec(f32[1, 1, 2, 2], None, [1e300, 1.0])",
        "aten::index_put(f32[2, 3], [i64[2]], f32[4])",
        "aten::_adaptive_avg_pool2d(f32[1, 2, 3, 3]/[18, 1, 6, 2], [4611686018427387904, 4])",
        "aten::select_backward(f32[4], [1, 4], 2, 0)",
        "aten::select_backward(f32[4], [1, -4], 0, 0)",
        "aten::select_backward(f32[], [], 0, 0)",
        "aten::select_backward(f32[4], [4611686018427387904, 4], 0, 0)",
        "aten::slice_backward(f32[4], [4], 0, 0, 4, 0)",
        "aten::slice_backward(f32[4], [4], 0, 0, 4, -1)",
        "aten::diagonal_backward(f32[3], [3, 3], 0, 1, 1)",
        "aten::diagonal_backward(f32[3], [3, 3], 0, 0, 2)",
        "aten::diagonal_backward(f32[3], [3], 0, 0, 1)",
    };
    static char got[1 << 14];
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        const char *p = refused[i];
        call_infer(table, &p, got, sizeof got);
        ob_test_checks++;
        if (strncmp(got, "error: ", 7) != 0 || strlen(got) < 12)
            OB_TEST_FAIL("%s is \"%s\", want an error", refused[i], got);
    }
    /* What would write outside of its result: the gradient must be where the view was. */
    static const shape_case told[] = {
        {"aten::select_backward(f32[4], [1, 4], 0, 500)",
         "error: select_backward: index 500 is not in dimension 0 of [1, 4]; give one from -1 to "
         "0"},
        {"aten::select_backward(f32[4], [1, 4], 0, -2)",
         "error: select_backward: index -2 is not in dimension 0 of [1, 4]; give one from -1 to 0"},
        {"aten::select_backward(f32[4], [0, 4], 0, 0)",
         "error: select_backward: dimension 0 of [0, 4] is empty, so no index is valid"},
        {"aten::select_backward(f32[5], [1, 4], 0, 0)",
         "error: select_backward: grad_output is [5]; it must expand to [4]"},
        {"aten::slice_backward(f32[4], [4], 0, 1, 9223372036854775807, 1)",
         "error: slice_backward: grad_output is [4]; it must expand to [3]"},
        {"aten::slice_backward(f32[2], [4], 0, 3, 1, 1)",
         "error: slice_backward: grad_output is [2]; it must expand to [0]"},
        {"aten::diagonal_backward(f32[3], [3, 3], 500, 0, 1)",
         "error: diagonal_backward: grad_output is [3]; it must expand to [0]"},
        {"aten::_softmax_backward_data(f32[1], f32[40000], 0, f32)",
         "error: _softmax_backward_data: grad_output is [1]; it must be [40000]"},
        {"aten::_log_softmax_backward_data(f32[1], f32[40000], 0, f32)",
         "error: _log_softmax_backward_data: grad_output is [1]; it must be [40000]"},
        {"aten::binary_cross_entropy_backward(f32[], f32[100], f32[4], None, 1)",
         "error: binary_cross_entropy_backward: self is [100] and target is [4]; the 100 and the 4 "
         "must be equal, or one of them 1"},
        {"aten::binary_cross_entropy_backward(f32[], f32[100], f32[100], f32[4], 1)",
         "error: binary_cross_entropy_backward: weight is [4]; it must expand to [100]"},
        {"aten::huber_loss_backward(f32[2], f32[9], f32[9], 0, 1.0)",
         "error: huber_loss_backward: grad_output is [2]; it must expand to [9]"},
        {"aten::native_layer_norm_backward(f32[2, 3], f32[2, 3], [3], f32[1], f32[2, 1], None, "
         "None, "
         "[True, True, True])",
         "error: native_layer_norm_backward: mean is [1]; it must have 2 elements"},
        {"aten::native_layer_norm_backward(f32[2, 1], f32[2, 3], [3], f32[2, 1], f32[2, 1], None, "
         "None, [True, True, True])",
         "error: native_layer_norm_backward: grad_out is [2, 1]; it must be [2, 3]"},
        {"aten::native_batch_norm_backward(f32[2, 3], f32[9, 3], f32[3], None, None, f32[3], "
         "f32[3], "
         "True, 1e-5, [True, True, True])",
         "error: native_batch_norm_backward: grad_out is [2, 3]; it must be [9, 3]"},
        {"aten::native_batch_norm_backward(f32[9, 3], f32[9, 3], f32[3], None, None, f32[0], "
         "f32[3], "
         "True, 1e-5, [True, True, True])",
         "error: native_batch_norm_backward: save_mean is [0]; it must be [3]"},
        {"aten::native_group_norm_backward(f32[2, 4, 3], f32[2, 4, 3], f32[2, 2], f32[1, 1], "
         "f32[4], "
         "2, 4, 3, 2, [True, True, True])",
         "error: native_group_norm_backward: rstd is [1, 1]; it must have 4 elements"},
        {"aten::prelu_backward(f32[1, 9], f32[1, 4], f32[4])",
         "error: prelu_backward: grad_output is [1, 9]; it must be [1, 4]"},
        {"aten::adaptive_avg_pool2d(f32[1, 7, 3, 0], [3, 3])",
         "error: adaptive_avg_pool2d: self has size 0 in dimension 3; it must be larger"},
        {"aten::_adaptive_avg_pool3d_backward(f32[1, 1, 1, 1, 1], f32[1, 1, 0, 4, 4])",
         "error: _adaptive_avg_pool3d_backward: self has size 0 in dimension 2; it must be larger"},
        {"aten::_adaptive_avg_pool2d_backward(f32[1, 1, 1, 1], f32[7, 5, 4, 4])",
         "error: _adaptive_avg_pool2d_backward: grad_output is [1, 1, 1, 1]; it must be [7, 5, 1, "
         "1]"},
        {"aten::avg_pool2d_backward(f32[1, 1, 5, 5], f32[1, 1, 4, 4], [2, 2], [2, 2], [0, 0], "
         "False, "
         "True, None)",
         "error: avg_pool2d_backward: grad_output is [1, 1, 5, 5]; it must be [1, 1, 2, 2]"},
        {"aten::max_pool2d_with_indices_backward(f32[1, 1, 2, 2], f32[1, 1, 4, 4], [2, 2], [2, 2], "
         "[0, 0], [1, 1], False, i64[1, 1, 1, 2])",
         "error: max_pool2d_with_indices_backward: indices is [1, 1, 1, 2]; it must be [1, 1, 2, "
         "2]"},
        {"aten::upsample_nearest2d_backward(f32[9, 9, 8, 8], [8, 8], [1, 1, 4, 4])",
         "error: upsample_nearest2d_backward: grad_output is [9, 9, 8, 8]; it must be [1, 1, 8, "
         "8]"},
        {"aten::mse_loss_backward(f32[4], f32[9], f32[9], 0)",
         "error: mse_loss_backward: grad_output is [4]; it must expand to [9]"},
        {"aten::nll_loss_backward(i32[], i32[6, 4], i64[6], None, 1, 2, i32[])",
         "error: nll_loss_backward: self is int32; it must be a floating dtype"},
        {"aten::nll_loss_backward(f32[2], f32[3, 4], i64[3], None, 0, -100, f32[])",
         "error: nll_loss_backward: grad_output is [2]; it must be [3]"},
        {"aten::nll_loss_backward(f32[], f32[3, 4], i64[9], None, 1, -100, f32[])",
         "error: nll_loss_backward: self is [3, 4] and target is [9]; target must be like self "
         "without its class dimension 1"},
        {"aten::native_dropout_backward(f32[4], bool[9], 2.0)",
         "error: native_dropout_backward: mask is [9]; it must be [4]"},
        {"aten::as_strided(f32[4], [4], [1], 9223372036854775807)",
         "error: as_strided: storage_offset is 9223372036854775807; it must be from 0 to "
         "144115188075855871"},
        {"aten::diagonal_backward(f32[3], [3, 3], -9223372036854775808, 0, 1)",
         "error: diagonal_backward: grad_output is [3]; it must expand to [0]"},
    };
    CHECK_CASES(told);
    static const shape_case fine[] = {
        {"aten::select_backward(f32[4], [1, 4], 0, -1)", "f32[1, 4]"},
        {"aten::slice_backward(f32[2, 4], [5, 4], 0, -9223372036854775807, 3, 2)", "f32[5, 4]"},
        {"aten::diagonal_backward(f32[2], [3, 3], -1, -2, -1)", "f32[3, 3]"},
        {"aten::slice.Tensor(f32[4, 2], 0, -9223372036854775807, 9223372036854775807, 1)",
         "f32[4, 2]"},
        {"aten::slice.Tensor(f32[4, 2], 0, 3, 1, 1)", "f32[0, 2]"},
        {"aten::diagonal(f32[3, 3], 9223372036854775807)", "f32[0]"},
        {"aten::mm(f32[0, 3], f32[3, 0])", "f32[0, 0]"},
        {"aten::squeeze(f32[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1])", "f32[]"},
    };
    CHECK_CASES(fine);
}

static void refuses_sparse(void)
{
    const char *text = "aten::relu(f32[3])";
    bound_call b;
    ob_err err;
    ob_value out;
    CHECK(bound_call_open(table, &text, &b, &err));
    b.bound[0].as.tensor->layout = OB_LAYOUT_SPARSE_COO;
    CHECK_INT(b.op->row->shape(&b.call, &out, &err), OB_ERR_UNSUPPORTED);
    CHECK_STR(err.message, "relu: self is sparse, but the shape rule only covers strided tensors; "
                           "use a backend with its own version of the operator");
    b.bound[0].as.tensor->layout = OB_LAYOUT_STRIDED;
    bound_call_close(&b);
}

static void keeps_the_device(void)
{
    const char *text = "aten::add.Tensor(f32[3], f32[3])";
    bound_call b;
    ob_err err;
    ob_value out;
    char device[32];
    CHECK(bound_call_open(table, &text, &b, &err));
    CHECK_INT(ob_device_parse("cuda:1", 6, &b.bound[0].as.tensor->device, &err), OB_OK);
    CHECK_INT(b.op->row->shape(&b.call, &out, &err), OB_OK);
    CHECK_STR(ob_device_format(&out.as.tensor->device, device, sizeof device), "cuda:1");
    ob_value_fini(&out);
    bound_call_close(&b);
}

int main(void)
{
    ob_err err;
    if (ob_op_table_create(&table, &err) != OB_OK) {
        fprintf(stderr, "no operator table: %s\n", err.message);
        return 1;
    }
    RUN(replays_what_pytorch_gives);
    RUN(promotes_dtypes);
    RUN(keeps_strides_of_views);
    RUN(sizes_windows);
    RUN(joins_with_legacy_empties);
    RUN(says_what_does_not_fit);
    RUN(survives_extremes);
    RUN(refuses_sparse);
    RUN(keeps_the_device);
    ob_op_table_destroy(table);
    return ob_test_end();
}
