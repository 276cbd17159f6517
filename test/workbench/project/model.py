"""A model whose bytes are known: eight layers of 512 by 512 and one of 512 by 10, trained with Adam on the CPU."""
import torch
from torch import nn


def build():
    layers = []
    for _ in range(8):
        layers += [nn.Linear(512, 512), nn.Tanh()]
    return nn.Sequential(*layers, nn.Linear(512, 10))


def train(batch=512, steps=3):
    model = build()
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(steps):
        loss = model(torch.randn(batch, 512)).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


torch.manual_seed(0)
train()
print("trained")
