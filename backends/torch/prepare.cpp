// SPDX-License-Identifier: Apache-2.0
//
// From a graph of canonical operators to a list of boxed calls. Arguments that do not change between
// iterations (all of them, for one operator) are converted here, outside of everything timed.
#include "program.hpp"

#include <c10/core/InferenceMode.h>

#include <cstring>

namespace opbench
{
namespace
{

std::string full_name(const ob_schema &schema)
{
    std::string name(schema.name);
    return schema.overload[0] != '\0' ? name + "." + schema.overload : name;
}

bool has_operator(const ob_backend &backend, const ob_op *op)
{
    return find_operator(backend, *op->schema).has_value();
}

bool keep_known(void *ctx, const ob_op *op)
{
    return has_operator(*static_cast<const ob_backend *>(ctx), op);
}

void check_node(const ob_backend &backend, const ob_op *op)
{
    if (const char *why = refusal(op->schema->name))
        throw Failure(OB_ERR_UNSUPPORTED, full_name(*op->schema) + " is refused: " + why);
    if (!has_operator(backend, op) && op->row->decomposition == nullptr)
        throw Failure(OB_ERR_UNSUPPORTED,
                      "libtorch " TORCH_VERSION " has no operator " + full_name(*op->schema) +
                          "; `opbench list ops --backend torch` lists what it has");
}

// Builds one prepared case.
class Builder
{
  public:
    Builder(ob_prepared &prepared, const ob_prepare_args &args)
        : p_(prepared), args_(args), backend_(*prepared.backend), host_(backend_.host),
          storages_(host_)
    {
    }

    void build()
    {
        choose_graph();
        p_.edges.resize(p_.graph->edge_count);
        mark_written();
        take_values();
        for (size_t i = 0; i < p_.graph->node_count; i++)
            p_.steps.push_back(make_step(p_.graph->nodes[i]));
        find_last_uses();
        for (ob_edge_id edge : written_)
            if (p_.edges[edge].isTensor() && !args_.once)
                p_.saved.push_back(
                    {p_.edges[edge].toTensor(), p_.edges[edge].toTensor().detach().clone()});
    }

  private:
    // Operators of ours that torch has not are replaced by what they are made of.
    void choose_graph()
    {
        ob_err err;
        p_.graph = args_.graph;
        for (size_t i = 0; i < args_.graph->node_count; i++) {
            if (has_operator(backend_, args_.graph->nodes[i].op))
                continue;
            check(host_->graph_decompose(args_.graph, keep_known, &backend_, &p_.owned_graph, &err),
                  err);
            p_.graph = p_.owned_graph;
            return;
        }
    }

    // Inputs that a call writes to. They get no gradient: torch lets nobody overwrite a leaf that wants one,
    // and PARAM runs such operators without gradients too. With out= torch differentiates nothing at all.
    void mark_written()
    {
        for (size_t n = 0; n < p_.graph->node_count; n++) {
            const ob_graph_node &node = p_.graph->nodes[n];
            for (size_t a = 0; a < node.op->schema->arg_count; a++)
                if (node.op->schema->args[a].writes) {
                    mark_operand(node.args[a]);
                    fills_out_ = fills_out_ || node.op->schema->args[a].keyword_only;
                }
        }
    }

    void mark_operand(const ob_operand &operand)
    {
        if (operand.kind == OB_OPERAND_LIST)
            for (size_t i = 0; i < operand.count; i++)
                mark_operand(operand.items[i]);
        if (operand.kind == OB_OPERAND_EDGE &&
            p_.graph->edges[operand.edge].role == OB_EDGE_INPUT && !is_written(operand.edge))
            written_.push_back(operand.edge);
    }

    bool is_written(ob_edge_id edge) const
    {
        return std::find(written_.begin(), written_.end(), edge) != written_.end();
    }

    void take_values()
    {
        size_t input = 0, parameter = 0;
        for (ob_edge_id e = 0; e < p_.graph->edge_count; e++) {
            const ob_graph_edge &edge = p_.graph->edges[e];
            const bool own = edge.role == OB_EDGE_PARAMETER || edge.role == OB_EDGE_BUFFER;
            if (edge.role == OB_EDGE_INPUT && input < args_.input_count)
                take(e, args_.inputs[input++], false);
            else if (own && parameter < args_.parameter_count)
                take(e, args_.parameters[parameter++], edge.role == OB_EDGE_PARAMETER);
        }
    }

    void take(ob_edge_id e, const ob_value &value, bool is_parameter)
    {
        if (value.kind != OB_VALUE_TENSOR)
            return; // it stands in the calls as a constant
        at::Tensor tensor = to_torch(backend_, *value.as.tensor, storages_);
        const bool can = tensor.is_floating_point() || tensor.is_complex();
        if (can && !p_.inference && !fills_out_ && !is_written(e) &&
            (is_parameter || value.as.tensor->requires_grad)) {
            tensor.set_requires_grad(true);
            p_.leaves.push_back(tensor);
        }
        note_source(tensor, *value.as.tensor);
        p_.operands.push_back(tensor);
        p_.edges[e] = tensor;
    }

    // Where refill finds other elements of it.
    void note_source(const at::Tensor &tensor, const ob_tensor &given)
    {
        if (tensor.layout() != at::kStrided)
            p_.has_constants = true; // in a form of its own
        else if (!tensor.device().is_cpu())
            p_.uploads.push_back({tensor.detach(), view_of(backend_, given, storages_)});
    }

    // ---- calls

    Step make_step(const ob_graph_node &node)
    {
        const ob_schema &ours = *node.op->schema;
        Step step;
        check_node(backend_, node.op);
        step.callable = *find_operator(backend_, ours);
        if (step.callable.handle.has_value())
            step.callable.schema = &step.callable.handle->schema();
        const auto &theirs = step.callable.schema->arguments();
        if (step.callable.first == 1)
            step.slots.push_back(ready(step.callable.self));
        std::vector<bool> used(ours.arg_count, false);
        for (size_t i = step.callable.first; i < theirs.size(); i++) {
            const int at = host_->schema_find_arg(&ours, theirs[i].name().c_str());
            if (at >= 0) {
                used[static_cast<size_t>(at)] = true;
                step.slots.push_back(make_slot(node.args[at], theirs[i].type()));
            } else if (theirs[i].default_value().has_value()) {
                step.slots.push_back(ready(*theirs[i].default_value()));
            } else {
                throw Failure(OB_ERR_UNSUPPORTED, full_name(ours) +
                                                      " of libtorch " TORCH_VERSION
                                                      " needs the argument '" +
                                                      theirs[i].name() + "', which is missing");
            }
        }
        check_unused(node, used);
        finish(step, node);
        return step;
    }

    // An argument that this libtorch does not know may be left out only if it says nothing.
    void check_unused(const ob_graph_node &node, const std::vector<bool> &used) const
    {
        const ob_schema &ours = *node.op->schema;
        for (size_t a = 0; a < ours.arg_count; a++) {
            const ob_operand &operand = node.args[a];
            if (used[a] ||
                (operand.kind == OB_OPERAND_VALUE && is_default(ours.args[a], operand.value)))
                continue;
            throw Failure(OB_ERR_UNSUPPORTED,
                          full_name(ours) + " of libtorch " TORCH_VERSION " has no argument '" +
                              ours.args[a].name + "'");
        }
    }

    static bool is_default(const ob_schema_arg &arg, const ob_value &value)
    {
        const ob_value &other = arg.default_value;
        if (value.kind == OB_VALUE_NONE)
            return true;
        if (!arg.has_default || value.kind != other.kind)
            return false;
        return (value.kind == OB_VALUE_BOOL && value.as.boolean == other.as.boolean) ||
               (value.kind == OB_VALUE_INT && value.as.integer == other.as.integer);
    }

    void finish(Step &step, const ob_graph_node &node)
    {
        for (const Slot &slot : step.slots)
            step.ready = step.ready && slot.kind == Slot::READY;
        if (step.ready)
            for (const Slot &slot : step.slots)
                step.arguments.push_back(slot.value);
        step.outputs.assign(node.outputs, node.outputs + node.output_count);
    }

    static Slot ready(const c10::IValue &value)
    {
        Slot slot;
        slot.value = value;
        return slot;
    }

    static bool is_tensor_type(const c10::TypePtr &type)
    {
        return type->kind() == c10::TypeKind::TensorType ||
               (type->kind() == c10::TypeKind::OptionalType &&
                type->containedType(0)->kind() == c10::TypeKind::TensorType);
    }

    Slot make_slot(const ob_operand &operand, const c10::TypePtr &type)
    {
        Slot slot;
        switch (operand.kind) {
        case OB_OPERAND_VALUE:
            return ready(to_ivalue(backend_, operand.value, type, storages_));
        case OB_OPERAND_EDGE:
            if (p_.graph->edges[operand.edge].role != OB_EDGE_INTERMEDIATE) {
                if (is_tensor_type(type))
                    return ready(p_.edges[operand.edge]);
                return ready(not_a_tensor(operand.edge, type));
            }
            slot.kind = Slot::EDGE;
            slot.edge = operand.edge;
            return slot;
        case OB_OPERAND_ITEM:
            slot.kind = Slot::ITEM;
            slot.edge = operand.edge;
            slot.index = operand.index;
            return slot;
        case OB_OPERAND_LIST:
            return make_list_slot(operand, type);
        }
        return slot;
    }

    // A tensor where torch wants a number (a Scalar of one element), or one tensor for a list.
    c10::IValue not_a_tensor(ob_edge_id edge, const c10::TypePtr &type)
    {
        const c10::TypePtr inner =
            type->kind() == c10::TypeKind::OptionalType ? type->containedType(0) : type;
        if (inner->kind() == c10::TypeKind::ListType)
            return make_list(inner, {p_.edges[edge]});
        if (inner->kind() == c10::TypeKind::NumberType && p_.edges[edge].isTensor()) {
            p_.has_constants = true;
            return p_.edges[edge].toTensor().item();
        }
        throw Failure(OB_ERR_INVALID,
                      std::string("a tensor cannot be converted to torch's type ") + type->str());
    }

    Slot make_list_slot(const ob_operand &operand, const c10::TypePtr &type)
    {
        const c10::TypePtr list =
            type->kind() == c10::TypeKind::OptionalType ? type->containedType(0) : type;
        if (list->kind() != c10::TypeKind::ListType)
            throw Failure(OB_ERR_INVALID,
                          std::string("a list of tensors cannot be converted to torch's type ") +
                              type->str());
        Slot slot;
        slot.kind = Slot::LIST;
        slot.type = list;
        bool all_ready = true;
        for (size_t i = 0; i < operand.count; i++) {
            slot.items.push_back(make_slot(operand.items[i], list->containedType(0)));
            all_ready = all_ready && slot.items.back().kind == Slot::READY;
        }
        if (!all_ready)
            return slot;
        std::vector<c10::IValue> values;
        for (const Slot &item : slot.items)
            values.push_back(item.value);
        return ready(make_list(list, values));
    }

    // ---- lives of edges

    void note_uses(const Slot &slot, size_t step)
    {
        if (slot.kind == Slot::EDGE || slot.kind == Slot::ITEM)
            last_use_[slot.edge] = step;
        for (const Slot &item : slot.items)
            note_uses(item, step);
    }

    // As in Python, where a value that no name holds is gone: memory is reused within an iteration.
    void find_last_uses()
    {
        const size_t never = SIZE_MAX;
        last_use_.assign(p_.graph->edge_count, never);
        for (size_t i = 0; i < p_.steps.size(); i++) {
            for (ob_edge_id edge : p_.steps[i].outputs)
                last_use_[edge] = i;
            for (const Slot &slot : p_.steps[i].slots)
                note_uses(slot, i);
        }
        for (size_t i = 0; i < p_.graph->output_count; i++)
            last_use_[p_.graph->outputs[i]] = never;
        for (ob_edge_id e = 0; e < p_.graph->edge_count; e++)
            if (last_use_[e] != never)
                p_.steps[last_use_[e]].drops.push_back(e);
    }

    ob_prepared &p_;
    const ob_prepare_args &args_;
    ob_backend &backend_;
    const ob_host *host_;
    StorageMap storages_;
    std::vector<ob_edge_id> written_;
    std::vector<size_t> last_use_;
    bool fills_out_ = false; // a call writes to a tensor given as out=
};

// TorchScript's executor watches two calls before it settles on its code.
bool has_script(const ob_prepared &prepared)
{
    for (const Step &step : prepared.steps)
        if (step.callable.function != nullptr)
            return true;
    return false;
}

void try_out(ob_prepared &prepared)
{
    enum { SCRIPT_CALLS = 3 };
    const int calls = has_script(prepared) ? SCRIPT_CALLS : prepared.wants_backward ? 1 : 0;
    for (int i = 0; i < calls; i++) {
        prepared.forward();
        if (i + 1 < calls && prepared.wants_backward && prepared.has_backward()) {
            prepared.make_grad();
            prepared.backward(false);
            prepared.zero_grad();
        }
        prepared.pending = false;
        prepared.restore();
    }
}

} // namespace

ob_status supports_graph(ob_backend *backend, const ob_graph *graph, ob_pass pass,
                         ob_reason *why_not)
{
    (void)pass;
    ob_err err;
    const ob_status status = guarded(backend->host, &err, [&] {
        for (size_t i = 0; i < graph->node_count; i++)
            check_node(*backend, graph->nodes[i].op);
    });
    if (status != OB_OK)
        std::snprintf(why_not->text, sizeof why_not->text, "%.*s",
                      static_cast<int>(sizeof why_not->text) - 1, err.message);
    return status;
}

ob_status prepare_case(ob_backend *backend, const ob_prepare_args *args, ob_prepared **out,
                       ob_err *err)
{
    auto prepared = std::make_unique<ob_prepared>();
    prepared->backend = backend;
    prepared->inference = args->inference_mode && args->pass == OB_PASS_FORWARD;
    prepared->wants_backward = args->pass == OB_PASS_BACKWARD;
    *out = nullptr;
    const ob_status status = guarded(backend->host, err, [&] {
        c10::InferenceMode mode(prepared->inference);
        Builder(*prepared, *args).build();
        try_out(*prepared);
    });
    if (status == OB_OK)
        *out = prepared.release();
    return status;
}

void release_case(ob_prepared *prepared)
{
    delete prepared;
}

} // namespace opbench
