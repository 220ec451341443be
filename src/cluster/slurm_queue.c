/* SPDX-License-Identifier: Apache-2.0
 *
 * What Slurm knows of chunks: squeue of those that run and wait, sacct, where there is accounting, of those that ended. Lines are
 * told apart by the folder that a job runs in.
 */
#include "cluster/cluster_int.h"

#include "opbench/vec.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct gathering {
    ob_slurm_tasks *out;
    const char *folder;
    bool (*take)(ob_slurm_tasks *out, const char *folder, const char *line, size_t length);
    bool ok;
} gathering;

static void on_line(void *ctx, const char *line, size_t length)
{
    gathering *g = ctx;
    g->ok = g->ok && g->take(g->out, g->folder, line, length);
}

/* ---- lines ---- */

typedef struct field {
    const char *data;
    size_t size;
} field;

/* The last one has the rest, marks and all. False: there are fewer. */
static bool split(const char *line, size_t length, field *out, size_t count)
{
    const char *end = line + length;
    for (size_t i = 0; i < count; i++) {
        const char *mark = i + 1 < count ? memchr(line, '|', (size_t)(end - line)) : end;
        if (mark == NULL)
            return false;
        out[i] = (field){line, (size_t)(mark - line)};
        line = mark + 1;
    }
    return true;
}

static bool is_text(const field *f, const char *text)
{
    return f->size == strlen(text) && memcmp(f->data, text, f->size) == 0;
}

/* A whole number from 1 to the most chunks; 0 = it is none. */
static uint64_t read_number(const field *f)
{
    uint64_t number = 0;
    if (f->size == 0 || f->size > 9)
        return 0;
    for (size_t i = 0; i < f->size; i++) {
        if (f->data[i] < '0' || f->data[i] > '9')
            return 0;
        number = number * 10 + (uint64_t)(f->data[i] - '0');
    }
    return number <= OB_SLURM_MAX_CHUNKS ? number : 0;
}

static void copy(char *out, size_t size, const field *f)
{
    snprintf(out, size, "%.*s", f->size < size ? (int)f->size : (int)size - 1, f->data);
}

static bool add(ob_slurm_tasks *out, uint64_t chunk, const field *state, const field *node)
{
    if (chunk == 0)
        return true;
    if (!OB_RESERVE(out->items, out->capacity, out->count + 1))
        return false;
    ob_slurm_task *task = &out->items[out->count++];
    *task = (ob_slurm_task){.chunk = chunk};
    copy(task->state, sizeof task->state, state);
    task->state[strcspn(task->state, " ")] = '\0'; /* "CANCELLED by 1000" */
    copy(task->node, sizeof task->node, node);
    if (strncmp(task->node, "None", 4) == 0)
        task->node[0] = '\0';
    task->is_running = strcmp(task->state, "RUNNING") == 0 ||
                       strcmp(task->state, "COMPLETING") == 0 ||
                       strcmp(task->state, "CONFIGURING") == 0;
    return true;
}

bool ob__slurm_take_queued(ob_slurm_tasks *out, const char *slurm_folder, const char *line,
                           size_t length)
{
    enum { ARRAY, TASK, STATE, NODE, REASON, FOLDER, FIELDS };
    field f[FIELDS];
    if (!split(line, length, f, FIELDS) || !is_text(&f[FOLDER], slurm_folder))
        return true;
    const size_t before = out->count;
    if (!add(out, read_number(&f[TASK]), &f[STATE], &f[NODE]))
        return false;
    if (out->count > before) {
        ob_slurm_task *task = &out->items[before];
        copy(task->job, sizeof task->job, &f[ARRAY]);
        copy(task->reason, sizeof task->reason, &f[REASON]);
        if (strcmp(task->reason, "None") == 0)
            task->reason[0] = '\0';
    }
    return true;
}

bool ob__slurm_take_ended(ob_slurm_tasks *out, const char *slurm_folder, const char *line,
                          size_t length)
{
    enum { JOB, STATE, NODE, FOLDER, FIELDS };
    field f[FIELDS];
    if (!split(line, length, f, FIELDS) || !is_text(&f[FOLDER], slurm_folder))
        return true;
    const char *mark = memchr(f[JOB].data, '_', f[JOB].size); /* "123_7" */
    if (mark == NULL)
        return true;
    const field task = {mark + 1, f[JOB].size - (size_t)(mark + 1 - f[JOB].data)};
    return add(out, read_number(&task), &f[STATE], &f[NODE]);
}

/* ---- questions ---- */

ob_status ob__slurm_ask_queue(const char *slurm_folder, unsigned owner, ob_slurm_tasks *out,
                              ob_err *err)
{
    char user[32];
    const char *const words[] = {
        "squeue", "--noheader", "--array", user, "--format=%F|%K|%T|%N|%r|%Z", NULL};
    gathering g = {.out = out, .folder = slurm_folder, .take = ob__slurm_take_queued, .ok = true};
    snprintf(user, sizeof user, "--user=%u", owner);
    OB_TRY(ob__slurm_call(words, NULL, on_line, &g, err));
    return g.ok ? OB_OK : ob__cluster_no_memory(err);
}

ob_status ob__slurm_ask_accounting(const char *slurm_folder, unsigned owner, int64_t since,
                                   ob_slurm_tasks *out, ob_err *err)
{
    char user[32], start[64];
    const time_t when = (time_t)since;
    struct tm local;
    const char *const words[] = {"sacct",
                                 "--noheader",
                                 "--parsable2",
                                 "--allocations",
                                 user,
                                 start,
                                 "--format=JobID,State,NodeList,WorkDir",
                                 NULL};
    gathering g = {.out = out, .folder = slurm_folder, .take = ob__slurm_take_ended, .ok = true};
    snprintf(user, sizeof user, "--user=%u", owner);
    if (localtime_r(&when, &local) == NULL ||
        strftime(start, sizeof start, "--starttime=%Y-%m-%dT%H:%M:%S", &local) == 0)
        return ob_err_set(err, OB_ERR_INVALID, "the time of submission is not known");
    OB_TRY(ob__slurm_call(words, NULL, on_line, &g, err));
    return g.ok ? OB_OK : ob__cluster_no_memory(err);
}
