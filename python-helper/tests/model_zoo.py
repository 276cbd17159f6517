"""Small models of the common kinds; needs PyTorch."""
import torch
from torch import nn
from torch.nn import functional


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


class Attention(nn.Module):
    """As in models of transformers: projections by their usual names, weights of words × words."""

    def __init__(self, width, heads):
        super(Attention, self).__init__()
        self.heads = heads
        self.q_proj, self.k_proj = nn.Linear(width, width), nn.Linear(width, width)
        self.v_proj, self.o_proj = nn.Linear(width, width), nn.Linear(width, width)

    def forward(self, value):
        batch, words, width = value.shape
        query, key, values = (project(value).view(batch, words, self.heads, -1).transpose(1, 2)
                              for project in (self.q_proj, self.k_proj, self.v_proj))
        weights = torch.softmax(query @ key.transpose(-2, -1) * (width // self.heads) ** -0.5, -1)
        return self.o_proj((weights @ values).transpose(1, 2).reshape(batch, words, width))


class Decoder(nn.Module):
    def __init__(self, width, heads):
        super(Decoder, self).__init__()
        self.norm1, self.attention = nn.LayerNorm(width), Attention(width, heads)
        self.norm2, self.up, self.down = nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, value):
        value = value + self.attention(self.norm1(value))
        return value + self.down(functional.gelu(self.up(self.norm2(value))))


class CausalTransformer(nn.Module):
    def __init__(self, words=50, width=16, heads=2, layers=2):
        super(CausalTransformer, self).__init__()
        self.embed = nn.Embedding(words, width)
        self.layers = nn.ModuleList([Decoder(width, heads) for _ in range(layers)])
        self.norm, self.lm_head = nn.LayerNorm(width), nn.Linear(width, words, bias=False)

    def forward(self, words):
        value = self.embed(words)
        for layer in self.layers:
            value = layer(value)
        return self.lm_head(self.norm(value))


class LoraLinear(nn.Module):
    """Written out in the shape of PEFT's: a frozen base layer, and an adapter by name."""

    def __init__(self, base_layer, rank, alpha=None, name="default"):
        super(LoraLinear, self).__init__()
        self.base_layer = base_layer
        down = nn.Linear(base_layer.in_features, rank, bias=False)
        up = nn.Linear(rank, base_layer.out_features, bias=False)
        nn.init.zeros_(up.weight)
        self.lora_A, self.lora_B = nn.ModuleDict({name: down}), nn.ModuleDict({name: up})
        self.r, self.scaling = {name: rank}, {name: (alpha or 2 * rank) / float(rank)}

    def forward(self, value):
        result = self.base_layer(value)
        for name in self.lora_A:
            result = result + self.lora_B[name](self.lora_A[name](value)) * self.scaling[name]
        return result


def add_lora(model, rank, names=("q_proj", "v_proj")):
    """Freezes all of it, and puts adapters around the layers of these names."""
    for parameter in model.parameters():
        parameter.requires_grad_(False)
    for module in list(model.modules()):
        for name in names:
            if name in module._modules:
                setattr(module, name, LoraLinear(module._modules[name], rank))


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


def train_words(model, words, optimizer, steps=1):
    """A language model's step: each word from those before it."""
    for _ in range(steps):
        logits = model(words)
        optimizer.zero_grad()
        functional.cross_entropy(logits.reshape(-1, logits.shape[-1]), words.reshape(-1)).backward()
        optimizer.step()
