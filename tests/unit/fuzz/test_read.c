/* SPDX-License-Identifier: Apache-2.0
 *
 * Specs in JSON: all the forms that are read, the place and words of every error, presets.
 */
#include "check.h"
#include "opbench/fuzz.h"

#include <stdlib.h>

static ob_err err;

static ob_fuzzer *open_spec(const char *text)
{
    ob_fuzzer *fuzzer;
    ob_err_clear(&err);
    ob_fuzzer_open_memory("s.json", text, strlen(text), NULL, &fuzzer, &err);
    return fuzzer;
}

/* params and tensors of draw 0. Consumes the fuzzer. */
static const char *first_draw(ob_fuzzer *fuzzer)
{
    static char out[4096];
    const ob_fuzz_draw *draw;
    ob_text text = {0};
    snprintf(out, sizeof out, "%s", err.message);
    if (fuzzer != NULL && ob_fuzzer_draw(fuzzer, 0, &draw, &err) == OB_OK &&
        ob_fuzz_draw_print(fuzzer, draw, &text, &err) == OB_OK) {
        snprintf(out, sizeof out, "%.*s", (int)text.size, text.data);
        char *tail = strstr(out, ", \"attempts\"");
        if (tail != NULL)
            *tail = '\0';
    }
    ob_text_fini(&text);
    ob_fuzzer_destroy(fuzzer);
    return out + (strncmp(out, "{\"index\": 0, ", 13) == 0 ? 13 : 0);
}

#define FIXED(name, value)                                                                         \
    "{\"name\": \"" name "\", \"min\": " value ", \"max\": " value                                 \
    ", \"distribution\": \"uniform\"}"

static void forms(void)
{
    /* Lists, lists within lists, objects; short names of the bounds; every kind of choice. */
    CHECK_STR(first_draw(open_spec("{\"parameters\": [" FIXED("a", "1") ", [" FIXED(
                  "b", "2") ", {\"name\": \"c\", \"distribution\": [[null, 1]]}]]}")),
              "\"params\": {\"a\": 1, \"b\": 2, \"c\": null}, \"tensors\": {}");
    /* More of them in one list than the outer one has items. */
    static const char MANY[] =
        "{\"parameters\": [[" FIXED("a", "1") ", " FIXED("b", "2") ", " FIXED("c", "3") ", " FIXED(
            "d", "4") ", " FIXED("e", "5") ", " FIXED("f", "6") "]]}";
    CHECK_STR(first_draw(open_spec(MANY)),
              "\"params\": {\"a\": 1, \"b\": 2, \"c\": 3, \"d\": 4, \"e\": 5, \"f\": 6}, "
              "\"tensors\": {}");
    CHECK_STR(
        first_draw(open_spec(
            "{\"parameters\": {\"a\": {\"distribution\": {\"1\": 1}}, "
            "\"b\": {\"distribution\": {\"0.5\": 1}}, "
            "\"c\": {\"distribution\": {\"true\": 1}}, \"d\": {\"distribution\": {\"x y\": 1}}, "
            "\"e\": {\"distribution\": {\"null\": 1}}, \"f\": {\"distribution\": [[\"1\", 1]]}, "
            "\"g\": {\"alias\": \"f\"}, \"h\": {\"distribution\": {\"alias\": \"a\"}}, "
            "\"i\": {\"distribution\": [[{\"alias\": \"g\"}, 1]]}}}")),
        "\"params\": {\"a\": 1, \"b\": 0.5, \"c\": true, \"d\": \"x y\", \"e\": null, "
        "\"f\": \"1\", \"g\": \"1\", \"h\": 1, \"i\": \"1\"}, \"tensors\": {}");
    CHECK_STR(first_draw(open_spec("{\"minval\": 7, \"maxval\": 7, \"distribution\": "
                                   "\"loguniform\"}")),
              "\"params\": {\"p\": 7}, \"tensors\": {}");
}

static void tensors(void)
{
    /* As we write them, and as Python shows the original's. */
    static const char *const FORMS[] = {
        "{\"name\": \"x\", \"size\": [\"a\", 3], \"steps\": [2], \"probability_contiguous\": 1, "
        "\"max_elements\": 6, \"dtype\": \"int8\"}",
        "{\"name\": \"x\", \"size\": \"('a', 3)\", \"steps\": \"(2,)\", "
        "\"probability_contiguous\": \"1.0\", \"max_elements\": \"6\", \"dtype\": \"torch.int8\"}"};
    for (size_t i = 0; i < 2; i++) {
        char text[512];
        snprintf(text, sizeof text, "{\"parameters\": [%s], \"tensors\": [%s]}", FIXED("a", "2"),
                 FORMS[i]);
        CHECK_STR(first_draw(open_spec(text)),
                  "\"params\": {\"a\": 2}, \"tensors\": {\"x\": {\"size\": [2, 3], "
                  "\"strides\": [6, 1], \"steps\": [2, 1], \"order\": [0, 1], \"numel\": 6, "
                  "\"is_contiguous\": false, \"allocation_bytes\": 12, "
                  "\"dtype\": \"torch.int8\"}}");
    }
    CHECK_STR(first_draw(open_spec("{\"tensors\": {\"x\": {\"size\": [4, 2], \"sparse_dim\": 1, "
                                   "\"density\": 0.5, \"coalesced\": false}}}")),
              "\"params\": {}, \"tensors\": {\"x\": {\"size\": [4, 2], \"shape\": [4, 2], "
              "\"numel\": 8, \"nnz\": 4, \"is_coalesced\": false, \"density\": 0.5, "
              "\"sparsity\": 0.5, \"sparse_dim\": 1, \"dense_dim\": 1, \"is_hybrid\": true, "
              "\"dtype\": \"torch.float32\"}}");
    CHECK_STR(first_draw(open_spec("{\"tensors\": [{\"name\": \"x\", \"size\": []}]}")),
              "\"params\": {}, \"tensors\": {\"x\": {\"size\": [], \"strides\": [], \"steps\": [], "
              "\"order\": [], \"numel\": 1, \"is_contiguous\": true, \"allocation_bytes\": 4, "
              "\"dtype\": \"torch.float32\"}}");
}

static void seeds(void)
{
    const char *text = "{\"minval\": 0, \"maxval\": 1, \"distribution\": \"uniform\"}";
    const char *seeded = "{\"parameters\": [{\"name\": \"p\", \"minval\": 0, \"maxval\": 1, "
                         "\"distribution\": \"uniform\"}], \"seed\": 11}";
    ob_fuzzer *fuzzer = open_spec(text);
    const uint64_t five = 5;
    CHECK_INT(ob_fuzzer_seed(fuzzer), 0);
    ob_fuzzer_destroy(fuzzer);
    fuzzer = open_spec(seeded);
    CHECK_INT(ob_fuzzer_seed(fuzzer), 11);
    ob_fuzzer_destroy(fuzzer);
    CHECK_INT(ob_fuzzer_open_memory("s", seeded, strlen(seeded), &five, &fuzzer, &err), OB_OK);
    CHECK_INT(ob_fuzzer_seed(fuzzer), 5);
    ob_fuzzer_destroy(fuzzer);
}

#define PARAMETER(text) "{\"parameters\": [{\"name\": \"a\", " text "}]}"
#define TENSOR(text)                                                                               \
    "{\"parameters\": [" FIXED("a", "2") "], \"tensors\": [{\"name\": \"x\", " text "}]}"
#define CHOICES(text) PARAMETER("\"distribution\": " text)

static void refused(void)
{
    static const struct {
        const char *text, *path, *message;
    } ROWS[] = {
        {"[]", ".", "a spec must be an object, not a list"},
        {"{}", ".", "the spec has neither parameters nor tensors"},
        {"{\"parametres\": []}", ".parametres",
         "unknown key \"parametres\"; did you mean \"parameters\"?"},
        {"{\"parameters\": 3}", ".parameters", "\"parameters\" must be a list"},
        {"{\"parameters\": [3]}", ".parameters[0]", "a parameter must be an object"},
        {"{\"parameters\": [{\"distribution\": \"uniform\"}]}", ".parameters[0]", "no \"name\""},
        {PARAMETER("\"minval\": 1"), ".parameters[0]", "the parameter has no distribution"},
        {PARAMETER("\"mival\": 1"), ".parameters[0].mival", "did you mean \"minval\"?"},
        {CHOICES("\"normal\""), ".parameters[0].distribution", "unknown distribution"},
        {CHOICES("\"uniform\""), ".parameters[0]", "needs minval and maxval"},
        {PARAMETER("\"minval\": \"1\", \"maxval\": 2, \"distribution\": \"uniform\""),
         ".parameters[0].minval", "\"minval\" must be a number"},
        {PARAMETER("\"minval\": 3, \"maxval\": 2, \"distribution\": \"uniform\""), ".parameters[0]",
         "low >= high"},
        {PARAMETER("\"minval\": 0, \"maxval\": 2, \"distribution\": \"loguniform\""),
         ".parameters[0]", "needs a minval above 0"},
        {PARAMETER("\"minval\": 1, \"maxval\": 1e30, \"distribution\": \"loguniform\""),
         ".parameters[0]", "below 2^63"},
        {PARAMETER("\"minval\": 1, \"distribution\": [[1, 1]]"), ".parameters[0]",
         "choices have no minval and maxval"},
        {PARAMETER("\"strict\": 1, \"distribution\": [[1, 1]]"), ".parameters[0].strict",
         "\"strict\" must be true or false"},
        {CHOICES("[]"), ".parameters[0]", "has 0 choices"},
        {CHOICES("[[1]]"), ".parameters[0].distribution[0]", "a pair [value, probability]"},
        {CHOICES("[[1, \"1\"]]"), ".parameters[0].distribution[0][1]",
         "a probability must be a number"},
        {CHOICES("[[[2], 1]]"), ".parameters[0].distribution[0][0]", "a choice must be a number"},
        {CHOICES("[[1, 0.5], [2, 0.4]]"), ".parameters[0]", "sum to 0.9, not 1"},
        {CHOICES("[[1, 1.5], [2, -0.5]]"), ".parameters[0]", "Probabilities cannot be negative"},
        {CHOICES("[[{\"alias\": \"b\"}, 1]]"), ".parameters[0]", "there is no parameter \"b\""},
        {"{\"parameters\": [" FIXED("a", "1") "], \"tensors\": [{\"name\": \"a\", \"size\": [1]}]}",
         ".tensors[0]", "Duplicate names in parameters and tensors: \"a\""},
        {"{\"tensors\": [{\"name\": \"x\", \"size\": [1]}, {\"name\": \"x\", \"size\": [1]}]}",
         ".tensors[1]", "two tensors are called \"x\""},
        {TENSOR("\"dtype\": \"int8\""), ".tensors[0]", "the tensor has no \"size\""},
        {TENSOR("\"size\": [\"b\"]"), ".tensors[0]", "there is no parameter \"b\""},
        {TENSOR("\"size\": \"a\""), ".tensors[0].size", "a list of names and numbers"},
        {TENSOR("\"size\": [null]"), ".tensors[0].size[0]", "is null"},
        {TENSOR("\"size\": [[1]]"), ".tensors[0].size[0]", "names of parameters and literals"},
        {TENSOR("\"size\": [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]"), ".tensors[0].size",
         "more than 16 elements"},
        {TENSOR("\"size\": \"(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)\""), ".tensors[0].size",
         "more than 16 elements"},
        {TENSOR("\"size\": [1], \"dtype\": \"float17\""), ".tensors[0]", "unknown dtype 'float17'"},
        {TENSOR("\"size\": [1], \"dtype\": 3"), ".tensors[0].dtype", "the name of a dtype"},
        {TENSOR("\"size\": [1], \"max_elements\": 0"), ".tensors[0].max_elements",
         "a whole number of 1 or more,"},
        {TENSOR("\"size\": [1], \"probability_contiguous\": 2"), ".tensors[0]", "give 0 to 1"},
        {TENSOR("\"size\": [1], \"tensor_constructor\": \"f\""), ".tensors[0].tensor_constructor",
         "unknown key"},
        {TENSOR("\"size\": [1], \"sparse\": true"), ".tensors[0]", "needs a density or an nnz"},
        {TENSOR("\"size\": [1], \"sparse\": false, \"nnz\": 1"), ".tensors[0]",
         "are only for sparse tensors"},
        {"{\"parameters\": [" FIXED("a", "1") "], \"constraints\": [\"a > 0\", \"a >\"]}",
         ".constraints[1]", "character 4: a number, a parameter or '(' is missing"},
        {"{\"parameters\": [" FIXED("a", "1") "], \"constraints\": [1]}", ".constraints[0]",
         "a constraint must be a string"},
        {"{\"parameters\": [" FIXED("a", "1") "], \"seed\": -1}", ".seed",
         "a whole number of 0 or more"},
        {"{\"preset\": \"unray\"}", ".", "there is no preset 'unray', did you mean unary"},
        {"{\"preset\": \"unary\", \"probability_regular\": 1}", ".",
         "is only for the preset spectral"},
        {"{\"preset\": \"unary\", \"parameters\": []}", ".parameters", "unknown key"},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        CHECK(open_spec(ROWS[i].text) == NULL);
        CHECK_HAS(err.message, ROWS[i].message);
        CHECK_STR(err.path, ROWS[i].path);
        CHECK_STR(err.file, "s.json");
        CHECK_INT(err.line, 1);
    }
}

/* What only a draw can find out. */
static void refused_by_the_draw(void)
{
    static const struct {
        const char *text, *message;
    } ROWS[] = {
        {"{\"parameters\": [{\"name\": \"a\", \"distribution\": [[\"x\", 1]]}], "
         "\"tensors\": [{\"name\": \"x\", \"size\": [\"a\"]}]}",
         "size, parameter a is a str; give it whole numbers"},
        {TENSOR("\"size\": [-1]"), "element 0 of size is -1; it must be 0 or more"},
        {TENSOR("\"size\": [1], \"steps\": [0]"), "element 0 of steps is 0; it must be 1 or more"},
        {TENSOR("\"size\": [1], \"dim_parameter\": 17"), "has 17 dimensions; give 0 to 16"},
        {TENSOR("\"size\": [1], \"density\": 1.5"), "the density must be a number from 0 to 1"},
        {TENSOR("\"size\": [3], \"nnz\": 4"), "Failed to generate a set of valid parameters"},
        {TENSOR("\"size\": [\"a\"], \"min_elements\": 3"), "Failed to generate"},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        ob_fuzzer *fuzzer = open_spec(ROWS[i].text);
        const ob_fuzz_draw *draw;
        CHECK_STR(err.message, "");
        CHECK(ob_fuzzer_draw(fuzzer, 0, &draw, &err) != OB_OK);
        CHECK_HAS(err.message, ROWS[i].message);
        ob_fuzzer_destroy(fuzzer);
    }
}

static void presets(void)
{
    size_t count = 0;
    for (const ob_fuzz_preset_info *info; (info = ob_fuzz_preset_at(count)) != NULL; count++) {
        const ob_fuzz_preset_params params = {
            .size = sizeof params, .name = info->torch_name, .dtype = "float64"};
        ob_fuzzer *fuzzer;
        const ob_fuzz_draw *draw;
        CHECK(ob_fuzz_preset_find(info->name) == info);
        CHECK(ob_fuzz_preset_find(info->torch_name) == info);
        CHECK_INT(ob_fuzzer_open_preset(&params, 1, &fuzzer, &err), OB_OK);
        CHECK_INT(ob_fuzzer_draw(fuzzer, 0, &draw, &err), OB_OK);
        CHECK_INT(draw->tensors[0].dtype, OB_DTYPE_F64);
        CHECK_INT(draw->tensor_count, strstr(info->name, "binary") != NULL ? 2 : 1);
        ob_fuzzer_destroy(fuzzer);
    }
    CHECK_INT(count, 5);
    CHECK(ob_fuzz_preset_find("ternary") == NULL);
    CHECK_HAS(
        first_draw(open_spec("{\"preset\": \"binary\", \"dtype\": \"float16\", \"seed\": 3}")),
        "\"dtype\": \"torch.float16\"}, \"y\"");
}

int main(void)
{
    RUN(forms);
    RUN(tensors);
    RUN(seeds);
    RUN(refused);
    RUN(refused_by_the_draw);
    RUN(presets);
    return ob_test_end();
}
