/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory for other processes: its size is for good, and a file that is sealed cannot be changed by anybody.
 */
#include "process/shared_memory.h"

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static void keeps_its_size(void)
{
    ob_shared_memory memory;
    ob_err err;
    CHECK_INT(ob__shared_memory_make("m", 5000, &memory, &err), OB_OK);
    CHECK_INT(memory.size, 5000);
    for (size_t i = 0; i < 5000; i++)
        if (((const char *)memory.at)[i] != 0)
            OB_TEST_FAIL("byte %zu is not 0", i);
    CHECK_INT(ftruncate(memory.fd, 4096), -1);
    CHECK_INT(ftruncate(memory.fd, 9000), -1);
    CHECK_INT(fcntl(memory.fd, F_GET_SEALS), F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    CHECK(fcntl(memory.fd, F_GETFD) & FD_CLOEXEC);
    /* What one writes the other reads; its descriptor is closed. */
    const int other = dup(memory.fd);
    char *at = ob__shared_memory_take(other, 5000);
    CHECK(at != NULL);
    CHECK_INT(fcntl(other, F_GETFD), -1);
    at[4999] = 'x';
    CHECK_INT(((const char *)memory.at)[4999], 'x');
    CHECK_INT(munmap(at, 5000), 0);
    const int fd = memory.fd;
    ob__shared_memory_close(&memory);
    CHECK(memory.at == NULL && memory.fd == -1 && memory.size == 0);
    CHECK_INT(fcntl(fd, F_GETFD), -1);
    ob__shared_memory_close(&memory);
}

static void says_what_fails(void)
{
    ob_shared_memory memory;
    ob_err err;
    int fd = 7;
    CHECK_INT(ob__shared_memory_make("m", 0, &memory, &err), OB_ERR_IO);
    CHECK_STR(err.message, "no memory for m: Invalid argument");
    CHECK(memory.at == NULL && memory.fd == -1);
    errno = 0;
    CHECK(ob__shared_memory_take(-1, 10) == NULL);
    CHECK_INT(errno, EBADF);
    char name[400];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    CHECK_INT(ob__memory_file(name, &fd, &err), OB_ERR_IO);
    CHECK_INT(fd, -1);
    fd = 7;
    CHECK_INT(ob__sealed_file(name, "x", 1, &fd, &err), OB_ERR_IO);
    CHECK_INT(fd, -1);
}

/* The limit of file sizes, with SIGXFSZ ignored as the program does, is said by its name. */
static void limits_of_file_sizes(void)
{
    struct rlimit before;
    int fd;
    ob_err err = {.message = ""};
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    CHECK_INT(getrlimit(RLIMIT_FSIZE, &before), 0);
    CHECK_INT(setrlimit(RLIMIT_FSIZE, &(struct rlimit){.rlim_cur = 2, .rlim_max = before.rlim_max}),
              0);
    CHECK_INT(ob__sealed_file("s", "abc", 3, &fd, &err), OB_ERR_IO);
    CHECK_INT(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, handler);
    CHECK_HAS(err.message, "ulimit -f");
}

static void sealed_files_stay(void)
{
    int fd = -1;
    char got[8] = "";
    ob_err err;
    CHECK_INT(ob__sealed_file("s", "abc", 3, &fd, &err), OB_OK);
    CHECK_INT(pread(fd, got, sizeof got, 0), 3);
    CHECK_STR(got, "abc");
    CHECK_INT(pwrite(fd, "x", 1, 0), -1);
    CHECK_INT(ftruncate(fd, 0), -1);
    CHECK_INT(ftruncate(fd, 10), -1);
    CHECK_INT(fcntl(fd, F_GET_SEALS), F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    CHECK(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    close(fd);
    /* One that all write. */
    CHECK_INT(ob__memory_file("f", &fd, &err), OB_OK);
    CHECK_INT(write(fd, "abc", 3), 3);
    CHECK_INT(fcntl(fd, F_GET_SEALS), 0);
    CHECK(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    close(fd);
}

int main(void)
{
    RUN(keeps_its_size);
    RUN(says_what_fails);
    RUN(limits_of_file_sizes);
    RUN(sealed_files_stay);
    return ob_test_end();
}
