/* SPDX-License-Identifier: Apache-2.0
 *
 * What is in a trace, and in one of its nodes, as JSON to the letter.
 */
#include "trace_test.h"

static void check_described(const char *text, const ob_trace_selection *selection, const char *want)
{
    ob_trace *trace = trace_of(text);
    ob_json_doc *doc = NULL;
    const ob_json *out = NULL;
    ob_err err;
    CHECK_INT(ob_json_doc_create(&doc, &err), OB_OK);
    CHECK_INT(ob_trace_describe(trace, selection, doc, &out, &err), OB_OK);
    char *got = text_of_json(out);
    CHECK_STR(got, want);
    free(got);
    ob_json_doc_destroy(doc);
    ob_trace_close(trace);
}

static void check_node(const char *text, size_t index, const char *want)
{
    ob_trace *trace = trace_of(text);
    ob_json_doc *doc = NULL;
    const ob_json *out = NULL;
    ob_err err;
    CHECK_INT(ob_json_doc_create(&doc, &err), OB_OK);
    CHECK_INT(ob_trace_describe_node(trace, index, doc, &out, &err), OB_OK);
    char *got = text_of_json(out);
    CHECK_STR(got, want);
    free(got);
    ob_json_doc_destroy(doc);
    ob_trace_close(trace);
}

#define ADD "aten::add.Tensor(Tensor self, Tensor other) -> Tensor"
#define PAIR(device)                                                                               \
    TRACE_INPUTS("[[1, 5, 0, 2, 4, \"" device "\"], [2, 6, 0, 2, 2, \"cpu\"]]", "[[2], [2]]",      \
                 "[\"Tensor(float)\", \"Tensor(c10::Half)\"]")

/* Most calls first, equal ones in order of appearance; threads are those of calls; storages of tensors. */
static void describes_an_execution_trace(void)
{
    static const char TEXT[] = TRACE_OF(
        TRACE_NODE(1, 1, "process", "", "") ", " TRACE_NODE(2, 1, "ProfilerStep#7", "", "")      //
        ", " TRACE_NODE(3, 2, "aten::relu", "aten::relu(Tensor self) -> Tensor", ", \"tid\": 4") //
        ", " TRACE_NODE(4, 2, "aten::add", ADD, ", \"tid\": 9" PAIR("cuda:0"))                   //
        ", " TRACE_NODE(5, 2, "aten::add", ADD, ", \"tid\": 4" PAIR(""))                         //
        ", " TRACE_NODE(6, 2, "aten::neg", "aten::neg(Tensor self) -> Tensor",                   //
                        TRACE_INPUTS("[[3, -1, 0, 1, 4]]", "[[1]]", "[\"Tensor(float3)\"]"))     //
        ", " TRACE_NODE(7, 2, "c10d::allreduce_", "", "") ", " TRACE_NODE(8, 2, "triton_0", "",
                                                                          "") //
    );
    char want[1400];
    snprintf(
        want, sizeof want,
        "{\"file\": \"t.json\", \"schema\": \"1.0.2-chakra.0.0.4\", \"text_bytes\": %zu, "
        "\"nodes\": {\"all\": 8, \"labels\": 2, \"operators\": 4, \"communication\": 1, "
        "\"fused\": 1, \"compiled\": 0}, \"threads\": 3, \"iterations\": [{\"name\": "
        "\"ProfilerStep#7\", \"node\": 2}], \"calls\": 6, \"operators\": [{\"name\": "
        "\"aten::add.Tensor\", \"count\": 2}, {\"name\": \"aten::relu\", \"count\": 1}, "
        "{\"name\": \"aten::neg\", \"count\": 1}, {\"name\": \"c10d::allreduce_\", \"count\": "
        "1}, {\"name\": \"triton_0\", \"count\": 1, \"not_replayed\": \"%s\"}], \"tensors\": 4, "
        "\"storages\": 2, \"devices\": {\"not recorded\": 2, \"cuda:0\": 1, \"cpu\": 1}, "
        "\"dtypes\": {\"float32\": 2, \"float16\": 1, \"float3\": 1}}",
        sizeof TEXT - 1, OB_TRACE_FUSED_HELP);
    check_described(TEXT, &(ob_trace_selection){.size = sizeof(ob_trace_selection), .iteration = 0},
                    want);
}

/* With times: the longest first; a compiled region's time is without the calls below it, also below a label. */
static void describes_a_profiler_trace(void)
{
    static const char TEXT[] = TRACE_EVENTS(
        TRACE_EVENT("ProfilerStep#1", 1, 0, 100, "") ", " TRACE_EVENT("aten::a", 1, 1, 5, "") //
        ", " TRACE_EVENT("aten::b", 1, 10, 3, "") ", " TRACE_EVENT("aten::b", 1, 14, 3.5, "") //
        ", " TRACE_EVENT("CompiledFunction", 1, 20, 20, "") ", "                              //
        TRACE_EVENT("a label", 1, 21, 8, "") ", " TRACE_EVENT("aten::a", 1, 22, 2, "") ", "   //
        TRACE_EVENT("aten::c", 1, 25, 1, "") ", " TRACE_EVENT("an empty label", 1, 30, 1,
                                                              "") ", " //
        TRACE_EVENT("aten::c", 1, 32, 1.5, "") ", " TRACE_EVENT("aten::late", 1, 60, 6.5, ""));
    char want[1500];
    snprintf(want, sizeof want,
             "{\"file\": \"t.json\", \"schema\": \"kineto\", \"text_bytes\": %zu, \"nodes\": "
             "{\"all\": 11, \"labels\": 3, \"operators\": 7, \"communication\": 0, \"fused\": 0, "
             "\"compiled\": 1}, \"threads\": 1, \"iterations\": [{\"name\": \"ProfilerStep#1\", "
             "\"node\": 1, \"time_us\": 100.0}], \"calls\": 8, \"operators\": [{\"name\": "
             "\"CompiledFunction\", \"count\": 1, \"time_us\": 15.5, \"not_replayed\": \"%s\"}, "
             "{\"name\": \"aten::a\", \"count\": 2, \"time_us\": 7.0}, {\"name\": \"aten::b\", "
             "\"count\": 2, \"time_us\": 6.5}, {\"name\": \"aten::late\", \"count\": 1, "
             "\"time_us\": 6.5}, {\"name\": \"aten::c\", \"count\": 2, \"time_us\": 2.5}], "
             "\"tensors\": 0, \"storages\": 0, \"devices\": {}, \"dtypes\": {}}",
             sizeof TEXT - 1, OB_TRACE_COMPILED_HELP);
    check_described(TEXT, NULL, want);
}

/* Children may take longer than the region itself, by the profiler's rounding. */
static void own_time_is_not_negative(void)
{
    ob_trace *trace = trace_of(TRACE_EVENTS(TRACE_EVENT("CompiledFunction", 1, 0, 4, "") ", " //
                                            TRACE_EVENT("aten::a", 1, 0, 3, "") ", "          //
                                            TRACE_EVENT("aten::a", 1, 1, 3, "")));
    ob_json_doc *doc = NULL;
    const ob_json *out = NULL;
    ob_err err;
    CHECK_INT(ob_json_doc_create(&doc, &err), OB_OK);
    CHECK_INT(ob_trace_describe(trace, NULL, doc, &out, &err), OB_OK);
    const ob_json *rows = ob_json_get(out, "operators");
    CHECK_STR(ob_json_string(ob_json_get(ob_json_item(rows, 0), "name"), NULL), "aten::a");
    CHECK_REAL(ob_json_real(ob_json_get(ob_json_item(rows, 0), "time_us"), -1), 6);
    CHECK_REAL(ob_json_real(ob_json_get(ob_json_item(rows, 1), "time_us"), -1), 0);
    ob_json_doc_destroy(doc);
    ob_trace_close(trace);
}

static void says_what_is_not_there(void)
{
    ob_trace *trace = trace_of(TRACE_OF(TRACE_NODE(1, 1, "process", "", "")));
    ob_json_doc *doc = NULL;
    const ob_json *out = NULL;
    ob_err err;
    CHECK_INT(ob_json_doc_create(&doc, &err), OB_OK);
    CHECK_INT(ob_trace_describe(
                  trace, &(ob_trace_selection){.size = sizeof(ob_trace_selection), .iteration = 0},
                  doc, &out, &err),
              OB_ERR_NOT_FOUND);
    CHECK_HAS(err.message, "no iterations are marked (ProfilerStep)");
    CHECK(out == NULL);
    CHECK_INT(ob_trace_describe_node(trace, 1, doc, &out, &err), OB_ERR_INVALID);
    CHECK_STR(err.message, "there is no node 1");
    CHECK(out == NULL);
    ob_json_doc_destroy(doc);
    ob_trace_close(trace);
}

static void describes_nodes(void)
{
    static const char TEXT[] = TRACE_OF(
        TRACE_NODE(1, 1, "process", "", "") ",\n" //
                                            "{\"id\": 4, \"ctrl_deps\": 1, \"name\": \"aten::f\", "
                                            "\"attrs\": [{\"name\": \"tid\", " //
                                            "\"value\": 3}, {\"name\": \"op_schema\", \"value\": "
                                            "\"aten::f() -> ()\"}, {\"name\": " //
                                            "\"tensor_range\", \"value\": \"{\\\"0\\\": [2, "
                                            "8]}\"}], \"inputs\": {\"values\": [[7, 8, " //
                                            "3, 6, 8, \"cpu\"], \"<None>\", \"<Generator>\", true, "
                                            "-4, 2.5, \"text\", \"cuda:1\", " //
                                            "\"x\", [1, [2, false]], [[0, 0, 0, 0, 0]]], "
                                            "\"shapes\": [[2, 3], [], [], [], [], [], [], " //
                                            "[], [], [[], []], [[]]], \"types\": [\"Tensor(long "
                                            "int)\", \"None\", \"Int\", \"Bool\", " //
                                            "\"Int\", \"Double\", \"String\", \"Device\", "
                                            "\"Object\", \"GenericList[Int,Tuple[Int," //
                                            "Bool]]\", \"GenericList[Tensor(nullptr "
                                            "(uninitialized))]\"], \"strides\": [[1, 2]]}, " //
                                            "\"outputs\": {\"values\": [[9, 9, 0, 1, 4, \"\"]], "
                                            "\"shapes\": [[]], \"types\": " //
                                            "[\"Tensor(float8)\"]}}");
    check_node(TEXT, 0,
               "{\"id\": 1, \"name\": \"process\", \"kind\": \"label\", \"parent\": null, \"tid\": "
               "0, \"line\": 1, \"inputs\": [], \"outputs\": []}");
    check_node(TEXT, 1,
               "{\"id\": 4, \"name\": \"aten::f\", \"kind\": \"operator\", \"parent\": 1, \"tid\": "
               "3, \"line\": 2, \"schema\": \"aten::f() -> ()\", \"inputs\": [{\"tensor\": 7, "
               "\"storage\": 8, \"offset\": 3, \"dtype\": \"int64\", \"shape\": [2, 3], "
               "\"strides\": [1, 2], \"range\": [2.0, 8.0], \"device\": \"cpu\"}, null, "
               "\"<generator>\", true, -4, 2.5, \"text\", \"cuda:1\", \"Object\", [1, [2, false]], "
               "[null]], \"outputs\": [{\"tensor\": 9, \"storage\": 9, \"offset\": 0, \"dtype\": "
               "\"float8\", \"shape\": [], \"device\": \"\"}]}");
}

static void describes_events(void)
{
    static const char TEXT[] =
        TRACE_EVENTS(TRACE_EVENT("nccl:all", 2, 1.5, 0, "") ", " //
                     TRACE_EVENT("aten::f", 2, 3, 0.25,
                                 ", \"args\": {\"Input type\": [\"\", \"Scalar\"], " //
                                 "\"Input Dims\": [[], []], \"Concrete Inputs\": [\"\", \"3\"]}"));
    check_node(TEXT, 0,
               "{\"id\": 1, \"name\": \"nccl:all\", \"kind\": \"communication\", \"parent\": null, "
               "\"tid\": 2, \"line\": 1, \"start_us\": 1.5, \"time_us\": 0.0, \"inputs\": [], "
               "\"outputs\": []}");
    check_node(TEXT, 1,
               "{\"id\": 2, \"name\": \"aten::f\", \"kind\": \"operator\", \"parent\": null, "
               "\"tid\": 2, \"line\": 1, \"start_us\": 3.0, \"time_us\": 0.25, \"inputs\": [null, "
               "3], \"outputs\": []}");
}

int main(void)
{
    RUN(describes_an_execution_trace);
    RUN(describes_a_profiler_trace);
    RUN(own_time_is_not_negative);
    RUN(says_what_is_not_there);
    RUN(describes_nodes);
    RUN(describes_events);
    return ob_test_end();
}
