// SPDX-License-Identifier: Apache-2.0
//
// A prepared case: the graph's calls with their arguments ready, and the functions of the edge that
// work on it.
#pragma once

#include "torch_backend.hpp"

namespace opbench
{

// One argument of a call: ready, or made from edges when the call runs.
struct Slot {
    enum Kind { READY, EDGE, ITEM, LIST };
    Kind kind = READY;
    c10::IValue value;       // READY
    ob_edge_id edge = 0;     // EDGE, ITEM
    size_t index = 0;        // ITEM
    std::vector<Slot> items; // LIST
    c10::TypePtr type;       // LIST
};

struct Step {
    Callable callable;
    bool ready = true; // every slot is: the arguments are copied in one go
    torch::jit::Stack arguments;
    std::vector<Slot> slots;
    std::vector<ob_edge_id> outputs;
    std::vector<ob_edge_id> drops; // edges that nobody needs after this step
};

// An input that the case changes in place, and what it was.
struct Saved {
    at::Tensor live, copy;
};

// An operand on a device, and the host's memory that it is from.
struct Upload {
    at::Tensor to, from;
};

} // namespace opbench

struct ob_prepared {
    ob_backend *backend = nullptr;
    ob_graph *owned_graph = nullptr; // when the graph had to be decomposed
    const ob_graph *graph = nullptr;
    bool inference = false;
    bool wants_backward = false;
    bool pending = false; // a forward ran whose backward did not: inputs are still needed
    std::vector<opbench::Step> steps;
    std::vector<c10::IValue> edges;
    std::vector<at::Tensor> leaves; // inputs, then parameters, that require a gradient
    std::vector<opbench::Saved> saved;
    std::vector<opbench::Upload>
        uploads;                      // none on the CPU, where operands are in the host's memory
    bool has_constants = false;       // something of an operand's elements stands in the calls
    std::vector<at::Tensor> operands; // inputs and parameters
    std::vector<at::Tensor> seeds;    // gradients of the outputs that require one
    torch::jit::Stack stack;

    ~ob_prepared();
    void forward();
    void make_grad();
    void backward(bool keep);
    void zero_grad();
    void restore();
    void refill();
    bool has_backward();
    std::vector<at::Tensor> differentiable_outputs() const;
};

namespace opbench
{

ob_status supports_graph(ob_backend *backend, const ob_graph *graph, ob_pass pass,
                         ob_reason *why_not);
ob_status prepare_case(ob_backend *backend, const ob_prepare_args *args, ob_prepared **out,
                       ob_err *err);
void release_case(ob_prepared *prepared);
ob_status run_phase(ob_prepared *prepared, ob_phase phase, uint64_t iterations, ob_err *err);
ob_status refill_case(ob_prepared *prepared, ob_err *err);
ob_status case_outputs(ob_prepared *prepared, ob_pass pass, ob_value *values, size_t capacity,
                       size_t *count, ob_err *err);
ob_status flush_cache(ob_backend *backend, ob_prepared *prepared, const char **how, ob_err *err);
ob_status case_kernels(ob_prepared *prepared, ob_pass pass, ob_kernel_fn fn, void *ctx,
                       ob_err *err);
void tell_backend(ob_backend *backend, ob_property_fn fn, void *ctx);

ob_status event_create(ob_backend *backend, ob_event **out, ob_err *err);
ob_status event_record(ob_event *event, ob_err *err);
ob_status event_elapsed_ns(ob_event *start, ob_event *end, double *elapsed_ns, ob_err *err);
void event_destroy(ob_event *event);

} // namespace opbench
