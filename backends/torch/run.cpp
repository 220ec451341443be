// SPDX-License-Identifier: Apache-2.0
//
// Running a prepared case. Timed: copying the ready arguments to the stack, the boxed calls, dropping what
// the iteration before left. Not timed: conversion of values, making gradients, clearing them, bringing
// inputs back.
#include "program.hpp"

#include <c10/core/InferenceMode.h>
#include <torch/csrc/autograd/autograd.h>

ob_prepared::~ob_prepared()
{
    if (owned_graph != nullptr)
        backend->host->graph_destroy(owned_graph);
}

namespace
{

c10::IValue value_of(const opbench::Slot &slot, const std::vector<c10::IValue> &edges)
{
    switch (slot.kind) {
    case opbench::Slot::READY:
        return slot.value;
    case opbench::Slot::EDGE:
        return edges[slot.edge];
    case opbench::Slot::ITEM:
        return edges[slot.edge].toListRef()[slot.index];
    case opbench::Slot::LIST: {
        std::vector<c10::IValue> items;
        items.reserve(slot.items.size());
        for (const opbench::Slot &item : slot.items)
            items.push_back(value_of(item, edges));
        return opbench::make_list(slot.type, items);
    }
    }
    return {};
}

// A function of TorchScript gives several results as one tuple.
void spread(torch::jit::Stack &stack, size_t count)
{
    if (stack.size() != 1 || count == 1 || !stack[0].isTuple())
        return;
    const auto items = stack[0].toTupleRef().elements().vec();
    stack.assign(items.begin(), items.end());
}

} // namespace

void ob_prepared::forward()
{
    // What the iteration before made goes first, so that its memory serves this one.
    for (size_t i = 0; i < graph->output_count; i++)
        if (graph->edges[graph->outputs[i]].role == OB_EDGE_INTERMEDIATE)
            edges[graph->outputs[i]] = c10::IValue();
    // An input that the iteration before overwrote came from it, and its backward would lead there too.
    for (const opbench::Saved &one : saved)
        if (wants_backward && !one.live.is_leaf())
            one.live.detach_();
    for (const opbench::Step &step : steps) {
        if (step.ready) {
            stack.assign(step.arguments.begin(), step.arguments.end());
        } else {
            stack.clear();
            for (const opbench::Slot &slot : step.slots)
                stack.push_back(value_of(slot, edges));
        }
        step.callable.call(stack);
        if (step.callable.function != nullptr)
            spread(stack, step.outputs.size());
        for (size_t i = 0; i < step.outputs.size() && i < stack.size(); i++)
            edges[step.outputs[i]] = std::move(stack[i]);
        for (ob_edge_id edge : step.drops)
            edges[edge] = c10::IValue();
        stack.clear();
    }
    pending = wants_backward;
}

namespace
{

// Leaves are left out: nothing leads from them to an input.
void gather(const c10::IValue &value, std::vector<at::Tensor> &list)
{
    if (value.isTensor()) {
        const at::Tensor &tensor = value.toTensor();
        if (tensor.defined() && tensor.requires_grad() && !tensor.is_leaf())
            list.push_back(tensor);
    } else if (value.isTensorList()) {
        for (const c10::IValue &item : value.toListRef())
            gather(item, list);
    } else if (value.isTuple()) { // of TorchScript
        for (const c10::IValue &item : value.toTupleRef().elements())
            gather(item, list);
    }
}

} // namespace

std::vector<at::Tensor> ob_prepared::differentiable_outputs() const
{
    std::vector<at::Tensor> list;
    for (size_t i = 0; i < graph->output_count; i++)
        gather(edges[graph->outputs[i]], list);
    return list;
}

bool ob_prepared::has_backward()
{
    return !differentiable_outputs().empty();
}

namespace
{

// Of a sparse output: ones where it has entries.
at::Tensor ones_as(const at::Tensor &output)
{
    if (output.layout() != at::kSparse)
        return at::ones_like(output);
    const at::Tensor whole = output.detach().coalesce();
    return at::sparse_coo_tensor(whole.indices(), at::ones_like(whole.values()), whole.sizes(),
                                 whole.options());
}

} // namespace

void ob_prepared::make_grad()
{
    seeds.clear();
    for (const at::Tensor &output : differentiable_outputs())
        seeds.push_back(ones_as(output));
}

void ob_prepared::backward(bool keep)
{
    torch::autograd::backward(differentiable_outputs(), seeds, keep);
    pending = keep;
}

void ob_prepared::zero_grad()
{
    for (at::Tensor &leaf : leaves)
        leaf.mutable_grad() = at::Tensor();
}

// Not while a backward is due, which needs the values that the forward left. An operator may have given an out= without
// elements its shape.
void ob_prepared::restore()
{
    if (pending)
        return;
    for (opbench::Saved &one : saved) {
        if (!one.live.is_sparse() && !one.live.sizes().equals(one.copy.sizes())) {
            const at::NoGradGuard guard;
            one.live.resize_(one.copy.sizes());
        }
        one.live.variable_data().copy_(one.copy);
    }
}

// The copies for restore follow: what the host wrote is what inputs were before.
void ob_prepared::refill()
{
    const at::NoGradGuard guard;
    pending = false;
    for (const opbench::Upload &one : uploads)
        one.to.copy_(one.from);
    for (opbench::Saved &one : saved)
        if (one.live.sizes().equals(one.copy.sizes())) // else an out= without elements got a shape
            one.copy.copy_(one.live.variable_data());
}

namespace opbench
{
namespace
{

void check_order(const ob_prepared &prepared, ob_phase phase)
{
    if (phase == OB_PHASE_FORWARD || phase == OB_PHASE_RESTORE)
        return;
    if (!prepared.wants_backward)
        throw Failure(OB_ERR_STATE, "the case was prepared for forward only");
    if (phase == OB_PHASE_BACKWARD && !prepared.pending)
        throw Failure(OB_ERR_STATE, "no forward pass has run yet; run forward first");
}

void run_once(ob_prepared &prepared, ob_phase phase, bool last)
{
    switch (phase) {
    case OB_PHASE_FORWARD:
        return prepared.forward();
    case OB_PHASE_MAKE_GRAD:
        return prepared.make_grad();
    case OB_PHASE_BACKWARD:
        return prepared.backward(!last);
    case OB_PHASE_ZERO_GRAD:
        return prepared.zero_grad();
    case OB_PHASE_RESTORE:
        return prepared.restore();
    }
}

void flush(const at::Tensor &tensor)
{
    if (!tensor.defined() || tensor.layout() != at::kStrided || !tensor.device().is_cpu())
        return;
#if defined(__x86_64__)
    const char *data = static_cast<const char *>(tensor.storage().data());
    const size_t size = tensor.storage().nbytes();
    for (size_t at = 0; at < size; at += 64)
        __builtin_ia32_clflush(data + at);
#endif
}

} // namespace

ob_status run_phase(ob_prepared *prepared, ob_phase phase, uint64_t iterations, ob_err *err)
{
    return guarded(prepared->backend->host, err, [&] {
        check_order(*prepared, phase);
        if (prepared->inference) {
            const c10::InferenceMode mode;
            for (uint64_t i = 0; i < iterations; i++)
                run_once(*prepared, phase, i + 1 == iterations);
        } else {
            for (uint64_t i = 0; i < iterations; i++)
                run_once(*prepared, phase, i + 1 == iterations);
        }
    });
}

ob_status refill_case(ob_prepared *prepared, ob_err *err)
{
    return guarded(prepared->backend->host, err, [&] {
        const c10::InferenceMode mode(prepared->inference);
        if (prepared->has_constants)
            throw Failure(OB_ERR_UNSUPPORTED, "an operand appears in the calls as a constant");
        prepared->refill();
    });
}

// Gradients are those of all inputs, then parameters, that require one; None where none arrived.
ob_status case_outputs(ob_prepared *prepared, ob_pass pass, ob_value *values, size_t capacity,
                       size_t *count, ob_err *err)
{
    const ob_host *host = prepared->backend->host;
    std::vector<c10::IValue> list;
    *count = 0;
    const ob_status status = guarded(host, err, [&] {
        if (pass == OB_PASS_FORWARD)
            for (size_t i = 0; i < prepared->graph->output_count; i++)
                list.push_back(prepared->edges[prepared->graph->outputs[i]]);
        else
            for (const at::Tensor &leaf : prepared->leaves)
                list.emplace_back(leaf.grad());
        if (list.size() > capacity)
            throw Failure(OB_ERR_LIMIT, "there are " + std::to_string(list.size()) +
                                            " outputs and room for " + std::to_string(capacity));
        for (; *count < list.size(); ++*count)
            from_ivalue(host, list[*count], &values[*count]);
    });
    while (status != OB_OK && *count > 0)
        host->value_fini(&values[--*count]);
    return status;
}

ob_status flush_cache(ob_backend *backend, ob_prepared *prepared, const char **how, ob_err *err)
{
    *how = "clflush of the operands";
    return guarded(backend->host, err, [&] {
        for (const at::Tensor &operand : prepared->operands)
            flush(operand);
        for (const c10::IValue &edge : prepared->edges)
            if (edge.isTensor())
                flush(edge.toTensor());
#if defined(__x86_64__)
        __builtin_ia32_mfence();
#endif
    });
}

} // namespace opbench
