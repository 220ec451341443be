/* SPDX-License-Identifier: Apache-2.0
 *
 * The ceilings of a device with memory of its own, by the null backend: its times are exact.
 */
#include "gen/gen.h"
#define TEST_PARTS &ob__gen_builtin
#include "config_testing.h"

#include "machine/roofline_list.h"
#include "opbench/run.h"

static ob_status measure(const char *device, const char *backend_options, ob_roofline **out,
                         ob_err *err)
{
    ob_run_options options;
    ob_run_options_init(&options);
    options.backend = "null";
    options.device = device;
    options.backend_options = backend_options;
    *out = ob__roofline_create();
    return ob_device_ceilings(test_context(), &options, 0.01, *out, err);
}

static void check_row(const ob_roofline *r, size_t index, ob_ceiling_kind kind, double bytes,
                      double seconds)
{
    const ob_ceiling *c = ob_roofline_at(r, index);
    CHECK(c != NULL);
    if (c == NULL)
        return;
    CHECK_STR(ob_ceiling_word(c->kind), ob_ceiling_word(kind));
    CHECK_STR(c->of, "null:0");
    CHECK_STR(c->set, "null");
    CHECK_INT(c->threads, 1);
    CHECK_NEAR((double)c->bytes, bytes, 12); /* three arrays of whole numbers */
    CHECK_NEAR(c->value, (double)c->bytes / seconds, 1);
}

/* A copy takes 1 ms and moves 64 MiB, on the device twice; an operator takes 2 ms. */
static void a_device(void)
{
    static const double MIB = 1 << 20;
    ob_roofline *r;
    ob_err err;
    CHECK_INT(measure("null", "copy_ns=1000000,forward_ns=2000000", &r, &err), OB_OK);
    CHECK_INT(ob_roofline_count(r), 9);
    check_row(r, 0, OB_CEILING_UPLOAD, 64 * MIB, 1e-3);
    check_row(r, 1, OB_CEILING_COPY, 128 * MIB, 1e-3);
    check_row(r, 2, OB_CEILING_DOWNLOAD, 64 * MIB, 1e-3);
    for (size_t i = 0; i < 3; i++) {
        const double bytes = MIB * (double)(1 << (4 * i));
        check_row(r, 3 + 2 * i, OB_CEILING_LOAD, bytes, 2e-3);
        check_row(r, 4 + 2 * i, OB_CEILING_TRIAD, bytes, 2e-3);
    }
    ob_roofline_destroy(r);
}

static void no_device(void)
{
    ob_roofline *r;
    ob_err err;
    CHECK_INT(measure(NULL, NULL, &r, &err), OB_OK); /* its first is the host */
    CHECK_INT(ob_roofline_count(r), 0);
    ob_roofline_destroy(r);
    CHECK_INT(measure("cuda:0", NULL, &r, &err), OB_OK); /* not its device */
    CHECK_INT(ob_roofline_count(r), 0);
    ob_roofline_destroy(r);
}

static void some_rows(void)
{
    ob_roofline *r;
    ob_err err;
    /* Copies that take no time have no rate, and an operator that the backend does not have has none. */
    CHECK_INT(measure("null:1", "copy_ns=0,unsupported=aten::sum", &r, &err), OB_OK);
    CHECK_INT(ob_roofline_count(r), 3);
    for (size_t i = 0; i < ob_roofline_count(r); i++) {
        CHECK_INT(ob_roofline_at(r, i)->kind, OB_CEILING_TRIAD);
        CHECK_STR(ob_roofline_at(r, i)->of, "null:1");
    }
    ob_roofline_destroy(r);
}

static void failures(void)
{
    ob_roofline *r;
    ob_err err;
    CHECK_INT(measure("null", "fault=error,fault_phase=open", &r, &err), OB_ERR_BACKEND);
    CHECK_HAS(err.message, "injected error in open");
    CHECK_INT(ob_roofline_count(r), 0);
    ob_roofline_destroy(r);
    CHECK_INT(measure("null", "fault=segfault,fault_phase=open", &r, &err), OB_ERR_BACKEND);
    CHECK_STR(err.message, "backend null crashed while null:0 was measured");
    ob_roofline_destroy(r);
    CHECK_INT(measure("null", "no_such_option=1", &r, &err), OB_ERR_BACKEND);
    CHECK_HAS(err.message, "no_such_option");
    ob_roofline_destroy(r);
}

int main(void)
{
    ob_err err;
    if (ob_plugin_load(test_context(), OB_BUILT_PLUGIN_DIR "/null.so", &err) != OB_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    RUN(a_device);
    RUN(no_device);
    RUN(some_rows);
    RUN(failures);
    ob_context_destroy(test_context());
    return ob_test_end();
}
