/* SPDX-License-Identifier: Apache-2.0
 *
 * The trace reader: any bytes, packed or not. A trace that is accepted is described, walked and
 * converted, and the config that comes out must be JSON; a replay of it is planned, as recorded and with every call
 * replaced by those that it made.
 */
#include "opbench/trace.h"
#include "trace/replay_schedule.h"
#include "trace/replay_steps.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void drop(void *ctx, ob_log_level level, const ob_err *what)
{
    char line[2048];
    ob_err_format(what, level == OB_LOG_ERROR ? "error" : "warning", line, sizeof line);
    *(size_t *)ctx += line[0] != '\0';
}

static void look(const ob_trace *trace, const ob_log *log)
{
    static ob_op_table *table;
    ob_text config = {0};
    ob_err err;
    ob_json_doc *doc;
    const ob_json *described;
    const ob_trace_convert_options options = {.size = sizeof options};
    const ob_trace_selection leaves = {
        .size = sizeof leaves, .iteration = -1, .leaves = true, .keep_loader = true};
    ob_trace_convert_summary summary = {.size = sizeof summary};
    if (table == NULL && ob_op_table_create(&table, &err) != OB_OK)
        abort();
    if (ob_json_doc_create(&doc, &err) != OB_OK)
        abort();
    ob_trace_describe(trace, &leaves, doc, &described, &err);
    for (size_t i = 0; i < ob_trace_node_count(trace) && i < 100; i++)
        ob_trace_describe_node(trace, i, doc, &described, &err);
    ob_json_doc_destroy(doc);
    if (ob_trace_convert(trace, &options, table, log, &config, &summary, &err) == OB_OK) {
        ob_json_doc *read = NULL;
        if (ob_json_parse("config", config.data, config.size, NULL, &read, &err) != OB_OK)
            abort();
        ob_json_doc_destroy(read);
    }
    ob_text_fini(&config);
}

static void plan(const ob_trace *trace)
{
    const size_t count = ob_trace_node_count(trace);
    const ob_trace_selection all = {.size = sizeof all, .iteration = -1, .keep_loader = true};
    const ob_replay_options options = {.selection = &all};
    const char **replaced = calloc(count + 1, sizeof *replaced);
    ob_replay_schedule made;
    ob_err err;
    if (replaced == NULL)
        abort();
    /* Each search walks what is below the node; a fuzzed chain of nodes would make that a square. */
    for (size_t i = 0; i < count && i < 200; i++)
        if (ob__replay_can_replace(trace, ob_trace_node_at(trace, i)))
            replaced[i] = "fuzzed";
    for (int round = 0; round < 2; round++) {
        const ob_replay_choice choice = {.options = &options,
                                         .replaced = round > 0 ? replaced : NULL};
        if (ob__replay_schedule_make(trace, &choice, &made, &err) == OB_OK)
            for (size_t i = 0; i < made.step_count; i++)
                if (made.steps[i].top >= made.top_count || made.steps[i].op >= made.names.count)
                    abort();
        ob__replay_schedule_fini(&made);
    }
    free((void *)replaced);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t heard = 0;
    const ob_log log = {.fn = drop, .ctx = &heard, .max_level = OB_LOG_DEBUG};
    const ob_trace_limits limits = {
        .size = sizeof limits, .max_memory_bytes = 64 << 20, .max_text_bytes = 16 << 20};
    ob_trace *trace;
    ob_err err;
    if (ob_trace_open_memory("fuzz", data, size, &limits, &log, &trace, &err) == OB_OK) {
        look(trace, &log);
        plan(trace);
    }
    ob_trace_close(trace);
    return 0;
}
