"""LeNet on MNIST-shaped noise: the users' case, most of the time inside torch."""
import sys

import torch
import torch.nn as nn
import torch.nn.functional as F
from timing import measure, profile


class LeNet(nn.Module):
    @profile
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, padding=2)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.full1 = nn.Linear(400, 120)
        self.full2 = nn.Linear(120, 84)
        self.full3 = nn.Linear(84, 10)

    @profile
    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)  # the line
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = torch.flatten(x, 1)
        x = F.relu(self.full1(x))
        x = F.relu(self.full2(x))
        return self.full3(x)


@profile
def train(steps):
    torch.manual_seed(0)
    images, labels = torch.randn(64, 1, 28, 28), torch.randint(0, 10, (64,))
    net = LeNet()
    optimiser = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
    first = None
    for _ in range(steps):
        optimiser.zero_grad()
        out = net(images)
        loss = F.cross_entropy(out, labels)
        loss.backward()
        optimiser.step()
        first = loss.item() if first is None else first
    return loss.item() <= first


torch.set_num_threads(1)
train(2)
steps, _, goes = sys.argv[1].partition("x")  # "5x20": 20 goes of 5 steps
measure(train, int(steps), True, int(goes or 1))
