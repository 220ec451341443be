/* SPDX-License-Identifier: Apache-2.0
 *
 * Loading and discovering plug-in files: every refusal with its words, that refused files are
 * remembered and leave nothing behind, older and newer structs, rights on files and folders.
 */
#include "plugin_test.h"

#include <float.h>

#define FIXTURE(name) OB_FIXTURE_DIR "/" name ".so"

static void test_good(void)
{
    ob_context *context = test_context(NULL);
    ob_err err;
    CHECK_INT(ob_plugin_load(context, FIXTURE("good"), &err), OB_OK);
    CHECK(ob_context_find_backend(context, "good-backend") != NULL);
    CHECK(ob_context_find_generator(context, "GoodGenerator") != NULL);
    CHECK(ob_context_find_iterator(context, "GoodIterator") != NULL);
    CHECK(ob_op_table_find(ob_context_operators(context), "good::op.over") != NULL);
    CHECK_STR(test_entry(context, OB_ENTRY_OPERATOR, "good::op.over").origin, "good");
    const ob_entry_info info = test_entry(context, OB_ENTRY_PLUGIN, "good");
    CHECK(info.available);
    CHECK_STR(info.help, "version 0.7; backends good-backend; operators good::op.over; generators "
                         "GoodGenerator; iterators GoodIterator");
    CHECK_STR(info.version, "0.7");
    CHECK_STR(info.names, "");
    CHECK_HAS(info.origin, "/fixtures/good.so");

    /* The same file again, also by another way: nothing happens. */
    CHECK_INT(ob_plugin_load(context, OB_FIXTURE_DIR "/../fixtures/./good.so", &err), OB_OK);
    CHECK_INT(ob_context_count(context, OB_ENTRY_PLUGIN), 1);
    CHECK_INT(ob_context_count(context, OB_ENTRY_BACKEND), 1);
    /* Another context has its own registry. */
    ob_context *second = test_context(NULL);
    CHECK_INT(ob_context_count(second, OB_ENTRY_BACKEND), 0);
    CHECK_INT(ob_plugin_load(second, FIXTURE("good"), &err), OB_OK);
    ob_context_destroy(second);
    ob_context_destroy(context);
}

static void test_plugin_of_the_manual(void)
{
    ob_context *context = test_context(NULL);
    ob_err err;
    CHECK_INT(ob_plugin_load(context, FIXTURE("manual"), &err), OB_OK);
    CHECK_STR(test_entry(context, OB_ENTRY_PLUGIN, "mine").help, "version 1.0");
    ob_context_destroy(context);
}

static const struct {
    const char *name;   /* of the fixture */
    const char *reason; /* part of the message */
} REFUSALS[] = {
    {"wrong_magic", "its struct begins with 0x12345678 instead of 0x4f42504c"},
    {"wrong_abi", "it was built for plug-in ABI 999, but this opbench has ABI 2; rebuild it"},
    {"no_sizes", "it does not say how large its structs are; start the struct with OB_PLUGIN_HEAD"},
    {"no_symbol", "it does not export 'ob_plugin_entry', so it is not an opbench plug-in"},
    {"null_entry", "it does not work here: libfixture.so.3 is missing; install libfixture3"},
    {"null_silent", "it does not work here: it does not say why"},
    {"duplicate_name", "a plug-in called 'good' already exists ("},
    {"duplicate_entry", "the generator 'GoodGenerator' already exists (good); rename one"},
    {"missing_function", "backend 'no-run' lacks 'run'"},
    {"undefined_symbol", "it cannot be opened: undefined symbol: fixture_nobody_has_this; a "
                         "plug-in calls opbench through the host's table"},
    {"unknown_type",
     "the schema 'bad::third(Tensor self, Tensr[]? others) -> Tensor' has the unknown "
     "type 'Tensr'; did you mean 'Tensor'?"},
    {"dies_in_constructor",
     "it crashes when it is loaded (Aborted); rebuild it, or remove the file"},
    {"dies_in_entry", "it ends the process when it is loaded (exit code 3); rebuild it"},
    {"dies_in_probe", "it crashes when it is loaded (Segmentation fault); rebuild it"},
    {"bad_schema", "the schema 'bad::second(Tensor self -> Tensor' cannot be read (column "},
};
enum { REFUSAL_COUNT = sizeof REFUSALS / sizeof REFUSALS[0] };

static void test_refusals(void)
{
    ob_context *context = test_context(NULL);
    ob_err err;
    CHECK_INT(ob_plugin_load(context, FIXTURE("good"), &err), OB_OK);
    size_t counts[OB_ENTRY_PLUGIN];
    for (int kind = 0; kind < OB_ENTRY_PLUGIN; kind++)
        counts[kind] = ob_context_count(context, (ob_entry_kind)kind);
    for (size_t i = 0; i < REFUSAL_COUNT; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s.so", OB_FIXTURE_DIR, REFUSALS[i].name);
        const bool says_no = strncmp(REFUSALS[i].name, "null_", 5) == 0; /* by its own word */
        CHECK_INT(ob_plugin_load(context, path, &err),
                  says_no ? OB_ERR_UNSUPPORTED : OB_ERR_PLUGIN);
        CHECK_INT(err.code, says_no ? OB_ERR_UNSUPPORTED : OB_ERR_PLUGIN);
        CHECK_HAS(err.message, REFUSALS[i].reason);
        CHECK_HAS(err.file, REFUSALS[i].name);
        const ob_entry_info info = test_entry(context, OB_ENTRY_PLUGIN, REFUSALS[i].name);
        CHECK(!info.available);
        CHECK_STR(info.reason, err.message);
        CHECK_STR(info.origin, err.file);
        for (int kind = 0; kind < OB_ENTRY_PLUGIN; kind++)
            CHECK_INT(ob_context_count(context, (ob_entry_kind)kind), counts[kind]);
    }
    CHECK_INT(ob_context_count(context, OB_ENTRY_PLUGIN), 1 + REFUSAL_COUNT);
    CHECK(ob_context_find_iterator(context, "NewIterator") == NULL);
    CHECK(ob_op_table_find(ob_context_operators(context), "bad::first") == NULL);
    /* Tried again: the same answer, and still one line in the listing. */
    CHECK_INT(ob_plugin_load(context, FIXTURE("wrong_abi"), NULL), OB_ERR_PLUGIN);
    CHECK_INT(ob_context_count(context, OB_ENTRY_PLUGIN), 1 + REFUSAL_COUNT);
    ob_context_destroy(context);
}

static void test_other_sizes(void)
{
    ob_context *context = test_context(NULL);
    ob_err err;
    CHECK_INT(ob_plugin_load(context, FIXTURE("older_struct"), &err), OB_OK);
    const ob_backend_desc *desc = ob_context_find_backend(context, "older-backend");
    CHECK(desc != NULL && desc->run != NULL);
    CHECK(desc != NULL && desc->clock_ns == NULL); /* not a field of its header */
    CHECK_INT(ob_context_count(context, OB_ENTRY_ITERATOR), 0);
    CHECK_INT(ob_plugin_load(context, FIXTURE("newer_struct"), &err), OB_OK);
    CHECK(test_entry(context, OB_ENTRY_PLUGIN, "newer").available);
    ob_context_destroy(context);
}

static void test_files_that_are_none(void)
{
    char folder[64], path[128];
    test_folder(folder, sizeof folder);
    ob_context *context = test_context(NULL);
    ob_err err;
    snprintf(path, sizeof path, "%s/text.so", folder);
    test_shell("printf 'this is a text and no library at all, is it? %%0100d' 0 > '%s' # %s", path,
               "");
    CHECK_INT(ob_plugin_load(context, path, &err), OB_ERR_PLUGIN);
    CHECK_STR(err.message, "it cannot be opened: invalid ELF header; it is not a shared object; "
                           "rebuild it, or remove the file");
    snprintf(path, sizeof path, "%s/empty.so", folder);
    test_shell("touch '%s' # %s", path, "");
    CHECK_INT(ob_plugin_load(context, path, &err), OB_ERR_PLUGIN);
    CHECK_STR(err.message, "it cannot be opened: file too short; the file is cut off or empty; "
                           "rebuild it, or remove the file");
    snprintf(path, sizeof path, "%s/folder.so", folder);
    test_shell("mkdir '%s' # %s", path, "");
    CHECK_INT(ob_plugin_load(context, path, &err), OB_ERR_PLUGIN);
    CHECK_STR(err.message, "it is not a regular file; name the shared object");
    CHECK_INT(ob_context_count(context, OB_ENTRY_PLUGIN), 3);
    snprintf(path, sizeof path, "%s/missing.so", folder);
    CHECK_INT(ob_plugin_load(context, path, &err), OB_ERR_PLUGIN);
    CHECK_STR(err.message,
              "the plug-in cannot be found: No such file or directory; check the path");
    CHECK_STR(err.file, path);
    CHECK_INT(ob_context_count(context, OB_ENTRY_PLUGIN), 3);
    ob_context_destroy(context);
    test_remove(folder);
}

/* Copies good.so into folder/plug (as a new file: the one before may be loaded), sets the rights,
 * and gives the reason ("" when it loads). */
static void load_with_rights(const char *folder, mode_t folder_mode, mode_t plug_mode,
                             mode_t file_mode, char *reason, size_t size)
{
    char plug[128], file[160];
    snprintf(plug, sizeof plug, "%s/plug", folder);
    snprintf(file, sizeof file, "%s/good.so", plug);
    test_shell("mkdir -p '%s' && cp --remove-destination " FIXTURE("good") " '%s'", plug, file);
    CHECK_INT(chmod(folder, folder_mode) | chmod(plug, plug_mode) | chmod(file, file_mode), 0);
    ob_context *context = test_context(NULL);
    ob_err err;
    ob_err_clear(&err);
    ob_plugin_load(context, file, &err);
    snprintf(reason, size, "%s", err.message);
    CHECK_INT(ob_context_count(context, OB_ENTRY_BACKEND), reason[0] == '\0' ? 1 : 0);
    ob_context_destroy(context);
    /* A search, which goes the way to the folder once for all files, comes to the same end. */
    context = test_context(NULL);
    CHECK_INT(ob_plugin_discover(context, plug, &err), OB_OK);
    CHECK_INT(ob_context_entry(context, OB_ENTRY_PLUGIN, 0).available, reason[0] == '\0');
    CHECK_HAS(ob_context_entry(context, OB_ENTRY_PLUGIN, 0).reason, reason);
    ob_context_destroy(context);
}

static void test_rights(void)
{
    char folder[64], reason[800], want[400];
    test_folder(folder, sizeof folder);
    load_with_rights(folder, 0755, 0755, 0644, reason, sizeof reason);
    CHECK_STR(reason, "");
    load_with_rights(folder, 0755, 0755, 0666, reason, sizeof reason);
    snprintf(want, sizeof want,
             "every user of this machine may write to the file %s/plug/good.so, and so change what "
             "runs; remove that right: chmod o-w '%s/plug/good.so'",
             folder, folder);
    CHECK_STR(reason, want);
    snprintf(want, sizeof want, "every user of this machine may write to the directory %s/plug, ",
             folder);
    load_with_rights(folder, 0755, 0777, 0644, reason, sizeof reason);
    CHECK_HAS(reason, want);
    /* The sticky bit protects what stands in a folder, but not from new files. */
    load_with_rights(folder, 0755, 01777, 0644, reason, sizeof reason);
    CHECK_HAS(reason, want);
    /* Further up it is enough. */
    load_with_rights(folder, 01777, 0755, 0644, reason, sizeof reason);
    CHECK_STR(reason, "");
    snprintf(want, sizeof want, "every user of this machine may write to the directory %s, ",
             folder);
    load_with_rights(folder, 0777, 0755, 0644, reason, sizeof reason);
    CHECK_HAS(reason, want);
    /* The user's own group. */
    load_with_rights(folder, 0755, 0775, 0664, reason, sizeof reason);
    CHECK_STR(reason, "");
    test_remove(folder);
}

static void test_links(void)
{
    char folder[64], path[128];
    test_folder(folder, sizeof folder);
    load_with_rights(folder, 0755, 0777, 0644, path, sizeof path);
    snprintf(path, sizeof path, "%s/link.so", folder);
    test_shell("ln -s plug/good.so '%s' # %s", path, "");
    ob_context *context = test_context(NULL);
    ob_err err;
    /* What counts is where the file is, not where the link is. */
    CHECK_INT(ob_plugin_load(context, path, &err), OB_ERR_PLUGIN);
    CHECK_HAS(err.message, "/plug, and so change what runs; remove");
    /* Repaired, it loads, and its line in the listing is repaired too. */
    test_shell("chmod o-w '%s/plug' # %s", folder, "");
    CHECK_INT(ob_plugin_load(context, path, &err), OB_OK);
    CHECK_INT(ob_context_count(context, OB_ENTRY_PLUGIN), 1);
    CHECK(ob_context_entry(context, OB_ENTRY_PLUGIN, 0).available);
    CHECK_STR(ob_context_entry(context, OB_ENTRY_PLUGIN, 0).reason, "");
    CHECK_STR(ob_context_entry(context, OB_ENTRY_PLUGIN, 0).name, "good");
    ob_context_destroy(context);
    test_remove(folder);
}

static void test_owner(void)
{
    char folder[64], path[128];
    if (geteuid() != 0) {
        printf("test_owner: needs root to give files away; left out\n");
        return;
    }
    test_folder(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/good.so", folder);
    test_shell("chmod 755 '%s' && cp " FIXTURE("good") " '%s'", folder, path);
    test_log log = {.count = 0};
    ob_context *context = test_context(&log);
    ob_err err;
    /* As root: with a warning, where nobody but the owner can write. */
    CHECK_INT(chown(path, 12345, 12345) | chmod(path, 0775), 0);
    CHECK_INT(ob_plugin_load(context, path, &err), OB_ERR_PLUGIN);
    CHECK_HAS(err.message, "group 12345 may write to the file /tmp/opbench-plugin-test-");
    CHECK_INT(chmod(path, 0757), 0);
    CHECK_INT(ob_plugin_load(context, path, &err), OB_ERR_PLUGIN);
    CHECK_HAS(err.message, "every user of this machine may write to the file");
    CHECK_INT(chown(path, 0, 0) | chmod(path, 0755) | chown(folder, 12345, 12345), 0);
    CHECK_INT(chmod(folder, 0775), 0);
    CHECK_INT(ob_plugin_load(context, path, &err), OB_ERR_PLUGIN);
    CHECK_HAS(err.message, "group 12345 may write to the directory");
    CHECK_INT(log.count, 0);
    CHECK_INT(chmod(folder, 0755), 0);
    CHECK_INT(ob_plugin_load(context, path, &err), OB_OK);
    CHECK_INT(log.count, 1);
    CHECK_HAS(log.text, "good.so: warning: the plug-in belongs to user 12345, whose code now runs "
                        "as root; opbench loads");
    ob_context_destroy(context);
    context = test_context(NULL);
    CHECK_INT(chown(path, 0, 0), 0);
    /* As that user: the own folder and root's file are fine, a strange group is not. */
    CHECK_INT(chown(folder, 12345, 777) | chmod(folder, 0775) | seteuid(12345), 0);
    CHECK_INT(ob_plugin_load(context, path, &err), OB_ERR_PLUGIN);
    CHECK_HAS(err.message, "group 777 may write to the directory");
    CHECK_INT(chmod(folder, 0755), 0);
    CHECK_INT(ob_plugin_load(context, path, &err), OB_OK);
    CHECK_INT(seteuid(0), 0);
    ob_context_destroy(context);
    test_remove(folder);
}

/* Another user's file below a folder that a group may write to. */
static void test_loose_folder(void)
{
    char folder[64], path[128];
    if (geteuid() != 0) {
        printf("test_loose_folder: needs root to give files away; left out\n");
        return;
    }
    test_folder(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/in/good.so", folder);
    test_shell("mkdir -m 755 '%s/in' && cp " FIXTURE("good") " '%s'", folder, path);
    CHECK_INT(chown(folder, 12345, 12345) | chmod(folder, 0775), 0);
    ob_context *context = test_context(NULL);
    ob_err err;
    CHECK_INT(chown(path, 12345, 12345), 0);
    CHECK_INT(ob_plugin_load(context, path, &err), OB_ERR_PLUGIN);
    CHECK_HAS(err.message, "it belongs to another user, and a group may write to the "
                           "directory /tmp/opbench-plugin-test-");
    CHECK_INT(chmod(folder, 0755), 0);
    CHECK_INT(ob_plugin_load(context, path, &err), OB_OK);
    ob_context_destroy(context);
    test_remove(folder);
}

static void test_floating_point_environment(void)
{
    ob_context *context = test_context(NULL);
    ob_err err;
    volatile double tiny = DBL_MIN;
    CHECK(tiny / 4 > 0);
    CHECK_INT(ob_plugin_load(context, FIXTURE("fast_math"), &err), OB_OK);
    CHECK(tiny / 4 > 0);
    ob_context_destroy(context);
}

static void test_discover(void)
{
    char first[64], second[64], variable[512];
    test_folder(first, sizeof first);
    test_folder(second, sizeof second);
    test_shell("cp " FIXTURE("good") " '%s/b.so'; cp " FIXTURE("older_struct") " '%s/a.so'", first,
               first);
    test_shell(
        "cp " FIXTURE("wrong_abi") " '%s/c.so'; cp " FIXTURE("newer_struct") " '%s/.hidden.so'",
        first, first);
    test_shell("touch '%s/notes.txt' '%s/.so' ", first, first);
    test_shell("ln -s '%s/b.so' '%s/again.so'", first, second);
    test_shell("ln -s '%s/c.so' '%s/again2.so'", first, second);
    test_shell("cp " FIXTURE("newer_struct") " '%s/z.so' # %s", second, "");
    snprintf(variable, sizeof variable, ":%s::/no/such/place:%s:", first, first);
    setenv("OPBENCH_PLUGIN_PATH", variable, 1);

    test_log log = {.count = 0};
    ob_context *context = test_context(&log);
    ob_err err;
    CHECK_INT(ob_plugin_discover(context, second, &err), OB_OK);
    static const char *const names[] = {"older", "good", "c", "newer"};
    CHECK_INT(ob_context_count(context, OB_ENTRY_PLUGIN), 4);
    for (size_t i = 0; i < 4; i++)
        CHECK_STR(ob_context_entry(context, OB_ENTRY_PLUGIN, i).name, names[i]);
    CHECK_INT(log.count, 2);
    char want[1024];
    snprintf(want, sizeof want,
             "%s/c.so: warning: plug-in not loaded: it was built for plug-in ABI 999, but this "
             "opbench has ABI 2; rebuild it against this opbench's headers\n"
             "warning: the plug-in directory /no/such/place cannot be read: No such file or "
             "directory; correct $OPBENCH_PLUGIN_PATH\n",
             first);
    CHECK_STR(log.text, want);

    /* Once more: nothing new, nothing said twice but the directory. */
    CHECK_INT(ob_plugin_discover(context, second, &err), OB_OK);
    CHECK_INT(ob_context_count(context, OB_ENTRY_PLUGIN), 4);
    CHECK_INT(log.count, 3);

    /* What is neither a directory nor a plug-in. */
    log = (test_log){.count = 0};
    setenv("OPBENCH_PLUGIN_PATH", "/dev/null", 1);
    CHECK_INT(ob_plugin_discover(context, second, &err), OB_OK);
    CHECK_STR(log.text, "warning: /dev/null is not a directory; name the directory that "
                        "holds it in $OPBENCH_PLUGIN_PATH\n");
    ob_context_destroy(context);

    /* A file is taken alone, without those beside it. */
    memset(&log, 0, sizeof log);
    context = test_context(&log);
    setenv("OPBENCH_PLUGIN_PATH", FIXTURE("good"), 1);
    CHECK_INT(ob_plugin_discover(context, "/no/such/place", &err), OB_OK);
    CHECK_INT(log.count, 0);
    CHECK_INT(ob_context_count(context, OB_ENTRY_PLUGIN), 1);
    CHECK_STR(ob_context_entry(context, OB_ENTRY_PLUGIN, 0).name, "good");
    ob_context_destroy(context);

    /* A library directory that is not there is no fault: nothing may be installed. */
    unsetenv("OPBENCH_PLUGIN_PATH");
    memset(&log, 0, sizeof log);
    context = test_context(&log);
    CHECK_INT(ob_plugin_discover(context, "/no/such/place", &err), OB_OK);
    CHECK_INT(log.count, 0);
    /* Nor is an empty one. */
    setenv("OPBENCH_PLUGIN_PATH", first, 1);
    test_shell("rm '%s'/*.so '%s'/.*.so", first, first);
    CHECK_INT(ob_plugin_discover(context, "/no/such/place", &err), OB_OK);
    CHECK_INT(log.count, 0);
    unsetenv("OPBENCH_PLUGIN_PATH");
    ob_context_destroy(context);
    test_remove(first);
    test_remove(second);
}

int main(void)
{
    umask(022);
    RUN(test_good);
    RUN(test_plugin_of_the_manual);
    RUN(test_refusals);
    RUN(test_other_sizes);
    RUN(test_files_that_are_none);
    RUN(test_rights);
    RUN(test_links);
    RUN(test_owner);
    RUN(test_loose_folder);
    RUN(test_floating_point_environment);
    RUN(test_discover);
    return ob_test_end();
}
