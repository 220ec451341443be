/* SPDX-License-Identifier: Apache-2.0
 *
 * Writing files of records, and finding out from them what is done.
 */
#include "check.h"
#include "opbench/record.h"
#include "temp_file.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static ob_record named(const char *name)
{
    ob_record r;
    ob_record_init(&r, OB_RECORD_TRACE_LINE);
    r.trace_file = name;
    return r;
}

static void check_content(const char *path, const char *want)
{
    char *text = read_file(path);
    CHECK_STR(text, want);
    free(text);
}

static void modes(void)
{
    const temp_dir dir = temp_dir_make();
    char path[128];
    ob_result_file *file = NULL;
    ob_record r = named("a");
    temp_path(&dir, "out.json", path);
    write_file(path, "old\n");
    CHECK_INT(ob_result_file_open(
                  &(ob_result_file_params){.size = sizeof(ob_result_file_params), .path = path},
                  &file, NULL),
              OB_OK);
    CHECK_STR(ob_result_file_path(file), path);
    CHECK_INT(ob_result_file_append(file, &r, NULL), OB_OK);
    check_content(path, "{\"trace_file\": \"a\"}\n"); /* there at once */
    CHECK_INT(ob_result_file_append_line(file, "{}", 2, NULL), OB_OK);
    CHECK_INT(ob_result_file_append_line(file, "{\"b\": 1}\n", 9, NULL), OB_OK);
    CHECK_INT(ob_result_file_close(file, NULL), OB_OK);
    check_content(path, "{\"trace_file\": \"a\"}\n{}\n{\"b\": 1}\n");

    ob_result_file_params params = {.size = sizeof params, .path = path, .mode = OB_RESULT_APPEND};
    CHECK_INT(ob_result_file_open(&params, &file, NULL), OB_OK);
    CHECK_INT(ob_result_file_append_line(file, "{}", 2, NULL), OB_OK);
    CHECK_INT(ob_result_file_close(file, NULL), OB_OK);
    check_content(path, "{\"trace_file\": \"a\"}\n{}\n{\"b\": 1}\n{}\n");

    write_file(path, "\n{\"trace_file\": \"a\"}\n{\"torn");
    CHECK_INT(ob_result_file_open(&params, &file, NULL), OB_OK);
    CHECK_INT(ob_result_file_append_line(file, "{}", 2, NULL), OB_OK);
    CHECK_INT(ob_result_file_close(file, NULL), OB_OK);
    check_content(path, "\n{\"trace_file\": \"a\"}\n{}\n");

    /* A last line that lacks nothing but its end is kept. */
    write_file(path, "{\"trace_file\": \"a\"}\n{\"b\": 1}");
    CHECK_INT(ob_result_file_open(&params, &file, NULL), OB_OK);
    CHECK_INT(ob_result_file_append_line(file, "{}", 2, NULL), OB_OK);
    CHECK_INT(ob_result_file_close(file, NULL), OB_OK);
    check_content(path, "{\"trace_file\": \"a\"}\n{\"b\": 1}\n{}\n");

    /* Nothing is lost without being asked for; an empty file has nothing to lose. */
    params.mode = OB_RESULT_NEW;
    ob_err err;
    CHECK_INT(ob_result_file_open(&params, &file, &err), OB_ERR_INVALID);
    CHECK_STR(
        err.message,
        "already exists; --resume continues from it, --append adds to it, --force replaces it");
    check_content(path, "{\"trace_file\": \"a\"}\n{\"b\": 1}\n{}\n");
    write_file(path, "");
    CHECK_INT(ob_result_file_open(&params, &file, NULL), OB_OK);
    CHECK_INT(ob_result_file_append_line(file, "{}", 2, NULL), OB_OK);
    CHECK_INT(ob_result_file_close(file, NULL), OB_OK);
    check_content(path, "{}\n");

    write_file(path, "{\"trace_file\": \"a\"}\n{\"torn");
    params = (ob_result_file_params){
        .size = sizeof(ob_result_file_params), .path = path, .mode = OB_RESULT_RESUME};
    CHECK_INT(ob_result_file_open(&params, &file, NULL), OB_OK);
    check_content(path, "{\"trace_file\": \"a\"}\n{\"torn"); /* nothing is cut that was not read */
    ob_done *done = NULL;
    ob_done_file read = {.size = sizeof read};
    CHECK_INT(ob_done_create(&done, NULL), OB_OK);
    CHECK_INT(ob_done_read_locked(done, file, &read, NULL), OB_OK);
    CHECK(read.torn);
    CHECK_INT(read.cut_at, 20);
    CHECK_INT(read.read_bytes, 26);
    CHECK_INT(ob_result_file_cut(file, &read, NULL), OB_OK);
    CHECK_INT(ob_result_file_append_line(file, "{\"x\": 1}", 8, NULL), OB_OK);
    CHECK_INT(ob_result_file_close(file, NULL), OB_OK);
    check_content(path, "{\"trace_file\": \"a\"}\n{\"x\": 1}\n");
    ob_done_destroy(done);

    /* Other lines of JSON are added to when that is asked for. */
    write_file(path, "{}\n");
    params = (ob_result_file_params){
        .size = sizeof(ob_result_file_params), .path = path, .mode = OB_RESULT_APPEND};
    CHECK_INT(ob_result_file_open(&params, &file, NULL), OB_ERR_INVALID);
    params.any_lines = true;
    CHECK_INT(ob_result_file_open(&params, &file, NULL), OB_OK);
    CHECK_INT(ob_result_file_close(file, NULL), OB_OK);
    temp_dir_remove(&dir);
}

static void what_is_refused(void)
{
    const temp_dir dir = temp_dir_make();
    char path[128];
    ob_result_file *file = NULL, *second = NULL;
    ob_err err;
    CHECK_INT(ob_result_file_open(
                  &(ob_result_file_params){.size = sizeof(ob_result_file_params), .path = NULL},
                  &file, &err),
              OB_ERR_INVALID);
    CHECK_HAS(err.message, "needs a name or, unless it is resumed, a prefix");
    temp_path(&dir, "no/such/dir.json", path);
    CHECK_INT(ob_result_file_open(
                  &(ob_result_file_params){.size = sizeof(ob_result_file_params), .path = path},
                  &file, &err),
              OB_ERR_IO);
    CHECK_STR(err.file, path);
    CHECK_HAS(err.message, "cannot be written: No such file or directory; check the folder and its "
                           "permissions, or give another --output");
    temp_path(&dir, "no/prefix", path);
    CHECK_INT(ob_result_file_open(
                  &(ob_result_file_params){.size = sizeof(ob_result_file_params), .prefix = path},
                  &file, &err),
              OB_ERR_IO);
    CHECK_HAS(err.message, "or give another --output-prefix");
    CHECK_INT(ob_result_file_open(
                  &(ob_result_file_params){.size = sizeof(ob_result_file_params), .path = dir.path},
                  &file, &err),
              OB_ERR_IO);
    CHECK_HAS(err.message, "Is a directory");

    temp_path(&dir, "out.json", path);
    ob_result_file_params resume = {.size = sizeof resume, .path = path, .mode = OB_RESULT_RESUME};
    CHECK_INT(ob_result_file_open(&resume, &file, &err), OB_ERR_IO);
    CHECK_STR(
        err.message,
        "does not exist, so a run cannot continue from it; check the name, or leave out --resume");
    resume.path = "/dev/null";
    CHECK_INT(ob_result_file_open(&resume, &file, &err), OB_ERR_INVALID);
    CHECK_STR(err.message, "is not a regular file, so a run cannot continue from it");
    CHECK(file == NULL);
    write_file(path, "{\"trace_file\": \"a\"}\n");

    /* Two at once; the first one's content stays. */
    CHECK_INT(ob_result_file_open(&(ob_result_file_params){.size = sizeof(ob_result_file_params),
                                                           .path = path,
                                                           .mode = OB_RESULT_APPEND},
                                  &file, &err),
              OB_OK);
    CHECK_INT(ob_result_file_open(
                  &(ob_result_file_params){.size = sizeof(ob_result_file_params), .path = path},
                  &second, &err),
              OB_ERR_STATE);
    char told[128];
    snprintf(told, sizeof told,
             "another run (process %d) is writing to this file; --wait waits for it, or choose "
             "another name",
             (int)getpid());
    CHECK_STR(err.message, told);
    check_content(path, "{\"trace_file\": \"a\"}\n");

    CHECK_INT(ob_result_file_append_line(file, "", 0, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, "this text is empty");
    CHECK_INT(ob_result_file_append_line(file, "\n", 1, &err), OB_ERR_INVALID);
    CHECK_INT(ob_result_file_append_line(file, "{}\n{}\n", 6, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, "this text is several");
    ob_record bad = named("x");
    bad.kind = OB_RECORD_OTHER_LINE;
    CHECK_INT(ob_result_file_append(file, &bad, &err), OB_ERR_INVALID);
    check_content(path, "{\"trace_file\": \"a\"}\n");
    CHECK_INT(ob_result_file_close(file, &err), OB_OK);
    CHECK_INT(ob_result_file_close(NULL, &err), OB_OK);
    temp_dir_remove(&dir);
}

static void names_of_a_prefix(void)
{
    const temp_dir dir = temp_dir_make();
    char prefix[128], want[160], taken[160];
    ob_result_file *file = NULL;
    temp_path(&dir, "res", prefix);
    const ob_result_file_params params = {
        .size = sizeof params, .prefix = prefix, .pid = 42, .unix_seconds = 1700000000};
    snprintf(taken, sizeof taken, "%s_42_1700000000.json", prefix);
    snprintf(want, sizeof want, "%s_42_1700000001.json", prefix);
    CHECK_INT(ob_result_file_open(&params, &file, NULL), OB_OK);
    CHECK_STR(ob_result_file_path(file), taken);
    CHECK_INT(ob_result_file_append_line(file, "{}", 2, NULL), OB_OK);
    CHECK_INT(ob_result_file_close(file, NULL), OB_OK);
    CHECK_INT(ob_result_file_open(&params, &file, NULL), OB_OK);
    CHECK_STR(ob_result_file_path(file), want);
    CHECK_INT(ob_result_file_close(file, NULL), OB_OK);
    check_content(taken, "{}\n"); /* not emptied */
    /* Of this process, now. */
    CHECK_INT(ob_result_file_open(
                  &(ob_result_file_params){.size = sizeof(ob_result_file_params), .prefix = prefix},
                  &file, NULL),
              OB_OK);
    snprintf(want, sizeof want, "%s_%d_", prefix, (int)getpid());
    CHECK_HAS(ob_result_file_path(file), want);
    CHECK_INT(ob_result_file_close(file, NULL), OB_OK);
    temp_dir_remove(&dir);
}

/* A limit on the size of files makes write() take a part of a line, as a full disk does. */
static void a_full_disk_leaves_whole_lines(void)
{
    const temp_dir dir = temp_dir_make();
    char path[128];
    temp_path(&dir, "out.json", path);
    const pid_t child = fork();
    if (child == 0) {
        ob_result_file *file = NULL;
        ob_err err;
        ob_record r = named("0123456789");
        int problems = 0;
        signal(SIGXFSZ, SIG_IGN);
        problems +=
            ob_result_file_open(
                &(ob_result_file_params){.size = sizeof(ob_result_file_params), .path = path},
                &file, &err) != OB_OK;
        problems += setrlimit(RLIMIT_FSIZE, &(struct rlimit){.rlim_cur = 50, .rlim_max = 50}) != 0;
        problems += ob_result_file_append(file, &r, &err) != OB_OK;
        problems += ob_result_file_append(file, &r, &err) != OB_ERR_IO;
        problems +=
            strstr(err.message, "File too large; the file ends with the record before it") == NULL;
        problems += ob_result_file_append_line(file, "{\"small\": 1}", 12, &err) != OB_OK;
        problems += ob_result_file_close(file, &err) != OB_OK;
        _exit(problems);
    }
    int status = 0;
    CHECK_INT(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status));
    CHECK_INT(WEXITSTATUS(status), 0);
    check_content(path, "{\"trace_file\": \"0123456789\"}\n{\"small\": 1}\n");

    ob_result_file *file = NULL;
    ob_err err;
    ob_record r = named("x");
    if (access("/dev/full", W_OK) == 0) {
        CHECK_INT(
            ob_result_file_open(&(ob_result_file_params){.size = sizeof(ob_result_file_params),
                                                         .path = "/dev/full"},
                                &file, &err),
            OB_OK);
        CHECK_INT(ob_result_file_append(file, &r, &err), OB_ERR_IO);
        CHECK_HAS(err.message, "No space left on device; the file ends with the record before it");
        CHECK_INT(ob_result_file_close(file, &err), OB_OK);
    }
    CHECK_INT(ob_result_file_open(&(ob_result_file_params){.size = sizeof(ob_result_file_params),
                                                           .path = "/dev/null"},
                                  &file, &err),
              OB_OK);
    CHECK_INT(ob_result_file_append(file, &r, &err), OB_OK);
    CHECK_INT(ob_result_file_close(file, &err), OB_OK);
    temp_dir_remove(&dir);
}

/* Kills a writer again and again; what is left is whole lines and at most one torn one. */
static void killed_writers(void)
{
    const temp_dir dir = temp_dir_make();
    char path[128];
    static char name[100000];
    memset(name, 'n', sizeof name - 1);
    temp_path(&dir, "out.json", path);
    write_file(path, "");
    for (int round = 0; round < 20; round++) {
        ob_done *done = NULL;
        ob_done_file info = {.size = sizeof info};
        ob_result_file *file = NULL;
        int ready[2];
        CHECK_INT(pipe(ready), 0);
        const pid_t child = fork();
        if (child == 0) {
            ob_record r = named(name);
            if (ob_done_create(&done, NULL) != OB_OK ||
                ob_result_file_open(&(ob_result_file_params){.size = sizeof(ob_result_file_params),
                                                             .path = path,
                                                             .mode = OB_RESULT_RESUME},
                                    &file, NULL) != OB_OK ||
                ob_done_read_locked(done, file, &info, NULL) != OB_OK ||
                ob_result_file_cut(file, &info, NULL) != OB_OK)
                _exit(1);
            for (int i = 0; i < 1000000; i++)
                if (ob_result_file_append(file, &r, NULL) != OB_OK ||
                    (i == 3 && write(ready[1], "x", 1) != 1))
                    _exit(2);
            _exit(3);
        }
        char byte;
        close(ready[1]);
        CHECK_INT(read(ready[0], &byte, 1), 1);
        close(ready[0]);
        kill(child, SIGKILL);
        int status = 0;
        CHECK_INT(waitpid(child, &status, 0), child);
        CHECK(WIFSIGNALED(status));
        CHECK_INT(ob_done_create(&done, NULL), OB_OK);
        CHECK_INT(ob_done_read_file(done, path, &info, NULL), OB_OK);
        struct stat file_info;
        CHECK_INT(stat(path, &file_info), 0);
        CHECK(info.cut_at <= (uint64_t)file_info.st_size);
        CHECK_INT(info.torn, info.cut_at < (uint64_t)file_info.st_size);
        CHECK_INT(info.cut_at % (sizeof name - 1 + strlen("{\"trace_file\": \"\"}\n")), 0);
        CHECK(info.cut_at > 0);
        ob_done_destroy(done);
        if (file_info.st_size > 20 << 20)
            CHECK_INT(truncate(path, 0), 0);
    }
    temp_dir_remove(&dir);
}

/* A program that knows nothing of locks writes while the file is read: what it wrote stays. */
static void written_while_it_is_read(void)
{
    static const char *const MORE[] = {" is whole now\"}\n{\"b\": 1}\n", NULL};
    const temp_dir dir = temp_dir_make();
    char path[128];
    ob_result_file *file = NULL;
    ob_done *done = NULL;
    ob_done_file read = {.size = sizeof read};
    ob_err err;
    temp_path(&dir, "out.json", path);
    for (size_t i = 0; i < 2; i++) {
        const ob_result_file_params resume = {
            .size = sizeof resume, .path = path, .mode = OB_RESULT_RESUME};
        write_file(path, "{\"trace_file\": \"a\"}\n{\"trace_file\": \"torn");
        CHECK_INT(ob_result_file_open(&resume, &file, NULL), OB_OK);
        CHECK_INT(ob_done_create(&done, NULL), OB_OK);
        CHECK_INT(ob_done_read_locked(done, file, &read, NULL), OB_OK);
        CHECK(read.torn);
        if (MORE[i] != NULL) {
            FILE *other = fopen(path, "a");
            CHECK(other != NULL && fputs(MORE[i], other) >= 0 && fclose(other) == 0);
        } else {
            CHECK_INT(truncate(path, 10), 0);
        }
        CHECK_INT(ob_result_file_cut(file, &read, &err), OB_ERR_STATE);
        CHECK_HAS(err.message, "had 40 bytes when it was read and has ");
        CHECK_HAS(err.message, "now, so its torn last line is not cut");
        check_content(path, MORE[i] != NULL ? "{\"trace_file\": \"a\"}\n{\"trace_file\": \"torn"
                                              " is whole now\"}\n{\"b\": 1}\n"
                                            : "{\"trace_fi");
        CHECK_INT(ob_result_file_close(file, NULL), OB_OK);
        ob_done_destroy(done);
    }
    temp_dir_remove(&dir);
}

typedef struct waiter {
    ob_result_file *other;
    const char *path;
    int calls, most;
} waiter;

/* The other run goes on writing, and ends after a while. */
static bool wait_for_other(void *ctx, const char *path, int64_t pid)
{
    waiter *w = ctx;
    CHECK_STR(path, w->path);
    CHECK_INT(pid, getpid());
    if (++w->calls > w->most)
        return false;
    CHECK_INT(ob_result_file_append_line(w->other, "{\"trace_file\": \"late\"}", 22, NULL), OB_OK);
    if (w->calls == 2) {
        CHECK_INT(ob_result_file_close(w->other, NULL), OB_OK);
        w->other = NULL;
    }
    return true;
}

/* All that the other run wrote is read. */
static void waits_when_asked(void)
{
    const temp_dir dir = temp_dir_make();
    char path[128];
    ob_result_file *file = NULL;
    ob_done *done = NULL;
    ob_done_file read = {.size = sizeof read};
    ob_err err;
    waiter w = {.path = path, .most = 1};
    temp_path(&dir, "out.json", path);
    const ob_result_file_params first = {
        .size = sizeof first, .path = path, .mode = OB_RESULT_CREATE};
    const ob_result_file_params resume = {.size = sizeof resume,
                                          .path = path,
                                          .mode = OB_RESULT_RESUME,
                                          .wait = wait_for_other,
                                          .wait_ctx = &w};
    CHECK_INT(ob_result_file_open(&first, &w.other, NULL), OB_OK);
    CHECK_INT(ob_result_file_open(&resume, &file, &err), OB_ERR_STATE);
    CHECK_HAS(err.message, "interrupted while another run (process ");
    w.calls = 0;
    w.most = 100;
    CHECK_INT(ob_result_file_open(&resume, &file, &err), OB_OK);
    CHECK_INT(w.calls, 2);
    CHECK_INT(ob_done_create(&done, NULL), OB_OK);
    CHECK_INT(ob_done_read_locked(done, file, &read, NULL), OB_OK);
    CHECK_INT(read.read_bytes, 3 * 23);
    CHECK(!read.torn);
    CHECK_INT(ob_result_file_cut(file, &read, NULL), OB_OK);
    CHECK_INT(ob_result_file_close(file, NULL), OB_OK);
    ob_done_destroy(done);
    temp_dir_remove(&dir);
}

static bool replace_file(void *ctx, const char *path, int64_t pid)
{
    waiter *w = ctx;
    (void)pid;
    unlink(path);
    write_file(path, "{\"trace_file\": \"new\"}\n");
    CHECK_INT(ob_result_file_close(w->other, NULL), OB_OK);
    return true;
}

/* Records must not go to a file that has no name any more. */
static void replaced_while_it_waits(void)
{
    const temp_dir dir = temp_dir_make();
    char path[128];
    ob_result_file *file = NULL;
    waiter w = {.path = path};
    temp_path(&dir, "out.json", path);
    const ob_result_file_params append = {.size = sizeof append,
                                          .path = path,
                                          .mode = OB_RESULT_APPEND,
                                          .wait = replace_file,
                                          .wait_ctx = &w};
    CHECK_INT(ob_result_file_open(&append, &w.other, NULL), OB_OK);
    CHECK_INT(ob_result_file_open(&append, &file, NULL), OB_OK);
    CHECK_INT(ob_result_file_append_line(file, "{}", 2, NULL), OB_OK);
    CHECK_INT(ob_result_file_close(file, NULL), OB_OK);
    check_content(path, "{\"trace_file\": \"new\"}\n{}\n");
    temp_dir_remove(&dir);
}

static void a_set_of_names(void)
{
    ob_done *done = NULL;
    char id[32];
    CHECK_INT(ob_done_create(&done, NULL), OB_OK);
    ob_done_name name = {.key = "k", .id = id, .backend = "native"};
    for (int i = 0; i < 10000; i++) {
        snprintf(id, sizeof id, "0|0|%d", i);
        CHECK(!ob_done_has(done, &name));
        CHECK_INT(ob_done_add(done, &name, NULL), OB_OK);
        CHECK_INT(ob_done_add(done, &name, NULL), OB_OK); /* twice is once */
    }
    CHECK_INT(ob_done_count(done), 10000);
    for (int i = 0; i < 20000; i++) {
        snprintf(id, sizeof id, "0|0|%d", i);
        CHECK_INT(ob_done_has(done, &name), i < 10000);
    }
    snprintf(id, sizeof id, "0|0|5");
    CHECK(ob_done_has(done, &name));
    CHECK(!ob_done_has(done, &(ob_done_name){.key = "k", .id = id, .backend = "onednn"}));
    CHECK(!ob_done_has(done, &(ob_done_name){.key = "x", .id = id, .backend = "native"}));
    CHECK(!ob_done_has(done, &(ob_done_name){.key = NULL, .id = id, .backend = "native"}));
    CHECK(!ob_done_has(done, &(ob_done_name){.key = "k0|0|5", .id = "", .backend = "native"}));
    name.process = 1;
    CHECK(!ob_done_has(done, &name));
    name.process = OB_NO_INT;
    CHECK(ob_done_has(done, &name));
    ob_done_destroy(done);
    ob_done_destroy(NULL);
}

static void done_of_a_file(void)
{
    static const char TEXT[] =
        "{\"start_time\": \"t\", \"config_hash\": \"abc\"}\n"
        "{\"op_name\": \"a\", \"id\": \"0|0|0\", \"key\": \"k0\", \"backend\": \"n\", \"status\": "
        "\"ok\"}\n"
        "{\"op_name\": \"a\", \"id\": \"0|0|1\", \"key\": \"k1\", \"backend\": \"n\", \"status\": "
        "\"crashed\"}\n"
        "{\"op_name\": \"a\", \"id\": \"0|0|2\", \"key\": \"k2\", \"backend\": \"n\", \"status\": "
        "\"interrupted\"}\n"
        "{\"op_name\": \"a\", \"id\": \"0|0|3\"}\n";
    const temp_dir dir = temp_dir_make();
    char path[128], text[1024];
    ob_done *done = NULL;
    ob_done_file info = {.size = sizeof info};
    ob_err err;
    temp_path(&dir, "r.json", path);
    snprintf(text, sizeof text, "%s{\"op_name\": \"a\", \"id\": \"0|0|4\"}", TEXT);
    write_file(path, text);
    CHECK_INT(ob_done_create(&done, NULL), OB_OK);
    CHECK_INT(ob_done_read_file(done, path, &info, &err), OB_OK);
    CHECK(info.torn && !info.finished);
    CHECK_INT(info.cut_at, sizeof TEXT - 1);
    CHECK_INT(info.results, 4);
    CHECK_STR(info.config_hash, "abc");
    CHECK_INT(ob_done_count(done), 3);
    CHECK(ob_done_has(done, &(ob_done_name){.key = "k0", .id = "0|0|0", .backend = "n"}));
    CHECK(ob_done_has(done, &(ob_done_name){.key = "k1", .id = "0|0|1", .backend = "n"}));
    CHECK(!ob_done_has(done, &(ob_done_name){.key = "k2", .id = "0|0|2", .backend = "n"}));
    CHECK(ob_done_has(done, &(ob_done_name){.id = "0|0|3"}));
    CHECK(!ob_done_has(done, &(ob_done_name){.id = "0|0|4"})); /* torn: it will be cut */

    snprintf(text, sizeof text, "%s{\"finish_time\": \"t\"}\n{\"trace_file\": \"t\"}\n", TEXT);
    write_file(path, text);
    CHECK_INT(ob_done_read_file(done, path, &info, &err), OB_OK);
    CHECK(info.finished && !info.torn);
    CHECK_INT(info.cut_at, strlen(text));
    snprintf(text, sizeof text, "%s{\"finish_time\": \"t\"}\n{\"op_name\": \"x\"}\n", TEXT);
    write_file(path, text);
    CHECK_INT(ob_done_read_file(done, path, &info, &err), OB_OK);
    CHECK(!info.finished); /* another run was appended */

    snprintf(text, sizeof text, "damaged\n%s", TEXT);
    write_file(path, text);
    CHECK_INT(ob_done_read_file(done, path, &info, &err), OB_ERR_SYNTAX);
    CHECK_INT(err.line, 1);
    CHECK_INT(ob_done_read_file(done, "/nonexistent/x", NULL, &err), OB_ERR_IO);
    ob_done_destroy(done);
    temp_dir_remove(&dir);
}

/* What is no file of records is left as it is, whole or not. */
static void other_files_are_not_added_to(void)
{
    static const char *const TEXTS[] = {"hello\n",
                                        "hello",
                                        "{\n  \"torch.add\": {}\n}\n",
                                        "{\"a\": 1}\n",
                                        "\n \n[1]\n{\"trace_file\": \"a\"}\n",
                                        "{\"trace_file\": "};
    const temp_dir dir = temp_dir_make();
    char path[128];
    temp_path(&dir, "out.json", path);
    static const char HEADER[] = "{\"run_options\": {\"device\": \"cpu";
    const ob_result_file_params params = {.size = sizeof params,
                                          .path = path,
                                          .mode = OB_RESULT_APPEND},
                                resume = {
                                    .size = sizeof resume, .path = path, .mode = OB_RESULT_RESUME};
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        ob_result_file *file = NULL;
        ob_err err;
        write_file(path, TEXTS[i]);
        CHECK_INT(ob_result_file_open(&params, &file, &err), OB_ERR_INVALID);
        CHECK_STR(err.message, "does not begin with a record, so nothing can be added to it; give "
                               "another file, or remove this one");
        CHECK(file == NULL);
        check_content(path, TEXTS[i]);
        CHECK_INT(ob_result_file_open(&resume, &file, &err), OB_ERR_INVALID);
        CHECK_STR(err.message, "does not begin with a record, so a run cannot continue from it; "
                               "give another file, or remove this one");
        check_content(path, TEXTS[i]);
    }
    /* Killed at its first line, a run leaves that. */
    for (size_t length = 0; length < sizeof HEADER; length++) {
        ob_result_file *file = NULL;
        char torn[sizeof HEADER];
        snprintf(torn, sizeof torn, "%.*s", (int)length, HEADER);
        write_file(path, torn);
        CHECK_INT(ob_result_file_open(&resume, &file, NULL), OB_OK);
        CHECK_INT(ob_result_file_close(file, NULL), OB_OK);
    }
    temp_dir_remove(&dir);
}

int main(void)
{
    RUN(modes);
    RUN(other_files_are_not_added_to);
    RUN(what_is_refused);
    RUN(names_of_a_prefix);
    RUN(a_full_disk_leaves_whole_lines);
    RUN(killed_writers);
    RUN(written_while_it_is_read);
    RUN(waits_when_asked);
    RUN(replaced_while_it_waits);
    RUN(a_set_of_names);
    RUN(done_of_a_file);
    return ob_test_end();
}
