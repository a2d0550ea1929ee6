"""Optimizers as functions of weights, gradients and a state, for NumPy, JAX and HIPS autograd."""

from dataclasses import dataclass


@dataclass(frozen=True)
class SGD:
    """Gradient descent as a function of weights, gradients and state (there is none)."""

    rate: float

    def start(self, weights):
        """The state before the first step."""
        return []

    def __call__(self, np, weights, gradients, state):
        """The weights and the state after a step."""
        return [w - self.rate * g for w, g in zip(weights, gradients, strict=True)], state


@dataclass(frozen=True)
class Adam:
    """Adam (Kingma and Ba, 2015) as a function of weights, gradients and state, with PyTorch's defaults."""

    rate: float

    def start(self, weights):
        """The state before the first step: its number, the first and the second moments."""
        return [0.0, [0 * w for w in weights], [0 * w for w in weights]]

    def __call__(self, np, weights, gradients, state):
        """The weights and the state after a step."""
        number, first, second = state[0] + 1, state[1], state[2]
        first = [0.9 * m + 0.1 * g for m, g in zip(first, gradients, strict=True)]
        second = [0.999 * v + 0.001 * g * g for v, g in zip(second, gradients, strict=True)]
        size, scale = self.rate / (1 - 0.9**number), (1 - 0.999**number) ** 0.5
        moments = zip(weights, first, second, strict=True)
        return [w - size * m / (np.sqrt(v) / scale + 1e-8) for w, m, v in moments], [number, first, second]
