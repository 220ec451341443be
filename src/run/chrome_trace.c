/* SPDX-License-Identifier: Apache-2.0
 *
 * The trace file: a JSON array of events in Chrome's format, times in microseconds since the first
 * case. Phases have their real start. Of an iteration only the length is known, because nothing is
 * stored inside the timed region but the sample; so iterations stand end to end from the start of
 * their phase, on rows of their own, which shows their lengths and order, not the gaps between them.
 */
#include "run/chrome_trace.h"

#include "base/json_node.h"
#include "base/text_append.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Rows of a process. */
enum { ROW_PHASES = 1, ROW_FORWARD, ROW_BACKWARD, ROW_KERNELS };
static const char *const ROW_NAMES[] = {"", "phases", "forward iterations", "backward iterations",
                                        "operators inside"};

struct ob_profile {
    FILE *file;
    char *path;
    ob_text text; /* one event */
    double first_ns;
    int64_t pid;        /* of the last record; its rows have names */
    bool any;           /* an event was written */
    bool kernels_named; /* the row of operators has its name in this process */
};

enum { MOST_NAMES = 10000 };

static FILE *open_new(const char *record_path, char *path, size_t size)
{
    size_t stem = strlen(record_path);
    if (stem > 5 && strcmp(record_path + stem - 5, ".json") == 0)
        stem -= 5;
    FILE *file = NULL;
    errno = EEXIST;
    for (int i = 1; file == NULL && errno == EEXIST && i < MOST_NAMES; i++) {
        if (i == 1)
            snprintf(path, size, "%.*s_trace.json", (int)stem, record_path);
        else
            snprintf(path, size, "%.*s_trace_%d.json", (int)stem, record_path, i);
        file = fopen(path, "wxe");
    }
    return file;
}

static ob_status open_profile(const char *name, bool is_new, ob_profile **out, ob_err *err)
{
    const size_t size = strlen(name) + 32;
    ob_profile *profile = calloc(1, sizeof *profile);
    char *path = malloc(size);
    if (profile == NULL || path == NULL) {
        free(profile);
        free(path);
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the trace file");
    }
    snprintf(path, size, "%s", name);
    FILE *file = is_new ? open_new(name, path, size) : fopen(path, "we");
    if (file == NULL) {
        const ob_status status = ob_err_set(err, OB_ERR_IO, "cannot create the trace file %s: %s",
                                            path, strerror(errno));
        free(profile);
        free(path);
        return status;
    }
    *profile = (ob_profile){.file = file, .path = path, .first_ns = -1, .pid = OB_NO_INT};
    *out = profile;
    return OB_OK;
}

ob_status ob__profile_open(const char *record_path, ob_profile **out, ob_err *err)
{
    return open_profile(record_path, true, out, err);
}

ob_status ob__profile_open_at(const char *path, ob_profile **out, ob_err *err)
{
    return open_profile(path, false, out, err);
}

const char *ob__profile_path(const ob_profile *profile)
{
    return profile->path;
}

/* ---- events ---- */

typedef struct event {
    const char *name;
    const char *category;
    int row;
    double start_ns, duration_ns;
} event;

static ob_status out_of_memory(ob_err *err)
{
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the trace file");
}

static ob_status write_text(ob_profile *p, ob_err *err)
{
    if (fputs(p->any ? ",\n" : "[\n", p->file) == EOF ||
        fwrite(p->text.data, 1, p->text.size, p->file) != p->text.size)
        return ob_err_set(err, OB_ERR_IO, "the trace file %s cannot be written: %s", p->path,
                          strerror(errno));
    p->any = true;
    return OB_OK;
}

static bool begin_event(ob_profile *p, const char *name)
{
    p->text.size = 0;
    return ob_text_append_str(&p->text, "{\"name\": ") &&
           ob__json_write_string(&p->text, name, strlen(name));
}

/* An event without the brace that ends it, so that arguments may follow. */
static bool append_event(ob_profile *p, const event *e)
{
    const double start_ns = e->start_ns > p->first_ns ? e->start_ns - p->first_ns : 0;
    return begin_event(p, e->name) &&
           ob_text_printf(&p->text,
                          ", \"cat\": \"%s\", \"ph\": \"X\", \"ts\": %.3f, \"dur\": %.3f, "
                          "\"pid\": %" PRId64 ", \"tid\": %d",
                          e->category, start_ns / 1e3, e->duration_ns / 1e3, p->pid, e->row);
}

static ob_status write_event(ob_profile *p, const event *e, ob_err *err)
{
    if (!append_event(p, e) || !ob_text_append(&p->text, "}", 1))
        return out_of_memory(err);
    return write_text(p, err);
}

static ob_status write_row_name(ob_profile *p, int row, ob_err *err)
{
    if (!begin_event(p, "thread_name") ||
        !ob_text_printf(&p->text,
                        ", \"ph\": \"M\", \"pid\": %" PRId64
                        ", \"tid\": %d, \"args\": {\"name\": \"%s\"}}",
                        p->pid, row, ROW_NAMES[row]))
        return out_of_memory(err);
    return write_text(p, err);
}

/* The row of operators gets its name when there is one. */
static ob_status write_row_names(ob_profile *p, ob_err *err)
{
    p->kernels_named = false;
    for (int row = ROW_PHASES; row <= ROW_BACKWARD; row++)
        OB_TRY(write_row_name(p, row, err));
    return OB_OK;
}

/* "torch.add|0|0|1", with what became of it. */
static ob_status write_case(ob_profile *p, const ob_record_result *r, const event *e, ob_err *err)
{
    ob_text name = {0};
    const ob_record_status_info *info = ob_record_status_get_info(r->status);
    const char *const words[][2] = {{"op_name", r->op_name},
                                    {"id", r->id},
                                    {"backend", r->backend},
                                    {"status", info != NULL ? info->word : NULL},
                                    {"reason", r->reason}};
    event named = *e;
    bool ok = ob_text_printf(&name, "%s|%s", r->op_name ? r->op_name : "", r->id ? r->id : "") &&
              ob_text_append(&name, "", 1);
    named.name = name.data;
    ok = ok && append_event(p, &named) && ob_text_append_str(&p->text, ", \"args\": {");
    bool first = true;
    for (size_t i = 0; ok && i < sizeof words / sizeof *words; i++) {
        if (words[i][1] == NULL)
            continue;
        ok = ob_text_printf(&p->text, "%s\"%s\": ", first ? "" : ", ", words[i][0]) &&
             ob__json_write_string(&p->text, words[i][1], strlen(words[i][1]));
        first = false;
    }
    ok = ok && ob_text_append_str(&p->text, "}}");
    ob_text_fini(&name);
    return ok ? write_text(p, err) : out_of_memory(err);
}

/* Samples are ms per iteration, a block has `number` of them. */
static ob_status write_samples(ob_profile *p, const ob_reals *samples_ms, const event *first,
                               double number, ob_err *err)
{
    event e = *first;
    for (size_t i = 0; i < samples_ms->count; i++) {
        e.duration_ns = samples_ms->items[i] * 1e6 * number;
        if (!(e.duration_ns >= 0))
            continue; /* a difference of means can be below zero; there is nothing to show then */
        OB_TRY(write_event(p, &e, err));
        e.start_ns += e.duration_ns;
    }
    return OB_OK;
}

static ob_status write_iterations(ob_profile *p, const ob_record_result *r, ob_err *err)
{
    const ob_reals *warmup = &r->phases[OB_CASE_PHASE_WARMUP];
    const ob_reals *measure = &r->phases[OB_CASE_PHASE_MEASURE];
    const double number = r->number_per_run > 0 ? (double)r->number_per_run : 1;
    const struct {
        const ob_record_pass *pass;
        int row;
    } passes[] = {{&r->forward, ROW_FORWARD}, {&r->backward, ROW_BACKWARD}};
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++) {
        event e = {.name = "warm-up", .category = "iteration", .row = passes[i].row};
        if (warmup->count == 2) {
            e.start_ns = warmup->items[0];
            OB_TRY(write_samples(p, &passes[i].pass->warmup_time_ms, &e, 1, err));
        }
        if (measure->count == 2) {
            e.name = "iteration";
            e.start_ns = measure->items[0];
            OB_TRY(write_samples(p, &passes[i].pass->measure_time_ms, &e, number, err));
        }
    }
    return OB_OK;
}

/* Operators that the backend told of; their times are real, nesting shows by them. */
static ob_status write_kernels(ob_profile *p, const ob_json *kernels, ob_err *err)
{
    if (!p->kernels_named)
        OB_TRY(write_row_name(p, ROW_KERNELS, err));
    p->kernels_named = true;
    for (size_t i = 0; i < ob_json_count(kernels); i++) {
        const ob_json *row = ob_json_item(kernels, i);
        const char *name = ob_json_string(ob_json_item(row, 0), NULL);
        const event e = {.name = name != NULL ? name : "",
                         .category = "kernel",
                         .row = ROW_KERNELS,
                         .start_ns = (double)ob_json_int(ob_json_item(row, 3), 0),
                         .duration_ns = (double)ob_json_int(ob_json_item(row, 4), 0)};
        OB_TRY(write_event(p, &e, err));
    }
    return OB_OK;
}

ob_status ob__profile_add(ob_profile *p, const ob_record *record, ob_err *err)
{
    const ob_record_result *r = &record->result;
    if (record->kind != OB_RECORD_RESULT_LINE || r->phases[OB_CASE_PHASE_CASE].count != 2)
        return OB_OK;
    if (p->first_ns < 0)
        p->first_ns = r->phases[OB_CASE_PHASE_CASE].items[0];
    if (p->pid != r->pid) {
        p->pid = r->pid;
        OB_TRY(write_row_names(p, err));
    }
    for (int i = 0; i < OB_CASE_PHASE_COUNT; i++) {
        if (r->phases[i].count != 2)
            continue;
        const event e = {.name = ob_case_phase_name((ob_case_phase)i),
                         .category = i == OB_CASE_PHASE_CASE ? "case" : "phase",
                         .row = ROW_PHASES,
                         .start_ns = r->phases[i].items[0],
                         .duration_ns = r->phases[i].items[1]};
        OB_TRY(i == OB_CASE_PHASE_CASE ? write_case(p, r, &e, err) : write_event(p, &e, err));
    }
    OB_TRY(write_iterations(p, r, err));
    return r->kernels != NULL ? write_kernels(p, r->kernels, err) : OB_OK;
}

ob_status ob__profile_close(ob_profile *p, ob_err *err)
{
    if (p == NULL)
        return OB_OK;
    ob_status status = OB_OK;
    const bool ended = fputs(p->any ? "\n]\n" : "[]\n", p->file) != EOF;
    if (fclose(p->file) != 0 || !ended)
        status = ob_err_set(err, OB_ERR_IO, "the trace file %s is not complete: %s", p->path,
                            strerror(errno));
    ob_text_fini(&p->text);
    free(p->path);
    free(p);
    return status;
}
