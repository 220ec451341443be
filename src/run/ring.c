/* SPDX-License-Identifier: Apache-2.0
 *
 * The token is one word, changed by compare-and-swap, so that a member that leaves and a holder that
 * passes on at the same moment cannot lose it. Sleeping and waking is the kernel's (futex).
 */
#include "run/ring.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { HOLDER_SHIFT = 16, MEMBERS_MASK = 0xffff };

static uint32_t holder_of(uint32_t word)
{
    return word >> HOLDER_SHIFT;
}

static uint32_t bit(unsigned member)
{
    return (uint32_t)1 << member;
}

/* The first of the members behind `member`, going round; members is not empty. */
static uint32_t give_to_next(uint32_t members, unsigned member)
{
    unsigned next = member;
    do
        next = (next + 1) % OB_MOST_MEMBERS;
    while ((members & bit(next)) == 0 && next != member);
    return (uint32_t)next << HOLDER_SHIFT | members;
}

static void wake_all(ob_ring *ring)
{
    syscall(SYS_futex, &ring->word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void ob__ring_begin(ob_ring *ring, uint32_t members, unsigned first)
{
    const unsigned before = (first + OB_MOST_MEMBERS - 1) % OB_MOST_MEMBERS;
    members &= bit(OB_MOST_MEMBERS) - 1;
    atomic_store(&ring->word, members != 0 ? give_to_next(members, before) : 0);
    wake_all(ring);
}

void ob__ring_leave(ob_ring *ring, unsigned member)
{
    uint32_t old = atomic_load(&ring->word), wanted;
    do {
        const uint32_t members = old & MEMBERS_MASK & ~bit(member);
        wanted = members == 0               ? 0
                 : holder_of(old) == member ? give_to_next(members, member)
                                            : (old & ~(uint32_t)MEMBERS_MASK) | members;
    } while (!atomic_compare_exchange_weak(&ring->word, &old, wanted));
    wake_all(ring);
}

static bool holds(uint32_t word, unsigned member)
{
    return (word & bit(member)) != 0 && holder_of(word) == member;
}

bool ob__ring_is_elsewhere(const ob_ring *ring, unsigned member)
{
    const uint32_t word = atomic_load(&ring->word), holder = holder_of(word);
    return holder != member && holder < OB_MOST_MEMBERS && holds(word, holder);
}

void ob__ring_wait(ob_ring *ring, unsigned member)
{
    for (;;) {
        const uint32_t word = atomic_load(&ring->word);
        if (holds(word, member))
            return;
        syscall(SYS_futex, &ring->word, FUTEX_WAIT, word, NULL, NULL, 0);
    }
}

void ob__ring_pass(ob_ring *ring, unsigned member)
{
    uint32_t old = atomic_load(&ring->word), wanted;
    do {
        if (!holds(old, member))
            return;
        wanted = give_to_next(old & MEMBERS_MASK, member);
    } while (!atomic_compare_exchange_weak(&ring->word, &old, wanted));
    wake_all(ring);
}

/* ---- a worker's place ---- */

static uint64_t read_ns(clockid_t clock)
{
    struct timespec t;
    return clock_gettime(clock, &t) == 0 ? (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec
                                         : 0;
}

void ob__turns_first(ob_turns *turns)
{
    ob__ring_wait(turns->ring, turns->member);
    turns->waited_ns = 0;
    turns->began_ns = read_ns(CLOCK_MONOTONIC);
}

void ob__turns_next(ob_turns *turns)
{
    const uint64_t before_ns = read_ns(CLOCK_MONOTONIC);
    const uint64_t started_ns = atomic_exchange(turns->case_started, UINT64_MAX);
    atomic_store(&turns->ring->cpu_ns[turns->member], read_ns(CLOCK_PROCESS_CPUTIME_ID));
    ob__ring_pass(turns->ring, turns->member);
    ob__ring_wait(turns->ring, turns->member);
    turns->began_ns = read_ns(CLOCK_MONOTONIC);
    turns->waited_ns += turns->began_ns - before_ns;
    atomic_store(turns->case_started, started_ns + (turns->began_ns - before_ns));
}

uint64_t ob__turns_held_ns(const ob_turns *turns)
{
    return read_ns(CLOCK_MONOTONIC) - turns->began_ns;
}

uint64_t ob__turns_cpu_ns(void *ctx)
{
    const ob_turns *turns = ctx;
    uint64_t sum = read_ns(CLOCK_PROCESS_CPUTIME_ID);
    for (unsigned i = 0; i < OB_MOST_MEMBERS; i++)
        if (i != turns->member)
            sum += atomic_load(&turns->ring->cpu_ns[i]);
    return sum;
}
