/* SPDX-License-Identifier: Apache-2.0
 *
 * The out-of-tree examples, built by their own Makefile: each is loaded and does what its file
 * says.
 */
#include "plugin_test.h"

static ob_context *context;

static void test_all_load(void)
{
    test_log log = {.count = 0};
    ob_context *own = test_context(&log);
    ob_err err;
    unsetenv("OPBENCH_PLUGIN_PATH");
    CHECK_INT(ob_plugin_discover(own, OB_EXAMPLE_DIR, &err), OB_OK);
    CHECK_STR(log.text, "");
    CHECK_INT(ob_context_count(own, OB_ENTRY_PLUGIN), 6);
    CHECK_STR(test_entry(own, OB_ENTRY_OPERATOR, "my::softclip").origin, "example-operator");
    CHECK_STR(test_entry(own, OB_ENTRY_PLUGIN, "example-generator").help,
              "version 1.0; generators BlockSparseDataGenerator");
    CHECK(test_entry(own, OB_ENTRY_BACKEND, "template").available);
    ob_context_destroy(own);
}

/* ------------------------------------------------------------------ operator */

static void test_operator(void)
{
    static const int64_t sizes[2] = {2, 2}, transposed[2] = {1, 2};
    static const double input[4] = {-8, 0, 0.5, 3};
    const ob_op *op = ob_op_table_find(ob_context_operators(context), "my::softclip");
    ob_err err;
    CHECK_REAL(op->schema->args[1].default_value.as.real, 1.0);
    ob_tensor x;
    CHECK_INT(ob_tensor_init(&x, OB_DTYPE_F64, sizes, 2, transposed, &err), OB_OK);
    memcpy(ob_tensor_data(&x), input, sizeof input);
    ob_value args[2] = {{.kind = OB_VALUE_TENSOR, .as = {.tensor = &x}}, ob_value_double(2.5)};
    const ob_op_call call = {.op = op, .schema = op->schema, .args = args};
    ob_value out = ob_value_none();

    CHECK_INT(op->row->shape(&call, &out, &err), OB_OK);
    CHECK_INT(out.as.tensor->dtype, OB_DTYPE_F64);
    CHECK_INT(out.as.tensor->sizes[1], 2);
    CHECK_INT(out.as.tensor->strides[0], 2);
    CHECK(out.as.tensor->storage == NULL);
    ob_cost cost;
    CHECK_INT(op->row->cost(&call, &out, &cost), OB_OK);
    CHECK_REAL(cost.flops, 12);
    CHECK_REAL(cost.read_bytes, 32);
    ob_value_fini(&out);

    CHECK_INT(op->row->function(NULL, &call, &out, &err), OB_OK);
    const double *y = ob_tensor_data(out.as.tensor);
    CHECK_REAL(y[0], 2.5 * tanh(-8 / 2.5));
    CHECK_REAL(y[1], 2.5 * tanh(0.5 / 2.5)); /* the input is stored column by column */
    CHECK_REAL(y[2], 0);
    CHECK_REAL(y[3], 2.5 * tanh(3 / 2.5));
    ob_value_fini(&out);

    args[1] = ob_value_double(0);
    CHECK_INT(op->row->shape(&call, &out, &err), OB_ERR_INVALID);
    CHECK_STR(err.message, "my::softclip: limit is 0; give a number above 0");
    x.dtype = OB_DTYPE_I64;
    CHECK_INT(op->row->shape(&call, &out, &err), OB_ERR_INVALID);
    CHECK_STR(err.message, "my::softclip: self is of dtype int64; give a floating dtype");
    ob_tensor_fini(&x);
}

/* By its front-end name, bound, shaped, and derived from the row's text. */
static void test_operator_in_a_graph(void)
{
    static const int64_t sizes[2] = {4, 5};
    const ob_op_table *table = ob_context_operators(context);
    ob_err err;
    ob_tensor meta;
    CHECK_INT(ob_tensor_init_meta(&meta, OB_DTYPE_F32, sizes, 2, NULL, &err), OB_OK);
    meta.requires_grad = true;
    const ob_value args[1] = {{.kind = OB_VALUE_TENSOR, .as = {.tensor = &meta}}};
    const ob_value limit = ob_value_int(3); /* becomes a double */
    static const char *const names[1] = {"limit"};
    const ob_call call = {
        .args = args, .arg_count = 1, .kwarg_names = names, .kwargs = &limit, .kwarg_count = 1};
    ob_graph *graph = NULL;
    CHECK_INT(ob_graph_build(table, "my.softclip", NULL, &call, &graph, &err), OB_OK);
    if (graph == NULL) {
        OB_TEST_FAIL("%s", err.message);
        return;
    }
    CHECK_INT(graph->node_count, 1);
    CHECK_STR(graph->nodes[0].op->schema->name, "my::softclip");
    CHECK_INT(graph->edges[graph->outputs[0]].meta.as.tensor->sizes[1], 5);
    ob_cost cost;
    CHECK_INT(ob_graph_cost(graph, &cost, &err), OB_OK);
    CHECK_REAL(cost.flops, 60);
    ob_backward backward = {0};
    CHECK_INT(ob_graph_derive_backward(graph, &backward, &err), OB_OK);
    CHECK_INT(backward.target_count, 1);
    if (backward.graph != NULL) {
        const ob_value *grad = &backward.graph->edges[backward.graph->outputs[0]].meta;
        CHECK_INT(grad->as.tensor->ndim, 2);
        CHECK_INT(grad->as.tensor->sizes[0], 4);
    }
    ob_backward_fini(&backward);
    ob_graph_destroy(graph);
    ob_tensor_fini(&meta);
}

/* ------------------------------------------------------------------ generator */

static const ob_json *parse(ob_json_doc **doc, const char *text)
{
    ob_err err;
    if (ob_json_parse("test.json", text, strlen(text), NULL, doc, &err) != OB_OK) {
        OB_TEST_FAIL("%s", err.message);
        return NULL;
    }
    return ob_json_doc_root(*doc);
}

static void check_blocksparse(const char *text, ob_status want, uint32_t column,
                              const char *message)
{
    const ob_generator_desc *desc = ob_context_find_generator(context, "BlockSparseDataGenerator");
    ob_json_doc *doc = NULL;
    ob_err err;
    ob_err_clear(&err);
    CHECK_INT(desc->types[0].check(parse(&doc, text), &err), want);
    CHECK_STR(err.message, message);
    CHECK_INT(err.column, column);
    ob_json_doc_destroy(doc);
}

static void test_generator_checks(void)
{
    const ob_generator_desc *desc = ob_context_find_generator(context, "BlockSparseDataGenerator");
    CHECK(desc->own_types_only);
    CHECK_STR(desc->types[0].name, "blocksparse_tensor");
    CHECK(desc->types[1].name == NULL);
    check_blocksparse("{\"dtype\": \"float\", \"shape\": [8, 4], \"block\": 4}", OB_OK, 0, "");
    check_blocksparse("{\"dtype\": \"long\", \"shape\": [8, 4], \"block\": 4}", OB_ERR_CONFIG, 11,
                      "a blocksparse_tensor is float32 or float64; change \"dtype\"");
    check_blocksparse("{\"dtype\": \"float\", \"shape\": [8], \"block\": 4}", OB_ERR_CONFIG, 29,
                      "a blocksparse_tensor is a matrix; give two sizes");
    check_blocksparse("{\"dtype\": \"float\", \"shape\": [8, 6], \"block\": 4}", OB_ERR_CONFIG, 33,
                      "\"block\" must divide both sizes");
    check_blocksparse("{\"dtype\": \"float\", \"shape\": [8, 4], \"block\": 0}", OB_ERR_CONFIG, 46,
                      "\"block\" must be at least 1");
    check_blocksparse("{\"dtype\": \"float\", \"shape\": [8, 4], \"block\": 4, \"density\": 1.5}",
                      OB_ERR_CONFIG, 60, "\"density\" must lie between 0 and 1");

    ob_json_doc *doc = NULL;
    ob_err err;
    CHECK_INT(desc->validate(ob_host_get(), parse(&doc, "{\"args\": []}"), &err), OB_ERR_CONFIG);
    CHECK_STR(err.message, "BlockSparseDataGenerator needs at least one argument");
    ob_json_doc_destroy(doc);
    CHECK_INT(
        desc->validate(ob_host_get(), parse(&doc, "{\"args\": [1], \"kwargs\": {\"x\": 1}}"), &err),
        OB_ERR_CONFIG);
    CHECK_STR(err.message, "BlockSparseDataGenerator takes no kwargs; move them to \"args\"");
    CHECK_INT(err.column, 25);
    ob_json_doc_destroy(doc);
}

/* How many of the 4 x 4 blocks of a 16 x 16 matrix are filled; each is full or empty as a whole. */
static int count_blocks(const ob_tensor *matrix)
{
    const float *data = ob_tensor_data(matrix);
    int filled = 0;
    for (int block = 0; block < 16; block++) {
        int others = 0;
        for (int i = 0; i < 16; i++) {
            const float x = data[(block / 4 * 4 + i / 4) * 16 + block % 4 * 4 + i % 4];
            CHECK(x >= 0 && x < 1);
            others += x > 0;
        }
        CHECK(others == 0 || others >= 15);
        filled += others > 0;
    }
    return filled;
}

static void test_generator_values(void)
{
    static const char text[] = "{\"args\": ["
                               "{\"type\": \"blocksparse_tensor\", \"dtype\": \"float\", "
                               "\"shape\": [16, 16], \"block\": 4,"
                               " \"density\": 0},"
                               "{\"type\": \"blocksparse_tensor\", \"dtype\": \"float\", "
                               "\"shape\": [16, 16], \"block\": 4},"
                               "{\"type\": \"blocksparse_tensor\", \"dtype\": \"float\", "
                               "\"shape\": [16, 16], \"block\": 4,"
                               " \"density\": 0.5}]}";
    const ob_generator_desc *desc = ob_context_find_generator(context, "BlockSparseDataGenerator");
    ob_json_doc *doc = NULL;
    const ob_json *entry = parse(&doc, text);
    ob_value first[3] = {0}, second[3] = {0};
    ob_err err;
    for (int round = 0; round < 2; round++) {
        ob_rng rng;
        ob_rng_init(&rng, 7, 0);
        ob_generated out = {.args = round == 0 ? first : second, .arg_count = 3};
        const ob_device device = {.type = "cpu", .index = -1};
        const ob_generate_args args = {.host = ob_host_get(),
                                       .entry = entry,
                                       .op_name = "torch.mm",
                                       .device = &device,
                                       .rng = &rng};
        CHECK_INT(desc->generate(&args, &out, &err), OB_OK);
        CHECK_INT(out.arg_count, 3);
        CHECK_INT(out.kwarg_count, 0);
    }
    CHECK_INT(count_blocks(first[0].as.tensor), 0);
    CHECK_INT(count_blocks(first[1].as.tensor), 16);
    const int half = count_blocks(first[2].as.tensor);
    CHECK(half > 0 && half < 16);
    for (int i = 0; i < 3; i++) { /* the same seed, the same matrix */
        CHECK(memcmp(ob_tensor_data(first[i].as.tensor), ob_tensor_data(second[i].as.tensor),
                     16 * 16 * sizeof(float)) == 0);
        ob_value_fini(&first[i]);
        ob_value_fini(&second[i]);
    }
    ob_json_doc_destroy(doc);
}

/* ------------------------------------------------------------------ iterator */

static void check_item(const ob_iterator_desc *desc, void *state, uint64_t index, const char *id,
                       const char *json)
{
    ob_iterator_item item = {.id = ""};
    ob_err err;
    char *text = NULL;
    CHECK_INT(desc->at(state, index, &item, &err), OB_OK);
    CHECK_STR(item.id, id);
    CHECK_INT(ob_json_print(item.entry, &text, NULL, &err), OB_OK);
    CHECK_STR(text, json);
    free(text);
}

static void test_iterator(void)
{
    static const char list[] =
        "[{\"note\": 1, \"args\": [{\"type\": \"int\", \"value\": 3}, {\"type\": \"tensor\", "
        "\"shape\": [1, 64]}], \"power\": {\"arg\": 1, \"dim\": 0, \"from\": 3, \"to\": 5}},"
        " {\"args\": [{\"shape\": [9, 1]}], \"power\": {\"arg\": 0, \"dim\": 1, \"from\": 0, "
        "\"to\": 0}}]";
    const ob_iterator_desc *desc = ob_context_find_iterator(context, "PowersOfTwoIterator");
    ob_json_doc *doc = NULL;
    ob_err err;
    const ob_iterator_args args = {
        .host = ob_host_get(), .entries = parse(&doc, list), .key = "input", .device = "cpu"};
    void *state = NULL;
    CHECK_INT(desc->validate(&args, &err), OB_OK);
    CHECK_INT(desc->open(&args, &state, &err), OB_OK);
    CHECK_INT(desc->count(state), 4);
    check_item(desc, state, 0, "0_0",
               "{\"note\": 1, \"args\": [{\"type\": \"int\", \"value\": 3}, {\"type\": "
               "\"tensor\", \"shape\": [8, 64]}]}");
    check_item(desc, state, 3, "1_0", "{\"args\": [{\"shape\": [9, 1]}]}");
    check_item(desc, state, 2, "0_2",
               "{\"note\": 1, \"args\": [{\"type\": \"int\", \"value\": 3}, {\"type\": "
               "\"tensor\", \"shape\": [32, 64]}]}");
    desc->close(state);
    ob_json_doc_destroy(doc);
}

static void refuse_list(const char *list, uint32_t column, const char *message)
{
    const ob_iterator_desc *desc = ob_context_find_iterator(context, "PowersOfTwoIterator");
    ob_json_doc *doc = NULL;
    ob_err err;
    const ob_iterator_args args = {.host = ob_host_get(), .entries = parse(&doc, list)};
    CHECK_INT(desc->validate(&args, &err), OB_ERR_CONFIG);
    CHECK_STR(err.message, message);
    CHECK_INT(err.column, column);
    ob_json_doc_destroy(doc);
}

static void test_iterator_checks(void)
{
    refuse_list("[{\"args\": []}]", 2,
                "PowersOfTwoIterator needs \"power\": {\"arg\", \"dim\", \"from\", \"to\"} in each "
                "entry");
    refuse_list("[{\"power\": {\"arg\": 0, \"dim\": 0, \"from\": 5, \"to\": 4}}]", 12,
                "\"from\" and \"to\" must be 0 <= from <= to <= 40");
    refuse_list("[{\"power\": {\"arg\": 0, \"dim\": 0, \"from\": 5, \"to\": 41}}]", 12,
                "\"from\" and \"to\" must be 0 <= from <= to <= 40");
    refuse_list("[{\"args\": [], \"power\": {\"arg\": 0, \"dim\": 0, \"from\": 1, \"to\": 4}}]", 24,
                "\"arg\" must be the place of an argument, from 0");
    refuse_list("[{\"args\": [{\"shape\": [1]}], \"power\": {\"arg\": 0, \"dim\": 1, \"from\": 1, "
                "\"to\": 4}}]",
                38, "\"dim\" must be a dimension of that argument, from 0");
}

/* ------------------------------------------------------------------ backend */

typedef struct property_log {
    char text[128];
} property_log;

static void take_property(void *ctx, const char *name, const char *value)
{
    property_log *log = ctx;
    snprintf(log->text, sizeof log->text, "%s = %s", name, value);
}

/* softclip(x, 2.5) as a graph with one call. */
static void test_backend(void)
{
    static const int64_t sizes[1] = {3};
    static const float input[3] = {-1, 0, 10};
    const ob_backend_desc *desc = ob_context_find_backend(context, "template");
    ob_err err;
    ob_tensor x, meta;
    CHECK_INT(ob_tensor_init(&x, OB_DTYPE_F32, sizes, 1, NULL, &err), OB_OK);
    CHECK_INT(ob_tensor_init_meta(&meta, OB_DTYPE_F32, sizes, 1, NULL, &err), OB_OK);
    memcpy(ob_tensor_data(&x), input, sizeof input);
    const ob_value given = {.kind = OB_VALUE_TENSOR, .as = {.tensor = &x}};
    const ob_value made = {.kind = OB_VALUE_TENSOR, .as = {.tensor = &meta}};
    ob_graph_edge edges[2] = {
        {.name = "x", .role = OB_EDGE_INPUT, .meta = given, .producer = UINT32_MAX},
        {.name = "y", .role = OB_EDGE_INTERMEDIATE, .meta = made, .producer = 0},
    };
    ob_operand operands[2] = {{.kind = OB_OPERAND_EDGE, .edge = 0},
                              {.kind = OB_OPERAND_VALUE, .value = ob_value_double(2.5)}};
    ob_edge_id result = 1;
    ob_graph_node node = {.op = ob_op_table_find(ob_context_operators(context), "my::softclip"),
                          .args = operands,
                          .outputs = &result,
                          .output_count = 1};
    const ob_graph graph = {.table = ob_context_operators(context),
                            .edges = edges,
                            .edge_count = 2,
                            .nodes = &node,
                            .node_count = 1,
                            .outputs = &result,
                            .output_count = 1};
    const ob_prepare_args args = {.graph = &graph, .inputs = &given, .input_count = 1};
    test_log log = {.count = 0};
    const ob_log sink = {.fn = test_log_add, .ctx = &log, .max_level = OB_LOG_INFO};
    const bool verbose = true; /* the whole options struct */
    const ob_backend_settings settings = {.host = ob_host_get(),
                                          .log = &sink,
                                          .device = {.type = "cpu", .index = -1},
                                          .threads = 1,
                                          .options = &verbose};
    ob_backend *backend = NULL;
    ob_prepared *prepared = NULL;
    ob_reason why = {.text = ""};
    ob_value out = ob_value_none();
    size_t count = 0;
    uint64_t peak = 0;
    const char *how = NULL;
    property_log property = {.text = ""};

    CHECK_INT(desc->probe(ob_host_get(), &why), OB_OK);
    CHECK_INT(desc->options_size, sizeof verbose);
    CHECK_INT(desc->open(&settings, &backend, &err), OB_OK);
    CHECK_STR(log.text, "other: template backend opened on cpu\n");
    CHECK_INT(desc->supports(backend, &graph, OB_PASS_BACKWARD, &why), OB_ERR_UNSUPPORTED);
    CHECK_STR(why.text, "the template backend runs forward only");
    CHECK_INT(desc->supports(backend, &graph, OB_PASS_FORWARD, &why), OB_OK);
    CHECK_INT(desc->prepare(backend, &args, &prepared, &err), OB_OK);
    CHECK_INT(desc->outputs(prepared, OB_PASS_FORWARD, &out, 1, &count, &err), OB_ERR_STATE);
    CHECK_INT(desc->run(prepared, OB_PHASE_FORWARD, 3, &err), OB_OK);
    CHECK_INT(desc->run(prepared, OB_PHASE_RESTORE, 3, &err), OB_OK);
    CHECK_INT(desc->run(prepared, OB_PHASE_BACKWARD, 1, &err), OB_ERR_UNSUPPORTED);
    CHECK_INT(desc->flush_cache(backend, prepared, &how, &err), OB_OK);
    CHECK_STR(how, "wrote 64 MiB");
    CHECK_INT(desc->sync(backend, &err), OB_OK);
    CHECK_INT(desc->outputs(prepared, OB_PASS_FORWARD, &out, 1, &count, &err), OB_OK);
    CHECK_INT(count, 1);
    CHECK_REAL(((const float *)ob_tensor_data(out.as.tensor))[2], (float)(2.5 * tanh(10 / 2.5)));
    ob_value_fini(&out);
    CHECK_INT(desc->memory_peak(backend, true, &peak, &err), OB_OK);
    CHECK_INT(peak, 24);
    CHECK_INT(desc->set_threads(backend, 1, &err), OB_OK);
    CHECK_INT(desc->set_threads(backend, 2, &err), OB_ERR_UNSUPPORTED);
    desc->properties(backend, take_property, &property);
    CHECK_STR(property.text, "library = host functions of operators");
    CHECK_INT(desc->schemas(backend, NULL, NULL, &err), OB_OK);
    desc->release(prepared);
    desc->close(backend);
    CHECK_INT(ob_storage_use_count(x.storage), 1);
    ob_tensor_fini(&x);
    ob_tensor_fini(&meta);
}

static void test_backend_memory_and_events(void)
{
    const ob_backend_desc *desc = ob_context_find_backend(context, "template");
    const ob_backend_settings settings = {.host = ob_host_get(), .threads = 1};
    ob_backend *backend = NULL;
    ob_storage *a = NULL, *b = NULL;
    ob_event *start = NULL, *end = NULL;
    double elapsed = -1;
    ob_err err;
    CHECK_INT(desc->open(&settings, &backend, &err), OB_OK);
    CHECK_INT(desc->alloc(backend, 8, &a, &err), OB_OK);
    CHECK_INT(desc->alloc(backend, 8, &b, &err), OB_OK);
    memset(ob_storage_data(a), 0x33, 8);
    CHECK_INT(desc->copy(backend, b, a, 8, &err), OB_OK);
    CHECK_INT(((const char *)ob_storage_data(b))[7], 0x33);
    CHECK_INT(desc->copy(backend, b, a, 9, &err), OB_ERR_INVALID);
    ob_storage_release(a);
    ob_storage_release(b);
    CHECK_INT(desc->event_create(backend, &start, &err), OB_OK);
    CHECK_INT(desc->event_create(backend, &end, &err), OB_OK);
    CHECK_INT(desc->event_elapsed_ns(start, end, &elapsed, &err), OB_ERR_STATE);
    CHECK_INT(desc->event_record(start, &err), OB_OK);
    CHECK_INT(desc->event_record(end, &err), OB_OK);
    CHECK_INT(desc->event_elapsed_ns(start, end, &elapsed, &err), OB_OK);
    CHECK(elapsed >= 0);
    desc->event_destroy(start);
    desc->event_destroy(end);
    desc->close(backend);
}

int main(void)
{
    static const char *const files[] = {"softclip", "blocksparse", "powers", "template"};
    context = test_context(NULL);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[512];
        ob_err err;
        snprintf(path, sizeof path, "%s/%s.so", OB_EXAMPLE_DIR, files[i]);
        if (ob_plugin_load(context, path, &err) != OB_OK) {
            fprintf(stderr, "%s: %s\n", path, err.message);
            return 1;
        }
    }
    RUN(test_all_load);
    RUN(test_operator);
    RUN(test_operator_in_a_graph);
    RUN(test_generator_checks);
    RUN(test_generator_values);
    RUN(test_iterator);
    RUN(test_iterator_checks);
    RUN(test_backend);
    RUN(test_backend_memory_and_events);
    ob_context_destroy(context);
    return ob_test_end();
}
