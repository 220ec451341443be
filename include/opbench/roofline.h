/* SPDX-License-Identifier: Apache-2.0
 *
 * The measured limits of this machine: multiply-adds per second by dtype and instruction set, bytes
 * per second by memory level and device, and the least time that a call of a backend takes.
 * Comparing a result with its ceiling shows how much there is left to gain.
 *
 * One thread at a time per object.
 */
#ifndef OPBENCH_ROOFLINE_H
#define OPBENCH_ROOFLINE_H

#include "opbench/dtype.h"
#include "opbench/json.h"
#include "opbench/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* enum name, word, unit, help */
#define OB_CEILING_MAP(X)                                                                          \
    X(PEAK, "peak", "op/s", "multiply-adds in registers, two operations each")                     \
    X(LOAD, "load", "B/s", "reading an array")                                                     \
    X(STORE, "store", "B/s", "writing an array")                                                   \
    X(COPY, "copy", "B/s", "reading an array and writing another: both count")                     \
    X(TRIAD, "triad", "B/s", "a = b + 3 c: all three count")                                       \
    X(LAUNCH, "launch", "s", "a call of a backend that has nothing to do")                         \
    X(UPLOAD, "upload", "B/s", "copying from the host to a device")                                \
    X(DOWNLOAD, "download", "B/s", "copying from a device to the host")

typedef enum ob_ceiling_kind {
#define OB_CEILING_ENUM(id, word, unit, help) OB_CEILING_##id,
    OB_CEILING_MAP(OB_CEILING_ENUM)
#undef OB_CEILING_ENUM
        OB_CEILING_KIND_COUNT
} ob_ceiling_kind;

const char *ob_ceiling_word(ob_ceiling_kind kind);
const char *ob_ceiling_unit(ob_ceiling_kind kind);

typedef struct ob_ceiling {
    size_t size; /* sizeof(ob_ceiling) */
    ob_ceiling_kind kind;
    /* PEAK: dtype, "f32"; LAUNCH: backend; else "L1", "L2", "L3", "memory", or a device with memory
     * of its own, "cuda:0" */
    char of[32];
    char set[24];    /* instruction set: "avx2", "avx2 past caches"; of a device: the backend */
    int64_t threads; /* of a device: 1 */
    double value;    /* in the kind's unit */
    uint64_t bytes;  /* working set of all threads and arrays; 0 = registers */
} ob_ceiling;

typedef struct ob_roofline ob_roofline;

typedef struct ob_roofline_params {
    size_t size;            /* sizeof(ob_roofline_params) */
    const int64_t *threads; /* numbers of threads; NULL = 1, and one per usable CPU */
    size_t thread_count;    /* length of that list */
    double seconds;         /* approximate total time; 0 = 10 */
    /* Called before each measurement; may be NULL. Any other value than 0 stops: the call then
     * returns OB_END. */
    int (*on_progress)(void *ctx, size_t done, size_t total, const ob_ceiling *next);
    void *ctx;
} ob_roofline_params;

/* OB_ERR_BACKEND: a loop computed wrong numbers. */
ob_status ob_roofline_measure(const ob_roofline_params *params, ob_roofline **out, ob_err *err);
ob_status ob_roofline_add(ob_roofline *roofline, const ob_ceiling *ceiling, ob_err *err);
void ob_roofline_destroy(ob_roofline *roofline); /* NULL is allowed */
size_t ob_roofline_count(const ob_roofline *roofline);
const ob_ceiling *ob_roofline_at(const ob_roofline *roofline, size_t index);

/* ---- kept per machine ---- */

/* Environment variable: a file of ceilings, or "off"; used if --roofline is not given. */
#define OB_ROOFLINE_VARIABLE "OPBENCH_ROOFLINE"

enum { OB_MACHINE_CLASS_BYTES = 17 };

/* A word for the hardware that ceilings depend on: processor, caches, CPUs, memory, virtual or not.
 * Kernels and libraries are not part of it. */
void ob_machine_class(char out[OB_MACHINE_CLASS_BYTES]);
/* The conditions of the measurement, in one line: "Linux 6.1.0, microcode 0xa20102b, opbench 0.2.0
 * (compiler 12.2.0)". If they change, measure again. */
const char *ob_roofline_noted(const ob_roofline *roofline);
/* Also notes the library that a backend had loaded, "OpenBLAS 0.3.21" or "", and its files, one per
 * line: path, tab and what tells one version from another. ob_roofline_note_libraries
 * (opbench/run.h) does this for all backends. */
ob_status ob_roofline_note_library(ob_roofline *roofline, const char *backend, const char *name,
                                   const char *files, ob_err *err);
/* path NULL = this machine's file in the user's cache. Reading fails with OB_ERR_NOT_FOUND when
 * there is none, and with OB_ERR_SYNTAX when it is not ours. */
ob_status ob_roofline_write(const ob_roofline *roofline, const char *path, ob_err *err);
ob_status ob_roofline_read(const char *path, ob_roofline **out, ob_err *err);
/* True the first time on this machine, which the user's cache remembers, so that a caller suggests
 * measuring a roofline only once. False if the cache cannot be written. */
bool ob_roofline_hint_is_new(void);
/* The ceilings as a list, the best for each kind, subject and number of threads. A header keeps a
 * copy, so that results can be drawn from their file alone. NULL: out of memory. */
const ob_json *ob_roofline_json(const ob_roofline *roofline, ob_json_doc *doc);
ob_status ob_roofline_from_json(const ob_json *list, ob_roofline **out, ob_err *err);
/* The current kernel, microcode and build of opbench, in the form of ob_roofline_noted. */
void ob_roofline_note_now(char *out, size_t size);

/* ---- comparing a result with them ---- */

/* enum name, word, help */
#define OB_BOUND_MAP(X)                                                                            \
    X(NONE, "nothing", "none of the ceilings explains the time")                                   \
    X(MEMORY, "memory", "the bytes that have to be moved")                                         \
    X(COMPUTE, "compute", "the operations")                                                        \
    X(OVERHEAD, "overhead", "the call itself")

typedef enum ob_bound {
#define OB_BOUND_ENUM(id, word, help) OB_BOUND_##id,
    OB_BOUND_MAP(OB_BOUND_ENUM)
#undef OB_BOUND_ENUM
        OB_BOUND_COUNT
} ob_bound;

const char *ob_bound_word(ob_bound bound);

/* The work of a case, to compare with the ceilings. */
typedef struct ob_work {
    size_t size;         /* sizeof(ob_work) */
    double flops, bytes; /* below 0 = not known; bytes that no implementation can avoid */
    double working_set;  /* bytes that are touched; 0 = as bytes */
    ob_dtype dtype;      /* of the products */
    int64_t threads;
    bool cold;           /* nothing of it is in a cache */
    const char *backend; /* backend whose call overhead applies; NULL = not known */
    const char *device;  /* "cuda:0": its tensors are in this device's memory; NULL = the host's */
} ob_work;

typedef struct ob_attainable {
    size_t size;                       /* sizeof(ob_attainable) */
    double seconds;                    /* shortest possible time; NaN = no ceiling applies */
    double seconds_of[OB_BOUND_COUNT]; /* for each bound; NaN = not known */
    ob_bound bound;                    /* which one decides */
    char level[16];                    /* memory level that was assumed */
    double flops, bytes;               /* of the case, as they were given */
} ob_attainable;

ob_status ob_roofline_attain(const ob_roofline *roofline, const ob_work *work, ob_attainable *out,
                             ob_err *err);
/* The deciding bound explains a time if at least this fraction of it was necessary. */
#define OB_EXPLAINED_SHARE 0.7
/* Whether a time is impossible: below the ceilings by more than the margins in docs/roofline.md.
 * why says which ceiling. */
bool ob_attainable_forbids(const ob_attainable *attainable, double seconds, char *why, size_t size);

#ifdef __cplusplus
}
#endif
#endif
