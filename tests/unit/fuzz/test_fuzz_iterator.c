/* SPDX-License-Identifier: Apache-2.0
 *
 * FuzzConfigIterator: draws as cases of a config, by index as in order, and what is refused.
 */
#include "fuzz/fuzzer.h"
#include "gen/gen.h"
#define TEST_PARTS &ob__gen_builtin, &ob__fuzz_builtin
#include "config_testing.h"
#include "opbench/fuzz.h"

#include <unistd.h>

static ob_config *open_fuzz(const char *entries)
{
    static char text[8192];
    snprintf(text, sizeof text,
             "{\"torch.add\": {\"input_iterator\": \"FuzzConfigIterator\", "
             "\"input_data_generator\": \"PyTorch:DefaultDataGenerator\", "
             "\"config\": [{\"input\": [%s]}]}}",
             entries);
    return open_config(text);
}

#define SPEC                                                                                       \
    "{\"parameters\": [{\"name\": \"k\", \"minval\": 2, \"maxval\": 9, \"distribution\": "         \
    "\"uniform\"}, {\"name\": \"f\", \"distribution\": [[0.5, 1]]}, "                              \
    "{\"name\": \"n\", \"distribution\": [[null, 1]]}, {\"name\": \"t\", \"distribution\": "       \
    "[[\"mean\", 1]]}, {\"name\": \"b\", \"distribution\": [[true, 1]]}], "                        \
    "\"tensors\": [{\"name\": \"x\", \"size\": [\"k\", 3], \"steps\": [1, 2]}, "                   \
    "{\"name\": \"i\", \"size\": [\"k\"], \"dtype\": \"int64\"}]}"

static void arguments(void)
{
    CHECK_STR(cases_text(open_fuzz(
                  "{\"fuzz\": {\"tensors\": [{\"name\": \"x\", \"size\": [4], \"steps\": [3]}, "
                  "{\"name\": \"y\", \"size\": [2], \"dtype\": \"int8\"}]}, \"count\": 1}")),
              "0|0|0_0 {\"args\": [{\"type\": \"tensor\", \"dtype\": \"float32\", \"shape\": [4], "
              "\"strides\": [3]}, {\"type\": \"tensor\", \"dtype\": \"int8\", \"shape\": [2], "
              "\"value_range\": [1, 126]}]}\n");
    CHECK_STR(messages, "");
    const char *text = cases_text(open_fuzz(
        "{\"fuzz\": " SPEC ", \"count\": 1, \"seed\": 4, \"args\": [{\"type\": \"fuzz\", "
        "\"name\": \"x\", \"requires_grad\": false}, {\"type\": \"int\", \"value\": 5}, "
        "{\"type\": \"genericlist\", \"value\": [{\"type\": \"fuzz\", \"name\": \"b\"}, "
        "{\"type\": \"fuzz\", \"name\": \"n\"}]}], \"kwargs\": {\"alpha\": {\"type\": \"fuzz\", "
        "\"name\": \"f\"}, \"mode\": {\"type\": \"fuzz\", \"name\": \"t\"}}}"));
    CHECK_STR(messages, "");
    CHECK_HAS(text,
              "\"requires_grad\": false}, {\"type\": \"int\", \"value\": 5}, "
              "{\"type\": \"genericlist\", \"value\": [{\"type\": \"bool\", \"value\": true}, "
              "{\"type\": \"none\"}]}], \"kwargs\": {\"alpha\": {\"type\": \"float\", "
              "\"value\": 0.5}, \"mode\": {\"type\": \"str\", \"value\": \"mean\"}}}\n");
}

/* nnz of a draw counts both entries of a place, that of an argument the places. */
static void sparse_arguments(void)
{
    CHECK_STR(cases_text(open_fuzz(
                  "{\"fuzz\": {\"tensors\": [{\"name\": \"x\", \"size\": [4, 5, 6], "
                  "\"density\": 0.1, \"sparse_dim\": 2}, {\"name\": \"y\", \"size\": [9], "
                  "\"nnz\": 3, \"coalesced\": false}]}, \"count\": 1}")),
              "0|0|0_0 {\"args\": [{\"type\": \"tensor\", \"dtype\": \"float32\", \"shape\": [4, "
              "5, 6], \"layout\": \"sparse_coo\", \"sparse_dim\": 2, \"nnz\": 2}, {\"type\": "
              "\"tensor\", \"dtype\": \"float32\", \"shape\": [9], \"layout\": \"sparse_coo\", "
              "\"sparse_dim\": 1, \"nnz\": 3, \"coalesced\": false}]}\n");
    CHECK_STR(messages, "");
}

/* Every case is what the fuzzer itself draws under that number. */
static void same_as_the_fuzzer(void)
{
    ob_config *config = open_fuzz("{\"fuzz\": " SPEC ", \"count\": 3, \"seed\": 8}, "
                                  "{\"fuzz\": \"binary\", \"count\": 5, \"seed\": 2}");
    const ob_fuzz_preset_params preset = {.size = sizeof preset, .name = "binary"};
    ob_fuzzer *fuzzer;
    ob_cases *cases;
    ob_err err;
    CHECK_STR(messages, "");
    CHECK_INT(ob_config_case_count(config), 8);
    CHECK_INT(ob_fuzzer_open_preset(&preset, 2, &fuzzer, &err), OB_OK);
    CHECK_INT(ob_cases_open(config, NULL, &cases, &err), OB_OK);
    for (uint64_t i = 5; i-- > 0;) { /* backwards: by index */
        const ob_case *c;
        const ob_fuzz_draw *draw;
        char id[32];
        CHECK_INT(ob_cases_seek(cases, 3 + i, &err), OB_OK);
        CHECK_INT(ob_cases_next(cases, &c, &err), OB_OK);
        CHECK_INT(ob_fuzzer_draw(fuzzer, i, &draw, &err), OB_OK);
        snprintf(id, sizeof id, "0|0|1_%d", (int)i);
        CHECK_STR(ob_case_id(c), id);
        const ob_json *args = ob_json_get(ob_case_input(c), "args");
        CHECK_INT(ob_json_count(args), 2);
        for (size_t t = 0; t < 2; t++) {
            const ob_json *shape = ob_json_get(ob_json_item(args, t), "shape");
            const ob_json *strides = ob_json_get(ob_json_item(args, t), "strides");
            CHECK_INT(ob_json_count(shape), draw->tensors[t].ndim);
            CHECK_INT(strides == NULL, draw->tensors[t].is_contiguous);
            for (size_t d = 0; d < ob_json_count(shape); d++) {
                CHECK_INT(ob_json_int(ob_json_item(shape, d), -1), draw->tensors[t].size[d]);
                if (strides != NULL)
                    CHECK_INT(ob_json_int(ob_json_item(strides, d), -1),
                              draw->tensors[t].strides[d]);
            }
        }
    }
    ob_cases_close(cases);
    ob_fuzzer_destroy(fuzzer);
    ob_config_destroy(config);
}

static void spec_file(void)
{
    char path[] = "/tmp/opbench_fuzz_XXXXXX", entry[128];
    const int fd = mkstemp(path);
    const char wrong[] = "{\"tensors\":\n [{\"name\": \"x\", \"size\": [\"k\"]}]}";
    CHECK_INT(write(fd, wrong, sizeof wrong - 1), (intmax_t)sizeof wrong - 1);
    close(fd);
    snprintf(entry, sizeof entry, "{\"fuzz\": \"%s\", \"count\": 1}", path);
    CHECK(open_fuzz(entry) == NULL);
    CHECK_HAS(messages, path);
    CHECK_HAS(messages,
              ":2:3: error: .tensors[0]: tensor \"x\", size: there is no parameter \"k\"");
    unlink(path);
    CHECK(open_fuzz(entry) == NULL);
    CHECK_HAS(messages, "cannot be opened");
}

static void refused(void)
{
    static const struct {
        const char *entry, *message;
    } ROWS[] = {
        {"3", "an entry must be an object"},
        {"{\"count\": 1}", ".config[0].input[0]: an entry of FuzzConfigIterator needs \"fuzz\""},
        {"{\"fuzz\": \"unary\"}", "needs \"count\""},
        {"{\"fuzz\": \"unary\", \"count\": -1}",
         ".count: \"count\" must be a whole number of 0 or more"},
        {"{\"fuzz\": \"unary\", \"count\": 1, \"seed\": \"a\"}",
         ".seed: \"seed\" must be a whole number"},
        {"{\"fuzz\": {\"tensors\": [{\"name\": \"x\"}]}, \"count\": 1}",
         ".input[0].fuzz.tensors[0]: the tensor has no \"size\""},
        {"{\"fuzz\": \"unary\", \"count\": 1, \"args\": [{\"type\": \"fuzz\"}]}",
         ".args[0]: an argument of type fuzz needs the \"name\""},
        {"{\"fuzz\": \"unary\", \"count\": 1, \"args\": [{\"type\": \"fuzz\", \"name\": \"z\"}]}",
         ".args[0]: the spec has no tensor or parameter \"z\""},
        {"{\"fuzz\": \"unary\", \"count\": 1, \"args\": [7]}",
         ".args[0]: an argument must be an object"},
        {"{\"fuzz\": {\"parameters\": [], \"tensors\": [{\"name\": \"x\", \"size\": [2], "
         "\"min_elements\": 3}]}, \"count\": 1}",
         ".input[0]: Failed to generate a set of valid parameters"},
        {"{\"fuzz\": \"unary\", \"count\": 1, \"args\": [{\"type\": \"tensr\"}]}",
         "unknown argument type \"tensr\""},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        CHECK(open_fuzz(ROWS[i].entry) == NULL);
        CHECK_HAS(messages, ROWS[i].message);
    }
}

int main(void)
{
    RUN(arguments);
    RUN(sparse_arguments);
    RUN(same_as_the_fuzzer);
    RUN(spec_file);
    RUN(refused);
    return ob_test_end();
}
