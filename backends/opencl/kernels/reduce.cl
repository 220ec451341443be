/* SPDX-License-Identifier: Apache-2.0
 *
 * Reductions over some dimensions of a strided tensor, in two steps. `gather` has a work-item per result and
 * part of its elements; it leaves an accumulator. `finish` joins the parts of a result and stores it.
 *
 * Given by the build: C, the compute type, WHOLE when it is an integer; TX and TO, the dtypes; KIND; KEPT and
 * TERMS, how many dimensions the results and the elements of a result have (at least 1 of TERMS); UNIT when
 * the innermost of TERMS has stride 1; STEPS when the kind needs the mean first.
 */
#define SUM 0
#define PROD 1
#define MAX 2
#define MIN 3
#define ARGMAX 4
#define ARGMIN 5
#define ANY 6
#define ALL 7
#define NORM0 8
#define NORM1 9
#define NORM2 10
#define NORMP 11
#define NORM_MAX 12
#define NORM_MIN 13
#define SQUARES 14 /* of what is left of a mean */
#define EXPS 15    /* exp(x - shift) */

#if KIND == MAX || KIND == MIN || KIND == ARGMAX || KIND == ARGMIN || KIND == NORM_MAX || KIND == NORM_MIN
#define PICKS
#endif

typedef struct accumulator {
    C value;
    long index; /* of a pick, within the elements of the result; -1: none yet */
} accumulator;

typedef struct reduction {
    long results, terms, parts;
    long offset, kept_size[15], kept_stride[15], term_size[15], term_stride[15];
} reduction;

inline long place(__private const long *size, __private const long *stride, int count, long at)
{
    long to = 0;
    for (int d = count - 1; d >= 0; d--) {
        to += (d == 0 ? at : at % size[d]) * stride[d];
        at = d == 0 ? 0 : at / size[d];
    }
    return to;
}

inline accumulator start(void)
{
    accumulator a;
    a.value = KIND == PROD || KIND == ALL ? 1 : 0;
    a.index = -1;
    return a;
}

/* Whether `a` is picked before `b`; a NaN before everything. */
inline bool better(C a, C b)
{
#ifndef WHOLE
    if (a != a || b != b)
        return a != a && b == b;
#endif
    return KIND == MIN || KIND == ARGMIN || KIND == NORM_MIN ? a < b : a > b;
}

inline C term(C x, C number)
{
#ifndef WHOLE
    if (KIND == NORM0)
        return x != 0 ? 1 : 0;
    if (KIND == NORM1 || KIND == NORM_MAX || KIND == NORM_MIN)
        return fabs(x);
    if (KIND == NORM2)
        return x * x;
    if (KIND == NORMP)
        return pow(fabs(x), number);
    if (KIND == SQUARES)
        return (x - number) * (x - number);
    if (KIND == EXPS)
        return exp(x - number);
#endif
    if (KIND == ANY || KIND == ALL)
        return x != 0 ? 1 : 0;
    return x;
}

inline C join(C a, C b)
{
    if (KIND == PROD)
        return a * b;
    if (KIND == ANY)
        return a != 0 || b != 0 ? 1 : 0;
    if (KIND == ALL)
        return a != 0 && b != 0 ? 1 : 0;
    return a + b;
}

#define LANES 16

/* numbers: for SQUARES and EXPS, one per result, of `finish` before; else NULL is not read. */
__kernel void gather(__global const MEMORY(TX) *in, __global accumulator *out,
                     __global const C *numbers, reduction r, C number)
{
    const long id = (long)get_global_id(0);
    if (id >= r.results * r.parts)
        return;
    const long result = id / r.parts, part = id % r.parts;
    const long share = (r.terms + r.parts - 1) / r.parts;
    const long begin = part * share, end = min(begin + share, r.terms);
    const long base = r.offset + place(r.kept_size, r.kept_stride, KEPT, result);
    accumulator a = start();
#if KIND == SQUARES || KIND == EXPS
    number = numbers[result];
#endif
#ifdef PICKS
    for (long i = begin; i < end; i++) {
        const C x = term(LOAD(TX, in, base + place(r.term_size, r.term_stride, TERMS, i)), number);
        if (a.index < 0 || better(x, a.value)) {
            a.value = x;
            a.index = i;
        }
    }
#else
    /* Several sums at a time: vectors, and smaller errors than one after the other. */
    C lanes[LANES];
    long i = begin;
    for (int k = 0; k < LANES; k++)
        lanes[k] = a.value;
    for (; i + LANES <= end; i += LANES) {
#ifdef UNIT
        const long at = base + i;
        for (int k = 0; k < LANES; k++)
            lanes[k] = join(lanes[k], term(LOAD(TX, in, at + k), number));
#else
        for (int k = 0; k < LANES; k++)
            lanes[k] = join(lanes[k], term(LOAD(TX, in, base + place(r.term_size, r.term_stride, TERMS, i + k)), number));
#endif
    }
    for (int k = 0; i < end; i++, k++)
        lanes[k] = join(lanes[k], term(LOAD(TX, in, base + place(r.term_size, r.term_stride, TERMS, i)), number));
    for (int width = LANES / 2; width > 0; width /= 2) {
        for (int k = 0; k < width; k++)
            lanes[k] = join(lanes[k], lanes[k + width]);
    }
    a.value = lanes[0];
#endif
    out[id] = a;
}

typedef struct finishing {
    long offset, size[15], stride[15];
    long index_offset, index_stride[15];
} finishing;

/* What comes of an accumulator: EXPRESSION of x, the number of the call and the number of terms n. */
__kernel void finish(__global const accumulator *in, __global MEMORY(TO) *out,
#ifdef INDICES
                     __global long *indices,
#endif
#ifdef NUMBERS
                     __global const C *numbers,
#endif
                     reduction r, finishing f, C number)
{
    const long result = (long)get_global_id(0);
    if (result >= r.results)
        return;
    accumulator a = in[result * r.parts];
    for (long part = 1; part < r.parts; part++) {
        const accumulator b = in[result * r.parts + part];
#ifdef PICKS
        if (b.index >= 0 && (a.index < 0 || better(b.value, a.value)))
            a = b;
#else
        a.value = join(a.value, b.value);
#endif
    }
#ifdef NUMBERS
    number = numbers[result];
#endif
    const C x = a.value, n = (C)r.terms;
    const long to = f.offset + place(f.size, f.stride, KEPT, result);
#if KIND == ARGMAX || KIND == ARGMIN
    out[to] = a.index;
#else
    STORE(TO, out, to, EXPRESSION);
#endif
#ifdef INDICES
    indices[f.index_offset + place(f.size, f.index_stride, KEPT, result)] = a.index;
#endif
}
