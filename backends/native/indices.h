/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks of index values. Loops on several threads note the first bad one they meet; the call then
 * fails with a message that names it.
 */
#ifndef OB_NATIVE_INDICES_H
#define OB_NATIVE_INDICES_H

#include "native_kernel.h"

#include <stdatomic.h>

typedef struct native_bad_index {
    atomic_bool found;
    _Atomic int64_t value, limit;
} native_bad_index;

/* True when 0 <= index < limit; notes it otherwise. */
static inline bool native_index_ok(native_bad_index *bad, int64_t index, int64_t limit)
{
    if (index >= 0 && index < limit)
        return true;
    if (!atomic_exchange(&bad->found, true)) {
        atomic_store(&bad->value, index);
        atomic_store(&bad->limit, limit);
    }
    return false;
}

/* The same for indices that may count from the end; they are made non-negative. */
static inline bool native_index_wrap(native_bad_index *bad, int64_t *index, int64_t limit)
{
    if (*index >= -limit && *index < 0)
        *index += limit;
    return native_index_ok(bad, *index, limit);
}

/* OB_ERR_INVALID when a bad index was noted; `what` is the argument's name. */
static inline ob_status native_index_status(const ob_kit_call *call, native_bad_index *bad,
                                            const char *what, ob_err *err)
{
    if (!atomic_load(&bad->found))
        return OB_OK;
    return call->env->host->err_set(
        err, OB_ERR_INVALID,
        "%s: %s has the index %lld, which is not in [0, %lld); give indices "
        "below the size of what they index",
        call->kernel->name, what, (long long)atomic_load(&bad->value),
        (long long)atomic_load(&bad->limit));
}

#endif
