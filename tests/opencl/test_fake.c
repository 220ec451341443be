/* SPDX-License-Identifier: Apache-2.0
 *
 * The OpenCL backend on a device that computes nothing and fails as it is told (fake_opencl.c): what a driver does on
 * bad days, and that everything that was made is released.
 */
#include "opencl_test.h"

#include <dlfcn.h>

static long (*fake_live)(void);

static void set_fault(const char *word)
{
    setenv("FAKE_OPENCL", word, 1);
}

static ob_status open_fake(ob_backend **out, ob_err *err)
{
    return backend_open(OB_FAKE_OPENCL, 0, out, err);
}

static ob_status open_add(opencl_case *c, ob_backend *backend, int64_t rows, ob_err *err)
{
    const ob_value args[] = {zeros(rows, 4), zeros(rows, 4)};
    return case_open(c, backend, "torch.add", args, 2, OB_PASS_FORWARD, err);
}

static void test_no_device(void)
{
    ob_backend *backend = NULL;
    ob_err err;
    set_fault("platforms");
    CHECK_INT(open_fake(&backend, &err), OB_ERR_UNSUPPORTED);
    CHECK_HAS(err.message, "pocl-opencl-icd");
    set_fault("devices");
    CHECK_INT(open_fake(&backend, &err), OB_ERR_UNSUPPORTED);
    CHECK_HAS(err.message, "OpenCL has no device here");
    set_fault("");
    CHECK_INT(backend_open(OB_FAKE_OPENCL, 2, &backend, &err), OB_ERR_INVALID);
    CHECK_STR(err.message, "there is no device opencl:2; there are: opencl:0 fake device");
    CHECK(backend == NULL);
    CHECK_INT(fake_live(), 0);
}

static void test_no_library(void)
{
    ob_backend *backend = NULL;
    ob_err err;
    CHECK_INT(backend_open("/nowhere/libOpenCL.so.1", 0, &backend, &err), OB_ERR_UNSUPPORTED);
    CHECK_HAS(err.message, "/nowhere/libOpenCL.so.1");
    CHECK_HAS(err.message, "ocl-icd-libopencl1");
    CHECK_HAS(err.message, "pocl-opencl-icd");
    /* A library that is there and is none of OpenCL's. */
    CHECK_INT(backend_open(OB_OPENCL_PLUGIN, 0, &backend, &err), OB_ERR_UNSUPPORTED);
    CHECK_HAS(err.message, "has no clGetPlatformIDs");
}

/* An error that only shows when somebody waits is told then, once, and the next case runs. */
static void check_late(const char *fault, const char *word)
{
    ob_backend *backend = NULL;
    opencl_case c;
    ob_err err;
    set_fault("");
    CHECK_OK(open_fake(&backend, &err));
    CHECK_OK(open_add(&c, backend, 3, &err));
    set_fault(fault);
    CHECK_OK(desc->run(c.prepared, OB_PHASE_FORWARD, 5, &err));
    CHECK_INT(desc->sync(backend, &err), OB_ERR_BACKEND);
    CHECK_HAS(err.message, "a kernel failed on the device");
    CHECK_HAS(err.message, word);
    set_fault("");
    CHECK_OK(desc->sync(backend, &err));
    CHECK_OK(desc->run(c.prepared, OB_PHASE_FORWARD, 1, &err));
    CHECK_OK(desc->sync(backend, &err));
    case_close(&c);
    desc->close(backend);
    CHECK_INT(fake_live(), 0);
}

static void test_late(void)
{
    check_late("finish", "CL_OUT_OF_RESOURCES");
    check_late("event", "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST");
}

static void test_memory(void)
{
    ob_backend *backend = NULL;
    opencl_case c;
    ob_err err;
    set_fault("memory");
    CHECK_OK(open_fake(&backend, &err));
    CHECK_INT(open_add(&c, backend, 1 << 20, &err), OB_ERR_NOMEM);
    CHECK_HAS(err.message, "no room for 16777216 bytes on the device");
    CHECK_HAS(err.message, "CL_MEM_OBJECT_ALLOCATION_FAILURE");
    case_close(&c);
    CHECK_INT(held_bytes(backend), 0);
    CHECK_OK(open_add(&c, backend, 100, &err));   /* a smaller one still fits */
    CHECK_INT(held_bytes(backend), 3 * 1600 + 1); /* and an empty arena */
    case_close(&c);
    desc->close(backend);
    CHECK_INT(fake_live(), 0);
}

static void test_build(void)
{
    ob_backend *backend = NULL;
    opencl_case c;
    ob_err err;
    set_fault("build");
    CHECK_OK(open_fake(&backend, &err));
    CHECK_INT(open_add(&c, backend, 3, &err), OB_ERR_BACKEND);
    CHECK_STR(err.message, "the device's compiler refused the program elementwise.cl "
                           "(CL_BUILD_PROGRAM_FAILURE): line 7: "
                           "error: this compiler refuses everything");
    case_close(&c);
    desc->close(backend);
    CHECK_INT(fake_live(), 0);
}

/* A device without double numbers says so instead of failing to compile. */
static void test_no_doubles(void)
{
    const int64_t sizes[] = {3};
    const ob_value args[] = {tensor_of(OB_DTYPE_F64, NULL, sizes, 1, false)};
    ob_backend *backend = NULL;
    opencl_case c;
    ob_err err;
    set_fault("");
    CHECK_OK(open_fake(&backend, &err));
    CHECK_INT(case_open(&c, backend, "torch.exp", args, 1, OB_PASS_FORWARD, &err),
              OB_ERR_UNSUPPORTED);
    CHECK_STR(err.message, "the device fake device has no doubles (cl_khr_fp64); use f32");
    case_close(&c);
    desc->close(backend);
}

typedef struct properties {
    char platform[32], device[32], driver[32], units[32];
} properties;

static void take_property(void *ctx, const char *name, const char *value)
{
    properties *p = ctx;
    const struct {
        const char *name;
        char *to;
    } rows[] = {{"platform", p->platform},
                {"device", p->device},
                {"driver_version", p->driver},
                {"compute_units", p->units}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(name, rows[i].name) == 0)
            snprintf(rows[i].to, 32, "%s", value);
    }
}

static void test_properties(void)
{
    ob_backend *backend = NULL;
    properties p = {.platform = ""};
    ob_err err;
    set_fault("");
    CHECK_OK(open_fake(&backend, &err));
    desc->properties(backend, take_property, &p);
    CHECK_STR(p.platform, "Fake");
    CHECK_STR(p.device, "fake device");
    CHECK_STR(p.driver, "7.1");
    CHECK_STR(p.units, "3");
    CHECK_INT(desc->threads(backend), 3);
    desc->close(backend);
}

/* Ten thousand cases, forward and backward, with events: nothing is left on the device or in the driver. */
static void test_leak(void)
{
    ob_backend *backend = NULL;
    long before = 0;
    ob_err err;
    set_fault("");
    CHECK_OK(open_fake(&backend, &err));
    for (int i = 0; i < 10000; i++) {
        const ob_value args[] = {vector(1, 2, 3, true), vector(4, 5, 6, false)};
        opencl_case c;
        ob_event *events[2];
        double ns = -1;
        CHECK_OK(case_open(&c, backend, "torch.mul", args, 2, OB_PASS_BACKWARD, &err));
        for (int e = 0; e < 2; e++)
            CHECK_OK(desc->event_create(backend, &events[e], &err));
        CHECK_OK(desc->event_record(events[0], &err));
        CHECK_OK(desc->run(c.prepared, OB_PHASE_FORWARD, 2, &err));
        CHECK_OK(desc->event_record(events[1], &err));
        CHECK_OK(desc->run(c.prepared, OB_PHASE_MAKE_GRAD, 1, &err));
        CHECK_OK(desc->run(c.prepared, OB_PHASE_BACKWARD, 2, &err));
        CHECK_OK(desc->sync(backend, &err));
        CHECK_OK(desc->event_elapsed_ns(events[0], events[1], &ns, &err));
        CHECK_REAL(ns, 100);
        for (int e = 0; e < 2; e++)
            desc->event_destroy(events[e]);
        case_close(&c);
        CHECK_INT(held_bytes(backend), 0);
        if (i == 0)
            before = fake_live();
    }
    CHECK_INT(fake_live(), before); /* programs, and what the backend itself holds */
    desc->close(backend);
    CHECK_INT(fake_live(), 0);
}

int main(void)
{
    plugin_open();
    void *handle = dlopen(OB_FAKE_OPENCL, RTLD_NOW);
    void *symbol = handle != NULL ? dlsym(handle, "fake_live") : NULL;
    if (symbol == NULL) {
        fprintf(stderr, "%s cannot be opened\n", OB_FAKE_OPENCL);
        return 1;
    }
    memcpy(&fake_live, &symbol, sizeof symbol);
    RUN(test_no_device);
    RUN(test_no_library);
    RUN(test_late);
    RUN(test_memory);
    RUN(test_build);
    RUN(test_no_doubles);
    RUN(test_properties);
    RUN(test_leak);
    ob_context_destroy(context);
    return ob_test_end();
}
