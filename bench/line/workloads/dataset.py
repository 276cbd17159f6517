"""A Dataset written in Python feeding a small model: many user lines per step."""
import random
import sys

import torch
import torch.nn as nn
from timing import measure, profile


class Noise(torch.utils.data.Dataset):
    def __init__(self, length):
        self.length = length
        self.images = torch.randn(64, 1, 28, 28)

    def __len__(self):
        return self.length

    @profile
    def __getitem__(self, index):
        image = self.images[index % 64]  # the line
        if random.random() < 0.5:
            image = image.flip(-1)
        weight = 0
        for j in range(10):
            weight += j * index
        mean = image.mean()
        image = image - mean
        return image, index % 10


@profile
def train(length):
    torch.manual_seed(0)
    random.seed(0)
    net = nn.Sequential(nn.Flatten(), nn.Linear(784, 64), nn.ReLU(), nn.Linear(64, 10))
    optimiser = torch.optim.SGD(net.parameters(), lr=0.01)
    seen = 0
    for images, labels in torch.utils.data.DataLoader(Noise(length), batch_size=32):
        optimiser.zero_grad()
        loss = nn.functional.cross_entropy(net(images), labels)
        loss.backward()
        optimiser.step()
        seen += len(images)
    return seen


torch.set_num_threads(1)
train(64)
LENGTH = int(sys.argv[1])
measure(train, LENGTH, LENGTH)
