/* SPDX-License-Identifier: Apache-2.0
 *
 * The least that there is to the Timer: a C function, timed once by number and once by time.
 *
 *     simple_timeit [SECONDS]        how long blocked_autorange measures, 0.2 if not given
 */
#include "example.h"

enum { COUNT = 1024 };

typedef struct data {
    float x[COUNT], y[COUNT], sum[COUNT];
} data;

/* The loop over iterations is here. The compiler must not find out that they all do the same. */
static ob_status add(void *ctx, uint64_t n, ob_err *err)
{
    data *d = ctx;
    (void)err;
    for (uint64_t i = 0; i < n; i++) {
        for (int k = 0; k < COUNT; k++)
            d->sum[k] = d->x[k] + d->y[k];
        __asm__ volatile("" : : "r"(d) : "memory");
    }
    return OB_OK;
}

int main(int argc, char **argv)
{
    static data d;
    const ob_timer timer = {.size = sizeof timer,
                            .task = {.run = add, .ctx = &d},
                            .spec = {.stmt = "sum = x + y", .setup = "1024 floats each"}};
    ob_measurements *list;
    ob_err err;
    if (ob_measurements_create(&list, &err) != OB_OK)
        return fail("no list", &err);
    ob_status status = ob_timer_timeit(&timer, 10000, list, &err);
    if (status == OB_OK)
        status = print_last(list, &err);
    if (status == OB_OK)
        status = ob_timer_blocked_autorange(&timer, seconds_or_default(argc, argv, 1), list, &err);
    if (status == OB_OK)
        status = print_last(list, &err);
    ob_measurements_destroy(list);
    return status == OB_OK ? 0 : fail("simple_timeit", &err);
}
