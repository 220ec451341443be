/* SPDX-License-Identifier: Apache-2.0
 *
 * Counting interrupts. A signal handler has no argument, so the count and the command's name are the
 * program's.
 */
#include "interrupts.h"

#include "opbench/measure.h"

#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t interrupts, is_alone;
static const char *command_name = "";

static void on_interrupt(int signal_number)
{
    if (interrupts > 0 && is_alone) {
        signal(signal_number, SIG_DFL);
        raise(signal_number);
    }
    interrupts = interrupts < 2 ? interrupts + 1 : 2;
}

void ob__cli_catch_interrupts(const ob_cli *cli, bool alone)
{
    const struct sigaction action = {.sa_handler = on_interrupt};
    command_name = cli->command->name;
    is_alone = alone;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

int ob__cli_interrupts(void *ctx)
{
    static const uint64_t PATIENCE_NS = 1000000000;
    static uint64_t told_ns;
    (void)ctx;
    if (interrupts != 1)
        return interrupts;
    const ob_clock clock = ob_clock_monotonic();
    const uint64_t now_ns = ob_clock_now_ns(&clock);
    if (told_ns == 0) {
        told_ns = now_ns;
        if (isatty(STDERR_FILENO) == 1) /* behind a line of progress and "^C" */
            ob__cli_clear_line();
        fprintf(stderr, "opbench %s: stopping within a second; interrupt again to stop now\n",
                command_name);
    }
    return now_ns - told_ns < PATIENCE_NS ? 1 : 2;
}

int ob__cli_interrupt_at_once(void *ctx)
{
    return ob__cli_is_interrupted(ctx) > 0 ? 2 : 0;
}

int ob__cli_is_interrupted(void *ctx)
{
    (void)ctx;
    return interrupts;
}
