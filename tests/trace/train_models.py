#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Training steps whose execution traces look like those of real models: a GPT-2 (fused projections, causal mask,
dropout, Adam over lists of tensors, gradients clipped and scaled) and a DLRM (embedding bags, interactions by
bmm and by index, a side stream of data). PyTorch's observer writes schema 1.0.1."""
import argparse
import math

import torch
import torch.nn.functional as F


class Conv1D(torch.nn.Module):
    """A linear layer with its weight the other way round, as GPT-2's."""

    def __init__(self, outputs, inputs):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(inputs, outputs) * 0.02)
        self.bias = torch.nn.Parameter(torch.zeros(outputs))

    def forward(self, x):
        return torch.addmm(self.bias, x.view(-1, x.size(-1)), self.weight).view(*x.size()[:-1], self.bias.size(0))


class Block(torch.nn.Module):
    def __init__(self, width, heads, length):
        super().__init__()
        self.heads, self.width = heads, width
        self.norm1, self.norm2 = torch.nn.LayerNorm(width), torch.nn.LayerNorm(width)
        self.mix, self.out = Conv1D(3 * width, width), Conv1D(width, width)
        self.up, self.down = Conv1D(4 * width, width), Conv1D(width, 4 * width)
        self.drop = torch.nn.Dropout(0.1)
        self.register_buffer("bias", torch.tril(torch.ones(length, length, dtype=torch.uint8)).view(
            1, 1, length, length).bool())

    def split_heads(self, x):
        return x.view(*x.size()[:-1], self.heads, self.width // self.heads).permute(0, 2, 1, 3)

    def attend(self, x):
        query, key, value = (self.split_heads(t) for t in self.mix(x).split(self.width, dim=2))
        weights = torch.matmul(query, key.transpose(-1, -2))
        weights = weights / torch.full([], value.size(-1) ** 0.5, dtype=weights.dtype, device=weights.device)
        length = query.size(-2)
        mask = self.bias[:, :, :length, :length]
        weights = torch.where(mask, weights.to(weights.dtype),
                              torch.full([], torch.finfo(weights.dtype).min, dtype=weights.dtype))
        weights = self.drop(F.softmax(weights, dim=-1).type(value.dtype))
        merged = torch.matmul(weights, value).permute(0, 2, 1, 3).contiguous()
        return self.drop(self.out(merged.view(merged.size()[:-2] + (self.width,))))

    def forward(self, x):
        x = self.attend(self.norm1(x)) + x
        h = self.up(self.norm2(x))
        h = 0.5 * h * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (h + 0.044715 * torch.pow(h, 3.0))))
        return x + self.drop(self.down(h))


class Gpt(torch.nn.Module):
    def __init__(self, layers, width, heads, words, length):
        super().__init__()
        self.words, self.places = torch.nn.Embedding(words, width), torch.nn.Embedding(length, width)
        self.blocks = torch.nn.ModuleList(Block(width, heads, length) for _ in range(layers))
        self.norm, self.head = torch.nn.LayerNorm(width), torch.nn.Linear(width, words, bias=False)
        self.head.weight = self.words.weight

    def forward(self, ids):
        ids = ids.view(-1, ids.size(-1))
        places = torch.arange(0, ids.size(-1), dtype=torch.long).unsqueeze(0).view(-1, ids.size(-1))
        x = F.dropout(self.words(ids) + self.places(places), 0.1)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x).view(*ids.size(), -1))


def gpt(options):
    model = Gpt(options.layers, options.width, options.heads, options.words, options.length)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4, weight_decay=0.01, foreach=True)
    ids = torch.randint(0, options.words, (options.batch, options.length))

    def step():
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=options.autocast):
            logits = model(ids)
            shifted, labels = logits[..., :-1, :].contiguous(), ids[..., 1:].contiguous()
            labels = labels.masked_fill(labels == 3, -100)
            loss = F.cross_entropy(shifted.view(-1, shifted.size(-1)).float(), labels.view(-1))
        optimizer.zero_grad(set_to_none=False)
        (loss * 1024.0).backward()
        torch._foreach_mul_([p.grad for p in model.parameters()], 1 / 1024.0)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return loss.item()

    return step


class Dlrm(torch.nn.Module):
    def __init__(self, tables, rows, width, dense):
        super().__init__()
        self.tables = torch.nn.ModuleList(
            torch.nn.EmbeddingBag(rows, width, mode="sum", sparse=i % 2 == 1) for i in range(tables))
        self.bottom = torch.nn.Sequential(torch.nn.Linear(dense, 2 * width), torch.nn.ReLU(),
                                          torch.nn.Linear(2 * width, width), torch.nn.ReLU())
        pairs = (tables + 1) * tables // 2
        self.top = torch.nn.Sequential(torch.nn.Linear(width + pairs, 4 * width), torch.nn.ReLU(),
                                       torch.nn.Linear(4 * width, 1), torch.nn.Sigmoid())

    def forward(self, dense, offsets, indices):
        x = self.bottom(dense)
        bags = [table(i, o) for table, i, o in zip(self.tables, indices, offsets)]
        t = torch.cat([x] + bags, dim=1).view((x.size(0), -1, x.size(1)))
        z = torch.bmm(t, torch.transpose(t, 1, 2))
        count = z.size(1)
        li = torch.tensor([i for i in range(count) for j in range(i)])
        lj = torch.tensor([j for i in range(count) for j in range(i)])
        return self.top(torch.cat([x, z[:, li, lj]], dim=1))


def dlrm(options):
    model = Dlrm(4, options.words, options.width, 13)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def step():
        dense = torch.rand(options.batch, 13)
        lengths = torch.randint(0, 4, (4, options.batch))
        offsets = [torch.cat([torch.zeros(1, dtype=torch.long), torch.cumsum(row, 0)[:-1]]) for row in lengths]
        indices = [torch.randint(0, options.words, (int(row.sum()),)) for row in lengths]
        labels = (torch.rand(options.batch, 1) > 0.5).float()
        chosen = dense[dense > 0.5].nonzero()
        prediction = model(torch.log(dense + 1), offsets, indices)
        loss = F.binary_cross_entropy(prediction, labels)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        return loss.item() + chosen.size(0)

    return step


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model", choices=["gpt", "dlrm"])
    parser.add_argument("trace")
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--width", type=int, default=32)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--words", type=int, default=101)
    parser.add_argument("--length", type=int, default=16)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--autocast", action="store_true")
    options = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    step = {"gpt": gpt, "dlrm": dlrm}[options.model](options)
    step()
    observer = (getattr(torch.profiler, "ExecutionTraceObserver", None) or torch.profiler.ExecutionGraphObserver)()
    observer.register_callback(options.trace)
    observer.start()
    for number in range(2):
        with torch.profiler.record_function("ProfilerStep#%d" % number):
            step()
    observer.stop()
    observer.unregister_callback()


if __name__ == "__main__":
    main()
