/* SPDX-License-Identifier: Apache-2.0
 *
 * make_memo DIR ISA WHY: writes down that this machine was tried and that the instruction set did not work, so that what
 * follows from it can be seen on any machine.
 */
#include "machine/machine_trial.h"

#include <stdio.h>
#include <sys/utsname.h>

static void answer(void *ctx, const ob_trial *trial, ob_trial_outcome *out)
{
    const char *const *words = ctx;
    const bool fails = ob__isa_find(trial->what) >= ob__isa_find(words[0]);
    out->state = fails ? OB_TRIAL_FAILED : OB_TRIAL_OK;
    snprintf(out->text, sizeof out->text, "%s", fails ? words[1] : "");
}

int main(int argc, char **argv)
{
    struct utsname system;
    ob_cpu cpu;
    ob_trial_memo memo;
    if (argc != 4 || uname(&system) != 0 || ob__isa_find(argv[2]) == OB_ISA_COUNT)
        return 2;
    ob__cpu_read(NULL, &cpu);
    ob__memo_open(&memo, argv[1], cpu.key, system.release);
    const ob_trial_runner place = {.fn = answer, .ctx = &argv[2], .memo = &memo};
    for (int i = 0; i < OB_ISA_COUNT; i++) {
        ob_trial_outcome out;
        if ((cpu.announced >> i & 1) != 0)
            ob__trial_ask(&place, &(ob_trial){.what = ob__isa_name((ob_isa)i)}, &out);
    }
    printf("%s\n", (cpu.announced >> ob__isa_find(argv[2]) & 1) != 0 ? "announced" : "no");
    ob__memo_close(&memo);
    return 0;
}
