# SPDX-License-Identifier: Apache-2.0
"""What people train today, small: an MLP with cross-entropy and Adam, a transformer layer with
scaled_dot_product_attention, a CNN under autocast in bfloat16, code that torch.compile made. Three steps; prints the bits
of the last loss. --trace FILE records the second step with PyTorch's execution trace observer, --profile FILE the third with
its profiler."""
import argparse
import math

import torch
import torch.nn.functional as F
from torch import nn


def mlp(options):
    model = nn.Sequential(nn.Linear(24, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 10))
    x, y = torch.randn(16, 24), torch.randint(0, 10, (16,))
    return torch.optim.Adam(model.parameters(), lr=0.01), lambda: F.cross_entropy(model(x), y)


class Attention(nn.Module):
    """A layer of a transformer; PyTorch 1.13 has no public function for the attention itself."""

    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(32), nn.LayerNorm(32)
        self.mix, self.out = nn.Linear(32, 96), nn.Linear(32, 32)
        self.up, self.down = nn.Linear(32, 64), nn.Linear(64, 32)

    def attend(self, q, k, v):
        if hasattr(F, "scaled_dot_product_attention"):
            return F.scaled_dot_product_attention(q, k, v, is_causal=True)
        mask = torch.full((q.size(-2), q.size(-2)), -math.inf).triu(1)
        return torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.size(-1)) + mask, dim=-1) @ v

    def forward(self, x):
        q, k, v = (part.unflatten(-1, (4, 8)).transpose(1, 2) for part in self.mix(self.norm1(x)).chunk(3, dim=-1))
        x = x + self.out(self.attend(q, k, v).transpose(1, 2).flatten(2))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


def attention(options):
    model = Attention()
    x = torch.randn(4, 16, 32)
    return torch.optim.AdamW(model.parameters(), lr=0.01), lambda: model(x).square().mean()


def cnn(options):
    model = nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(inplace=True), nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 3, stride=2, padding=1, groups=2), nn.BatchNorm2d(16), nn.SiLU(), nn.AdaptiveAvgPool2d(1),
        nn.Flatten(), nn.Linear(16, 10))
    x, y = torch.randn(4, 3, 16, 16), torch.randint(0, 10, (4,))

    def loss():
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return F.cross_entropy(model(x), y)

    return torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9), loss


def compiled(options):
    """A function that a print cuts in two, and a module."""
    first, last, norm = nn.Linear(16, 16), nn.Linear(16, 4), nn.Sequential(nn.LayerNorm(16), nn.GELU())

    def body(x):
        return F.gelu(first(x)) * 2 + 1

    def cut(x):
        h = torch.tanh(body(x))
        print(end="")
        return last(h).relu().sum()

    fast, head = torch.compile(cut, backend=options.backend), torch.compile(norm, backend=options.backend)
    x = torch.randn(8, 16)
    model = nn.ModuleList([first, last, norm])
    return torch.optim.SGD(model.parameters(), lr=0.1), lambda: fast(head(x)) + x.mean()


def observed(step, path):
    """Runs the step under PyTorch's observer of execution traces."""
    make = getattr(torch.profiler, "ExecutionTraceObserver", None) or torch.profiler.ExecutionGraphObserver
    observer = make()
    observer.register_callback(path)
    observer.start()
    result = step()
    observer.stop()
    observer.unregister_callback()
    return result


def profiled(step, path):
    with torch.profiler.profile(record_shapes=True, activities=[torch.profiler.ProfilerActivity.CPU]) as profiler:
        result = step()
    profiler.export_chrome_trace(path)
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", choices=["mlp", "attention", "cnn", "compiled"])
    parser.add_argument("--trace")
    parser.add_argument("--profile")
    parser.add_argument("--backend", default="inductor")
    options = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    optimizer, compute = globals()[options.program](options)

    def step():
        loss = compute()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()

    step()
    observed(step, options.trace) if options.trace else step()
    print((profiled(step, options.profile) if options.profile else step()).hex())


if __name__ == "__main__":
    main()
