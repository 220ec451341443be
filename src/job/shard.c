/* SPDX-License-Identifier: Apache-2.0
 *
 * Which cases a machine takes. Every n-th, so that dear and cheap ones, which configs have in order, are spread over all.
 */
#include "opbench/shard.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- from words ---- */

/* A whole number without sign or blanks. */
static bool take_number(const char **text, uint64_t *out)
{
    char *end;
    if (**text < '0' || **text > '9')
        return false;
    errno = 0;
    *out = strtoull(*text, &end, 10);
    *text = end;
    return errno == 0;
}

ob_status ob_shard_parse(const char *text, ob_shard *out, ob_err *err)
{
    const char *at = text;
    uint64_t number, of;
    if (!take_number(&at, &number) || *at++ != '/' || !take_number(&at, &of) || *at != '\0' ||
        of == 0)
        return ob_err_set(
            err, OB_ERR_INVALID,
            "\"%s\" is not a shard; give K/N, such as 3/8 for the third of eight, or auto", text);
    if (number < 1 || number > of)
        return ob_err_set(err, OB_ERR_INVALID,
                          "there is no shard %" PRIu64 " of %" PRIu64 "; give 1/%" PRIu64
                          " to %" PRIu64 "/%" PRIu64,
                          number, of, of, of, of);
    *out = (ob_shard){.size = sizeof *out, .number = number, .of = of};
    return OB_OK;
}

/* ---- from launchers ---- */

typedef struct launcher {
    const char *name, *rank, *size;
    const char *
        step; /* has the step's number where rank and size are those of a process; NULL = they always are */
} launcher;

/* Slurm's own numbers for what is not a step of srun (a batch script, an interactive shell) begin here, or are printed as negative. */
#define FIRST_RESERVED_STEP UINT64_C(0xfffffff0)

/* In this order: mpirun within a job of Slurm leaves Slurm's variables as they are. A batch script has a task's variables too, but is not a
 * task: only a step of srun has tasks. */
static const launcher LAUNCHERS[] = {
    {"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", NULL},
    {"PMI", "PMI_RANK", "PMI_SIZE", NULL},
    {"PMIx", "PMIX_RANK", "SLURM_NTASKS", NULL},
    {"Slurm tasks", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_STEP_ID"},
};

static const char *variable(const char *name)
{
    const char *value = name != NULL ? getenv(name) : NULL;
    return value != NULL && value[0] != '\0' ? value : NULL;
}

static ob_status read_variable(const char *name, uint64_t *out, ob_err *err)
{
    const char *text = variable(name), *at = text;
    if (text == NULL)
        return ob_err_set(err, OB_ERR_NOT_FOUND,
                          "--shard auto: %s is not set; say which part this is with --shard K/N",
                          name);
    return take_number(&at, out) && *at == '\0'
               ? OB_OK
               : ob_err_set(err, OB_ERR_INVALID,
                            "--shard auto: %s is \"%s\", which is not a number", name, text);
}

/* Tasks 4,6,8 of an array are the first, second and third. */
static ob_status read_array(ob_shard *out, ob_err *err)
{
    uint64_t task, least, most, step, count;
    OB_TRY(read_variable("SLURM_ARRAY_TASK_ID", &task, err));
    OB_TRY(read_variable("SLURM_ARRAY_TASK_MIN", &least, err));
    OB_TRY(read_variable("SLURM_ARRAY_TASK_MAX", &most, err));
    OB_TRY(read_variable("SLURM_ARRAY_TASK_STEP", &step, err));
    OB_TRY(read_variable("SLURM_ARRAY_TASK_COUNT", &count, err));
    if (step == 0 || count == 0 || task < least || task > most ||
        (most - least) / step + 1 != count || (task - least) % step != 0)
        return ob_err_set(
            err, OB_ERR_INVALID,
            "--shard auto: the array has %" PRIu64 " tasks from %" PRIu64 " to %" PRIu64
            ", with gaps, so their numbers do not show which part each is; use --shard K/N",
            count, least, most);
    out->number = (task - least) / step + 1;
    out->of = count;
    return OB_OK;
}

static bool is_step(const char *name)
{
    uint64_t number = 0;
    const char *at = variable(name);
    return at != NULL && take_number(&at, &number) && *at == '\0' && number < FIRST_RESERVED_STEP;
}

static const launcher *find_launcher(void)
{
    for (size_t i = 0; i < sizeof LAUNCHERS / sizeof *LAUNCHERS; i++)
        if (variable(LAUNCHERS[i].rank) != NULL &&
            (LAUNCHERS[i].step == NULL || is_step(LAUNCHERS[i].step)))
            return &LAUNCHERS[i];
    return NULL;
}

void ob_shard_describe_place(ob_shard *out)
{
    const char *job = variable("SLURM_ARRAY_JOB_ID");
    out->job = job != NULL ? job : variable("SLURM_JOB_ID");
    out->node = variable("SLURMD_NODENAME");
    out->nodes = variable("SLURM_JOB_NODELIST");
    out->restarts = variable("SLURM_RESTART_COUNT");
}

ob_status ob_shard_from_environment(ob_shard *out, ob_err *err)
{
    const launcher *by = find_launcher();
    const bool is_array = variable("SLURM_ARRAY_TASK_ID") != NULL;
    uint64_t rank = 0, size = 1;
    *out = (ob_shard){.size = sizeof *out, .number = 1, .of = 1};
    if (by == NULL && !is_array)
        return ob_err_set(err, OB_ERR_NOT_FOUND,
                          "--shard auto: neither Slurm nor an MPI launcher started this; say "
                          "which part it is with --shard K/N");
    if (is_array)
        OB_TRY(read_array(out, err));
    if (by != NULL) {
        OB_TRY(read_variable(by->rank, &rank, err));
        OB_TRY(read_variable(by->size, &size, err));
        if (rank >= size || out->of > UINT64_MAX / size)
            return ob_err_set(err, OB_ERR_INVALID,
                              "--shard auto: %s is %" PRIu64 " and %s is %" PRIu64
                              ", which is impossible; use --shard K/N",
                              by->rank, rank, by->size, size);
        out->number = (out->number - 1) * size + rank + 1;
        out->of *= size;
    }
    out->launcher =
        is_array ? by != NULL ? "Slurm array with several processes" : "Slurm array" : by->name;
    ob_shard_describe_place(out);
    return OB_OK;
}

/* ---- which cases ---- */

uint64_t ob_shard_count(const ob_shard *shard, uint64_t cases)
{
    if (shard == NULL)
        return cases;
    return cases / shard->of + (shard->number <= cases % shard->of);
}

bool ob_shard_has(const ob_shard *shard, uint64_t position)
{
    return shard == NULL || position % shard->of == shard->number - 1;
}

ob_case_range ob_shard_of_range(const ob_shard *shard, const ob_case_range *range,
                                uint64_t position)
{
    ob_case_range out = *range;
    out.step = out.step > 0 ? out.step : 1;
    if (shard == NULL)
        return out;
    const uint64_t own = shard->number - 1, at = position % shard->of;
    const uint64_t before = own >= at ? own - at : own + (shard->of - at);
    out.count = range->count > before ? (range->count - before - 1) / shard->of + 1 : 0;
    out.first += out.count > 0 ? before * out.step : 0;
    out.step *= out.count > 1 ? shard->of : 1; /* beyond it there is nothing to step to */
    return out;
}
