/* SPDX-License-Identifier: Apache-2.0
 *
 * The folder of compiled snippets: which one is taken, which is refused, and what of it is ever removed.
 */
#include "check.h"

#include "snippet/snippet_build.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static ob_arena arena;
static char home[] = "/tmp/opbench-cache-test-XXXXXX";

static const char *path_of(const char *name)
{
    static char paths[4][512];
    static size_t next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", home, name);
    return path;
}

static bool is_there(const char *name)
{
    struct stat st;
    return lstat(path_of(name), &st) == 0;
}

/* A file, so many days old. */
static void put(const char *name, int days)
{
    const int fd = open(path_of(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    const struct timespec then = {.tv_sec = time(NULL) - (time_t)days * 24 * 3600};
    CHECK(fd >= 0 && write(fd, "x", 1) == 1);
    CHECK_INT(futimens(fd, (const struct timespec[]){then, then}), 0);
    close(fd);
}

static const char *opened(const char *wanted)
{
    const char *dir = NULL;
    ob_err err = {.message = ""};
    CHECK_INT(ob__snippet_cache_open(&arena, wanted, &dir, &err), OB_OK);
    CHECK_STR(err.message, "");
    return dir;
}

/* One that is made is ours; one that was there gets ours inside. */
static void which_folder(void)
{
    CHECK_STR(opened(path_of("new/deep")), path_of("new/deep"));
    CHECK(is_there("new/deep/CACHEDIR.TAG"));
    CHECK_STR(opened(path_of("new/deep")), path_of("new/deep"));
    CHECK_INT(mkdir(path_of("old"), 0700), 0);
    CHECK_STR(opened(path_of("old")), path_of("old/opbench-snippets"));
    CHECK(!is_there("old/CACHEDIR.TAG"));
    CHECK(is_there("old/opbench-snippets/CACHEDIR.TAG"));
    /* A mark that is not ours is nobody's leave to remove files. */
    CHECK_INT(mkdir(path_of("other"), 0700), 0);
    put("other/CACHEDIR.TAG", 0);
    CHECK_STR(opened(path_of("other")), path_of("other/opbench-snippets"));
}

static void refused(void)
{
    const char *dir;
    ob_err err;
    CHECK_INT(ob__snippet_cache_open(&arena, "", &dir, &err), OB_ERR_INVALID);
    put("file", 0);
    CHECK_INT(ob__snippet_cache_open(&arena, path_of("file"), &dir, &err), OB_ERR_IO);
    CHECK_HAS(err.message, "is not a folder; give another with --cache-dir");
    CHECK_INT(mkdir(path_of("shared"), 0700), 0);
    CHECK_INT(chmod(path_of("shared"), 0750), 0);
    CHECK_INT(ob__snippet_cache_open(&arena, path_of("shared"), &dir, &err), OB_ERR_IO);
    CHECK_HAS(err.message, "others can write to it; fix that with chmod 700");
    CHECK_INT(symlink(path_of("new"), path_of("link")), 0);
    CHECK_INT(ob__snippet_cache_open(&arena, path_of("link"), &dir, &err), OB_ERR_IO);
}

#define DIGITS "0123456789abcdef0123456789abcdef"

/* What was not used for a month, if its name is one of ours and the folder is. */
static void removed(void)
{
    static const struct {
        const char *name;
        int days;
        bool stays;
    } ROWS[] = {
        {DIGITS ".so", 31, false},
        {DIGITS ".so.sum", 31, false},
        {DIGITS ".so", 29, true},
        {"0123456789abcdef.so", 99, true}, /* too short */
        {DIGITS "0.so", 99, true},         /* too long */
        {"0123456789ABCDEF0123456789abcdef.so", 99, true},
        {DIGITS ".so.c", 99, true},
        {"notes.txt", 99, true},
        {"torch_" DIGITS ".hpp.gch", 31, false},
        {"torch_" DIGITS ".hpp", 0, false}, /* nothing was made of it, and nobody makes it now */
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        char name[128];
        snprintf(name, sizeof name, "new/deep/%s", ROWS[i].name);
        put(name, ROWS[i].days);
        ob__snippet_cache_expire(path_of("new/deep"));
        if (is_there(name) != ROWS[i].stays)
            OB_TEST_FAIL("%s, %d days old: %d", ROWS[i].name, ROWS[i].days, is_there(name));
        unlink(path_of(name));
    }
    put("old/" DIGITS ".so", 99);
    ob__snippet_cache_expire(path_of("old"));
    CHECK(is_there("old/" DIGITS ".so"));
    /* Using one keeps it. */
    put("new/deep/" DIGITS ".so", 31);
    ob__snippet_cache_used(path_of("new/deep/" DIGITS ".so"));
    ob__snippet_cache_expire(path_of("new/deep"));
    CHECK(is_there("new/deep/" DIGITS ".so"));
}

static void hashes(void)
{
    char a[33], b[33];
    put("one", 0);
    put("two", 0);
    CHECK_INT(ob__hash_file(path_of("one"), a, NULL), OB_OK);
    CHECK_INT(ob__hash_file(path_of("two"), b, NULL), OB_OK);
    CHECK_STR(a, b);
    CHECK_INT(truncate(path_of("two"), 2), 0);
    CHECK_INT(ob__hash_file(path_of("two"), b, NULL), OB_OK);
    CHECK(strcmp(a, b) != 0);
    CHECK_INT(truncate(path_of("two"), 0), 0);
    CHECK_INT(ob__hash_file(path_of("two"), b, NULL), OB_ERR_IO);
    CHECK_INT(ob__hash_file(path_of("nothing"), b, NULL), OB_ERR_IO);
}

static void programs(void)
{
    const char *path = NULL;
    ob_err err;
    put("tool", 0);
    setenv("PATH", home, 1);
    CHECK_INT(ob__find_program(&arena, "tool", "the tool", "--tool FILE", &path, &err),
              OB_ERR_UNSUPPORTED);
    CHECK_STR(err.message, "Missing: tool, the tool, is not in PATH; install it, or name another "
                           "with --tool FILE");
    CHECK_INT(chmod(path_of("tool"), 0700), 0);
    CHECK_INT(ob__find_program(&arena, "tool", "the tool", "--tool FILE", &path, &err), OB_OK);
    CHECK_STR(path, path_of("tool"));
    CHECK_INT(ob__find_program(&arena, "./no/tool", "the tool", "--tool FILE", &path, &err),
              OB_ERR_UNSUPPORTED);
    CHECK_HAS(err.message, "Missing: cannot run ./no/tool, the tool: ");
    const ob_snippet_options options = {.size = sizeof options, .python = "./no/python"};
    CHECK_INT(ob__find_python(&arena, &options, &path, &err), OB_ERR_UNSUPPORTED);
    CHECK_HAS(err.message, "name another with --python PROGRAM");
}

static void put_program(const char *name)
{
    put(name, 0);
    CHECK_INT(chmod(path_of(name), 0700), 0);
}

static void pythons(void)
{
    const char *path = NULL;
    const ob_snippet_options none = {.size = sizeof none};
    const ob_snippet_options named = {.size = sizeof named, .python = "python9"};
    ob_err err;
    CHECK_INT(mkdir(path_of("path"), 0700), 0);
    CHECK_INT(mkdir(path_of("venv"), 0700), 0);
    CHECK_INT(mkdir(path_of("venv/bin"), 0700), 0);
    setenv("PATH", path_of("path"), 1);
    setenv("VIRTUAL_ENV", path_of("venv"), 1);
    CHECK_INT(ob__find_python(&arena, &none, &path, &err), OB_ERR_UNSUPPORTED);
    CHECK_STR(err.message, "Missing: python3, the interpreter, is not in PATH; install it, or name "
                           "another with --python PROGRAM");
    put_program("path/python3");
    put_program("path/python9");
    CHECK_INT(ob__find_python(&arena, &none, &path, &err), OB_OK);
    CHECK_STR(path, path_of("path/python3"));
    /* The active environment comes first, unless another is named. */
    put_program("venv/bin/python3");
    CHECK_INT(ob__find_python(&arena, &none, &path, &err), OB_OK);
    CHECK_STR(path, path_of("venv/bin/python3"));
    CHECK_INT(ob__find_python(&arena, &named, &path, &err), OB_OK);
    CHECK_STR(path, path_of("path/python9"));
    setenv("VIRTUAL_ENV", "", 1);
    CHECK_INT(ob__find_python(&arena, &none, &path, &err), OB_OK);
    CHECK_STR(path, path_of("path/python3"));
    unsetenv("VIRTUAL_ENV");
}

int main(void)
{
    char command[64];
    ob__arena_init(&arena, 0);
    CHECK(mkdtemp(home) != NULL);
    const char *const old_path = getenv("PATH");
    char *const kept = strdup(old_path != NULL ? old_path : "");
    RUN(which_folder);
    RUN(refused);
    RUN(removed);
    RUN(hashes);
    RUN(programs);
    RUN(pythons);
    setenv("PATH", kept, 1);
    free(kept);
    snprintf(command, sizeof command, "rm -rf %s", home);
    CHECK_INT(system(command), 0);
    ob__arena_fini(&arena);
    return ob_test_end();
}
