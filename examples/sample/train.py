"""A small training run, made to be the first one that you profile.

Right-click here and choose "Profile on Jetson". It needs Python 3.6 or newer and
nothing else, and takes a few seconds and at most about 90 MiB. What to expect stands
at the end of each line that takes or gives back memory: compare it with the figure
that appears beside the line.
"""
from array import array

IMAGES = 512
TRAINING = 384
PIXELS = 128 * 128
UNITS = 2048
EPOCHS = 5


def load_images():
    # One 4-byte float for each pixel: 512 * 128 * 128 * 4 bytes.
    images = array("f", [0.5]) * (IMAGES * PIXELS)  # +32.0 MiB
    for index in range(IMAGES):
        images[index * PIXELS] = index / IMAGES
    return images


def brightest(images):
    # A copy of three quarters, which lives only in here: the line that calls this holds
    # it for a moment.
    part = images[: TRAINING * PIXELS]  # +24.0 MiB
    found = max(part[index * PIXELS] for index in range(TRAINING))
    del part  # -24.0 MiB
    return found


def forward(images, weight):
    # The outputs of a layer: 512 * 2048 * 4 bytes, new ones in each epoch.
    outputs = array("f", [0.0]) * (IMAGES * UNITS)  # +20.0 MiB
    for index in range(IMAGES):
        outputs[index * UNITS] = weight * images[index * PIXELS]
    return outputs


def loss_and_slope(images, outputs):
    """The network is to learn that each image's label is twice its first pixel."""
    loss = slope = 0.0
    for index in range(IMAGES):
        pixel = images[index * PIXELS]
        error = outputs[index * UNITS] - 2 * pixel
        loss += error * error / IMAGES
        slope += 2 * error * pixel / IMAGES
    return loss, slope


def main():
    images = load_images()  # +32.0 MiB
    scale = brightest(images)  # peak +24.0 MiB
    weight = 0.0
    history = []
    for epoch in range(EPOCHS):
        outputs = forward(images, weight)  # +20.0 MiB
        loss, slope = loss_and_slope(images, outputs)
        weight -= slope / scale
        # Why forward() takes 4 MiB more in each epoch: this list keeps all outputs.
        # Take it out, profile again, and compare the two runs.
        history.append(outputs)
        print("epoch %d  loss %.4f" % (epoch + 1, loss), flush=True)
    print("learned %.2f, to be 2.00" % weight, flush=True)


if __name__ == "__main__":
    main()
