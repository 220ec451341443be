/* SPDX-License-Identifier: Apache-2.0
 *
 * Profiler traces: values that are texts, overloads that follow from them, and code that a compiler made.
 */
#include "check.h"
#include "opbench/trace.h"

#include <math.h>
#include <stdlib.h>

static ob_trace *open_text(const char *text)
{
    ob_err err;
    ob_trace *trace = NULL;
    CHECK_INT(ob_trace_open_memory("t.json", text, strlen(text), NULL, NULL, &trace, &err), OB_OK);
    return trace;
}

/* One call; types and values are JSON lists. Every value that is a tensor has two elements. */
static ob_trace *open_call(const char *name, const char *types, const char *values)
{
    char text[2048];
    snprintf(text, sizeof text,
             "{\"traceEvents\": [{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"%s\", \"tid\": "
             "1, \"ts\": 1, \"dur\": 1, \"args\": {\"Input Dims\": [[2], [2], [2], [2], [2], [2]], "
             "\"Input type\": %s, \"Concrete Inputs\": %s}}]}",
             name, types, values);
    return open_text(text);
}

static const ob_trace_value *value_of(ob_trace *trace)
{
    return &ob_trace_node_at(trace, 0)->inputs[0];
}

static void test_numbers(void)
{
    static const struct {
        const char *text;
        ob_trace_value_kind kind;
        double value;
    } ROWS[] = {
        {"0.", OB_TRACE_DOUBLE, 0},
        {"-2.", OB_TRACE_DOUBLE, -2},
        {"1", OB_TRACE_INT, 1},
        {"-100", OB_TRACE_INT, -100},
        {"1.0000000000000001e-05", OB_TRACE_DOUBLE, 1e-5},
        {"1e+20", OB_TRACE_DOUBLE, 1e20},
        {"99999999999999999999", OB_TRACE_DOUBLE, 1e20},
        {"inf", OB_TRACE_DOUBLE, (double)INFINITY},
        {"-inf", OB_TRACE_DOUBLE, -(double)INFINITY},
        {"True", OB_TRACE_BOOL, 1},
        {"False", OB_TRACE_BOOL, 0},
        {"None", OB_TRACE_NONE, 0},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        char values[64];
        snprintf(values, sizeof values, "[\"%s\"]", ROWS[i].text);
        ob_trace *trace = open_call("aten::f", "[\"Scalar\"]", values);
        const ob_trace_value *value = value_of(trace);
        CHECK_INT(value->kind, ROWS[i].kind);
        if (ROWS[i].kind == OB_TRACE_DOUBLE)
            CHECK_REAL(value->as.real, ROWS[i].value);
        else if (ROWS[i].kind != OB_TRACE_NONE)
            CHECK_INT(value->as.integer, (int64_t)ROWS[i].value);
        ob_trace_close(trace);
    }
}

static void test_lists(void)
{
    ob_trace *trace = open_call("aten::f", "[\"\", \"\", \"\"]",
                                "[\"[True, False]\", \"[]\", \"[[1, 2.], [nan]]\"]");
    const ob_trace_value *values = value_of(trace);
    CHECK_INT(values[0].kind, OB_TRACE_LIST);
    CHECK_INT(values[0].count, 2);
    CHECK_INT(values[0].as.items[0].kind, OB_TRACE_BOOL);
    CHECK_INT(values[0].as.items[0].as.integer, 1);
    CHECK_INT(values[0].as.items[1].as.integer, 0);
    CHECK_INT(values[1].kind, OB_TRACE_LIST);
    CHECK_INT(values[1].count, 0);
    CHECK_INT(values[2].as.items[0].as.items[1].kind, OB_TRACE_DOUBLE);
    CHECK(isnan(values[2].as.items[1].as.items[0].as.real));
    ob_trace_close(trace);
}

/* What is no value from its first to its last character is a string, whatever it begins with. */
static void test_strings(void)
{
    static const char *const TEXTS[] = {
        "none",
        "Truely",
        "1x",
        "1.5.2",
        "0x10",
        "+1",
        "-",
        ".5",
        "1e",
        "1.e5",
        "[1, 2",
        "[1 2]",
        "[1,, 2]",
        "]",
        "[1] ",
        " 1",
        "[[[[[[[[[[1]]]]]]]]]]",
        "infinity",
        "(1, 2)",
        "{1: 2}",
        "1 + 1",
        "1;2",
        "[,]",
    };
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        char values[64];
        snprintf(values, sizeof values, "[\"%s\"]", TEXTS[i]);
        ob_trace *trace = open_call("aten::f", "[\"Scalar\"]", values);
        CHECK_INT(value_of(trace)->kind, OB_TRACE_STR);
        CHECK_STR(value_of(trace)->as.text, TEXTS[i]);
        ob_trace_close(trace);
    }
}

/* The config that the call becomes must have the part in it. */
static void check_converted(const char *name, const char *types, const char *values,
                            const char *part)
{
    ob_trace *trace = open_call(name, types, values);
    ob_op_table *table;
    ob_text config = {0};
    ob_err err;
    ob_trace_convert_summary summary = {.size = sizeof summary};
    CHECK_INT(ob_op_table_create(&table, &err), OB_OK);
    const ob_trace_convert_options options = {.size = sizeof options, .device = "cuda:1"};
    CHECK_INT(ob_trace_convert(trace, &options, table, NULL, &config, &summary, &err), OB_OK);
    CHECK_INT(summary.left_out, 0);
    char *text = calloc(config.size + 1, 1);
    memcpy(text, config.data, config.size);
    CHECK_HAS(text, part);
    free(text);
    ob_text_fini(&config);
    ob_op_table_destroy(table);
    ob_trace_close(trace);
}

#define TENSOR                                                                                     \
    "{\"type\": \"tensor\", \"dtype\": \"float\", \"shape\": [2], \"requires_grad\": false}"

static void test_overloads(void)
{
    /* Strings are not recorded: the default counts. */
    check_converted("aten::gelu", "[\"float\", \"\"]", "[\"\", \"\"]",
                    "{\"args\": [" TENSOR "], \"count\": 1}");
    check_converted("aten::gelu_backward", "[\"float\", \"float\", \"\"]", "[\"\", \"\", \"\"]",
                    "{\"args\": [" TENSOR ", " TENSOR "], \"count\": 1}");
    /* Numbers tell Scalar from Tensor, as other operators' names do. */
    check_converted("aten::mul", "[\"float\", \"Scalar\"]", "[\"\", \"2.\"]",
                    "\"aten::mul.Scalar\"");
    check_converted("aten::mul", "[\"float\", \"float\"]", "[\"\", \"\"]", "\"aten::mul.Tensor\"");
    /* Arguments behind the star are recorded by place. */
    check_converted("aten::sum", "[\"float\", \"\"]", "[\"\", \"\"]", "\"aten::sum\"");
    check_converted("aten::add", "[\"float\", \"float\", \"Scalar\"]", "[\"\", \"\", \"1\"]",
                    "\"kwargs\": {\"alpha\": {\"type\": \"int\", \"value\": 1}}");
    /* An out= variant that is not known is called without. */
    check_converted("aten::mm", "[\"float\", \"float\", \"float\"]", "[\"\", \"\", \"\"]",
                    "{\"args\": [" TENSOR ", " TENSOR "], \"count\": 1}");
    /* A device that must be given is that of the command line. */
    check_converted("aten::to", "[\"float\", \"\", \"Scalar\", \"Scalar\", \"Scalar\", \"\"]",
                    "[\"\", \"\", \"6\", \"False\", \"False\", \"\"]",
                    "{\"type\": \"device\", \"value\": \"cuda:1\"}");
    /* What no row takes stays as it was recorded. */
    check_converted("aten::of_2030", "[\"float\", \"\"]", "[\"\", \"\"]", "{\"type\": \"none\"}");
}

static void check_kinds(const char *names, const char *wanted)
{
    /* Each name is inside of the one before it. */
    char text[2048] = "{\"traceEvents\": [", found[64] = "";
    size_t used = strlen(text), count = 0;
    const char *at = names;
    for (; *at != '\0'; count++) {
        const size_t length = strcspn(at, ";");
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "%s{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"%.*s\", "
                                 "\"tid\": 1, \"ts\": %zu, \"dur\": %zu}",
                                 count > 0 ? ", " : "", (int)length, at, count, 100 - 2 * count);
        at += length + (at[length] == ';');
    }
    snprintf(text + used, sizeof text - used, "]}");
    ob_trace *trace = open_text(text);
    static const char LETTERS[] = {'L', 'O', 'C', 'F', 'R'};
    for (size_t i = 0; i < ob_trace_node_count(trace); i++)
        found[i] = LETTERS[ob_trace_node_at(trace, i)->kind];
    CHECK_STR(found, wanted);
    ob_trace_close(trace);
}

/* The innermost counts, and none where the kernels themselves are there. */
static void test_compiled(void)
{
    check_kinds("Torch-Compiled Region: 0/0", "R");
    check_kinds("Torch-Compiled Region: 0/0;CompiledFunction;aten::mm", "LRO");
    check_kinds("CompiledFunctionBackward;## Call CompiledFxGraph f5u3 ##;aten::mm", "LRO");
    check_kinds("Torch-Compiled Region: 0/0;Torch-Compiled Region: 1/0", "RR");
    check_kinds("CompiledFunction;triton_poi_fused_add_0", "LF");
    check_kinds("CompiledFunction;graph_0_cpp_fused_gelu_1", "LF");
    check_kinds("autograd::engine::evaluate_function: CompiledFunctionBackward", "L");
    ob_trace *trace = open_text(
        "{\"traceEvents\": [{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"CompiledFunction\", "
        "\"tid\": 1, \"ts\": 1, \"dur\": 9}, {\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": "
        "\"aten::mm\", \"tid\": 1, \"ts\": 2, \"dur\": 1}]}");
    uint32_t *indices;
    size_t count;
    ob_err err;
    for (int leaves = 0; leaves < 2; leaves++) {
        const ob_trace_selection how = {.size = sizeof how, .iteration = -1, .leaves = leaves != 0};
        CHECK_INT(ob_trace_select(trace, &how, &indices, &count, &err), OB_OK);
        CHECK_INT(count, 2); /* the region, and the call below it */
        free(indices);
    }
    ob_trace_close(trace);
}

int main(void)
{
    RUN(test_numbers);
    RUN(test_lists);
    RUN(test_strings);
    RUN(test_overloads);
    RUN(test_compiled);
    return ob_test_end();
}
