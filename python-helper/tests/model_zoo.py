"""Small models of the common kinds; needs PyTorch."""
import torch
from torch import nn


class LeNet(nn.Module):
    def __init__(self):
        super(LeNet, self).__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 6, 5), nn.ReLU(), nn.MaxPool2d(2),
                                      nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2))
        self.classifier = nn.Sequential(nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10))

    def forward(self, images):
        return self.classifier(torch.flatten(self.features(images), 1))


class Block(nn.Module):
    """Of a ResNet."""

    def __init__(self, width):
        super(Block, self).__init__()
        self.conv1, self.bn1 = nn.Conv2d(width, width, 3, padding=1), nn.BatchNorm2d(width)
        self.conv2, self.bn2 = nn.Conv2d(width, width, 3, padding=1), nn.BatchNorm2d(width)
        self.relu = nn.ReLU()

    def forward(self, value):
        inner = self.relu(self.bn1(self.conv1(value)))
        return self.relu(self.bn2(self.conv2(inner)) + value)


class ResNet(nn.Module):
    def __init__(self):
        super(ResNet, self).__init__()
        self.stem = nn.Conv2d(3, 8, 3)
        self.blocks = nn.Sequential(Block(8), Block(8), Block(8))
        self.head = nn.Linear(8, 10)

    def forward(self, images):
        return self.head(self.blocks(self.stem(images)).mean((2, 3)))


class Recurrent(nn.Module):
    def __init__(self):
        super(Recurrent, self).__init__()
        self.embed = nn.Embedding(50, 16)
        self.lstm = nn.LSTM(16, 32, 2, batch_first=True)
        self.head = nn.Linear(32, 10)

    def forward(self, words):
        return self.head(self.lstm(self.embed(words))[0][:, -1])


class Transformer(nn.Module):
    def __init__(self):
        super(Transformer, self).__init__()
        self.embed = nn.Embedding(50, 16)
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 2, 32), 2)
        self.head = nn.Linear(16, 10)

    def forward(self, words):
        return self.head(self.encoder(self.embed(words).transpose(0, 1))[0])


def vgg():
    return nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(inplace=True), nn.Conv2d(8, 8, 3), nn.BatchNorm2d(8),
                         nn.ReLU(inplace=True), nn.MaxPool2d(2), nn.Flatten(), nn.Dropout(0.5), nn.Linear(8 * 14 * 14, 10))


def images(batch=4):
    return torch.randn(batch, 3, 32, 32)


def words(batch=4):
    return torch.randint(0, 50, (batch, 12))


#: name: (makes the model, makes a batch)
MODELS = {"LeNet": (LeNet, images), "VGG": (vgg, images), "ResNet": (ResNet, images), "LSTM": (Recurrent, words),
          "Transformer": (Transformer, words)}


def train(model, inputs, optimizer=None, steps=1, batches=None):
    """Trains on one batch over and over, or on `batches`; returns the losses."""
    criterion, losses = nn.CrossEntropyLoss(), []
    for batch in batches if batches is not None else [inputs] * steps:
        loss = criterion(model(batch), torch.arange(batch.shape[0]) % 10)
        if optimizer is not None:
            optimizer.zero_grad()
        loss.backward()
        if optimizer is not None:
            optimizer.step()
        losses.append(loss.item())
    return losses
