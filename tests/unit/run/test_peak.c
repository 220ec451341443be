/* SPDX-License-Identifier: Apache-2.0
 *
 * The high-water mark of memory falls back when a case begins, where the kernel lets it.
 */
#include "check.h"
#include "run/peak.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { LARGE = 64 << 20 };

static void touch_and_release(void)
{
    void *memory = mmap(NULL, LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED);
    memset(memory, 1, LARGE);
    munmap(memory, LARGE);
}

static void falls_back(void)
{
    ob_peak peak;
    ob__peak_open(&peak);
    const uint64_t before = ob__peak_bytes(&peak);
    CHECK(before > 0);
    touch_and_release();
    const uint64_t with = ob__peak_bytes(&peak);
    CHECK(with >= before + LARGE / 2);
    ob__peak_reset(&peak);
    if (peak.reset >= 0)
        CHECK(ob__peak_bytes(&peak) <= with - LARGE / 2);
    else
        CHECK_INT(ob__peak_bytes(&peak), with);
    ob__peak_close(&peak);
}

/* Another program's mark from before exec, as getrusage gives it, is not this one's. */
static void a_high_floor_is_not_believed(void)
{
    ob_peak peak;
    ob__peak_open(&peak);
    peak.floor_bytes = UINT64_MAX;
    CHECK(ob__peak_bytes(&peak) > 0);
    CHECK(ob__peak_bytes(&peak) < UINT64_C(1) << 40);
    ob__peak_close(&peak);
    peak = (ob_peak){.reset = -1, .status = -1, .floor_bytes = UINT64_MAX};
    CHECK(ob__peak_bytes(&peak) > 0);
}

int main(void)
{
    RUN(falls_back);
    RUN(a_high_floor_is_not_believed);
    return ob_test_end();
}
