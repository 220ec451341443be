/* SPDX-License-Identifier: Apache-2.0
 *
 * The virtual clocks. One launch moves the host by launch_ns; its work starts when it has been
 * launched and the work before it is done. For n equal iterations that recurrence has a closed
 * form, so that a block of a billion iterations costs as little as one.
 */
#include "null.h"

/* a + n * b, or false when it does not fit. */
static bool add_product(uint64_t a, uint64_t n, uint64_t b, uint64_t *sum)
{
    uint64_t product;
    return !__builtin_mul_overflow(n, b, &product) && !__builtin_add_overflow(a, product, sum);
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

ob_status null_clock_run(ob_backend *backend, uint64_t work_ns, uint64_t iterations, ob_err *err)
{
    null_clock *clock = &backend->clock;
    const uint64_t launch_ns = (uint64_t)backend->options.launch_ns;
    if (iterations == 0)
        return OB_OK;
    uint64_t host_ns, behind_queue_ns, behind_first_ns, behind_last_ns, first_ns;
    if (!add_product(clock->host_ns, iterations, launch_ns, &host_ns) ||
        !add_product(clock->device_ns, iterations, work_ns, &behind_queue_ns) ||
        !add_product(clock->host_ns, 1, launch_ns, &first_ns) ||
        !add_product(first_ns, iterations, work_ns, &behind_first_ns) ||
        !add_product(host_ns, 1, work_ns, &behind_last_ns))
        return backend->host->err_set(err, OB_ERR_OVERFLOW,
                                      "the null backend's virtual clock would exceed 2^64 ns; run "
                                      "fewer iterations or set smaller times");
    if (backend->options.queue[1] == 'n') { /* "on" */
        clock->host_ns = host_ns;
        clock->device_ns = larger(behind_queue_ns, larger(behind_first_ns, behind_last_ns));
        return OB_OK;
    }
    if (!add_product(host_ns, iterations, work_ns, &clock->host_ns))
        return backend->host->err_set(err, OB_ERR_OVERFLOW,
                                      "the null backend's virtual clock would exceed 2^64 ns; run "
                                      "fewer iterations or set smaller times");
    clock->device_ns = clock->host_ns;
    return OB_OK;
}

void null_clock_sync(null_clock *clock)
{
    clock->host_ns = larger(clock->host_ns, clock->device_ns);
}

uint64_t null_clock_device_now(const null_clock *clock)
{
    return larger(clock->host_ns, clock->device_ns);
}
