"""The convolutions and poolings whose numbers are recorded from PyTorch, and how PyTorch computes them."""

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

Size = tuple[int, ...]
Arrays = dict[str, np.ndarray]


def waves(shape: Size, dtype: str, phase: float) -> np.ndarray:
    """Numbers in (-1, 1) without a pattern, the same on every machine."""
    angles = phase + np.arange(prod(shape)) * 1.7
    values = np.sin(angles) + 1j * np.cos(2 * angles) if dtype.startswith("complex") else np.sin(angles)
    return values.reshape(shape).astype(dtype)


@dataclass(frozen=True)
class Convolution:
    input: Size
    weight: Size
    stride: Size
    padding: Size
    dilation: Size
    groups: int = 1
    dtype: str = "float64"

    @property
    def settings(self) -> tuple[Size, Size, Size, int]:
        return self.stride, self.padding, self.dilation, self.groups

    def operands(self, places: Size) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The input, the weight and the cotangent."""
        output = (self.input[0], self.weight[0], *places)
        return tuple(waves(s, self.dtype, i) for i, s in enumerate((self.input, self.weight, output)))

    def places(self) -> Size:
        return tuple(
            (n + 2 * p - d * (k - 1) - 1) // s + 1
            for n, k, s, p, d in zip(
                self.input[2:], self.weight[2:], self.stride, self.padding, self.dilation, strict=True
            )
        )

    def by_torch(self, torch: Any) -> Arrays:
        x, w, g = (torch.from_numpy(a) for a in self.operands(self.places()))
        x, w = x.requires_grad_(), w.requires_grad_()
        dims = len(self.stride)
        y = getattr(torch.nn.functional, f"conv{dims}d")(x, w, None, *self.settings)
        # PyTorch's gradients conjugate, and ours do not: conjugating the cotangent and the result undoes it.
        dx, dw = torch.autograd.grad(y, (x, w), g.conj())
        return {
            "output": y.detach().numpy(),
            "input": dx.conj().resolve_conj().numpy(),
            "weight": dw.conj().resolve_conj().numpy(),
        }


CONVOLUTIONS = {
    "line": Convolution((2, 3, 11), (4, 3, 3), (2,), (1,), (1,)),
    "line-dilated-groups": Convolution((3, 4, 12), (6, 2, 3), (1,), (2,), (3,), 2),
    "line-same": Convolution((2, 3, 9), (4, 3, 3), (1,), (2,), (2,)),
    "plane": Convolution((2, 3, 7, 6), (4, 3, 3, 2), (1, 1), (0, 0), (1, 1)),
    "plane-all-different": Convolution((1, 2, 9, 8), (3, 2, 3, 2), (2, 3), (2, 1), (2, 1)),
    "plane-depthwise": Convolution((2, 3, 6, 6), (6, 1, 3, 3), (1, 1), (1, 1), (1, 1), 3),
    "plane-same": Convolution((9, 2, 5, 4), (4, 1, 3, 3), (1, 1), (0, 1), (1, 1), 2),
    "plane-large-batch": Convolution((9, 2, 5, 5), (3, 2, 3, 3), (2, 2), (1, 1), (1, 1)),
    "plane-float32": Convolution((9, 2, 5, 5), (12, 2, 2, 2), (1, 1), (1, 1), (1, 1), 1, "float32"),
    "plane-complex": Convolution((2, 2, 5, 4), (2, 2, 2, 2), (1, 2), (1, 0), (1, 1), 1, "complex128"),
    "pointwise": Convolution((9, 4, 3, 3), (2, 4, 1, 1), (1, 1), (0, 0), (1, 1)),
    "space": Convolution((2, 2, 4, 5, 4), (2, 2, 2, 3, 2), (1, 2, 1), (1, 1, 0), (1, 1, 2)),
}


@dataclass(frozen=True)
class Pooling:
    input: Size
    kernel: Size
    stride: Size
    padding: Size
    dilation: Size
    ceil_mode: bool = False
    include_pad: bool = True
    divisor: int | None = None
    nan: bool = False

    @property
    def values(self) -> np.ndarray:
        """The input, rounded so that there are many equal maxima, with some NaN where the case says so."""
        x = np.round(waves(self.input, "float64", 0) * 2) / 2
        return np.where(waves(self.input, "float64", 1) > 0.8, np.nan, x) if self.nan else x

    def by_torch(self, torch: Any) -> Arrays:
        dims = len(self.kernel)
        x = torch.from_numpy(self.values).requires_grad_()
        window = (self.kernel, self.stride, self.padding)
        max_pool = getattr(torch.nn.functional, f"max_pool{dims}d")
        largest, indices = max_pool(x, *window, self.dilation, self.ceil_mode, return_indices=True)
        (scattered,) = torch.autograd.grad(largest.sum(), x)
        result = {
            "largest": largest.detach().numpy(),
            "indices": indices.numpy(),
            "scattered": scattered.numpy(),
        }
        if set(self.dilation) == {1}:
            divisor = (self.divisor,) if dims > 1 else ()
            avg_pool = getattr(torch.nn.functional, f"avg_pool{dims}d")
            mean = avg_pool(x, *window, self.ceil_mode, self.include_pad, *divisor)
            (spread,) = torch.autograd.grad(mean.sum(), x)
            result |= {"mean": mean.detach().numpy(), "spread": spread.numpy()}
        return result


POOLINGS = {
    "line": Pooling((2, 3, 10), (3,), (2,), (1,), (1,)),
    "line-ceil": Pooling((1, 2, 10), (4,), (3,), (2,), (1,), True, False),
    "plane": Pooling((2, 2, 6, 6), (2, 2), (2, 2), (0, 0), (1, 1)),
    "plane-overlapping": Pooling((9, 2, 7, 6), (3, 2), (2, 1), (1, 1), (1, 1), False, False),
    "plane-ceil": Pooling((1, 2, 7, 8), (3, 3), (2, 3), (1, 0), (1, 1), True, True),
    "plane-divisor": Pooling((2, 1, 6, 5), (3, 2), (1, 2), (1, 1), (1, 1), True, True, 5),
    "plane-dilated": Pooling((9, 1, 9, 8), (3, 2), (1, 2), (1, 1), (2, 3)),
    "plane-nan": Pooling((2, 2, 7, 7), (3, 3), (1, 2), (1, 1), (1, 1), nan=True),
    "space": Pooling((2, 2, 5, 4, 6), (2, 2, 3), (2, 1, 2), (1, 0, 1), (1, 1, 1), True, False),
}
