/* SPDX-License-Identifier: Apache-2.0
 *
 * Measurements out of files: lines of records, or plain objects {number_per_run, raw_times, task_spec,
 * metadata}, alone, one behind the other or in a list. The text is read as events and only what belongs
 * to a measurement is kept, so ten million samples take the memory of the samples, not of their text.
 * A line of PARAM's has no raw_times: its samples are those of metric, in milliseconds. The backward pass
 * is a measurement of its own. What is wrong with a sample is said with its line and column.
 */
#include "base/arena.h"
#include "base/json_node.h"
#include "base/json_read.h"
#include "base/number.h"
#include "base/text_append.h"
#include "config/case_text.h"
#include "opbench/measurement.h"
#include "opbench/record.h"
#include "opbench/vec.h"
#include "result/run_conditions.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Strings that are passed over, such as captured output, may be long. */
static const ob_json_limits LIMITS = {.size = sizeof LIMITS, .max_string_bytes = (size_t)1 << 30};

/* The keys that are looked at; each may stand in an object once. */
typedef enum member {
    NUMBER_PER_RUN,
    RAW_TIMES,
    TASK_SPEC,
    METADATA,
    STATUS,
    OP_NAME,
    BACKEND,
    DEVICE,
    MODE,
    THREADS,
    METRIC,
    CONFIG,
    CACHE,
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
    [DEVICE] = "device",
    [MODE] = "mode",
    [THREADS] = "threads",
    [METRIC] = "metric",
    [CONFIG] = "config",
    [CACHE] = "cache",
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

typedef struct samples {
    double *items;
    size_t count, capacity;
} samples;

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
    ob_json_doc *metadata, *config;
    ob_text rewrite; /* JSON of the metadata, or of the config */
    ob_text name_of_task;
    samples raw;               /* seconds per block */
    samples forward, backward; /* of metric: ms per iteration */
    ob_measurement measurement;
    bool has_backward;      /* still to be given */
    bool has[MEMBER_COUNT]; /* and is not null */
    bool seen[MEMBER_COUNT];
    place at[MEMBER_COUNT];
    const char *status, *op_name;
    ob_run_conditions place;
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
                             "the string holds the character \\u0000; remove it");
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

static ob_status read_time(ob_measurement_reader *r, const ob_json_event *event, const char *path,
                           double *out)
{
    const char *wrong = NULL;
    if (event->kind == OB_JSON_EVENT_INT)
        *out = (double)event->integer;
    else if (event->kind == OB_JSON_EVENT_REAL)
        *out = ob__parse_double(event->text, event->length);
    else if (event->kind == OB_JSON_EVENT_NULL)
        wrong = "null, which stands for a number that is not finite";
    else
        return refuse(r, event, path, "a time");
    if (wrong == NULL && isinf(*out))
        wrong = "too large for a number";
    else if (wrong == NULL && *out < 0)
        wrong = "negative";
    if (wrong == NULL)
        return OB_OK;
    return ob_err_set_at(r->err, OB_ERR_SYNTAX, r->name, event->line, event->column, path,
                         "the sample is %s; a time must be 0 or more seconds: measure again",
                         wrong);
}

static ob_status read_times(ob_measurement_reader *r, const ob_json_event *begin, const char *path,
                            samples *out)
{
    ob_json_event event;
    if (begin->kind != OB_JSON_EVENT_BEGIN_ARRAY)
        return refuse(r, begin, path, "a list of times");
    for (;;) {
        OB_TRY(next(r, &event));
        if (event.kind == OB_JSON_EVENT_END_ARRAY)
            return OB_OK;
        if (!OB_RESERVE(out->items, out->capacity, out->count + 1))
            return out_of_memory(r);
        OB_TRY(read_time(r, &event, path, &out->items[out->count]));
        out->count++;
    }
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

/* Takes one member of an object: key is "" if it is too long to be one that is looked for. */
typedef ob_status (*take_member)(ob_measurement_reader *r, const char *key,
                                 const ob_json_event *event);

static ob_status read_members(ob_measurement_reader *r, const ob_json_event *begin,
                              const char *path, take_member take)
{
    if (begin->kind != OB_JSON_EVENT_BEGIN_OBJECT)
        return refuse(r, begin, path, "an object");
    for (;;) {
        ob_json_event event;
        char key[32] = "";
        OB_TRY(next(r, &event));
        if (event.kind == OB_JSON_EVENT_END_OBJECT)
            return OB_OK;
        if (event.length < sizeof key)
            memcpy(key, event.text, event.length);
        OB_TRY(next(r, &event));
        OB_TRY(take(r, key, &event));
    }
}

static ob_status read_forward_member(ob_measurement_reader *r, const char *key,
                                     const ob_json_event *event)
{
    return strcmp(key, "measure.time") == 0 && r->forward.count == 0
               ? read_times(r, event, ".metric.forward.\"measure.time\"", &r->forward)
               : skip(r, event);
}

static ob_status read_backward_member(ob_measurement_reader *r, const char *key,
                                      const ob_json_event *event)
{
    return strcmp(key, "measure.time") == 0 && r->backward.count == 0
               ? read_times(r, event, ".metric.backward.\"measure.time\"", &r->backward)
               : skip(r, event);
}

static ob_status read_pass(ob_measurement_reader *r, const char *key, const ob_json_event *event)
{
    if (event->kind == OB_JSON_EVENT_BEGIN_OBJECT && strcmp(key, "forward") == 0)
        return read_members(r, event, ".metric.forward", read_forward_member);
    if (event->kind == OB_JSON_EVENT_BEGIN_OBJECT && strcmp(key, "backward") == 0)
        return read_members(r, event, ".metric.backward", read_backward_member);
    return skip(r, event);
}

static ob_status read_cache_member(ob_measurement_reader *r, const char *key,
                                   const ob_json_event *event)
{
    return strcmp(key, "state") == 0 ? read_text(r, event, ".cache.state", &r->place.cache_state)
                                     : skip(r, event);
}

/* Keeps the value as a tree. */
static ob_status read_tree(ob_measurement_reader *r, const ob_json_event *begin, ob_json_doc **out)
{
    r->rewrite.size = 0;
    OB_TRY(ob__json_reader_copy(r->json, begin, &r->rewrite, r->err));
    return ob_json_parse(r->name, r->rewrite.data, r->rewrite.size, NULL, out, r->err);
}

static ob_status read_metadata(ob_measurement_reader *r, const ob_json_event *begin)
{
    OB_TRY(read_tree(r, begin, &r->metadata));
    r->measurement.metadata = ob_json_doc_root(r->metadata);
    return OB_OK;
}

/* ---- objects ---- */

static ob_status read_member(ob_measurement_reader *r, member which, const ob_json_event *event)
{
    if (r->seen[which])
        return ob_err_set_at(r->err, OB_ERR_SYNTAX, r->name, event->line, event->column, NULL,
                             "%s appears twice in the object; remove one", MEMBERS[which]);
    r->seen[which] = true;
    r->at[which] = (place){.line = event->line, .column = event->column};
    r->has[which] = event->kind != OB_JSON_EVENT_NULL;
    if (!r->has[which])
        return OB_OK;
    switch (which) {
    case NUMBER_PER_RUN:
        return read_count(r, event, ".number_per_run", &r->measurement.number_per_run);
    case RAW_TIMES:
        return read_times(r, event, ".raw_times", &r->raw);
    case TASK_SPEC:
        return read_members(r, event, ".task_spec", read_task_member);
    case METADATA:
        return read_metadata(r, event);
    case STATUS:
        return read_text(r, event, ".status", &r->status);
    case BACKEND:
        return read_text(r, event, ".backend", &r->place.backend);
    case DEVICE:
        return read_text(r, event, ".device", &r->place.device);
    case MODE:
        return read_text(r, event, ".mode", &r->place.mode);
    case OP_NAME:
        return read_text(r, event, ".op_name", &r->op_name);
    case THREADS:
        return read_count(r, event, ".threads", &r->threads);
    case METRIC:
        return read_members(r, event, ".metric", read_pass);
    case CONFIG:
        return read_tree(r, event, &r->config);
    case CACHE:
        return read_members(r, event, ".cache", read_cache_member);
    case MEMBER_COUNT:
        break;
    }
    return OB_OK;
}

static void forget_object(ob_measurement_reader *r)
{
    ob__arena_fini(&r->arena);
    ob_json_doc_destroy(r->metadata);
    ob_json_doc_destroy(r->config);
    r->metadata = r->config = NULL;
    r->raw.count = r->forward.count = r->backward.count = 0;
    r->measurement = (ob_measurement){.raw_times = NULL};
    r->has_backward = false;
    memset(r->has, 0, sizeof r->has);
    memset(r->seen, 0, sizeof r->seen);
    r->status = r->op_name = NULL;
    r->place = (ob_run_conditions){.backend = NULL};
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

/* Whether the object is a result that was not measured: nothing to show, nothing wrong. What was measured
 * before an interrupt is good. */
static bool has_failed(const ob_measurement_reader *r)
{
    ob_record_status status;
    if (r->status != NULL && ob_record_status_from_word(r->status, &status) &&
        status != OB_RECORD_INTERRUPTED && !ob_record_status_get_info(status)->ran)
        return true;
    return (r->has[STATUS] || r->has[OP_NAME]) &&
           r->raw.count + r->forward.count + r->backward.count == 0;
}

/* ---- names ---- */

/* The scratch's text, kept as long as the object; empties scratch. */
static ob_status keep_name(ob_measurement_reader *r, bool made, const char **out)
{
    const ob_text *text = &r->name_of_task;
    *out = made ? ob__arena_strdup(&r->arena, text->size > 0 ? text->data : "", text->size) : NULL;
    r->name_of_task.size = 0;
    return *out != NULL ? OB_OK : out_of_memory(r);
}

/* A result that names no statement is of a call of its operator. */
static ob_status name_call(ob_measurement_reader *r, ob_task_spec *task)
{
    const ob_json *config = r->config != NULL ? ob_json_doc_root(r->config) : NULL;
    const ob_json *input = ob_json_get(config, "input");
    if (task->label == NULL)
        task->label = r->op_name;
    task->stmt = r->op_name;
    if (ob_json_get_kind(input) == OB_JSON_OBJECT) {
        const bool made =
            ob__call_append(&r->name_of_task, r->op_name, ob_json_get(config, "build"), input);
        OB_TRY(keep_name(r, made, &task->stmt));
    }
    task->sub_label = task->stmt;
    return OB_OK;
}

/* The names that are not given: without them results of different cases, backends, caches or modes would
 * be one task. */
static ob_status name_task(ob_measurement_reader *r)
{
    ob_task_spec *task = &r->measurement.task;
    if (task->num_threads == 0)
        task->num_threads = r->threads;
    if (task->stmt == NULL && task->sub_label == NULL && r->op_name != NULL)
        OB_TRY(name_call(r, task));
    if (task->description != NULL || r->place.backend == NULL)
        return OB_OK;
    return keep_name(r, ob__run_conditions_append(&r->name_of_task, &r->place), &task->description);
}

/* The backward pass beside the forward one, with the word at the end of its description. */
static ob_status name_backward(ob_measurement_reader *r, const char **description)
{
    const ob_run_conditions pass = {.backend = *description, .is_backward = true};
    return keep_name(r, ob__run_conditions_append(&r->name_of_task, &pass), description);
}

/* ---- measurements ---- */

/* Blocks in seconds from ms per iteration. */
static void set_times(ob_measurement_reader *r, samples *times)
{
    ob_measurement *m = &r->measurement;
    if (m->number_per_run == 0)
        m->number_per_run = 1;
    for (size_t i = 0; i < times->count; i++)
        times->items[i] = times->items[i] * (double)m->number_per_run / 1e3;
    m->raw_times = times->items;
    m->count = times->count;
}

static ob_status set_backward(ob_measurement_reader *r)
{
    r->has_backward = false;
    set_times(r, &r->backward);
    return name_backward(r, &r->measurement.task.description);
}

static ob_status check_members(ob_measurement_reader *r)
{
    for (member which = NUMBER_PER_RUN; which <= RAW_TIMES; which++)
        if (!r->has[which])
            return ob_err_set_at(
                r->err, OB_ERR_SYNTAX, r->name, r->begin.line, r->begin.column, NULL,
                "the object has no %s; a measurement has number_per_run, raw_times "
                "and task_spec",
                MEMBERS[which]);
    if (r->raw.count == 0)
        return ob_err_set_at(r->err, OB_ERR_SYNTAX, r->name, r->at[RAW_TIMES].line,
                             r->at[RAW_TIMES].column, ".raw_times",
                             "there are no samples; measure at least one block");
    return OB_OK;
}

/* *is_one: the object is a measurement, complete and without contradictions. */
static ob_status judge(ob_measurement_reader *r, bool *is_one)
{
    *is_one = false;
    const bool any = r->has[RAW_TIMES] || r->has[NUMBER_PER_RUN] || r->has[TASK_SPEC];
    const bool is_result = r->has[OP_NAME] && r->forward.count + r->backward.count > 0;
    if (has_failed(r)) {
        r->skipped++;
        return OB_OK;
    }
    if (!any && !is_result && !r->in_list)
        return OB_OK; /* a header, a finish line */
    if (r->raw.count > 0 || !is_result)
        OB_TRY(check_members(r));
    OB_TRY(name_task(r));
    r->has_backward = r->has[OP_NAME] && r->backward.count > 0;
    *is_one = true;
    if (r->raw.count > 0) {
        r->measurement.raw_times = r->raw.items;
        r->measurement.count = r->raw.count;
        return OB_OK;
    }
    if (r->forward.count == 0)
        return set_backward(r);
    set_times(r, &r->forward);
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
    source.repair = true;
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
    ob_text_fini(&r->name_of_task);
    free(r->raw.items);
    free(r->forward.items);
    free(r->backward.items);
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
    if (r->has_backward) {
        found = true;
        status = set_backward(r);
    }
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
