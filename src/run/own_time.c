/* SPDX-License-Identifier: Apache-2.0
 *
 * CPU time that is not foreign to a measurement. A supervisor that takes thousands of records a second
 * is busy; were it counted as foreign, every short case would be called noisy.
 */
#include "run/own_time.h"

#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

uint64_t ob__read_clock_ns(clockid_t clock)
{
    struct timespec t;
    return clock_gettime(clock, &t) == 0 ? (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec
                                         : 0;
}

static uint64_t timeval_ns(const struct timeval *t)
{
    return (uint64_t)t->tv_sec * 1000000000u + (uint64_t)t->tv_usec * 1000u;
}

/* A process that is to die with its parent works for it. */
static bool has_supervisor(void)
{
    int signal_number = 0;
    return prctl(PR_GET_PDEATHSIG, &signal_number) == 0 && signal_number != 0;
}

uint64_t ob__own_cpu_ns(void *unused)
{
    struct rusage children;
    clockid_t parent;
    (void)unused;
    uint64_t ns = ob__read_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    if (getrusage(RUSAGE_CHILDREN, &children) == 0)
        ns += timeval_ns(&children.ru_utime) + timeval_ns(&children.ru_stime);
    if (has_supervisor() && clock_getcpuclockid(getppid(), &parent) == 0)
        ns += ob__read_clock_ns(parent);
    return ns;
}
