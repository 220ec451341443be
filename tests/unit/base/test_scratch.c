/* SPDX-License-Identifier: Apache-2.0 */
#include "base/scratch.h"
#include "check.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char parent[] = "/tmp/ob-test-scratch-XXXXXX";

static bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

static void put_file(const char *dir, const char *name)
{
    char path[2048];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    CHECK(fd >= 0);
    close(fd);
}

static void closes_with_all_in_it(void)
{
    ob_scratch s = {.lock = -1};
    struct stat st;
    char inner[2048];
    ob__scratch_close(&s); /* nothing yet */
    CHECK_INT(ob__scratch_open(&s, parent, "test", NULL), OB_OK);
    CHECK_INT(stat(s.dir, &st), 0);
    CHECK_INT(st.st_mode & 0777, 0700);
    snprintf(inner, sizeof inner, "%s/inner", s.dir);
    CHECK_INT(mkdir(inner, 0700), 0);
    put_file(inner, "file");
    char dir[sizeof s.dir];
    memcpy(dir, s.dir, sizeof dir);
    ob__scratch_close(&s);
    CHECK(!is_there(dir));
    CHECK_STR(s.dir, "");
}

/* A folder of a process that did not close it; its path into dir. alive: the process goes on, and ends when
 * *hold is closed. */
static pid_t leave_folder(char dir[1024], bool alive, int *hold)
{
    int tell[2], wait[2];
    CHECK_INT(pipe(tell), 0);
    CHECK_INT(pipe(wait), 0);
    const pid_t child = fork();
    if (child == 0) {
        ob_scratch s;
        char ignored;
        close(wait[1]);
        if (ob__scratch_open(&s, parent, "test", NULL) != OB_OK ||
            write(tell[1], s.dir, sizeof s.dir) != (ssize_t)sizeof s.dir)
            _exit(1);
        if (alive && read(wait[0], &ignored, 1) < 0)
            _exit(1);
        _exit(0);
    }
    CHECK_INT(read(tell[0], dir, 1024), 1024);
    close(tell[0]);
    close(tell[1]);
    close(wait[0]);
    *hold = wait[1];
    if (!alive)
        waitpid(child, NULL, 0);
    return child;
}

static void sweeps_what_dead_processes_left(void)
{
    char dead[1024], living[1024], other[1024];
    int hold_dead, hold_living;
    leave_folder(dead, false, &hold_dead);
    put_file(dead, "callgrind.out.1");
    const pid_t child = leave_folder(living, true, &hold_living);
    snprintf(other, sizeof other, "%s/opbench-notes", parent);
    CHECK_INT(mkdir(other, 0700), 0);
    ob__scratch_sweep(parent);
    CHECK(!is_there(dead));
    CHECK(is_there(living));
    CHECK(is_there(other)); /* not a name of ours */
    close(hold_living);
    waitpid(child, NULL, 0);
    ob_scratch s;
    CHECK_INT(ob__scratch_open(&s, parent, "test", NULL), OB_OK); /* sweeps too */
    CHECK(!is_there(living));
    ob__scratch_sweep(parent);
    CHECK(is_there(s.dir)); /* its own */
    ob__scratch_close(&s);
    close(hold_dead);
    rmdir(other);
}

/* Names prove nothing: each of these looks like a folder of a process that is long gone. */
static void leaves_what_others_made(void)
{
    static const char *const LOCKS[] = {NULL, "", "notes on the lock of my door\n"};
    char marked[1024];
    int hold;
    leave_folder(marked, false, &hold);
    for (size_t i = 0; i < sizeof LOCKS / sizeof LOCKS[0]; i++) {
        char dir[1024], lock[2048];
        snprintf(dir, sizeof dir, "%s/opbench-thesis-999999999-draft%zu", parent, i);
        snprintf(lock, sizeof lock, "%s/lock", dir);
        CHECK_INT(mkdir(dir, 0700), 0);
        put_file(dir, "chapter");
        if (LOCKS[i] != NULL)
            put_file(dir, "lock");
        const int fd = LOCKS[i] != NULL ? open(lock, O_WRONLY | O_CLOEXEC) : -1;
        if (fd >= 0)
            CHECK_INT(write(fd, LOCKS[i], strlen(LOCKS[i])), (ssize_t)strlen(LOCKS[i]));
        close(fd);
        const struct timespec old[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
        CHECK_INT(utimensat(AT_FDCWD, dir, old, 0), 0);
        ob__scratch_sweep(parent);
        char chapter[2048];
        snprintf(chapter, sizeof chapter, "%s/chapter", dir);
        CHECK(is_there(chapter));
        unlink(chapter);
        unlink(lock);
        CHECK_INT(rmdir(dir), 0);
    }
    CHECK(!is_there(marked)); /* so it did sweep */
    close(hold);
}

/* A copy of a folder has its mark too, and one that was given another name was given it to be kept. */
static void leaves_copies_and_renamed_ones(void)
{
    char made[1024], copy[1024], renamed[1024], command[8192];
    int hold;
    leave_folder(made, false, &hold);
    put_file(made, "data");
    snprintf(copy, sizeof copy, "%s/copies/%s", parent, strrchr(made, '/') + 1);
    snprintf(renamed, sizeof renamed, "%s/opbench-results-2026-backup", parent);
    snprintf(command, sizeof command, "mkdir %s/copies && cp -a %s %s && mv %s %s", parent, made,
             copy, made, renamed);
    CHECK_INT(system(command), 0);
    const struct timespec old[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
    CHECK_INT(utimensat(AT_FDCWD, copy, old, 0), 0);
    CHECK_INT(utimensat(AT_FDCWD, renamed, old, 0), 0);
    ob__scratch_sweep(parent);
    CHECK(is_there(renamed));
    snprintf(command, sizeof command, "%s/copies", parent);
    ob__scratch_sweep(command);
    CHECK(is_there(copy));
    snprintf(command, sizeof command, "rm -r %s/copies %s", parent, renamed);
    CHECK_INT(system(command), 0);
    close(hold);
}

/* A folder that is being made has no mark yet, and one that is locked is in use, whatever its age and maker. */
static void leaves_what_is_in_use(void)
{
    char made[1024], lock[2048];
    int hold;
    leave_folder(made, false, &hold);
    snprintf(lock, sizeof lock, "%s/lock", made);
    const int fd = open(lock, O_RDWR | O_CLOEXEC);
    CHECK_INT(flock(fd, LOCK_EX | LOCK_NB), 0);
    ob__scratch_sweep(parent);
    CHECK(is_there(made));
    close(fd);
    ob__scratch_sweep(parent);
    CHECK(!is_there(made));
    close(hold);
}

static void never_follows_links(void)
{
    char kept[1024], link[1024];
    snprintf(kept, sizeof kept, "%s/kept", parent);
    snprintf(link, sizeof link, "%s/opbench-test-999999999-AAAAAA", parent);
    CHECK_INT(mkdir(kept, 0700), 0);
    put_file(kept, "lock");
    put_file(kept, "file");
    CHECK_INT(symlink(kept, link), 0);
    ob__scratch_sweep(parent);
    CHECK(is_there(kept) && is_there(link));
    char inside[2048];
    snprintf(inside, sizeof inside, "%s/file", kept);
    CHECK(is_there(inside));
    unlink(inside);
    snprintf(inside, sizeof inside, "%s/lock", kept);
    unlink(inside);
    unlink(link);
    rmdir(kept);
}

static void says_where_it_cannot(void)
{
    ob_scratch s;
    ob_err err;
    CHECK_INT(ob__scratch_open(&s, "/nowhere", "test", &err), OB_ERR_IO);
    CHECK_STR(err.message,
              "cannot make a folder in /nowhere: No such file or directory; set TMPDIR to another");
    CHECK_STR(s.dir, "");
}

int main(void)
{
    CHECK(mkdtemp(parent) != NULL);
    RUN(closes_with_all_in_it);
    RUN(sweeps_what_dead_processes_left);
    RUN(leaves_what_others_made);
    RUN(leaves_copies_and_renamed_ones);
    RUN(leaves_what_is_in_use);
    RUN(never_follows_links);
    RUN(says_where_it_cannot);
    CHECK_INT(rmdir(parent), 0);
    return ob_test_end();
}
