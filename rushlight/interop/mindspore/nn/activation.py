"""Activations, and other layers without weights, as cells."""

from collections.abc import Callable
from typing import Any

from rushlight.interop.mindspore import ops
from rushlight.interop.mindspore.common.initializer import initializer
from rushlight.interop.mindspore.common.parameter import Parameter
from rushlight.interop.mindspore.common.tensor import Tensor
from rushlight.interop.mindspore.nn.cell import Cell
from rushlight.interop.mindspore.ops.functional.pooling import average_pooled, max_pooled

__all__ = [
    "ELU",
    "GELU",
    "AvgPool2d",
    "Dropout",
    "Flatten",
    "HSigmoid",
    "HSwish",
    "Identity",
    "LeakyReLU",
    "LogSigmoid",
    "LogSoftmax",
    "MaxPool2d",
    "Mish",
    "PReLU",
    "ReLU",
    "ReLU6",
    "SeLU",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softplus",
    "Softsign",
    "Tanh",
    "get_activation",
]


def cell_of(name: str, function: Callable[..., Any]) -> type[Cell]:
    """Makes a cell class that applies a function."""
    doc = f"`ops.{function.__name__}` as a cell."
    members = {"__doc__": doc, "__module__": __name__, "construct": lambda self, x: function(x)}
    return type(name, (Cell,), members)


HSigmoid: type[Cell] = cell_of("HSigmoid", ops.hardsigmoid)
HSwish: type[Cell] = cell_of("HSwish", ops.hardswish)
LogSigmoid: type[Cell] = cell_of("LogSigmoid", ops.logsigmoid)
Mish: type[Cell] = cell_of("Mish", ops.mish)
ReLU: type[Cell] = cell_of("ReLU", ops.relu)
ReLU6: type[Cell] = cell_of("ReLU6", ops.relu6)
SeLU: type[Cell] = cell_of("SeLU", ops.selu)
SiLU: type[Cell] = cell_of("SiLU", ops.silu)
Sigmoid: type[Cell] = cell_of("Sigmoid", ops.sigmoid)
Softplus: type[Cell] = cell_of("Softplus", ops.softplus)
Softsign: type[Cell] = cell_of("Softsign", ops.softsign)
Tanh: type[Cell] = cell_of("Tanh", ops.tanh)


class Identity(Cell):
    """Returns its input."""

    def construct(self, x: Any) -> Any:
        """Returns the input."""
        return x


class LeakyReLU(Cell):
    """x where it is positive, else alpha * x."""

    def __init__(self, alpha: float = 0.2):
        super().__init__()
        self.alpha = alpha

    def construct(self, x: Tensor) -> Tensor:
        """x where it is positive, else alpha * x; the shape of x."""
        return ops.leaky_relu(x, self.alpha)


class ELU(Cell):
    """x where it is positive, else alpha (eˣ - 1)."""

    def __init__(self, alpha: float = 1.0):
        super().__init__()
        self.alpha = alpha

    def construct(self, x: Tensor) -> Tensor:
        """x where it is positive, else alpha (eˣ - 1); the shape of x."""
        return ops.elu(x, self.alpha)


class GELU(Cell):
    """x Φ(x), by default approximated with tanh."""

    def __init__(self, approximate: bool = True):
        super().__init__()
        self.approximate = approximate

    def construct(self, x: Tensor) -> Tensor:
        """x Φ(x) of each element, or its approximation by tanh."""
        return ops.gelu(x, "tanh" if self.approximate else "none")


class PReLU(Cell):
    """x where it is positive, else x times a weight, which is one for all or one for each channel."""

    def __init__(self, channel: int = 1, w: Any = 0.25):
        super().__init__()
        self.w: Parameter = Parameter(initializer(w, (channel,)), name="a")

    def construct(self, x: Tensor) -> Tensor:
        """x where it is positive, else x times the weight of its channel."""
        return ops.prelu(x, self.w)


class Softmax(Cell):
    """`ops.softmax` along an axis."""

    def __init__(self, axis: int = -1):
        super().__init__()
        self.axis = axis

    def construct(self, x: Tensor) -> Tensor:
        """Positive numbers that sum to 1 along the cell's axis."""
        return ops.softmax(x, self.axis)


class LogSoftmax(Softmax):
    """`ops.log_softmax` along an axis."""

    def construct(self, x: Tensor) -> Tensor:
        """The logarithm of the softmax along the cell's axis."""
        return ops.log_softmax(x, self.axis)


class Flatten(Cell):
    """Flattens the dimensions from `start_dim` to `end_dim`.

    >>> import rushlight.interop.mindspore as ms
    >>> ms.nn.Flatten()(ms.ops.ones((2, 3, 4))).shape
    (2, 12)
    """

    start_dim: int
    end_dim: int

    def __init__(self, start_dim: int = 1, end_dim: int = -1):
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def construct(self, x: Tensor) -> Tensor:
        """The same elements with fewer dimensions."""
        return ops.flatten(x, start_dim=self.start_dim, end_dim=self.end_dim)


class Dropout(Cell):
    """In training, sets elements to zero with probability `p`, and divides the others by 1 - p.

    The old `keep_prob`, 1 - p, is the first parameter. ValueError for a probability outside [0, 1), and for both.
    """

    def __init__(self, keep_prob: float | None = None, p: float | None = None):
        super().__init__()
        if keep_prob is not None and p is not None:
            raise ValueError("For 'Dropout', give 'p' alone; 'keep_prob' is the old name of 1 - p.")
        self.p: float = 1 - keep_prob if keep_prob is not None else 0.5 if p is None else p
        if not 0 <= self.p < 1:
            raise ValueError(f"For 'Dropout', the 'p' must be a number in range [0, 1), but got {self.p}.")

    def construct(self, x: Tensor) -> Tensor:
        """x with random zeros in training, else x."""
        return ops.dropout(x, self.p, self.training)

    def extend_repr(self) -> str:
        """The probability."""
        return f"p={self.p}"


class Pool(Cell):
    """The base of pooling over images (N, C, H, W), with `pad_mode` "valid" or "same"."""

    kernel_size: Any
    strides: Any
    pad_mode: str

    def __init__(self, kernel_size: Any = 1, stride: Any = 1, pad_mode: str = "valid"):
        super().__init__()
        if pad_mode.lower() not in ("valid", "same"):
            raise NotImplementedError(
                f"{type(self).__name__}: rushlight serves the 'pad_mode' 'valid' and 'same', not {pad_mode!r}."
            )
        self.kernel_size, self.strides, self.pad_mode = kernel_size, stride, pad_mode

    def extend_repr(self) -> str:
        """Kernel size, stride and padding mode, as `repr` shows them."""
        return f"kernel_size={self.kernel_size}, stride={self.strides}, pad_mode={self.pad_mode}"


class MaxPool2d(Pool):
    """The largest value of each window."""

    construct = max_pooled


class AvgPool2d(Pool):
    """The mean of each window."""

    construct = average_pooled


ACTIVATIONS = (
    ELU,
    GELU,
    HSigmoid,
    HSwish,
    LeakyReLU,
    LogSigmoid,
    LogSoftmax,
    Mish,
    PReLU,
    ReLU,
    ReLU6,
    SeLU,
    SiLU,
    Sigmoid,
    Softmax,
    Tanh,
)
BY_NAME = {cell.__name__.lower(): cell for cell in ACTIVATIONS}


def get_activation(name: Any) -> Any:
    """The activation for a name; cells, operators and None are returned as they are. KeyError for an unknown name."""
    if not isinstance(name, str):
        return name
    if name not in BY_NAME:
        raise KeyError(f"For 'get_activation', the 'name' must be in {list(BY_NAME)}, but got {name}.")
    return BY_NAME[name]()
