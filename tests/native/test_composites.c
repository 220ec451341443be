/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions and modules that are graphs of several operators, by their values: einsum against the sum
 * that its equation means, RMSNorm and MultiheadAttention against their formulas in double.
 */
#include "golden_values.h"
#include "native_test.h"

static native_subject subject;

/* A tensor of sizes ("4,8,3"); element i is a small whole number that looks random, or value(i). */
static ob_value tensor_of(ob_dtype dtype, const char *sizes, double (*value)(int64_t))
{
    int64_t dims[OB_MAX_DIMS];
    int count = 0;
    for (const char *at = sizes; *at != '\0'; at += strcspn(at, ","), at += *at == ',')
        dims[count++] = strtoll(at, NULL, 10);
    ob_tensor tensor;
    ob_value out;
    CHECK_INT(ob_tensor_init(&tensor, dtype, dims, count, NULL, NULL), OB_OK);
    for (int64_t i = 0; i < ob_tensor_numel(&tensor); i++)
        element_set(&tensor, i, value(i));
    tensor.requires_grad = ob_dtype_is_floating(dtype);
    CHECK_INT(ob_value_init_tensor(&out, &tensor, NULL), OB_OK);
    ob_tensor_fini(&tensor);
    return out;
}

static double whole(int64_t i)
{
    return (double)((i * 7919 + 13) % 11 - 5);
}

static double fraction(int64_t i)
{
    return whole(i) / 8;
}

/* Runs forward; the outputs are the caller's. */
static size_t run(native_case *c, const char *op, const ob_call *build, const ob_call *input,
                  ob_value *outputs, size_t capacity)
{
    ob_err err;
    size_t count = 0;
    ob_err_clear(&err);
    if (case_build(c, &subject, op, build, input, true, &err) != OB_OK ||
        case_prepare(c, &err) != OB_OK || case_run(c, OB_PHASE_FORWARD, &err) != OB_OK ||
        subject.desc->outputs(c->prepared, OB_PASS_FORWARD, outputs, capacity, &count, &err) !=
            OB_OK)
        OB_TEST_FAIL("%s: %s", op, err.message);
    return count;
}

/* ---- einsum ---- */

typedef struct sum_case {
    const char *equation;           /* as given */
    const char *plain;              /* the same with letters only: "abc,cd->abd" */
    const char *left, *right, *out; /* sizes; right NULL = one operand */
} sum_case;

static const sum_case SUMS[] = {
    {"ij,jk->ik", "ij,jk->ik", "4,8", "8,3", "4,3"},
    {"ij,jk", "ij,jk->ik", "4,8", "8,3", "4,3"},
    {" i j , j k -> k i ", "ij,jk->ki", "4,8", "8,3", "3,4"},
    {"bij,bjk->bik", "bij,bjk->bik", "2,4,5", "2,5,3", "2,4,3"},
    {"bik,bjk->bij", "bik,bjk->bij", "2,4,5", "2,3,5", "2,4,3"},
    {"bhqd,bhkd->bhqk", "bhqd,bhkd->bhqk", "2,3,4,5", "2,3,6,5", "2,3,4,6"},
    {"bqhd,bkhd->bhqk", "bqhd,bkhd->bhqk", "2,4,3,5", "2,6,3,5", "2,3,4,6"},
    {"i,i->", "i,i->", "7", "7", ""},
    {"i,j->ij", "i,j->ij", "3", "4", "3,4"},
    {"ij,ij->ij", "ij,ij->ij", "3,4", "3,4", "3,4"},
    {"ij,kl->il", "ij,kl->il", "2,3", "4,5", "2,5"},
    {"ba", "ba->ab", "3,4", NULL, "4,3"},
    {"ij->", "ij->", "3,4", NULL, ""},
    {"ijk->kj", "ijk->kj", "2,3,4", NULL, "4,3"},
    {"aB,BC", "aB,BC->Ca", "2,3", "3,4", "4,2"},
    {"...ij,...jk->...ik", "xyij,xyjk->xyik", "2,3,4,5", "2,3,5,6", "2,3,4,6"},
    {"...ij,jk->k...i", "xyij,jk->kxyi", "2,3,4,5", "5,6", "6,2,3,4"},
    {"...i,...i", "xi,i->x", "2,3", "3", "2"},
    {"bij,bjk->bik", "Bij,bjk->bik", "1,4,5", "2,5,3", "2,4,3"}, /* B has size 1 */
    {"ij,ij->i", "iJ,ij->i", "3,1", "3,4", "3"},
    {"i...->...", "ixy->xy", "2,3,4", NULL, "3,4"},
};

/* Goes through all values of all letters; each product is added where its letters say. */
static void sum_plainly(const sum_case *c, const ob_tensor *left, const ob_tensor *right,
                        double *out, int64_t *out_sizes, int *out_ndim)
{
    const char *comma = strchr(c->plain, ','), *arrow = strstr(c->plain, "->");
    int64_t size[128] = {0}, value[128] = {0}, total = 1;
    const char *const terms[2] = {c->plain, right != NULL ? comma + 1 : NULL};
    const ob_tensor *const tensors[2] = {left, right};
    for (int t = 0; t < 2 && terms[t] != NULL; t++)
        for (int d = 0; d < tensors[t]->ndim; d++)
            size[(int)terms[t][d]] = tensors[t]->sizes[d];
    for (int l = 0; l < 128; l++)
        total *= size[l] > 0 ? size[l] : 1;
    *out_ndim = (int)strlen(arrow + 2);
    for (int d = 0; d < *out_ndim; d++)
        out_sizes[d] = size[(int)arrow[2 + d]];
    for (int64_t n = 0; n < total; n++) {
        int64_t rest = n, at = 0;
        double product = 1;
        for (int l = 0; l < 128; l++) {
            value[l] = size[l] > 0 ? rest % size[l] : 0;
            rest /= size[l] > 0 ? size[l] : 1;
        }
        for (int t = 0; t < 2 && terms[t] != NULL; t++) {
            int64_t place = 0;
            for (int d = 0; d < tensors[t]->ndim; d++)
                place = place * tensors[t]->sizes[d] + value[(int)terms[t][d]];
            product *= element_get(tensors[t], place);
        }
        for (int d = 0; d < *out_ndim; d++)
            at = at * out_sizes[d] + value[(int)arrow[2 + d]];
        out[at] += product;
    }
}

static void check_sum(const sum_case *c)
{
    static double want[4096];
    ob_value args[3] = {ob_value_none()}, out;
    int64_t sizes[OB_MAX_DIMS];
    int ndim = 0;
    native_case run_case;
    memset(want, 0, sizeof want);
    CHECK_INT(ob_value_init_str(&args[0], c->equation, strlen(c->equation), NULL), OB_OK);
    args[1] = tensor_of(OB_DTYPE_F64, c->left, whole);
    if (c->right != NULL)
        args[2] = tensor_of(OB_DTYPE_F64, c->right, whole);
    sum_plainly(c, args[1].as.tensor, c->right != NULL ? args[2].as.tensor : NULL, want, sizes,
                &ndim);
    const ob_call call = {.args = args, .arg_count = c->right != NULL ? 3 : 2};
    if (run(&run_case, "torch.einsum", NULL, &call, &out, 1) == 1) {
        CHECK_INT(out.as.tensor->ndim, ndim);
        for (int d = 0; d < ndim && d < out.as.tensor->ndim; d++)
            CHECK_INT(out.as.tensor->sizes[d], sizes[d]);
        for (int64_t i = 0; i < ob_tensor_numel(out.as.tensor); i++)
            CHECK_REAL(element_get(out.as.tensor, i), want[i]);
        ob_value_fini(&out);
    }
    case_close(&run_case);
    for (size_t i = 0; i < 3; i++)
        ob_value_fini(&args[i]);
}

static void einsum_is_the_sum_it_says(void)
{
    for (size_t i = 0; i < sizeof SUMS / sizeof SUMS[0]; i++)
        check_sum(&SUMS[i]);
}

static void einsum_says_what_is_wrong(void)
{
    static const struct {
        const char *equation, *part;
        size_t operands;
    } cases[] = {
        {"ii->i", "a diagonal", 1},
        {"ij->k", "an index that no operand has", 1},
        {"ij->ii", "twice in the result", 1},
        {"ij", "fewer terms than operands", 2},
        {"ij,jk,kl->il", "more terms than operands", 2},
        {"ijk,jk->i", "operand's number of dimensions", 2},
        {"i.j,jk->ik", "letters and at most one", 2},
        {"ij,jk-", "letters and at most one", 2},
        {"ij,jk->ik->", "more than one result", 2},
        {"ij...k,jk", "fewer dimensions than its term has letters", 2},
        {"ij,jk,kl", "a backend built on PyTorch takes more", 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ob_value args[4] = {ob_value_none()};
        ob_graph *graph = NULL;
        ob_err err;
        ob_err_clear(&err);
        CHECK_INT(ob_value_init_str(&args[0], cases[i].equation, strlen(cases[i].equation), NULL),
                  OB_OK);
        for (size_t k = 0; k < cases[i].operands; k++)
            args[k + 1] = tensor_of(OB_DTYPE_F32, "3,3", whole);
        const ob_call call = {.args = args, .arg_count = cases[i].operands + 1};
        CHECK_INT(ob_graph_build(ob_context_operators(subject.context), "torch.einsum", NULL, &call,
                                 &graph, &err),
                  OB_ERR_INVALID);
        CHECK_HAS(err.message, cases[i].part);
        ob_graph_destroy(graph);
        for (size_t k = 0; k < 4; k++)
            ob_value_fini(&args[k]);
    }
    ob_value args[3] = {ob_value_none()};
    ob_graph *graph = NULL;
    ob_err err;
    CHECK_INT(ob_value_init_str(&args[0], "ij,jk", 5, NULL), OB_OK);
    args[1] = tensor_of(OB_DTYPE_F32, "3,4", whole);
    args[2] = tensor_of(OB_DTYPE_F32, "3,4", whole);
    CHECK_INT(ob_graph_build(ob_context_operators(subject.context), "torch.einsum", NULL,
                             &(const ob_call){.args = args, .arg_count = 3}, &graph, &err),
              OB_ERR_INVALID);
    CHECK_HAS(err.message, "an index has two sizes");
    for (size_t k = 0; k < 3; k++)
        ob_value_fini(&args[k]);
}

/* ---- RMSNorm ---- */

static void check_rms_norm(ob_dtype dtype, double given_eps, double bound)
{
    enum { ROWS = 3, COLUMNS = 8 };
    static const char *const names[] = {"eps", "dtype"};
    const double own_eps = dtype == OB_DTYPE_F64    ? 0x1p-52
                           : dtype == OB_DTYPE_F32  ? 0x1p-23
                           : dtype == OB_DTYPE_BF16 ? 0x1p-7
                                                    : 0x1p-10;
    const ob_value kwargs[2] = {given_eps < 0 ? ob_value_none() : ob_value_double(given_eps),
                                {.kind = OB_VALUE_DTYPE, .as = {.dtype = dtype}}};
    const ob_value size = ob_value_int(COLUMNS);
    ob_value input = tensor_of(dtype, "3,8", fraction), out;
    native_case c;
    const ob_call build = {
        .args = &size, .arg_count = 1, .kwarg_names = names, .kwargs = kwargs, .kwarg_count = 2};
    if (dtype == OB_DTYPE_F64)
        input.as.tensor->requires_grad = false;
    ob_err err;
    size_t count = 0;
    ob_err_clear(&err);
    CHECK_INT(case_build(&c, &subject, "torch.nn.RMSNorm", &build,
                         &(const ob_call){.args = &input, .arg_count = 1}, false, &err),
              OB_OK);
    for (int64_t i = 0; c.parameter_count == 1 && i < COLUMNS; i++)
        element_set(c.parameters[0].as.tensor, i, (double)(i + 1) / 4);
    CHECK_INT(case_prepare(&c, &err), OB_OK);
    CHECK_INT(case_run(&c, OB_PHASE_FORWARD, &err), OB_OK);
    CHECK_INT(subject.desc->outputs(c.prepared, OB_PASS_FORWARD, &out, 1, &count, &err), OB_OK);
    CHECK_INT(out.as.tensor->dtype, dtype);
    for (int64_t r = 0; r < ROWS; r++) {
        double squares = 0;
        for (int64_t k = 0; k < COLUMNS; k++)
            squares += fraction(r * COLUMNS + k) * fraction(r * COLUMNS + k) / COLUMNS;
        for (int64_t k = 0; k < COLUMNS; k++) {
            const double want = fraction(r * COLUMNS + k) /
                                sqrt(squares + (given_eps < 0 ? own_eps : given_eps)) *
                                (double)(k + 1) / 4;
            CHECK(fabs(element_get(out.as.tensor, r * COLUMNS + k) - want) <= bound);
        }
    }
    ob_value_fini(&out);
    case_close(&c);
    ob_value_fini(&input);
}

static void rms_norm(void)
{
    check_rms_norm(OB_DTYPE_F32, -1, 1e-5);
    check_rms_norm(OB_DTYPE_F32, 0.5, 1e-5);
    check_rms_norm(OB_DTYPE_BF16, -1, 0.05);
    check_rms_norm(OB_DTYPE_F16, -1, 0.01);
}

/* ---- attention ---- */

enum { L = 3, S = 4, N = 2, E = 6, HEADS = 2, D = E / HEADS };

/* What is not looked at: by query and key, and by batch and key. */
static double causal(int64_t i)
{
    return i % S > i / S + 1;
}

static double padding(int64_t i)
{
    return i == 3;
}

/* One projected element: row `row` of the projection of x (sequence, batch, embedding) at l and n. */
static double project(const ob_tensor *x, const ob_tensor *w, const ob_tensor *b, int64_t row,
                      int64_t l, int64_t n)
{
    double sum = element_get(b, row);
    for (int64_t e = 0; e < E; e++)
        sum += element_get(x, (l * N + n) * E + e) * element_get(w, row * E + e);
    return sum;
}

static void attend(native_case *c, double *out, double *weights)
{
    const ob_tensor *w = case_parameter(c, "in_proj_weight"),
                    *b = case_parameter(c, "in_proj_bias");
    const ob_tensor *q = c->inputs[0].as.tensor, *k = c->inputs[1].as.tensor,
                    *v = c->inputs[2].as.tensor;
    const ob_tensor *ow = case_parameter(c, "out_proj.weight"),
                    *ob = case_parameter(c, "out_proj.bias");
    for (int64_t n = 0; n < N; n++) {
        for (int64_t l = 0; l < L; l++) {
            double heads[E] = {0};
            for (int64_t h = 0; h < HEADS; h++) {
                double p[S], total = 0;
                for (int64_t s = 0; s < S; s++) {
                    double score = 0;
                    for (int64_t d = 0; d < D; d++)
                        score += project(q, w, b, h * D + d, l, n) *
                                 project(k, w, b, E + h * D + d, s, n) / sqrt(D);
                    p[s] = causal(l * S + s) != 0 || padding(n * S + s) != 0 ? 0 : exp(score);
                    total += p[s];
                }
                for (int64_t s = 0; s < S; s++) {
                    weights[(n * L + l) * S + s] += p[s] / total / HEADS;
                    for (int64_t d = 0; d < D; d++)
                        heads[h * D + d] +=
                            p[s] / total * project(v, w, b, 2 * E + h * D + d, s, n);
                }
            }
            for (int64_t e = 0; e < E; e++) {
                out[(l * N + n) * E + e] = element_get(ob, e);
                for (int64_t i = 0; i < E; i++)
                    out[(l * N + n) * E + e] += heads[i] * element_get(ow, e * E + i);
            }
        }
    }
}

static void multihead_attention(void)
{
    static const char *const names[] = {"attn_mask", "key_padding_mask"};
    const ob_value sizes[2] = {ob_value_int(E), ob_value_int(HEADS)};
    ob_value args[3] = {tensor_of(OB_DTYPE_F32, "3,2,6", fraction),
                        tensor_of(OB_DTYPE_F32, "4,2,6", fraction),
                        tensor_of(OB_DTYPE_F32, "4,2,6", fraction)};
    ob_value masks[2] = {tensor_of(OB_DTYPE_BOOL, "3,4", causal),
                         tensor_of(OB_DTYPE_BOOL, "2,4", padding)};
    const ob_call build = {.args = sizes, .arg_count = 2};
    const ob_call input = {
        .args = args, .arg_count = 3, .kwarg_names = names, .kwargs = masks, .kwarg_count = 2};
    ob_value outputs[2];
    static double out[L * N * E], weights[N * L * S];
    native_case c;
    CHECK_INT(run(&c, "torch.nn.MultiheadAttention", &build, &input, outputs, 2), 2);
    attend(&c, out, weights);
    CHECK_INT(ob_tensor_numel(outputs[0].as.tensor), L * N * E);
    CHECK_INT(ob_tensor_numel(outputs[1].as.tensor), N * L * S);
    for (int64_t i = 0; i < L * N * E; i++)
        CHECK(fabs(element_get(outputs[0].as.tensor, i) - out[i]) < 1e-5);
    for (int64_t i = 0; i < N * L * S; i++)
        CHECK(fabs(element_get(outputs[1].as.tensor, i) - weights[i]) < 1e-5);
    for (size_t i = 0; i < 2; i++) {
        ob_value_fini(&outputs[i]);
        ob_value_fini(&masks[i]);
    }
    case_close(&c);
    for (size_t i = 0; i < 3; i++)
        ob_value_fini(&args[i]);
}

int main(void)
{
    subject_open(&subject, 1);
    RUN(einsum_is_the_sum_it_says);
    RUN(einsum_says_what_is_wrong);
    RUN(rms_norm);
    RUN(multihead_attention);
    subject_close(&subject);
    return ob_test_end();
}
