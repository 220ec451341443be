/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines of squeue and sacct: whose they are, and that nothing in them is believed further than it goes.
 */
#include "check.h"

#include "cluster/cluster_int.h"

#include <stdlib.h>

static const char FOLDER[] = "/data/a|b/slurm";

static void queued(ob_slurm_tasks *out, const char *line)
{
    CHECK(ob__slurm_take_queued(out, FOLDER, line, strlen(line)));
}

static void ended(ob_slurm_tasks *out, const char *line)
{
    CHECK(ob__slurm_take_ended(out, FOLDER, line, strlen(line)));
}

static void queue(void)
{
    ob_slurm_tasks tasks = {0};
    queued(&tasks, "12|3|RUNNING|n1|None|/data/a|b/slurm");
    queued(&tasks, "12|4|PENDING||JobHeldAdmin|/data/a|b/slurm");
    queued(&tasks, "12|5|COMPLETING|n2|None|/data/a|b/slurm");
    CHECK_INT(tasks.count, 3);
    CHECK_INT(tasks.items[0].chunk, 3);
    CHECK(tasks.items[0].is_running);
    CHECK_STR(tasks.items[0].node, "n1");
    CHECK_STR(tasks.items[0].reason, "");
    CHECK_STR(tasks.items[0].job, "12");
    CHECK(!tasks.items[1].is_running);
    CHECK_STR(tasks.items[1].state, "PENDING");
    CHECK_STR(tasks.items[1].reason, "JobHeldAdmin");
    CHECK_STR(tasks.items[1].node, "");
    CHECK(tasks.items[2].is_running);
    static const char *const OTHERS[] = {
        "",
        "|||||",
        "squeue: error: something",
        "12|3|RUNNING|n1|None|/data/a|b/slurm2",
        "12|3|RUNNING|n1|None|/data/a|b",
        "12|N/A|PENDING||Dependency|/data/a|b/slurm",
        "12||PENDING||Dependency|/data/a|b/slurm",
        "12|-3|RUNNING|n1|None|/data/a|b/slurm",
        "12|3x|RUNNING|n1|None|/data/a|b/slurm",
        "12|0|RUNNING|n1|None|/data/a|b/slurm",
        "12|100001|RUNNING|n1|None|/data/a|b/slurm",
        "12|99999999999999999999|RUNNING|n1|None|/data/a|b/slurm",
    };
    for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS; i++)
        queued(&tasks, OTHERS[i]);
    CHECK_INT(tasks.count, 3);
    free(tasks.items);
}

static void accounting(void)
{
    ob_slurm_tasks tasks = {0};
    char node[512] = "12_9|RUNNING|";
    ended(&tasks, "12_7|CANCELLED by 1000|None assigned|/data/a|b/slurm");
    ended(&tasks, "12_8|NODE_FAIL|n3|/data/a|b/slurm");
    memset(node + strlen(node), 'n', 300);
    strcat(node, "|/data/a|b/slurm");
    ended(&tasks, node);
    CHECK_INT(tasks.count, 3);
    CHECK_INT(tasks.items[0].chunk, 7);
    CHECK_STR(tasks.items[0].state, "CANCELLED");
    CHECK_STR(tasks.items[0].node, "");
    CHECK_STR(tasks.items[1].state, "NODE_FAIL");
    CHECK_STR(tasks.items[1].node, "n3");
    CHECK_INT(strlen(tasks.items[2].node), sizeof tasks.items[2].node - 1);
    ended(&tasks, "12|COMPLETED|n1|/data/a|b/slurm");
    ended(&tasks, "12_[1-9]|PENDING||/data/a|b/slurm");
    ended(&tasks, "12_7|FAILED|n1|/elsewhere/slurm");
    ended(&tasks, "");
    CHECK_INT(tasks.count, 3);
    free(tasks.items);
}

int main(void)
{
    RUN(queue);
    RUN(accounting);
    return ob_test_end();
}
