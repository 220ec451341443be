/* SPDX-License-Identifier: Apache-2.0
 *
 * A context as users get it: the core's parts are in it, plug-ins add to it, and a config that uses
 * an operator, a generator and an iterator of plug-ins expands to exactly the cases it describes.
 */
#include "check.h"

#include "opbench/config.h"

#include <stdlib.h>

static ob_entry_info find_entry(const ob_context *context, ob_entry_kind kind, const char *name)
{
    for (size_t i = 0; i < ob_context_count(context, kind); i++) {
        const ob_entry_info info = ob_context_entry(context, kind, i);
        if (strcmp(info.name, name) == 0)
            return info;
    }
    return ob_context_entry(context, kind, SIZE_MAX);
}

static ob_context *create(void)
{
    ob_context *context = NULL;
    ob_err err;
    if (ob_context_create(NULL, &context, &err) != OB_OK) {
        fprintf(stderr, "no context: %s\n", err.message);
        exit(1);
    }
    return context;
}

static void test_core(void)
{
    static const char *const iterators[] = {"DefaultConfigIterator", "RangeConfigIterator",
                                            "DummyConfigIterator"};
    ob_context *context = create();
    for (size_t i = 0; i < sizeof iterators / sizeof iterators[0]; i++) {
        CHECK(ob_context_find_iterator(context, iterators[i]) != NULL);
        CHECK_STR(find_entry(context, OB_ENTRY_ITERATOR, iterators[i]).origin, "built in");
    }
    CHECK(ob_context_find_generator(context, "PyTorch:DefaultDataGenerator") != NULL);
    CHECK_INT(ob_context_count(context, OB_ENTRY_PLUGIN), 0);
    CHECK_INT(ob_context_count(context, OB_ENTRY_BACKEND), 0);
    const ob_entry_info mm = find_entry(context, OB_ENTRY_OPERATOR, "aten::mm");
    CHECK_STR(mm.origin, "built in");
    CHECK_STR(mm.help, "aten::mm(Tensor self, Tensor mat2) -> Tensor");
    /* No row of the core may fail to load in a listing. */
    for (size_t i = 0; i < ob_context_count(context, OB_ENTRY_OPERATOR); i++)
        CHECK_STR(ob_context_entry(context, OB_ENTRY_OPERATOR, i).reason, "");
    ob_context_destroy(context);
}

/* A plug-in cannot take the name of a part of the core. */
static void test_core_names_are_taken(void)
{
    static const ob_op_row mm = {.schema = "aten::mm(Tensor self, Tensor mat2) -> Tensor"};
    ob_context *context = create();
    ob_err err;
    const ob_iterator_desc *iterator = ob_context_find_iterator(context, "RangeConfigIterator");
    CHECK_INT(ob_register_iterator(context, iterator, &err), OB_ERR_DUPLICATE);
    CHECK_STR(
        err.message,
        "the iterator 'RangeConfigIterator' already exists (built in); rename one of the two");
    CHECK_INT(ob_register_operator(context, &mm, &err), OB_ERR_DUPLICATE);
    CHECK_HAS(err.message, "aten::mm");
    ob_context_destroy(context);
}

typedef struct expected_case {
    const char *op_name, *id, *input;
} expected_case;

#define SOFTCLIP(size)                                                                             \
    "{\"args\": [{\"type\": \"tensor\", \"dtype\": \"float\", \"shape\": [" size                   \
    ", 64]}, {\"type\": \"float\", \"value\": 2.5}]}"
#define MM(block)                                                                                  \
    "{\"args\": [{\"type\": \"blocksparse_tensor\", \"dtype\": \"float\", \"shape\": [128, 64], "  \
    "\"block\": " block ", \"density\": 0.25}, {\"type\": \"blocksparse_tensor\", \"dtype\": "     \
    "\"float\", \"shape\": [64, 32], \"block\": 32, \"density\": 1.0}]}"

static const expected_case CASES[] = {
    {"my.softclip", "0|0|0_0", SOFTCLIP("8")},
    {"my.softclip", "0|0|0_1", SOFTCLIP("16")},
    {"my.softclip", "0|0|0_2", SOFTCLIP("32")},
    {"my.softclip", "0|0|0_3", SOFTCLIP("64")},
    {"my.softclip", "0|0|1_0",
     "{\"args\": [{\"type\": \"tensor\", \"dtype\": \"double\", \"shape\": [1048576]}]}"},
    {"torch.mm", "0|0|0_0", MM("16")},
    {"torch.mm", "0|0|0_1", MM("32")},
};
enum { CASE_COUNT = sizeof CASES / sizeof CASES[0] };

static void check_case(const ob_case *c, const expected_case *want)
{
    ob_err err;
    char *text = NULL;
    CHECK_STR(ob_case_op_name(c), want->op_name);
    CHECK_STR(ob_case_id(c), want->id);
    CHECK(ob_case_build(c) == NULL);
    CHECK_INT(ob_json_print(ob_case_input(c), &text, NULL, &err), OB_OK);
    CHECK_STR(text, want->input);
    free(text);
}

static void load_examples(ob_context *context)
{
    ob_err err;
    unsetenv("OPBENCH_PLUGIN_PATH");
    CHECK_INT(ob_plugin_discover(context, OB_EXAMPLE_DIR, &err), OB_OK);
    CHECK_INT(ob_context_count(context, OB_ENTRY_PLUGIN), 6);
}

static void test_config_with_plugins(void)
{
    ob_context *context = create();
    load_examples(context);
    ob_config *config = NULL;
    ob_cases *cases = NULL;
    const ob_case *c = NULL;
    ob_err err;
    ob_err_clear(&err);
    CHECK_INT(ob_config_open_file(context, OB_SOURCE_DIR "/examples/plugin/config.json", NULL,
                                  &config, &err),
              OB_OK);
    CHECK_STR(err.message, "");
    if (config == NULL)
        return;
    CHECK_INT(ob_config_case_count(config), CASE_COUNT);
    CHECK_INT(ob_cases_open(config, NULL, &cases, &err), OB_OK);
    for (size_t i = 0; i < CASE_COUNT; i++) {
        CHECK_INT(ob_cases_next(cases, &c, &err), OB_OK);
        check_case(c, &CASES[i]);
    }
    CHECK_INT(ob_cases_next(cases, &c, &err), OB_END);
    for (size_t i = CASE_COUNT; i-- > 0;) {
        CHECK_INT(ob_cases_seek(cases, i, &err), OB_OK);
        CHECK_INT(ob_cases_next(cases, &c, &err), OB_OK);
        check_case(c, &CASES[i]);
    }
    ob_cases_close(cases);
    ob_config_destroy(config);
    ob_context_destroy(context);
}

/* What a plug-in refuses is an error of the config, at the place that the plug-in names. */
static void refuse_config(const char *iterator, const char *generator, const char *entry,
                          uint32_t line, uint32_t column, const char *message)
{
    char text[1024];
    snprintf(text, sizeof text,
             "{\"torch.mm\": {\"input_iterator\": \"%s\", \"input_data_generator\": \"%s\",\n"
             "\"config\": [{\"input\": [\n%s\n]}]}}",
             iterator, generator, entry);
    ob_context *context = create();
    load_examples(context);
    ob_config *config = NULL;
    ob_err err;
    CHECK_INT(ob_config_open_memory(context, "mine.json", text, strlen(text), NULL, &config, &err),
              OB_ERR_CONFIG);
    CHECK_HAS(err.message, message);
    CHECK_INT(err.line, line);
    CHECK_INT(err.column, column);
    CHECK_STR(err.file, "mine.json");
    ob_config_destroy(config);
    ob_context_destroy(context);
}

static void test_config_errors(void)
{
    refuse_config("PowersOfTwoIterator", "PyTorch:DefaultDataGenerator", "{\"args\": []}", 3, 1,
                  "PowersOfTwoIterator needs \"power\"");
    refuse_config("DefaultConfigIterator", "BlockSparseDataGenerator",
                  "{\"args\": [{\"type\": \"blocksparse_tensor\", \"dtype\": \"float\", \"shape\": "
                  "[8, 6], \"block\": 4}]}",
                  3, 73, "\"block\" must divide both sizes");
    refuse_config("DefaultConfigIterator", "BlockSparseDataGenerator",
                  "{\"args\": [{\"type\": \"tensor\", \"dtype\": \"float\", \"shape\": [8]}]}", 3,
                  20, "tensor");
}

int main(void)
{
    RUN(test_core);
    RUN(test_core_names_are_taken);
    RUN(test_config_with_plugins);
    RUN(test_config_errors);
    return ob_test_end();
}
