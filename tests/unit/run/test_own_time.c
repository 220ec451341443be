/* SPDX-License-Identifier: Apache-2.0
 *
 * The time of a supervisor is its worker's own; that of any other parent is not.
 */
#include "check.h"
#include "run/own_time.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BURNT_NS = 30000000 };

/* In a child that has used next to nothing itself. Exit code: which expectation failed. */
static int child(void)
{
    const uint64_t alone = ob__own_cpu_ns(NULL);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
        return 1;
    const uint64_t supervised = ob__own_cpu_ns(NULL);
    if (supervised - alone < BURNT_NS)
        return 2;
    if (prctl(PR_SET_PDEATHSIG, 0) != 0)
        return 3;
    return ob__own_cpu_ns(NULL) < supervised ? 0 : 4;
}

static void counts_the_supervisor(void)
{
    while (ob__own_cpu_ns(NULL) < BURNT_NS)
        ;
    const pid_t pid = fork();
    if (pid == 0)
        _exit(child());
    int status = -1;
    CHECK_INT(waitpid(pid, &status, 0), pid);
    CHECK(WIFEXITED(status));
    CHECK_INT(WEXITSTATUS(status), 0);
}

static void never_goes_back(void)
{
    uint64_t last = ob__own_cpu_ns(NULL);
    for (int i = 0; i < 1000; i++) {
        const uint64_t now = ob__own_cpu_ns(NULL);
        CHECK(now >= last);
        last = now;
    }
}

int main(void)
{
    RUN(counts_the_supervisor);
    RUN(never_goes_back);
    return ob_test_end();
}
