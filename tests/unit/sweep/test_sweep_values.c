/* SPDX-License-Identifier: Apache-2.0
 *
 * What stands in a sweep: ranges to the last value, values of every kind in builds, inputs and chains, files in JSON and
 * YAML.
 */
#include "check.h"

#include "config/iterators.h"
#include "gen/gen.h"
#include "opbench/sweep.h"
#include "plugin/registry.h"
#include "sweep/sweep_iterator.h"

#include <stdlib.h>
#include <unistd.h>

#define JOBS "\"job_configs\": [{\"precision\": \"fp32\", \"runtime\": \"native\"}]"

static ob_context *context;

/* NULL, and err, when it is refused. */
static ob_sweep *open_sweep(const char *text, ob_err *err)
{
    ob_sweep *sweep = NULL;
    ob_sweep_open_memory(context, "s.json", text, strlen(text), &sweep, err);
    return sweep;
}

/* The calls of all points, "; " between them; the message when the sweep is refused. */
static const char *calls_of(const char *text)
{
    static char out[1024];
    ob_err err = {.message = ""};
    ob_json_doc *doc = NULL;
    ob_config *config = NULL;
    ob_cases *cases = NULL;
    const ob_case *c = NULL;
    size_t at = 0;
    ob_sweep *sweep = open_sweep(text, &err);
    out[0] = '\0';
    if (sweep == NULL || ob_sweep_make_config(sweep, 0, NULL, &doc, &err) != OB_OK ||
        ob_config_open_json(context, doc, NULL, &config, &err) != OB_OK ||
        ob_cases_open(config, NULL, &cases, &err) != OB_OK)
        snprintf(out, sizeof out, "%s", err.message);
    while (cases != NULL && ob_cases_next(cases, &c, &err) == OB_OK) {
        ob_text call = {0};
        CHECK_INT(ob_case_print_call(c, &call, NULL), OB_OK);
        at += (size_t)snprintf(out + at, sizeof out - at, "%s%.*s", at > 0 ? "; " : "",
                               (int)call.size, call.data);
        ob_text_fini(&call);
    }
    ob_cases_close(cases);
    ob_config_destroy(config);
    ob_sweep_destroy(sweep);
    return out;
}

#define RELU(scale)                                                                                \
    "{\"model\": \"torch.relu\", \"input_params\": [[\"a\"]], \"input_scales\": {\"a\": " scale    \
    "}, " JOBS "}"
#define WRONG_RANGE "a range must be {\"from\": 1, \"to\": 1024, \"times\": 2} or"

static void ranges(void)
{
#define F(size) "torch.relu(f32[" #size "])"
    static const struct {
        const char *scale, *want;
    } ROWS[] = {
        {"{\"from\": 1, \"to\": 3}", F(1) "; " F(2) "; " F(3)},
        {"{\"from\": 1, \"to\": 6, \"step\": 2}", F(1) "; " F(3) "; " F(5)},
        {"{\"from\": 1, \"to\": 5, \"step\": 2}", F(1) "; " F(3) "; " F(5)},
        {"{\"from\": 1, \"to\": 8, \"times\": 2}", F(1) "; " F(2) "; " F(4) "; " F(8)},
        {"{\"from\": 3, \"to\": 26, \"times\": 3}", F(3) "; " F(9)},
        {"{\"from\": 4, \"to\": 4}", F(4)},
        {"{\"from\": 0, \"to\": 0, \"step\": 1}", F(0)},
        {"7", F(7)},
        {"[7, 5]", F(7) "; " F(5)},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        char text[512];
        snprintf(text, sizeof text, RELU("%s"), ROWS[i].scale);
        CHECK_STR(calls_of(text), ROWS[i].want);
    }
    static const struct {
        const char *scale, *part;
    } WRONG[] = {
        {"{\"from\": 1}", WRONG_RANGE},
        {"{\"to\": 1}", WRONG_RANGE},
        {"{\"from\": 1.5, \"to\": 3}", WRONG_RANGE},
        {"{\"from\": 1, \"to\": \"x\"}", WRONG_RANGE},
        {"{\"from\": 1, \"to\": 3, \"step\": 1.5}", WRONG_RANGE},
        {"{\"from\": 1, \"to\": 3, \"times\": \"x\"}", WRONG_RANGE},
        {"{\"from\": 1, \"to\": 3, \"stop\": 1}", WRONG_RANGE},
        {"{\"from\": 1, \"to\": 3, \"times\": 2, \"step\": 1}", WRONG_RANGE},
        {"{\"from\": 1, \"to\": 3, \"step\": 0}", "\"step\" must be at least 1"},
        {"{\"from\": 1, \"to\": 3, \"times\": 1}",
         "\"times\" must be at least 2, and \"from\" at least 1"},
        {"{\"from\": 4, \"to\": 3}", "\"from\" is larger than \"to\": the range is empty"},
    };
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        char text[512];
        snprintf(text, sizeof text, RELU("%s"), WRONG[i].scale);
        CHECK_HAS(calls_of(text), WRONG[i].part);
    }
}

/* Up to the last number that there is. */
static void ranges_end(void)
{
    ob_err err;
    ob_sweep *sweep =
        open_sweep("{\"model\": \"torch.zeros\", \"input_params\": [{\"value\": \"a\"}], "
                   "\"input_scales\": {\"a\": {\"from\": 9223372036854775800, \"to\": "
                   "9223372036854775807, \"step\": 5}}, " JOBS "}",
                   &err);
    CHECK(sweep != NULL);
    CHECK_INT(ob_sweep_point_count(sweep), 2);
    ob_sweep_destroy(sweep);
    sweep = open_sweep("{\"model\": \"torch.zeros\", \"input_params\": [{\"value\": \"a\"}], "
                       "\"input_scales\": {\"a\": {\"from\": 1, \"to\": 9223372036854775807, "
                       "\"times\": 2}}, " JOBS "}",
                       &err);
    CHECK(sweep != NULL);
    CHECK_INT(ob_sweep_point_count(sweep), 63);
    ob_sweep_destroy(sweep);
    sweep = open_sweep("{\"model\": \"torch.zeros\", \"input_params\": [{\"value\": \"a\"}], "
                       "\"input_scales\": {\"a\": {\"from\": 1, \"to\": 1000000}}, " JOBS "}",
                       &err);
    CHECK(sweep != NULL);
    CHECK_INT(ob_sweep_point_count(sweep), 1000000);
    ob_sweep_destroy(sweep);
    CHECK(open_sweep(RELU("{\"from\": 0, \"to\": 1000000}"), &err) == NULL);
    CHECK_STR(err.message, "the range has more than 1000000 values");
}

/* Variables that are bools, reals, texts, lists and nothing; constants of every kind. */
static void kinds_of_values(void)
{
    CHECK_STR(
        calls_of(
            "{\"model\": \"torch.sum\", \"input_params\": [[2, 3], {\"name\": \"dim\", \"value\": "
            "\"d\"}, {\"name\": \"keepdim\", \"value\": \"k\"}], \"input_scales\": {\"d\": [[0, "
            "1], "
            "[], 1, null], \"k\": [true]}, " JOBS "}"),
        "torch.sum(f32[2,3], dim=[0,1], keepdim=true); torch.sum(f32[2,3], dim=[], keepdim=true); "
        "torch.sum(f32[2,3], dim=1, keepdim=true); torch.sum(f32[2,3], dim=none, keepdim=true)");
    CHECK_STR(
        calls_of(
            "{\"model\": \"torch.nn.functional.leaky_relu\", \"input_params\": [[2], {\"value\": "
            "\"slope\"}], \"input_scales\": {\"slope\": [0.5, -1.0]}, " JOBS "}"),
        "torch.nn.functional.leaky_relu(f32[2], 0.5); torch.nn.functional.leaky_relu(f32[2], "
        "-1.0)");
    /* Of a build: names, numbers, reals, bools, null and lists of them. */
    CHECK_STR(calls_of("{\"model\": \"torch.nn.Conv2d\", \"model_init_params\": [3, \"out\", [3, "
                       "\"k\"], 1, 0, 1, "
                       "1, false], \"input_params\": [[1, 3, 9, 9]], \"input_scales\": {\"out\": "
                       "[4], \"k\": [1, "
                       "5]}, " JOBS "}"),
              "torch.nn.Conv2d(3, 4, [3,1], 1, 0, 1, 1, false, dtype=f32)(f32[1,3,9,9]); "
              "torch.nn.Conv2d(3, 4, "
              "[3,5], 1, 0, 1, 1, false, dtype=f32)(f32[1,3,9,9])");
    CHECK_STR(calls_of("{\"model\": \"torch.nn.LeakyReLU\", \"model_init_params\": [0.25], "
                       "\"input_params\": [[2]], "
                       "\"input_scales\": {}, " JOBS "}"),
              "torch.nn.LeakyReLU(0.25)(f32[2])");
}

static void precisions(void)
{
    static const struct {
        const char *word, *call;
    } ROWS[] = {{"fp64", "torch.relu(f64[1])"}, {"single", "torch.relu(f32[1])"},
                {"fp16", "torch.relu(f16[1])"}, {"bf16", "torch.relu(bf16[1])"},
                {"int8", "torch.relu(i8[1])"},  {"float64", "torch.relu(f64[1])"}};
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "{\"model\": \"torch.relu\", \"input_params\": [[\"a\"]], \"input_scales\": "
                 "{\"a\": 1}, "
                 "\"job_configs\": [[\"%s\", \"native\"]]}",
                 ROWS[i].word);
        CHECK_STR(calls_of(text), ROWS[i].call);
    }
}

#define CHAIN(nodes, edges, scales)                                                                \
    "{\"model\": {\"nodes\": " nodes ", \"edges\": " edges                                         \
    "}, \"input_params\": [{\"name\": \"x\", "                                                     \
    "\"dims\": [2, 3]}], \"input_scales\": " scales ", " JOBS "}"

/* The text of a chain, or what is said of it. */
static const char *chain_text(const char *text)
{
    static char out[1024];
    ob_err err = {.message = ""};
    ob_json_doc *doc = NULL;
    ob_sweep *sweep = open_sweep(text, &err);
    snprintf(out, sizeof out, "%s", err.message);
    if (sweep != NULL && ob_sweep_make_config(sweep, 0, NULL, &doc, &err) == OB_OK) {
        char *whole = NULL;
        CHECK_INT(ob_json_print(ob_json_doc_root(doc), &whole, NULL, NULL), OB_OK);
        const char *first = strstr(whole, "n = ");
        snprintf(out, sizeof out, "%.*s", first != NULL ? (int)strcspn(first, "\"") : 0,
                 first != NULL ? first : "");
        free(whole);
        ob_json_doc_destroy(doc);
    }
    ob_sweep_destroy(sweep);
    return out;
}

static void chains(void)
{
    CHECK_STR(chain_text(
                  CHAIN("{\"n\": {\"op\": \"torch.sum\", \"args\": [[0, \"d\"], true], \"kwargs\": "
                        "{\"dtype\": null}}}",
                        "[[\"x\", \"n\"]]", "{\"d\": [1]}")),
              "n = torch.sum(x, [0, d], True, dtype=None); result_0 = n");
    CHECK_STR(chain_text(CHAIN("{\"n\": {\"op\": \"torch.mul\", \"args\": [-2.5]}}",
                               "[[\"x\", \"n\"]]", "{}")),
              "n = torch.mul(x, -2.5); result_0 = n");
    CHECK_STR(chain_text(CHAIN("{\"n\": {\"op\": \"torch.mul\", \"args\": [false]}}",
                               "[[\"x\", \"n\"]]", "{}")),
              "n = torch.mul(x, False); result_0 = n");
    CHECK_HAS(chain_text(CHAIN("{\"n\": {\"op\": \"torch.mul\", \"args\": [{\"value\": 3}]}}",
                               "[[\"x\", \"n\"]]", "{}")),
              "an argument must be a number, the name of a variable, true, false, null, a list of "
              "these, or");
    CHECK_HAS(chain_text(CHAIN(
                  "{\"n\": {\"op\": \"torch.mul\", \"args\": [{\"value\": \"a\", \"b\": 1}]}}",
                  "[[\"x\", \"n\"]]", "{}")),
              "an argument must be a number, the name of a variable");
    CHECK_HAS(chain_text(
                  CHAIN("{\"n\": {\"op\": \"torch.mul\", \"args\": 3}}", "[[\"x\", \"n\"]]", "{}")),
              "arguments must be a list, or an object with their names");
    CHECK_HAS(chain_text(CHAIN("{\"n\": {\"op\": \"torch.mul\", \"kwargs\": {\"a b\": 3}}}",
                               "[[\"x\", \"n\"]]", "{}")),
              "this is not the name of an argument");
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
}

static void files(void)
{
    static const char YAML[] = "model: torch.relu\ninput_params: [[a]]\ninput_scales: {a: [1, 2]}\n"
                               "job_configs:\n  - {precision: fp32, runtime: native}\n";
    static const char *const ENDINGS[] = {".yaml", ".yml", ".json"};
    for (size_t i = 0; i < 3; i++) {
        char path[64];
        ob_sweep *sweep = NULL;
        ob_err err;
        snprintf(path, sizeof path, "/tmp/opbench_sweep_%d%s", (int)getpid(), ENDINGS[i]);
        write_file(path, i == 2 ? RELU("[1, 2]") : YAML);
        CHECK_INT(ob_sweep_open_file(context, path, &sweep, &err), OB_OK);
        if (sweep != NULL) {
            CHECK_STR(ob_sweep_name(sweep), path);
            CHECK_STR(ob_sweep_model(sweep), "torch.relu");
            CHECK_INT(ob_sweep_point_count(sweep), 2);
            CHECK(ob_json_get(ob_sweep_json(sweep), "model") != NULL);
        }
        ob_sweep_destroy(sweep);
        write_file(path, i == 2 ? "{" : "a: [");
        CHECK(ob_sweep_open_file(context, path, &sweep, &err) != OB_OK);
        CHECK(sweep == NULL);
        CHECK_STR(err.file, path);
        remove(path);
        CHECK_INT(ob_sweep_open_file(context, path, &sweep, &err), OB_ERR_IO);
    }
}

int main(void)
{
    CHECK_INT(ob__context_create_empty(NULL, &context, NULL), OB_OK);
    CHECK_INT(ob__registry_add_builtin(context, &ob__config_builtin, NULL), OB_OK);
    CHECK_INT(ob__registry_add_builtin(context, &ob__gen_builtin, NULL), OB_OK);
    CHECK_INT(ob__registry_add_builtin(context, &ob__sweep_builtin, NULL), OB_OK);
    RUN(ranges);
    RUN(ranges_end);
    RUN(kinds_of_values);
    RUN(precisions);
    RUN(chains);
    RUN(files);
    ob_context_destroy(context);
    return ob_test_end();
}
