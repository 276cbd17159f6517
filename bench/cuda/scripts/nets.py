"""nets.py NET DEVICE STEPS: trains a small net, and prints how long a step took in the middle of them, in seconds."""
import json
import sys
import time

import torch
import torch.nn as nn
import torch.nn.functional as F


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, padding=2)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.full1 = nn.Linear(400, 120)
        self.full2 = nn.Linear(120, 84)
        self.full3 = nn.Linear(84, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = torch.flatten(x, 1)
        x = F.relu(self.full1(x))
        x = F.relu(self.full2(x))
        return self.full3(x)


class Block(nn.Module):
    def __init__(self, inner, outer, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inner, outer, 3, stride, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(outer)
        self.conv2 = nn.Conv2d(outer, outer, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(outer)
        self.short = None
        if stride != 1 or inner != outer:
            self.short = nn.Sequential(nn.Conv2d(inner, outer, 1, stride, bias=False), nn.BatchNorm2d(outer))

    def forward(self, x):
        y = F.relu(self.norm1(self.conv1(x)))
        y = self.norm2(self.conv2(y))
        x = x if self.short is None else self.short(x)
        return F.relu(x + y)


class ResNet18(nn.Module):
    def __init__(self):
        super().__init__()
        self.begin = nn.Sequential(nn.Conv2d(3, 64, 3, 1, 1, bias=False), nn.BatchNorm2d(64), nn.ReLU())
        blocks, inner = [], 64
        for outer, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
            blocks += [Block(inner, outer, stride), Block(outer, outer, 1)]
            inner = outer
        self.blocks = nn.Sequential(*blocks)
        self.full = nn.Linear(512, 10)

    def forward(self, x):
        x = self.blocks(self.begin(x))
        return self.full(x.mean((2, 3)))


def wait(device):
    if device == "cuda":
        torch.cuda.synchronize()


def train(kind, device, steps):
    torch.manual_seed(0)
    net, shape = (LeNet(), (64, 1, 28, 28)) if kind == "lenet" else (ResNet18(), (32, 3, 32, 32))
    net = net.to(device)
    images, labels = torch.randn(*shape).to(device), torch.randint(0, 10, shape[:1]).to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
    times = []
    for _ in range(steps + steps // 4):
        wait(device)
        began = time.perf_counter()
        optimizer.zero_grad()
        loss = F.cross_entropy(net(images), labels)
        loss.backward()
        optimizer.step()
        wait(device)
        times.append(time.perf_counter() - began)
    return times[steps // 4:]


times = sorted(train(sys.argv[1], sys.argv[2], int(sys.argv[3])))
print("KIT " + json.dumps({"name": "step", "seconds": times[len(times) // 2]}))
