/* SPDX-License-Identifier: Apache-2.0
 *
 * Which machines count as the same one for results: those of one class of hardware. Kernel, microcode and libraries are
 * not in it: they are said beside a result. Nor is the memory, whose size differs a little from kernel to kernel.
 */
#include "opbench/measure.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void append_bytes(char *out, size_t size, const char *name, uint64_t bytes)
{
    const size_t used = strlen(out);
    if (bytes == 0)
        return;
    if (bytes % (1 << 20) == 0)
        snprintf(out + used, size - used, ", %s %" PRIu64 " MiB", name, bytes >> 20);
    else
        snprintf(out + used, size - used, ", %s %" PRIu64 " KiB", name, bytes >> 10);
}

void ob_system_class(const ob_system *system, char *out, size_t size)
{
    const ob_system *s = system;
    snprintf(out, size, "%s, %s, %" PRIu64 " CPU%s%s%s",
             s->cpu_model[0] != '\0' ? s->cpu_model : "unknown processor",
             s->machine[0] != '\0' ? s->machine : "unknown architecture", s->cpus_online,
             s->cpus_online == 1 ? "" : "s", s->smt == 1 ? " with siblings" : "",
             s->hypervisor == 1 ? ", virtual" : "");
    append_bytes(out, size, "L1d", s->l1d_bytes);
    append_bytes(out, size, "L2", s->l2_bytes);
    append_bytes(out, size, "L3", s->l3_bytes);
}
