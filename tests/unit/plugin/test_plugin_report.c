/* SPDX-License-Identifier: Apache-2.0
 *
 * What a plug-in registers, told by a process that loaded it: all that listings and configs need is there, none of its code
 * is; it can be brought in later, where others already point to it; and nothing that is told is believed.
 */
#include "plugin_test.h"

#include "plugin/bring_in.h"
#include "plugin/plugin_report.h"

#define FIXTURE(name) OB_FIXTURE_DIR "/" name ".so"

static ob__plugin_record *know(ob_context *context, const char *path)
{
    ob_err err;
    CHECK_INT(ob__plugin_load(context, path, OB__PLUGIN_APART, &err), OB_OK);
    char *real_path = realpath(path, NULL);
    ob__plugin_record *record = ob__plugin_find_path(context, real_path);
    free(real_path);
    CHECK(record != NULL);
    return record;
}

static void test_known_and_brought_in(void)
{
    ob_context *context = test_context(NULL);
    ob_backend *backend;
    ob_err err;
    ob__plugin_record *record = know(context, FIXTURE("apart"));
    CHECK(record->only_known);
    const ob_backend_desc *desc = ob_context_find_backend(context, "apart");
    CHECK(desc != NULL);
    CHECK_STR(desc->help, "a fixture");
    CHECK_STR(desc->device_types, "cpu apart");
    CHECK_STR(desc->isa_limits, "APART_MAX_ISA=BASE");
    CHECK(desc->takes_sparse && !desc->asynchronous && !desc->has_autograd &&
          desc->schemas != NULL);
    CHECK(desc->sync == NULL && desc->probe == NULL && desc->options == NULL);
    CHECK_INT(desc->open(NULL, &backend, &err), OB_ERR_STATE);
    CHECK_STR(err.message,
              "the plug-in's code is not loaded in this process; open a session for it");
    CHECK_STR(test_entry(context, OB_ENTRY_PLUGIN, "apart").help,
              "version 2.5; backends apart; operators apart::same");
    CHECK(test_entry(context, OB_ENTRY_BACKEND, "apart").available);
    const ob_op *op = ob_op_table_find(ob_context_operators(context), "apart::same");
    CHECK(op != NULL);
    const ob_op_row *row = op->row;
    CHECK_STR(row->category, "fixture");
    CHECK_STR(row->names, "apart.same");
    CHECK_STR(row->decomposition, "result = neg(neg(self))");
    CHECK(row->derivative == NULL && row->shape == NULL);
    CHECK_STR(row->constraints[0].arg, "self");
    CHECK_INT(row->constraints[0].kind, OB_CONSTRAINT_POSITIVE);
    CHECK(row->constraints[1].arg == NULL);

    CHECK_INT(ob__plugins_bring_in(context, "apart", &err), OB_OK);
    CHECK(!record->only_known);
    CHECK(ob_context_find_backend(context, "apart") == desc && op->row == row);
    CHECK_INT(desc->open(NULL, &backend, &err), OB_OK);
    CHECK_STR(desc->options[0].name, "depth");
    CHECK_INT(ob__plugins_bring_in(context, "apart", &err), OB_OK); /* once is enough */
    ob_context_destroy(context);
}

static void test_says_no(void)
{
    ob_context *context = test_context(NULL);
    ob_err err;
    CHECK_INT(ob__plugin_load(context, FIXTURE("null_entry"), OB__PLUGIN_APART, &err),
              OB_ERR_UNSUPPORTED);
    CHECK_STR(err.message,
              "it does not work here: libfixture.so.3 is missing; install libfixture3");
    CHECK_INT(ob__plugin_load(context, FIXTURE("dies_in_probe"), OB__PLUGIN_APART, &err),
              OB_ERR_PLUGIN);
    CHECK_HAS(err.message, "it crashes when it is loaded (Segmentation fault)");
    CHECK_INT(ob__plugin_load(context, FIXTURE("missing_function"), OB__PLUGIN_APART, &err),
              OB_ERR_PLUGIN);
    CHECK_HAS(err.message, "backend 'no-run' lacks 'run'");
    CHECK_INT(ob_context_count(context, OB_ENTRY_BACKEND), 0);
    ob_context_destroy(context);
}

/* The file is another one when it is brought in. */
static void test_changed(void)
{
    char folder[64], path[128];
    test_folder(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/it.so", folder);
    test_shell("chmod 755 '%s' && cp " FIXTURE("older_struct") " '%s'", folder, path);
    ob_context *context = test_context(NULL);
    ob_backend *backend;
    ob_err err;
    ob__plugin_record *record = know(context, path);
    CHECK(record->only_known);
    test_shell("rm '%s' && cp " FIXTURE("apart") " '%s'", path, path);
    CHECK_INT(ob__plugins_bring_in(context, "older-backend", &err), OB_ERR_PLUGIN);
    CHECK_HAS(err.message, "plug-in 'older' just changed;");
    CHECK(record->only_known);
    const ob_backend_desc *desc = ob_context_find_backend(context, "older-backend");
    CHECK_INT(desc->open(NULL, &backend, &err), OB_ERR_STATE);
    ob_context_destroy(context);
    test_remove(folder);
}

#define HEAD "{\"name\": \"p\", \"version\": null, "
#define LISTS(backends, operators)                                                                 \
    "\"backends\": [" backends "], \"operators\": [" operators                                     \
    "], \"generators\": [], \"iterators\": []}"
#define OPERATOR(schema, kind, constraints)                                                        \
    "{\"schema\": " schema ", \"tolerance.kind\": " kind                                           \
    ", \"tolerance.factor\": 1, \"constraints\": " constraints "}"

static const struct {
    const char *text;
    const char *reason; /* part of it; NULL = it is taken */
} REPORTS[] = {
    {HEAD LISTS("", ""), NULL},
    {HEAD LISTS("", OPERATOR("\"p::o(Tensor a) -> Tensor\"", "0", "[]")), NULL},
    {"", "gave a malformed report"},
    {"null", "(\"plug-in\": no object)"},
    {HEAD "\"backends\": 7}", "(\"backends\": not a list, or too long)"},
    {"{\"name\": \"two words\", " LISTS("", ""), "the byte 0x20"},
    {"{\"name\": null, " LISTS("", ""), "plug-in"},
    {"{\"name\": \"a\\u0000b\", " LISTS("", ""), "(\"name\": no text)"},
    {"{\"name\": \"a\\u0007b\", " LISTS("", ""), "(\"name\": a control character)"},
    {HEAD LISTS("{}", ""), "(\"has_autograd\": neither true nor false)"},
    {HEAD LISTS("", OPERATOR("null", "0", "[]")), "(\"schema\": missing from a row)"},
    {HEAD LISTS("", OPERATOR("\"no schema\"", "0", "[]")), "cannot be read"},
    {HEAD LISTS("", OPERATOR("\"p::o(Tensr a) -> Tensor\"", "0", "[]")), "unknown type 'Tensr'"},
    {HEAD LISTS("", OPERATOR("\"aten::neg(Tensor a) -> Tensor\"", "0", "[]")), "aten::neg"},
    {HEAD LISTS("", OPERATOR("\"p::o(Tensor a) -> Tensor\"", "99", "[]")),
     "(\"tolerance.kind\": not a valid number)"},
    {HEAD LISTS("", OPERATOR("\"p::o(Tensor a) -> Tensor\"", "1.5", "[]")),
     "(\"tolerance.kind\": not a valid number)"},
    {HEAD LISTS("",
                OPERATOR("\"p::o(Tensor a) -> Tensor\"", "0", "[{\"arg\": \"a\", \"kind\": -1}]")),
     "(\"kind\": not a valid number)"},
    {HEAD LISTS("", OPERATOR("\"p::o(Tensor a) -> Tensor\"", "0", "{}")),
     "(\"constraints\": not a list, or too long)"},
};

static void test_nothing_is_believed(void)
{
    for (size_t i = 0; i < sizeof REPORTS / sizeof *REPORTS; i++) {
        ob_context *context = test_context(NULL);
        const size_t operators = ob_context_count(context, OB_ENTRY_OPERATOR);
        const char *reason = REPORTS[i].reason;
        ob_err err;
        ob_err_clear(&err);
        const ob_status status = ob__plugin_report_read(context, "/p.so", REPORTS[i].text,
                                                        strlen(REPORTS[i].text), &err);
        CHECK_INT(status == OB_OK, reason == NULL);
        if (reason != NULL) {
            CHECK_HAS(err.message, reason);
            CHECK_INT(ob_context_count(context, OB_ENTRY_OPERATOR), operators);
            CHECK_INT(ob_context_count(context, OB_ENTRY_PLUGIN), 0);
        }
        ob_context_destroy(context);
    }
}

/* Lists and texts without an end in sight. */
static void test_too_much(void)
{
    ob_context *context = test_context(NULL);
    ob_text text = {0};
    ob_err err;
    CHECK(ob_text_append_str(&text, HEAD "\"backends\": ["));
    for (int i = 0; i < 10001; i++)
        CHECK(ob_text_append_str(&text, i > 0 ? ", {}" : "{}"));
    CHECK(ob_text_append_str(&text, "]}"));
    CHECK_INT(ob__plugin_report_read(context, "/p.so", text.data, text.size, &err), OB_ERR_PLUGIN);
    CHECK_HAS(err.message, "(\"backends\": not a list, or too long)");
    text.size = 0;
    CHECK(ob_text_printf(&text, "{\"name\": \"%05000d\"}", 0));
    CHECK_INT(ob__plugin_report_read(context, "/p.so", text.data, text.size, &err), OB_ERR_PLUGIN);
    CHECK_HAS(err.message, "(\"name\": too long)");
    ob_text_fini(&text);
    ob_context_destroy(context);
}

int main(void)
{
    umask(022);
    RUN(test_known_and_brought_in);
    RUN(test_says_no);
    RUN(test_changed);
    RUN(test_nothing_is_believed);
    RUN(test_too_much);
    return ob_test_end();
}
