/* SPDX-License-Identifier: Apache-2.0
 *
 * Foreign load, as neighbours make it: on each processor either bursts of 2 to 100 ms that walk over 64 MB, with pauses of
 * 2 to 250 ms between them, or three processes that never rest. Ends when its parent does, or at the end of its input.
 *
 * usage: load bursts|heavy SEED
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { WALKED = 64 << 20, LINE = 64, HEAVY = 3 };

static uint64_t state;

static uint64_t draw(uint64_t from, uint64_t to)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return from + state % (to - from + 1);
}

static uint64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* Writes over the buffer until the time is over; ms 0 = for ever. */
static void walk(volatile char *buffer, uint64_t ms)
{
    const uint64_t end = now_ms() + ms;
    static size_t at;
    do
        for (int i = 0; i < 4096; i++) {
            buffer[at]++;
            at = (at + LINE) % WALKED;
        }
    while (ms == 0 || now_ms() < end);
}

static void disturb(int cpu, int bursts, uint64_t seed)
{
    cpu_set_t set;
    char *buffer = malloc(WALKED);
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof set, &set);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    state = seed;
    if (buffer == NULL)
        _exit(1);
    memset(buffer, 1, WALKED);
    for (;;) {
        walk(buffer, bursts ? draw(2, 100) : 0);
        usleep((useconds_t)draw(2, 250) * 1000);
    }
}

int main(int argc, char **argv)
{
    const int bursts = argc > 1 && strcmp(argv[1], "bursts") == 0;
    const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    cpu_set_t usable;
    if (argc < 2 || (!bursts && strcmp(argv[1], "heavy") != 0)) {
        fprintf(stderr, "usage: load bursts|heavy SEED\n");
        return 2;
    }
    sched_getaffinity(0, sizeof usable, &usable);
    setpgid(0, 0); /* whose processes end together */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        for (int i = 0; CPU_ISSET(cpu, &usable) && i < (bursts ? 1 : HEAVY); i++)
            if (fork() == 0)
                disturb(cpu, bursts,
                        88172645463325252u + seed * 977 + (uint64_t)cpu * 13 + (uint64_t)i);
    for (char c; read(0, &c, 1) > 0;)
        continue;
    kill(0, SIGTERM);
    return 0;
}
