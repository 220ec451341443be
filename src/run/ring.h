/* SPDX-License-Identifier: Apache-2.0
 *
 * Taking turns: workers of several backends that measure the same case on the same CPU. Whoever holds the
 * token runs, the others sleep; it goes round after every block. The token lies in memory that the
 * supervisor and all workers see, so that passing it costs no message, and a holder that died is taken
 * out by the supervisor.
 */
#ifndef OB_RUN_RING_H
#define OB_RUN_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { OB_MOST_MEMBERS = 32 };

/* In shared memory. Zero: nobody takes part. */
typedef struct ob_ring {
    /* The bits of all members (low half); who holds the token, and how often that was said (high half), which sleepers
     * watch: it is another one after every change. */
    _Atomic uint64_t word;
    _Atomic uint64_t cpu_ns[OB_MOST_MEMBERS]; /* what each had used when it last passed it on */
} ob_ring;

/* The supervisor: these take part; `first` holds the token, or the next of them if it is none. */
void ob__ring_begin(ob_ring *ring, uint32_t members, unsigned first);
/* The supervisor: the member is done or dead; its token goes on. */
void ob__ring_leave(ob_ring *ring, unsigned member);
/* The supervisor: another member than this one holds the token. */
bool ob__ring_is_elsewhere(const ob_ring *ring, unsigned member);
/* A member: sleeps until it holds the token. */
void ob__ring_wait(ob_ring *ring, unsigned member);
/* A member that holds it: gives it to the next, or keeps it when there is none. */
void ob__ring_pass(ob_ring *ring, unsigned member);

/* A worker's place in the ring. */
typedef struct ob_turns {
    ob_ring *ring;
    unsigned member;
    uint64_t began_ns;  /* of the present turn, monotonic */
    uint64_t waited_ns; /* for all turns of the case but the first */
    /* When the case began, which the supervisor looks at for the time limit: later by what was waited,
     * and never while it waits. */
    _Atomic uint64_t *case_started;
} ob_turns;

/* The first turn of a case, in which it is set up. */
void ob__turns_first(ob_turns *turns);
/* Lets the others run, comes back with the next turn. */
void ob__turns_next(ob_turns *turns);
/* How long the present turn is. */
uint64_t ob__turns_held_ns(const ob_turns *turns);
/* For ob_noise_params: CPU time of all members, which share the CPU in turns. */
uint64_t ob__turns_cpu_ns(void *turns);

#endif
