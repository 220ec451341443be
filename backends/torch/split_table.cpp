// SPDX-License-Identifier: Apache-2.0
//
// The split-table operator for torch: one embedding_bag per table, side by side, and a backward that updates
// tables and momentum in place (row-wise Adagrad, each row once with the sum of its gradients). Registered
// with the dispatcher under its canonical name, so that nothing else treats it specially.
#include "torch_backend.hpp"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

namespace opbench
{
namespace
{

using at::Tensor;

struct Tables {
    Tensor weights, momentum, indices, offsets;
    c10::optional<Tensor> factors;
    std::vector<int64_t> rows, dims;
    int64_t pooling;
    double lr, eps;

    int64_t batch() const
    {
        return (offsets.numel() - 1) / static_cast<int64_t>(rows.size());
    }
};

// One table of all.
struct Table {
    Tensor weight, momentum, indices, offsets;
    c10::optional<Tensor> factors;
};

std::vector<Table> split(const Tables &all)
{
    std::vector<Table> list;
    int64_t weight = 0, row = 0;
    for (size_t t = 0; t < all.rows.size(); t++) {
        const int64_t first_bag = static_cast<int64_t>(t) * all.batch();
        const Tensor offsets = all.offsets.narrow(0, first_bag, all.batch() + 1);
        const int64_t begin = offsets[0].item<int64_t>(), end = offsets[-1].item<int64_t>();
        Table table;
        table.weight = all.weights.narrow(0, weight, all.rows[t] * all.dims[t])
                           .view({all.rows[t], all.dims[t]});
        table.momentum = all.momentum.narrow(0, row, all.rows[t]);
        table.indices = all.indices.narrow(0, begin, end - begin);
        table.offsets = offsets - begin;
        if (all.factors.has_value() && all.factors->defined())
            table.factors = all.factors->narrow(0, begin, end - begin);
        list.push_back(table);
        weight += all.rows[t] * all.dims[t];
        row += all.rows[t];
    }
    return list;
}

// embedding_bag multiplies only sums; the mean of products is their sum divided by the bag's length.
Tensor look_up(const Table &table, bool mean)
{
    const Tensor weight = table.weight.to(at::kFloat);
    const bool scaled = table.factors.has_value();
    const Tensor out =
        std::get<0>(at::embedding_bag(weight, table.indices, table.offsets, false,
                                      mean && !scaled ? 1 : 0, false, table.factors, true));
    if (!mean || !scaled)
        return out;
    return out / table.offsets.diff().clamp_min(1).unsqueeze(1);
}

void update(const Table &table, const Tensor &grad, const Tables &all)
{
    const Tensor lengths = table.offsets.diff();
    Tensor rows = at::repeat_interleave(grad, lengths, 0);
    if (all.pooling == 1)
        rows = rows / at::repeat_interleave(lengths, lengths, 0).unsqueeze(1);
    if (table.factors.has_value())
        rows = rows * table.factors->unsqueeze(1);
    if (rows.size(0) == 0)
        return;
    Tensor ids, places, counts;
    std::tie(ids, places, counts) = at::_unique2(table.indices, true, true, false);
    const Tensor sums =
        at::zeros({ids.size(0), grad.size(1)}, grad.options()).index_add_(0, places, rows);
    table.momentum.index_add_(0, ids, sums.square().mean(1));
    const Tensor rate = all.lr / (table.momentum.index_select(0, ids).sqrt() + all.eps);
    table.weight.index_add_(0, ids, (sums * -rate.unsqueeze(1)).to(table.weight.scalar_type()));
}

class SplitTable : public torch::autograd::Function<SplitTable>
{
  public:
    static Tensor forward(torch::autograd::AutogradContext *ctx, const Tensor &anchor,
                          const Tables &all)
    {
        (void)anchor;
        ctx->saved_data["rows"] = all.rows;
        ctx->saved_data["dims"] = all.dims;
        ctx->saved_data["pooling"] = all.pooling;
        ctx->saved_data["lr"] = all.lr;
        ctx->saved_data["eps"] = all.eps;
        // The tables are changed by the backward on purpose: not saved as variables, which forbids it.
        ctx->saved_data["weights"] = all.weights.detach();
        ctx->saved_data["momentum"] = all.momentum.detach();
        ctx->saved_data["indices"] = all.indices;
        ctx->saved_data["offsets"] = all.offsets;
        ctx->saved_data["factors"] = all.factors;
        std::vector<Tensor> outs;
        for (const Table &table : split(all))
            outs.push_back(look_up(table, all.pooling == 1));
        return at::cat(outs, 1);
    }

    static torch::autograd::variable_list backward(torch::autograd::AutogradContext *ctx,
                                                   const torch::autograd::variable_list &grads)
    {
        auto &saved = ctx->saved_data;
        const Tables all = {saved["weights"].toTensor(),
                            saved["momentum"].toTensor(),
                            saved["indices"].toTensor(),
                            saved["offsets"].toTensor(),
                            saved["factors"].toOptional<Tensor>(),
                            saved["rows"].toIntVector(),
                            saved["dims"].toIntVector(),
                            saved["pooling"].toInt(),
                            saved["lr"].toDouble(),
                            saved["eps"].toDouble()};
        int64_t column = 0;
        const auto tables = split(all);
        for (size_t t = 0; t < tables.size(); t++) {
            update(tables[t], grads[0].narrow(1, column, all.dims[t]), all);
            column += all.dims[t];
        }
        return {at::zeros({0}, grads[0].options()), Tensor()};
    }
};

Tensor split_table(const Tensor &anchor, const Tensor &weights, const Tensor &momentum,
                   const Tensor &indices, const Tensor &offsets,
                   const c10::optional<Tensor> &per_sample_weights, at::IntArrayRef rows,
                   at::IntArrayRef dims, int64_t pooling, double lr, double eps)
{
    return SplitTable::apply(anchor, Tables{weights, momentum, indices, offsets, per_sample_weights,
                                            rows.vec(), dims.vec(), pooling, lr, eps});
}

} // namespace

void register_own_operators()
{
    static std::unique_ptr<torch::Library> library;
    if (library != nullptr)
        return;
    library = std::make_unique<torch::Library>(torch::Library::FRAGMENT, "opbench", none, __FILE__,
                                               __LINE__);
    library->def(
        "split_table_embedding_bags(Tensor anchor, Tensor weights, Tensor momentum, Tensor "
        "indices, Tensor offsets, Tensor? per_sample_weights, int[] rows, int[] dims, int "
        "pooling, float lr=0.01, float eps=1e-08) -> Tensor",
        split_table);
    register_dropped(*library);
}

} // namespace opbench
