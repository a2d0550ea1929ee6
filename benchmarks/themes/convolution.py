"""A training step of a convolutional network on 28×28 digits; and a single convolution.

By hand, convolutions are products with the windows of the images laid out as columns, the samples innermost in memory.
HIPS autograd has no convolution that such a network could be trained with.
"""

from functools import partial

import numpy as np

from benchmarks.forms import as_is, gradient_in_torch, load, training_by_hand, training_in_jax, with_torch
from benchmarks.updates import SGD
from benchmarks.workload import Workload, linear_weights, normal, uniform

UPDATE = SGD(0.01)
EPSILON = 1e-5


def filters(generator, out, into, size):
    """The weight and the bias of a convolution."""
    return [uniform(generator, *shape, over=size * into**0.5) for shape in ((out, into, size, size), (out,))]


def data(channels, batch):
    """Images and labels; the weights of the network in its order."""
    generator = np.random.default_rng(0)
    images, labels = generator.random((batch, 1, 28, 28), np.float32), generator.integers(0, 10, batch)
    norms = [[np.ones(channels * n, np.float32), np.zeros(channels * n, np.float32)] for n in (2, 4)]
    weights = [
        *filters(generator, channels, 1, 3),
        *filters(generator, channels * 2, channels, 3),
        *norms[0],
        *filters(generator, channels * 4, channels * 2, 4),
        *norms[1],
        *linear_weights(generator, channels * 4 * 16, 10),
    ]
    return [images, labels], weights


def network(torch, channels):
    """The network of the reference document."""
    nn = torch.nn
    return nn.Sequential(
        nn.Conv2d(1, channels, 3, stride=3, padding=1),
        nn.Sequential(nn.Conv2d(channels, channels * 2, 3), nn.BatchNorm2d(channels * 2), nn.ReLU()),
        nn.Sequential(
            nn.Conv2d(channels * 2, channels * 4, 4, stride=2, padding=1),
            nn.BatchNorm2d(channels * 4),
            nn.ReLU(),
            nn.Flatten(),
        ),
        nn.Linear(channels * 4 * 16, 10),
    )


def training_step(torch, inputs, weights, compile=as_is):
    """A step of the network with a manual update."""
    model = load(network(torch, len(weights[0])), torch, weights)
    images, labels = (torch.tensor(array) for array in inputs)
    compiled = compile(lambda images, labels: torch.nn.functional.cross_entropy(model(images), labels))
    parameters = list(model.parameters())

    def step():
        loss = compiled(images, labels)
        gradients = torch.autograd.grad(loss, parameters)
        with torch.no_grad():
            for parameter, cotangent in zip(parameters, gradients, strict=True):
                parameter -= UPDATE.rate * cotangent
        return loss, *parameters

    return step


def loss_in_jax(jax, weights, images, labels):
    """The loss in JAX."""
    w1, b1, w2, b2, g2, s2, w3, b3, g3, s3, w4, b4 = weights

    def convolution(x, w, b, stride, padding):
        return jax.lax.conv_general_dilated(x, w, (stride, stride), [(padding, padding)] * 2) + b[:, None, None]

    def normalized(x, g, s):
        mean, variance = x.mean((0, 2, 3), keepdims=True), x.var((0, 2, 3), keepdims=True)
        return (x - mean) * jax.lax.rsqrt(variance + EPSILON) * g[:, None, None] + s[:, None, None]

    x = convolution(images, w1, b1, 3, 1)
    x = jax.nn.relu(normalized(convolution(x, w2, b2, 1, 0), g2, s2))
    x = jax.nn.relu(normalized(convolution(x, w3, b3, 2, 1), g3, s3))
    scores = jax.nn.log_softmax(x.reshape(len(x), -1) @ w4.T + b4)
    return -jax.numpy.take_along_axis(scores, labels[:, None], 1).mean()


def convolve(x, w, b, stride, padding):
    """A convolution of images (channels, rows, columns, samples), and the function from its cotangent to the others."""
    out, into, size, _ = w.shape
    if padding:
        x = np.pad(x, ((0, 0), (padding, padding), (padding, padding), (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(x, (size, size), (1, 2))[:, ::stride, ::stride]
    rows, columns, samples = windows.shape[1:4]
    windows = windows.transpose(0, 4, 5, 1, 2, 3).reshape(into * size * size, -1)
    y = w.reshape(out, -1) @ windows
    y += b[:, None]

    def back(dy, needs_dx=True):
        dy = dy.reshape(out, -1)
        dw, db = (dy @ windows.T).reshape(w.shape), dy.sum(1)
        if not needs_dx:
            return dw, db
        dwindows = (w.reshape(out, -1).T @ dy).reshape(into, size, size, rows, columns, samples)
        dx = np.zeros_like(x)
        for i, j in np.ndindex(size, size):
            dx[:, i : i + stride * rows : stride, j : j + stride * columns : stride] += dwindows[:, i, j]
        return dx[:, padding : x.shape[1] - padding, padding : x.shape[2] - padding], dw, db

    return y.reshape(out, rows, columns, samples), back


def normalize(x, g, s):
    """Batch normalization of such images with ReLU after it, and the function from its cotangent to the others."""
    flat = x.reshape(len(x), -1)
    x_hat = flat - flat.mean(1, keepdims=True)
    deviation = np.sqrt((x_hat * x_hat).mean(1, keepdims=True) + EPSILON)
    x_hat /= deviation
    y = np.maximum(x_hat * g[:, None] + s[:, None], 0)

    def back(dy):
        dy = dy.reshape(flat.shape) * (y > 0)
        dg, ds = (dy * x_hat).sum(1), dy.sum(1)
        dx = (dy - (ds / dy.shape[1])[:, None] - x_hat * (dg / dy.shape[1])[:, None]) * (g[:, None] / deviation)
        return dx, dg, ds

    return y.reshape(x.shape), back


def differentiate(weights, images, labels):
    """The loss and its gradients by hand."""
    w1, b1, w2, b2, g2, s2, w3, b3, g3, s3, w4, b4 = weights
    x, back1 = convolve(images.transpose(1, 2, 3, 0), w1, b1, 3, 1)
    x, back2 = convolve(x, w2, b2, 1, 0)
    x, norm_back2 = normalize(x, g2, s2)
    x, back3 = convolve(x, w3, b3, 2, 1)
    x, norm_back3 = normalize(x, g3, s3)
    flat, samples = x.reshape(-1, len(images)), np.arange(len(images))
    scores = w4 @ flat + b4[:, None]
    scores -= scores.max(0)
    powers = np.exp(scores)
    sums = powers.sum(0)
    loss = (np.log(sums) - scores[labels, samples]).mean()
    dscores = powers / sums
    dscores[labels, samples] -= 1
    dscores /= len(images)
    dx, dg3, ds3 = norm_back3(w4.T @ dscores)
    dx, dw3, db3 = back3(dx)
    dx, dg2, ds2 = norm_back2(dx)
    dx, dw2, db2 = back2(dx)
    first = back1(dx, needs_dx=False)
    return loss, *first, dw2, db2, dg2, ds2, dw3, db3, dg3, ds3, dscores @ flat.T, dscores.sum(1)


FORMS = {
    **with_torch(training_step),
    "jax": partial(training_in_jax, loss_in_jax, UPDATE),
    "numpy": training_by_hand(differentiate, UPDATE),
}


def reference_network(channels, batch, bound=None):
    """The workload, of any number of channels and samples."""
    name = f"reference network, {channels} channels, batch {batch}, step"
    return Workload(name, FORMS, partial(data, channels, batch), bound=bound)


def layer_data(size):
    """32 images with 8 channels, and the weights of a convolution to 16, all differentiated."""
    generator = np.random.default_rng(0)
    return [], [normal(generator, 32, 8, size, size), *filters(generator, 16, 8, 3)]


def layer_loss(torch, weights):
    """The sum of squares of a 3×3 convolution."""
    return torch.nn.functional.conv2d(*weights, padding=1).pow(2).sum()


def layer(size):
    """One convolution of images of any size, with backward."""
    return Workload(
        f"convolution of {size}×{size} images",
        with_torch(partial(gradient_in_torch, layer_loss)),
        partial(layer_data, size),
    )


WORKLOADS = [
    reference_network(5, 300, 0.7),
    reference_network(5, 50),
    reference_network(32, 300, 0.9),
    reference_network(16, 64, 0.9),
]
