"""A transformer block with backward: 64 tokens, width 64, 4 heads."""

from functools import partial

import numpy as np

from benchmarks.forms import as_is, gradient_by_hand, gradient_forms, load, with_torch
from benchmarks.workload import Workload, linear_weights, normal

TOKENS, WIDTH, HEADS = 64, 64, 4
SPLIT = (-1, TOKENS, 3, HEADS, WIDTH // HEADS)
SCALE = (WIDTH // HEADS) ** -0.5
EPSILON = 1e-5


def data(batch):
    """The tokens; weights and biases of four linear layers and two normalizations."""
    generator = np.random.default_rng(0)
    shapes = ((WIDTH, 3 * WIDTH), (WIDTH, WIDTH), (WIDTH, 4 * WIDTH), (4 * WIDTH, WIDTH))
    linear = [weight for shape in shapes for weight in linear_weights(generator, *shape)]
    norms = [np.ones(WIDTH, np.float32), np.zeros(WIDTH, np.float32)] * 2
    return [normal(generator, batch, TOKENS, WIDTH)], linear + norms


def with_modules(torch, inputs, weights, compile=as_is):
    """The block of PyTorch's modules."""
    nn, x = torch.nn, torch.tensor(inputs[0])
    linear = [nn.Linear(*reversed(weight.shape)) for weight in weights[:8:2]]
    model = load(nn.ModuleList([*linear, nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)]), torch, weights)
    project, merge, wide, narrow, first, second = model

    def loss(x):
        q, k, v = project(first(x)).reshape(SPLIT).permute(2, 0, 3, 1, 4)
        attention = torch.softmax(q @ k.transpose(-1, -2) * SCALE, -1)
        x = x + merge((attention @ v).transpose(1, 2).reshape(x.shape))
        return (x + narrow(nn.functional.gelu(wide(second(x))))).pow(2).mean()

    compiled = compile(loss)

    def step():
        model.zero_grad()
        value = compiled(x)
        value.backward()
        return value, *(parameter.grad for parameter in model.parameters())

    return step


def normalized(np, x):
    """x with mean 0 and variance 1 in its last dimension, and what it was divided by."""
    centred = x - np.mean(x, -1, keepdims=True)
    deviation = np.sqrt(np.mean(centred * centred, -1, keepdims=True) + EPSILON)
    return centred / deviation, deviation


def softmax(library, scores):
    """The softmax over the last dimension, by the library's own where it has one."""
    if hasattr(library, "nn"):
        return library.nn.softmax(scores)
    powers = library.numpy.exp(scores - library.numpy.max(scores, -1, keepdims=True))
    return powers / library.numpy.sum(powers, -1, keepdims=True)


def gelu(library, x):
    """x times the normal distribution function at x."""
    return 0.5 * x * (1 + library.scipy.special.erf(x / 2**0.5))


def loss(library, weights, x):
    """The block in NumPy's operations."""
    np = library.numpy
    wp, bp, wm, bm, ww, bw, wn, bn, g1, b1, g2, b2 = weights
    heads = ((normalized(np, x)[0] * g1 + b1) @ wp.T + bp).reshape(SPLIT)
    q, k, v = np.transpose(heads, (2, 0, 3, 1, 4))
    attention = softmax(library, q @ np.swapaxes(k, -1, -2) * SCALE)
    x = x + np.swapaxes(attention @ v, 1, 2).reshape(x.shape) @ wm.T + bm
    return np.mean((x + gelu(library, (normalized(np, x)[0] * g2 + b2) @ ww.T + bw) @ wn.T + bn) ** 2)


def linear_cotangents(dy, x, w):
    """The cotangents of a linear layer's input, weight and bias."""
    rows = dy.reshape(-1, dy.shape[-1])
    return dy @ w, rows.T @ x.reshape(-1, x.shape[-1]), rows.sum(0)


def norm_cotangents(dy, x, deviation, g):
    """The cotangents of a normalization's input, scale and shift, where x is normalized."""
    dx = dy * g
    dx = dx - dx.mean(-1, keepdims=True) - x * (dx * x).mean(-1, keepdims=True)
    return dx / deviation, (dy * x).sum((0, 1)), dy.sum((0, 1))


def attend(projected):
    """The attention of all heads side by side, and the function from its cotangent to its input's."""
    q, k, v = projected.reshape(SPLIT).transpose(2, 0, 3, 1, 4)
    scores = q @ k.swapaxes(-1, -2) * SCALE
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    attention = powers / powers.sum(-1, keepdims=True)

    def back(dy):
        dy = dy.reshape(-1, TOKENS, HEADS, WIDTH // HEADS).swapaxes(1, 2)
        da = dy @ v.swapaxes(-1, -2)
        ds = attention * (da - (da * attention).sum(-1, keepdims=True)) * SCALE
        heads = np.stack((ds @ k, ds.swapaxes(-1, -2) @ q, attention.swapaxes(-1, -2) @ dy))
        return heads.transpose(1, 3, 0, 2, 4).reshape(projected.shape)

    return (attention @ v).swapaxes(1, 2).reshape(-1, TOKENS, WIDTH), back


def differentiate(weights, x):
    """The loss and its gradients by hand."""
    from scipy.special import erf

    wp, bp, wm, bm, ww, bw, wn, bn, g1, b1, g2, b2 = weights
    n1, _ = normalized(np, x)
    s1 = n1 * g1 + b1
    attended, attend_back = attend(s1 @ wp.T + bp)
    middle = x + attended @ wm.T + bm
    n2, d2 = normalized(np, middle)
    s2 = n2 * g2 + b2
    wide = s2 @ ww.T + bw
    below = 0.5 * (1 + erf(wide / 2**0.5))
    active = wide * below
    y = middle + active @ wn.T + bn
    dy = 2 / y.size * y
    dactive, dwn, dbn = linear_cotangents(dy, active, wn)
    dwide = dactive * (below + wide * np.exp(-0.5 * wide * wide) / (2 * np.pi) ** 0.5)
    ds2, dww, dbw = linear_cotangents(dwide, s2, ww)
    dmiddle, dg2, db2 = norm_cotangents(ds2, n2, d2, g2)
    dattended, dwm, dbm = linear_cotangents(dy + dmiddle, attended, wm)
    ds1, dwp, dbp = linear_cotangents(attend_back(dattended), s1, wp)
    return (y * y).mean(), dwp, dbp, dwm, dbm, dww, dbw, dwn, dbn, (ds1 * n1).sum((0, 1)), ds1.sum((0, 1)), dg2, db2


FORMS = {**with_torch(with_modules), **gradient_forms(loss), "numpy": partial(gradient_by_hand, differentiate)}


def transformer_block(batch=4, bound=0.7):
    """The workload, of any batch size."""
    name = f"transformer block, batch {batch}, 64 tokens, width 64, backward"
    return Workload(name, FORMS, partial(data, batch), bound=bound)


WORKLOADS = [transformer_block()]
