/* SPDX-License-Identifier: Apache-2.0
 *
 * Opening a trace: which kind it is shows in its keys. "nodes" is an execution trace, "traceEvents" (or
 * a list at the top) the profiler's; everything else at the top is passed over.
 */
#include "base/sized.h"
#include "trace/input.h"
#include "trace/trace_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_MEMORY ((size_t)4 << 30)

typedef ob_status (*entry_reader)(ob_trace *trace, const ob_tape *tape, ob_err *err);

typedef struct reading {
    ob_trace *trace;
    ob_json_reader *reader;
    ob_tape tape;
    bool nodes, events;
    ob_err *err;
} reading;

static ob_status read_list(reading *r, entry_reader read)
{
    for (;;) {
        ob_json_event event;
        OB_TRY(ob__json_reader_next(r->reader, &event, r->err));
        if (event.kind == OB_JSON_EVENT_END_ARRAY)
            return OB_OK;
        OB_TRY(ob__tape_read(&r->tape, r->reader, &event, r->err));
        OB_TRY(read(r->trace, &r->tape, r->err));
    }
}

static ob_status skip_value(reading *r, const ob_json_event *first)
{
    const uint32_t depth = ob__json_reader_depth(r->reader);
    ob_json_event event = *first;
    if (event.kind != OB_JSON_EVENT_BEGIN_ARRAY && event.kind != OB_JSON_EVENT_BEGIN_OBJECT)
        return OB_OK;
    while (ob__json_reader_depth(r->reader) >= depth)
        OB_TRY(ob__json_reader_next(r->reader, &event, r->err));
    return OB_OK;
}

static ob_status read_key(reading *r, const char *key, size_t length)
{
    ob_json_event event;
    const bool nodes = length == 5 && memcmp(key, "nodes", 5) == 0;
    const bool events = length == 11 && memcmp(key, "traceEvents", 11) == 0;
    const bool schema = length == 6 && memcmp(key, "schema", 6) == 0;
    OB_TRY(ob__json_reader_next(r->reader, &event, r->err));
    if ((nodes || events) && event.kind == OB_JSON_EVENT_BEGIN_ARRAY) {
        r->nodes |= nodes;
        r->events |= events;
        if (r->nodes && r->events)
            return ob_err_set_at(r->err, OB_ERR_SYNTAX, r->trace->name, event.line, event.column,
                                 NULL, "it has both nodes and traceEvents; keep one");
        return read_list(r, nodes ? ob__trace_read_node : ob__trace_read_event);
    }
    if (schema && event.kind == OB_JSON_EVENT_STRING) {
        r->trace->schema = ob__trace_text(r->trace, event.text, event.length);
        return r->trace->schema != NULL ? OB_OK
                                        : ob__trace_out_of_memory(r->trace, event.line, r->err);
    }
    return skip_value(r, &event);
}

static ob_status read_top(reading *r)
{
    ob_json_event event;
    OB_TRY(ob__json_reader_next(r->reader, &event, r->err));
    if (event.kind == OB_JSON_EVENT_BEGIN_ARRAY) {
        r->events = true;
        OB_TRY(read_list(r, ob__trace_read_event));
    } else if (event.kind == OB_JSON_EVENT_BEGIN_OBJECT) {
        for (;;) {
            OB_TRY(ob__json_reader_next(r->reader, &event, r->err));
            if (event.kind == OB_JSON_EVENT_END_OBJECT)
                break;
            OB_TRY(read_key(r, event.text, event.length));
        }
    }
    if (!r->nodes && !r->events)
        return ob_err_set_at(r->err, OB_ERR_SYNTAX, r->trace->name, 0, 0, NULL,
                             "is not a trace: it has neither \"nodes\" (from PyTorch's execution "
                             "trace observer) nor \"traceEvents\" (from its profiler)");
    return ob__json_reader_next(r->reader, &event, r->err); /* nothing may follow */
}

static bool known_schema(const char *schema)
{
    static const char *const KNOWN[] = {"1.0.1", "1.0.2-", "1.0.3-", "1.0.4-", "1.1.0-", "1.1.1-"};
    for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++)
        if (i == 0 ? strcmp(schema, KNOWN[i]) == 0
                   : strncmp(schema, KNOWN[i], strlen(KNOWN[i])) == 0)
            return true;
    return false;
}

static ob_status finish(reading *r, const ob_log *log)
{
    ob_trace *trace = r->trace;
    if (r->events) {
        trace->schema = "kineto";
        OB_TRY(ob__trace_nest_events(trace, r->err));
    } else if (!known_schema(trace->schema)) {
        ob_log_message(log, OB_LOG_WARNING,
                       "%s: schema \"%.60s\" is not one of 1.0.1 to 1.1.1-chakra; reading the "
                       "fields that opbench knows",
                       trace->name, trace->schema);
    }
    return ob__trace_link(trace, log, r->err);
}

static ob_status read_all(ob_trace *trace, ob_input *input, const ob_log *log, ob_err *err)
{
    reading r = {.trace = trace, .err = err, .tape = {.name = trace->name}};
    const ob_json_source source = {.name = trace->name, .fill = ob__input_fill, .ctx = input};
    ob_status status = ob__json_reader_create(&source, NULL, &r.reader, err);
    if (status == OB_OK)
        status = read_top(&r);
    if (status == OB_OK)
        status = finish(&r, log);
    trace->text_bytes = ob__input_bytes(input);
    ob__json_reader_destroy(r.reader);
    ob__tape_fini(&r.tape);
    return status;
}

static ob_status open_trace(const char *path, const char *name, const void *data, size_t size,
                            const ob_trace_limits *limits, const ob_log *log, ob_trace **out,
                            ob_err *err)
{
    ob_input *input = NULL;
    ob_trace_limits own;
    *out = NULL;
    OB_TRY(OB__TAKE_OPTIONAL(ob_trace_limits, &own, limits, err));
    ob_trace *trace = calloc(1, sizeof *trace);
    if (trace == NULL || (trace->name = strdup(name)) == NULL) {
        free(trace);
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a trace");
    }
    trace->max_memory = own.max_memory_bytes != 0 ? own.max_memory_bytes : DEFAULT_MEMORY;
    ob__arena_init(&trace->arena, trace->max_memory);
    ob__intern_init(&trace->blobs, &trace->arena);
    ob__intern_init(&trace->tensor_index, &trace->arena);
    trace->schema = "";
    ob_status status = ob__input_open(path, trace->name, data, size, &own, &input, err);
    if (status == OB_OK)
        status = read_all(trace, input, log, err);
    ob__input_close(input);
    if (status != OB_OK) {
        ob_trace_close(trace);
        return status;
    }
    *out = trace;
    return OB_OK;
}

ob_status ob_trace_open(const char *path, const ob_trace_limits *limits, const ob_log *log,
                        ob_trace **out, ob_err *err)
{
    return open_trace(path, strcmp(path, "-") == 0 ? "<stdin>" : path, NULL, 0, limits, log, out,
                      err);
}

ob_status ob_trace_open_memory(const char *name, const void *data, size_t size,
                               const ob_trace_limits *limits, const ob_log *log, ob_trace **out,
                               ob_err *err)
{
    return open_trace(NULL, name, data, size, limits, log, out, err);
}

void ob_trace_close(ob_trace *trace)
{
    if (trace == NULL)
        return;
    free(trace->nodes);
    free((void *)trace->tensors);
    free(trace->iterations);
    ob__intern_fini(&trace->blobs);
    ob__intern_fini(&trace->tensor_index);
    ob__arena_fini(&trace->arena);
    free(trace->name);
    free(trace);
}
