/* SPDX-License-Identifier: Apache-2.0
 *
 * A model of several operators: named nodes and the edges between them become a text in graph notation.
 *
 *   {"nodes": {"fc": {"op": "torch.nn.Linear", "init": ["width", 10]}, "act": {"op": "torch.relu"}},
 *    "edges": [["input_0", "fc"], ["fc", "act"]], "outputs": ["act"]}
 *
 * An edge [from, to] gives the result of a node, or an input, to a node as its next positional argument;
 * [from, to, "name"] by that name. Further arguments of a call are constants or variables: "args" behind those of the
 * edges, "kwargs" by name. Nodes are put in an order in which each has its arguments.
 */
#include "sweep/sweep_int.h"

#include "base/number.h"
#include "base/text_append.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MOST_NODES = 256, MOST_DEPTH = 16 };

typedef struct chain {
    ob_sweep *sweep;
    const ob_json *nodes, *edges;
    bool written[MOST_NODES];
    bool feeds[MOST_NODES]; /* another node takes its result */
    ob_text text;
} chain;

static ob_status no_memory(ob_err *err)
{
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the chain's text");
}

static bool is_word(const char *name, const char *also)
{
    if (!isalpha((unsigned char)name[0]) && name[0] != '_')
        return false;
    for (; *name != '\0'; name++)
        if (!isalnum((unsigned char)*name) && *name != '_' && strchr(also, *name) == NULL)
            return false;
    return true;
}

static size_t find_node(const chain *c, const char *name)
{
    for (size_t i = 0; i < ob_json_count(c->nodes); i++)
        if (strcmp(ob_json_key(c->nodes, i), name) == 0)
            return i;
    return SIZE_MAX;
}

static bool is_input(const chain *c, const char *name)
{
    char buffer[32];
    for (size_t i = 0; i < ob_json_count(c->sweep->inputs); i++)
        if (strcmp(ob__sweep_input_name(c->sweep, i, buffer, sizeof buffer), name) == 0)
            return true;
    return false;
}

/* ---- constants ---- */

static bool write_string(ob_text *text, const char *value)
{
    bool ok = ob_text_append(text, "'", 1);
    for (; ok && *value != '\0'; value++)
        ok = ((*value != '\'' && *value != '\\') || ob_text_append(text, "\\", 1)) &&
             ob_text_append(text, value, 1);
    return ok && ob_text_append(text, "'", 1);
}

static ob_status write_name(chain *c, const ob_json *value, ob_err *err)
{
    const char *name = ob_json_string(value, NULL);
    size_t variable = 0;
    OB_TRY(ob__sweep_use(c->sweep, value, name, &variable, err));
    if (!is_word(name, ""))
        return ob__node_error(err, value,
                              "\"%.60s\" is used in a chain, so it may only have letters, digits "
                              "and \"_\"; rename it",
                              name);
    c->sweep->in_chain[variable] = true;
    return ob_text_append_str(&c->text, name) ? OB_OK : no_memory(err);
}

/* A text is the name of a variable; {"value": "same"} is the text itself. */
static ob_status write_value(chain *c, const ob_json *value, int depth, ob_err *err)
{
    const ob_json *literal = ob_json_get(value, "value");
    char digits[32];
    bool ok = true;
    switch (ob_json_get_kind(value)) {
    case OB_JSON_NULL:
        ok = ob_text_append_str(&c->text, "None");
        break;
    case OB_JSON_BOOL:
        ok = ob_text_append_str(&c->text, ob_json_bool(value, false) ? "True" : "False");
        break;
    case OB_JSON_INT:
        ok = ob__text_append_i64(&c->text, ob_json_int(value, 0));
        break;
    case OB_JSON_REAL:
        ok = ob_text_append(&c->text, digits, ob__format_double(ob_json_real(value, 0), digits));
        break;
    case OB_JSON_STRING:
        return write_name(c, value, err);
    case OB_JSON_OBJECT:
        if (ob_json_string(literal, NULL) == NULL || ob_json_count(value) != 1)
            return ob__node_error(err, value,
                                  "an argument must be a number, the name of a variable, true, "
                                  "false, null, a list of these, or {\"value\": \"a string\"}");
        ok = write_string(&c->text, ob_json_string(literal, NULL));
        break;
    case OB_JSON_ARRAY:
        if (depth == MOST_DEPTH)
            return ob__node_error(err, value, "lists are nested more than %d deep", MOST_DEPTH);
        ok = ob_text_append(&c->text, "[", 1);
        for (size_t i = 0; ok && i < ob_json_count(value); i++) {
            ok = i == 0 || ob_text_append_str(&c->text, ", ");
            OB_TRY(write_value(c, ob_json_item(value, i), depth + 1, err));
        }
        ok = ok && ob_text_append(&c->text, "]", 1);
        break;
    }
    return ok ? OB_OK : no_memory(err);
}

/* ---- arguments ---- */

static ob_status separate(chain *c, bool *first, ob_err *err)
{
    const bool ok = *first || ob_text_append_str(&c->text, ", ");
    *first = false;
    return ok ? OB_OK : no_memory(err);
}

/* Items of a list, or name=value of an object. */
static ob_status write_arguments(chain *c, const ob_json *list, bool *first, ob_err *err)
{
    const bool named = ob_json_get_kind(list) == OB_JSON_OBJECT;
    if (list != NULL && !named && ob_json_get_kind(list) != OB_JSON_ARRAY)
        return ob__node_error(err, list, "arguments must be a list, or an object with their names");
    for (size_t i = 0; i < ob_json_count(list); i++) {
        OB_TRY(separate(c, first, err));
        if (named && !is_word(ob_json_key(list, i), ""))
            return ob__node_error(err, ob_json_key_node(list, i),
                                  "this is not the name of an argument");
        if (named && !ob_text_printf(&c->text, "%s=", ob_json_key(list, i)))
            return no_memory(err);
        OB_TRY(write_value(c, ob_json_item(list, i), 0, err));
    }
    return OB_OK;
}

/* The results that arrive at a node: positional ones or, behind everything, those with a name. */
static ob_status write_edges(chain *c, const char *node, bool named, bool *first, ob_err *err)
{
    for (size_t i = 0; i < ob_json_count(c->edges); i++) {
        const ob_json *edge = ob_json_item(c->edges, i);
        const char *name = ob_json_string(ob_json_item(edge, 2), NULL);
        if (strcmp(ob_json_string(ob_json_item(edge, 1), NULL), node) != 0 ||
            (name != NULL) != named)
            continue;
        OB_TRY(separate(c, first, err));
        if (!ob_text_printf(&c->text, "%s%s%s", named ? name : "", named ? "=" : "",
                            ob_json_string(ob_json_item(edge, 0), NULL)))
            return no_memory(err);
    }
    return OB_OK;
}

static ob_status write_call(chain *c, const ob_json *node, const char *name, ob_err *err)
{
    const ob_json *init = ob_json_get(node, "init");
    bool first = true;
    if (!ob_text_printf(&c->text, "%s = %s(", name, ob_json_string(ob_json_get(node, "op"), NULL)))
        return no_memory(err);
    if (init != NULL) {
        OB_TRY(write_arguments(c, init, &first, err));
        if (!ob_text_append_str(&c->text, ")("))
            return no_memory(err);
        first = true;
    }
    OB_TRY(write_edges(c, name, false, &first, err));
    OB_TRY(write_arguments(c, ob_json_get(node, "args"), &first, err));
    OB_TRY(write_arguments(c, ob_json_get(node, "kwargs"), &first, err));
    OB_TRY(write_edges(c, name, true, &first, err));
    return ob_text_append_str(&c->text, "); ") ? OB_OK : no_memory(err);
}

/* ---- checks ---- */

static ob_status check_node(const chain *c, size_t index, ob_err *err)
{
    static const char *const KNOWN[] = {"op", "init", "args", "kwargs"};
    const ob_json *node = ob_json_item(c->nodes, index), *key = ob_json_key_node(c->nodes, index);
    const char *name = ob_json_key(c->nodes, index);
    const char *op = ob_json_string(ob_json_get(node, "op"), NULL);
    if (!is_word(name, "") || strncmp(name, "result", 6) == 0)
        return ob__node_error(err, key,
                              "the name of a node must have only letters, digits and \"_\", and "
                              "not begin with \"result\"");
    if (is_input(c, name) || ob__sweep_space_find(&c->sweep->space, name) != SIZE_MAX)
        return ob__node_error(err, key, "\"%.60s\" is already an input or a variable; rename it",
                              name);
    if (op == NULL || !is_word(op, ".:"))
        return ob__node_error(err, node,
                              "the node needs \"op\": the name of an operator or module");
    for (size_t i = 0; i < ob_json_count(node); i++) {
        bool known = false;
        for (size_t k = 0; k < sizeof KNOWN / sizeof *KNOWN; k++)
            known = known || strcmp(ob_json_key(node, i), KNOWN[k]) == 0;
        if (!known)
            return ob__node_error(err, ob_json_key_node(node, i),
                                  "unknown key \"%.60s\"; a node has op, init, args and kwargs",
                                  ob_json_key(node, i));
    }
    return OB_OK;
}

static ob_status check_edge(chain *c, const ob_json *edge, ob_err *err)
{
    const char *from = ob_json_string(ob_json_item(edge, 0), NULL);
    const char *to = ob_json_string(ob_json_item(edge, 1), NULL);
    const size_t count = ob_json_count(edge);
    if (ob_json_get_kind(edge) != OB_JSON_ARRAY || count < 2 || count > 3 || from == NULL ||
        to == NULL || (count == 3 && ob_json_string(ob_json_item(edge, 2), NULL) == NULL))
        return ob__node_error(
            err, edge, "an edge must be [\"from\", \"to\"] or [\"from\", \"to\", \"argument\"]");
    if (count == 3 && !is_word(ob_json_string(ob_json_item(edge, 2), NULL), ""))
        return ob__node_error(err, ob_json_item(edge, 2), "this is not the name of an argument");
    const size_t source = find_node(c, from);
    if (source == SIZE_MAX && !is_input(c, from))
        return ob__node_error(err, ob_json_item(edge, 0),
                              "\"%.60s\" is neither a node nor an input", from);
    if (find_node(c, to) == SIZE_MAX)
        return ob__node_error(err, ob_json_item(edge, 1), "\"%.60s\" is not a node", to);
    if (source != SIZE_MAX)
        c->feeds[source] = true;
    return OB_OK;
}

/* An input that no node takes would be made for nothing, and its variables would not be those of the model. */
static ob_status check_inputs_used(const chain *c, ob_err *err)
{
    char buffer[32];
    for (size_t i = 0; i < ob_json_count(c->sweep->inputs); i++) {
        const char *name = ob__sweep_input_name(c->sweep, i, buffer, sizeof buffer);
        bool used = false;
        for (size_t k = 0; k < ob_json_count(c->edges); k++)
            used = used || strcmp(ob_json_string(ob_json_item(ob_json_item(c->edges, k), 0), NULL),
                                  name) == 0;
        if (!used)
            return ob__node_error(err, ob_json_item(c->sweep->inputs, i),
                                  "no node of the chain takes this input; add an edge [\"%.60s\", "
                                  "\"node\"], or remove it",
                                  name);
    }
    return OB_OK;
}

/* "name", or the nodes' names in their order. */
static ob_status read_title(const chain *c, const ob_json *model, ob_err *err)
{
    char *out = c->sweep->title;
    const size_t size = sizeof c->sweep->title;
    const ob_json *given = ob_json_get(model, "name");
    const char *name = ob_json_string(given, NULL);
    if (given != NULL && (name == NULL || name[0] == '\0' || strlen(name) >= size))
        return ob__node_error(
            err, given, "the name of a chain must be a string of up to %zu letters", size - 1);
    if (name != NULL)
        snprintf(out, size, "%s", name);
    for (size_t i = 0; name == NULL && i < ob_json_count(c->nodes); i++) {
        const size_t length = strlen(out);
        snprintf(out + length, size - length, "%s%s", i > 0 ? "+" : "", ob_json_key(c->nodes, i));
    }
    return OB_OK;
}

ob_status ob__sweep_check_chain(const ob_sweep *sweep, const ob_json *model, ob_err *err)
{
    const ob_json *nodes = ob_json_get(model, "nodes");
    for (size_t i = 0; i < ob_json_count(nodes); i++)
        OB_TRY(ob__sweep_check_operator(sweep, ob_json_get(ob_json_item(nodes, i), "op"), err));
    return OB_OK;
}

static ob_status check(chain *c, const ob_json *model, ob_err *err)
{
    const size_t count = ob_json_count(c->nodes);
    if (ob_json_get_kind(c->nodes) != OB_JSON_OBJECT || count == 0)
        return ob__node_error(err, model,
                              "a chain needs \"nodes\": {\"name\": {\"op\": ...}}, and \"edges\"");
    if (ob_json_get_kind(c->edges) != OB_JSON_ARRAY)
        return ob__node_error(err, model, "a chain needs \"edges\": [[\"from\", \"to\"], ...]");
    if (count > MOST_NODES)
        return ob__node_error(err, c->nodes, "a chain can have at most %d nodes", MOST_NODES);
    for (size_t i = 0; i < count; i++)
        OB_TRY(check_node(c, i, err));
    for (size_t i = 0; i < ob_json_count(c->edges); i++)
        OB_TRY(check_edge(c, ob_json_item(c->edges, i), err));
    return read_title(c, model, err);
}

/* ---- */

static bool is_ready(const chain *c, const char *node)
{
    for (size_t i = 0; i < ob_json_count(c->edges); i++) {
        const ob_json *edge = ob_json_item(c->edges, i);
        const size_t from = find_node(c, ob_json_string(ob_json_item(edge, 0), NULL));
        if (from != SIZE_MAX && !c->written[from] &&
            strcmp(ob_json_string(ob_json_item(edge, 1), NULL), node) == 0)
            return false;
    }
    return true;
}

static ob_status write_nodes(chain *c, ob_err *err)
{
    const size_t count = ob_json_count(c->nodes);
    for (size_t done = 0; done < count; done++) {
        size_t next = 0;
        while (next < count && (c->written[next] || !is_ready(c, ob_json_key(c->nodes, next))))
            next++;
        if (next == count)
            return ob__node_error(err, c->edges,
                                  "the edges form a cycle; a chain must not have one");
        OB_TRY(write_call(c, ob_json_item(c->nodes, next), ob_json_key(c->nodes, next), err));
        c->written[next] = true;
    }
    return OB_OK;
}

/* What is said, or the nodes whose result nobody takes. */
static ob_status write_results(chain *c, const ob_json *outputs, ob_err *err)
{
    const size_t count = ob_json_count(outputs != NULL ? outputs : c->nodes);
    size_t results = 0;
    for (size_t i = 0; i < count; i++) {
        const char *name = outputs != NULL ? ob_json_string(ob_json_item(outputs, i), NULL)
                                           : ob_json_key(c->nodes, i);
        if (outputs != NULL && (name == NULL || find_node(c, name) == SIZE_MAX))
            return ob__node_error(err, ob_json_item(outputs, i),
                                  "an output must be the name of a node");
        if (outputs == NULL && c->feeds[i])
            continue;
        if (!ob_text_printf(&c->text, "result_%zu = %s; ", results++, name))
            return no_memory(err);
    }
    return results > 0 ? OB_OK : ob__node_error(err, outputs, "the chain has no output; name one");
}

ob_status ob__sweep_read_chain(ob_sweep *sweep, const ob_json *model, ob_err *err)
{
    chain c = {
        .sweep = sweep, .nodes = ob_json_get(model, "nodes"), .edges = ob_json_get(model, "edges")};
    ob_status status = check(&c, model, err);
    if (status == OB_OK)
        status = write_nodes(&c, err);
    if (status == OB_OK)
        status = write_results(&c, ob_json_get(model, "outputs"), err);
    if (status == OB_OK)
        status = check_inputs_used(&c, err);
    if (status == OB_OK) {
        /* The last "; " goes. */
        sweep->chain_text = ob_json_new_string(sweep->made, c.text.data, c.text.size - 2);
        status = sweep->chain_text != NULL ? OB_OK : no_memory(err);
    }
    ob_text_fini(&c.text);
    return status;
}
