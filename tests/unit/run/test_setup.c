/* SPDX-License-Identifier: Apache-2.0
 *
 * Making a case ready on the null backend: what it holds, and how a case that cannot be is refused.
 */
#include "run_test.h"

#include "run/known_size.h"
#include "run/setup.h"

#define TENSOR(shape) "{\"type\": \"tensor\", \"dtype\": \"float\", \"shape\": " shape "}"
#define ADD(arguments) "{" TEST_OPERATOR("torch.add", "{\"args\": [" arguments "]}") "}"

static ob_context *context;

static uint64_t known(const char *text)
{
    ob_json_doc *doc;
    ob_err err;
    CHECK_INT(ob_json_parse("test", text, strlen(text), NULL, &doc, &err), OB_OK);
    const uint64_t bytes = ob__known_bytes(ob_json_doc_root(doc));
    ob_json_doc_destroy(doc);
    return bytes;
}

static void sizes_are_known_from_the_entry(void)
{
    CHECK_INT(ob__known_bytes(NULL), 0);
    CHECK_INT(known("{}"), 0);
    CHECK_INT(known("[1, \"x\", null, {\"type\": \"int\", \"value\": 9}]"), 0);
    CHECK_INT(known(TENSOR("[]")), 4);
    CHECK_INT(known(TENSOR("[3, 5]")), 60);
    CHECK_INT(known(TENSOR("[3, 0, 5]")), 0);
    CHECK_INT(known("{\"dtype\": \"double\", \"shape\": [3, 5]}"), 120);
    CHECK_INT(known("{\"dtype\": \"double\", \"shape\": [3, 5], \"strides\": [100, 1]}"), 1640);
    CHECK_INT(known("{\"args\": [" TENSOR("[10]") "], \"kwargs\": {\"a\": " TENSOR("[1]") "}}"),
              44);
    CHECK_INT(known("[[[" TENSOR("[10]") "], " TENSOR("[1]") "]]"), 44);
}

static void what_is_no_tensor_counts_as_nothing(void)
{
    CHECK_INT(known("{\"dtype\": \"no_such\", \"shape\": [3]}"), 0);
    CHECK_INT(known("{\"dtype\": 7, \"shape\": [3]}"), 0);
    CHECK_INT(known(TENSOR("[-1]")), 0);
    CHECK_INT(known(TENSOR("[1.5]")), 0);
    CHECK_INT(known(TENSOR("\"x\"")), 0);
    CHECK_INT(known(TENSOR("[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
                           "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]")),
              0);
}

static void sums_do_not_wrap(void)
{
    CHECK(known(TENSOR("[4294967296, 4294967296, 4294967296]")) == UINT64_MAX);
    CHECK(known(TENSOR("[9223372036854775807]")) == UINT64_MAX);
    CHECK(known("[" TENSOR("[2000000000000000000]") "," TENSOR("[2000000000000000000]") "," TENSOR(
              "[2000000000000000000]") "]") == UINT64_MAX);
}

/* Sets up the first case. */
static ob_status make(const char *text, uint64_t max_memory_bytes, ob_err *err,
                      void (*look)(const ob_setup *))
{
    ob_config *config = run_config(context, text);
    const ob_backend_desc *desc = ob_context_find_backend(context, "null");
    char options[256] = {0};
    CHECK(desc->options_size <= sizeof options);
    CHECK_INT(ob_options_init(desc->options, options, err), OB_OK);
    const ob_backend_settings settings = {.host = ob_host_get(),
                                          .device = {.type = "cpu", .index = -1},
                                          .threads = 1,
                                          .options = options};
    ob_backend *backend;
    ob_cases *cases;
    const ob_case *c;
    ob_setup setup;
    CHECK_INT(desc->open(&settings, &backend, err), OB_OK);
    CHECK_INT(ob_cases_open(config, NULL, &cases, err), OB_OK);
    CHECK_INT(ob_cases_next(cases, &c, err), OB_OK);
    const ob_setup_args args = {.context = context,
                                .c = c,
                                .desc = desc,
                                .backend = backend,
                                .device = settings.device,
                                .max_memory_bytes = max_memory_bytes};
    const ob_status status = ob__setup_make(&args, &setup, err);
    if (status == OB_OK && look != NULL)
        look(&setup);
    ob__setup_fini(&setup);
    ob__setup_fini(&setup); /* once more does no harm, also after a failure */
    ob_cases_close(cases);
    desc->close(backend);
    ob_config_destroy(config);
    return status;
}

static void look_at_add(const ob_setup *setup)
{
    CHECK_INT(setup->input_count, 2);
    CHECK_INT(setup->parameter_count, 0);
    CHECK(setup->prepared != NULL);
    CHECK(!setup->has_backward);
    CHECK(!setup->writes_inputs);
    CHECK_INT(setup->known_bytes, 24 + 12 + 24);
    CHECK_REAL(setup->cost.flops, 6);
}

static void a_case_is_made_ready(void)
{
    ob_err err;
    CHECK_INT(make(ADD(TENSOR("[2, 3]") ", " TENSOR("[3]")), 0, &err, look_at_add), OB_OK);
}

static void look_at_writes(const ob_setup *setup)
{
    CHECK(setup->writes_inputs);
}

static void an_operator_in_place_writes_its_input(void)
{
    ob_err err;
    CHECK_INT(make("{" TEST_OPERATOR("aten::add_.Tensor", TEST_PAIR) "}", 0, &err, look_at_writes),
              OB_OK);
}

static void wrong_cases_say_what_is_wrong(void)
{
    ob_err err;
    CHECK_INT(make(ADD(TENSOR("[4]")), 0, &err, NULL), OB_ERR_INVALID);
    CHECK_HAS(err.message, "argument 'other'");
    CHECK_INT(make(ADD(TENSOR("[4]") ", " TENSOR("[3]")), 0, &err, NULL), OB_ERR_INVALID);
    CHECK_HAS(err.message, "self is [4] and other is [3]");
    CHECK_INT(make("{" TEST_OPERATOR("torch.no_such", TEST_PAIR) "}", 0, &err, NULL),
              OB_ERR_NOT_FOUND);
    CHECK_HAS(err.message, "aten::no_such");
}

static void too_large_is_refused_before_it_is_made(void)
{
    ob_err err;
    const char *large = ADD(TENSOR("[1099511627776]") ", " TENSOR("[1]"));
    CHECK_INT(make(large, 1 << 20, &err, NULL), OB_ERR_LIMIT);
    CHECK_STR(err.message, "the case needs at least 4194304.0 MiB, but the limit is 1.0 MiB; use "
                           "smaller shapes or a larger --max-memory");
    /* 1 KiB each, 256 KiB together in the result. */
    const char *broadcast = ADD(TENSOR("[256, 1]") ", " TENSOR("[1, 256]"));
    CHECK_INT(make(broadcast, 256 << 10, &err, NULL), OB_ERR_LIMIT);
    CHECK_INT(make(broadcast, 258 << 10, &err, NULL), OB_OK);
}

int main(void)
{
    ob_err err;
    context = run_context();
    if (ob_plugin_load(context, OB_BUILT_PLUGIN_DIR "/null.so", &err) != OB_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    RUN(sizes_are_known_from_the_entry);
    RUN(what_is_no_tensor_counts_as_nothing);
    RUN(sums_do_not_wrap);
    RUN(a_case_is_made_ready);
    RUN(an_operator_in_place_writes_its_input);
    RUN(wrong_cases_say_what_is_wrong);
    RUN(too_large_is_refused_before_it_is_made);
    ob_context_destroy(context);
    return ob_test_end();
}
