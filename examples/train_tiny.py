"""A real, small training run with nothing but the standard library.

A two-layer network learns whether a point lies inside a circle. The data set, the layers and the
history are lists and arrays of known size, so the profile shows which line took what.
"""
import argparse
import math
import random
from array import array


class Layer:
    """A dense layer with weights of shape (outputs, inputs) and its last input kept for backward."""

    def __init__(self, inputs, outputs, rng):
        scale = 1.0 / math.sqrt(inputs)
        self.weights = [array("d", (rng.gauss(0.0, scale) for _ in range(inputs))) for _ in range(outputs)]
        self.bias = array("d", bytes(8 * outputs))
        self.last_input = None

    def forward(self, x):
        self.last_input = x
        return [sum(w * v for w, v in zip(row, x)) + b for row, b in zip(self.weights, self.bias)]

    def backward(self, gradient, rate):
        x = self.last_input
        back = [sum(row[i] * g for row, g in zip(self.weights, gradient)) for i in range(len(x))]
        for row, g in zip(self.weights, gradient):
            for i, v in enumerate(x):
                row[i] -= rate * g * v
        for i, g in enumerate(gradient):
            self.bias[i] -= rate * g
        return back


class Network:
    def __init__(self, hidden, rng):
        self.first = Layer(2, hidden, rng)
        self.second = Layer(hidden, 1, rng)
        self.hidden = None

    def forward(self, x):
        self.hidden = [math.tanh(v) for v in self.first.forward(x)]
        return 1.0 / (1.0 + math.exp(-self.second.forward(self.hidden)[0]))

    def train(self, x, target, rate):
        output = self.forward(x)
        back = self.second.backward([output - target], rate)
        self.first.backward([g * (1.0 - h * h) for g, h in zip(back, self.hidden)], rate)
        return -math.log(max(output if target else 1.0 - output, 1e-12))


def make_dataset(samples, rng):
    points = array("d", (rng.uniform(-1.0, 1.0) for _ in range(2 * samples)))
    labels = bytearray(points[2 * i] ** 2 + points[2 * i + 1] ** 2 < 0.5 for i in range(samples))
    return points, labels


def normalise(points):
    # A copy that is given back: it shows as a peak, not as a delta.
    copy = array("d", points)
    mean = sum(copy) / len(copy)
    for i, value in enumerate(copy):
        points[i] = value - mean


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--samples", type=int, default=400000)
    parser.add_argument("--batches", type=int, default=400)
    args = parser.parse_args()

    rng = random.Random(7)
    points, labels = make_dataset(args.samples, rng)
    normalise(points)
    net = Network(hidden=8, rng=rng)
    history = []
    for epoch in range(args.epochs):
        loss = 0.0
        for _ in range(args.batches):
            i = rng.randrange(args.samples)
            loss += net.train(points[2 * i:2 * i + 2], labels[i], rate=0.3)
        history.append(bytearray(4 * 1024 * 1024))  # what a careless "keep everything" log costs
        print("epoch %d  loss %.4f" % (epoch + 1, loss / args.batches), flush=True)


if __name__ == "__main__":
    main()
