/* SPDX-License-Identifier: Apache-2.0
 *
 * One node of an execution trace. 1.0.1 writes everything flat; since 1.0.2 the parent is ctrl_deps,
 * arguments are in inputs{values, shapes, types, strides}, and the rest is a list of attributes. Both
 * are read whatever the version says; keys that are not known are passed over.
 */
#include "trace/trace_values.h"

#include <stdlib.h>
#include <string.h>

typedef enum field_type { FIELD_INT, FIELD_TEXT } field_type;

/* name in the file, field of ob_trace_node. parent has two names. */
static const struct {
    const char *name;
    field_type type;
    size_t offset;
} FIELDS[] = {
    {"id", FIELD_INT, offsetof(ob_trace_node, id)},
    {"parent", FIELD_INT, offsetof(ob_trace_node, parent_id)},
    {"ctrl_deps", FIELD_INT, offsetof(ob_trace_node, parent_id)},
    {"name", FIELD_TEXT, offsetof(ob_trace_node, name)},
    {"op_schema", FIELD_TEXT, offsetof(ob_trace_node, schema)},
    {"kernel_backend", FIELD_TEXT, offsetof(ob_trace_node, kernel_backend)},
    {"fw_parent", FIELD_INT, offsetof(ob_trace_node, fw_parent)},
    {"seq_id", FIELD_INT, offsetof(ob_trace_node, seq_id)},
    {"tid", FIELD_INT, offsetof(ob_trace_node, tid)},
    {"fw_tid", FIELD_INT, offsetof(ob_trace_node, fw_tid)},
    {"rf_id", FIELD_INT, offsetof(ob_trace_node, rf_id)},
};

static bool set_field(ob_trace *trace, ob_trace_node *node, const ob_tape *tape, const char *name,
                      size_t place)
{
    for (size_t i = 0; i < sizeof FIELDS / sizeof *FIELDS; i++) {
        if (FIELDS[i].name[0] != name[0] || strcmp(FIELDS[i].name, name) != 0)
            continue;
        char *field = (char *)node + FIELDS[i].offset;
        if (FIELDS[i].type == FIELD_INT) {
            int64_t value;
            if (ob__tape_int(tape, place, &value))
                memcpy(field, &value, sizeof value);
            return true;
        }
        const char *text = ob__trace_text(
            trace, ob__tape_text(tape, place),
            ob__tape_is(tape, place, OB_JSON_EVENT_STRING) ? ob__tape_at(tape, place)->length : 0);
        memcpy(field, &text, sizeof text);
        return text != NULL;
    }
    return true;
}

/* Where the parts of a node are on the tape. */
typedef struct parts {
    ob_trace_lists inputs, outputs;
    size_t tensor_range;
} parts;

static bool take_key(ob_trace *trace, ob_trace_node *node, const ob_tape *tape, size_t key,
                     parts *found)
{
    const char *name = ob__tape_text(tape, key);
    const size_t place = key + 1;
    const struct {
        const char *name;
        size_t *to;
    } lists[] = {
        {"input_shapes", &found->inputs.shapes},   {"input_types", &found->inputs.types},
        {"input_strides", &found->inputs.strides}, {"output_shapes", &found->outputs.shapes},
        {"output_types", &found->outputs.types},   {"output_strides", &found->outputs.strides},
        {"tensor_range", &found->tensor_range},
    };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (lists[i].name[0] == name[0] && strcmp(lists[i].name, name) == 0) {
            *lists[i].to = place;
            return true;
        }
    if (strcmp(name, "inputs") == 0 || strcmp(name, "outputs") == 0) {
        ob_trace_lists *side = name[0] == 'i' ? &found->inputs : &found->outputs;
        if (ob__tape_is(tape, place, OB_JSON_EVENT_BEGIN_OBJECT)) {
            side->values = ob__tape_get(tape, place, "values");
            side->shapes = ob__tape_get(tape, place, "shapes");
            side->types = ob__tape_get(tape, place, "types");
            side->strides = ob__tape_get(tape, place, "strides");
        } else {
            side->values = place;
        }
        return true;
    }
    if (strcmp(name, "attrs") != 0)
        return set_field(trace, node, tape, name, place);
    for (size_t at = ob__tape_first(tape, place); at != OB_TAPE_NONE;
         at = ob__tape_next(tape, place, at)) {
        const char *attribute = ob__tape_text(tape, ob__tape_get(tape, at, "name"));
        const size_t value = ob__tape_get(tape, at, "value");
        if (attribute[0] == 't' && strcmp(attribute, "tensor_range") == 0)
            found->tensor_range = value;
        else if (!set_field(trace, node, tape, attribute, value))
            return false;
    }
    return true;
}

static ob_status read_arguments(ob_trace *trace, ob_trace_node *node, const ob_tape *tape,
                                parts *found, ob_err *err)
{
    ob_json_doc *ranges = NULL;
    const char *text = ob__tape_text(tape, found->tensor_range);
    /* A range that cannot be read is one that was not recorded. */
    if (text[0] != '\0' &&
        ob_json_parse("tensor_range", text, strlen(text), NULL, &ranges, NULL) == OB_OK)
        found->inputs.ranges = ob_json_doc_root(ranges);
    ob_status status =
        ob__trace_read_values(trace, tape, &found->inputs, &node->inputs, &node->input_count, err);
    ob_json_doc_destroy(ranges);
    if (status == OB_OK)
        status = ob__trace_read_values(trace, tape, &found->outputs, &node->outputs,
                                       &node->output_count, err);
    return status;
}

ob_status ob__trace_read_node(ob_trace *trace, const ob_tape *tape, ob_err *err)
{
    const uint32_t line = ob__tape_at(tape, 0)->line;
    if (!ob__tape_is(tape, 0, OB_JSON_EVENT_BEGIN_OBJECT))
        return ob_err_set_at(err, OB_ERR_SYNTAX, trace->name, line, 0, ".nodes",
                             "a node must be an object");
    ob_trace_node node = {.id = INT64_MIN,
                          .parent_id = INT64_MIN,
                          .seq_id = -1,
                          .name = "",
                          .schema = "",
                          .kernel_backend = "",
                          .line = line,
                          .start_us = -1,
                          .duration_us = -1};
    parts found = {.inputs = {OB_TAPE_NONE, OB_TAPE_NONE, OB_TAPE_NONE, OB_TAPE_NONE, NULL},
                   .outputs = {OB_TAPE_NONE, OB_TAPE_NONE, OB_TAPE_NONE, OB_TAPE_NONE, NULL},
                   .tensor_range = OB_TAPE_NONE};
    for (size_t key = ob__tape_first(tape, 0); key != OB_TAPE_NONE;
         key = ob__tape_next(tape, 0, key + 1))
        if (!take_key(trace, &node, tape, key, &found))
            return ob__trace_out_of_memory(trace, line, err);
    if (node.id == INT64_MIN)
        return ob_err_set_at(err, OB_ERR_SYNTAX, trace->name, line, 0, ".nodes",
                             "a node has no id; this is not an execution trace");
    node.kind = ob__trace_classify(node.name, node.schema, node.kernel_backend);
    OB_TRY(read_arguments(trace, &node, tape, &found, err));
    return ob__trace_add_node(trace, &node) ? OB_OK : ob__trace_out_of_memory(trace, line, err);
}
