/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests to valgrind: instructions that it recognises and that do nothing on a real processor. Collection is
 * switched on last and off first, so that hardly anything of ours is counted.
 */
#include "measure/callgrind.h"

#ifdef OB_HAS_CALLGRIND
#include <valgrind/callgrind.h>

bool ob__under_valgrind(void)
{
    return RUNNING_ON_VALGRIND != 0;
}

void ob__callgrind_ready(void)
{
    CALLGRIND_START_INSTRUMENTATION;
}

void ob__callgrind_rest(void)
{
    CALLGRIND_STOP_INSTRUMENTATION;
}

void ob__callgrind_forget(void)
{
    CALLGRIND_ZERO_STATS;
}

void ob__callgrind_begin(void)
{
    CALLGRIND_TOGGLE_COLLECT;
}

void ob__callgrind_pause(void)
{
    CALLGRIND_TOGGLE_COLLECT;
}

void ob__callgrind_dump(void)
{
    CALLGRIND_DUMP_STATS;
}

void ob__callgrind_end(void)
{
    CALLGRIND_TOGGLE_COLLECT;
    CALLGRIND_DUMP_STATS;
}
#else
bool ob__under_valgrind(void)
{
    return false;
}

void ob__callgrind_ready(void)
{
}

void ob__callgrind_rest(void)
{
}

void ob__callgrind_forget(void)
{
}

void ob__callgrind_begin(void)
{
}

void ob__callgrind_pause(void)
{
}

void ob__callgrind_dump(void)
{
}

void ob__callgrind_end(void)
{
}
#endif
