/* SPDX-License-Identifier: Apache-2.0
 *
 * What the native backend does around its kernels: memory, gradients, inputs brought back,
 * errors, threads, random numbers, operators of plug-ins. Values are exact.
 */
#include "conform.h"

#include "check.h"

#include <stdlib.h>

static subject S;
static ob_err ERR;

/* ---- small graphs ---- */

typedef struct sample {
    ob_graph *graph, *simple;
    ob_backward backward;
    ob_tensor inputs[2];
    ob_value values[2];
    size_t count;
    ob_prepared *prepared;
} sample;

static ob_tensor make_input(ob_dtype dtype, int64_t count, double first, double step)
{
    ob_tensor tensor;
    ob_tensor_init(&tensor, dtype, &count, 1, NULL, NULL);
    for (int64_t i = 0; i < count; i++)
        tensor_set(&tensor, i, first + step * (double)i);
    return tensor;
}

/* Inputs x (and y) of `count` elements; text assigns `out`. */
static ob_status open_sample(sample *s, const subject *on, const char *text,
                             const ob_tensor *inputs, size_t count, bool differentiate)
{
    static const char *const names[] = {"x", "y"};
    *s = (sample){.count = count};
    OB_TRY(ob_graph_create(ob_context_operators(on->context), &s->graph, &ERR));
    for (size_t i = 0; i < count; i++) {
        ob_edge_id edge;
        s->inputs[i] = inputs[i];
        s->inputs[i].requires_grad = differentiate;
        OB_TRY(ob_value_init_tensor(&s->values[i], &s->inputs[i], &ERR));
        OB_TRY(ob_graph_add_input(s->graph, names[i], &s->values[i], &edge, &ERR));
    }
    OB_TRY(ob_graph_add_text(s->graph, text, NULL, 0, &ERR));
    for (size_t i = 0; i < s->graph->edge_count; i++) {
        const ob_edge_id edge = (ob_edge_id)i;
        if (strcmp(s->graph->edges[i].name, "out") == 0)
            OB_TRY(ob_graph_set_outputs(s->graph, &edge, 1, &ERR));
    }
    const ob_graph *graph = s->graph;
    if (differentiate) {
        OB_TRY(ob_graph_decompose(s->graph, NULL, NULL, &s->simple, &ERR));
        OB_TRY(ob_graph_derive_backward(s->simple, &s->backward, &ERR));
        graph = s->simple;
    }
    const ob_prepare_args args = {.graph = graph,
                                  .backward = differentiate ? &s->backward : NULL,
                                  .inputs = s->values,
                                  .input_count = count,
                                  .pass = differentiate ? OB_PASS_BACKWARD : OB_PASS_FORWARD};
    return on->desc->prepare(on->backend, &args, &s->prepared, &ERR);
}

static void close_sample(sample *s, const subject *on)
{
    on->desc->release(s->prepared);
    ob_backward_fini(&s->backward);
    ob_graph_destroy(s->simple);
    ob_graph_destroy(s->graph);
    for (size_t i = 0; i < s->count; i++) {
        ob_value_fini(&s->values[i]);
        ob_tensor_fini(&s->inputs[i]);
    }
}

static ob_status run(sample *s, const subject *on, ob_phase phase)
{
    return on->desc->run(s->prepared, phase, 1, &ERR);
}

/* Element `index` of the first value of a pass. */
static double result(sample *s, const subject *on, ob_pass pass, int64_t index)
{
    ob_value values[4];
    size_t count = 0;
    if (on->desc->outputs(s->prepared, pass, values, 4, &count, &ERR) != OB_OK)
        return (double)NAN;
    const double value = tensor_get(values[0].as.tensor, index);
    for (size_t i = 0; i < count; i++)
        ob_value_fini(&values[i]);
    return value;
}

/* ---- tests ---- */

/* Two places for a chain of any length, and the output's own: each is 1000 doubles. */
static void memory_is_used_again(void)
{
    sample s;
    uint64_t before = 0, peak = 0;
    const ob_tensor x = make_input(OB_DTYPE_F64, 1000, 1, 0);
    S.desc->memory_peak(S.backend, true, &before, NULL);
    CHECK_INT(open_sample(&s, &S,
                          "a = relu(x); b = relu(a); c = relu(b); d = relu(c); e = relu(d); "
                          "f = relu(e); out = add(f, x)",
                          &x, 1, false),
              OB_OK);
    CHECK_INT(run(&s, &S, OB_PHASE_FORWARD), OB_OK);
    CHECK_REAL(result(&s, &S, OB_PASS_FORWARD, 999), 2);
    S.desc->memory_peak(S.backend, false, &peak, NULL);
    CHECK_INT(peak, 3 * 8000);
    close_sample(&s, &S);
    S.desc->memory_peak(S.backend, true, &peak, NULL);
    S.desc->memory_peak(S.backend, false, &peak, NULL);
    CHECK_INT(peak, 0);
}

/* A value that a later call reads must survive what lies between. */
static void long_lived_values_stay(void)
{
    sample s;
    const ob_tensor x = make_input(OB_DTYPE_F32, 100, 0, 1);
    CHECK_INT(open_sample(&s, &S,
                          "a = mul(x, 2); v = narrow(a, 0, 10, 50); b = exp(a); c = neg(b); "
                          "d = relu(c); e = add(d, 1); out = add(v, narrow(e, 0, 0, 50))",
                          &x, 1, false),
              OB_OK);
    for (int i = 0; i < 2; i++) {
        CHECK_INT(run(&s, &S, OB_PHASE_FORWARD), OB_OK);
        CHECK_REAL(result(&s, &S, OB_PASS_FORWARD, 5), 31);
        CHECK_REAL(result(&s, &S, OB_PASS_FORWARD, 49), 119);
    }
    close_sample(&s, &S);
}

/* A backward leaves its own gradients, whatever ran before it; without one there are none. */
static void gradients_are_those_of_the_last_backward(void)
{
    sample s;
    const ob_tensor x = make_input(OB_DTYPE_F64, 4, 1, 1);
    CHECK_INT(open_sample(&s, &S, "out = mul(x, x)", &x, 1, true), OB_OK);
    CHECK_INT(run(&s, &S, OB_PHASE_BACKWARD), OB_ERR_STATE);
    CHECK(strstr(ERR.message, "run forward first") != NULL);
    CHECK_INT(run(&s, &S, OB_PHASE_FORWARD), OB_OK);
    CHECK_INT(run(&s, &S, OB_PHASE_BACKWARD), OB_ERR_STATE);
    CHECK(strstr(ERR.message, "make_grad") != NULL);
    CHECK_INT(run(&s, &S, OB_PHASE_MAKE_GRAD), OB_OK);
    CHECK(isnan(result(&s, &S, OB_PASS_BACKWARD, 0)));
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 2; i++) {
            CHECK_INT(run(&s, &S, OB_PHASE_BACKWARD), OB_OK);
            CHECK_REAL(result(&s, &S, OB_PASS_BACKWARD, 2), 6);
        }
        CHECK_INT(run(&s, &S, OB_PHASE_ZERO_GRAD), OB_OK);
        CHECK(isnan(result(&s, &S, OB_PASS_BACKWARD, 2)));
    }
    close_sample(&s, &S);
}

static void forward_only_has_no_backward(void)
{
    sample s;
    const ob_tensor x = make_input(OB_DTYPE_F64, 4, 1, 1);
    CHECK_INT(open_sample(&s, &S, "out = exp(x)", &x, 1, false), OB_OK);
    CHECK(isnan(result(&s, &S, OB_PASS_FORWARD, 0)));
    CHECK(strstr(ERR.message, "run forward first") != NULL);
    CHECK_INT(run(&s, &S, OB_PHASE_BACKWARD), OB_ERR_STATE);
    CHECK(strstr(ERR.message, "forward only") != NULL);
    close_sample(&s, &S);
}

static void inputs_are_restored(void)
{
    sample s;
    const ob_tensor x = make_input(OB_DTYPE_I32, 4, 1, 1);
    CHECK_INT(open_sample(&s, &S, "v = narrow(x, 0, 1, 2); out = add_(v, 10)", &x, 1, false),
              OB_OK);
    CHECK_INT(run(&s, &S, OB_PHASE_FORWARD), OB_OK);
    CHECK_INT(run(&s, &S, OB_PHASE_FORWARD), OB_OK);
    CHECK_REAL(tensor_get(&s.inputs[0], 1), 22);
    CHECK_REAL(tensor_get(&s.inputs[0], 3), 4);
    CHECK_INT(run(&s, &S, OB_PHASE_RESTORE), OB_OK);
    CHECK_REAL(tensor_get(&s.inputs[0], 1), 2);
    CHECK_REAL(tensor_get(&s.inputs[0], 2), 3);
    close_sample(&s, &S);
}

static void zero_divisors_are_errors(void)
{
    sample s;
    const ob_tensor inputs[] = {make_input(OB_DTYPE_I64, 3, 5, 1),
                                make_input(OB_DTYPE_I64, 3, -1, 1)};
    CHECK_INT(open_sample(&s, &S, "out = floor_divide(x, y)", inputs, 2, false), OB_OK);
    CHECK_INT(run(&s, &S, OB_PHASE_FORWARD), OB_ERR_INVALID);
    CHECK(strstr(ERR.message, "aten::floor_divide: an integer is divided by zero") != NULL);
    close_sample(&s, &S);
}

static void unsupported_names_operator_and_dtype(void)
{
    sample s;
    int64_t size = 2;
    ob_tensor x;
    ob_tensor_init(&x, OB_DTYPE_C64, &size, 1, NULL, NULL);
    memset(ob_tensor_data(&x), 0, 16);
    CHECK_INT(open_sample(&s, &S, "out = mul(x, x)", &x, 1, false), OB_ERR_UNSUPPORTED);
    CHECK(strstr(ERR.message, "aten::mul.Tensor for c64") != NULL);
    ob_reason why;
    CHECK_INT(S.desc->supports(S.backend, s.graph, OB_PASS_FORWARD, &why), OB_ERR_UNSUPPORTED);
    CHECK(strstr(why.text, "aten::mul.Tensor for c64") != NULL);
    close_sample(&s, &S);
}

static void wrong_inputs_are_refused(void)
{
    sample s;
    const ob_tensor x = make_input(OB_DTYPE_F64, 4, 1, 1);
    CHECK_INT(open_sample(&s, &S, "out = exp(x)", &x, 1, false), OB_OK);
    const ob_tensor other = make_input(OB_DTYPE_F64, 5, 1, 1);
    ob_value value;
    ob_value_init_tensor(&value, &other, NULL);
    ob_prepared *prepared = NULL;
    ob_prepare_args args = {.graph = s.graph, .inputs = &value, .input_count = 1};
    CHECK_INT(S.desc->prepare(S.backend, &args, &prepared, &ERR), OB_ERR_INVALID);
    CHECK(strstr(ERR.message, "'x' differs from the graph in dtype, shape or strides;") != NULL);
    args.input_count = 0;
    CHECK_INT(S.desc->prepare(S.backend, &args, &prepared, &ERR), OB_ERR_INVALID);
    CHECK(strstr(ERR.message, "the graph has 1 inputs and 0 parameters, but 0 and 0") != NULL);
    CHECK(prepared == NULL);
    ob_value_fini(&value);
    ob_tensor copy = other;
    ob_tensor_fini(&copy);
    close_sample(&s, &S);
}

/* Large enough for every loop to be split. */
static void threads_share_the_work(void)
{
    sample s;
    const int64_t size[2] = {400, 300};
    ob_tensor x, y;
    CHECK_INT(S.desc->set_threads(S.backend, 3, &ERR), OB_OK);
    ob_tensor_init(&x, OB_DTYPE_F32, size, 2, NULL, NULL);
    ob_tensor_init(&y, OB_DTYPE_F32, size, 2, (const int64_t[]){1, 400}, NULL);
    for (int64_t i = 0; i < 120000; i++) {
        tensor_set(&x, i, (double)(i % 1000));
        tensor_set(&y, i, 1);
    }
    const ob_tensor inputs[] = {x, y};
    CHECK_INT(open_sample(&s, &S,
                          "a = add(x, y); b = contiguous(t(a)); c = to.dtype(b, 7); "
                          "d = add(sum(c, [0]), full([400], 1, dtype=7)); "
                          "out = add(d, mul(sum(c, [1], True), 0))",
                          inputs, 2, false),
              OB_OK);
    CHECK_INT(run(&s, &S, OB_PHASE_FORWARD), OB_OK);
    /* Row r of x holds (300 r + k) % 1000 for k below 300. */
    for (int64_t r = 0; r < 400; r += 57) {
        double sum = 301;
        for (int64_t k = 0; k < 300; k++)
            sum += (double)((300 * r + k) % 1000);
        CHECK_REAL(result(&s, &S, OB_PASS_FORWARD, r), sum);
        CHECK_REAL(result(&s, &S, OB_PASS_FORWARD, 299 * 400 + r), sum);
    }
    const char *how = NULL;
    CHECK_INT(S.desc->flush_cache(S.backend, s.prepared, &how, &ERR), OB_OK);
    close_sample(&s, &S);
    CHECK_INT(S.desc->set_threads(S.backend, 1, &ERR), OB_OK);
}

/* ---- random numbers ---- */

static void moments(const char *text, double *mean, double *variance, double *first)
{
    sample s;
    const ob_tensor x = make_input(OB_DTYPE_F64, 40000, 1, 0);
    *mean = *variance = 0;
    CHECK_INT(open_sample(&s, &S, text, &x, 1, false), OB_OK);
    CHECK_INT(run(&s, &S, OB_PHASE_FORWARD), OB_OK);
    ob_value values[1];
    size_t count;
    CHECK_INT(S.desc->outputs(s.prepared, OB_PASS_FORWARD, values, 1, &count, &ERR), OB_OK);
    const ob_tensor *out = values[0].as.tensor;
    for (int64_t i = 0; i < 40000; i++)
        *mean += tensor_get(out, i) / 40000;
    for (int64_t i = 0; i < 40000; i++)
        *variance += (tensor_get(out, i) - *mean) * (tensor_get(out, i) - *mean) / 40000;
    *first = tensor_get(out, 0);
    ob_value_fini(&values[0]);
    close_sample(&s, &S);
}

static void random_numbers_have_their_moments(void)
{
    double mean, variance, first, again;
    moments("out = rand_like(x)", &mean, &variance, &first);
    CHECK_NEAR(mean, 0.5, 0.01);
    CHECK_NEAR(variance, 1.0 / 12, 0.003);
    moments("out = rand_like(x)", &mean, &variance, &again);
    CHECK_REAL(again, first);
    moments("out = randn_like(x)", &mean, &variance, &first);
    CHECK_NEAR(mean, 0, 0.03);
    CHECK_NEAR(variance, 1, 0.04);
    moments("out = uniform_(clone(x), 2.0, 4.0)", &mean, &variance, &first);
    CHECK_NEAR(mean, 3, 0.02);
    moments("out = normal_(clone(x), 5.0, 2.0)", &mean, &variance, &first);
    CHECK_NEAR(mean, 5, 0.06);
    CHECK_NEAR(variance, 4, 0.15);
    moments("out = bernoulli(mul(x, 0.25))", &mean, &variance, &first);
    CHECK_NEAR(mean, 0.25, 0.015);
    moments("out, mask = native_dropout(x, 0.75, True)", &mean, &variance, &first);
    CHECK_NEAR(mean, 1, 0.05);
    CHECK_NEAR(variance, 3, 0.1);
    moments("out = to.dtype(randint.low(-3, 4, [40000]), 7)", &mean, &variance, &first);
    CHECK_NEAR(mean, 0, 0.06);
    CHECK_NEAR(variance, 4, 0.1);
    moments("out = to.dtype(randperm(40000), 7)", &mean, &variance, &first);
    CHECK_REAL(mean > 19999.49 && mean < 19999.51, 1);
}

/* Each run draws anew. */
static void runs_draw_different_numbers(void)
{
    sample s;
    const ob_tensor x = make_input(OB_DTYPE_F64, 4, 1, 1);
    CHECK_INT(open_sample(&s, &S, "out = rand_like(x)", &x, 1, false), OB_OK);
    CHECK_INT(run(&s, &S, OB_PHASE_FORWARD), OB_OK);
    const double first = result(&s, &S, OB_PASS_FORWARD, 0);
    CHECK_INT(run(&s, &S, OB_PHASE_FORWARD), OB_OK);
    CHECK(result(&s, &S, OB_PASS_FORWARD, 0) != first);
    close_sample(&s, &S);
}

/* ---- operators of plug-ins ---- */

static ob_status same_shape(const ob_op_call *call, ob_value *out, ob_err *err)
{
    return ob_value_copy(&out[0], &call->args[0], err);
}

static ob_status twice(void *ctx, const ob_op_call *call, ob_value *outputs, ob_err *err)
{
    const ob_tensor *in = call->args[0].as.tensor;
    ob_tensor out;
    (void)ctx;
    OB_TRY(ob_tensor_init(&out, in->dtype, in->sizes, in->ndim, NULL, err));
    for (int64_t i = 0; i < ob_tensor_numel(in); i++)
        tensor_set(&out, i, 2 * tensor_get(in, i));
    const ob_status status = ob_value_init_tensor(&outputs[0], &out, err);
    ob_tensor_fini(&out);
    return status;
}

static const ob_op_row TWICE = {.schema = "test::twice(Tensor self) -> Tensor",
                                .category = "test",
                                .shape = same_shape,
                                .function = twice,
                                .names = "test.twice"};
static const ob_op_row PARTS = {.schema = "test::parts(Tensor self) -> Tensor",
                                .category = "test",
                                .decomposition = "result = add(mul(self, self), self)",
                                .names = "test.parts"};

static void operators_of_plugins_run(void)
{
    sample s;
    const ob_tensor x = make_input(OB_DTYPE_F32, 4, 1, 1);
    CHECK_INT(open_sample(&s, &S, "out = neg(test::twice(x))", &x, 1, false), OB_OK);
    CHECK_INT(run(&s, &S, OB_PHASE_FORWARD), OB_OK);
    CHECK_REAL(result(&s, &S, OB_PASS_FORWARD, 3), -8);
    close_sample(&s, &S);
    const ob_tensor y = make_input(OB_DTYPE_F32, 4, 1, 1);
    CHECK_INT(open_sample(&s, &S, "out = neg(test::parts(x))", &y, 1, true), OB_OK);
    CHECK_INT(run(&s, &S, OB_PHASE_FORWARD), OB_OK);
    CHECK_REAL(result(&s, &S, OB_PASS_FORWARD, 2), -12);
    CHECK_INT(run(&s, &S, OB_PHASE_MAKE_GRAD), OB_OK);
    CHECK_INT(run(&s, &S, OB_PHASE_BACKWARD), OB_OK);
    CHECK_REAL(result(&s, &S, OB_PASS_BACKWARD, 2), -7);
    close_sample(&s, &S);
}

/* ---- the backend itself ---- */

static void find_isa(void *ctx, const char *name, const char *value)
{
    bool *found = ctx;
    *found = *found || (strcmp(name, "isa") == 0 && value[0] != '\0');
}

static void the_backend_tells_about_itself(void)
{
    bool found = false;
    S.desc->properties(S.backend, find_isa, &found);
    CHECK(found);
    CHECK_INT(S.desc->set_threads(S.backend, 0, &ERR), OB_ERR_INVALID);
    CHECK(strstr(ERR.message, "0 threads") != NULL);
    CHECK_INT(S.desc->set_threads(S.backend, 1, &ERR), OB_OK);
    const char *how = NULL;
    CHECK_INT(S.desc->flush_cache(S.backend, NULL, &how, &ERR), OB_OK);
    CHECK(how != NULL && how[0] != '\0');
    const struct {
        const char *isa;
    } options = {"nonsense"};
    const ob_backend_settings settings = {.host = ob_host_get(), .threads = 1, .options = &options};
    ob_backend *other = NULL;
    CHECK_INT(S.desc->open(&settings, &other, &ERR), OB_ERR_UNSUPPORTED);
    CHECK(strstr(ERR.message, "nonsense") != NULL);
    CHECK(other == NULL);
}

int run_framework(const char *plugin)
{
    if (subject_open(&S, plugin, NULL, 1, &ERR) != OB_OK) {
        printf("%s\n", ERR.message);
        return 1;
    }
    CHECK_INT(ob_register_operator(S.context, &TWICE, &ERR), OB_OK);
    CHECK_INT(ob_register_operator(S.context, &PARTS, &ERR), OB_OK);
    RUN(memory_is_used_again);
    RUN(long_lived_values_stay);
    RUN(gradients_are_those_of_the_last_backward);
    RUN(forward_only_has_no_backward);
    RUN(inputs_are_restored);
    RUN(zero_divisors_are_errors);
    RUN(unsupported_names_operator_and_dtype);
    RUN(wrong_inputs_are_refused);
    RUN(threads_share_the_work);
    RUN(random_numbers_have_their_moments);
    RUN(runs_draw_different_numbers);
    RUN(operators_of_plugins_run);
    RUN(the_backend_tells_about_itself);
    subject_close(&S);
    return ob_test_end();
}
