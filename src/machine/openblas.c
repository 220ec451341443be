/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenBLAS chooses its kernels by the processor's model. A release that is older than the processor does not know the model
 * and may take kernels for one that is twenty years old: products are then several times slower than they should be.
 * What it takes is asked of the library, and so is whether it has what it should take: names of cores that it was built
 * without are accepted and lead elsewhere.
 */
#include "machine/caps.h"

#include <stdio.h>
#include <string.h>

typedef struct core {
    const char *name;
    ob_isa_set needs;
    int bits; /* of its vectors */
    const char
        *vendor; /* proposed on this vendor's processors alone; NULL = on all, "" = on none */
} core;

/* From the best down. All that is not here has narrower vectors, or no fused multiply-add. */
static const core CORES[] = {
    {"SapphireRapids", OB_ISA_BIT(AVX512) | OB_ISA_BIT(AVX512_BF16) | OB_ISA_BIT(AMX), 512,
     "GenuineIntel"},
    {"Cooperlake", OB_ISA_BIT(AVX512) | OB_ISA_BIT(AVX512_BF16), 512, NULL},
    {"SkylakeX", OB_ISA_BIT(AVX512), 512, NULL},
    {"Zen", OB_ISA_BIT(AVX2), 256, "AuthenticAMD"},
    {"Haswell", OB_ISA_BIT(AVX2), 256, NULL},
    {"Excavator", OB_ISA_BIT(AVX2), 256, ""},
};
enum { CORE_COUNT = sizeof CORES / sizeof *CORES };

static const core *find_core(const char *name)
{
    static const core OTHER = {"", 0, 128, ""};
    for (size_t i = 0; i < CORE_COUNT; i++)
        if (strcmp(CORES[i].name, name) == 0)
            return &CORES[i];
    return &OTHER;
}

static bool fits(const core *c, const ob_cap_facts *facts)
{
    return (c->needs & ~facts->works) == 0 &&
           (c->vendor == NULL || strcmp(c->vendor, facts->cpu->vendor) == 0);
}

static void ask(const ob_cap_facts *facts, const char *variable, ob_trial_outcome *out)
{
    ob__trial_ask(facts->trials,
                  &(ob_trial){.what = "openblas", .variable = variable, .library = facts->openblas},
                  out);
}

/* The best core that the library has and that works; NULL = none. */
static const core *find_best(const ob_cap_row *row, const ob_cap_facts *facts, int least_bits)
{
    for (size_t i = 0; i < CORE_COUNT && CORES[i].bits >= least_bits; i++) {
        char variable[96];
        ob_trial_outcome answer;
        if (!fits(&CORES[i], facts))
            continue;
        snprintf(variable, sizeof variable, "%s=%s", row->variables[0], CORES[i].name);
        ask(facts, variable, &answer);
        if (answer.state == OB_TRIAL_OK && strcmp(answer.text, CORES[i].name) == 0)
            return &CORES[i];
    }
    return NULL;
}

static int most_bits(const ob_cap_facts *facts)
{
    for (size_t i = 0; i < CORE_COUNT; i++)
        if (fits(&CORES[i], facts))
            return CORES[i].bits;
    return 0;
}

void ob__cap_decide_openblas(const ob_cap_row *row, const ob_cap_facts *facts, ob_library_cap *out)
{
    ob_trial_outcome answer;
    if (facts->openblas == NULL)
        return;
    ask(facts, NULL, &answer);
    if (answer.state == OB_TRIAL_UNKNOWN)
        return;
    const int most = most_bits(facts);
    int least = 0; /* what another core must have to be better */
    if (answer.state == OB_TRIAL_FAILED) {
        snprintf(out->why, sizeof out->why, "%s", answer.text);
    } else {
        const core *own = find_core(answer.text);
        const ob_isa_set missing = own->needs & ~facts->works;
        snprintf(out->own, sizeof out->own, "%.47s", answer.text);
        if (missing != 0) {
            snprintf(out->why, sizeof out->why, "%s", facts->reasons[ob__isa_first(missing)]);
        } else if (own->bits < most) {
            least = own->bits + 1;
            snprintf(out->why, sizeof out->why,
                     "this release does not know the CPU (%s family %u model %u) and uses kernels "
                     "with %d-bit vectors%s; the CPU has %d",
                     facts->cpu->vendor, facts->cpu->family, facts->cpu->model, own->bits,
                     own->needs == 0 ? " or less" : "", most);
        } else {
            return;
        }
    }
    const core *best = find_best(row, facts, least);
    out->state = best != NULL ? OB_CAP_SET : OB_CAP_CANNOT;
    if (best != NULL)
        snprintf(out->value, sizeof out->value, "%s", best->name);
}
