/* SPDX-License-Identifier: Apache-2.0
 *
 * Making a case ready: values from the generators, the graph for their shapes, the backward graph for
 * backends without autograd of their own, parameters, and the backend's prepare.
 *
 * Values are made from (seed, case key), so a case has the same data whichever cases ran before it and
 * whichever process it runs in.
 */
#include "run/setup.h"

#include "gen/constrain.h"
#include "graph/backward.h"
#include "op/schema_compare.h"
#include "run/case_values.h"
#include "run/known_size.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- sparse tensors ---- */

static bool is_sparse(const ob_value *value)
{
    if (ob_value_is_list(value))
        for (size_t i = 0; i < value->as.list.count; i++)
            if (is_sparse(&value->as.list.items[i]))
                return true;
    return value->kind == OB_VALUE_TENSOR && value->as.tensor->layout != OB_LAYOUT_STRIDED;
}

static bool has_sparse(const ob_call *call)
{
    for (size_t i = 0; i < call->arg_count; i++)
        if (is_sparse(&call->args[i]))
            return true;
    for (size_t i = 0; i < call->kwarg_count; i++)
        if (is_sparse(&call->kwargs[i]))
            return true;
    return false;
}

static ob_status check_sparse(const ob_setup_args *args, const ob_call *call, ob_err *err)
{
    if (args->desc->takes_sparse || !has_sparse(call))
        return OB_OK;
    const char *other = NULL;
    for (size_t i = 0; i < ob_context_count(args->context, OB_ENTRY_BACKEND) && other == NULL;
         i++) {
        const char *name = ob_context_entry(args->context, OB_ENTRY_BACKEND, i).name;
        const ob_backend_desc *desc = ob_context_find_backend(args->context, name);
        if (desc != NULL && desc->takes_sparse)
            other = name;
    }
    return ob_err_set(
        err, OB_ERR_UNSUPPORTED, "backend %s only takes strided tensors; leave out the layout%s%s",
        args->desc->name, other != NULL ? ", or use --backend " : "", other != NULL ? other : "");
}

/* ---- sizes ---- */

static uint64_t tensor_bytes(const ob_tensor *t)
{
    int64_t bytes = 0;
    if (ob_layout_is_sparse(t->layout))
        return t->indices == NULL || t->values == NULL
                   ? 0
                   : tensor_bytes(t->indices) + tensor_bytes(t->values);
    return ob_shape_span_bytes(t->sizes, t->strides, t->ndim, t->dtype, &bytes, NULL) == OB_OK
               ? (uint64_t)bytes
               : 0;
}

static uint64_t value_bytes(const ob_value *value)
{
    uint64_t sum = 0;
    if (ob_value_is_list(value))
        for (size_t i = 0; i < value->as.list.count; i++)
            sum += value_bytes(&value->as.list.items[i]);
    return value->kind == OB_VALUE_TENSOR ? tensor_bytes(value->as.tensor) : sum;
}

static uint64_t graph_bytes(const ob_graph *graph)
{
    uint64_t sum = 0;
    for (size_t i = 0; graph != NULL && i < graph->edge_count; i++)
        if (graph->edges[i].role != OB_EDGE_SAVED &&
            __builtin_add_overflow(sum, value_bytes(&graph->edges[i].meta), &sum))
            return UINT64_MAX;
    return sum;
}

static uint64_t add_bytes(uint64_t a, uint64_t b)
{
    return a <= UINT64_MAX - b ? a + b : UINT64_MAX;
}

static ob_status check_bytes(const ob_setup_args *args, uint64_t needed, ob_err *err)
{
    if (args->max_memory_bytes == 0 || needed <= args->max_memory_bytes)
        return OB_OK;
    return ob_err_set(err, OB_ERR_LIMIT,
                      "the case needs at least %.1f MiB, but the limit is %.1f MiB; use smaller "
                      "shapes or a larger --max-memory",
                      (double)needed / 1048576, (double)args->max_memory_bytes / 1048576);
}

/* With the graph, parameters and results are known too. Views and reused buffers make the real use
 * smaller, so only what must exist counts: inputs and parameters, and the largest single edge
 * besides. */
static ob_status check_graph_memory(const ob_setup_args *args, const ob_setup *setup, ob_err *err)
{
    uint64_t needed = 0, largest = 0;
    for (size_t i = 0; i < setup->graph->edge_count; i++) {
        const ob_graph_edge *edge = &setup->graph->edges[i];
        const uint64_t bytes = value_bytes(&edge->meta);
        if (edge->role == OB_EDGE_INTERMEDIATE)
            largest = bytes > largest ? bytes : largest;
        else
            needed = add_bytes(needed, bytes);
    }
    return check_bytes(args, add_bytes(needed, largest), err);
}

/* ---- graph ---- */

/* An argument that the operator writes to comes from an input, directly or through views. */
static bool operand_from_input(const ob_graph *graph, const ob_operand *operand)
{
    if (operand->kind == OB_OPERAND_LIST) {
        for (size_t i = 0; i < operand->count; i++)
            if (operand_from_input(graph, &operand->items[i]))
                return true;
        return false;
    }
    return operand->kind == OB_OPERAND_EDGE && graph->edges[operand->edge].role == OB_EDGE_INPUT;
}

static bool writes_inputs(const ob_graph *graph)
{
    for (size_t n = 0; n < graph->node_count; n++) {
        const ob_graph_node *node = &graph->nodes[n];
        for (size_t a = 0; a < node->op->schema->arg_count; a++)
            if (node->op->schema->args[a].writes && operand_from_input(graph, &node->args[a]))
                return true;
    }
    return false;
}

static ob_status derive(const ob_setup_args *args, ob_setup *setup, ob_err *err)
{
    if (args->pass != OB_PASS_BACKWARD || args->desc->has_autograd) {
        setup->has_backward = args->pass == OB_PASS_BACKWARD;
        return OB_OK;
    }
    ob_graph *plain;
    OB_TRY(ob_graph_decompose(setup->graph, NULL, NULL, &plain, err));
    ob_graph_destroy(setup->graph);
    setup->graph = plain;
    OB_TRY(ob_graph_derive_backward(plain, &setup->backward, err));
    setup->has_backward = setup->backward.target_count > 0;
    if (setup->has_backward && args->desc->owns_gradients)
        OB_TRY(ob__backward_own_gradients(plain, &setup->backward, err));
    return setup->has_backward ? ob_graph_cost(setup->backward.graph, &setup->backward_cost, err)
                               : OB_OK;
}

/* ---- inputs and parameters ---- */

static ob_status take_inputs(const ob_call *call, ob_setup *setup, ob_err *err)
{
    size_t count = 0;
    for (size_t i = 0; i < setup->graph->edge_count; i++)
        count += setup->graph->edges[i].role == OB_EDGE_INPUT;
    setup->inputs = calloc(count + 1, sizeof *setup->inputs);
    if (setup->inputs == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the inputs");
    OB_TRY(ob_graph_flatten_inputs(call, setup->inputs, &count, err));
    setup->input_count = count;
    return OB_OK;
}

static ob_status make_parameters(ob_setup *setup, ob_rng *rng, ob_err *err)
{
    const ob_graph *graph = setup->graph;
    setup->parameters = calloc(graph->edge_count + 1, sizeof *setup->parameters);
    if (setup->parameters == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the parameters");
    for (size_t i = 0; i < graph->edge_count; i++) {
        const ob_graph_edge *edge = &graph->edges[i];
        if (edge->role != OB_EDGE_PARAMETER && edge->role != OB_EDGE_BUFFER)
            continue;
        OB_TRY(ob__make_parameter(edge, rng, &setup->parameters[setup->parameter_count], err));
        setup->parameter_count++;
    }
    return OB_OK;
}

static ob_status prepare(const ob_setup_args *args, ob_setup *setup, ob_err *err)
{
    ob_reason why = {.text = ""};
    const ob_pass pass = setup->has_backward ? OB_PASS_BACKWARD : OB_PASS_FORWARD;
    const ob_status status = args->desc->supports(args->backend, setup->graph, pass, &why);
    if (status != OB_OK)
        return ob_err_set(err, status, "%s",
                          why.text[0] ? why.text : "the backend does not say why");
    const ob_prepare_args prepare_args = {
        .graph = setup->graph,
        .backward = setup->backward.graph != NULL && setup->has_backward ? &setup->backward : NULL,
        .inputs = setup->inputs,
        .input_count = setup->input_count,
        .parameters = setup->parameters,
        .parameter_count = setup->parameter_count,
        .pass = pass,
        .inference_mode = args->inference_mode};
    OB_TRY(args->desc->prepare(args->backend, &prepare_args, &setup->prepared, err));
    if (args->desc->has_autograd && args->desc->has_backward != NULL && setup->has_backward)
        setup->has_backward = args->desc->has_backward(setup->prepared);
    return OB_OK;
}

/* ---- what the record should say ---- */

static bool wants_gradient(const ob_setup *setup)
{
    for (size_t i = 0; i < setup->input_count; i++)
        if (setup->inputs[i].kind == OB_VALUE_TENSOR && setup->inputs[i].as.tensor->requires_grad)
            return true;
    for (size_t i = 0; i < setup->graph->edge_count; i++)
        if (setup->graph->edges[i].role == OB_EDGE_PARAMETER)
            return true;
    return false;
}

static const char *why_no_backward(const ob_setup *setup)
{
    if (!wants_gradient(setup))
        return "no input or parameter requires a gradient";
    if (setup->writes_inputs)
        return "no output depends on an input that requires a gradient; an overwritten input takes "
               "none";
    return "no output has a gradient, though inputs or parameters require one: the operator is not "
           "differentiable in them";
}

/* The text of the config's schema: the operator's name, or PARAM's build; NULL = it gives none. */
static const char *given_schema(const char *name, const ob_call *build, size_t *length)
{
    if (build != NULL && build->arg_count == 1 && build->args[0].kind == OB_VALUE_STR &&
        strncmp(name, "aten::", 6) == 0) {
        *length = build->args[0].as.str.length;
        return build->args[0].as.str.text;
    }
    *length = strlen(name);
    return strstr(name, "::") != NULL && strchr(name, '(') != NULL ? name : NULL;
}

/* Schemas of other releases of PyTorch are taken for their name; what differs is said. */
static void note_schema(const char *name, const ob_call *build, ob_setup *setup)
{
    size_t length;
    const char *text = given_schema(name, build, &length);
    ob_schema *schema = NULL;
    if (text == NULL || setup->graph->node_count != 1 ||
        ob_schema_parse(text, length, &schema, NULL) != OB_OK)
        return;
    ob__schema_differs(schema, setup->graph->nodes[0].op->schema, setup->schema_difference,
                       sizeof setup->schema_difference);
    ob_schema_destroy(schema);
}

/* ---- */

/* Before arguments are looked at: what they are does not matter for an operator that never runs. */
static ob_status check_refusal(const ob_setup_args *args, const char *name, const ob_call *build,
                               ob_err *err)
{
    size_t length;
    char text[160] = "";
    ob_op_name resolved;
    const char *schema = given_schema(name, build, &length);
    if (args->desc->refuses == NULL)
        return OB_OK;
    if (schema != NULL) {
        const size_t end = strcspn(schema, "(");
        snprintf(text, sizeof text, "%.*s", (int)(end < length ? end : length), schema);
    }
    if (ob_op_resolve_name(ob_context_operators(args->context), schema != NULL ? text : name,
                           &resolved, NULL) != OB_OK)
        return OB_OK;
    const char *why = args->desc->refuses(args->backend, resolved.base);
    return why == NULL
               ? OB_OK
               : ob_err_set(err, OB_ERR_UNSUPPORTED, "%s is refused: %s", resolved.base, why);
}

/* Options of a backend's, of any or of one, that bring operators: those called name, or of no names of their own. */
static const ob_manifest_option *find_giver(const ob_manifests *manifests, const char *backend,
                                            const char *name)
{
    for (size_t m = 0; m < ob_manifests_count(manifests); m++) {
        const ob_manifest *manifest = ob_manifests_at(manifests, m);
        for (size_t i = 0; i < manifest->option_count; i++) {
            const ob_manifest_option *row = &manifest->options[i];
            const char *start = row->operators;
            if (row->brings != NULL && row->value != NULL &&
                (backend == NULL || strcmp(backend, manifest->name) == 0) &&
                (start != NULL) == (name != NULL) &&
                (name == NULL || strncmp(name, start, strlen(start)) == 0))
                return row;
        }
    }
    return NULL;
}

/* A name that nobody knows may be one that a backend can still be taught, by an option of the command line. */
static void add_place_to_look(const ob_setup_args *args, const char *name, ob_err *err)
{
    const ob_manifests *manifests = ob_context_manifests(args->context);
    const ob_manifest_option *giver = find_giver(manifests, NULL, name);
    const size_t used = strlen(err->message);
    char *to = err->message + used;
    const size_t room = sizeof err->message - used;
    char more[192] = "";
    if (giver != NULL) {
        snprintf(to, room, "; --%s %s gives %s", giver->name, giver->value, giver->brings);
    } else if (args->desc->schemas != NULL) {
        giver = find_giver(manifests, args->desc->name, NULL);
        if (giver != NULL)
            snprintf(more, sizeof more, ", and --%.40s %.20s adds %.100s", giver->name,
                     giver->value, giver->brings);
        snprintf(to, room, "; `opbench list ops --backend %s` lists them%s", args->desc->name,
                 more);
    }
}

/* By the core's rows. What they do not have, or refuse, is given to a backend with operators of its own:
 * it knows best what it takes. Its message counts only where the core has nothing to say. */
ob_status ob__setup_build_graph(const ob_setup_args *args, const char *name, const ob_call *build,
                                const ob_call *input, ob_graph **out, ob_err *err)
{
    ob_err other;
    const ob_op_table *table = NULL;
    const ob_status status =
        ob_graph_build(ob_context_operators(args->context), name, build, input, out, err);
    if (status == OB_ERR_NOT_FOUND && args->desc->schemas == NULL && err != NULL)
        add_place_to_look(args, name, err);
    if (status == OB_OK || args->desc->schemas == NULL ||
        (status != OB_ERR_NOT_FOUND && status != OB_ERR_UNSUPPORTED && status != OB_ERR_INVALID))
        return status;
    OB_TRY(check_refusal(args, name, build, err));
    ob_status theirs = ob__backend_ops_table(args->ops, args->desc, args->backend, &table, &other);
    if (theirs == OB_OK)
        theirs = ob_graph_build(table, name, build, input, out, &other);
    if (theirs == OB_OK)
        return OB_OK;
    if (status != OB_ERR_NOT_FOUND)
        return status;
    if (theirs == OB_ERR_NOT_FOUND && table != NULL)
        add_place_to_look(args, name, &other);
    return ob_err_set(err, theirs, "%s", other.message);
}

const ob_op *ob__setup_find_op(const ob_setup_args *args, const char *full_name)
{
    const ob_op_table *table = NULL;
    const ob_op *op = ob_op_table_find(ob_context_operators(args->context), full_name);
    if (op == NULL && args->desc->schemas != NULL &&
        ob__backend_ops_table(args->ops, args->desc, args->backend, &table, NULL) == OB_OK)
        op = ob_op_table_find(table, full_name);
    return op;
}

static ob_status make(const ob_setup_args *args, ob_case_values *build, ob_case_values *input,
                      ob_setup *setup, ob_err *err)
{
    const ob_json *entry = ob_case_build(args->c);
    ob_rng rng;
    ob_rng_init(&rng, args->seed, ob__case_stream(args->c));
    ob_generate_args generate_args = {.host = ob_host_get(),
                                      .op_name = ob_case_op_name(args->c),
                                      .device = &args->device,
                                      .rng = &rng,
                                      .entry = entry};
    OB_TRY(check_bytes(
        args, add_bytes(ob__known_bytes(entry), ob__known_bytes(ob_case_input(args->c))), err));
    ob__mark_begin(args->marks, OB_CASE_PHASE_GENERATE);
    if (entry != NULL)
        OB_TRY(ob__case_values_make(ob_case_build_generator(args->c), &generate_args, build, err));
    generate_args.entry = ob_case_input(args->c);
    OB_TRY(ob__case_values_make(ob_case_input_generator(args->c), &generate_args, input, err));
    ob__mark_end(args->marks, OB_CASE_PHASE_GENERATE);
    ob__mark_begin(args->marks, OB_CASE_PHASE_GRAPH);
    const ob_call build_call = ob__case_values_call(build),
                  input_call = ob__case_values_call(input);
    OB_TRY(check_sparse(args, &input_call, err));
    OB_TRY(ob__setup_build_graph(args, generate_args.op_name, entry != NULL ? &build_call : NULL,
                                 &input_call, &setup->graph, err));
    note_schema(generate_args.op_name, entry != NULL ? &build_call : NULL, setup);
    if (!has_sparse(&input_call))
        OB_TRY(check_graph_memory(args, setup, err));
    OB_TRY(ob_graph_cost(setup->graph, &setup->cost, err));
    if (has_sparse(&input_call)) /* costs are those of dense shapes */
        setup->cost = (ob_cost){.flops = -1, .read_bytes = -1, .write_bytes = -1};
    setup->writes_inputs = writes_inputs(setup->graph);
    OB_TRY(derive(args, setup, err));
    ob__mark_end(args->marks, OB_CASE_PHASE_GRAPH);
    ob__mark_begin(args->marks, OB_CASE_PHASE_PARAMETERS);
    OB_TRY(take_inputs(&input_call, setup, err));
    OB_TRY(ob__constrain_inputs(setup->graph, ob_case_input(args->c), setup->inputs,
                                setup->input_count, &rng, err));
    OB_TRY(make_parameters(setup, &rng, err));
    ob__mark_end(args->marks, OB_CASE_PHASE_PARAMETERS);
    setup->known_bytes = graph_bytes(setup->graph) + graph_bytes(setup->backward.graph);
    ob__mark_begin(args->marks, OB_CASE_PHASE_PREPARE);
    OB_TRY(prepare(args, setup, err));
    ob__mark_end(args->marks, OB_CASE_PHASE_PREPARE);
    if (args->pass == OB_PASS_BACKWARD && !setup->has_backward)
        setup->no_backward = why_no_backward(setup);
    return OB_OK;
}

ob_status ob__setup_make(const ob_setup_args *args, ob_setup *out, ob_err *err)
{
    ob_case_values build = {0}, input = {0};
    *out = (ob_setup){.desc = args->desc};
    const ob_status status = make(args, &build, &input, out, err);
    ob__case_values_fini(&build);
    ob__case_values_fini(&input);
    if (status != OB_OK)
        ob__setup_fini(out);
    return status;
}

/* ---- other elements ---- */

static bool is_alike(const ob_value *a, const ob_value *b)
{
    if (a->kind != b->kind)
        return false;
    if (ob_value_is_list(a)) {
        bool plain = a->as.list.count == b->as.list.count;
        for (size_t i = 0; plain && i < a->as.list.count; i++)
            plain = a->as.list.items[i].kind != OB_VALUE_TENSOR &&
                    is_alike(&a->as.list.items[i], &b->as.list.items[i]);
        return plain; /* lists of tensors are prepared again */
    }
    if (a->kind != OB_VALUE_TENSOR)
        return true;
    const ob_tensor *x = a->as.tensor, *y = b->as.tensor;
    bool same = x->dtype == y->dtype && x->ndim == y->ndim && x->offset == y->offset &&
                x->storage != NULL && y->storage != NULL && x->storage != y->storage &&
                ob_storage_size(x->storage) == ob_storage_size(y->storage);
    for (int d = 0; same && d < x->ndim; d++)
        same = x->sizes[d] == y->sizes[d] && x->strides[d] == y->strides[d];
    return same;
}

static bool all_alike(const ob_value *a, const ob_value *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!is_alike(&a[i], &b[i]))
            return false;
    return true;
}

static void copy_elements(const ob_value *to, const ob_value *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (to[i].kind == OB_VALUE_TENSOR)
            memcpy(ob_storage_data(to[i].as.tensor->storage),
                   ob_storage_data(from[i].as.tensor->storage),
                   ob_storage_size(to[i].as.tensor->storage));
}

bool ob__setup_exchange_inputs(ob_setup *to, const ob_setup *from)
{
    if (to->desc->refill == NULL || to->input_count != from->input_count ||
        to->parameter_count != from->parameter_count ||
        !all_alike(to->inputs, from->inputs, to->input_count) ||
        !all_alike(to->parameters, from->parameters, to->parameter_count))
        return false;
    copy_elements(to->inputs, from->inputs, to->input_count);
    copy_elements(to->parameters, from->parameters, to->parameter_count);
    return true;
}

static bool has_same_elements(const ob_value *a, const ob_value *b)
{
    if (a->kind != b->kind)
        return false;
    if (ob_value_is_list(a)) {
        bool same = a->as.list.count == b->as.list.count;
        for (size_t i = 0; same && i < a->as.list.count; i++)
            same = has_same_elements(&a->as.list.items[i], &b->as.list.items[i]);
        return same;
    }
    if (a->kind != OB_VALUE_TENSOR)
        return true;
    const ob_storage *x = a->as.tensor->storage, *y = b->as.tensor->storage;
    if (x == NULL || y == NULL) /* sparse ones are drawn too */
        return !ob_layout_is_sparse(a->as.tensor->layout);
    const size_t size = ob_storage_size(x);
    return size == ob_storage_size(y) &&
           (size == 0 || memcmp(ob_storage_data(x), ob_storage_data(y), size) == 0);
}

bool ob__setup_same_inputs(const ob_setup *a, const ob_setup *b)
{
    bool same = a->input_count == b->input_count && a->parameter_count == b->parameter_count;
    for (size_t i = 0; same && i < a->input_count; i++)
        same = has_same_elements(&a->inputs[i], &b->inputs[i]);
    for (size_t i = 0; same && i < a->parameter_count; i++)
        same = has_same_elements(&a->parameters[i], &b->parameters[i]);
    return same;
}

void ob__setup_fini(ob_setup *setup)
{
    if (setup->prepared != NULL)
        setup->desc->release(setup->prepared);
    for (size_t i = 0; i < setup->input_count; i++)
        ob_value_fini(&setup->inputs[i]);
    for (size_t i = 0; i < setup->parameter_count; i++)
        ob_value_fini(&setup->parameters[i]);
    free(setup->inputs);
    free(setup->parameters);
    ob_backward_fini(&setup->backward);
    ob_graph_destroy(setup->graph);
    *setup = (ob_setup){0};
}
