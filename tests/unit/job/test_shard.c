/* SPDX-License-Identifier: Apache-2.0
 *
 * Dividing cases: by words, by what launchers say, and that nothing is lost or doubled.
 */
#include "check.h"

#include "opbench/shard.h"

#include <stdlib.h>
#include <string.h>

/* ---- words ---- */

static void refuse(const char *text, const char *message)
{
    ob_shard shard;
    ob_err err = {.message = ""};
    CHECK_INT(ob_shard_parse(text, &shard, &err), OB_ERR_INVALID);
    CHECK_STR(err.message, message);
}

static void words(void)
{
    ob_shard shard;
    CHECK_INT(ob_shard_parse("3/8", &shard, NULL), OB_OK);
    CHECK_INT(shard.number, 3);
    CHECK_INT(shard.of, 8);
    CHECK(shard.launcher == NULL);
    refuse("0/8", "there is no shard 0 of 8; give 1/8 to 8/8");
    refuse("1/0", "\"1/0\" is not a shard; give K/N, such as 3/8 for the third of eight, or auto");
    refuse("9/8", "there is no shard 9 of 8; give 1/8 to 8/8");
    static const char *const WRONG[] = {"",     "3",    "3/",   "/8",   "3/8x",
                                        " 3/8", "3 /8", "-1/8", "+1/8", "1/99999999999999999999"};
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++)
        CHECK_INT(ob_shard_parse(WRONG[i], &shard, NULL), OB_ERR_INVALID);
    refuse("many",
           "\"many\" is not a shard; give K/N, such as 3/8 for the third of eight, or auto");
}

/* ---- launchers ---- */

static const char *const NAMES[] = {"SLURM_ARRAY_TASK_ID",
                                    "SLURM_ARRAY_TASK_MIN",
                                    "SLURM_ARRAY_TASK_MAX",
                                    "SLURM_ARRAY_TASK_STEP",
                                    "SLURM_ARRAY_TASK_COUNT",
                                    "SLURM_ARRAY_JOB_ID",
                                    "SLURM_JOB_ID",
                                    "SLURM_STEP_ID",
                                    "SLURM_PROCID",
                                    "SLURM_NTASKS",
                                    "SLURMD_NODENAME",
                                    "SLURM_JOB_NODELIST",
                                    "SLURM_RESTART_COUNT",
                                    "OMPI_COMM_WORLD_RANK",
                                    "OMPI_COMM_WORLD_SIZE",
                                    "PMI_RANK",
                                    "PMI_SIZE",
                                    "PMIX_RANK"};

/* "A=1 B=2" and nothing else of the list. */
static void set_variables(const char *text)
{
    char room[512];
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        unsetenv(NAMES[i]);
    snprintf(room, sizeof room, "%s", text);
    for (char *save, *word = strtok_r(room, " ", &save); word != NULL;
         word = strtok_r(NULL, " ", &save)) {
        char *is = strchr(word, '=');
        *is = '\0';
        setenv(word, is + 1, 1);
    }
}

/* "3/8 Open MPI", or the error. */
static void check(const char *variables, const char *want)
{
    char text[1024];
    ob_shard shard;
    ob_err err = {.message = ""};
    set_variables(variables);
    if (ob_shard_from_environment(&shard, &err) == OB_OK)
        snprintf(text, sizeof text, "%d/%d %s", (int)shard.number, (int)shard.of, shard.launcher);
    else
        snprintf(text, sizeof text, "%s", err.message);
    CHECK_STR(text, want);
}

#define ARRAY(task, min, max, step, count)                                                         \
    "SLURM_ARRAY_TASK_ID=" task " SLURM_ARRAY_TASK_MIN=" min " SLURM_ARRAY_TASK_MAX=" max          \
    " SLURM_ARRAY_TASK_STEP=" step " SLURM_ARRAY_TASK_COUNT=" count
/* What a batch shell has, which is not a task. */
#define BATCH " SLURM_JOB_ID=7 SLURM_PROCID=0 SLURM_NTASKS=1"

static void launchers(void)
{
    check("", "--shard auto: neither Slurm nor an MPI launcher started this; say which part it is "
              "with --shard K/N");
    check("OMPI_COMM_WORLD_RANK=2 OMPI_COMM_WORLD_SIZE=4", "3/4 Open MPI");
    check("PMI_RANK=0 PMI_SIZE=4", "1/4 PMI");
    check("PMIX_RANK=3 SLURM_NTASKS=4 SLURM_PROCID=3 SLURM_STEP_ID=0", "4/4 PMIx");
    check("SLURM_STEP_ID=0 SLURM_PROCID=1 SLURM_NTASKS=4", "2/4 Slurm tasks");
    check(BATCH, "--shard auto: neither Slurm nor an MPI launcher started this; say which part it "
                 "is with --shard K/N");
    /* mpirun within a step of Slurm. */
    check("SLURM_STEP_ID=0 SLURM_PROCID=0 SLURM_NTASKS=2 OMPI_COMM_WORLD_RANK=5 "
          "OMPI_COMM_WORLD_SIZE=8",
          "6/8 Open MPI");
    check("PMIX_RANK=3", "--shard auto: SLURM_NTASKS is not set; say which part this is with "
                         "--shard K/N");
    check("PMI_RANK=4 PMI_SIZE=4",
          "--shard auto: PMI_RANK is 4 and PMI_SIZE is 4, which is impossible; use --shard K/N");
    check("PMI_RANK=x PMI_SIZE=4", "--shard auto: PMI_RANK is \"x\", which is not a number");
}

static void arrays(void)
{
    ob_shard shard;
    check(ARRAY("0", "0", "7", "1", "8") BATCH, "1/8 Slurm array");
    check(ARRAY("6", "4", "8", "2", "3") BATCH, "2/3 Slurm array");
    /* Later releases of Slurm number the batch script itself, and do not always say how many tasks there are. */
    check(ARRAY("6", "4", "8", "2", "3") " SLURM_PROCID=0 SLURM_STEP_ID=-5", "2/3 Slurm array");
    check(ARRAY("6", "4", "8", "2", "3") BATCH " SLURM_STEP_ID=4294967291", "2/3 Slurm array");
    check(ARRAY("1", "0", "1", "1", "2") " SLURM_STEP_ID=0 SLURM_PROCID=3 SLURM_NTASKS=4",
          "8/8 Slurm array with several processes");
    check(ARRAY("7", "1", "7", "1", "3"),
          "--shard auto: the array has 3 tasks from 1 to 7, with gaps, so their numbers do not "
          "show which part each is; use --shard K/N");
    check(ARRAY("0", "0", "18446744073709551615", "1", "0"),
          "--shard auto: the array has 0 tasks from 0 to 18446744073709551615, with gaps, so their "
          "numbers do not show which part each is; use --shard K/N");
    set_variables(
        ARRAY("0", "0", "7", "1", "8") " SLURM_ARRAY_JOB_ID=17 SLURM_JOB_ID=18 SLURMD_NODENAME=n3 "
                                       "SLURM_JOB_NODELIST=n[1-4] SLURM_RESTART_COUNT=1");
    CHECK_INT(ob_shard_from_environment(&shard, NULL), OB_OK);
    CHECK_STR(shard.job, "17");
    CHECK_STR(shard.node, "n3");
    CHECK_STR(shard.nodes, "n[1-4]");
    CHECK_STR(shard.restarts, "1");
}

/* ---- cases ---- */

/* Every case of ranges that follow each other is in one shard. */
static void nothing_is_lost_or_doubled(void)
{
    static const ob_case_range RANGES[] = {{.first = 0, .count = 5},
                                           {.first = 10, .count = 1, .step = 1},
                                           {.first = 20, .count = 13, .step = 2},
                                           {.first = 100, .count = 0}};
    for (uint64_t of = 1; of <= 25; of++) {
        int seen[128] = {0};
        uint64_t all = 0;
        for (uint64_t number = 1; number <= of; number++) {
            const ob_shard shard = {.size = sizeof shard, .number = number, .of = of};
            uint64_t position = 0, own = 0;
            for (size_t r = 0; r < sizeof RANGES / sizeof *RANGES; r++) {
                const ob_case_range mine = ob_shard_of_range(&shard, &RANGES[r], position);
                const uint64_t step = RANGES[r].step > 0 ? RANGES[r].step : 1;
                for (uint64_t i = 0; i < mine.count; i++) {
                    const uint64_t index = mine.first + i * mine.step;
                    CHECK(ob_shard_has(&shard, position + (index - RANGES[r].first) / step));
                    seen[index]++;
                }
                position += RANGES[r].count;
                own += mine.count;
            }
            CHECK_INT(own, ob_shard_count(&shard, position));
            all += own;
        }
        CHECK_INT(all, 19);
        for (int i = 0; i < 128; i++)
            CHECK_INT(seen[i], i < 5 || i == 10 || (i >= 20 && i <= 44 && i % 2 == 0));
    }
}

static void without_a_shard_all(void)
{
    const ob_case_range range = {.first = 3, .count = 4};
    const ob_case_range all = ob_shard_of_range(NULL, &range, 7);
    CHECK_INT(all.first, 3);
    CHECK_INT(all.count, 4);
    CHECK_INT(all.step, 1);
    CHECK_INT(ob_shard_count(NULL, 9), 9);
    CHECK(ob_shard_has(NULL, 17));
}

/* No product of the largest numbers overflows. */
static void largest(void)
{
    const ob_case_range range = {.first = 0, .count = UINT64_MAX};
    const ob_shard last = {.size = sizeof last, .number = UINT64_MAX, .of = UINT64_MAX};
    const ob_case_range one = ob_shard_of_range(&last, &range, 0);
    CHECK_INT(one.count, 1);
    CHECK(one.first == UINT64_MAX - 1);
    CHECK_INT(ob_shard_of_range(&last, &range, 1).first, UINT64_MAX - 2);
    CHECK_INT(ob_shard_count(&last, UINT64_MAX), 1);
}

int main(void)
{
    RUN(words);
    RUN(launchers);
    RUN(arrays);
    RUN(nothing_is_lost_or_doubled);
    RUN(without_a_shard_all);
    RUN(largest);
    return ob_test_end();
}
