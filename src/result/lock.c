/* SPDX-License-Identifier: Apache-2.0
 *
 * Locking a file of records. The kernel tells who has the lock; inside a container it tells only of processes
 * there, and some file systems go by another device number than files show, so the process may stay unknown.
 */
#include "result/lock.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>

/* The process that has a lock on the file, or 0. */
static int64_t find_holder(int descriptor)
{
    struct stat st;
    char line[256];
    int64_t holder = 0;
    FILE *locks = fstat(descriptor, &st) == 0 ? fopen("/proc/locks", "re") : NULL;
    if (locks == NULL)
        return 0;
    while (holder == 0 && fgets(line, sizeof line, locks) != NULL) {
        unsigned major_number, minor_number;
        int64_t pid;
        uint64_t inode;
        if (sscanf(line, "%*u: FLOCK %*s %*s %" SCNd64 " %x:%x:%" SCNu64, &pid, &major_number,
                   &minor_number, &inode) == 4 &&
            pid > 0 && inode == st.st_ino && major_number == major(st.st_dev) &&
            minor_number == minor(st.st_dev))
            holder = pid;
    }
    fclose(locks);
    return holder;
}

ob_status ob__result_lock(int descriptor, const char *path, const ob_result_file_params *params,
                          ob_err *err)
{
    while (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EINTR)
            continue;
        if (errno != EWOULDBLOCK)
            return OB_OK;
        const int64_t pid = find_holder(descriptor);
        char who[48] = "";
        if (pid > 0)
            snprintf(who, sizeof who, " (process %" PRId64 ")", pid);
        if (params->wait == NULL)
            return ob_err_set_at(
                err, OB_ERR_STATE, path, 0, 0, NULL,
                "another run%s writes to this file; --wait waits for it, or choose "
                "another name",
                who);
        if (!params->wait(params->wait_ctx, path, pid))
            return ob_err_set_at(err, OB_ERR_STATE, path, 0, 0, NULL,
                                 "interrupted while another run%s writes to this file", who);
        const struct timespec nap = {.tv_nsec = 100000000};
        nanosleep(&nap, NULL);
    }
    return OB_OK;
}
