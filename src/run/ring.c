/* SPDX-License-Identifier: Apache-2.0
 *
 * The token is one word, changed by compare-and-swap, so that a member that leaves and a holder that
 * passes on at the same moment cannot lose it. Sleeping and waking is the kernel's (futex).
 */
#include "run/ring.h"

#include "run/own_time.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MEMBERS_MASK UINT64_C(0xffffffff)
#define HOLDER_MASK UINT64_C(0xff00000000)
enum { HOLDER_SHIFT = 32, CHANGE_SHIFT = 40 };
_Static_assert(OB_MOST_MEMBERS <= 32, "each member has a bit of the low half");

static unsigned holder_of(uint64_t word)
{
    return (unsigned)((word & HOLDER_MASK) >> HOLDER_SHIFT);
}

static uint64_t bit(unsigned member)
{
    return (uint64_t)1 << member;
}

/* The word that follows `old`. */
static uint64_t make_word(uint64_t old, unsigned holder, uint64_t members)
{
    return ((old >> CHANGE_SHIFT) + 1) << CHANGE_SHIFT | (uint64_t)holder << HOLDER_SHIFT | members;
}

/* The first of the members behind `member`, going round; members is not empty. */
static unsigned find_next(uint64_t members, unsigned member)
{
    unsigned next = member;
    do
        next = (next + 1) % OB_MOST_MEMBERS;
    while ((members & bit(next)) == 0 && next != member);
    return next;
}

/* The kernel watches 32 bits: the high half. */
static uint32_t *watched(ob_ring *ring)
{
    return (uint32_t *)&ring->word + (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
}

static void wake_all(ob_ring *ring)
{
    syscall(SYS_futex, watched(ring), FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void ob__ring_begin(ob_ring *ring, uint32_t members, unsigned first)
{
    const unsigned before = (first + OB_MOST_MEMBERS - 1) % OB_MOST_MEMBERS;
    const uint64_t old = atomic_load(&ring->word);
    atomic_store(&ring->word,
                 make_word(old, members != 0 ? find_next(members, before) : 0, members));
    wake_all(ring);
}

void ob__ring_leave(ob_ring *ring, unsigned member)
{
    uint64_t old = atomic_load(&ring->word), wanted;
    do {
        const uint64_t members = old & MEMBERS_MASK & ~bit(member);
        const unsigned holder = members == 0               ? 0
                                : holder_of(old) == member ? find_next(members, member)
                                                           : holder_of(old);
        wanted = make_word(old, holder, members);
    } while (!atomic_compare_exchange_weak(&ring->word, &old, wanted));
    wake_all(ring);
}

static bool holds(uint64_t word, unsigned member)
{
    return (word & bit(member)) != 0 && holder_of(word) == member;
}

bool ob__ring_is_elsewhere(const ob_ring *ring, unsigned member)
{
    const uint64_t word = atomic_load(&ring->word);
    const unsigned holder = holder_of(word);
    return holder != member && holder < OB_MOST_MEMBERS && holds(word, holder);
}

void ob__ring_wait(ob_ring *ring, unsigned member)
{
    for (;;) {
        const uint64_t word = atomic_load(&ring->word);
        if (holds(word, member))
            return;
        syscall(SYS_futex, watched(ring), FUTEX_WAIT, (uint32_t)(word >> HOLDER_SHIFT), NULL, NULL,
                0);
    }
}

void ob__ring_pass(ob_ring *ring, unsigned member)
{
    uint64_t old = atomic_load(&ring->word), wanted;
    do {
        if (!holds(old, member))
            return;
        const uint64_t members = old & MEMBERS_MASK;
        wanted = make_word(old, find_next(members, member), members);
    } while (!atomic_compare_exchange_weak(&ring->word, &old, wanted));
    wake_all(ring);
}

/* ---- a worker's place ---- */

void ob__turns_first(ob_turns *turns)
{
    ob__ring_wait(turns->ring, turns->member);
    turns->waited_ns = 0;
    turns->began_ns = ob__read_clock_ns(CLOCK_MONOTONIC);
}

void ob__turns_next(ob_turns *turns)
{
    const uint64_t before_ns = ob__read_clock_ns(CLOCK_MONOTONIC);
    const uint64_t started_ns = atomic_exchange(turns->case_started, UINT64_MAX);
    atomic_store(&turns->ring->cpu_ns[turns->member], ob__read_clock_ns(CLOCK_PROCESS_CPUTIME_ID));
    ob__ring_pass(turns->ring, turns->member);
    ob__ring_wait(turns->ring, turns->member);
    turns->began_ns = ob__read_clock_ns(CLOCK_MONOTONIC);
    turns->waited_ns += turns->began_ns - before_ns;
    atomic_store(turns->case_started, started_ns + (turns->began_ns - before_ns));
}

uint64_t ob__turns_held_ns(const ob_turns *turns)
{
    return ob__read_clock_ns(CLOCK_MONOTONIC) - turns->began_ns;
}

uint64_t ob__turns_cpu_ns(void *ctx)
{
    const ob_turns *turns = ctx;
    uint64_t sum = ob__read_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    for (unsigned i = 0; i < OB_MOST_MEMBERS; i++)
        if (i != turns->member)
            sum += atomic_load(&turns->ring->cpu_ns[i]);
    return sum;
}
