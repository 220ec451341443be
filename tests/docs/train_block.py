# SPDX-License-Identifier: Apache-2.0
"""Two training steps of a feed-forward block as transformers have it: the program of README's third recipe."""

import torch

model = torch.nn.Sequential(torch.nn.LayerNorm(512), torch.nn.Linear(512, 2048), torch.nn.GELU(), torch.nn.Linear(2048, 512))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(2):
    x, y = torch.randn(64, 512), torch.randn(64, 512)
    loss = torch.nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
