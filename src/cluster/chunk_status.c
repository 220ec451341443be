/* SPDX-License-Identifier: Apache-2.0
 *
 * How far a divided run is, from its files and from Slurm. The queue is asked before the files are read: a chunk that ends between
 * the two is done, and never lost.
 */
#include "cluster/cluster_int.h"

#include "base/read_file.h"
#include "opbench/vec.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* A file without an end that was written to so lately is taken to be under way, where no queue says it. */
enum { LATELY_S = 300, MOST_SUBMISSION_BYTES = 1 << 20, NOTE_ROOM = 320, NODE_ROOM = 64 };

typedef struct chunk_texts {
    char node[NODE_ROOM], note[NOTE_ROOM];
} chunk_texts;

/* What submit.json says. */
typedef struct submission {
    bool is_there;
    uint64_t chunks, results;
    int64_t when;
    unsigned owner;
    char folder[PATH_MAX]; /* slurm/, as jobs name it */
} submission;

struct ob_chunks {
    ob_chunk_list list;
    ob_chunk *items;
    chunk_texts *texts;
    submission submitted;
    ob_chunk_survey survey;
    ob_slurm_tasks queued, ended;
    ob_err queue_err;
    bool has_queue;
};

const char *ob_chunk_state_word(ob_chunk_state state)
{
    static const char *const WORDS[] = {
#define OB_CHUNK_STATE_WORD(id, word, help) [OB_CHUNK_##id] = word,
        OB_CHUNK_STATE_MAP(OB_CHUNK_STATE_WORD)
#undef OB_CHUNK_STATE_WORD
    };
    return (unsigned)state < OB_CHUNK_STATE_COUNT ? WORDS[state] : "";
}

/* ---- what was submitted ---- */

static ob_status take_submission(submission *s, const char *path, const ob_text *text, ob_err *err)
{
    ob_json_doc *doc;
    OB_TRY(ob_json_parse(path, text->data, text->size, NULL, &doc, err));
    const ob_json *root = ob_json_doc_root(doc);
    const int64_t chunks = ob_json_int(ob_json_get(root, "chunks"), 0);
    const int64_t results = ob_json_int(ob_json_get(root, "results"), 0);
    s->when = ob_json_int(ob_json_get(root, "submitted"), 0);
    ob_json_doc_destroy(doc);
    if (chunks < 1 || chunks > OB_SLURM_MAX_CHUNKS)
        return ob_err_set(
            err, OB_ERR_INVALID,
            "%s does not say how many chunks there are; it is not from opbench submit", path);
    s->chunks = (uint64_t)chunks;
    s->results = results > 0 ? (uint64_t)results : 0;
    s->is_there = true;
    return OB_OK;
}

static ob_status read_submission(submission *s, const char *folder, ob_err *err)
{
    char path[PATH_MAX];
    struct stat info;
    ob_text text = {0};
    if (snprintf(path, sizeof path, "%s/" OB_SLURM_FOLDER "/" OB_SLURM_SUBMISSION, folder) >=
            PATH_MAX ||
        stat(path, &info) != 0)
        return OB_OK;
    if (!S_ISREG(info.st_mode)) /* nobody waits for a pipe */
        return ob_err_set(err, OB_ERR_INVALID, "%s is not from opbench submit", path);
    s->owner = info.st_uid;
    ob_status status = ob__read_file(path, MOST_SUBMISSION_BYTES, &text, err);
    if (status == OB_OK)
        status = take_submission(s, path, &text, err);
    ob_text_fini(&text);
    snprintf(path, sizeof path, "%s/" OB_SLURM_FOLDER, folder);
    if (status == OB_OK && realpath(path, s->folder) == NULL)
        s->folder[0] = '\0';
    return status;
}

static void ask_slurm(ob_chunks *c)
{
    const submission *s = &c->submitted;
    ob_err ignored;
    c->has_queue = ob__slurm_ask_queue(s->folder, s->owner, &c->queued, &c->queue_err) == OB_OK;
    if (!c->has_queue)
        return;
    /* Most clusters have accounting; without it files and queue say enough. */
    if (s->when > 0 &&
        ob__slurm_ask_accounting(s->folder, s->owner, s->when, &c->ended, &ignored) != OB_OK)
        c->ended.count = 0;
}

/* By chunk: its last, a running one before others. calloc'ed; NULL: memory is out. */
static const ob_slurm_task **index_tasks(const ob_slurm_tasks *tasks, uint64_t count)
{
    const ob_slurm_task **index = calloc(count, sizeof *index);
    for (size_t i = 0; index != NULL && i < tasks->count; i++) {
        const ob_slurm_task *task = &tasks->items[i];
        const ob_slurm_task **slot = task->chunk <= count ? &index[task->chunk - 1] : NULL;
        if (slot != NULL && (*slot == NULL || !(*slot)->is_running))
            *slot = task;
    }
    return index;
}

/* ---- one chunk ---- */

static bool is_queue_known(const ob_chunks *c)
{
    return c->submitted.is_there && c->has_queue;
}

/* By its files alone. */
static ob_chunk_state judge_files(const ob_chunk_files *f, char *note)
{
    const int64_t ago = (int64_t)time(NULL) - f->written;
    if (f->files == 0)
        return OB_CHUNK_WAITING;
    if (f->is_open && ago <= LATELY_S)
        return OB_CHUNK_RUNNING;
    if (f->is_open)
        snprintf(note, NOTE_ROOM, "unfinished, and nothing was written for %" PRId64 " min",
                 ago / 60);
    else
        snprintf(note, NOTE_ROOM, "interrupted");
    return OB_CHUNK_FAILED;
}

static void explain_waiting(const ob_slurm_task *task, char *note)
{
    if (strcmp(task->state, "PENDING") != 0)
        snprintf(note, NOTE_ROOM, "Slurm says %s", task->state);
    else if (strcasestr(task->reason, "held") != NULL)
        snprintf(note, NOTE_ROOM,
                 "Slurm holds it (%s); release it with: scontrol release %s_%" PRIu64, task->reason,
                 task->job, task->chunk);
    else if (task->reason[0] != '\0')
        snprintf(note, NOTE_ROOM, "Slurm says %s", task->reason);
}

/* Nothing goes on with it: why? */
static void explain(const ob_chunk_files *f, const ob_slurm_task *ended, char *note)
{
    if (ended != NULL)
        snprintf(note, NOTE_ROOM, "Slurm says %s", ended->state);
    else if (f->last_begun[0] != '\0')
        snprintf(note, NOTE_ROOM, "its last try, on %s, did not finish", f->last_begun);
    else
        snprintf(note, NOTE_ROOM, "not in the queue%s",
                 f->tries == 0 && f->files == 0 ? ", and never started" : "");
}

static void add_failures(const ob_chunk_files *f, ob_chunk_state state, char *note)
{
    const size_t used = strlen(note);
    const char *mark = used > 0 ? "; " : "";
    if (f->bad_nodes[0] != '\0')
        snprintf(note + used, NOTE_ROOM - used, "%sfailed twice on %s%s%s%s", mark, f->bad_nodes,
                 state == OB_CHUNK_FAILED ? "" : ", so it runs elsewhere",
                 f->last_failure[0] != '\0' ? "; last, it " : "", f->last_failure);
    else if (f->failures > 0)
        snprintf(note + used, NOTE_ROOM - used, "%sbefore, it %s", mark, f->last_failure);
}

/* task: in the queue; ended: what accounting has of it. Both may be NULL. */
static void judge(ob_chunks *c, uint64_t i, const ob_slurm_task *task, const ob_slurm_task *ended)
{
    const ob_chunk_files *f = &c->survey.chunks[i];
    ob_chunk *chunk = &c->items[i];
    chunk_texts *t = &c->texts[i];
    *chunk = (ob_chunk){.number = i + 1,
                        .results = f->results,
                        .expected = f->expected,
                        .files = f->files,
                        .seconds = f->seconds,
                        .node = t->node,
                        .note = t->note};
    snprintf(t->node, sizeof t->node, "%s",
             task != NULL && task->node[0] != '\0' ? task->node : f->node);
    if (f->is_done) {
        chunk->state = OB_CHUNK_DONE;
    } else if (task != NULL) {
        chunk->state = task->is_running ? OB_CHUNK_RUNNING : OB_CHUNK_WAITING;
        if (!task->is_running)
            explain_waiting(task, t->note);
    } else if (is_queue_known(c)) {
        chunk->state = OB_CHUNK_FAILED;
        explain(f, ended, t->note);
    } else {
        chunk->state = judge_files(f, t->note);
    }
    add_failures(f, chunk->state, t->note);
}

/* ---- all of them ---- */

/* Where a chunk has no file yet, the first have one result more than others. */
static void count_expected(ob_chunks *c)
{
    const uint64_t all = c->submitted.results > 0 ? c->submitted.results : c->survey.total;
    const uint64_t mean = all / c->survey.count, rest = all % c->survey.count;
    c->list.expected = all;
    for (uint64_t i = 0; i < c->survey.count; i++)
        if (c->items[i].expected == 0)
            c->items[i].expected = mean + (i < rest);
}

/* What is left, at the mean time of a result, on as many nodes as are at work; no sooner than the chunk that has most before it. */
static double estimate(const ob_chunks *c)
{
    const ob_chunk_list *l = &c->list;
    double seconds = 0, most = 0;
    if (l->in_state[OB_CHUNK_DONE] == l->count)
        return 0;
    for (size_t i = 0; i < l->count; i++)
        seconds += l->items[i].seconds;
    const uint64_t running = l->in_state[OB_CHUNK_RUNNING];
    if (l->results == 0 || l->expected < l->results || running == 0)
        return NAN;
    const double each = seconds / (double)l->results;
    for (size_t i = 0; i < l->count; i++) {
        const ob_chunk *chunk = &l->items[i];
        if (chunk->state == OB_CHUNK_RUNNING && chunk->expected > chunk->results)
            most = fmax(most, each * (double)(chunk->expected - chunk->results));
    }
    return fmax(most, each * (double)(l->expected - l->results) / (double)running);
}

static ob_status judge_all(ob_chunks *c, ob_err *err)
{
    const ob_slurm_task **queued = index_tasks(&c->queued, c->survey.count);
    const ob_slurm_task **ended = index_tasks(&c->ended, c->survey.count);
    const bool ok = queued != NULL && ended != NULL;
    for (uint64_t i = 0; ok && i < c->survey.count; i++)
        judge(c, i, queued[i], ended[i]);
    free((void *)queued);
    free((void *)ended);
    return ok ? OB_OK : ob__cluster_no_memory(err);
}

static ob_status fill(ob_chunks *c, ob_err *err)
{
    const uint64_t count = c->survey.count;
    c->items = calloc(count, sizeof *c->items);
    c->texts = calloc(count, sizeof *c->texts);
    if (c->items == NULL || c->texts == NULL)
        return ob__cluster_no_memory(err);
    c->list = (ob_chunk_list){.items = c->items,
                              .count = count,
                              .is_submitted = c->submitted.is_there,
                              .queue = "",
                              .other_files = c->survey.other_files};
    if (c->submitted.is_there && !c->has_queue)
        c->list.queue = c->queue_err.message;
    OB_TRY(judge_all(c, err));
    count_expected(c);
    for (uint64_t i = 0; i < count; i++) {
        c->list.in_state[c->items[i].state]++;
        c->list.results += c->items[i].results;
    }
    c->list.seconds_left = estimate(c);
    return OB_OK;
}

static ob_status read_all(ob_chunks *c, const ob_chunks_params *params, ob_err *err)
{
    OB_TRY(read_submission(&c->submitted, params->folder, err));
    if (c->submitted.is_there && !params->files_alone)
        ask_slurm(c);
    OB_TRY(
        ob__chunk_survey_read(&c->survey, params->folder, c->submitted.chunks, params->only, err));
    if (c->survey.chunks == NULL)
        return ob_err_set(err, OB_ERR_NOT_FOUND,
                          "%s has no files of a divided run (--shard K/N --output %s/), and "
                          "nothing was submitted there",
                          params->folder, params->folder);
    return fill(c, err);
}

ob_status ob_chunks_read(const ob_chunks_params *params, ob_chunks **out, ob_err *err)
{
    ob_chunks *c = calloc(1, sizeof *c);
    *out = NULL;
    if (c == NULL)
        return ob__cluster_no_memory(err);
    const ob_status status = read_all(c, params, err);
    if (status == OB_OK)
        *out = c;
    else
        ob_chunks_destroy(c);
    return status;
}

const ob_chunk_list *ob_chunks_list(const ob_chunks *chunks)
{
    return &chunks->list;
}

void ob_chunks_destroy(ob_chunks *c)
{
    if (c == NULL)
        return;
    ob__chunk_survey_fini(&c->survey);
    free(c->queued.items);
    free(c->ended.items);
    free(c->items);
    free(c->texts);
    free(c);
}

bool ob_chunks_append_failed(const ob_chunks *chunks, ob_text *out)
{
    const ob_chunk_list *l = &chunks->list;
    const char *mark = "";
    for (size_t i = 0; i < l->count; i++) {
        size_t end = i;
        while (end < l->count && l->items[end].state == OB_CHUNK_FAILED)
            end++;
        if (end == i)
            continue;
        if (!ob_text_printf(out, "%s%zu", mark, i + 1) ||
            (end > i + 1 && !ob_text_printf(out, "-%zu", end)))
            return false;
        mark = ",";
        i = end;
    }
    return true;
}
