# SPDX-License-Identifier: Apache-2.0
"""A small transformer-like model that trains two steps; prints the loss's bits. With --trace FILE PyTorch's
execution graph observer records the second step."""
import sys

import torch
import torch.nn.functional as F


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.LayerNorm(16)
        self.mix = torch.nn.Linear(16, 48, bias=False)
        self.out = torch.nn.Linear(16, 16)

    def forward(self, x):
        q, k, v = self.mix(self.norm(x)).chunk(3, dim=-1)
        weights = torch.softmax(torch.bmm(q, k.transpose(1, 2)) / 4.0, dim=-1)
        return x + self.out(torch.bmm(weights, v))


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.nn.Embedding(50, 16)
        self.block = Block()
        self.head = torch.nn.Linear(16, 50)

    def forward(self, x):
        return self.head(F.gelu(self.block(self.table(x))))


def main():
    torch.manual_seed(0)
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    x, y = torch.randint(0, 50, (4, 7)), torch.randint(0, 50, (4 * 7,))
    observer = None
    if "--trace" in sys.argv:
        observer = (getattr(torch.profiler, "ExecutionTraceObserver", None) or torch.profiler.ExecutionGraphObserver)()
        observer.register_callback(sys.argv[sys.argv.index("--trace") + 1])
    for step in range(2):
        if observer is not None and step == 1:
            observer.start()
        loss = F.cross_entropy(net(x).reshape(-1, 50), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if "--crash" in sys.argv:
            raise SystemExit(3)
    if observer is not None:
        observer.stop()
        observer.unregister_callback()
    print(loss.item().hex())


if __name__ == "__main__":
    main()
