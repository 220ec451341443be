/* SPDX-License-Identifier: Apache-2.0
 *
 * A wall clock that jumps, to be loaded before the C library (LD_PRELOAD). JUMPING_CLOCK is a number of seconds that is
 * added to every time, or "wild": another one at every look, back and forth, until before 1970. The monotonic clocks
 * stay as they are.
 */
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { DAY_S = 24 * 3600 };

static int64_t next_jump(void)
{
    static const int64_t WILD_DAYS[] = {400, -40, 0, 36500, -36500, 40, -1, 1};
    static atomic_uint calls;
    const char *how = getenv("JUMPING_CLOCK");
    if (how == NULL)
        return 0;
    if (strcmp(how, "wild") != 0)
        return strtoll(how, NULL, 10);
    return DAY_S * WILD_DAYS[atomic_fetch_add(&calls, 1) % (sizeof WILD_DAYS / sizeof *WILD_DAYS)];
}

int clock_gettime(clockid_t clock, struct timespec *out)
{
    const int result = (int)syscall(SYS_clock_gettime, clock, out);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        out->tv_sec += next_jump();
    return result;
}

time_t time(time_t *out)
{
    struct timespec now = {.tv_sec = 0};
    clock_gettime(CLOCK_REALTIME, &now);
    if (out != NULL)
        *out = now.tv_sec;
    return now.tv_sec;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
    struct timespec now = {.tv_sec = 0};
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    *out = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
    return 0;
}
