/* SPDX-License-Identifier: Apache-2.0
 *
 * The null backend through its desc, as an executor uses it: virtual time to the nanosecond, queue,
 * events, outputs, memory, order of calls.
 */
#include "null_test.h"

#include "../../../backends/null/null.h"

static ob_context *loaded;
static const ob_backend_desc *null_desc;

static null_options defaults(void)
{
    null_options o = {.queue = NULL};
    CHECK_INT(ob_options_init(null_desc->options, &o, NULL), OB_OK);
    return o;
}

/* options NULL: the defaults. */
static ob_backend *open_null(const null_options *options)
{
    const null_options usual = defaults();
    const ob_backend_settings settings = {.host = ob_host_get(),
                                          .device = {.type = "cpu", .index = -1},
                                          .threads = 1,
                                          .options = options != NULL ? options : &usual};
    ob_backend *backend = NULL;
    ob_err err;
    CHECK_INT(null_desc->open(&settings, &backend, &err), OB_OK);
    return backend;
}

static uint64_t property(ob_backend *backend, const char *name)
{
    test_property wanted = {.name = name};
    null_desc->properties(backend, test_property_take, &wanted);
    return strtoull(wanted.value, NULL, 10);
}

static void test_desc(void)
{
    CHECK_STR(null_desc->device_types, "cpu null");
    CHECK(null_desc->asynchronous);
    CHECK(null_desc->has_autograd);
    const ob_entry_info info = test_entry(loaded, OB_ENTRY_BACKEND, "null");
    CHECK(info.available);
    CHECK_STR(info.origin, "null");
    CHECK_INT(null_desc->options_size, sizeof(null_options));
    CHECK_INT(defaults().forward_ns, 1000);
    CHECK_INT(defaults().backward_ns, 2000);
    /* Without options the defaults hold. */
    ob_backend *backend = open_null(NULL);
    CHECK_INT(backend->options.forward_ns, 1000);
    CHECK_STR(backend->options.queue, "on");
    null_desc->close(backend);
}

/* Every option and every kind of fault stands in the manual. */
static void test_manual(void)
{
    static char manual[65536];
    FILE *file = fopen(OB_SOURCE_DIR "/docs/plugins.md", "r");
    CHECK(file != NULL);
    if (file == NULL)
        return;
    CHECK(fread(manual, 1, sizeof manual - 1, file) > 1000);
    fclose(file);
    char word[64];
    for (const ob_option *row = null_desc->options; row->name != NULL; row++) {
        snprintf(word, sizeof word, "`%s`", row->name);
        CHECK_HAS(manual, word);
    }
#define FAULT_WORD(name, function) CHECK_HAS(manual, "`" name "`");
    NULL_FAULT_MAP(FAULT_WORD)
#undef FAULT_WORD
}

/* Host and device clocks after run, then after sync. */
static void check_times(const null_options *options, uint64_t iterations, uint64_t host_ns,
                        uint64_t device_ns)
{
    test_case t;
    test_case_init(&t, OB_PASS_FORWARD);
    ob_backend *backend = open_null(options);
    ob_prepared *prepared = NULL;
    ob_err err;
    CHECK_INT(null_desc->prepare(backend, &t.args, &prepared, &err), OB_OK);
    CHECK_INT(null_desc->run(prepared, OB_PHASE_FORWARD, iterations, &err), OB_OK);
    CHECK_INT(null_desc->clock_ns(backend), host_ns);
    CHECK_INT(property(backend, "virtual_clock_ns"), host_ns);
    CHECK_INT(property(backend, "virtual_device_ns"), device_ns);
    CHECK_INT(null_desc->sync(backend, &err), OB_OK);
    CHECK_INT(null_desc->clock_ns(backend), device_ns > host_ns ? device_ns : host_ns);
    null_desc->release(prepared);
    null_desc->close(backend);
    test_case_fini(&t);
}

static void test_times(void)
{
    null_options o = defaults();
    check_times(&o, 0, 0, 0);
    check_times(&o, 1, 0, 1000);
    check_times(&o, 7, 0, 7000);
    o.launch_ns = 10; /* the device is the slower one: it starts once and never waits */
    check_times(&o, 7, 70, 7010);
    o.forward_ns = 3; /* the host is: the device waits for each launch */
    check_times(&o, 7, 70, 73);
    o.queue = "off";
    check_times(&o, 7, 91, 91);
    check_times(&o, 1000000000, 13000000000, 13000000000);
}

/* The closed form against the recurrence it stands for. */
static void test_times_step_by_step(void)
{
    test_case t;
    test_case_init(&t, OB_PASS_FORWARD);
    ob_err err;
    for (int64_t launch = 0; launch < 5; launch++) {
        for (int64_t work = 0; work < 5; work++) {
            null_options o = defaults();
            o.launch_ns = launch;
            o.forward_ns = work;
            ob_backend *backend = open_null(&o);
            ob_prepared *prepared = NULL;
            CHECK_INT(null_desc->prepare(backend, &t.args, &prepared, &err), OB_OK);
            uint64_t host_ns = 0, device_ns = 0;
            for (uint64_t n = 0; n < 6; n++) {
                for (uint64_t i = 0; i < n; i++) {
                    host_ns += (uint64_t)launch;
                    device_ns = (device_ns > host_ns ? device_ns : host_ns) + (uint64_t)work;
                }
                CHECK_INT(null_desc->run(prepared, OB_PHASE_FORWARD, n, &err), OB_OK);
                CHECK_INT(property(backend, "virtual_clock_ns"), host_ns);
                CHECK_INT(property(backend, "virtual_device_ns"), device_ns);
            }
            null_desc->release(prepared);
            null_desc->close(backend);
        }
    }
    test_case_fini(&t);
}

static void test_overflow(void)
{
    test_case t;
    test_case_init(&t, OB_PASS_FORWARD);
    ob_backend *backend = open_null(NULL);
    ob_prepared *prepared = NULL;
    ob_err err;
    CHECK_INT(null_desc->prepare(backend, &t.args, &prepared, &err), OB_OK);
    CHECK_INT(null_desc->run(prepared, OB_PHASE_FORWARD, UINT64_MAX / 10, &err), OB_ERR_OVERFLOW);
    CHECK_HAS(err.message, "virtual clock would exceed 2^64 ns; run fewer iterations");
    CHECK_INT(null_desc->clock_ns(backend), 0);
    null_desc->release(prepared);
    null_desc->close(backend);
    test_case_fini(&t);
}

static void test_events(void)
{
    test_case t;
    test_case_init(&t, OB_PASS_FORWARD);
    null_options o = defaults();
    o.launch_ns = 10;
    ob_backend *backend = open_null(&o);
    ob_prepared *prepared = NULL;
    ob_event *start = NULL, *end = NULL;
    ob_err err;
    double elapsed = -1;
    CHECK_INT(null_desc->prepare(backend, &t.args, &prepared, &err), OB_OK);
    CHECK_INT(null_desc->event_create(backend, &start, &err), OB_OK);
    CHECK_INT(null_desc->event_create(backend, &end, &err), OB_OK);
    CHECK_INT(null_desc->event_elapsed_ns(start, end, &elapsed, &err), OB_ERR_STATE);
    CHECK_STR(err.message, "an event was not recorded; record both first");
    CHECK_INT(null_desc->run(prepared, OB_PHASE_FORWARD, 1, &err), OB_OK);
    CHECK_INT(null_desc->event_record(start, &err), OB_OK); /* at 1010 */
    CHECK_INT(null_desc->event_elapsed_ns(start, end, &elapsed, &err), OB_ERR_STATE);
    CHECK_STR(err.message, "an event was not recorded; record both first");
    CHECK_INT(null_desc->sync(backend, &err), OB_OK); /* start is reached, end will not be */
    CHECK_INT(null_desc->run(prepared, OB_PHASE_FORWARD, 3, &err), OB_OK);
    CHECK_INT(null_desc->event_record(end, &err), OB_OK); /* at 1010 + 10 + 3000 */
    CHECK_INT(null_desc->event_elapsed_ns(start, end, &elapsed, &err), OB_ERR_STATE);
    CHECK_STR(err.message, "the device has not reached an event yet; call sync first");
    CHECK_INT(null_desc->sync(backend, &err), OB_OK);
    CHECK_INT(null_desc->event_elapsed_ns(start, end, &elapsed, &err), OB_OK);
    CHECK_REAL(elapsed, 3010);
    CHECK_INT(null_desc->event_elapsed_ns(end, start, &elapsed, &err), OB_OK);
    CHECK_REAL(elapsed, -3010);
    null_desc->event_destroy(start);
    null_desc->event_destroy(end);
    null_desc->release(prepared);
    null_desc->close(backend);
    test_case_fini(&t);
}

static void test_cold_cache(void)
{
    test_case t;
    test_case_init(&t, OB_PASS_FORWARD);
    null_options o = defaults();
    o.queue = "off";
    o.cold_ns = 500;
    ob_backend *backend = open_null(&o);
    ob_prepared *prepared = NULL;
    ob_err err;
    const char *how = NULL;
    CHECK_INT(null_desc->prepare(backend, &t.args, &prepared, &err), OB_OK);
    CHECK_INT(null_desc->run(prepared, OB_PHASE_FORWARD, 2, &err), OB_OK);
    CHECK_INT(null_desc->clock_ns(backend), 2000);
    CHECK_INT(null_desc->flush_cache(backend, prepared, &how, &err), OB_OK);
    CHECK_STR(how, "virtual");
    CHECK_INT(null_desc->run(prepared, OB_PHASE_FORWARD, 3, &err), OB_OK);
    CHECK_INT(null_desc->clock_ns(backend), 5500);
    CHECK_INT(null_desc->run(prepared, OB_PHASE_FORWARD, 1, &err), OB_OK);
    CHECK_INT(null_desc->clock_ns(backend), 6500);
    CHECK_INT(property(backend, "cache_flushes"), 1);
    null_desc->release(prepared);
    null_desc->close(backend);
    test_case_fini(&t);
}

static void test_phases_and_outputs(void)
{
    test_case t;
    test_case_init(&t, OB_PASS_BACKWARD);
    null_options o = defaults();
    o.other_ns = 7;
    ob_backend *backend = open_null(&o);
    ob_prepared *prepared = NULL;
    ob_value out[2] = {0};
    size_t count = 99;
    ob_err err;
    CHECK_INT(null_desc->prepare(backend, &t.args, &prepared, &err), OB_OK);
    CHECK_INT(null_desc->outputs(prepared, OB_PASS_FORWARD, out, 2, &count, &err), OB_ERR_STATE);
    CHECK_STR(err.message, "no forward has run yet; run it first");
    CHECK_INT(count, 0);
    CHECK_INT(null_desc->run(prepared, OB_PHASE_BACKWARD, 1, &err), OB_ERR_STATE);
    CHECK_STR(err.message, "no forward pass has run yet; run forward first");
    CHECK_INT(null_desc->run(prepared, OB_PHASE_FORWARD, 1, &err), OB_OK);
    CHECK_INT(null_desc->run(prepared, OB_PHASE_BACKWARD, 1, &err), OB_ERR_STATE);
    CHECK_STR(err.message, "the outputs have no gradients; run make_grad first");
    CHECK_INT(null_desc->run(prepared, OB_PHASE_MAKE_GRAD, 1, &err), OB_OK);
    CHECK_INT(null_desc->run(prepared, OB_PHASE_BACKWARD, 2, &err), OB_OK);
    CHECK_INT(null_desc->run(prepared, OB_PHASE_ZERO_GRAD, 1, &err), OB_OK);
    CHECK_INT(null_desc->run(prepared, OB_PHASE_RESTORE, 1, &err), OB_OK);
    CHECK_INT(null_desc->run(prepared, (ob_phase)42, 1, &err), OB_ERR_UNSUPPORTED);
    CHECK_INT(null_desc->sync(backend, &err), OB_OK);
    CHECK_INT(null_desc->clock_ns(backend), 1000 + 2 * 2000 + 3 * 7);

    CHECK_INT(null_desc->outputs(prepared, OB_PASS_FORWARD, out, 0, &count, &err), OB_ERR_LIMIT);
    for (int pass = OB_PASS_FORWARD; pass <= OB_PASS_BACKWARD; pass++) {
        CHECK_INT(null_desc->outputs(prepared, (ob_pass)pass, out, 2, &count, &err), OB_OK);
        CHECK_INT(count, 1); /* z; the gradient of w */
        CHECK_INT(out[0].kind, OB_VALUE_TENSOR);
        CHECK_INT(out[0].as.tensor->ndim, 2);
        CHECK_INT(ob_tensor_numel(out[0].as.tensor), 6);
        static const float zeros[6];
        CHECK(memcmp(ob_tensor_data(out[0].as.tensor), zeros, sizeof zeros) == 0);
        ob_value_fini(&out[0]);
    }
    null_desc->release(prepared);
    /* The inputs were shared and are given back. */
    CHECK_INT(ob_storage_use_count(t.x.storage), 1);
    null_desc->close(backend);
    test_case_fini(&t);
}

static void test_forward_only(void)
{
    test_case t;
    test_case_init(&t, OB_PASS_FORWARD);
    ob_backend *backend = open_null(NULL);
    ob_prepared *prepared = NULL;
    ob_err err;
    CHECK_INT(null_desc->prepare(backend, &t.args, &prepared, &err), OB_OK);
    CHECK_INT(null_desc->run(prepared, OB_PHASE_FORWARD, 1, &err), OB_OK);
    CHECK_INT(null_desc->run(prepared, OB_PHASE_MAKE_GRAD, 1, &err), OB_ERR_STATE);
    CHECK_STR(err.message, "the case was prepared for forward only; prepare it for backward");
    null_desc->release(prepared);
    t.args.input_count = 0;
    CHECK_INT(null_desc->prepare(backend, &t.args, &prepared, &err), OB_ERR_INVALID);
    CHECK_STR(err.message, "the graph has 1 inputs and 1 parameters, but 0 and 1 were given");
    CHECK(prepared == NULL);
    null_desc->close(backend);
    test_case_fini(&t);
}

/* An output that is a list with a list in it, and a sparse tensor. */
static void test_nested_outputs(void)
{
    static const int64_t sizes[2] = {4, 4}, index_sizes[2] = {2, 3}, value_sizes[1] = {3};
    test_case t;
    test_case_init(&t, OB_PASS_FORWARD);
    ob_err err;
    ob_tensor indices, values, sparse;
    ob_value list, out = ob_value_none();
    CHECK_INT(ob_tensor_init(&indices, OB_DTYPE_I64, index_sizes, 2, NULL, &err), OB_OK);
    memset(ob_tensor_data(&indices), 0, 48);
    CHECK_INT(ob_tensor_init(&values, OB_DTYPE_F64, value_sizes, 1, NULL, &err), OB_OK);
    CHECK_INT(ob_tensor_init_sparse(&sparse, sizes, 2, &indices, &values, &err), OB_OK);
    CHECK_INT(ob_value_init_list(&list, OB_VALUE_LIST, 3, &err), OB_OK);
    CHECK_INT(ob_value_init_list(&list.as.list.items[0], OB_VALUE_TUPLE, 1, &err), OB_OK);
    CHECK_INT(ob_value_init_tensor(&list.as.list.items[0].as.list.items[0], &t.z, &err), OB_OK);
    CHECK_INT(ob_value_init_tensor(&list.as.list.items[1], &sparse, &err), OB_OK);
    list.as.list.items[2] = ob_value_int(17);
    t.edges[2].meta = list;

    ob_backend *backend = open_null(NULL);
    ob_prepared *prepared = NULL;
    size_t count = 0;
    uint64_t peak = 0;
    CHECK_INT(null_desc->prepare(backend, &t.args, &prepared, &err), OB_OK);
    CHECK_INT(null_desc->memory_peak(backend, false, &peak, &err), OB_OK);
    CHECK_INT(peak, 24 + 24 + 24 + 48 + 24);
    CHECK_INT(null_desc->run(prepared, OB_PHASE_FORWARD, 1, &err), OB_OK);
    CHECK_INT(null_desc->outputs(prepared, OB_PASS_FORWARD, &out, 1, &count, &err), OB_OK);
    CHECK_INT(out.kind, OB_VALUE_LIST);
    CHECK_INT(out.as.list.count, 3);
    CHECK_INT(out.as.list.items[0].kind, OB_VALUE_TUPLE);
    CHECK(ob_tensor_data(out.as.list.items[0].as.list.items[0].as.tensor) != NULL);
    CHECK_INT(out.as.list.items[1].as.tensor->layout, OB_LAYOUT_SPARSE_COO);
    CHECK_REAL(((const double *)ob_tensor_data(out.as.list.items[1].as.tensor->values))[2], 0.0);
    CHECK_INT(out.as.list.items[2].as.integer, 17);
    ob_value_fini(&out);
    null_desc->release(prepared);
    null_desc->close(backend);
    ob_value_fini(&list);
    ob_tensor_fini(&sparse);
    ob_tensor_fini(&values);
    ob_tensor_fini(&indices);
    test_case_fini(&t);
}

/* Lists deeper than any operator has are refused, not followed to the end of the stack. */
static void test_deep_outputs(void)
{
    enum { DEPTH = 40 };
    ob_value levels[DEPTH];
    levels[0] = ob_value_none();
    for (int i = 1; i < DEPTH; i++)
        levels[i] = (ob_value){.kind = OB_VALUE_LIST,
                               .as = {.list = {.items = &levels[i - 1], .count = 1}}};
    test_case t;
    test_case_init(&t, OB_PASS_FORWARD);
    t.edges[2].meta = levels[DEPTH - 1];
    ob_backend *backend = open_null(NULL);
    ob_prepared *prepared = NULL;
    ob_err err;
    CHECK_INT(null_desc->prepare(backend, &t.args, &prepared, &err), OB_ERR_LIMIT);
    CHECK_STR(err.message, "a list is nested more than 32 deep");
    uint64_t peak = 99;
    CHECK_INT(null_desc->memory_peak(backend, false, &peak, &err), OB_OK);
    CHECK_INT(peak, 0);
    null_desc->close(backend);
    test_case_fini(&t);
}

static void test_memory(void)
{
    test_case t;
    test_case_init(&t, OB_PASS_FORWARD);
    ob_backend *backend = open_null(NULL);
    ob_prepared *first = NULL, *second = NULL;
    uint64_t peak = 99;
    ob_err err;
    CHECK_INT(null_desc->memory_peak(backend, false, &peak, &err), OB_OK);
    CHECK_INT(peak, 0);
    CHECK_INT(null_desc->prepare(backend, &t.args, &first, &err), OB_OK);
    CHECK_INT(null_desc->prepare(backend, &t.args, &second, &err), OB_OK);
    null_desc->release(second);
    CHECK_INT(null_desc->memory_peak(backend, true, &peak, &err), OB_OK);
    CHECK_INT(peak, 2 * 3 * 24); /* x, w and z of 2 * 3 floats, twice */
    CHECK_INT(null_desc->memory_peak(backend, false, &peak, &err), OB_OK);
    CHECK_INT(peak, 3 * 24);
    null_desc->release(first);
    null_desc->release(NULL);

    ob_storage *device = NULL, *back = NULL;
    CHECK_INT(null_desc->alloc(backend, 24, &device, &err), OB_OK);
    CHECK_STR(ob_storage_device(device)->type, "null");
    CHECK_INT(ob_storage_create(24, &back, &err), OB_OK);
    memset(ob_tensor_data(&t.x), 0x5a, 24);
    CHECK_INT(null_desc->copy(backend, device, t.x.storage, 24, &err), OB_OK);
    CHECK_INT(null_desc->copy(backend, back, device, 24, &err), OB_OK);
    CHECK(memcmp(ob_storage_data(back), ob_tensor_data(&t.x), 24) == 0);
    CHECK_INT(null_desc->copy(backend, back, device, 25, &err), OB_ERR_INVALID);
    CHECK_STR(err.message, "copying 25 bytes from a storage of 24 into one of 24");
    ob_storage *small = NULL;
    CHECK_INT(null_desc->alloc(backend, 0, &small, &err), OB_OK);
    CHECK_INT(null_desc->copy(backend, small, device, 1, &err), OB_ERR_INVALID);
    CHECK_INT(null_desc->copy(backend, device, small, 1, &err), OB_ERR_INVALID);
    CHECK_INT(null_desc->copy(backend, small, device, 0, &err), OB_OK);
    ob_storage_release(small);
    ob_storage_release(back);
    null_desc->close(backend);
    ob_storage_release(device); /* outlives its backend */
    test_case_fini(&t);
}

static void test_supports(void)
{
    static const ob_op_row second_row = {.schema = "test::second(Tensor x) -> Tensor"};
    test_case t;
    test_case_init(&t, OB_PASS_FORWARD);
    ob_err err;
    CHECK_INT(ob_register_operator(t.context, &second_row, &err), OB_OK);
    ob_graph_node nodes[2] = {t.node, t.node};
    nodes[1].op = ob_op_table_find(t.graph.table, "test::second");
    t.graph.nodes = nodes;
    t.graph.node_count = 2;
    static const struct {
        const char *unsupported;
        const char *named; /* the operator that is denied, or NULL */
    } rows[] = {
        {NULL, NULL},
        {"", NULL},
        {" , ", NULL},
        {"test::add", NULL},
        {"test::add2.Scalar", NULL},
        {"test::add2.Tensor2", NULL},
        {"aten::add2", NULL},
        {"test::add2", "test::add2"},
        {"aten::mm, test::add2.Tensor", "test::add2"},
        {"test::second,aten::mm", "test::second"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        null_options o = defaults();
        o.unsupported = rows[i].unsupported;
        ob_backend *backend = open_null(&o);
        ob_reason why = {.text = ""};
        char want[256] = "";
        if (rows[i].named != NULL)
            snprintf(want, sizeof want,
                     "the option 'unsupported' of the null backend names %s; remove it there",
                     rows[i].named);
        CHECK_INT(null_desc->supports(backend, &t.graph, OB_PASS_FORWARD, &why),
                  rows[i].named == NULL ? OB_OK : OB_ERR_UNSUPPORTED);
        CHECK_STR(why.text, want);
        null_desc->close(backend);
    }
    test_case_fini(&t);
}

/* A module of the core, built by the core: parameters, buffers and the order of gradients. */
static void test_real_graph(void)
{
    static const int64_t sizes[4] = {2, 3, 8, 8};
    ob_err err;
    ob_tensor x;
    CHECK_INT(ob_tensor_init(&x, OB_DTYPE_F32, sizes, 4, NULL, &err), OB_OK);
    x.requires_grad = true;
    const ob_value features = ob_value_int(3);
    const ob_value input = {.kind = OB_VALUE_TENSOR, .as = {.tensor = &x}};
    const ob_call build = {.args = &features, .arg_count = 1};
    const ob_call call = {.args = &input, .arg_count = 1};
    ob_graph *graph = NULL;
    CHECK_INT(ob_graph_build(ob_context_operators(loaded), "torch.nn.BatchNorm2d", &build, &call,
                             &graph, &err),
              OB_OK);
    if (graph == NULL) {
        OB_TEST_FAIL("%s", err.message);
        return;
    }
    ob_value parameters[8] = {0};
    size_t parameter_count = 0;
    for (size_t i = 0; i < graph->edge_count; i++) {
        const ob_graph_edge *edge = &graph->edges[i];
        if (edge->role != OB_EDGE_PARAMETER && edge->role != OB_EDGE_BUFFER)
            continue;
        CHECK_INT(ob_value_copy(&parameters[parameter_count++], &edge->meta, &err), OB_OK);
    }
    const ob_prepare_args args = {.graph = graph,
                                  .inputs = &input,
                                  .input_count = 1,
                                  .parameters = parameters,
                                  .parameter_count = parameter_count,
                                  .pass = OB_PASS_BACKWARD};
    ob_backend *backend = open_null(NULL);
    ob_prepared *prepared = NULL;
    ob_value out[4] = {0};
    size_t count = 0;
    CHECK_INT(null_desc->prepare(backend, &args, &prepared, &err), OB_OK);
    CHECK_INT(null_desc->run(prepared, OB_PHASE_FORWARD, 1, &err), OB_OK);
    CHECK_INT(null_desc->run(prepared, OB_PHASE_MAKE_GRAD, 1, &err), OB_OK);
    CHECK_INT(null_desc->run(prepared, OB_PHASE_BACKWARD, 1, &err), OB_OK);
    CHECK_INT(null_desc->outputs(prepared, OB_PASS_FORWARD, out, 4, &count, &err), OB_OK);
    CHECK_INT(count, 1);
    CHECK_INT(ob_tensor_numel(out[0].as.tensor), 2 * 3 * 8 * 8);
    ob_value_fini(&out[0]);
    CHECK_INT(null_desc->outputs(prepared, OB_PASS_BACKWARD, out, 4, &count, &err), OB_OK);
    CHECK_INT(count, 3);                                              /* x, then weight and bias */
    uint64_t peak = 0, want_peak = 2 * sizeof(float) * 2 * 3 * 8 * 8; /* x and the output */
    for (size_t i = 0; i < parameter_count; i++)
        want_peak += (uint64_t)ob_tensor_numel(parameters[i].as.tensor) *
                     ob_dtype_size(parameters[i].as.tensor->dtype);
    CHECK_INT(null_desc->memory_peak(backend, false, &peak, &err), OB_OK);
    CHECK_INT(peak, want_peak);
    static const int64_t numels[3] = {2 * 3 * 8 * 8, 3, 3};
    for (size_t i = 0; i < 3; i++) {
        CHECK_INT(ob_tensor_numel(out[i].as.tensor), numels[i]);
        ob_value_fini(&out[i]);
    }
    null_desc->release(prepared);
    null_desc->close(backend);
    for (size_t i = 0; i < parameter_count; i++)
        ob_value_fini(&parameters[i]);
    ob_graph_destroy(graph);
    ob_tensor_fini(&x);
}

static void test_threads(void)
{
    ob_backend *backend = open_null(NULL);
    ob_err err;
    CHECK_INT(property(backend, "threads"), 1);
    CHECK_INT(null_desc->set_threads(backend, 4, &err), OB_OK);
    CHECK_INT(property(backend, "threads"), 4);
    CHECK_INT(null_desc->set_threads(backend, 1, &err), OB_OK);
    CHECK_INT(null_desc->set_threads(backend, 0, &err), OB_ERR_INVALID);
    null_desc->close(backend);
}

int main(void)
{
    ob_err err;
    loaded = test_context(NULL);
    CHECK_INT(ob_plugin_load(loaded, OB_BUILT_PLUGIN_DIR "/null.so", &err), OB_OK);
    null_desc = ob_context_find_backend(loaded, "null");
    if (null_desc == NULL) {
        fprintf(stderr, "null.so: %s\n", err.message);
        return 1;
    }
    RUN(test_desc);
    RUN(test_manual);
    RUN(test_times);
    RUN(test_times_step_by_step);
    RUN(test_overflow);
    RUN(test_events);
    RUN(test_cold_cache);
    RUN(test_phases_and_outputs);
    RUN(test_forward_only);
    RUN(test_nested_outputs);
    RUN(test_deep_outputs);
    RUN(test_memory);
    RUN(test_supports);
    RUN(test_real_graph);
    RUN(test_threads);
    ob_context_destroy(loaded);
    return ob_test_end();
}
