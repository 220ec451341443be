/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether the kernel took the CPU away during a sample, or gave memory in it: context switches and page faults, read
 * before and behind what is timed. Switches come from the page that the kernel keeps up to date for a software event of
 * perf_event, which costs two loads; where it cannot be had, from getrusage, which costs a call and is asked for long samples
 * alone. Faults always come from getrusage: the page learns of them too late.
 */
#ifndef OB_MEASURE_DISTURBANCE_H
#define OB_MEASURE_DISTURBANCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_event_attr;

/* Since the start of the thread, or of the process for all of its threads. */
typedef struct ob_usage {
    uint64_t voluntary, involuntary; /* context switches */
    uint64_t faults;
} ob_usage;

/* The system's calls, so that tests can stand in for them. */
typedef struct ob_disturbance_calls {
    int (*open)(void *ctx, const struct perf_event_attr *attr); /* -1: no */
    void *(*map)(void *ctx, int fd, size_t size);               /* NULL: no */
    bool (*read)(void *ctx, int fd, uint64_t *out);
    void (*unmap)(void *ctx, void *page, size_t size);
    void (*close)(void *ctx, int fd);
    void (*sleep)(void *ctx); /* for a moment, so that there is a switch to count */
    void (*usage)(void *ctx, bool all_threads, ob_usage *out);
    void *ctx;
} ob_disturbance_calls;

typedef struct ob_disturbance_params {
    const ob_disturbance_calls *calls; /* NULL = the system's */
    bool
        by_page; /* try the page; opening the first event of a machine takes the kernel some 10 ms */
    /* The work is not of the calling thread alone: it waits for others, which is no disturbance, and they may be
     * switched off as well. Only getrusage tells these apart. */
    bool others_work;
} ob_disturbance_params;

/* Below it a sample is not worth a call. */
#define OB_WORTH_USAGE_NS 20e3

typedef struct ob_disturbance {
    ob_disturbance_calls calls;
    bool others_work;
    int fd;
    void *page;
    /* In the page; NULL = there is none. */
    const volatile uint32_t *lock;
    const volatile int64_t *offset;
    /* Of the sample under way: */
    int64_t switches; /* by the page, before it */
    ob_usage before; /* or, of a sample that was expected to be short, of the last call before it */
    bool asked;      /* `before` is of just before the sample */
    double last_ns;  /* how long the sample before took */
} ob_disturbance;

/* Of one sample. */
typedef struct ob_disturbed {
    bool switched;   /* off the CPU */
    uint64_t faults; /* as far as known: 0 for short samples */
} ob_disturbed;

/* Of the calling thread, which is the one that must take the samples. Never fails. */
void ob__disturbance_open(ob_disturbance *d, const ob_disturbance_params *params);
void ob__disturbance_close(ob_disturbance *d);
/* "perf_event" or "getrusage": how switches are known. */
const char *ob__disturbance_source(const ob_disturbance *d);
/* What happened up to here belongs to no sample. */
void ob__disturbance_forget(ob_disturbance *d);
/* The slow parts of the two below. */
void ob__disturbance_ask(ob_disturbance *d);
ob_disturbed ob__disturbance_look(ob_disturbance *d, bool switched);

static inline int64_t ob__disturbance_switches(const ob_disturbance *d)
{
    uint32_t sequence;
    int64_t count;
    do {
        sequence = *d->lock;
        atomic_signal_fence(memory_order_seq_cst);
        count = *d->offset;
        atomic_signal_fence(memory_order_seq_cst);
    } while (*d->lock != sequence);
    return count;
}

/* Just before the clock is read. */
static inline void ob__disturbance_begin(ob_disturbance *d)
{
    d->asked = d->last_ns >= OB_WORTH_USAGE_NS;
    if (d->asked)
        ob__disturbance_ask(d);
    if (d->offset != NULL)
        d->switches = ob__disturbance_switches(d);
}

/* Just behind it; the sample took so long in all. */
static inline ob_disturbed ob__disturbance_end(ob_disturbance *d, double took_ns)
{
    const bool switched = d->offset != NULL && ob__disturbance_switches(d) != d->switches;
    d->last_ns = took_ns;
    if (took_ns < OB_WORTH_USAGE_NS)
        return (ob_disturbed){.switched = switched};
    return ob__disturbance_look(d, switched);
}

#endif
