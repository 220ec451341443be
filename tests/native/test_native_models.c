/* SPDX-License-Identifier: Apache-2.0
 *
 * Whole networks on the native backend, forward and backward. The gradient is tested as a whole:
 * along a random direction of all parameters, the loss must change as the gradients say. The
 * second run must give the same bits, and the peak of the allocator is known.
 */
#include "native_test.h"

static native_subject subject;

typedef struct network {
    const char *name;
    int64_t batch, size;
    bool takes_dropout; /* which is switched off: it would be another function each time */
} network;

static ob_value image_of(const network *n)
{
    const int64_t sizes[] = {n->batch, 3, n->size, n->size};
    ob_tensor tensor;
    ob_value value;
    ob_rng rng;
    ob_rng_init(&rng, 3, 0);
    CHECK_INT(ob_tensor_init(&tensor, OB_DTYPE_F32, sizes, 4, NULL, NULL), OB_OK);
    for (int64_t i = 0; i < ob_tensor_numel(&tensor); i++)
        ((float *)ob_tensor_data(&tensor))[i] = (float)ob_rng_double(&rng);
    CHECK_INT(ob_value_init_tensor(&value, &tensor, NULL), OB_OK);
    ob_tensor_fini(&tensor);
    return value;
}

static ob_status open_network(const network *n, native_case *c, ob_err *err)
{
    static const char *const names[] = {"num_classes", "dropout"};
    const ob_value kwargs[2] = {ob_value_int(10), ob_value_double(0)};
    ob_value input = image_of(n);
    const ob_call build = {
        .kwarg_names = names, .kwargs = kwargs, .kwarg_count = n->takes_dropout ? 2 : 1};
    const ob_call call = {.args = &input, .arg_count = 1};
    ob_err_clear(err);
    ob_status status = case_build(c, &subject, n->name, &build, &call, true, err);
    if (status == OB_OK)
        status = case_prepare(c, err);
    ob_value_fini(&input);
    return status;
}

/* Sum of the outputs. */
static double loss(native_case *c)
{
    ob_value out;
    size_t count = 0;
    ob_err err;
    double sum = 0;
    CHECK_INT(case_run(c, OB_PHASE_FORWARD, &err), OB_OK);
    CHECK_INT(subject.desc->outputs(c->prepared, OB_PASS_FORWARD, &out, 1, &count, &err), OB_OK);
    for (int64_t i = 0; i < ob_tensor_numel(out.as.tensor); i++)
        sum += (double)((const float *)ob_tensor_data(out.as.tensor))[i];
    ob_value_fini(&out);
    return sum;
}

/* The parameter that backward target i is. */
static ob_tensor *target_tensor(native_case *c, size_t i)
{
    const ob_graph_edge *edge = &c->graph->edges[c->backward.targets[i]];
    return edge->role == OB_EDGE_INPUT ? c->inputs[0].as.tensor : case_parameter(c, edge->name);
}

/* Element i in row-major order: gradients of transposed weights are transposed. */
static double element(const ob_tensor *t, int64_t i)
{
    int64_t at = 0;
    for (int d = t->ndim - 1; d >= 0; d--) {
        at += i % t->sizes[d] * t->strides[d];
        i /= t->sizes[d];
    }
    return (double)((const float *)ob_tensor_data(t))[at];
}

/* Moves every parameter by step * direction, where the direction is the parameter's own size times
 * plus or minus one; returns what the gradients say that the loss changes per unit. */
static double move(native_case *c, const ob_value *gradients, double step)
{
    ob_rng rng;
    double slope = 0;
    ob_rng_init(&rng, 11, 0);
    for (size_t i = 0; i < c->backward.target_count; i++) {
        float *x = ob_tensor_data(target_tensor(c, i));
        const ob_tensor *g = gradients[i].as.tensor;
        const int64_t count = ob_tensor_numel(g);
        double size = 0;
        for (int64_t k = 0; k < count; k++)
            size += (double)x[k] * (double)x[k] / (double)count;
        /* Towards the gradient in part, or all contributions would cancel. */
        double norm = 0;
        for (int64_t k = 0; k < count; k++)
            norm += element(g, k) * element(g, k) / (double)count;
        size = sqrt(size) > 0.01 ? sqrt(size) : 0.01;
        for (int64_t k = 0; k < count; k++) {
            const double noise = ob_rng_u64(&rng) & 1 ? 1 : -1;
            const double d = size * (0.5 * noise + (norm > 0 ? element(g, k) / sqrt(norm) : 0));
            slope += d * element(g, k);
            x[k] = (float)((double)x[k] + step * d);
        }
    }
    return slope;
}

static void check_network(const network *n, double step, double tolerance)
{
    native_case c;
    ob_err err;
    static ob_value gradients[MAX_VALUES];
    size_t count = 0;
    uint64_t peak = 0;
    if (open_network(n, &c, &err) != OB_OK) {
        OB_TEST_FAIL("%s: %s", n->name, err.message);
        case_close(&c);
        return;
    }
    const double first = loss(&c);
    CHECK(isfinite(first));
    CHECK_REAL(loss(&c), first);
    CHECK_INT(case_run(&c, OB_PHASE_MAKE_GRAD, &err), OB_OK);
    CHECK_INT(case_run(&c, OB_PHASE_BACKWARD, &err), OB_OK);
    CHECK_INT(
        subject.desc->outputs(c.prepared, OB_PASS_BACKWARD, gradients, MAX_VALUES, &count, &err),
        OB_OK);
    CHECK_INT(count, c.backward.target_count);
    const double slope = move(&c, gradients, step);
    const double above = loss(&c);
    (void)move(&c, gradients, -2 * step);
    const double below = loss(&c);
    const double measured = (above - below) / (2 * step);
    printf("%s: loss %g, slope %g by gradients, %g by differences\n", n->name, first, slope,
           measured);
    CHECK_NEAR(measured / slope, 1, tolerance);
    CHECK_INT(subject.desc->memory_peak(subject.backend, true, &peak, &err), OB_OK);
    CHECK(peak > 0);
    for (size_t i = 0; i < count; i++)
        ob_value_fini(&gradients[i]);
    case_close(&c);
}

static void alex_net(void)
{
    static const network n = {
        .name = "pytorch.model.alex_net", .batch = 2, .size = 127, .takes_dropout = true};
    check_network(&n, 1e-4, 0.01);
}

static void resnet(void)
{
    static const network n = {.name = "pytorch.model.resnet", .batch = 4, .size = 64};
    check_network(&n, 3e-7, 0.03);
}

int main(void)
{
    subject_open(&subject, 1);
    RUN(alex_net);
    RUN(resnet);
    subject_close(&subject);
    return ob_test_end();
}
