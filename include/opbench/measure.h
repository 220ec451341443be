/* SPDX-License-Identifier: Apache-2.0
 *
 * Measuring: clocks, statistics of samples, confidence intervals, and what is known about the
 * machine's noise. Nothing here runs an operator and nothing prints.
 *
 * Samples are doubles in whatever unit the caller chose; results are in the same unit. Everything
 * is for one thread at a time; there is no state outside the structs of the caller.
 */
#ifndef OPBENCH_MEASURE_H
#define OPBENCH_MEASURE_H

#include "opbench/opbench.h"
#include "opbench/status.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ clocks */

/* Where time comes from. Readings never go down. */
struct ob_clock {
    uint64_t (*now_ns)(void *ctx);
    void *ctx;
};

static inline uint64_t ob_clock_now_ns(const ob_clock *clock)
{
    return clock->now_ns(clock->ctx);
}

/* CLOCK_MONOTONIC. */
ob_clock ob_clock_monotonic(void);

/* A clock for tests: each reading gives now_ns and then adds step_ns. The caller moves it by
 * changing now_ns. */
typedef struct ob_fake_clock {
    uint64_t now_ns;
    uint64_t step_ns;
} ob_fake_clock;
ob_clock ob_clock_fake(ob_fake_clock *fake); /* fake must outlive the clock */

typedef struct ob_clock_quality {
    double overhead_ns;   /* cost of one reading: the fastest of several rounds */
    double resolution_ns; /* smallest step between two different readings */
} ob_clock_quality;

/* Takes well under a millisecond with a clock that moves at every reading. OB_ERR_UNSUPPORTED for a
 * clock that stands still or goes back. */
ob_status ob_clock_measure(const ob_clock *clock, ob_clock_quality *out, ob_err *err);
/* The resolution alone, measured at each call; 0 for a clock that cannot be measured. */
double ob_clock_resolution_ns(const ob_clock *clock);

/* ------------------------------------------------------------------ statistics */

/* Fields of ob_stats besides `count`: X(argument, name, help). Quantiles interpolate linearly
 * between neighbours, as NumPy and torch.quantile do. */
#define OB_STATS_MAP(X, argument)                                                                  \
    X(argument, mean, "arithmetic mean")                                                           \
    X(argument, median, "median; of several processes that of their medians")                      \
    X(argument, min, "smallest sample")                                                            \
    X(argument, max, "largest sample")                                                             \
    X(argument, p25, "25 % quantile")                                                              \
    X(argument, p75, "75 % quantile")                                                              \
    X(argument, iqr, "interquartile range, p75 - p25")                                             \
    X(argument, p90, "90 % quantile")                                                              \
    X(argument, p99, "99 % quantile")                                                              \
    X(argument, stddev, "standard deviation with n - 1; absent for one sample")

typedef struct ob_stats {
    uint64_t count;
#define OB_STATS_FIELD(argument, name, help) double name;
    OB_STATS_MAP(OB_STATS_FIELD, )
#undef OB_STATS_FIELD
} ob_stats;

/* Scratch holds `count` doubles, is overwritten (with the sorted samples) and may be the samples
 * themselves. OB_ERR_INVALID for no samples or one that is NaN or infinite; OB_ERR_OVERFLOW when a
 * result does not fit a double. stddev is NaN for one sample. */
ob_status ob_stats_compute(const double *samples, size_t count, double *scratch, ob_stats *out,
                           ob_err *err);
/* Ascending; in place, without allocating, n log n at worst. No NaN. */
void ob_stats_sort(double *samples, size_t count);
/* The q quantile of ascending samples; count > 0, 0 <= q <= 1. */
double ob_stats_quantile(const double *sorted, size_t count, double q);

/* The q quantile, 0 < q < 1, of Student's t distribution with `degrees` > 0 degrees of freedom; NaN
 * for arguments outside. Good to about 11 digits. */
double ob_student_t_quantile(double q, double degrees);

/* ------------------------------------------------------------------ confidence intervals */

/* An interval of the median goes from one of the ordered samples to another: whatever their
 * distribution, n independent samples have their median between the r-th from below and the r-th
 * from above with a chance that is a sum of binomial terms. Six can give 95 %, fewer cannot.
 * Neighbouring samples of one process resemble each other: they are worth fewer independent ones,
 * which takes ten samples to judge. */
enum {
    OB_MIN_SAMPLES = 10,
    OB_MIN_PROCESSES = 6,
    OB_MIN_PRECISE_SAMPLES = 30, /* before a stopping rule believes an interval */
};
#define OB_DEFAULT_CONFIDENCE 0.95

typedef struct ob_interval {
    bool enough;      /* false: too few, or too dependent; low, high and widths are NaN */
    double median;    /* NaN without a sample */
    double low, high; /* samples themselves; the median is between them, not always in the middle */
    double half_width;          /* (high - low) / 2 */
    double relative_half_width; /* half_width / |median|; 0 if half_width is */
    double lag1; /* correlation of neighbours (batches, if there are many), by their sides of the
                  * median; well above 0: they drift. NaN if it was not asked for */
    double confidence;    /* the coverage, at least what was asked for; not enough: what all that is
                           * there covers, or NaN if that is not known */
    uint64_t independent; /* how many independent samples those that are there are worth */
} ob_interval;

/* For the samples of one process, in the order they were taken. Not enough below OB_MIN_SAMPLES, or
 * if they are worth less than six. confidence 0 = OB_DEFAULT_CONFIDENCE, else inside (0, 1). The
 * time is proportional to the count. OB_ERR_INVALID for a sample that is not finite or a bad
 * confidence. */
ob_status ob_interval_from_samples(const double *samples, size_t count, double confidence,
                                   ob_interval *out, ob_err *err);
/* For the medians of several processes, or anything else whose order has no meaning: each is
 * independent. Not enough for 95 % below OB_MIN_PROCESSES. */
ob_status ob_interval_from_processes(const double *medians, size_t count, double confidence,
                                     ob_interval *out, ob_err *err);

/* ------------------------------------------------------------------ the machine */

enum { OB_MAX_CPUS = 4096 };

typedef struct ob_cpu_set {
    uint64_t bits[OB_MAX_CPUS / 64];
} ob_cpu_set;

/* The CPUs that this process may use (affinity, and with it cpusets). */
ob_status ob_cpu_set_usable(ob_cpu_set *out, ob_err *err);
/* The kernel's notation: "0-3,8,10-11"; blanks and a newline at the end are fine. */
ob_status ob_cpu_set_parse(const char *text, size_t length, ob_cpu_set *out, ob_err *err);
bool ob_cpu_set_has(const ob_cpu_set *set, size_t cpu);
size_t ob_cpu_set_count(const ob_cpu_set *set);

/* Texts are "" and numbers 0 (the int8_t ones: -1) where the machine does not say. */
typedef struct ob_system {
    char hostname[256];
    char kernel[160];      /* "Linux 6.1.0-18-amd64" */
    char machine[80];      /* "x86_64" */
    char cpu_model[128];   /* "AMD EPYC 7B13" */
    char governor[32];     /* of the usable CPUs; "mixed" when they differ */
    char hugepages[16];    /* transparent ones: "always", "madvise", "never" */
    char clock_source[32]; /* "tsc" */
    uint64_t cpus_online;
    uint64_t cpus_usable;
    int8_t boost;      /* frequency boost: 1 on, 0 off */
    int8_t smt;        /* sibling threads: 1 on, 0 off */
    int8_t hypervisor; /* 1: a virtual machine */
    uint64_t memory_bytes;
    uint64_t memory_limit_bytes; /* of the control group; 0 = none */
    /* Caches of the first usable CPU. */
    uint64_t l1d_bytes, l1i_bytes, l2_bytes, l3_bytes;
    uint64_t cache_line_bytes;
    uint64_t last_level_bytes; /* the data cache of the highest level */
    uint64_t last_level_cpus;  /* how many CPUs share it */
} ob_system;

/* root (NULL = "") is put before "/proc" and "/sys"; usable NULL = ob_cpu_set_usable. What cannot
 * be read is left unknown; fails only for a root path that is too long or when usable cannot be
 * had. */
ob_status ob_system_read(const char *root, const ob_cpu_set *usable, ob_system *out, ob_err *err);

/* The class of hardware in words: "AMD EPYC, x86_64, 2 CPUs, virtual, L1d 32 KiB, L2 512 KiB, L3 32
 * MiB". Results of two classes are never compared over time. out is cut to size. */
void ob_system_class(const ob_system *system, char *out, size_t size);

/* ------------------------------------------------------------------ noise */

/* Fractions of the time of the observed CPUs: 1 = all of them, all the time. */
typedef struct ob_noise {
    uint64_t windows;                /* how many whole windows; 0: the rest is NaN */
    double seconds;                  /* their total length */
    double foreign;                  /* fraction that other processes used, over all windows */
    double steal;                    /* fraction that the hypervisor took away, over all windows */
    double own;                      /* fraction that this process used */
    double max_foreign, max_steal;   /* of the worst window */
    double last_foreign, last_steal; /* of the latest window */
} ob_noise;

/* Zero means the default. */
typedef struct ob_noise_params {
    size_t size;            /* sizeof(ob_noise_params) */
    const char *root;       /* before "/proc/stat"; borrowed. NULL = "" */
    const ob_cpu_set *cpus; /* which CPUs to look at; copied. NULL = ob_cpu_set_usable */
    const ob_clock *clock;  /* copied. NULL = monotonic */
    /* CPU time of the processes that are not foreign. NULL = this process's and its ended
     * children's. */
    uint64_t (*own_cpu_ns)(void *ctx);
    void *own_ctx;
    uint64_t window_ns; /* 0 = 100 ms, and never less: /proc/stat counts in ticks of 10 ms */
} ob_noise_params;

typedef struct ob_noise_sampler ob_noise_sampler;

/* OB_ERR_UNSUPPORTED where there is no /proc/stat. */
ob_status ob_noise_sampler_open(const ob_noise_params *params, ob_noise_sampler **out, ob_err *err);
void ob_noise_sampler_close(ob_noise_sampler *sampler); /* NULL is allowed */
/* Call it between measurements, as often as convenient: it reads a clock, and /proc/stat only when
 * a window is over. *read (may be NULL) says whether it did. */
ob_status ob_noise_sampler_poll(ob_noise_sampler *sampler, bool *read, ob_err *err);
void ob_noise_sampler_get(const ob_noise_sampler *sampler, ob_noise *out);

#ifdef __cplusplus
}
#endif
#endif
