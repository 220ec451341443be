/* SPDX-License-Identifier: Apache-2.0
 *
 * Loops over ranges on several threads. OpenMP's pool is started by the first parallel region only, so
 * a run with one thread never has one.
 */
#include "kernel.h"

void native_parallel(const native_env *env, int64_t count, int64_t grain, native_range_fn fn,
                     void *ctx)
{
    const int64_t most = grain > 0 ? count / grain : count;
    const int64_t threads = most < env->threads ? most : env->threads;
    if (threads <= 1) {
        if (count > 0)
            fn(ctx, 0, count);
        return;
    }
    const int64_t share = count / threads, rest = count % threads;
#pragma omp parallel for num_threads((int)threads) schedule(static, 1)
    for (int64_t t = 0; t < threads; t++) {
        const int64_t begin = t * share + (t < rest ? t : rest);
        fn(ctx, begin, begin + share + (t < rest));
    }
}
