/* SPDX-License-Identifier: Apache-2.0
 *
 * Sets of CPUs: the ones this process may use, and the kernel's text form of a set.
 */
#include "opbench/measure.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

ob_status ob_cpu_set_usable(ob_cpu_set *out, ob_err *err)
{
    *out = (ob_cpu_set){.bits = {0}};
    /* The kernel fills words of its own size from the lowest CPU on; on little-endian machines, and
     * where a word has 64 bits, that is our layout too. */
    if (sched_getaffinity(0, sizeof out->bits, (cpu_set_t *)out->bits) == 0)
        return OB_OK;
    return ob_err_set(err, OB_ERR_IO, "the CPUs of this process cannot be read: %s",
                      strerror(errno));
}

bool ob_cpu_set_has(const ob_cpu_set *set, size_t cpu)
{
    return cpu < OB_MAX_CPUS && (set->bits[cpu / 64] >> (cpu % 64) & 1) != 0;
}

size_t ob_cpu_set_count(const ob_cpu_set *set)
{
    size_t count = 0;
    for (size_t i = 0; i < OB_MAX_CPUS / 64; i++)
        count += (size_t)__builtin_popcountll(set->bits[i]);
    return count;
}

/* A CPU's number at text[*at]; false if there is none or it is too large. */
static bool read_cpu(const char *text, size_t length, size_t *at, size_t *cpu)
{
    const size_t start = *at;
    *cpu = 0;
    for (; *at < length && text[*at] >= '0' && text[*at] <= '9'; (*at)++) {
        *cpu = *cpu * 10 + (size_t)(text[*at] - '0');
        if (*cpu >= OB_MAX_CPUS)
            return false;
    }
    return *at > start;
}

static bool parse_set(const char *text, size_t length, ob_cpu_set *out)
{
    for (size_t at = 0; at < length;) {
        size_t first, last;
        if (!read_cpu(text, length, &at, &first))
            return false;
        last = first;
        if (at < length && text[at] == '-') {
            at++;
            if (!read_cpu(text, length, &at, &last) || last < first)
                return false;
        }
        for (size_t cpu = first; cpu <= last; cpu++)
            out->bits[cpu / 64] |= UINT64_C(1) << (cpu % 64);
        if (at < length && text[at++] != ',')
            return false;
        if (at == length && text[at - 1] == ',')
            return false;
    }
    return true;
}

ob_status ob_cpu_set_parse(const char *text, size_t length, ob_cpu_set *out, ob_err *err)
{
    *out = (ob_cpu_set){.bits = {0}};
    while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == ' '))
        length--;
    if (parse_set(text, length, out))
        return OB_OK;
    *out = (ob_cpu_set){.bits = {0}};
    return ob_err_set(err, OB_ERR_SYNTAX,
                      "\"%.*s\" is not a list of CPUs below %d; write it like 0-3,8",
                      (int)(length < 60 ? length : 60), text, OB_MAX_CPUS);
}
