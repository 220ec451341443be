/* SPDX-License-Identifier: Apache-2.0
 *
 * Writing "5" to clear_refs sets the mark back to what is resident now; that takes half a microsecond.
 * getrusage is as quick, but its figure also has the mark of the program that this one was before
 * exec (the supervisor). Only where that could be it, the slower status file is read.
 */
#include "run/peak.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static uint64_t usage_bytes(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_maxrss * 1024 : 0;
}

static uint64_t status_bytes(int fd)
{
    static const char NAME[] = "\nVmHWM:";
    char text[4096];
    const ssize_t length = fd >= 0 ? pread(fd, text, sizeof text - 1, 0) : -1;
    if (length <= 0)
        return 0;
    text[length] = '\0';
    const char *row = strstr(text, NAME);
    return row != NULL ? strtoull(row + sizeof NAME - 1, NULL, 10) * 1024 : 0;
}

void ob__peak_open(ob_peak *peak)
{
    peak->reset = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
    peak->status = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    ob__peak_reset(peak);
    peak->floor_bytes = usage_bytes();
}

void ob__peak_close(ob_peak *peak)
{
    if (peak->reset >= 0)
        close(peak->reset);
    if (peak->status >= 0)
        close(peak->status);
    peak->reset = peak->status = -1;
}

void ob__peak_reset(const ob_peak *peak)
{
    if (peak->reset >= 0 && pwrite(peak->reset, "5", 1, 0) != 1)
        return; /* a kernel that refuses: the mark stays the process's */
}

uint64_t ob__peak_bytes(const ob_peak *peak)
{
    const uint64_t usage = usage_bytes();
    if (usage > peak->floor_bytes)
        return usage;
    const uint64_t status = status_bytes(peak->status);
    return status > 0 ? status : usage;
}
