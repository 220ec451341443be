# SPDX-License-Identifier: Apache-2.0
"""What real training programs do besides layers: attention with masks, recurrent layers, embedding bags, losses that pass
over targets, indexing, data made from lists. Two steps; prints the loss's bits."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(50, 16, padding_idx=0)
        self.bags = nn.EmbeddingBag(30, 16, mode="sum")
        self.first = nn.TransformerEncoderLayer(16, 4, 32, dropout=0.1, activation="gelu", batch_first=True, norm_first=True)
        self.rest = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 2, 32, batch_first=True), 2)
        self.attention = nn.MultiheadAttention(16, 4, dropout=0.25, bias=False, batch_first=True)
        self.memory = nn.LSTM(16, 8, batch_first=True, bidirectional=True)
        self.shrink = nn.Sequential(nn.Conv1d(16, 16, 3, padding=1), nn.BatchNorm1d(16), nn.ReLU(inplace=True),
                                    nn.MaxPool1d(2))
        self.head = nn.Linear(16, 10)

    def forward(self, x, indices, offsets):
        h = self.rest(self.first(self.table(x)), src_key_padding_mask=(x == 0))
        h = h + self.attention(h, h, h, need_weights=False)[0]
        h, _ = self.memory(h)
        h = self.shrink(h.transpose(1, 2)).transpose(1, 2)
        return self.head(h + self.bags(indices, offsets)[:h.size(0), None, :])


def step(net, optimizer):
    x, y = torch.randint(0, 50, (4, 8)), torch.randint(0, 10, (4, 4))
    y[0, 0] = -100
    out = net(x, torch.tensor([1, 2, 4, 5, 4, 3, 2, 9]), torch.tensor([0, 2, 5, 7]))
    loss = F.cross_entropy(out.reshape(-1, 10), y.reshape(-1), label_smoothing=0.1)
    chosen = torch.rand(4, 4) > 0.5
    copy = out.detach().clone()
    copy[chosen] = out.detach()[chosen]
    copy[1:, ..., 0] = 1 / (1 + copy[1:, ..., 0].abs())
    both = torch.cat([out, torch.where(chosen[..., None], out, torch.zeros_like(out))], -1)
    extra = out[:, [0, 2]].sum() + out[[0, 1]].sum() + out[[True, False, True, False]].sum()
    copy[:, [1, 3], 0] = 0.5
    y = y.clamp(min=0)
    torch.zeros(4, 10).scatter_(1, y[:, :1], 1.0)
    extra = extra + both.topk(3)[0].mean() + torch.einsum("bij,bkj->bik", out, copy).sum() + out.gather(2, y[..., None]).sum()
    (loss + 0 * extra).backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()
    return loss


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    net = Net()
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
    for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 2):
        loss = step(net, optimizer)
    print(loss.item().hex())


if __name__ == "__main__":
    main()
