/* SPDX-License-Identifier: Apache-2.0
 *
 * Sliding windows; see shape_window.h.
 */
#include "op/shape_window.h"

#include <inttypes.h>

ob_status ob__window_arg(const ob_op_call *call, const char *name, int dims, int64_t least,
                         const ob__ints *fallback, ob__ints *out, ob_err *err)
{
    OB_TRY(ob__arg_ints(call, name, out, err));
    if (out->count == 0 && fallback != NULL)
        *out = *fallback;
    if (out->count == 1) {
        for (int i = 1; i < dims; i++)
            out->v[i] = out->v[0];
        out->count = dims;
    }
    if (out->count != dims)
        return ob__shape_fail(call, err, "%s has %d entries; it must have 1 or %d", name,
                              out->count, dims);
    for (int i = 0; i < dims; i++) {
        if (out->v[i] < least || out->v[i] > INT32_MAX)
            return ob__shape_fail(
                call, err, "%s is %" PRId64 " in dimension %d; it must be from %" PRId64 " to %d",
                name, out->v[i], i, least, INT32_MAX);
    }
    return OB_OK;
}

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

int64_t ob__window_places(int64_t size, const ob__window *window)
{
    const int64_t span = window->dilation * (window->kernel - 1) + 1;
    const int64_t room = size + 2 * window->padding - span;
    int64_t places =
        floor_div(room + (window->ceil_mode ? window->stride - 1 : 0), window->stride) + 1;
    /* The last window must start inside the input or its left padding. */
    if (window->ceil_mode && (places - 1) * window->stride >= size + window->padding)
        places--;
    return places;
}
