/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of libraries, and the decision for those that choose by instruction set alone: what they would take is the
 * highest level that the processor announces, what they may take is the highest that works.
 */
#include "machine/caps.h"

#include <stdio.h>
#include <string.h>

#define CORE OB_ISA_BIT(AVX512)
#define VNNI (CORE | OB_ISA_BIT(AVX512_VNNI))
#define BF16 (VNNI | OB_ISA_BIT(AVX512_BF16))
#define FP16 (BF16 | OB_ISA_BIT(AVX512_FP16))

/* A word that a release does not know caps nothing; AVX512_CORE_FP16 came with oneDNN 2.7. */
static const ob_cap_level ONEDNN[] = {{"AVX512_CORE_AMX", BF16 | OB_ISA_BIT(AMX), false},
                                      {"AVX512_CORE_FP16", FP16, true},
                                      {"AVX512_CORE_BF16", BF16, false},
                                      {"AVX512_CORE_VNNI", VNNI, false},
                                      {"AVX512_CORE", CORE, false},
                                      {"AVX2", OB_ISA_BIT(AVX2), false},
                                      {"SSE41", 0, false},
                                      {NULL, 0, false}};
static const ob_cap_level ONEMKL[] = {{"AVX512_E4", BF16 | OB_ISA_BIT(AMX), false},
                                      {"AVX512_E3", BF16, false},
                                      {"AVX512_E1", VNNI, false},
                                      {"AVX512", CORE, false},
                                      {"AVX2", OB_ISA_BIT(AVX2), false},
                                      {"SSE4_2", 0, false},
                                      {NULL, 0, false}};
static const ob_cap_level ATEN[] = {{"avx512", CORE, false},
                                    {"avx2", OB_ISA_BIT(AVX2), false},
                                    {"default", 0, false},
                                    {NULL, 0, false}};

const ob_cap_row ob__cap_rows[OB_CAP_ROW_COUNT] = {
    {.library = "oneDNN",
     .variables = {"ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA"},
     .levels = ONEDNN},
    {.library = "OpenBLAS", .variables = {"OPENBLAS_CORETYPE"}},
    {.library = "ATen", .variables = {"ATEN_CPU_CAPABILITY"}, .levels = ATEN},
    {.library = "oneMKL",
     .variables = {"MKL_ENABLE_INSTRUCTIONS"},
     .vendor = "GenuineIntel",
     .levels = ONEMKL},
};

bool ob__cap_is_used(const ob_cap_row *row, const char *users, const ob_manifests *manifests)
{
    for (size_t i = 0; users != NULL && i < ob_manifests_count(manifests); i++) {
        const ob_manifest *manifest = ob_manifests_at(manifests, i);
        const size_t length = strlen(manifest->name);
        for (const char *user = users; *user != '\0'; user += *user == ',') {
            if (strcspn(user, ",:") == length && strncmp(user, manifest->name, length) == 0 &&
                ob_manifest_has(manifest->libraries, row->library))
                return true;
            user += strcspn(user, ",");
        }
    }
    return users == NULL;
}

ob_isa_set ob__cap_try_isas(const ob_cpu *cpu, const ob_trial_runner *trials,
                            ob_trial_outcome outcomes[OB_ISA_COUNT])
{
    ob_isa_set works = 0;
    for (int i = 0; i < OB_ISA_COUNT; i++) {
        outcomes[i] = (ob_trial_outcome){.state = OB_TRIAL_UNKNOWN};
        if ((cpu->announced >> i & 1) == 0)
            continue;
        ob__trial_ask(trials, &(ob_trial){.what = ob__isa_name((ob_isa)i)}, &outcomes[i]);
        /* What could not be tried is taken on trust: a library would do no better. */
        if (outcomes[i].state != OB_TRIAL_FAILED)
            works |= (ob_isa_set)1 << i;
    }
    return works;
}

/* A release that knows the word chooses less with it than without it. */
static bool is_known(const ob_cap_row *row, const ob_cap_level *level, const ob_cap_facts *facts)
{
    char variable[96];
    ob_trial_outcome free_choice, capped;
    if (!level->newer)
        return true;
    if (facts->onednn == NULL)
        return false;
    snprintf(variable, sizeof variable, "%s=%s", row->variables[0], level->word);
    ob__trial_ask(facts->trials, &(ob_trial){.what = "onednn", .library = facts->onednn},
                  &free_choice);
    ob__trial_ask(facts->trials,
                  &(ob_trial){.what = "onednn", .variable = variable, .library = facts->onednn},
                  &capped);
    return free_choice.state == OB_TRIAL_OK && capped.state == OB_TRIAL_OK &&
           strcmp(free_choice.text, capped.text) != 0;
}

static const ob_cap_level *highest(const ob_cap_row *row, ob_isa_set there)
{
    const ob_cap_level *level = row->levels;
    while ((level->needs & ~there) != 0)
        level++;
    return level;
}

void ob__cap_decide(const ob_cap_row *row, const ob_cap_facts *facts, ob_library_cap *out)
{
    *out = (ob_library_cap){
        .library = row->library, .variable = row->variables[0], .state = OB_CAP_FINE};
    if (row->vendor != NULL && strcmp(row->vendor, facts->cpu->vendor) != 0)
        return;
    if (facts->cpu->vendor[0] == '\0') /* another architecture */
        return;
    if (row->levels == NULL) {
        ob__cap_decide_openblas(row, facts, out);
        return;
    }
    const ob_cap_level *own = highest(row, facts->cpu->announced);
    const ob_isa_set missing = own->needs & ~facts->works;
    if (missing == 0)
        return; /* which of those that work it takes is for it to say: some prefer narrower ones */
    snprintf(out->own, sizeof out->own, "%s", own->word);
    const ob_cap_level *best = highest(row, facts->works);
    while (!is_known(row, best, facts))
        best++;
    out->state = OB_CAP_SET;
    snprintf(out->value, sizeof out->value, "%s", best->word);
    snprintf(out->why, sizeof out->why, "%s", facts->reasons[ob__isa_first(missing)]);
}
