/* SPDX-License-Identifier: Apache-2.0
 *
 * Maximum and average pools over three spatial dimensions (fewer are ones in front) and their gradients. A work-item computes
 * one element of what comes out; an average's gradient by looking at every window that has the element, a maximum's plane by
 * plane, because indices may be any. All dense. Given by the build: C; TX, the dtype of values; ADAPTIVE when windows follow from the sizes.
 */
typedef struct pool {
    long wide_size[3], narrow_size[3], kernel_size[3], stride[3], padding[3], dilation[3];
    long divisor, include_pad;
    long in, out, indices; /* where they start */
    long count;            /* of work-items */
} pool;

/* What a window covers along one dimension: from lo below hi in steps of the dilation; full counts padding too. */
typedef struct span {
    long lo, hi, full;
} span;

inline span span_of(const pool *p, int d, long o)
{
    span s;
#ifdef ADAPTIVE
    s.lo = o * p->wide_size[d] / p->narrow_size[d];
    s.hi = ((o + 1) * p->wide_size[d] + p->narrow_size[d] - 1) / p->narrow_size[d];
    s.full = s.hi - s.lo;
#else
    const long start = o * p->stride[d] - p->padding[d], step = p->dilation[d];
    const long end = start + (p->kernel_size[d] - 1) * step + 1;
    s.lo = start >= 0 ? start : start + (-start + step - 1) / step * step;
    s.hi = min(end, p->wide_size[d]);
    s.full = min(end, p->wide_size[d] + p->padding[d]) - start;
#endif
    return s;
}

/* The windows that may have the place w: from lo up to hi, both included. */
inline span windows_of(const pool *p, int d, long w)
{
    span s;
#ifdef ADAPTIVE
    s.lo = w * p->narrow_size[d] / p->wide_size[d];
    s.hi = ((w + 1) * p->narrow_size[d] - 1) / p->wide_size[d];
#else
    const long reach = (p->kernel_size[d] - 1) * p->dilation[d], t = w + p->padding[d];
    s.lo = t > reach ? (t - reach + p->stride[d] - 1) / p->stride[d] : 0;
    s.hi = min(t / p->stride[d], p->narrow_size[d] - 1);
#endif
    s.full = 0;
    return s;
}

/* What an average is divided by; 0 where a window lies in the padding alone. */
inline long divisor_of(const pool *p, span a, span b, span c)
{
    const long inside = max(a.hi - a.lo, 0L) * max(b.hi - b.lo, 0L) * max(c.hi - c.lo, 0L);
    if (inside == 0)
        return 0;
    return p->divisor != 0 ? p->divisor : p->include_pad != 0 ? a.full * b.full * c.full : inside;
}

/* index as plane and place, of the sizes of a side. */
#define SPLIT(size)                                                                                \
    long rest = index;                                                                             \
    const long x = rest % p.size[2];                                                               \
    rest /= p.size[2];                                                                             \
    const long y = rest % p.size[1];                                                               \
    rest /= p.size[1];                                                                             \
    const long z = rest % p.size[0];                                                               \
    const long plane = rest / p.size[0];

#define EACH_INPUT(i)                                                                              \
    for (long d_ = a.lo; d_ < a.hi; d_ += p.dilation[0])                                           \
        for (long h_ = b.lo; h_ < b.hi; h_ += p.dilation[1])                                       \
            for (long x_ = c.lo, i = (d_ * p.wide_size[1] + h_) * p.wide_size[2] + c.lo; x_ < c.hi; \
                 x_ += p.dilation[2], i += p.dilation[2])

/* A NaN wins. */
__kernel void max_forward(__global MEMORY(TX) *out, __global long *indices,
                          __global const MEMORY(TX) *in, pool p)
{
    const long index = (long)get_global_id(0);
    if (index >= p.count)
        return;
    SPLIT(narrow_size)
    const span a = span_of(&p, 0, z), b = span_of(&p, 1, y), c = span_of(&p, 2, x);
    const long from = p.in + plane * p.wide_size[0] * p.wide_size[1] * p.wide_size[2];
    C best = -INFINITY;
    long at = -1;
    EACH_INPUT(i)
    {
        const C value = LOAD(TX, in, from + i);
        if (at < 0 || value > best || value != value) {
            best = value;
            at = i;
        }
    }
    STORE(TX, out, p.out + index, best);
    indices[p.indices + index] = max(at, 0L);
}

__kernel void avg_forward(__global MEMORY(TX) *out, __global const MEMORY(TX) *in, pool p)
{
    const long index = (long)get_global_id(0);
    if (index >= p.count)
        return;
    SPLIT(narrow_size)
    const span a = span_of(&p, 0, z), b = span_of(&p, 1, y), c = span_of(&p, 2, x);
    const long from = p.in + plane * p.wide_size[0] * p.wide_size[1] * p.wide_size[2];
    C sum = 0;
    EACH_INPUT(i)
    sum += LOAD(TX, in, from + i);
    const long divisor = divisor_of(&p, a, b, c);
    STORE(TX, out, p.out + index, divisor == 0 ? (C)0 : sum / (C)divisor);
}

/* p.count planes, each by one work-item. */
__kernel void max_backward(__global C *out, __global const long *indices,
                           __global const MEMORY(TX) *grad, pool p, volatile __global fault *faults,
                           int site)
{
    const long plane = (long)get_global_id(0);
    if (plane >= p.count)
        return;
    const long wide = p.wide_size[0] * p.wide_size[1] * p.wide_size[2];
    const long narrow = p.narrow_size[0] * p.narrow_size[1] * p.narrow_size[2];
    const long to = p.out + plane * wide, from = plane * narrow;
    for (long i = 0; i < wide; i++)
        out[to + i] = 0;
    for (long o = 0; o < narrow; o++) {
        const long i = indices[p.indices + from + o];
        if (i < 0 || i >= wide)
            leave_fault(faults, site, FAULT_INDEX, i, wide);
        else
            out[to + i] += LOAD(TX, grad, p.in + from + o);
    }
}

#define EACH_WINDOW(o)                                                                             \
    const span az = windows_of(&p, 0, z), ay = windows_of(&p, 1, y), ax = windows_of(&p, 2, x);    \
    for (long oz = az.lo; oz <= az.hi; oz++)                                                       \
        for (long oy = ay.lo; oy <= ay.hi; oy++)                                                   \
            for (long ox = ax.lo, o = (oz * p.narrow_size[1] + oy) * p.narrow_size[2] + ax.lo;     \
                 ox <= ax.hi; ox++, o++)

__kernel void avg_backward(__global MEMORY(TX) *out, __global const MEMORY(TX) *grad, pool p)
{
    const long index = (long)get_global_id(0);
    if (index >= p.count)
        return;
    SPLIT(wide_size)
    const long from = plane * p.narrow_size[0] * p.narrow_size[1] * p.narrow_size[2];
    C sum = 0;
    EACH_WINDOW(o)
    {
        const span a = span_of(&p, 0, oz), b = span_of(&p, 1, oy), c = span_of(&p, 2, ox);
        const long divisor = divisor_of(&p, a, b, c);
        sum += divisor == 0 ? (C)0 : LOAD(TX, grad, p.in + from + o) / (C)divisor;
    }
    STORE(TX, out, p.out + index, sum);
}
