/* SPDX-License-Identifier: Apache-2.0
 *
 * What the doctor says of the libraries under the backends: their own choice of kernels, and what we make of it.
 */
#include "machine/isa.h"
#include "opbench/doctor.h"

#include <stdio.h>
#include <string.h>

/* The last instruction set that the processor announces; "" where there is none of those that libraries choose by. */
static const char *widest_set(void)
{
    ob_cpu cpu;
    const char *name = "";
    ob__cpu_read(NULL, &cpu);
    for (int i = 0; i < OB_ISA_COUNT; i++)
        if ((cpu.announced >> i & 1) != 0)
            name = ob__isa_name((ob_isa)i);
    return name;
}

static void fill(const ob_library_cap *cap, const char *widest, ob_finding *out)
{
    const char *own = cap->own[0] != '\0' ? cap->own : "kernels that fail";
    *out = (ob_finding){.size = sizeof *out, .check = cap->library, .level = OB_FINDING_OK};
    switch (cap->state) {
    case OB_CAP_FINE:
        snprintf(out->text, sizeof out->text, "%s%s%s",
                 cap->own[0] != '\0' ? cap->own : "its own choice is fine",
                 widest[0] != '\0' ? "; the CPU has " : "", widest);
        return;
    case OB_CAP_SET:
        out->level = OB_FINDING_WARNING;
        snprintf(out->text, sizeof out->text, "would choose %s; opbench sets %s=%s", own,
                 cap->variable, cap->value);
        snprintf(out->fix, sizeof out->fix, "for other programs: export %s=%s", cap->variable,
                 cap->value);
        break;
    case OB_CAP_USER:
        snprintf(out->text, sizeof out->text, "your environment sets %s=%s", cap->variable,
                 cap->value);
        return;
    case OB_CAP_CANNOT:
        out->level = OB_FINDING_BAD;
        snprintf(out->text, sizeof out->text, "chooses %s, and %s cannot correct it", own,
                 cap->variable);
        snprintf(out->fix, sizeof out->fix, "install a newer release of %s", cap->library);
        break;
    }
    snprintf(out->cost, sizeof out->cost, "%s", cap->why);
}

ob_status ob_findings_add_libraries(ob_findings *findings, const ob_library_caps *caps, ob_err *err)
{
    const char *widest = widest_set();
    for (size_t i = 0; i < ob_library_caps_count(caps); i++) {
        ob_finding one;
        fill(ob_library_caps_at(caps, i), widest, &one);
        OB_TRY(ob_findings_add(findings, &one, err));
    }
    return OB_OK;
}
