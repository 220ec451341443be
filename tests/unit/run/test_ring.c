/* SPDX-License-Identifier: Apache-2.0
 *
 * The token goes round among those who take part, is never lost and never held by two.
 */
#include "check.h"
#include "run/ring.h"

#include <pthread.h>

enum { MEMBERS = 3, TURNS = 200 };

static ob_ring ring;
static _Atomic int inside, most_inside, log_count;
static int log_of[MEMBERS * TURNS];

/* Holder and members, without the number of changes above them. */
static uint64_t state(void)
{
    return ring.word & UINT64_C(0xffffffffff);
}

static void *take_turns(void *ctx)
{
    _Atomic uint64_t started = 100;
    ob_turns turns = {.ring = &ring, .member = *(const unsigned *)ctx, .case_started = &started};
    ob__turns_first(&turns);
    for (int i = 0; i < TURNS; i++) {
        const int here = ++inside;
        if (here > most_inside)
            most_inside = here;
        log_of[log_count++] = (int)turns.member;
        inside--;
        if (i < TURNS - 1)
            ob__turns_next(&turns);
    }
    CHECK_INT(started, 100 + turns.waited_ns);
    ob__ring_leave(&ring, turns.member);
    return NULL;
}

static void goes_round(void)
{
    static const unsigned numbers[MEMBERS] = {0, 2, 5};
    pthread_t threads[MEMBERS];
    inside = most_inside = log_count = 0;
    ob__ring_begin(&ring, 1u << 0 | 1u << 2 | 1u << 5, 0);
    for (int i = MEMBERS - 1; i >= 0; i--)
        pthread_create(&threads[i], NULL, take_turns, (void *)&numbers[i]);
    for (int i = 0; i < MEMBERS; i++)
        pthread_join(threads[i], NULL);
    CHECK_INT(most_inside, 1);
    CHECK_INT(log_count, MEMBERS * TURNS);
    for (int i = 0; i < log_count; i++)
        CHECK_INT(log_of[i], numbers[i % MEMBERS]);
    CHECK_INT(state(), 0);
}

static uint64_t word(uint64_t holder, uint64_t members)
{
    return holder << 32 | members;
}

static void leaving_hands_it_on(void)
{
    ob__ring_begin(&ring, 0xb, 0);
    CHECK_INT(state(), word(0, 0xb));
    ob__ring_leave(&ring, 1); /* does not hold it */
    CHECK_INT(state(), word(0, 0x9));
    ob__ring_leave(&ring, 0);
    CHECK_INT(state(), word(3, 0x8));
    ob__ring_pass(&ring, 3); /* nobody else: it stays */
    CHECK_INT(state(), word(3, 0x8));
    ob__ring_wait(&ring, 3); /* holds it: does not wait */
    ob__ring_leave(&ring, 3);
    CHECK_INT(state(), 0);
    ob__ring_leave(&ring, 3);
    CHECK_INT(state(), 0);
}

static void only_the_holder_passes(void)
{
    ob__ring_begin(&ring, 0x6, 0);
    CHECK_INT(state(), word(1, 0x6));
    ob__ring_pass(&ring, 2);
    CHECK_INT(state(), word(1, 0x6));
    ob__ring_pass(&ring, 1);
    CHECK_INT(state(), word(2, 0x6));
    ob__ring_begin(&ring, 0, 0);
    CHECK_INT(state(), 0);
    ob__ring_begin(&ring, 0x6, 2);
    CHECK_INT(state(), word(2, 0x6));
    ob__ring_begin(&ring, 0x6, 3); /* no member: the next, going round */
    CHECK_INT(state(), word(1, 0x6));
}

/* A sleeper that looked before a change must not sleep through it, though the holder be the same. */
static void every_change_is_seen(void)
{
    ob__ring_begin(&ring, 0, 0);
    const uint64_t idle = ring.word >> 32;
    ob__ring_begin(&ring, 0x1, 0);
    CHECK(ring.word >> 32 != idle);
    const uint64_t begun = ring.word >> 32;
    ob__ring_leave(&ring, 5);
    CHECK(ring.word >> 32 != begun);
}

static void takes_as_many_as_there_are_bits(void)
{
    ob__ring_begin(&ring, UINT32_MAX, OB_MOST_MEMBERS - 1);
    CHECK_INT(state(), word(OB_MOST_MEMBERS - 1, UINT32_MAX));
    ob__ring_pass(&ring, OB_MOST_MEMBERS - 1);
    CHECK_INT(state(), word(0, UINT32_MAX));
    ob__ring_leave(&ring, OB_MOST_MEMBERS - 1);
    CHECK_INT(state(), word(0, UINT32_MAX >> 1));
}

static void cpu_time_of_all(void)
{
    const ob_turns turns = {.ring = &ring, .member = 1};
    ring.cpu_ns[0] = 5000000000000;
    ring.cpu_ns[1] = 9000000000000; /* its own is read, not taken from here */
    const uint64_t sum = ob__turns_cpu_ns((void *)&turns);
    CHECK(sum >= 5000000000000 && sum < 6000000000000);
}

int main(void)
{
    RUN(goes_round);
    RUN(leaving_hands_it_on);
    RUN(only_the_holder_passes);
    RUN(every_change_is_seen);
    RUN(takes_as_many_as_there_are_bits);
    RUN(cpu_time_of_all);
    return ob_test_end();
}
