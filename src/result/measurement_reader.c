/* SPDX-License-Identifier: Apache-2.0
 *
 * Measurements out of files: lines of records, or plain objects {number_per_run, raw_times, task_spec,
 * metadata}, alone, one behind the other or in a list. The text is read as events and only what belongs
 * to a measurement is kept, so ten million samples take the memory of the samples, not of their text.
 * What is wrong with a sample is said with its line and column.
 */
#include "base/arena.h"
#include "base/json_node.h"
#include "base/json_read.h"
#include "base/number.h"
#include "opbench/measurement.h"
#include "opbench/record.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Strings that are passed over, such as captured output, may be long. */
static const ob_json_limits LIMITS = {.max_string_bytes = (size_t)1 << 30};

/* The keys that are looked at; each may stand in an object once. */
typedef enum member {
    NUMBER_PER_RUN,
    RAW_TIMES,
    TASK_SPEC,
    METADATA,
    STATUS,
    OP_NAME,
    BACKEND,
    THREADS,
    MEMBER_COUNT
} member;

static const char *const MEMBERS[MEMBER_COUNT] = {
    [NUMBER_PER_RUN] = "number_per_run",
    [RAW_TIMES] = "raw_times",
    [TASK_SPEC] = "task_spec",
    [METADATA] = "metadata",
    [STATUS] = "status",
    [OP_NAME] = "op_name",
    [BACKEND] = "backend",
    [THREADS] = "threads",
};

static const struct task_row {
    const char *key;
    size_t offset;
} TASK_TEXTS[] = {
#define TASK_TEXT(name)                                                                            \
    {                                                                                              \
#name, offsetof(ob_task_spec, name)                                                        \
    }
    TASK_TEXT(stmt),      TASK_TEXT(setup),       TASK_TEXT(global_setup), TASK_TEXT(label),
    TASK_TEXT(sub_label), TASK_TEXT(description), TASK_TEXT(env),
#undef TASK_TEXT
};

typedef struct place {
    uint32_t line, column;
} place;

struct ob_measurement_reader {
    ob_json_file file;
    char *name;
    ob_json_reader *json;
    bool in_list;
    uint64_t objects; /* read whole, at the top */
    size_t skipped;
    bool torn;
    /* Of the object under way. */
    place begin;
    ob_err *err;
    ob_arena arena; /* texts */
    ob_json_doc *metadata;
    ob_text rewrite; /* JSON of the metadata */
    double *times;
    size_t time_capacity;
    ob_measurement measurement;
    bool has[MEMBER_COUNT]; /* and is not null */
    bool seen[MEMBER_COUNT];
    place at[MEMBER_COUNT];
    const char *status, *backend;
    int64_t threads;
};

/* ---- errors ---- */

static ob_status out_of_memory(ob_measurement_reader *r)
{
    return ob_err_set_at(r->err, OB_ERR_NOMEM, r->name, 0, 0, NULL,
                         "out of memory for a measurement");
}

static ob_status refuse(ob_measurement_reader *r, const ob_json_event *event, const char *path,
                        const char *wanted)
{
    return ob_err_set_at(r->err, OB_ERR_SYNTAX, r->name, event->line, event->column, path,
                         "this must be %s, not %s", wanted, ob__json_event_text(event->kind));
}

/* ---- values ---- */

static ob_status next(ob_measurement_reader *r, ob_json_event *event)
{
    return ob__json_reader_next(r->json, event, r->err);
}

static ob_status read_text(ob_measurement_reader *r, const ob_json_event *event, const char *path,
                           const char **out)
{
    *out = NULL;
    if (event->kind == OB_JSON_EVENT_NULL)
        return OB_OK;
    if (event->kind != OB_JSON_EVENT_STRING)
        return refuse(r, event, path, "a string or null");
    if (memchr(event->text, '\0', event->length) != NULL)
        return ob_err_set_at(r->err, OB_ERR_SYNTAX, r->name, event->line, event->column, path,
                             "the text holds the character \\u0000; remove it");
    *out = ob__arena_strdup(&r->arena, event->text, event->length);
    return *out != NULL ? OB_OK : out_of_memory(r);
}

static ob_status read_count(ob_measurement_reader *r, const ob_json_event *event, const char *path,
                            int64_t *out)
{
    if (!ob__json_event_whole(event, out))
        return refuse(r, event, path, "a whole number");
    if (*out < 1)
        return ob_err_set_at(r->err, OB_ERR_SYNTAX, r->name, event->line, event->column, path,
                             "it is %" PRId64 " and must be at least 1", *out);
    return OB_OK;
}

static ob_status read_time(ob_measurement_reader *r, const ob_json_event *event, double *out)
{
    const char *wrong = NULL;
    if (event->kind == OB_JSON_EVENT_INT)
        *out = (double)event->integer;
    else if (event->kind == OB_JSON_EVENT_REAL)
        *out = ob__parse_double(event->text, event->length);
    else if (event->kind == OB_JSON_EVENT_NULL)
        wrong = "null, which stands for a number that is not finite";
    else
        return refuse(r, event, ".raw_times", "a time in seconds");
    if (wrong == NULL && isinf(*out))
        wrong = "too large for a number";
    else if (wrong == NULL && *out < 0)
        wrong = "negative";
    if (wrong == NULL)
        return OB_OK;
    return ob_err_set_at(r->err, OB_ERR_SYNTAX, r->name, event->line, event->column, ".raw_times",
                         "the sample is %s; a time is 0 or more seconds: measure again", wrong);
}

static ob_status read_times(ob_measurement_reader *r, const ob_json_event *begin)
{
    ob_measurement *m = &r->measurement;
    ob_json_event event;
    if (begin->kind != OB_JSON_EVENT_BEGIN_ARRAY)
        return refuse(r, begin, ".raw_times", "a list of times in seconds");
    for (;;) {
        OB_TRY(next(r, &event));
        if (event.kind == OB_JSON_EVENT_END_ARRAY)
            break;
        if (m->count == r->time_capacity) {
            const size_t wanted = r->time_capacity > 0 ? r->time_capacity * 2 : 256;
            double *bigger = wanted <= SIZE_MAX / sizeof *bigger
                                 ? realloc(r->times, wanted * sizeof *bigger)
                                 : NULL;
            if (bigger == NULL)
                return out_of_memory(r);
            r->times = bigger;
            r->time_capacity = wanted;
        }
        OB_TRY(read_time(r, &event, &r->times[m->count]));
        m->count++;
    }
    m->raw_times = r->times;
    return OB_OK;
}

static ob_status skip(ob_measurement_reader *r, const ob_json_event *begin)
{
    return ob__json_reader_skip(r->json, begin, r->err);
}

static ob_status read_task_member(ob_measurement_reader *r, const char *key,
                                  const ob_json_event *event)
{
    char path[64];
    snprintf(path, sizeof path, ".task_spec.%s", key);
    if (strcmp(key, "num_threads") == 0)
        return event->kind == OB_JSON_EVENT_NULL
                   ? OB_OK
                   : read_count(r, event, path, &r->measurement.task.num_threads);
    for (size_t i = 0; i < sizeof TASK_TEXTS / sizeof *TASK_TEXTS; i++)
        if (strcmp(key, TASK_TEXTS[i].key) == 0)
            return read_text(r, event, path,
                             (const char **)((char *)&r->measurement.task + TASK_TEXTS[i].offset));
    return skip(r, event);
}

static ob_status read_task(ob_measurement_reader *r, const ob_json_event *begin)
{
    if (begin->kind != OB_JSON_EVENT_BEGIN_OBJECT)
        return refuse(r, begin, ".task_spec", "an object");
    for (;;) {
        ob_json_event event;
        char key[32] = "";
        OB_TRY(next(r, &event));
        if (event.kind == OB_JSON_EVENT_END_OBJECT)
            return OB_OK;
        if (event.length < sizeof key)
            memcpy(key, event.text, event.length);
        OB_TRY(next(r, &event));
        OB_TRY(read_task_member(r, key, &event));
    }
}

static ob_status read_metadata(ob_measurement_reader *r, const ob_json_event *begin)
{
    r->rewrite.size = 0;
    OB_TRY(ob__json_reader_copy(r->json, begin, &r->rewrite, r->err));
    OB_TRY(ob_json_parse(r->name, r->rewrite.data, r->rewrite.size, NULL, &r->metadata, r->err));
    r->measurement.metadata = ob_json_doc_root(r->metadata);
    return OB_OK;
}

/* ---- objects ---- */

static ob_status read_member(ob_measurement_reader *r, member which, const ob_json_event *event)
{
    const char *ignored;
    if (r->seen[which])
        return ob_err_set_at(r->err, OB_ERR_SYNTAX, r->name, event->line, event->column, NULL,
                             "%s stands twice in the object; remove one", MEMBERS[which]);
    r->seen[which] = true;
    r->at[which] = (place){.line = event->line, .column = event->column};
    r->has[which] = event->kind != OB_JSON_EVENT_NULL;
    if (!r->has[which])
        return OB_OK;
    switch (which) {
    case NUMBER_PER_RUN:
        return read_count(r, event, ".number_per_run", &r->measurement.number_per_run);
    case RAW_TIMES:
        return read_times(r, event);
    case TASK_SPEC:
        return read_task(r, event);
    case METADATA:
        return read_metadata(r, event);
    case STATUS:
        return read_text(r, event, ".status", &r->status);
    case BACKEND:
        return read_text(r, event, ".backend", &r->backend);
    case OP_NAME:
        return read_text(r, event, ".op_name", &ignored);
    case THREADS:
        return read_count(r, event, ".threads", &r->threads);
    case MEMBER_COUNT:
        break;
    }
    return OB_OK;
}

static void forget_object(ob_measurement_reader *r)
{
    ob__arena_fini(&r->arena);
    ob_json_doc_destroy(r->metadata);
    r->metadata = NULL;
    r->measurement = (ob_measurement){.raw_times = r->times};
    memset(r->has, 0, sizeof r->has);
    memset(r->seen, 0, sizeof r->seen);
    r->status = r->backend = NULL;
    r->threads = 1;
}

static ob_status read_object(ob_measurement_reader *r)
{
    forget_object(r);
    for (;;) {
        ob_json_event event;
        OB_TRY(next(r, &event));
        if (event.kind == OB_JSON_EVENT_END_OBJECT)
            return OB_OK;
        member which = 0;
        while (which < MEMBER_COUNT && (strlen(MEMBERS[which]) != event.length ||
                                        memcmp(MEMBERS[which], event.text, event.length) != 0))
            which++;
        OB_TRY(next(r, &event));
        OB_TRY(which < MEMBER_COUNT ? read_member(r, which, &event) : skip(r, &event));
    }
}

/* Whether the object is a result that was not measured: nothing to show, nothing wrong. */
static bool has_failed(const ob_measurement_reader *r)
{
    ob_record_status status;
    if (r->status != NULL && ob_record_status_from_word(r->status, &status) &&
        !ob_record_status_get_info(status)->ran)
        return true;
    return (r->has[STATUS] || r->has[OP_NAME]) && r->measurement.count == 0;
}

/* *is_one: the object is a measurement, complete and without contradictions. */
static ob_status judge(ob_measurement_reader *r, bool *is_one)
{
    *is_one = false;
    const bool any = r->has[RAW_TIMES] || r->has[NUMBER_PER_RUN] || r->has[TASK_SPEC];
    if (has_failed(r)) {
        r->skipped++;
        return OB_OK;
    }
    if (!any && !r->in_list)
        return OB_OK; /* a header, a finish line */
    for (member which = NUMBER_PER_RUN; which <= RAW_TIMES; which++)
        if (!r->has[which])
            return ob_err_set_at(
                r->err, OB_ERR_SYNTAX, r->name, r->begin.line, r->begin.column, NULL,
                "the object has no %s; a measurement has number_per_run, raw_times "
                "and task_spec",
                MEMBERS[which]);
    if (r->measurement.count == 0)
        return ob_err_set_at(r->err, OB_ERR_SYNTAX, r->name, r->at[RAW_TIMES].line,
                             r->at[RAW_TIMES].column, ".raw_times",
                             "there are no samples; measure at least one block");
    ob_task_spec *task = &r->measurement.task;
    if (task->num_threads == 0)
        task->num_threads = r->threads;
    /* Records of `run` name no statement: the backend tells their rows apart. */
    if (task->stmt == NULL && task->sub_label == NULL)
        task->sub_label = r->backend;
    *is_one = true;
    return OB_OK;
}

/* ---- the reader ---- */

static ob_status create(const char *name, ob_measurement_reader **out, ob_err *err)
{
    ob_measurement_reader *r = calloc(1, sizeof *r);
    *out = r;
    if (r != NULL) {
        r->file.descriptor = -1;
        r->name = strdup(name);
        ob__arena_init(&r->arena, 0);
    }
    if (r != NULL && r->name != NULL)
        return OB_OK;
    ob_measurement_reader_close(r);
    *out = NULL;
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the reader of %s", name);
}

static ob_status start(ob_measurement_reader **out, ob_json_source source, ob_err *err)
{
    source.name = (*out)->name;
    source.many = true;
    const ob_status status = ob__json_reader_create(&source, &LIMITS, &(*out)->json, err);
    if (status != OB_OK) {
        ob_measurement_reader_close(*out);
        *out = NULL;
    }
    return status;
}

ob_status ob_measurement_reader_open(const char *path, ob_measurement_reader **out, ob_err *err)
{
    OB_TRY(create(strcmp(path, "-") == 0 ? "<stdin>" : path, out, err));
    const ob_status status = ob__json_file_open(&(*out)->file, path, err);
    if (status != OB_OK) {
        ob_measurement_reader_close(*out);
        *out = NULL;
        return status;
    }
    return start(out, (ob_json_source){.fill = ob__json_file_fill, .ctx = &(*out)->file}, err);
}

ob_status ob_measurement_reader_open_memory(const char *name, const void *data, size_t size,
                                            ob_measurement_reader **out, ob_err *err)
{
    OB_TRY(create(name, out, err));
    return start(out, (ob_json_source){.data = data, .size = size}, err);
}

void ob_measurement_reader_close(ob_measurement_reader *r)
{
    if (r == NULL)
        return;
    forget_object(r);
    ob__json_reader_destroy(r->json);
    ob__json_file_close(&r->file);
    ob_text_fini(&r->rewrite);
    free(r->times);
    free(r->name);
    free(r);
}

/* One step at the top or in the list: *found = a measurement is there; OB_END after the last. */
static ob_status step(ob_measurement_reader *r, bool *found)
{
    ob_json_event event;
    *found = false;
    OB_TRY(next(r, &event));
    if (event.kind == OB_JSON_EVENT_END)
        return OB_END;
    if (event.kind == OB_JSON_EVENT_END_ARRAY) {
        r->in_list = false;
        return OB_OK;
    }
    if (event.kind == OB_JSON_EVENT_BEGIN_ARRAY && !r->in_list) {
        r->in_list = true;
        return OB_OK;
    }
    if (event.kind != OB_JSON_EVENT_BEGIN_OBJECT)
        return refuse(r, &event, NULL,
                      r->in_list ? "a measurement, which is an object"
                                 : "a record, a measurement, or a list of measurements");
    r->begin = (place){.line = event.line, .column = event.column};
    OB_TRY(read_object(r));
    OB_TRY(judge(r, found));
    r->objects += !r->in_list;
    return OB_OK;
}

ob_status ob_measurement_reader_next(ob_measurement_reader *r, const ob_measurement **out,
                                     ob_err *err)
{
    bool found = false;
    ob_status status = OB_OK;
    *out = NULL;
    r->err = err;
    if (r->torn)
        return OB_END;
    while (status == OB_OK && !found)
        status = step(r, &found);
    r->err = NULL;
    /* A run that was killed leaves its last line unfinished; the lines before it are good. */
    if (status == OB_ERR_SYNTAX && r->objects > 0 && !r->in_list &&
        ob__json_reader_is_cut_off(r->json)) {
        r->torn = true;
        return OB_END;
    }
    if (status == OB_OK)
        *out = &r->measurement;
    return status;
}

size_t ob_measurement_reader_skipped(const ob_measurement_reader *r)
{
    return r->skipped;
}

bool ob_measurement_reader_is_torn(const ob_measurement_reader *r)
{
    return r->torn;
}

void ob_measurement_reader_place(const ob_measurement_reader *r, uint32_t *line, uint32_t *column)
{
    *line = r->begin.line;
    *column = r->begin.column;
}
