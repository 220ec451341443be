/* SPDX-License-Identifier: Apache-2.0
 *
 * Sweep files: what they expand to, how they are thinned, what is refused and where, and which point a
 * record is of.
 */
#include "check.h"

#include "config/iterators.h"
#include "gen/gen.h"
#include "opbench/graph.h"
#include "opbench/sweep.h"
#include "plugin/registry.h"
#include "sweep/sweep_int.h"
#include "sweep/sweep_iterator.h"

#include <stdlib.h>

#define JOBS "\"job_configs\": [{\"precision\": \"fp32\", \"runtime\": \"native\"}]"
#define LINEAR                                                                                     \
    "{\"model\": \"torch.nn.Linear\", \"model_init_params\": [\"width\", \"out\"],"                \
    " \"input_params\": [[\"batch\", \"width\"]],"                                                 \
    " \"input_scales\": {\"batch\": [1, 8], \"width\": [16, 32, 64], \"out\": [4]},"               \
    " \"job_configs\": [{\"precision\": [\"fp32\", \"bf16\"], \"runtime\": \"native\"},"           \
    " [\"fp16\", \"pt\"], [\"fp32\", \"native\"]]}"

static ob_context *context;

static ob_sweep *open_sweep(const char *text)
{
    ob_sweep *sweep = NULL;
    ob_err err;
    if (ob_sweep_open_memory(context, "s.json", text, strlen(text), &sweep, &err) != OB_OK)
        CHECK_STR(err.message, "");
    return sweep;
}

static ob_config *open_config(const ob_sweep *sweep, size_t backend, const ob_sweep_params *params)
{
    ob_json_doc *doc = NULL;
    ob_config *config = NULL;
    ob_err err;
    CHECK_INT(ob_sweep_make_config(sweep, backend, params, &doc, &err), OB_OK);
    if (ob_config_open_json(context, doc, NULL, &config, &err) != OB_OK)
        CHECK_STR(err.message, "");
    return config;
}

/* Case `index` as a call. */
static const char *call_at(const ob_config *config, uint64_t index, char *out, size_t size)
{
    ob_cases *cases = NULL;
    const ob_case *c = NULL;
    ob_text text = {0};
    CHECK_INT(ob_cases_open(config, NULL, &cases, NULL), OB_OK);
    CHECK_INT(ob_cases_seek(cases, index, NULL), OB_OK);
    CHECK_INT(ob_cases_next(cases, &c, NULL), OB_OK);
    CHECK_INT(ob_case_print_call(c, &text, NULL), OB_OK);
    snprintf(out, size, "%s %.*s", ob_case_id(c), (int)text.size, text.data);
    ob_text_fini(&text);
    ob_cases_close(cases);
    return out;
}

static void expands(void)
{
    char text[256];
    ob_sweep *sweep = open_sweep(LINEAR);
    CHECK_INT(ob_sweep_point_count(sweep), 6);
    CHECK_INT(ob_sweep_backend_count(sweep), 2); /* the last job is said twice */
    CHECK_STR(ob_sweep_backend(sweep, 0), "native");
    CHECK_STR(ob_sweep_backend(sweep, 1), "torch");
    CHECK_INT(ob_sweep_variable_count(sweep), 3);
    CHECK_STR(ob_sweep_variable(sweep, 1), "width");
    CHECK(ob_sweep_variable(sweep, 3) == NULL && ob_sweep_backend(sweep, 2) == NULL);
    ob_config *config = open_config(sweep, 0, NULL);
    CHECK_INT(ob_config_case_count(config), 12);
    CHECK_STR(call_at(config, 0, text, sizeof text),
              "0|0|0_0 torch.nn.Linear(16, 4, dtype=f32)(f32[1,16])");
    CHECK_STR(call_at(config, 11, text, sizeof text),
              "0|0|5_1 torch.nn.Linear(64, 4, dtype=bf16)(bf16[8,64])");
    ob_config_destroy(config);
    config = open_config(sweep, 1,
                         &(ob_sweep_params){.size = sizeof(ob_sweep_params), .backward = true});
    CHECK_INT(ob_config_case_count(config), 6);
    CHECK_HAS(call_at(config, 4, text, sizeof text), "f16[8,32]");
    ob_config_destroy(config);
    ob_sweep_destroy(sweep);
}

static void keys_differ(void)
{
    ob_sweep *sweep = open_sweep(LINEAR);
    ob_config *config = open_config(sweep, 0, NULL);
    ob_cases *cases = NULL;
    const ob_case *c = NULL;
    char keys[12][33];
    CHECK_INT(ob_cases_open(config, NULL, &cases, NULL), OB_OK);
    for (int i = 0; i < 12 && ob_cases_next(cases, &c, NULL) == OB_OK; i++) {
        snprintf(keys[i], sizeof keys[i], "%s", ob_case_key(c));
        CHECK(ob_case_build_generator(c) != NULL);
        for (int k = 0; k < i; k++)
            CHECK(strcmp(keys[i], keys[k]) != 0);
    }
    CHECK_INT(ob_cases_next(cases, &c, NULL), OB_END);
    ob_cases_close(cases);
    ob_config_destroy(config);
    ob_sweep_destroy(sweep);
}

/* 10^15 points; any of them at once. */
static void is_lazy(void)
{
    char text[256];
    ob_sweep *sweep =
        open_sweep("{\"model\": \"torch.mm\", \"input_params\": [[\"a\", \"b\"], [\"b\", \"c\"]],"
                   " \"input_scales\": {\"a\": {\"from\": 1, \"to\": 100000, \"step\": 1},"
                   " \"b\": {\"from\": 1, \"to\": 100000, \"step\": 1},"
                   " \"c\": {\"from\": 1, \"to\": 100000, \"step\": 1}}, " JOBS "}");
    CHECK(ob_sweep_point_count(sweep) == 1000000000000000u);
    ob_config *config = open_config(sweep, 0, NULL);
    CHECK_STR(call_at(config, 999999999999998, text, sizeof text),
              "0|0|999999999999998_0 torch.mm(f32[100000,100000], f32[100000,99999])");
    ob_config_destroy(config);
    config = open_config(
        sweep, 0, &(ob_sweep_params){.size = sizeof(ob_sweep_params), .every = 1000000000000});
    CHECK_INT(ob_config_case_count(config), 1000);
    CHECK_STR(call_at(config, 3, text, sizeof text),
              "0|0|3000000000000_0 torch.mm(f32[301,1], f32[1,1])");
    ob_config_destroy(config);
    ob_sweep_destroy(sweep);
}

/* A sample has as many points as asked for, ascending, and another seed takes others. */
static void samples(void)
{
    char text[256], last[256] = "";
    ob_sweep *sweep =
        open_sweep("{\"model\": \"torch.relu\", \"input_params\": [[\"a\", \"b\"]],"
                   " \"input_scales\": {\"a\": {\"from\": 1, \"to\": 64, \"times\": 2},"
                   " \"b\": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}, " JOBS "}");
    long long before = -1;
    int equal = 0;
    CHECK_INT(ob_sweep_point_count(sweep), 70);
    ob_config *config = open_config(
        sweep, 0, &(ob_sweep_params){.size = sizeof(ob_sweep_params), .sample = 9, .seed = 1});
    ob_config *other = open_config(
        sweep, 0, &(ob_sweep_params){.size = sizeof(ob_sweep_params), .sample = 9, .seed = 2});
    ob_config *all =
        open_config(sweep, 0, &(ob_sweep_params){.size = sizeof(ob_sweep_params), .sample = 1000});
    CHECK_INT(ob_config_case_count(config), 9);
    CHECK_INT(ob_config_case_count(all), 70);
    for (uint64_t i = 0; i < 9; i++) {
        const long long point = strtoll(call_at(config, i, text, sizeof text) + 4, NULL, 10);
        CHECK(point > before && point < 70);
        before = point;
        equal += strcmp(text, call_at(other, i, last, sizeof last)) == 0;
    }
    CHECK(equal < 9);
    CHECK_HAS(call_at(all, 69, text, sizeof text), "f32[64,10]");
    ob_config_destroy(config);
    ob_config_destroy(other);
    ob_config_destroy(all);
    ob_sweep_destroy(sweep);
}

/* Values of every kind, inputs by name, a fixed element type, constants. */
static void takes_other_inputs(void)
{
    char text[512];
    ob_sweep *sweep = open_sweep(
        "{\"model\": \"torch.nn.functional.embedding_bag\", \"input_params\": ["
        "{\"dims\": [\"bags\", 3], \"dtype\": \"long\", \"value_range\": [0, 3]}, [10, \"d\"],"
        " {\"name\": \"mode\", \"value\": \"mode\"}, {\"name\": \"sparse\", \"value\": false}],"
        " \"input_scales\": {\"bags\": 2, \"d\": [4], \"mode\": [\"sum\", \"mean\"]}, " JOBS "}");
    ob_config *config = open_config(sweep, 0, NULL);
    CHECK_INT(ob_config_case_count(config), 2);
    CHECK_STR(call_at(config, 1, text, sizeof text),
              "0|0|1_0 torch.nn.functional.embedding_bag(i64[2,3]=0..3, f32[10,4], mode=\"mean\", "
              "sparse=false)");
    ob_config_destroy(config);
    ob_sweep_destroy(sweep);
}

static void makes_chains(void)
{
    ob_sweep *sweep = open_sweep(
        "{\"model\": {\"nodes\": {"
        "\"sum\": {\"op\": \"torch.add\", \"kwargs\": {\"alpha\": 2}},"
        "\"fc\": {\"op\": \"torch.nn.Linear\", \"init\": [\"w\", \"w\"]},"
        "\"act\": {\"op\": \"torch.nn.functional.gelu\", \"kwargs\": {\"approximate\": {\"value\": "
        "\"tanh\"}}}}, \"edges\": [[\"fc\", \"act\"], [\"act\", \"sum\"], [\"x\", \"fc\"], "
        "[\"x\", \"sum\", \"other\"]]}, \"input_params\": [{\"name\": \"x\", \"dims\": [2, "
        "\"w\"]}], \"input_scales\": {\"w\": [8]}, " JOBS "}");
    ob_config *config = open_config(sweep, 0, NULL);
    ob_cases *cases = NULL;
    const ob_case *c = NULL;
    CHECK_STR(ob_sweep_model(sweep), "opbench.graph");
    CHECK_INT(ob_cases_open(config, NULL, &cases, NULL), OB_OK);
    CHECK_INT(ob_cases_next(cases, &c, NULL), OB_OK);
    const ob_json *text = ob_json_item(ob_json_get(ob_case_build(c), "args"), 0);
    CHECK_STR(ob_json_string(ob_json_get(text, "value"), NULL),
              "fc = torch.nn.Linear(w, w)(x); act = torch.nn.functional.gelu(fc, "
              "approximate='tanh'); sum = torch.add(act, alpha=2, other=x); result_0 = sum");
    ob_cases_close(cases);
    ob_config_destroy(config);
    ob_sweep_destroy(sweep);
}

static void refuses(void)
{
#define MODEL(text)                                                                                \
    "{\"model\": " text ", \"input_params\": [[\"a\"]], \"input_scales\": {\"a\": [1]}, " JOBS "}"
#define SCALES(text)                                                                               \
    "{\"model\": \"torch.relu\", \"input_params\": [[\"a\"]], \"input_scales\": " text ", " JOBS "}"
#define WITH_JOBS(text)                                                                            \
    "{\"model\": \"torch.relu\", \"input_params\": [[\"a\"]], \"input_scales\": {\"a\": [1]}, "    \
    "\"job_configs\": " text "}"
#define INPUTS(text)                                                                               \
    "{\"model\": \"torch.relu\", \"input_params\": " text                                          \
    ", \"input_scales\": {\"a\": [1]}, " JOBS "}"
    static const struct {
        const char *text, *message, *path;
    } CASES[] = {
        {"[]", "a sweep must be an object", "."},
        {"{\"modle\": 1}", "unknown key \"modle\" in a sweep, did you mean \"model\"?", "."},
        {MODEL("3"), "\"model\" must be the name of an operator or module", ".model"},
        {SCALES("[]"), "\"input_scales\" must be an object", ".input_scales"},
        {SCALES("{\"a\": []}"), "\"a\" needs a list of at least one value", ".input_scales.a"},
        {SCALES("{\"b\": [1]}"), "\"a\" has no values", ".input_params[0][0]"},
        {SCALES("{\"a\": [1, -1]}"), "\"a\" is a size of an input", ".input_scales.a[1]"},
        {SCALES("{\"a\": 1.5}"), "\"a\" is a size of an input", ".input_scales.a"},
        {SCALES("{\"a\": [\"x\"]}"), "\"a\" is a size of an input", ".input_scales.a[0]"},
        {SCALES("{\"a\": [1], \"b\": [1]}"), "neither the inputs nor the model uses \"b\"", "b"},
        {SCALES("{\"a\": {\"from\": 4, \"to\": 1}}"), "the range is empty", ".input_scales.a"},
        {SCALES("{\"a\": {\"from\": 0, \"to\": 8, \"times\": 2}}"), "\"from\" at least 1", "a"},
        {SCALES("{\"a\": {\"from\": 0, \"to\": 9000000000000000000, \"step\": 1}}"),
         "more than 1000000 values", "a"},
        {SCALES("{\"precision\": [1]}"), "is already a column of the table,", ""},
        {WITH_JOBS("[]"), "there are no job configs;", ".job_configs"},
        {WITH_JOBS("[{\"precision\": \"fp31\", \"runtime\": \"native\"}]"),
         "\"fp31\" is not a precision", ".job_configs[0].precision"},
        {WITH_JOBS("[{\"precision\": \"fp32\"}]"), "has no \"runtime\"", ".job_configs[0]"},
        {WITH_JOBS("[{\"precision\": \"fp32\", \"runtime\": \"pt\", \"x\": 1}]"),
         "unknown key \"x\"", ""},
        {INPUTS("[\"a\"]"), "an input must be a list of the names", ".input_params[0]"},
        {INPUTS("[[\"a\", -1]]"), "a dimension must be the name of a variable or a size", "[1]"},
        {INPUTS("[{\"dims\": [\"a\"], \"dtype\": \"x\"}]"), "this is not an element type",
         ".dtype"},
        {"{\"model\": \"torch.relu\", \"model_init_params\": [\"a\"], \"input_params\": [[\"a\"]],"
         " \"input_scales\": {\"a\": [1]}, " JOBS "}",
         "\"torch.relu\" is a function", ".model"},
        {MODEL("{\"nodes\": {\"r\": {\"op\": \"torch.relu\"}}, \"edges\": [[\"q\", \"r\"]]}"),
         "\"q\" is neither a node nor an input", ".model.edges[0][0]"},
        {MODEL("{\"nodes\": {\"r\": {\"op\": \"torch.relu\"}, \"s\": {\"op\": \"torch.relu\"}}, "
               "\"edges\": [[\"r\", \"s\"], [\"s\", \"r\"]]}"),
         "the edges form a cycle;", ".model.edges"},
        {MODEL("{\"nodes\": {\"a\": {\"op\": \"torch.relu\"}}, \"edges\": []}"),
         "is already an input or a variable;", ""},
        {MODEL("{\"nodes\": {\"r\": {\"op\": \"relu); x = (\"}}, \"edges\": []}"),
         "the node needs \"op\"", ".model.nodes.r"},
        {MODEL("{\"nodes\": {\"r\": {\"op\": \"torch.relu\", \"args\": [\"z\"]}}, \"edges\": []}"),
         "\"z\" has no values", "args[0]"},
        {MODEL("{\"nodes\": {\"r\": {\"op\": \"torch.relu\"}}, \"edges\": [], \"outputs\": []}"),
         "the chain has no output", ".model.outputs"},
        {MODEL("{\"nodes\": {\"r\": {\"op\": \"torch.rand\", \"args\": [[2]]}}, \"edges\": []}"),
         "no node of the chain takes this input", ".input_params[0]"},
        {MODEL("{\"name\": 3, \"nodes\": {\"r\": {\"op\": \"torch.relu\"}}, \"edges\": "
               "[[\"input_0\", "
               "\"r\"]]}"),
         "the name of a chain must be a string", ".model.name"},
        {MODEL("{\"nodes\": {\"r\": {\"op\": \"torch.rulu\"}}, \"edges\": [[\"input_0\", \"r\"]]}"),
         "there is no operator or module \"torch.rulu\"", ".model.nodes.r.op"},
        {MODEL("\"torch.nn.Linnear\""), "did you mean \"torch.nn.Linear\"?", ".model"},
        {SCALES("{\"a\": [1], \"status\": [1]}"), "\"status\" is already a column of the table,",
         "status"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        ob_sweep *sweep = NULL;
        ob_err err = {.line = 0};
        const char *text = CASES[i].text;
        CHECK(ob_sweep_open_memory(context, "s.json", text, strlen(text), &sweep, &err) != OB_OK);
        CHECK_HAS(err.message, CASES[i].message);
        CHECK_HAS(err.path, CASES[i].path);
        CHECK_STR(err.file, "s.json");
        CHECK(err.line == 1 && sweep == NULL);
        ob_sweep_destroy(sweep);
    }
}

/* Sizes that no tensor can have are refused before anything runs. */
static void refuses_sizes(void)
{
    static const char *const SIZES[] = {"[1, 4000000000000000000]", "[9223372036854775807]"};
    for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) {
        char text[400];
        ob_json_doc *doc = NULL;
        ob_config *config = NULL;
        ob_err err;
        snprintf(text, sizeof text, SCALES("{\"a\": %s}"), SIZES[i]);
        ob_sweep *sweep = open_sweep(text);
        CHECK_INT(ob_sweep_make_config(sweep, 0, NULL, &doc, &err), OB_OK);
        CHECK(ob_config_open_json(context, doc, NULL, &config, &err) != OB_OK);
        CHECK(err.message[0] != '\0');
        ob_sweep_destroy(sweep);
    }
}

/* Files are edited, and records of other runs get into a folder. */
static void refuses_foreign_records(void)
{
    static const struct {
        const char *op, *id, *backend;
    } CASES[] = {{"torch.nn.Linear", "0|0|6_0", "native"}, {"torch.nn.Linear", "0|0|0_2", "native"},
                 {"torch.nn.Linear", "0|0|0_1", "torch"},  {"torch.nn.Linear", "0|0|0", "native"},
                 {"torch.nn.Linear", "0|0|x_0", "native"}, {"torch.nn.Linear", NULL, "native"},
                 {"torch.nn.Linear", "0|0|0_0", NULL},     {"torch.relu", "0|0|0_0", "native"},
                 {"torch.nn.Linear", "0|0|0_0", "null"},   {NULL, "0|0|0_0", "native"}};
    ob_sweep *sweep = open_sweep(LINEAR);
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        ob_record record;
        uint64_t point;
        const ob_sweep_job *job;
        ob_err err;
        ob_record_init(&record, OB_RECORD_RESULT_LINE);
        record.result.op_name = CASES[i].op;
        record.result.id = CASES[i].id;
        record.result.backend = CASES[i].backend;
        CHECK_INT(ob__sweep_locate(sweep, &record.result, &point, &job, &err), OB_ERR_INVALID);
        CHECK_HAS(err.message, "does not belong to the sweep s.json");
    }
    ob_sweep_destroy(sweep);
}

int main(void)
{
    CHECK_INT(ob__context_create_empty(NULL, &context, NULL), OB_OK);
    CHECK_INT(ob__registry_add_builtin(context, &ob__config_builtin, NULL), OB_OK);
    CHECK_INT(ob__registry_add_builtin(context, &ob__gen_builtin, NULL), OB_OK);
    CHECK_INT(ob__registry_add_builtin(context, &ob__sweep_builtin, NULL), OB_OK);
    RUN(expands);
    RUN(keys_differ);
    RUN(is_lazy);
    RUN(samples);
    RUN(takes_other_inputs);
    RUN(makes_chains);
    RUN(refuses);
    RUN(refuses_sizes);
    RUN(refuses_foreign_records);
    ob_context_destroy(context);
    return ob_test_end();
}
