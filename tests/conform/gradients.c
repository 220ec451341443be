/* SPDX-License-Identifier: Apache-2.0
 *
 * The derived backward against central differences in float64: for every differentiable call, the
 * gradient of the sum of its results with respect to each element of each floating input.
 */
#include "conform.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double STEP = 0x1p-13;

/* Whether gradients start from a forward edge. */
static bool is_seeded(const trial *t, ob_edge_id edge)
{
    const ob_graph *backward = t->setup.backward.graph;
    for (size_t i = 0; i < backward->edge_count; i++) {
        if (backward->edges[i].role == OB_EDGE_GRAD_OUTPUT &&
            backward->edges[i].forward_edge == edge)
            return true;
    }
    return false;
}

/* The sum of what gradients start from. In long double: its rounding is divided by the step. */
static ob_status objective(trial *t, long double *sum, ob_err *err)
{
    ob_value *values = NULL;
    size_t count = 0;
    OB_TRY(trial_run(t, OB_PHASE_FORWARD, err));
    const ob_status status = trial_outputs(t, OB_PASS_FORWARD, &values, &count, err);
    *sum = 0;
    for (size_t k = 0; status == OB_OK && k < count; k++) {
        const bool list = values[k].kind == OB_VALUE_LIST;
        if (!is_seeded(t, t->setup.graph->outputs[k]))
            continue;
        for (size_t i = 0; i < (list ? values[k].as.list.count : 1); i++) {
            const ob_value *item = list ? &values[k].as.list.items[i] : &values[k];
            for (int64_t e = 0; e < tensor_count(item->as.tensor); e++)
                *sum += (long double)tensor_get(item->as.tensor, e);
        }
    }
    values_free(values, count);
    return status;
}

static ob_tensor *input_of_edge(const trial *t, ob_edge_id edge)
{
    size_t index = 0;
    for (ob_edge_id i = 0; i < edge; i++)
        index += t->setup.graph->edges[i].role == OB_EDGE_INPUT;
    return t->setup.inputs[index].as.tensor;
}

static ob_status difference(trial *t, const ob_tensor *input, int64_t e, double *slope, ob_err *err)
{
    long double up, down;
    /* In-place operators change their inputs: each evaluation starts from the saved ones. */
    OB_TRY(trial_run(t, OB_PHASE_RESTORE, err));
    const double value = tensor_get(input, e);
    tensor_set(input, e, value + STEP);
    OB_TRY(objective(t, &up, err));
    OB_TRY(trial_run(t, OB_PHASE_RESTORE, err));
    tensor_set(input, e, value - STEP);
    OB_TRY(objective(t, &down, err));
    OB_TRY(trial_run(t, OB_PHASE_RESTORE, err));
    tensor_set(input, e, value);
    *slope = (double)((up - down) / (long double)(2 * STEP));
    return OB_OK;
}

/* Elements that share memory (expanded inputs) are moved together; there are none in the goldens. */
static int check_target(trial *t, const golden *g, size_t k, const ob_tensor *grad, ob_err *err)
{
    const ob_tensor *input = input_of_edge(t, t->setup.backward.targets[k]);
    const int64_t count = tensor_count(grad);
    /* Of long inputs every so many elements. */
    const int64_t stride = count > 64 ? count / 64 : 1;
    double *got = calloc((size_t)count + 1, sizeof *got);
    int failed = 0;
    for (int64_t e = 0; e < count; e++)
        got[e] = tensor_get(grad, e);
    for (int64_t e = 0; !failed && e < count; e += stride) {
        double slope;
        if (difference(t, input, e, &slope, err) != OB_OK) {
            printf("%s: %s\n", g->op, err->message);
            failed = 1;
        } else if (!(fabs(slope - got[e]) <= 2e-6 * (1 + fabs(slope)))) {
            printf("%s: the gradient of '%s' at %lld is %.12g, differences give %.12g\n", g->op,
                   t->setup.graph->edges[t->setup.backward.targets[k]].name, (long long)e, got[e],
                   slope);
            failed = 1;
        }
    }
    free(got);
    return failed;
}

static int check(trial *t, const golden *g, ob_err *err)
{
    static const ob_phase phases[] = {OB_PHASE_FORWARD, OB_PHASE_MAKE_GRAD, OB_PHASE_BACKWARD};
    ob_value *grads = NULL;
    size_t count = 0;
    int failures = 0;
    for (size_t i = 0; i < sizeof phases / sizeof phases[0]; i++) {
        if (trial_run(t, phases[i], err) != OB_OK) {
            printf("%s: %s\n", g->op, err->message);
            return 1;
        }
    }
    if (trial_outputs(t, OB_PASS_BACKWARD, &grads, &count, err) != OB_OK) {
        printf("%s: %s\n", g->op, err->message);
        return 1;
    }
    for (size_t k = 0; k < count; k++)
        failures += check_target(t, g, k, grads[k].as.tensor, err);
    values_free(grads, count);
    return failures > 0;
}

int run_gradients(const char *plugin, const char *goldens_path)
{
    subject s;
    goldens file;
    golden g;
    ob_err err;
    int failures = 0, checked = 0, without = 0;
    if (subject_open(&s, plugin, NULL, 1, &err) != OB_OK ||
        goldens_open(&file, goldens_path, &err) != OB_OK) {
        printf("%s\n", err.message);
        return 1;
    }
    while (goldens_next(&file, OB_DTYPE_F64, &g, &err) == OB_OK) {
        trial t;
        golden_require_grad(&g);
        const ob_status status =
            g.nograd ? OB_END : trial_prepare(&t, &s, &g, OB_PASS_BACKWARD, &err);
        if (status == OB_OK) {
            failures += check(&t, &g, &err);
            checked++;
        } else if (status == OB_ERR_UNSUPPORTED || status == OB_END) {
            without++;
            if (getenv("CONFORM_VERBOSE") != NULL && status != OB_END)
                printf("%s: %s\n", g.op, err.message);
        } else {
            printf("%s: %s\n", g.op, err.message);
            failures++;
        }
        if (!g.nograd)
            trial_release(&t);
        golden_fini(&g);
    }
    printf("gradients: %d calls, %d without, %d failed\n", checked, without, failures);
    goldens_close(&file);
    subject_close(&s);
    return failures + (checked == 0);
}
