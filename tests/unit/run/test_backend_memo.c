/* SPDX-License-Identifier: Apache-2.0
 *
 * What is kept of opened backends: which files it depends on, and what makes it untrue.
 */
#include "check.h"
#include "run/backend_memo.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[64];

static const char *path_of(const char *name)
{
    static char path[2][160];
    static int turn;
    turn = !turn;
    snprintf(path[turn], sizeof path[turn], "%s/%s", dir, name);
    return path[turn];
}

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(path_of(name), "we");
    CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* Of a process that has two libraries, one of them in two pieces, and a file that is only read. */
static ob_text list_files(void)
{
    char maps[1024];
    ob_text files = {.data = NULL};
    write_file("liba.so", "a");
    write_file("libb.so", "b");
    write_file("data", "d");
    snprintf(maps, sizeof maps,
             "1000-2000 r-xp 00000000 08:01 1  %s/liba.so\n"
             "2000-3000 r-xp 00001000 08:01 1  %s/liba.so\n"
             "3000-4000 r--p 00000000 08:01 2  %s/data\n"
             "4000-5000 r-xp 00000000 08:01 3  %s/libb.so\n"
             "5000-6000 r-xp 00000000 08:01 4  %s/gone.so (deleted)\n"
             "6000-7000 r-xp 00000000 00:00 0  [vdso]\n",
             dir, dir, dir, dir, dir);
    write_file("maps", maps);
    CHECK(ob__mapped_files_append(path_of("maps"), &files));
    return files;
}

static size_t count(const ob_text *text, const char *what)
{
    size_t found = 0;
    for (const char *at = text->data, *end = at + text->size;
         (at = memmem(at, (size_t)(end - at), what, strlen(what))) != NULL; at++)
        found++;
    return found;
}

static void files_of_a_process(void)
{
    ob_text files = list_files();
    CHECK_INT(count(&files, "liba.so\t"), 1);
    CHECK_INT(count(&files, "libb.so\t"), 1);
    CHECK_INT(count(&files, "data"), 0);
    CHECK_INT(count(&files, "gone"), 0);
    CHECK(ob__mapped_files_unchanged(files.data, files.size));
    CHECK(!ob__mapped_files_unchanged(files.data, files.size - 1));
    CHECK(!ob__mapped_files_unchanged(files.data, 0));
    ob_text_fini(&files);
}

static void an_answer_is_kept(void)
{
    char text[64];
    ob_text files = list_files();
    CHECK(!ob__backend_recall(dir, "some", text, sizeof text, NULL));
    ob__backend_keep(dir, "some", "library 1.2", files.data, files.size);
    CHECK(ob__backend_recall(dir, "some", text, sizeof text, NULL));
    CHECK_STR(text, "library 1.2");
    CHECK(!ob__backend_recall(dir, "other", text, sizeof text, NULL));
    CHECK(!ob__backend_recall(dir, "../some", text, sizeof text, NULL));
    ob__backend_keep(dir, "two", "lines\nof text", files.data, files.size);
    CHECK(!ob__backend_recall(dir, "two", text, sizeof text, NULL));
    ob_text_fini(&files);
}

static void a_library_that_changes(void)
{
    char text[64];
    ob_text files = list_files();
    ob__backend_keep(dir, "some", "library 1.2", files.data, files.size);
    CHECK(ob__backend_recall(dir, "some", text, sizeof text, NULL));
    write_file("libb.so", "longer");
    CHECK(!ob__backend_recall(dir, "some", text, sizeof text, NULL));
    CHECK_INT(unlink(path_of("libb.so")), 0);
    CHECK(!ob__backend_recall(dir, "some", text, sizeof text, NULL));
    ob_text_fini(&files);
}

static void another_environment(void)
{
    char text[64];
    ob_text files = list_files();
    setenv("OPBENCH_SOME", "here", 1);
    ob__backend_keep(dir, "some", "library 1.2", files.data, files.size);
    CHECK(ob__backend_recall(dir, "some", text, sizeof text, NULL));
    setenv("UNRELATED", "x", 1);
    CHECK(ob__backend_recall(dir, "some", text, sizeof text, NULL));
    setenv("OPBENCH_SOME", "there", 1);
    CHECK(!ob__backend_recall(dir, "some", text, sizeof text, NULL));
    unsetenv("OPBENCH_SOME");
    ob_text_fini(&files);
}

static void files_that_are_not_ours(void)
{
    char text[64];
    ob_text files = list_files();
    ob__backend_keep(dir, "some", "library 1.2", files.data, files.size);
    CHECK_INT(chmod(path_of("some.txt"), 0666), 0);
    CHECK(!ob__backend_recall(dir, "some", text, sizeof text, NULL));
    write_file("foreign.txt", "somebody's notes\n");
    ob__backend_keep(dir, "foreign", "library 1.2", files.data, files.size);
    CHECK(!ob__backend_recall(dir, "foreign", text, sizeof text, NULL));
    ob_text_fini(&files);
}

int main(void)
{
    char clean[96];
    snprintf(dir, sizeof dir, "/tmp/opbench-memo-XXXXXX");
    CHECK(mkdtemp(dir) != NULL);
    RUN(files_of_a_process);
    RUN(an_answer_is_kept);
    RUN(a_library_that_changes);
    RUN(another_environment);
    RUN(files_that_are_not_ours);
    snprintf(clean, sizeof clean, "rm -r %s", dir);
    CHECK_INT(system(clean), 0);
    return ob_test_end();
}
