/* SPDX-License-Identifier: Apache-2.0
 *
 * Files read and written whole, the user's cache folder, and JSON from a file.
 */
#include "base/cache_folder.h"
#include "base/json_read.h"
#include "base/read_file.h"
#include "base/write_all.h"
#include "check.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/opbench_files_XXXXXX";
static char path[64];

static void write_bytes(size_t size)
{
    char *bytes = malloc(size + 1);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (char)('a' + i % 23);
    const int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    CHECK(ob__write_all(fd, bytes, size));
    close(fd);
    free(bytes);
}

/* At the ends of the blocks in which a file is read. */
static void reads_what_was_written(void)
{
    static const size_t SIZES[] = {0, 1, 65535, 65536, 65537, 131072, 200000};
    for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) {
        const size_t size = SIZES[i];
        ob_text text = {0};
        ob_err err;
        write_bytes(size);
        CHECK(ob_text_append_str(&text, "before"));
        CHECK_INT(ob__read_file(path, size + 6, &text, &err), OB_OK);
        CHECK_INT(text.size, size + 6);
        for (size_t k = 0; k < size && text.size == size + 6; k++)
            if (text.data[6 + k] != (char)('a' + k % 23)) {
                OB_TEST_FAIL("byte %zu of %zu", k, size);
                break;
            }
        ob_text_fini(&text);
        if (size == 0)
            continue;
        CHECK_INT(ob__read_file(path, size, &text, &err), OB_OK);
        ob_text_fini(&text);
        CHECK_INT(ob__read_file(path, size - 1, &text, &err), OB_ERR_LIMIT);
        char want[64];
        snprintf(want, sizeof want, "the file has more than %zu bytes", size - 1);
        CHECK_STR(err.message, want);
        CHECK_STR(err.file, path);
        ob_text_fini(&text);
    }
}

static void reads_standard_input(void)
{
    ob_text text = {0};
    ob_err err;
    write_bytes(5);
    CHECK(freopen(path, "r", stdin) != NULL);
    CHECK_INT(ob__read_file("-", 100, &text, &err), OB_OK);
    CHECK_INT(text.size, 5);
    CHECK(fgetc(stdin) == EOF && ferror(stdin) == 0); /* it is left open */
    CHECK_STR(ob__file_name("-"), "<stdin>");
    CHECK_STR(ob__file_name("-x"), "-x");
    ob_text_fini(&text);
}

static void says_what_cannot_be_read(void)
{
    ob_text text = {0};
    ob_err err;
    CHECK_INT(ob__read_file("/nonexistent/x", 9, &text, &err), OB_ERR_IO);
    CHECK_STR(err.message, "cannot be read: No such file or directory");
    CHECK_STR(err.file, "/nonexistent/x");
    CHECK_INT(ob__read_file(folder, 9, &text, &err), OB_ERR_IO);
    CHECK_STR(err.message, "cannot be read: Is a directory");
    ob_text_fini(&text);
    CHECK(!ob__write_all(-1, "x", 1));
    CHECK(ob__write_all(-1, "x", 0));
}

static void finds_the_cache(void)
{
    char out[64];
    CHECK_INT(setenv("XDG_CACHE_HOME", "/c", 1), 0);
    CHECK_INT(setenv("HOME", folder, 1), 0);
    CHECK(ob__cache_folder("x/y", out, sizeof out));
    CHECK_STR(out, "/c/opbench/x/y");
    CHECK(ob__cache_folder("x/y", out, sizeof "/c/opbench/x/y"));
    CHECK(!ob__cache_folder("x/y", out, sizeof "/c/opbench/x/y" - 1));
    /* One that is no full path is none. */
    char want[64];
    snprintf(want, sizeof want, "%s/.cache/opbench/x", folder);
    CHECK_INT(setenv("XDG_CACHE_HOME", "c", 1), 0);
    CHECK(ob__cache_folder("x", out, sizeof out));
    CHECK_STR(out, want);
    CHECK_INT(unsetenv("XDG_CACHE_HOME"), 0);
    CHECK(ob__cache_folder("x", out, sizeof out));
    CHECK_STR(out, want);
    CHECK_INT(setenv("HOME", "/nonexistent", 1), 0);
    CHECK(!ob__cache_folder("x", out, sizeof out));
    CHECK_INT(setenv("HOME", ".", 1), 0);
    CHECK(!ob__cache_folder("x", out, sizeof out));
    CHECK_INT(unsetenv("HOME"), 0);
    CHECK(!ob__cache_folder("x", out, sizeof out));
}

static void makes_parents(void)
{
    char deep[96], want[96];
    struct stat st;
    snprintf(deep, sizeof deep, "%s/a/b/c", folder);
    CHECK(ob__make_parents(deep));
    CHECK(ob__make_parents(deep)); /* they are there already */
    CHECK(access(deep, F_OK) != 0);
    snprintf(want, sizeof want, "%s/a/b", folder);
    CHECK(stat(want, &st) == 0 && S_ISDIR(st.st_mode));
    CHECK_INT(st.st_mode & 0777, 0700);
    write_bytes(1);
    snprintf(deep, sizeof deep, "%s/d/e", path);
    CHECK(!ob__make_parents(deep));
    snprintf(want, sizeof want, "%s/d", path);
    CHECK_STR(deep, want); /* where it ended */
    snprintf(want, sizeof want, "%s/a/b", folder);
    CHECK_INT(rmdir(want), 0);
    snprintf(want, sizeof want, "%s/a", folder);
    CHECK_INT(rmdir(want), 0);
}

static void reads_json(void)
{
    ob_json_file file;
    ob_err err;
    char buffer[8];
    size_t got = 9;
    CHECK_INT(ob__json_file_open(&file, "/nonexistent/x", &err), OB_ERR_IO);
    CHECK_STR(err.file, "/nonexistent/x");
    write_bytes(10);
    CHECK_INT(ob__json_file_open(&file, path, &err), OB_OK);
    CHECK_INT(ob__json_file_fill(&file, buffer, sizeof buffer, &got, &err), OB_OK);
    CHECK_INT(got, 8);
    CHECK_INT(ob__json_file_fill(&file, buffer, sizeof buffer, &got, &err), OB_OK);
    CHECK_INT(got, 2);
    CHECK_INT(memcmp(buffer, "ij", 2), 0);
    CHECK_INT(ob__json_file_fill(&file, buffer, sizeof buffer, &got, &err), OB_OK);
    CHECK_INT(got, 0);
    const int fd = file.descriptor;
    ob__json_file_close(&file);
    CHECK_INT(file.descriptor, -1);
    CHECK_INT(fcntl(fd, F_GETFD), -1);
    ob__json_file_close(&file);
}

int main(void)
{
    CHECK(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/file", folder);
    RUN(reads_what_was_written);
    RUN(reads_standard_input);
    RUN(says_what_cannot_be_read);
    RUN(finds_the_cache);
    RUN(makes_parents);
    RUN(reads_json);
    unlink(path);
    CHECK_INT(rmdir(folder), 0);
    return ob_test_end();
}
