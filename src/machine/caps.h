/* SPDX-License-Identifier: Apache-2.0
 *
 * What the libraries under the backends would choose on this machine, and where that is wrong: the table of libraries, and
 * the decision for each. Pure but for the trials, which are the caller's.
 */
#ifndef OB_MACHINE_CAPS_H
#define OB_MACHINE_CAPS_H

#include "machine/machine_trial.h"
#include "opbench/machine.h"

enum { OB_CAP_ROW_COUNT = 4 };

typedef struct ob_cap_level {
    const char *word;
    ob_isa_set needs;
    bool newer; /* not every release knows the word, so that one must be asked */
} ob_cap_level;

typedef struct ob_cap_row {
    const char *library;
    const char *variables[2];   /* the first is set; any of them is the user's word */
    const char *vendor;         /* it chooses so on this vendor's processors alone; NULL = all */
    const ob_cap_level *levels; /* from the highest down, ended by word NULL; NULL = it is asked */
} ob_cap_row;

extern const ob_cap_row ob__cap_rows[OB_CAP_ROW_COUNT];

/* What the decision is made from. */
typedef struct ob_cap_facts {
    const ob_cpu *cpu;
    ob_isa_set works;           /* of what is announced */
    const char *const *reasons; /* why another does not; by ob_isa */
    const ob_trial_runner *trials;
    const char *openblas, *onednn; /* their files; NULL = not there */
} ob_cap_facts;

void ob__cap_decide(const ob_cap_row *row, const ob_cap_facts *facts, ob_library_cap *out);
void ob__cap_decide_openblas(const ob_cap_row *row, const ob_cap_facts *facts, ob_library_cap *out);
/* Whether a backend of the list ("native,torch"; NULL = all) may load it, by what their manifests say. */
bool ob__cap_is_used(const ob_cap_row *row, const char *users, const ob_manifests *manifests);
/* Which of those that are announced work. reasons has room for OB_ISA_COUNT texts. */
ob_isa_set ob__cap_try_isas(const ob_cpu *cpu, const ob_trial_runner *trials,
                            ob_trial_outcome outcomes[OB_ISA_COUNT]);

#endif
