/* SPDX-License-Identifier: Apache-2.0
 *
 * Locking a file of records. The kernel tells who has the lock; inside a container it tells only of processes
 * there, and some file systems go by another device number than files show, so the process may stay unknown.
 */
#include "result/lock.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>

/* "7: FLOCK  ADVISORY  WRITE 4711 08:01:1234 0 EOF": the process, if that is the file, else 0. */
static int64_t holder_of(char *line, const struct stat *file)
{
    enum { NUMBER, KIND, ADVICE, MODE, PROCESS, PLACE, WORDS };
    char *words[WORDS], *rest = line, *end;
    for (int i = 0; i < WORDS; i++)
        if ((words[i] = strtok_r(NULL, " ", &rest)) == NULL)
            return 0;
    const unsigned long major_number = strtoul(words[PLACE], &end, 16);
    if (strcmp(words[KIND], "FLOCK") != 0 || *end != ':' || major_number != major(file->st_dev))
        return 0;
    const unsigned long minor_number = strtoul(end + 1, &end, 16);
    if (*end != ':' || minor_number != minor(file->st_dev) ||
        strtoull(end + 1, &end, 10) != file->st_ino)
        return 0;
    const int64_t pid = strtoll(words[PROCESS], &end, 10);
    return *end == '\0' && pid > 0 ? pid : 0;
}

/* The process that has a lock on the file, or 0. */
static int64_t find_holder(int descriptor)
{
    struct stat st;
    char line[256];
    int64_t holder = 0;
    FILE *locks = fstat(descriptor, &st) == 0 ? fopen("/proc/locks", "re") : NULL;
    if (locks == NULL)
        return 0;
    while (holder == 0 && fgets(line, sizeof line, locks) != NULL)
        holder = holder_of(line, &st);
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
                "another run%s is writing to this file; %s, or choose another name", who,
                params->named_by != NULL ? "wait until it ends" : "--wait waits for it");
        if (!params->wait(params->wait_ctx, path, pid))
            return ob_err_set_at(err, OB_ERR_STATE, path, 0, 0, NULL,
                                 "interrupted while another run%s was writing to this file", who);
        const struct timespec nap = {.tv_nsec = 100000000};
        nanosleep(&nap, NULL);
    }
    return OB_OK;
}
