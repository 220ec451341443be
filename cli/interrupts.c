/* SPDX-License-Identifier: Apache-2.0
 *
 * Counting interrupts. A signal handler has no argument, so the count and the command's name are the
 * program's.
 */
#include "interrupts.h"

#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t interrupts;
static const char *command_name = "";

static void on_interrupt(int signal_number)
{
    (void)signal_number;
    interrupts = interrupts < 2 ? interrupts + 1 : 2;
}

void ob__cli_catch_interrupts(const ob_cli *cli)
{
    const struct sigaction action = {.sa_handler = on_interrupt};
    command_name = cli->command->name;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

int ob__cli_interrupts(void *ctx)
{
    static bool told;
    (void)ctx;
    if (interrupts == 1 && !told) {
        told = true;
        if (isatty(STDERR_FILENO) == 1) /* behind a line of progress and "^C" */
            ob__cli_clear_line();
        fprintf(stderr, "opbench %s: ending after the present case; once more ends at once\n",
                command_name);
    }
    return interrupts;
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
