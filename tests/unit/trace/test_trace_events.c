/* SPDX-License-Identifier: Apache-2.0
 *
 * Events of profilers: which are taken, how times become nesting, what their arguments are; what a node is by its name.
 */
#include "trace_test.h"

#include "trace/trace_model.h"

/* "1:name<parent 2:...": ids in order of their beginning. */
static const char *tree_of(const char *text)
{
    static char out[512];
    ob_trace *trace = trace_of(text);
    size_t at = 0;
    out[0] = '\0';
    for (size_t i = 0; i < ob_trace_node_count(trace); i++) {
        const ob_trace_node *node = ob_trace_node_at(trace, i);
        const ob_trace_node *parent = ob_trace_node_at(trace, node->parent);
        at += (size_t)snprintf(out + at, sizeof out - at, "%s%lld:%s", i > 0 ? " " : "",
                               (long long)node->id, node->name);
        if (parent != NULL)
            at += (size_t)snprintf(out + at, sizeof out - at, "<%lld", (long long)parent->id);
    }
    ob_trace_close(trace);
    return out;
}

#define E(name, tid, ts, dur) TRACE_EVENT(name, tid, ts, dur, "")

static void nests(void)
{
    /* In order of time, whatever the file's is; the longer of two that begin together is outside. */
    CHECK_STR(tree_of(TRACE_EVENTS(E("c", 1, 2, 1) ", " E("b", 1, 1, 5) ", " E("a", 1, 1, 9))),
              "1:a 2:b<1 3:c<2");
    /* Equal ones: the first of the file is outside. */
    CHECK_STR(tree_of(TRACE_EVENTS(E("a", 1, 1, 5) ", " E("b", 1, 1, 5))), "1:a 2:b<1");
    /* What begins where another ends is beside it; so is what ends later than it. */
    CHECK_STR(tree_of(TRACE_EVENTS(E("a", 1, 0, 5) ", " E("b", 1, 5, 2))), "1:a 2:b");
    CHECK_STR(tree_of(TRACE_EVENTS(E("a", 1, 0, 5) ", " E("b", 1, 4, 1))), "1:a 2:b<1");
    CHECK_STR(tree_of(TRACE_EVENTS(E("a", 1, 0, 5) ", " E("b", 1, 4, 2))), "1:a 2:b");
    /* Several levels end at once. */
    CHECK_STR(tree_of(TRACE_EVENTS(E("a", 1, 0, 9) ", " E("b", 1, 0, 8) ", " E("c", 1, 1, 2) ", " //
                                   E("d", 1, 8.5, 0.25))),
              "1:a 2:b<1 3:c<2 4:d<1");
    /* Each thread has a tree of its own. */
    CHECK_STR(tree_of(TRACE_EVENTS(E("a", 2, 0, 9) ", " E("b", 1, 1, 5) ", " E("c", 2, 2, 1) ", " //
                                   E("d", 1, 3, 1))),
              "1:a 2:b 3:c<1 4:d<2");
    CHECK_STR(tree_of("[]"), "");
}

static void takes_calls_alone(void)
{
#define ONE(members) "{\"name\": \"n\", \"tid\": 1, \"ts\": 1, " members "}"
    static const struct {
        const char *event;
        bool taken;
    } ROWS[] = {
        {ONE("\"ph\": \"X\", \"cat\": \"cpu_op\", \"dur\": 1"), true},
        {ONE("\"ph\": \"X\", \"cat\": \"Operator\", \"dur\": 1"), true},
        {ONE("\"ph\": \"X\", \"cat\": \"operator\", \"dur\": 0"), true},
        {ONE("\"ph\": \"X\", \"cat\": \"user_annotation\", \"dur\": 1"), true},
        {ONE("\"ph\": \"X\", \"pid\": \"CPU functions\", \"dur\": 1"), true},
        {ONE("\"ph\": \"X\", \"pid\": \"CUDA functions\", \"dur\": 1"), false},
        {ONE("\"ph\": \"X\", \"cat\": \"kernel\", \"pid\": \"CPU functions\", \"dur\": 1"), false},
        {ONE("\"ph\": \"B\", \"cat\": \"cpu_op\", \"dur\": 1"), false},
        {ONE("\"ph\": \"X\", \"cat\": \"cpu_op\""), false},
        {ONE("\"ph\": \"X\", \"cat\": \"cpu_op\", \"dur\": -1"), false},
        {ONE("\"ph\": \"X\", \"cat\": \"cpu_op\", \"dur\": \"nan\""), false},
        {ONE("\"ph\": \"X\", \"cat\": \"cpu_op\", \"dur\": \"inf\""), false},
        {"{\"ph\": \"X\", \"cat\": \"cpu_op\", \"dur\": 1, \"ts\": \"inf\"}", false},
        {"{\"ph\": \"X\", \"cat\": \"cpu_op\", \"dur\": 1}", false},
        {"[\"ph\"]", false},
        {"7", false},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        char text[256];
        snprintf(text, sizeof text, "[%s]", ROWS[i].event);
        CHECK_STR(tree_of(text), ROWS[i].taken ? "1:n" : "");
    }
    ob_trace *trace = trace_of("[" TRACE_EVENT("n", "t", 1, 1, "") "]");
    CHECK_INT(ob_trace_node_at(trace, 0)->tid, -1);
    CHECK_INT(ob_trace_node_at(trace, 0)->seq_id, -1);
    ob_trace_close(trace);
}

/* The first argument of a call with this type, value, size and stride. */
static ob_trace *one_argument(const char *type, const char *value, const char *dims,
                              const char *strides)
{
    char text[512];
    snprintf(text, sizeof text,
             "[" TRACE_EVENT("aten::f", 1, 1, 1,
                             ", \"args\": {\"Input type\": [\"%s\", \"float\"], \"Concrete "
                             "Inputs\": [\"%s\", \"\"], \"Input Dims\": [%s, [4]], \"Input "
                             "Strides\": [%s, [2]]}") "]",
             type, value, dims, strides);
    ob_trace *trace = trace_of(text);
    const ob_trace_node *node = ob_trace_node_at(trace, 0);
    CHECK_INT(node->input_count, 2);
    CHECK_INT(node->inputs[1].kind, OB_TRACE_TENSOR);
    CHECK_INT(node->inputs[1].as.tensor->sizes[0], 4);
    CHECK_INT(node->inputs[1].as.tensor->strides[0], 2);
    return trace;
}

static void reads_tensors(void)
{
    ob_trace *trace = one_argument("c10::BFloat16", "", "[2, 3]", "[1, 2]");
    const ob_trace_tensor *t = ob_trace_node_at(trace, 0)->inputs[0].as.tensor;
    CHECK_INT(t->dtype, OB_DTYPE_BF16);
    CHECK_STR(t->dtype_text, "c10::BFloat16");
    CHECK_INT(t->item_bytes, 2);
    CHECK_INT(t->numel, 6);
    CHECK_INT(t->id, -1);
    CHECK_INT(t->storage, -1);
    CHECK_STR(t->device, "");
    CHECK(t->has_strides);
    CHECK_INT(t->strides[0], 1);
    CHECK_INT(t->strides[1], 2);
    ob_trace_close(trace);
    trace = one_argument("float", "", "[2, 3]", "[1]");
    t = ob_trace_node_at(trace, 0)->inputs[0].as.tensor;
    CHECK(!t->has_strides);
    CHECK_INT(t->strides[0], 3);
    CHECK_INT(t->strides[1], 1);
    ob_trace_close(trace);
}

static void reads_other_arguments(void)
{
    static const struct {
        const char *type, *value, *dims;
        ob_trace_value_kind kind;
        const char *text;
    } ROWS[] = {
        {"float", "", "[-2]", OB_TRACE_OTHER, "tensor with an impossible size"},
        {"float", "", "[9000000000000000000, 9]", OB_TRACE_OTHER, "tensor with an impossible size"},
        {"", "", "[]", OB_TRACE_UNRECORDED, NULL},
        {"", "some words", "[]", OB_TRACE_STR, "some words"},
        {"TensorList", "", "[]", OB_TRACE_OTHER,
         "list of tensors, whose dtypes a profiler does not record; an execution trace has them"},
        {"Scalar", "", "[]", OB_TRACE_OTHER,
         "number that was not recorded (PyTorch 2.0 and newer record it; an execution trace has "
         "it)"},
        {"Storage", "", "[]", OB_TRACE_OTHER, "Storage"},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        ob_trace *trace = one_argument(ROWS[i].type, ROWS[i].value, ROWS[i].dims, "[]");
        const ob_trace_value *value = &ob_trace_node_at(trace, 0)->inputs[0];
        CHECK_INT(value->kind, ROWS[i].kind);
        if (ROWS[i].text != NULL) {
            CHECK_STR(value->as.text, ROWS[i].text);
            CHECK_INT(value->count, strlen(ROWS[i].text));
        }
        ob_trace_close(trace);
    }
    ob_trace *number = one_argument("int", "5", "[]", "[]");
    CHECK_INT(ob_trace_node_at(number, 0)->inputs[0].as.integer, 5);
    ob_trace_close(number);
}

static void kinds(void)
{
    static const struct {
        const char *name, *schema, *maker;
        ob_trace_node_kind kind;
    } ROWS[] = {
        {"record_param_comms", "", "", OB_TRACE_COMM},
        {"c10d::send", "c10d::send()", "", OB_TRACE_COMM},
        {"nccl:all_reduce", "", "", OB_TRACE_COMM},
        {"_c10d_functional::wait", "", "", OB_TRACE_COMM},
        {"c10d_functional::wait", "", "", OB_TRACE_COMM},
        {"record_param_commsx", "", "", OB_TRACE_LABEL},
        {"aten::add", "aten::add()", "", OB_TRACE_OPERATOR},
        {"triton_x", "s", "", OB_TRACE_OPERATOR},
        {"triton_x", "", "", OB_TRACE_FUSED},
        {"my_triton_x", "", "", OB_TRACE_LABEL},
        {"anything", "", "triton", OB_TRACE_FUSED},
        {"a_cpp_fused_x", "", "", OB_TRACE_FUSED},
        {"CompiledFunction", "", "", OB_TRACE_COMPILED},
        {"CompiledFunctionBackward", "", "", OB_TRACE_COMPILED},
        {"CompiledFunctions", "", "", OB_TRACE_LABEL},
        {"## Call CompiledFxGraph x", "", "", OB_TRACE_COMPILED},
        {"Torch-Compiled Region: 0/0", "", "", OB_TRACE_COMPILED},
        {"label", "", "", OB_TRACE_LABEL},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
        CHECK_INT(ob__trace_classify(ROWS[i].name, ROWS[i].schema, ROWS[i].maker), ROWS[i].kind);
    /* In a profiler trace a name of two parts is a schema. */
    static const struct {
        const char *name;
        ob_trace_node_kind kind;
    } NAMES[] = {{"aten::add", OB_TRACE_OPERATOR}, {"::add", OB_TRACE_LABEL},
                 {"a::b::c", OB_TRACE_LABEL},      {"a::b c", OB_TRACE_LABEL},
                 {"a::b#1", OB_TRACE_LABEL},       {"a::b(c", OB_TRACE_LABEL},
                 {"add", OB_TRACE_LABEL}};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        char text[256];
        snprintf(text, sizeof text, "[" TRACE_EVENT("%s", 1, 1, 1, "") "]", NAMES[i].name);
        ob_trace *trace = trace_of(text);
        CHECK_INT(ob_trace_node_at(trace, 0)->kind, NAMES[i].kind);
        ob_trace_close(trace);
    }
}

static void dtypes(void)
{
    static const struct {
        const char *text;
        ob_dtype dtype;
    } ROWS[] = {{"float", OB_DTYPE_F32},
                {"long int", OB_DTYPE_I64},
                {"long long", OB_DTYPE_I64},
                {"signed char", OB_DTYPE_I8},
                {"unsigned char", OB_DTYPE_U8},
                {"c10::Half", OB_DTYPE_F16},
                {"c10::complex<float>", OB_DTYPE_C64},
                {"c10::complex<double>", OB_DTYPE_C128},
                {"bool", OB_DTYPE_BOOL},
                {"double", OB_DTYPE_F64},
                {"floats", OB_DTYPE_INVALID},
                {"", OB_DTYPE_INVALID}};
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
        CHECK_INT(ob__trace_dtype(ROWS[i].text, strlen(ROWS[i].text)), ROWS[i].dtype);
}

int main(void)
{
    RUN(nests);
    RUN(takes_calls_alone);
    RUN(reads_tensors);
    RUN(reads_other_arguments);
    RUN(kinds);
    RUN(dtypes);
    return ob_test_end();
}
