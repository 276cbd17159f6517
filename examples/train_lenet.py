"""LeNet on CIFAR-shaped data, as a first training script on a Jetson usually looks (torch 1.10 syntax).

The data are random, so nothing is downloaded. On a board with CUDA the lines that move things to the
device take the memory; on a CPU the same lines take nothing and the batches show instead.
"""
import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 6, 5)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = torch.flatten(x, 1)
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        return self.fc3(x)


def make_dataset(samples):
    images = torch.randn(samples, 3, 32, 32)
    labels = torch.randint(0, 10, (samples,))
    return TensorDataset(images, labels)


def train(net, loader, optimizer, device, epochs):
    for epoch in range(epochs):
        total = 0.0
        for images, labels in loader:
            images = images.to(device)
            labels = labels.to(device)
            optimizer.zero_grad()
            loss = F.cross_entropy(net(images), labels)
            loss.backward()
            optimizer.step()
            total += loss.item()
        print("epoch %d  loss %.4f" % (epoch + 1, total / len(loader)), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--samples", type=int, default=4096)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--workers", type=int, default=0)
    args = parser.parse_args()

    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    dataset = make_dataset(args.samples)
    loader = DataLoader(dataset, batch_size=args.batch, shuffle=True, num_workers=args.workers)
    net = LeNet()
    net = net.to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
    train(net, loader, optimizer, device, args.epochs)


if __name__ == "__main__":
    main()
