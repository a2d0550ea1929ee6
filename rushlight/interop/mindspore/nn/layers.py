"""Layers with weights: Dense, Conv2d, Embedding, LayerNorm, BatchNorm."""

import math
from typing import Any

from rushlight.interop.mindspore import ops
from rushlight.interop.mindspore.common.dtype import Type, float32
from rushlight.interop.mindspore.common.initializer import HeUniform, Uniform, initializer
from rushlight.interop.mindspore.common.lifting import wrapped
from rushlight.interop.mindspore.common.parameter import Parameter
from rushlight.interop.mindspore.common.tensor import Tensor
from rushlight.interop.mindspore.nn.activation import get_activation
from rushlight.interop.mindspore.nn.cell import Cell
from rushlight.interop.mindspore.ops.functional.neural import Pair, pair
from rushlight.nn import functional as F

__all__ = ["BatchNorm1d", "BatchNorm2d", "Conv2d", "Dense", "Embedding", "LayerNorm"]


def parameter(name: str, init: Any, default: Any, shape: tuple[int, ...], dtype: Type = float32) -> Parameter:
    """A parameter with initial values."""
    return Parameter(initializer(default if init is None else init, shape, dtype), name=name)


class Dense(Cell):
    """activation(x Wᵀ + b), over the last dimension.

    By default weights and bias are uniform in ±1/√in_channels (He's with slope √5); `weight_init` and `bias_init` may
    be an initializer, its name, a number, or a tensor.

    >>> import rushlight.interop.mindspore as ms
    >>> import rushlight.interop.mindspore.nn as nn
    >>> net = nn.Dense(3, 4, weight_init="ones", bias_init="zeros")
    >>> print(net(ms.Tensor([[1.0, 2.0, 3.0]])))
    [[6. 6. 6. 6.]]
    """

    in_channels: int
    out_channels: int
    has_bias: bool

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        weight_init: Any = None,
        bias_init: Any = None,
        has_bias: bool = True,
        activation: Any = None,
        dtype: Type = float32,
    ):
        super().__init__()
        self.in_channels, self.out_channels, self.has_bias = in_channels, out_channels, has_bias
        self.weight: Parameter = parameter(
            "weight", weight_init, HeUniform(math.sqrt(5)), (out_channels, in_channels), dtype
        )
        if has_bias:
            self.bias: Parameter = parameter(
                "bias", bias_init, Uniform(1 / math.sqrt(in_channels)), (out_channels,), dtype
            )
        self.activation: Any = get_activation(activation)

    def construct(self, x: Tensor) -> Tensor:
        """The result, (..., out_channels)."""
        x = ops.dense(x, self.weight, self.bias if self.has_bias else None)
        return x if self.activation is None else self.activation(x)

    def extend_repr(self) -> str:
        """The numbers of channels and whether there is a bias, for `repr`."""
        return f"input_channels={self.in_channels}, output_channels={self.out_channels}, has_bias={self.has_bias}"


class Conv2d(Cell):
    """2-d convolution of images (N, C, H, W): by default padded to "same", without bias.

    `pad_mode` and `padding` are those of `ops.conv2d`. Weights and bias are uniform in ±1/√fan_in.

    >>> import rushlight.interop.mindspore as ms
    >>> import rushlight.interop.mindspore.nn as nn
    >>> nn.Conv2d(120, 240, 4, has_bias=False, weight_init="normal")(ms.ops.ones((1, 120, 16, 20))).shape
    (1, 240, 16, 20)
    """

    in_channels: int
    out_channels: int
    has_bias: bool

    kernel_size: tuple[int, ...]
    stride: tuple[int, ...]
    pad_mode: str
    padding: Any
    dilation: tuple[int, ...]
    group: int

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Pair,
        stride: Pair = 1,
        pad_mode: str = "same",
        padding: Any = 0,
        dilation: Pair = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: Any = None,
        bias_init: Any = None,
    ):
        super().__init__()
        self.in_channels, self.out_channels, self.kernel_size = in_channels, out_channels, pair(kernel_size)
        self.stride, self.pad_mode, self.padding = pair(stride), pad_mode, padding
        self.dilation, self.group, self.has_bias = pair(dilation), group, has_bias
        shape = (out_channels, in_channels // group, *self.kernel_size)
        self.weight: Parameter = parameter("weight", weight_init, HeUniform(math.sqrt(5)), shape)
        if has_bias:
            bound = 1 / math.sqrt(math.prod(shape[1:]))
            self.bias: Parameter = parameter("bias", bias_init, Uniform(bound), (out_channels,))

    def construct(self, x: Tensor) -> Tensor:
        """The result, (N, out_channels, H', W')."""
        bias = self.bias if self.has_bias else None
        return ops.conv2d(x, self.weight, bias, self.stride, self.pad_mode, self.padding, self.dilation, self.group)

    def extend_repr(self) -> str:
        """The sizes and options of the convolution, for `repr`."""
        return (
            f"input_channels={self.in_channels}, output_channels={self.out_channels}, kernel_size={self.kernel_size}, "
            f"stride={self.stride}, pad_mode={self.pad_mode}, padding={self.padding}, dilation={self.dilation}, "
            f"group={self.group}, has_bias={self.has_bias}"
        )


class Embedding(Cell):
    """Looks up a row of a table for each index; the table is initialized with normal numbers of deviation 0.01."""

    vocab_size: int
    embedding_size: int
    use_one_hot: bool

    def __init__(
        self,
        vocab_size: int,
        embedding_size: int,
        use_one_hot: bool = False,
        embedding_table: Any = "normal",
        dtype: Type = float32,
        padding_idx: int | None = None,
    ):
        super().__init__()
        self.vocab_size, self.embedding_size, self.use_one_hot = vocab_size, embedding_size, use_one_hot
        self.embedding_table: Parameter = parameter(
            "embedding_table", embedding_table, None, (vocab_size, embedding_size), dtype
        )
        if padding_idx is not None:
            self.embedding_table._value[padding_idx] = 0

    def construct(self, ids: Tensor) -> Tensor:
        """The rows, (*ids.shape, embedding_size)."""
        if self.use_one_hot:
            hot = ops.one_hot(ids, self.vocab_size)
            return ops.matmul(hot.astype(self.embedding_table.dtype), self.embedding_table)
        return ops.gather(self.embedding_table, ids, 0)

    def extend_repr(self) -> str:
        """The size of the table, for `repr`."""
        return f"vocab_size={self.vocab_size}, embedding_size={self.embedding_size}, use_one_hot={self.use_one_hot}"


class LayerNorm(Cell):
    """Normalizes the last dimensions to mean 0 and variance 1, then applies a scale `gamma` and a shift `beta`.

    `begin_norm_axis` and `begin_params_axis` must be the first of these dimensions; the default is the last.
    """

    normalized_shape: tuple[Any, ...]
    epsilon: float

    def __init__(
        self,
        normalized_shape: Any,
        begin_norm_axis: int = -1,
        begin_params_axis: int = -1,
        gamma_init: Any = "ones",
        beta_init: Any = "zeros",
        epsilon: float = 1e-7,
        dtype: Type = float32,
    ):
        super().__init__()
        self.normalized_shape, self.epsilon = tuple(normalized_shape), epsilon
        for axis in (begin_norm_axis, begin_params_axis):
            if axis < 0 and axis != -len(self.normalized_shape):
                raise NotImplementedError(f"LayerNorm: axis {axis} needs a normalized_shape of {-axis} sizes.")
        self.gamma: Parameter = parameter("gamma", gamma_init, None, self.normalized_shape, dtype)
        self.beta: Parameter = parameter("beta", beta_init, None, self.normalized_shape, dtype)

    def construct(self, input_x: Tensor) -> Tensor:
        """The result, in the input's shape."""
        return ops.layer_norm(input_x, self.normalized_shape, self.gamma, self.beta, self.epsilon)

    def extend_repr(self) -> str:
        """The normalized shape, scale and shift, for `repr`."""
        return f"normalized_shape={self.normalized_shape}, gamma={self.gamma}, beta={self.beta}"


class BatchNorm(Cell):
    """Normalizes each channel (dimension 1) to mean 0 and variance 1, then applies a scale `gamma` and a shift `beta`.

    In training it uses the batch's statistics, else `moving_mean` and `moving_variance`, which training updates: moving
    = momentum * moving + (1 - momentum) * batch. `use_batch_statistics` overrides this choice.
    """

    num_features: int
    eps: float
    momentum: float

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.9,
        affine: bool = True,
        gamma_init: Any = "ones",
        beta_init: Any = "zeros",
        moving_mean_init: Any = "zeros",
        moving_var_init: Any = "ones",
        use_batch_statistics: bool | None = None,
        dtype: Type = float32,
    ):
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.use_batch_statistics = use_batch_statistics
        inits = (moving_mean_init, moving_var_init, gamma_init, beta_init)
        for name, init in zip(("moving_mean", "moving_variance", "gamma", "beta"), inits, strict=True):
            made = parameter(name, init, None, (num_features,), dtype)
            made.requires_grad = affine and name in ("gamma", "beta")
            setattr(self, name, made)

    def construct(self, x: Tensor) -> Tensor:
        """The result, in the input's shape."""
        own = self.training if self.use_batch_statistics is None else self.use_batch_statistics
        return wrapped(
            F.batch_norm(
                x._value,
                self.moving_mean._value,
                self.moving_variance._value,
                self.gamma._value,
                self.beta._value,
                own,
                1 - self.momentum,
                self.eps,
            )
        )

    def extend_repr(self) -> str:
        """The number of channels, options and statistics, for `repr`."""
        return (
            f"num_features={self.num_features}, eps={self.eps}, momentum={self.momentum}, gamma={self.gamma}, "
            f"beta={self.beta}, moving_mean={self.moving_mean}, moving_variance={self.moving_variance}"
        )


class BatchNorm1d(BatchNorm):
    """Batch normalization of (N, C) or (N, C, L)."""


class BatchNorm2d(BatchNorm):
    """Batch normalization of images (N, C, H, W)."""
