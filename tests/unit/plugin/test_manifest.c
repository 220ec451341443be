/* SPDX-License-Identifier: Apache-2.0
 *
 * Manifests of backends: what is read, what is refused and with which words, files in folders, and that a backend that has
 * one is listed with it though its plug-in is not there.
 */
#include "plugin_test.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define OPTION(more)                                                                               \
    "{\"name\": \"x\", \"help\": \"\", \"options\": [{\"name\": \"o\", \"help\": \"h\", "          \
    "\"commands\": [\"run\"]" more "}]}"
#define LIBRARY(keys) "{\"name\": \"x\", \"help\": \"\", \"library\": {" keys "}}"
#define LIBRARY_REST                                                                               \
    "\"package\": \"p\", \"option\": \"o\", \"value\": \"V\", \"help\": \"h\", \"header\": "       \
    "\"h.h\", "                                                                                    \
    "\"object\": \"l.so\", \"versions\": [\"h.h\"], \"macros\": \"V\", \"words\": [\"l::\"], "     \
    "\"includes\": [\"h.h\"], \"links\": [\"l\"]"
#define VARIANTS(list) "{\"name\": \"x\", \"help\": \"\", \"variants\": [" list "]}"
#define VARIANT "{\"name\": \"v\", \"help\": \"h\", \"options\": \"a=1\"}"
#define MODELS(keys)                                                                               \
    "{\"name\": \"x\", \"help\": \"\", \"models\": {\"runtime\": \"R\", \"end\": \".m\", " keys "}}"

static ob_manifests *open_empty(void)
{
    ob_manifests *manifests = NULL;
    ob_err err;
    CHECK_INT(ob_manifests_open("/nowhere", &manifests, &err), OB_OK);
    return manifests;
}

static void own(void)
{
    ob_manifests *manifests = open_empty();
    const ob_manifest *torch = ob_manifests_find(manifests, "torch");
    CHECK(torch != NULL && torch->replays);
    CHECK_STR(torch->runtimes, "pt pytorch");
    CHECK_STR(torch->libraries, "oneDNN OpenBLAS ATen oneMKL");
    CHECK_STR(torch->options[1].name, "torchscript");
    CHECK_STR(torch->options[1].commands, "run list");
    CHECK_STR(torch->variable, "OPBENCH_TORCH");
    CHECK_STR(torch->library->option, "torch");
    CHECK_STR(torch->library->links, "torch torch_cpu c10");
    CHECK_STR(torch->models->make, "import torch\n{model}\njit_model = torch.jit.script(model)");
    CHECK(ob_manifests_find(manifests, "native")->library == NULL);
    CHECK(ob_manifests_find(manifests, "native")->models == NULL);
    CHECK(ob_manifests_find(manifests, "native")->variable == NULL);
    CHECK(ob_manifests_find(manifests, "tor") == NULL);
    CHECK(ob_manifests_find(manifests, "torch:x") == torch);
    CHECK(ob_manifests_find(manifests, ":torch") == NULL);
    CHECK_INT(torch->variant_count, 0);
    const ob_manifest *python = ob_manifests_find(manifests, "python");
    CHECK_STR(python->variants[1].name, "compile");
    CHECK_STR(python->variants[1].options, "framework=torch,compile=default");
    for (size_t i = 1; i < ob_manifests_count(manifests); i++)
        CHECK(strcmp(ob_manifests_at(manifests, i - 1)->name, ob_manifests_at(manifests, i)->name) <
              0);
    CHECK(ob_manifest_has("a bc d", "bc"));
    CHECK(!ob_manifest_has("a bc d", "b"));
    CHECK(!ob_manifest_has("", ""));
    ob_manifests_destroy(manifests);
}

static void read_and_replaced(void)
{
    static const char FIRST[] = OPTION(", \"value\": \"N\", \"gives\": \"g\", \"later\": [1]");
    static const char SECOND[] = "{\"name\": \"x\", \"help\": \"again\", \"needs\": \"that\"}";
    ob_manifests *manifests = open_empty();
    const size_t before = ob_manifests_count(manifests);
    ob_err err;
    CHECK_INT(ob_manifests_add(manifests, "f", FIRST, sizeof FIRST - 1, &err), OB_OK);
    CHECK_INT(ob_manifests_count(manifests), before + 1);
    const ob_manifest_option *option = ob_manifests_find(manifests, "x")->options;
    CHECK_STR(option->gives, "g");
    CHECK(option->variable == NULL && !option->is_file);
    CHECK_INT(ob_manifests_add(manifests, "f", SECOND, sizeof SECOND - 1, &err), OB_OK);
    CHECK_INT(ob_manifests_count(manifests), before + 1);
    CHECK_STR(ob_manifests_find(manifests, "x")->help, "again");
    CHECK_INT(ob_manifests_find(manifests, "x")->option_count, 0);
    ob_manifests_destroy(manifests);
}

static void refused(void)
{
    static const struct {
        const char *text, *reason;
    } rows[] = {
        {"", "text"},
        {"[]", "expected an object"},
        {"{\"help\": \"h\"}", "\"name\" is missing"},
        {"{\"name\": \"../x\", \"help\": \"h\"}", "a name may only have lower-case letters"},
        {"{\"name\": \"-x\", \"help\": \"h\"}", "a name may only have lower-case letters"},
        {"{\"name\": \"x\", \"help\": 5}", "a string of at most 600 bytes"},
        {"{\"name\": \"x\", \"help\": \"\\u001b[31m\"}", "a control character"},
        {"{\"name\": \"x\", \"help\": \"a\\u0000b\"}", "a string of at most 600 bytes"},
        {"{\"name\": \"x\", \"help\": \"h\", \"libraries\": \"a\"}", "a list of words"},
        {"{\"name\": \"x\", \"help\": \"h\", \"libraries\": [\"a b\"]}", "this is not a word"},
        {"{\"name\": \"x\", \"help\": \"h\", \"replays\": 1}", "true or false"},
        {"{\"name\": \"x\", \"help\": \"h\", \"variable\": \"PATH\"}",
         "variable must begin with OPBENCH_"},
        {"{\"name\": \"x\", \"help\": \"h\", \"options\": {}}", "a list of at most 32 options"},
        {"{\"name\": \"x\", \"help\": \"h\", \"variants\": {}}", "a list of at most 16 variants"},
        {VARIANTS("{\"name\": \"v\", \"help\": \"h\"}"), "\"options\" is missing"},
        {VARIANTS("{\"name\": \"a:b\", \"help\": \"h\", \"options\": \"\"}"),
         "a name may only have lower-case letters"},
        {VARIANTS(VARIANT ", " VARIANT), "two variants have this name"},
        {LIBRARY(""), "\"name\" is missing"},
        {LIBRARY("\"name\": \"l\", " LIBRARY_REST), "needs the \"variable\""},
        {LIBRARY("\"name\": \"l\", \"part_variable\": \"LD_PRELOAD\", " LIBRARY_REST),
         "variable must begin with OPBENCH_"},
        {MODELS("\"make\": [\"a\", 5]"), "a string of at most 600 bytes"},
        {MODELS("\"make\": \"a\""), "expected a list of lines"},
        {MODELS("\"make\": [\"\\n\"]"), "a control character"},
        {MODELS("\"make\": [\"a b\"]"), "\"python_setup\" is missing"},
        {OPTION(", \"value\": \"V\""), "either \"gives\" or \"variable\""},
        {OPTION(", \"value\": \"V\", \"gives\": \"a\", \"variable\": \"OPBENCH_A\""),
         "either \"gives\" or \"variable\""},
        {OPTION(", \"value\": \"V\", \"variable\": \"LD_PRELOAD\""),
         "variable must begin with OPBENCH_"},
        {OPTION(", \"gives\": \"a\""), "needs a \"value\", or is a flag"},
        {OPTION(", \"gives\": \"a\", \"value\": \"V\", \"sets\": \"b\""),
         "needs a \"value\", or is a flag"},
        {OPTION(", \"gives\": \"a\", \"writes\": \"/../../etc\""),
         "must be the end of a file name, without /"},
    };
    ob_manifests *manifests = open_empty();
    const size_t before = ob_manifests_count(manifests);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ob_err err;
        ob_err_clear(&err);
        CHECK(ob_manifests_add(manifests, "f", rows[i].text, strlen(rows[i].text), &err) != OB_OK);
        CHECK_HAS(err.message, rows[i].reason);
        CHECK_STR(err.file, "f");
    }
    CHECK_INT(ob_manifests_count(manifests), before);
    ob_manifests_destroy(manifests);
}

static void too_many(void)
{
    ob_manifests *manifests = open_empty();
    ob_status status = OB_OK;
    ob_err err;
    for (int i = 0; i < 200 && status == OB_OK; i++) {
        char text[64];
        snprintf(text, sizeof text, "{\"name\": \"m%d\", \"help\": \"\"}", i);
        status = ob_manifests_add(manifests, "f", text, strlen(text), &err);
    }
    CHECK_INT(status, OB_ERR_LIMIT);
    ob_manifests_destroy(manifests);
}

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "we");
    CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* A pipe does not hang, what is wrong is told with its place, and the rest is read. */
static void files(void)
{
    char folder[] = "/tmp/ob_manifest_XXXXXX", path[512];
    test_log log = {.count = 0};
    ob_context *context = test_context(&log);
    ob_err err;
    CHECK(mkdtemp(folder) != NULL);
    write_file(folder, "absent.backend.json",
               "{\"name\": \"absent\", \"help\": \"not there\", \"needs\": \"libabsent\"}");
    write_file(folder, "bad.backend.json", "{\"name\": \"bad\",\n \"help\": 5}");
    write_file(folder, "other.json", "{}");
    snprintf(path, sizeof path, "%s/pipe.backend.json", folder);
    CHECK_INT(mkfifo(path, 0600), 0);
    CHECK_INT(ob_plugin_discover(context, folder, &err), OB_OK);
    CHECK_HAS(log.text, "bad.backend.json");
    CHECK_HAS(log.text, "manifest not read: expected a string of at most 600 bytes");
    CHECK_HAS(log.text, "manifest not read: it is not a readable regular file;");
    CHECK(strstr(log.text, "other.json") == NULL);
    const ob_entry_info info = test_entry(context, OB_ENTRY_BACKEND, "absent");
    CHECK(!info.available);
    CHECK_STR(info.help, "not there");
    CHECK_HAS(info.reason, "there is no plug-in absent.so in ");
    CHECK_HAS(info.reason, "install libabsent and rebuild opbench");
    ob_context_destroy(context);
    static const char *const names[] = {"absent.backend.json", "bad.backend.json", "other.json",
                                        "pipe.backend.json"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
}

/* The file of one of opbench's own is the last word again after another took its place. */
static void own_file_again(void)
{
    char folder[] = "/tmp/ob_manifest_XXXXXX", path[512];
    ob_manifests *manifests = open_empty();
    const ob__own_manifest *const first = &ob__own_manifests[0];
    char name[64], other[128];
    ob_err err;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(first->file, "."), first->file);
    const char *help = ob_manifests_find(manifests, name)->help;
    CHECK(ob__manifests_has_own(manifests, first->text, strlen(first->text)));
    CHECK(!ob__manifests_has_own(manifests, first->text, strlen(first->text) - 1));
    snprintf(other, sizeof other, "{\"name\": \"%s\", \"help\": \"another\"}", name);
    CHECK_INT(ob_manifests_add(manifests, "o", other, strlen(other), &err), OB_OK);
    CHECK_STR(ob_manifests_find(manifests, name)->help, "another");
    CHECK(mkdtemp(folder) != NULL);
    write_file(folder, first->file, first->text);
    CHECK_INT(ob__manifests_scan(manifests, folder, NULL, &err), OB_OK);
    CHECK_STR(ob_manifests_find(manifests, name)->help, help);
    ob_manifests_destroy(manifests);
    snprintf(path, sizeof path, "%s/%s", folder, first->file);
    unlink(path);
    rmdir(folder);
}

int main(void)
{
    RUN(own);
    RUN(own_file_again);
    RUN(read_and_replaced);
    RUN(refused);
    RUN(too_many);
    RUN(files);
    return ob_test_end();
}
