/* SPDX-License-Identifier: Apache-2.0
 *
 * The OpenCL backend on a real device, in tests PoCL: results, gradients, events, memory, faults of kernels. With the
 * word "full": ten thousand cases, and how well times of events and of the host agree.
 */
#include "opencl_test.h"

#include <time.h>

static ob_backend *backend;

/* The clock that PoCL reads too. */
static double host_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static const float *floats(const ob_value *value)
{
    return ob_tensor_data(value->as.tensor);
}

static void test_results(void)
{
    const ob_value args[] = {vector(1, 2, 3, true), vector(4, 5, 6, false)};
    opencl_case c;
    ob_value out = ob_value_none();
    size_t count = 0;
    ob_err err;
    CHECK_OK(case_open(&c, backend, "torch.mul", args, 2, OB_PASS_BACKWARD, &err));
    CHECK_OK(desc->run(c.prepared, OB_PHASE_FORWARD, 3, &err));
    CHECK_OK(desc->outputs(c.prepared, OB_PASS_FORWARD, &out, 1, &count, &err));
    CHECK_INT(count, 1);
    CHECK_REAL(floats(&out)[0], 4);
    CHECK_REAL(floats(&out)[2], 18);
    ob_value_fini(&out);
    CHECK_OK(desc->run(c.prepared, OB_PHASE_MAKE_GRAD, 1, &err));
    CHECK_OK(desc->run(c.prepared, OB_PHASE_BACKWARD, 3, &err)); /* the last one counts */
    CHECK_OK(desc->outputs(c.prepared, OB_PASS_BACKWARD, &out, 1, &count, &err));
    CHECK_REAL(floats(&out)[1], 5);
    ob_value_fini(&out);
    CHECK_OK(desc->run(c.prepared, OB_PHASE_ZERO_GRAD, 1, &err));
    CHECK_OK(desc->run(c.prepared, OB_PHASE_BACKWARD, 1, &err));
    CHECK_OK(desc->outputs(c.prepared, OB_PASS_BACKWARD, &out, 1, &count, &err));
    CHECK_REAL(floats(&out)[1], 5);
    ob_value_fini(&out);
    case_close(&c);
}

/* An operator that changes its input finds it as it was, after restore. */
static void test_restore(void)
{
    const ob_value args[] = {vector(1, 2, 3, false), vector(1, 1, 1, false)};
    opencl_case c;
    ob_value out = ob_value_none();
    size_t count = 0;
    ob_err err;
    CHECK_OK(case_open(&c, backend, "torch.Tensor.add_", args, 2, OB_PASS_FORWARD, &err));
    for (int i = 0; i < 3; i++) {
        CHECK_OK(desc->run(c.prepared, OB_PHASE_RESTORE, 1, &err));
        CHECK_OK(desc->run(c.prepared, OB_PHASE_FORWARD, 1, &err));
    }
    CHECK_OK(desc->outputs(c.prepared, OB_PASS_FORWARD, &out, 1, &count, &err));
    CHECK_REAL(floats(&out)[2], 4);
    ob_value_fini(&out);
    case_close(&c);
}

/* A kernel that meets a bad value fails after run has returned; sync tells, once. */
static void check_fault(const char *op, const ob_value *args, size_t count, const char *message)
{
    opencl_case c;
    ob_err err;
    CHECK_OK(case_open(&c, backend, op, args, count, OB_PASS_FORWARD, &err));
    CHECK_OK(desc->run(c.prepared, OB_PHASE_FORWARD, 2, &err));
    CHECK_INT(desc->sync(backend, &err), OB_ERR_INVALID);
    CHECK_STR(err.message, message);
    CHECK_OK(desc->sync(backend, &err));
    case_close(&c);
    CHECK_OK(desc->sync(backend, &err));
}

static void test_faults(void)
{
    const int64_t indices[] = {1, 7}, whole[] = {6, 3, 2}, divisors[] = {1, 0, 2};
    const int64_t two[] = {2}, three[] = {3};
    const ob_value lookup[] = {zeros(5, 4), tensor_of(OB_DTYPE_I64, indices, two, 1, false)};
    const ob_value divide[] = {tensor_of(OB_DTYPE_I64, whole, three, 1, false),
                               tensor_of(OB_DTYPE_I64, divisors, three, 1, false)};
    check_fault(
        "aten::embedding", lookup, 2,
        "aten::embedding: indices has the index 7, which is not in [0, 5); give indices below "
        "the size of what they index");
    check_fault("aten::floor_divide", divide, 2,
                "aten::floor_divide: an integer is divided by zero; give a divisor without zeros");
}

static void test_memory(void)
{
    const ob_value args[] = {zeros(100, 10), zeros(100, 10)};
    ob_storage *device, *host;
    opencl_case c;
    uint64_t peak = 0;
    ob_err err;
    CHECK_INT(held_bytes(backend), 0);
    CHECK_OK(case_open(&c, backend, "torch.add", args, 2, OB_PASS_FORWARD, &err));
    CHECK_OK(desc->memory_peak(backend, false, &peak, &err));
    CHECK_INT(peak, 3 * 4000 + 1); /* and an empty arena */
    case_close(&c);
    CHECK_INT(held_bytes(backend), 0);
    CHECK_OK(desc->alloc(backend, 8, &device, &err));
    CHECK_OK(ob_storage_create(8, &host, &err));
    memcpy(ob_storage_data(host), "12345678", 8);
    CHECK_STR(ob_storage_device(device)->type, "opencl");
    CHECK_OK(desc->copy(backend, device, host, 8, &err));
    memset(ob_storage_data(host), 0, 8);
    CHECK_OK(desc->copy(backend, host, device, 8, &err));
    CHECK_INT(memcmp(ob_storage_data(host), "12345678", 8), 0);
    CHECK_INT(desc->copy(backend, host, device, 9, &err), OB_ERR_INVALID);
    CHECK_INT(held_bytes(backend), 8);
    ob_storage_release(device);
    ob_storage_release(host);
    CHECK_INT(held_bytes(backend), 0);
    const char *how = "";
    CHECK_OK(desc->flush_cache(backend, NULL, &how, &err));
    CHECK_STR(how, "device buffer written");
    CHECK_INT(held_bytes(backend), 0);
}

/* What lies between two events is within the host's interval around it. */
static double measure(const opencl_case *c, uint64_t iterations, double *outside_ns)
{
    ob_event *events[2];
    double ns = -1;
    ob_err err;
    for (int e = 0; e < 2; e++)
        CHECK_OK(desc->event_create(backend, &events[e], &err));
    CHECK_OK(desc->sync(backend, &err));
    const double start = host_ns();
    CHECK_OK(desc->event_record(events[0], &err));
    CHECK_OK(desc->run(c->prepared, OB_PHASE_FORWARD, iterations, &err));
    CHECK_OK(desc->event_record(events[1], &err));
    CHECK_OK(desc->sync(backend, &err));
    *outside_ns = host_ns() - start;
    CHECK_OK(desc->event_elapsed_ns(events[0], events[1], &ns, &err));
    for (int e = 0; e < 2; e++)
        desc->event_destroy(events[e]);
    return ns;
}

static void test_events(void)
{
    const ob_value args[] = {zeros(500, 500), zeros(500, 500)};
    ob_event *start, *end;
    opencl_case c;
    double ns = -1, outside = 0;
    ob_err err;
    CHECK_OK(case_open(&c, backend, "torch.add", args, 2, OB_PASS_FORWARD, &err));
    CHECK_OK(desc->event_create(backend, &start, &err));
    CHECK_OK(desc->event_create(backend, &end, &err));
    CHECK_INT(desc->event_elapsed_ns(start, end, &ns, &err), OB_ERR_STATE);
    CHECK_HAS(err.message, "was not recorded");
    CHECK_OK(desc->event_record(start, &err));
    CHECK_OK(desc->event_record(end, &err));
    CHECK_OK(desc->run(c.prepared, OB_PHASE_FORWARD, 1, &err));
    CHECK_OK(desc->sync(backend, &err));
    CHECK_OK(desc->event_elapsed_ns(start, end, &ns, &err)); /* nothing lies between them */
    CHECK_REAL(ns, 0);
    desc->event_destroy(start);
    desc->event_destroy(end);
    ns = measure(&c, 3, &outside);
    CHECK(ns > 0);
    CHECK(ns <= outside);
    case_close(&c);
}

/* ---- the long ones ---- */

static void check_leak(int cases)
{
    ob_err err;
    for (int i = 0; i < cases; i++) {
        const ob_value args[] = {zeros(1 + i % 7, 5), zeros(1 + i % 7, 5)};
        opencl_case c;
        CHECK_OK(case_open(&c, backend, "torch.add", args, 2, OB_PASS_FORWARD, &err));
        CHECK_OK(desc->run(c.prepared, OB_PHASE_FORWARD, 1, &err));
        CHECK_OK(desc->sync(backend, &err));
        case_close(&c);
        CHECK_INT(held_bytes(backend), 0);
    }
}

static void test_leak(void)
{
    check_leak(200);
}

static void test_leak_full(void)
{
    check_leak(10000);
}

/* Long batches: what the host sees beside the device's time is the way there and back (docs/opencl.md). Half of
 * it at most, in the best of some trials: others use the machine too. */
static void test_agreement(void)
{
    const ob_value args[] = {zeros(2000, 2000), zeros(2000, 2000)};
    opencl_case c;
    double best = 0;
    ob_err err;
    CHECK_OK(case_open(&c, backend, "torch.add", args, 2, OB_PASS_FORWARD, &err));
    for (int i = 0; i < 20; i++) {
        double outside = 0;
        const double ns = measure(&c, 20, &outside);
        CHECK(ns <= outside);
        best = fmax(best, ns / outside);
    }
    CHECK(best > 0.5);
    case_close(&c);
}

int main(int argc, char **argv)
{
    ob_reason why = {.text = ""};
    ob_err err;
    plugin_open();
    if (desc->probe(ob_host_get(), &why) != OB_OK) {
        printf("skipped: %s\n", why.text);
        return SKIP;
    }
    if (backend_open(NULL, 0, &backend, &err) != OB_OK) {
        printf("skipped: %s\n", err.message);
        return err.code == OB_ERR_UNSUPPORTED ? SKIP : 1;
    }
    if (argc > 1 && strcmp(argv[1], "full") == 0) {
        RUN(test_leak_full);
        RUN(test_agreement);
    } else {
        RUN(test_results);
        RUN(test_restore);
        RUN(test_faults);
        RUN(test_memory);
        RUN(test_events);
        RUN(test_leak);
    }
    desc->close(backend);
    ob_context_destroy(context);
    return ob_test_end();
}
