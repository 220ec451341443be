/* SPDX-License-Identifier: Apache-2.0
 *
 * arange and, with LINE, linspace. Given by the build: C, TO.
 */
__kernel void sequence(__global MEMORY(TO) *out, long offset, long stride, long count, C start,
                       C end, C step)
{
    const long i = (long)get_global_id(0);
    if (i >= count)
        return;
#ifdef LINE
    const bool low = i < count / 2 || count == 1;
    const C value = low ? start + step * (C)i : end - step * (C)(count - i - 1);
#else
    const C value = start + (C)i * step;
#endif
    STORE(TO, out, offset + i * stride, value);
}
