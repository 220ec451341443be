/* SPDX-License-Identifier: Apache-2.0
 *
 * Small loops that do nothing but multiply and add, or load and store: what a processor can do at most. Each is a row with the
 * instruction set it needs, and each leaves a result that says whether the work was done.
 */
#ifndef OB_MACHINE_CEILING_LOOPS_H
#define OB_MACHINE_CEILING_LOOPS_H

#include "machine/isa.h"
#include "opbench/dtype.h"

/* What a row needs; names of instruction sets of all architectures. */
typedef struct ob_peak_row {
    ob_dtype dtype;
    const char *set; /* "avx2" */
    int sums;        /* independent ones in flight: instructions per turn */
    double ops;      /* operations per instruction: a multiply-add is two */
    int bytes;       /* of a register, or of a tile */
    /* Adds a product of ones `turns` times to each sum, from 0; sums has room for all of them. */
    void (*fn)(uint64_t turns, const void *ones, void *sums);
    /* What each number of the sums is after a turn; the numbers are f64, f32, f16 or int32. */
    double step;
    ob_dtype sum_dtype;
} ob_peak_row;

enum { OB_PEAK_TURNS = 1024 }; /* of a call: so many ones are exact in float16, too */

/* Those that this architecture may have; which there are is for ob__peak_has. */
const ob_peak_row *ob__peak_rows(size_t *count);
/* Whether this machine has a row's instruction set. works: see ob__cap_try_isas. */
bool ob__set_works(const char *set, ob_isa_set works);
/* Calls the row once; false: its result is wrong. */
bool ob__peak_call(const ob_peak_row *row);

/* ---- memory ---- */

/* enum name, word, arrays of which bytes count, help */
#define OB_STREAM_MAP(X)                                                                           \
    X(LOAD, "load", 1, "reads an array")                                                           \
    X(STORE, "store", 1, "writes one")                                                             \
    X(COPY, "copy", 2, "reads one, writes another")                                                \
    X(TRIAD, "triad", 3, "a = b + 3 c")

typedef enum ob_stream {
#define OB_STREAM_ENUM(id, word, arrays, help) OB_STREAM_##id,
    OB_STREAM_MAP(OB_STREAM_ENUM)
#undef OB_STREAM_ENUM
        OB_STREAM_COUNT
} ob_stream;

typedef struct ob_stream_row {
    ob_stream stream;
    const char *set;
    bool past_caches; /* stores go to memory without reading the line first */
    /* Numbers are f32; bytes of an array: a multiple of OB_STREAM_UNIT. factor: as many threes as fill a register. What was
     * read last is left in *last. */
    void (*fn)(void *a, const void *b, const void *c, size_t bytes, const void *factor, void *last);
} ob_stream_row;

enum { OB_STREAM_UNIT = 512 };

const ob_stream_row *ob__stream_rows(size_t *count);
const char *ob__stream_word(ob_stream stream);
int ob__stream_arrays(ob_stream stream);

#endif
