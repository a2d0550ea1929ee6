"""Activations as modules, elementwise or along a dimension."""

from rushlight.core.lines import warn
from rushlight.dtypes import dtype as Dtype
from rushlight.nn import functional as F
from rushlight.nn import init
from rushlight.nn.modules.base.making import Device, as_text, uninitialized
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter
from rushlight.tensors import Tensor

__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "GLU",
    "SELU",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "LeakyReLU",
    "LogSigmoid",
    "LogSoftmax",
    "Mish",
    "PReLU",
    "RReLU",
    "ReLU",
    "ReLU6",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softmax2d",
    "Softmin",
    "Softplus",
    "Softshrink",
    "Softsign",
    "Tanh",
    "Tanhshrink",
    "Threshold",
]


class _Pointwise(Module):
    """Base class of elementwise activations that can be computed in place; subclasses list their options."""

    options: tuple[str, ...] = ()
    inplace = False

    def extra_repr(self) -> str:
        """The options, and whether the input is overwritten."""
        parts = [as_text(self, *self.options)] if self.options else []
        return ", ".join(parts + ["inplace=True"] * self.inplace)


class _InPlace(_Pointwise):
    """Base class of elementwise activations whose only option is `inplace`."""

    def __init__(self, inplace: bool = False):
        super().__init__()
        self.inplace = inplace


class ReLU(_InPlace):
    """max(x, 0).

    >>> import rushlight as torch
    >>> torch.nn.ReLU()(torch.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """

    def forward(self, input: Tensor) -> Tensor:
        """max(x, 0) of each element; the shape of `input`."""
        return F.relu(input, self.inplace)


class SiLU(_InPlace):
    """x * sigmoid(x), also called swish.

    >>> import rushlight as torch
    >>> torch.nn.SiLU()(torch.tensor([-1.0, 2.0]))
    tensor([-0.2689,  1.7616])
    """

    def forward(self, input: Tensor) -> Tensor:
        """x * sigmoid(x) of each element; the shape of `input`."""
        return F.silu(input, self.inplace)


class Mish(_InPlace):
    """x * tanh(softplus(x)).

    >>> import rushlight as torch
    >>> torch.nn.Mish()(torch.tensor([-1.0, 2.0]))
    tensor([-0.3034,  1.9440])
    """

    def forward(self, input: Tensor) -> Tensor:
        """x * tanh(softplus(x)) of each element; the shape of `input`."""
        return F.mish(input, self.inplace)


class SELU(_InPlace):
    """scale * elu(x), scaled so that activations keep mean 0 and variance 1.

    Source: G. Klambauer et al., "Self-normalizing neural networks", 2017.

    >>> import rushlight as torch
    >>> torch.nn.SELU()(torch.tensor([-1.0, 2.0]))
    tensor([-1.1113,  2.1014])
    """

    def forward(self, input: Tensor) -> Tensor:
        """scale * elu(x) of each element; the shape of `input`."""
        return F.selu(input, self.inplace)


class Hardsigmoid(_InPlace):
    """clamp(x / 6 + 1 / 2, 0, 1).

    >>> import rushlight as torch
    >>> torch.nn.Hardsigmoid()(torch.tensor([-4.0, 0.0, 1.5]))
    tensor([0.0000, 0.5000, 0.7500])
    """

    def forward(self, input: Tensor) -> Tensor:
        """clamp(x / 6 + 1 / 2, 0, 1) of each element; the shape of `input`."""
        return F.hardsigmoid(input, self.inplace)

    def extra_repr(self) -> str:
        """An empty string, as in PyTorch."""
        return ""


class Hardswish(_InPlace):
    """x * clamp(x / 6 + 1 / 2, 0, 1).

    >>> import rushlight as torch
    >>> torch.nn.Hardswish()(torch.tensor([-4.0, 0.0, 1.5]))
    tensor([-0.0000, 0.0000, 1.1250])
    """

    def forward(self, input: Tensor) -> Tensor:
        """x * clamp(x / 6 + 1 / 2, 0, 1) of each element; the shape of `input`."""
        return F.hardswish(input, self.inplace)

    def extra_repr(self) -> str:
        """An empty string, as in PyTorch."""
        return ""


class Threshold(_Pointwise):
    """x where it is greater than the threshold, else `value`.

    >>> import rushlight as torch
    >>> torch.nn.Threshold(0.5, 9.0)(torch.tensor([0.1, 1.0]))
    tensor([9., 1.])
    """

    options: tuple[str, ...] = ("threshold", "value")

    def __init__(self, threshold: float, value: float, inplace: bool = False):
        super().__init__()
        self.threshold = threshold
        self.value = value
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Replaces elements that are not above the threshold by `value`; the shape of `input`."""
        return F.threshold(input, self.threshold, self.value, self.inplace)


class RReLU(_Pointwise):
    """x where it is positive, else x times a slope: random in training, the mean of the bounds in evaluation mode.

    Source: B. Xu et al., "Empirical evaluation of rectified activations in convolutional network", 2015.

    RuntimeError if `lower` is above `upper`.

    >>> import rushlight as torch
    >>> torch.nn.RReLU().eval()(torch.tensor([-1.0, 2.0]))
    tensor([-0.2292,  2.0000])
    """

    options: tuple[str, ...] = ("lower", "upper")

    def __init__(self, lower: float = 1 / 8, upper: float = 1 / 3, inplace: bool = False):
        super().__init__()
        self.lower = lower
        self.upper = upper
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Multiplies negative elements by a slope, random in training; the shape of `input`."""
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)


class Hardtanh(_Pointwise):
    """clamp(x, min_val, max_val).

    AssertionError if `min_val` is not below `max_val`.

    >>> import rushlight as torch
    >>> torch.nn.Hardtanh()(torch.tensor([-4.0, 0.5, 1.5]))
    tensor([-1.0000,  0.5000,  1.0000])
    """

    options: tuple[str, ...] = ("min_val", "max_val")

    def __init__(
        self,
        min_val: float = -1.0,
        max_val: float = 1.0,
        inplace: bool = False,
        min_value: float | None = None,
        max_value: float | None = None,
    ):
        super().__init__()
        for old, value in (("min_value", min_value), ("max_value", max_value)):
            if value is not None:
                warn(
                    f"keyword argument `{old}` is deprecated and renamed to `{old[:-2]}`",
                    FutureWarning,
                )
        self.min_val: float = min_val if min_value is None else min_value
        self.max_val: float = max_val if max_value is None else max_value
        self.inplace = inplace
        if self.max_val <= self.min_val:
            raise AssertionError(f"max_val ({self.max_val}) must be greater than min_val ({self.min_val})")

    def forward(self, input: Tensor) -> Tensor:
        """Clamps each element to [min_val, max_val]; the shape of `input`."""
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)


class ReLU6(Hardtanh):
    """clamp(x, 0, 6).

    >>> import rushlight as torch
    >>> torch.nn.ReLU6()(torch.tensor([-1.0, 2.0, 8.0]))
    tensor([0., 2., 6.])
    """

    options: tuple[str, ...] = ()

    def __init__(self, inplace: bool = False):
        super().__init__(0.0, 6.0, inplace)


class _WithAlpha(_Pointwise):
    """Base class of activations with a factor `alpha` for negative elements."""

    options: tuple[str, ...] = ("alpha",)

    def __init__(self, alpha: float = 1.0, inplace: bool = False):
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace


class ELU(_WithAlpha):
    """x where it is positive, else alpha * (exp(x) - 1).

    Source: D.-A. Clevert et al., "Fast and accurate deep network learning by exponential linear units", 2015.

    >>> import rushlight as torch
    >>> torch.nn.ELU()(torch.tensor([-1.0, 2.0]))
    tensor([-0.6321,  2.0000])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Replaces negative elements by alpha * (exp(x) - 1); the shape of `input`."""
        return F.elu(input, self.alpha, self.inplace)


class CELU(_WithAlpha):
    """x where it is positive, else alpha * (exp(x / alpha) - 1).

    >>> import rushlight as torch
    >>> torch.nn.CELU()(torch.tensor([-1.0, 2.0]))
    tensor([-0.6321,  2.0000])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Replaces negative elements by alpha * (exp(x / alpha) - 1); the shape of `input`."""
        return F.celu(input, self.alpha, self.inplace)


class LeakyReLU(_Pointwise):
    """x where it is positive, else negative_slope * x.

    >>> import rushlight as torch
    >>> torch.nn.LeakyReLU(0.1)(torch.tensor([-1.0, 2.0]))
    tensor([-0.1000,  2.0000])
    """

    options: tuple[str, ...] = ("negative_slope",)

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False):
        super().__init__()
        self.negative_slope = negative_slope
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Multiplies negative elements by `negative_slope`; the shape of `input`."""
        return F.leaky_relu(input, self.negative_slope, self.inplace)


class PReLU(Module):
    """x where it is positive, else weight * x: the slope is a parameter, one for all channels or one for each.

    Source: K. He et al., "Delving deep into rectifiers", 2015.

    RuntimeError for another number of channels than of slopes.

    >>> import rushlight as torch
    >>> torch.nn.PReLU()(torch.tensor([-1.0, 2.0]))
    tensor([-0.2500,  2.0000], grad_fn=<PreluKernelBackward0>)
    """

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Device = None, dtype: Dtype | None = None):
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight: Parameter = uninitialized(num_parameters, device, dtype)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Sets the slopes to their initial value."""
        init.constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        """Multiplies negative elements by the weight of their channel; the shape of `input`."""
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        """The number of slopes."""
        return as_text(self, "num_parameters")


class GELU(Module):
    """x times the normal distribution function of x; `approximate="tanh"` uses its tanh approximation.

    Source: D. Hendrycks, K. Gimpel, "Gaussian error linear units", 2016.

    RuntimeError for an `approximate` other than "none" and "tanh".

    >>> import rushlight as torch
    >>> torch.nn.GELU()(torch.tensor([-1.0, 2.0]))
    tensor([-0.1587,  1.9545])
    """

    def __init__(self, approximate: str = "none"):
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        """Each element times the standard normal distribution function of it; the shape of `input`."""
        return F.gelu(input, approximate=self.approximate)

    def extra_repr(self) -> str:
        """The approximation."""
        return f"approximate={self.approximate!r}"


class Sigmoid(Module):
    """1 / (1 + exp(-x)).

    >>> import rushlight as torch
    >>> torch.nn.Sigmoid()(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([0.2689, 0.5000, 0.8808])
    """

    def forward(self, input: Tensor) -> Tensor:
        """1 / (1 + exp(-x)) of each element; the shape of `input`."""
        return F.sigmoid(input)


class Tanh(Module):
    """The hyperbolic tangent.

    >>> import rushlight as torch
    >>> torch.nn.Tanh()(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([-0.7616,  0.0000,  0.9640])
    """

    def forward(self, input: Tensor) -> Tensor:
        """The hyperbolic tangent of each element; the shape of `input`."""
        return F.tanh(input)


class LogSigmoid(Module):
    """log(1 / (1 + exp(-x))).

    >>> import rushlight as torch
    >>> torch.nn.LogSigmoid()(torch.tensor([-100.0, 0.0, 2.0]))
    tensor([-100.0000,   -0.6931,   -0.1269])
    """

    def forward(self, input: Tensor) -> Tensor:
        """log(sigmoid(x)) of each element, without underflow; the shape of `input`."""
        return F.logsigmoid(input)


class Softsign(Module):
    """x / (1 + |x|).

    >>> import rushlight as torch
    >>> torch.nn.Softsign()(torch.tensor([-1.0, 3.0]))
    tensor([-0.5000,  0.7500])
    """

    def forward(self, input: Tensor) -> Tensor:
        """x / (1 + |x|) of each element; the shape of `input`."""
        return F.softsign(input)


class Tanhshrink(Module):
    """x - tanh(x).

    >>> import rushlight as torch
    >>> torch.nn.Tanhshrink()(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([-0.2384,  0.0000,  1.0360])
    """

    def forward(self, input: Tensor) -> Tensor:
        """x - tanh(x) of each element; the shape of `input`."""
        return F.tanhshrink(input)


class Softplus(Module):
    """log(1 + exp(beta * x)) / beta; x itself where beta * x is above the threshold.

    >>> import rushlight as torch
    >>> torch.nn.Softplus()(torch.tensor([-1.0, 0.0, 100.0]))
    tensor([  0.3133,   0.6931, 100.0000])
    """

    def __init__(self, beta: float = 1.0, threshold: float = 20.0):
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input: Tensor) -> Tensor:
        """log(1 + exp(beta * x)) / beta of each element; the shape of `input`."""
        return F.softplus(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        """`beta` and the threshold, as `repr` shows them."""
        return as_text(self, "beta", "threshold")


class _Shrink(Module):
    """Base class of functions that are 0 where |x| <= lambd."""

    def __init__(self, lambd: float = 0.5):
        super().__init__()
        self.lambd = lambd

    def extra_repr(self) -> str:
        """The value of `lambd`."""
        return str(self.lambd)


class Hardshrink(_Shrink):
    """x where |x| > lambd, else 0.

    NotImplementedError for integers.

    >>> import rushlight as torch
    >>> torch.nn.Hardshrink()(torch.tensor([-1.0, 0.3, 2.0]))
    tensor([-1.,  0.,  2.])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Replaces elements with |x| <= lambd by 0; the shape of `input`."""
        return F.hardshrink(input, self.lambd)


class Softshrink(_Shrink):
    """x moved towards 0 by `lambd`; 0 where |x| <= lambd.

    RuntimeError for a negative `lambd`.

    >>> import rushlight as torch
    >>> torch.nn.Softshrink()(torch.tensor([-1.0, 0.3, 2.0]))
    tensor([-0.5000,  0.0000,  1.5000])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Moves each element towards 0 by `lambd`; the shape of `input`."""
        return F.softshrink(input, self.lambd)


class GLU(Module):
    """a * sigmoid(b), where a and b are the halves of the input along a dimension.

    Source: Y. Dauphin et al., "Language modeling with gated convolutional networks", 2016.

    RuntimeError for a dimension of odd size.

    >>> import rushlight as torch
    >>> torch.nn.GLU()(torch.tensor([1.0, 2.0, 0.0, 100.0]))
    tensor([0.5000, 2.0000])
    """

    def __init__(self, dim: int = -1):
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """The first half of the input times the sigmoid of the second half."""
        return F.glu(input, self.dim)

    def extra_repr(self) -> str:
        """The dimension."""
        return as_text(self, "dim")


class _Along(Module):
    """Base class of activations along a dimension."""

    def __init__(self, dim: int | None = None):
        super().__init__()
        self.dim = dim

    def extra_repr(self) -> str:
        """The dimension."""
        return as_text(self, "dim")


class Softmax(_Along):
    """exp(x) divided by its sum along a dimension.

    IndexError for a dimension that does not exist.

    >>> import rushlight as torch
    >>> torch.nn.Softmax(dim=1)(torch.zeros(1, 4))
    tensor([[0.2500, 0.2500, 0.2500, 0.2500]])
    """

    def forward(self, input: Tensor) -> Tensor:
        """The softmax along the layer's `dim`; the shape of `input`."""
        return F.softmax(input, self.dim)


class LogSoftmax(_Along):
    """The logarithm of softmax.

    IndexError for a dimension that does not exist.

    >>> import rushlight as torch
    >>> torch.nn.LogSoftmax(dim=0)(torch.tensor([1.0, 1.0]))
    tensor([-0.6931, -0.6931])
    """

    def forward(self, input: Tensor) -> Tensor:
        """The logarithm of the softmax along the layer's `dim`; the shape of `input`."""
        return F.log_softmax(input, self.dim)


class Softmin(_Along):
    """Softmax of -x.

    IndexError for a dimension that does not exist.

    >>> import rushlight as torch
    >>> torch.nn.Softmin(dim=0)(torch.tensor([1.0, 1.0, 2.0]))
    tensor([0.4223, 0.4223, 0.1554])
    """

    def forward(self, input: Tensor) -> Tensor:
        """The softmax of `-input` along the layer's `dim`; the shape of `input`."""
        return F.softmin(input, self.dim)


class Softmax2d(Module):
    """Softmax over the channels of images (N, C, H, W) or (C, H, W). ValueError for other inputs.

    >>> import rushlight as torch
    >>> torch.nn.Softmax2d()(torch.zeros(2, 1, 3)).flatten()
    tensor([0.5000, 0.5000, 0.5000, 0.5000, 0.5000, 0.5000])
    """

    def forward(self, input: Tensor) -> Tensor:
        """The softmax over the channels of each pixel; the shape of `input`."""
        if input.ndim not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.ndim}D instead")
        return F.softmax(input, -3)
