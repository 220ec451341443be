/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading traces: both layouts of a node, arguments of every type, the tree, odd and hostile files.
 */
#include "check.h"
#include "opbench/trace.h"

#include <stdlib.h>

#define SCHEMA_ADD "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"

static const char FLAT[] =
    "{\"schema\": \"1.0.1\", \"pid\": 1, \"nodes\": ["
    "{\"name\": \"aten::empty\", \"id\": 4, \"parent\": 3, \"op_schema\": "
    "\"aten::empty.memory_format("
    "int[] size) -> Tensor\", \"inputs\": [[2]], \"input_shapes\": [[[]]], \"input_types\": "
    "[\"GenericList[Int]\"], \"outputs\": [], \"output_shapes\": [], \"output_types\": []},"
    "{\"name\": \"aten::add\", \"id\": 3, \"parent\": 2, \"tid\": 7, \"op_schema\": \"" SCHEMA_ADD
    "\", \"inputs\": [[10, 11, 4, 6, 4, \"cuda:0\"], [12, 13, 0, 6, 2], 1], \"input_shapes\": [[2, "
    "3], "
    "[2, 3], []], \"input_types\": [\"Tensor(float)\", \"Tensor(c10::Half)\", \"Int\"], "
    "\"outputs\": "
    "[[14, 15, 0, 6, 4, \"cuda:0\"]], \"output_shapes\": [[2, 3]], \"output_types\": "
    "[\"Tensor(float)\"]},"
    "{\"name\": \"thread\", \"id\": 2, \"parent\": 1, \"op_schema\": \"\", \"inputs\": [], "
    "\"input_shapes\": [], \"input_types\": [], \"outputs\": [], \"output_shapes\": [], "
    "\"output_types\": []},"
    "{\"name\": \"process\", \"id\": 1, \"parent\": 1, \"op_schema\": \"\", \"inputs\": [], "
    "\"input_shapes\": [], \"input_types\": [], \"outputs\": [], \"output_shapes\": [], "
    "\"output_types\": []}]}";

typedef struct heard {
    int warnings;
    char last[768];
} heard;

static void hear(void *ctx, ob_log_level level, const ob_err *what)
{
    heard *h = ctx;
    h->warnings += level == OB_LOG_WARNING;
    memcpy(h->last, what->message, sizeof h->last);
}

static ob_trace *open_text(const char *text, heard *h, ob_err *err)
{
    const ob_log log = {.fn = hear, .ctx = h, .max_level = OB_LOG_WARNING};
    ob_trace *trace = NULL;
    ob_trace_open_memory("t.json", text, strlen(text), NULL, h != NULL ? &log : NULL, &trace, err);
    return trace;
}

/* One node with these values, types and shapes, in the later layout. */
static ob_trace *open_node(const char *values, const char *shapes, const char *types,
                           const char *more)
{
    char text[2048];
    ob_err err;
    snprintf(text, sizeof text,
             "{\"schema\": \"1.1.1-chakra.0.0.4\", \"nodes\": [{\"id\": 1, \"name\": \"aten::f\", "
             "\"ctrl_deps\": 1, \"inputs\": {\"values\": %s, \"shapes\": %s, \"types\": %s%s}, "
             "\"outputs\": {\"values\": [], \"shapes\": [], \"types\": []}, \"attrs\": [{\"name\": "
             "\"op_schema\", \"type\": \"string\", \"value\": \"aten::f() -> ()\"}, {\"name\": "
             "\"tensor_range\", \"type\": \"string\", \"value\": \"{\\\"1\\\": [3, 9]}\"}]}]}",
             values, shapes, types, more);
    ob_trace *trace = open_text(text, NULL, &err);
    if (trace == NULL)
        OB_TEST_FAIL("%s", err.message);
    return trace;
}

static void test_flat_layout(void)
{
    ob_err err;
    heard h = {0};
    ob_trace *trace = open_text(FLAT, &h, &err);
    CHECK(trace != NULL);
    CHECK_INT(h.warnings, 0);
    CHECK_STR(ob_trace_schema(trace), "1.0.1");
    CHECK_INT(ob_trace_node_count(trace), 4);
    CHECK_INT(ob_trace_find_node(trace, 3), 2);
    CHECK_INT(ob_trace_find_node(trace, 9), OB_TRACE_NO_NODE);
    const ob_trace_node *add = ob_trace_node_at(trace, 2);
    CHECK_STR(add->name, "aten::add");
    CHECK_STR(add->schema, SCHEMA_ADD);
    CHECK_INT(add->kind, OB_TRACE_OPERATOR);
    CHECK_INT(add->tid, 7);
    CHECK_INT(add->parent, 1);
    CHECK_INT(add->first_child, 3);
    CHECK_INT(add->input_count, 3);
    const ob_trace_tensor *self = add->inputs[0].as.tensor, *other = add->inputs[1].as.tensor;
    CHECK_INT(self->id, 10);
    CHECK_INT(self->storage, 11);
    CHECK_INT(self->offset, 4);
    CHECK_INT(self->numel, 6);
    CHECK_STR(self->device, "cuda:0");
    CHECK_INT(self->dtype, OB_DTYPE_F32);
    CHECK(!self->has_strides);
    CHECK_INT(self->strides[0], 3);
    CHECK_INT(other->dtype, OB_DTYPE_F16);
    CHECK_STR(other->device, "");
    CHECK_INT(add->inputs[2].kind, OB_TRACE_INT);
    CHECK_INT(ob_trace_node_at(trace, 0)->kind, OB_TRACE_LABEL);
    CHECK_INT(ob_trace_tensor_count(trace), 3);
    ob_trace_close(trace);
}

static void test_types(void)
{
    ob_trace *trace =
        open_node("[\"<None>\", \"<Generator>\", \"inf\", 2.5, true, \"cuda:0\", \"abc\", [1, [2, "
                  "3, 0, 4, 8, "
                  "\"cpu\"]], [\"x\", 1], \"stream\", [0, 0, 0, 0, 0, \"\"], 1]",
                  "[[], [], [], [], [], [], [], [[], [4]], [[], []], [], [], []]",
                  "[\"None\", \"None\", \"Double\", \"Double\", \"Bool\", \"Device\", \"String\", "
                  "\"GenericList[Int,Tensor(long int)]\", \"Tuple[String,Int]\", \"Stream\", "
                  "\"Tensor(nullptr (uninitialized))\", \"Double\"]",
                  "");
    const ob_trace_value *v = ob_trace_node_at(trace, 0)->inputs;
    CHECK_INT(v[0].kind, OB_TRACE_NONE);
    CHECK_INT(v[1].kind, OB_TRACE_NONE); /* the type says None */
    CHECK_INT(v[2].kind, OB_TRACE_DOUBLE);
    CHECK(isinf(v[2].as.real));
    CHECK_REAL(v[3].as.real, 2.5);
    CHECK_INT(v[4].kind, OB_TRACE_BOOL);
    CHECK_INT(v[5].kind, OB_TRACE_DEVICE);
    CHECK_STR(v[6].as.text, "abc");
    CHECK_INT(v[7].kind, OB_TRACE_LIST);
    CHECK_INT(v[7].count, 2);
    CHECK_INT(v[7].as.items[0].as.integer, 1);
    CHECK_INT(v[7].as.items[1].as.tensor->dtype, OB_DTYPE_I64);
    CHECK_INT(v[7].as.items[1].as.tensor->sizes[0], 4);
    CHECK_INT(v[8].kind, OB_TRACE_TUPLE);
    CHECK_STR(v[8].as.items[0].as.text, "x");
    CHECK_INT(v[9].kind, OB_TRACE_OTHER);
    CHECK_STR(v[9].as.text, "Stream");
    CHECK_INT(v[10].kind, OB_TRACE_NO_TENSOR);
    CHECK_INT(v[11].kind, OB_TRACE_DOUBLE);
    ob_trace_close(trace);
}

static void test_strides_and_ranges(void)
{
    /* Strides may be fewer than values; ranges count tensors. */
    ob_trace *trace =
        open_node("[[1, 2, 0, 6, 4, \"cpu\"], 5, [3, 4, 0, 6, 8, \"cpu\"]]", "[[2, 3], [], [6]]",
                  "[\"Tensor(float)\", \"Int\", \"Tensor(long)\"]", ", \"strides\": [[1, 2]]");
    const ob_trace_value *v = ob_trace_node_at(trace, 0)->inputs;
    CHECK(v[0].as.tensor->has_strides);
    CHECK_INT(v[0].as.tensor->strides[1], 2);
    CHECK(!v[0].as.tensor->has_range);
    CHECK(!v[2].as.tensor->has_strides);
    CHECK(v[2].as.tensor->has_range);
    CHECK_REAL(v[2].as.tensor->min, 3);
    CHECK_REAL(v[2].as.tensor->max, 9);
    ob_trace_close(trace);
}

static void test_odd_values(void)
{
    ob_trace *trace = open_node(
        "[[1, 2, 0, 6, 4, \"cpu\"], [1, 2, 0, 6, 4, \"cpu\"], [1, 2, -1, 6, 4], 1, [[[]]], "
        "12345]",
        "[[1000000000000, 1000000000000], [-2], [1], [], [], []]",
        "[\"Tensor(float)\", \"Tensor(float)\", \"Tensor(float)\", \"Tensor(float)\", "
        "\"GenericList[\", \"Device\"]",
        "");
    const ob_trace_value *v = ob_trace_node_at(trace, 0)->inputs;
    CHECK_INT(v[5].kind, OB_TRACE_OTHER);
    CHECK_INT(v[0].kind, OB_TRACE_OTHER);
    CHECK_STR(v[0].as.text, "tensor with an impossible size");
    CHECK_INT(v[1].kind, OB_TRACE_OTHER);
    CHECK_INT(v[2].kind, OB_TRACE_OTHER);
    CHECK_INT(v[3].kind, OB_TRACE_NO_TENSOR);
    CHECK_INT(v[4].kind, OB_TRACE_LIST);
    ob_trace_close(trace);
}

static void test_odd_links(void)
{
    ob_err err;
    heard h = {0};
    /* 2 and 3 are each other's parents, 4's is missing, 5 stands twice, 6 is its own. */
    ob_trace *trace = open_text("{\"schema\": \"9.9\", \"nodes\": [{\"id\": 2, \"ctrl_deps\": 3}, "
                                "{\"id\": 3, \"ctrl_deps\": 2}, {\"id\": 4, \"ctrl_deps\": 77}, "
                                "{\"id\": 5, \"ctrl_deps\": 2, \"name\": \"first\"}, "
                                "{\"id\": 5, \"ctrl_deps\": 3}, {\"id\": 6, \"ctrl_deps\": 6}]}",
                                &h, &err);
    CHECK(trace != NULL);
    CHECK_INT(h.warnings, 3);
    CHECK_HAS(h.last, "parents of 2 nodes");
    CHECK_INT(ob_trace_node_count(trace), 5);
    CHECK_INT(ob_trace_node_at(trace, 0)->parent, OB_TRACE_NO_NODE);
    CHECK_INT(ob_trace_node_at(trace, 1)->parent, 0);
    CHECK_STR(ob_trace_node_at(trace, 3)->name, "first");
    CHECK_INT(ob_trace_node_at(trace, 4)->parent, OB_TRACE_NO_NODE);
    ob_trace_close(trace);
}

static void check_error(const char *text, ob_status code, const char *part)
{
    ob_err err = {0};
    ob_trace *trace = open_text(text, NULL, &err);
    CHECK(trace == NULL);
    CHECK_INT(err.code, code);
    CHECK_HAS(err.message, part);
    CHECK_STR(err.file, "t.json");
    ob_trace_close(trace);
}

static void test_errors(void)
{
    check_error("", OB_ERR_SYNTAX, "");
    check_error("{\"a\": 1}", OB_ERR_SYNTAX, "is not a trace");
    check_error("{\"nodes\": [1]}", OB_ERR_SYNTAX, "must be an object");
    check_error("{\"nodes\": [{}]}", OB_ERR_SYNTAX, "has no id");
    check_error("{\"nodes\": [], \"traceEvents\": []}", OB_ERR_SYNTAX, "keep one");
    check_error("{\"nodes\": [{\"id\": 1}", OB_ERR_SYNTAX, "");
    check_error("{\"nodes\": []} x", OB_ERR_SYNTAX, "");
    ob_err err;
    ob_trace *trace;
    CHECK_INT(ob_trace_open("/nonexistent/t.json", NULL, NULL, &trace, &err), OB_ERR_IO);
    CHECK_STR(err.file, "/nonexistent/t.json");
}

static void test_memory_limit(void)
{
    const ob_trace_limits limits = {.size = sizeof limits, .max_memory_bytes = 20000};
    char *text = malloc(200000), *at = text;
    ob_trace *trace;
    ob_err err;
    at += sprintf(at, "{\"schema\": \"1.0.1\", \"nodes\": [{\"id\": 1}");
    for (int i = 2; i < 3000; i++)
        at += sprintf(at, ", {\"id\": %d, \"name\": \"n%d\"}", i, i);
    sprintf(at, "]}");
    CHECK_INT(ob_trace_open_memory("t.json", text, strlen(text), &limits, NULL, &trace, &err),
              OB_ERR_LIMIT);
    CHECK_HAS(err.message, "more memory than the limit");
    free(text);
}

#define CHOICE(...)                                                                                \
    &(ob_trace_selection)                                                                          \
    {                                                                                              \
        .size = sizeof(ob_trace_selection), __VA_ARGS__                                            \
    }

static void check_chosen(const ob_trace *trace, const ob_trace_selection *how, const char *want)
{
    uint32_t *indices;
    size_t count;
    char got[64] = "";
    ob_err err;
    CHECK_INT(ob_trace_select(trace, how, &indices, &count, &err), OB_OK);
    for (size_t i = 0; i < count; i++)
        snprintf(got + strlen(got), sizeof got - strlen(got), "%s%lld", i > 0 ? " " : "",
                 (long long)ob_trace_node_at(trace, indices[i])->id);
    CHECK_STR(got, want);
    free(indices);
}

#define NAMED_OP(id, parent, name)                                                                 \
    "{\"id\": " #id ", \"ctrl_deps\": " #parent ", \"name\": \"aten::" name                        \
    "\", \"attrs\": [{\"name\": \"op_schema\", \"value\": \"aten::" name "() -> ()\"}]}"
#define OP(id, parent) NAMED_OP(id, parent, "f")
#define LABEL(id, parent, name)                                                                    \
    "{\"id\": " #id ", \"ctrl_deps\": " #parent ", \"name\": \"" name "\"}"

/* Autocast: the operator calls itself with converted arguments, and others to convert them. */
static void test_passed_on(void)
{
    static const char TEXT[] = "{\"schema\": \"1.0.2-chakra.0.0.4\", \"nodes\": [" //
        LABEL(1, 1, "process") ", " OP(2, 1) ", " NAMED_OP(3, 2, "to") ", "        //
        OP(4, 2) ", " NAMED_OP(5, 4, "empty") ", " NAMED_OP(6, 1, "g") ", "        //
        OP(7, 6) "]}";
    ob_err err;
    ob_trace *trace = open_text(TEXT, NULL, &err);
    CHECK(trace != NULL);
    check_chosen(trace, CHOICE(.iteration = -1), "3 4 6");
    check_chosen(trace, CHOICE(.iteration = -1, .leaves = true), "3 5 7");
    ob_trace_close(trace);
}

static void test_selection(void)
{
    static const char TEXT[] =
        "{\"schema\": \"1.0.2-chakra.0.0.4\", \"nodes\": [" LABEL(1, 1, "process") ", "         //
        LABEL(2, 1, "ProfilerStep#0") ", " NAMED_OP(3, 2, "g") ", " OP(4, 3) ", " OP(5, 3) ", " //
        LABEL(6, 1, "enumerate(DataLoader)#1") ", " OP(7, 6) ", "                               //
        LABEL(8, 1, "ProfilerStep#1") ", " LABEL(9, 8, "block 1") ", " OP(10, 9) ", "           //
        OP(11, 8) ", {\"id\": 12, \"ctrl_deps\": 8, \"name\": \"record_param_comms\"}]}";
    ob_err err;
    ob_trace *trace = open_text(TEXT, NULL, &err);
    CHECK(trace != NULL);
    CHECK_INT(ob_trace_iteration_count(trace), 2);
    CHECK_STR(ob_trace_iteration_at(trace, 1)->name, "ProfilerStep#1");
    check_chosen(trace, CHOICE(.iteration = -1), "3 10 11 12");
    check_chosen(trace, CHOICE(.iteration = -1, .leaves = true), "4 5 10 11 12");
    check_chosen(trace, CHOICE(.iteration = -1, .keep_loader = true), "3 7 10 11 12");
    check_chosen(trace, CHOICE(.iteration = 0), "3");
    check_chosen(trace, CHOICE(.iteration = 1), "10 11 12");
    check_chosen(trace, CHOICE(.iteration = -1, .label = "block"), "10");
    uint32_t *indices;
    size_t count;
    CHECK_INT(ob_trace_select(trace, &(ob_trace_selection){.iteration = 2}, &indices, &count, &err),
              OB_ERR_INVALID);
    CHECK_STR(err.message,
              "ob_trace_selection.size is not set; set it to sizeof(ob_trace_selection)");
    CHECK_INT(ob_trace_select(trace, CHOICE(.iteration = 2), &indices, &count, &err),
              OB_ERR_NOT_FOUND);
    CHECK_HAS(err.message, "the trace has 0 to 1");
    CHECK_INT(
        ob_trace_select(trace, CHOICE(.iteration = -1, .label = "no"), &indices, &count, &err),
        OB_ERR_NOT_FOUND);
    ob_trace_close(trace);
}

static void test_profiler_trace(void)
{
    static const char TEXT[] =
        "{\"schemaVersion\": 1, \"traceEvents\": ["
        "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::mm\", \"tid\": 5, \"ts\": 20.5, "
        "\"dur\": 4, \"args\": {\"Input Dims\": [[2, 3], [3, 4]], \"Input type\": [\"float\", "
        "\"float\"], \"Concrete Inputs\": [\"\", \"\"]}},"
        "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::sum\", \"tid\": 5, \"ts\": 30, "
        "\"dur\": 1, \"args\": {\"Input Dims\": [[2, 3], [], [], []], \"Input type\": "
        "[\"c10::Half\", "
        "\"ScalarList\", \"Scalar\", \"\"], \"Concrete Inputs\": [\"\", \"[0, 1]\", \"False\", "
        "\"\"]}},"
        "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"gemm\", \"tid\": 9, \"ts\": 22, \"dur\": "
        "1},"
        "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::linear\", \"tid\": 5, \"ts\": 20, "
        "\"dur\": 6},"
        "{\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": \"ProfilerStep#3\", \"tid\": 5, "
        "\"ts\": 19, \"dur\": 20}, {\"ph\": \"M\"}]}";
    ob_err err;
    ob_trace *trace = open_text(TEXT, NULL, &err);
    CHECK(trace != NULL);
    CHECK_STR(ob_trace_schema(trace), "kineto");
    CHECK_INT(ob_trace_node_count(trace), 4);
    CHECK_INT(ob_trace_iteration_count(trace), 1);
    const ob_trace_node *mm = ob_trace_node_at(trace, 2), *sum = ob_trace_node_at(trace, 3);
    CHECK_STR(mm->name, "aten::mm");
    CHECK_INT(mm->parent, 1);
    CHECK_REAL(mm->duration_us, 4);
    CHECK_INT(mm->inputs[1].as.tensor->sizes[1], 4);
    CHECK_INT(sum->parent, 0);
    CHECK_INT(sum->inputs[0].as.tensor->dtype, OB_DTYPE_F16);
    CHECK_INT(sum->inputs[1].kind, OB_TRACE_LIST);
    CHECK_INT(sum->inputs[1].as.items[1].as.integer, 1);
    CHECK_INT(sum->inputs[2].kind, OB_TRACE_BOOL);
    CHECK_INT(sum->inputs[3].kind, OB_TRACE_UNRECORDED);
    check_chosen(trace, NULL, "2 4");
    ob_trace_close(trace);
}

static ob_text convert(const char *text, heard *h, ob_trace_convert_summary *summary)
{
    const ob_log log = {.fn = hear, .ctx = h, .max_level = OB_LOG_WARNING};
    ob_op_table *table;
    ob_text config = {0};
    ob_err err;
    ob_trace *trace = open_text(text, NULL, &err);
    CHECK_INT(ob_op_table_create(&table, &err), OB_OK);
    const ob_trace_convert_options options = {.size = sizeof options};
    CHECK_INT(ob_trace_convert(trace, &options, table, &log, &config, summary, &err), OB_OK);
    ob_op_table_destroy(table);
    ob_trace_close(trace);
    return config;
}

static void check_config(const ob_text *config, const char *part)
{
    char *text = calloc(config->size + 1, 1);
    memcpy(text, config->data, config->size);
    CHECK_HAS(text, part);
    ob_json_doc *doc = NULL;
    CHECK_INT(ob_json_parse("c", text, config->size, NULL, &doc, NULL), OB_OK);
    ob_json_doc_destroy(doc);
    free(text);
}

static void test_convert(void)
{
    heard h = {0};
    ob_trace_convert_summary summary = {.size = sizeof summary};
    ob_text config = convert(FLAT, &h, &summary);
    CHECK_INT(summary.calls, 1);
    CHECK_INT(summary.distinct, 1);
    CHECK_INT(h.warnings, 0);
    check_config(&config,
                 "\"aten::add.Tensor\": {\n    \"input_data_generator\": "
                 "\"PyTorch:DefaultDataGenerator\",\n    \"config\": [{\"input\": [\n      "
                 "{\"args\": [{\"type\": \"tensor\", \"dtype\": \"float\", \"shape\": [2, 3], "
                 "\"requires_grad\": false}, "
                 "{\"type\": \"tensor\", \"dtype\": \"float16\", \"shape\": [2, 3], "
                 "\"requires_grad\": false}], \"kwargs\": "
                 "{\"alpha\": {\"type\": \"int\", \"value\": 1}}, \"count\": 1}\n");
    ob_text_fini(&config);
}

#define NODE(id, values, shapes, types, schema)                                                    \
    "{\"id\": " #id ", \"ctrl_deps\": 1, \"name\": \"n\", \"inputs\": {\"values\": " values        \
    ", \"shapes\": " shapes ", \"types\": " types "}, \"attrs\": [{\"name\": \"op_schema\", "      \
    "\"value\": \"" schema "\"}]}"

static void test_convert_rules(void)
{
    static const char TEXT[] = "{\"schema\": \"1.0.2-chakra.0.0.4\", \"nodes\": [" //
        NODE(2, "[[1,2,0,50,4,\"cuda\"],[3,4,0,7,8,\"cuda\"],-1,false,false]",
             "[[10,5],[7],[],[],[]]",
             "[\"Tensor(float)\",\"Tensor(long int)\",\"Int\",\"Bool\",\"Bool\"]",
             "aten::embedding(Tensor weight, Tensor indices, int padding_idx=-1, bool "
             "scale_grad_by_freq=False, bool sparse=False) -> Tensor") ", "         //
        NODE(3, "[\"group\"]", "[[]]", "[\"Object\"]", "aten::odd(X x) -> ()") ", " //
        NODE(
            4, "[[1,2,0,1,4],[3,4,0,1,4],[3,3],[2,2],[1,1],1,false,false,true]",
            "[[1,3,8,8],[4,3,3,3],[[],[]],[[],[]],[[],[]],[],[],[],[]]",
            "[\"Tensor(float)\",\"Tensor(float)\",\"GenericList[Int,Int]\","
            "\"GenericList[Int,Int]\",\"GenericList[Int,Int]\",\"Int\",\"Bool\",\"Bool\",\"Bool\"]",
            "aten::cudnn_convolution(Tensor self) -> Tensor") ", " //
        NODE(5, "[[1,2,0,4,4],\"inf\"]", "[[4],[]]", "[\"Tensor(float)\",\"Double\"]",
             "aten::fill_.Scalar(Tensor(a!) self, Scalar value) -> Tensor(a!)") ", " //
        NODE(6, "[[9,9,0,4,4],\"inf\"]", "[[4],[]]", "[\"Tensor(float)\",\"Double\"]",
             "aten::fill_.Scalar(Tensor(a!) self, Scalar value) -> Tensor(a!)") "]}";
    heard h = {0};
    ob_trace_convert_summary summary = {.size = sizeof summary};
    ob_text config = convert(TEXT, &h, &summary);
    CHECK_INT(summary.calls, 5);
    CHECK_INT(summary.distinct, 3);
    CHECK_INT(summary.left_out, 1);
    CHECK_INT(h.warnings, 1);
    CHECK_HAS(
        h.last,
        "left out: 1 call of 1 operator (aten::odd): it takes a value that cannot be recreated");
    /* An index without a recorded range gets the operator's. */
    check_config(&config, "\"shape\": [7], \"value_range\": [0, 9]}");
    /* The vendor's convolution is the generic one. */
    check_config(&config, "\"aten::convolution\"");
    check_config(&config, "{\"type\": \"bool\", \"value\": false}, {\"type\": \"genericlist\", "
                          "\"value\": [{\"type\": \"int\", \"value\": 0}, {\"type\": \"int\", "
                          "\"value\": 0}]}, {\"type\": \"int\", \"value\": 1}]");
    check_config(&config, "\"value\": \"inf\"}], \"count\": 2}");
    ob_text_fini(&config);
}

/* Each index of a list has the range of the dimension that it stands at: x[:, i, j], x[mask, i]. */
static void test_convert_index_lists(void)
{
#define INDEX "aten::index.Tensor(Tensor self, Tensor?[] indices) -> Tensor"
    static const char TEXT[] = "{\"schema\": \"1.0.2-chakra.0.0.4\", \"nodes\": [" //
        NODE(2,
             "[[1,2,0,480,4,\"cpu\"],[[7,0,0,0,0,\"\"],[3,4,0,9,8,\"cpu\"],[3,4,0,9,8,\"cpu\"]]]",
             "[[16,5,6],[[],[9],[9]]]",
             "[\"Tensor(float)\",\"GenericList[Tensor(nullptr (uninitialized)),Tensor(long int),"
             "Tensor(long int)]\"]",
             INDEX) ", " //
        NODE(3, "[[1,2,0,480,4,\"cpu\"],[[5,6,0,80,1,\"cpu\"],[3,4,0,8,8,\"cpu\"]]]",
             "[[16,5,7],[[16,5],[8]]]",
             "[\"Tensor(float)\",\"GenericList[Tensor(bool),Tensor(long int)]\"]", INDEX) "]}";
#undef INDEX
    heard h = {0};
    ob_trace_convert_summary summary = {.size = sizeof summary};
    ob_text config = convert(TEXT, &h, &summary);
    CHECK_INT(summary.distinct, 2);
    check_config(&config, "{\"type\": \"none\"}, {\"type\": \"tensor\", \"dtype\": \"long\", "
                          "\"shape\": [9], \"value_range\": [0, 4]}");
    check_config(&config, "\"shape\": [9], \"value_range\": [0, 5]}]");
    check_config(&config, "\"shape\": [8], \"value_range\": [0, 6]}]");
    ob_text_fini(&config);
}

int main(void)
{
    RUN(test_flat_layout);
    RUN(test_types);
    RUN(test_strides_and_ranges);
    RUN(test_odd_values);
    RUN(test_odd_links);
    RUN(test_errors);
    RUN(test_memory_limit);
    RUN(test_selection);
    RUN(test_passed_on);
    RUN(test_profiler_trace);
    RUN(test_convert);
    RUN(test_convert_rules);
    RUN(test_convert_index_lists);
    return ob_test_end();
}
