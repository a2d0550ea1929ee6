"""Operators as objects: made with their options in `__init__`, called in `construct`."""

from collections.abc import Callable
from typing import Any

import rushlight as torch
from rushlight.interop.mindspore.common.lifting import wrapped
from rushlight.interop.mindspore.common.parameter import Parameter
from rushlight.interop.mindspore.common.tensor import Tensor
from rushlight.interop.mindspore.ops.functional import elementwise, neural, reductions, shapes
from rushlight.interop.mindspore.ops.functional.pooling import average_pooled, max_pooled


class Primitive:
    """An operator with its options as attributes. TypeError for an unknown option.

    >>> from rushlight.interop.mindspore import Tensor, ops
    >>> ops.ReduceSum(keep_dims=True)
    Prim[ReduceSum]<keep_dims=True>
    >>> print(ops.ReduceSum(keep_dims=True)(Tensor([[1.0, 2.0], [3.0, 4.0]]), 1))
    [[3.]
     [7.]]
    """

    options: dict[str, Any] = {}  # noqa: RUF012 (each class has its own, which nobody changes)

    def __init__(self, *args: Any, **kwargs: Any):
        if len(args) > len(self.options):
            raise TypeError(f"{self.name} takes {len(self.options)} options, but got {len(args)}.")
        given = dict(zip(self.options, args, strict=False)) | kwargs
        if unknown := given.keys() - self.options.keys():
            raise TypeError(f"{self.name} has no option {', '.join(sorted(unknown))} in rushlight.")
        self.__dict__.update(self.options | given)

    @property
    def name(self) -> str:
        """The operator's name."""
        return type(self).__name__

    def __call__(self, *args: Any) -> Any:
        """Computes the operator."""
        raise NotImplementedError(f"{self.name} does not define __call__.")

    def __repr__(self) -> str:
        options = ", ".join(f"{key}={getattr(self, key)}" for key in self.options)
        return f"Prim[{self.name}]<{options}>"


def primitive(name: str, call: Callable[..., Any], **options: Any) -> None:
    """Defines an operator: its name, its function (which gets the operator for its options), and default options."""
    doc = f"The operator {name}, with the options {', '.join(options)}." if options else f"The operator {name}."
    members = {"__call__": call, "__doc__": doc, "options": options, "__module__": __name__}
    globals()[name] = type(name, (Primitive,), members)
    __all__.append(name)


__all__ = ["Primitive"]

PLAIN = {
    elementwise: {
        "Abs": "abs",
        "ACos": "acos",
        "Acosh": "acosh",
        "Add": "add",
        "Asin": "asin",
        "Asinh": "asinh",
        "Atan": "atan",
        "Atan2": "atan2",
        "Atanh": "atanh",
        "Ceil": "ceil",
        "Cos": "cos",
        "Cosh": "cosh",
        "Div": "div",
        "Equal": "eq",
        "Erf": "erf",
        "Erfc": "erfc",
        "Exp": "exp",
        "Expm1": "expm1",
        "Floor": "floor",
        "FloorDiv": "floor_div",
        "FloorMod": "floor_mod",
        "Greater": "gt",
        "GreaterEqual": "ge",
        "Inv": "inv",
        "IsNan": "isnan",
        "IsInf": "isinf",
        "IsFinite": "isfinite",
        "Less": "lt",
        "LessEqual": "le",
        "Log": "log",
        "Log1p": "log1p",
        "LogicalAnd": "logical_and",
        "LogicalNot": "logical_not",
        "LogicalOr": "logical_or",
        "MaskedFill": "masked_fill",
        "Maximum": "maximum",
        "Minimum": "minimum",
        "Mod": "fmod",
        "Mul": "mul",
        "Neg": "neg",
        "NotEqual": "ne",
        "OnesLike": "ones_like",
        "Pow": "pow",
        "RealDiv": "div",
        "Reciprocal": "reciprocal",
        "Rint": "round",
        "Round": "round",
        "Rsqrt": "rsqrt",
        "Select": "where",
        "Sigmoid": "sigmoid",
        "Sign": "sign",
        "Sin": "sin",
        "Sinh": "sinh",
        "Sqrt": "sqrt",
        "Square": "square",
        "Sub": "sub",
        "Tan": "tan",
        "Tanh": "tanh",
        "Tile": "tile",
        "ZerosLike": "zeros_like",
    },
    neural: {
        "BiasAdd": "bias_add",
        "GeLU": "gelu",
        "HSigmoid": "hardsigmoid",
        "HSwish": "hardswish",
        "Mish": "mish",
        "PReLU": "prelu",
        "ReLU": "relu",
        "ReLU6": "relu6",
        "SeLU": "selu",
        "Softplus": "softplus",
        "Softsign": "softsign",
    },
    shapes: {
        "Cast": "cast",
        "DType": "dtype",
        "ExpandDims": "expand_dims",
        "Gather": "gather",
        "GatherD": "gather_elements",
        "Rank": "rank",
        "Reshape": "reshape",
        "Shape": "shape",
        "Size": "size",
        "StopGradient": "stop_gradient",
        "Transpose": "transpose",
    },
}
for _module, _names in PLAIN.items():
    for _name, _function in _names.items():
        _call = getattr(_module, _function)
        primitive(_name, lambda self, *args, _call=_call: _call(*args))

primitive("BroadcastTo", lambda self, x: wrapped(x._value.broadcast_to(self.shape)), shape=())


# products


def transposed(x: Tensor, is_transposed: bool) -> torch.Tensor:
    """The matrix, transposed if asked for."""
    return x._value.swapaxes(-1, -2) if is_transposed else x._value


def product(self: Any, x: Tensor, y: Tensor) -> Tensor:
    """The product for MatMul and BatchMatMul."""
    return wrapped(transposed(x, self.transpose_a) @ transposed(y, self.transpose_b))


primitive("MatMul", product, transpose_a=False, transpose_b=False)
primitive("BatchMatMul", product, transpose_a=False, transpose_b=False)


# reductions

for _name, _reduce in {
    "ReduceSum": reductions.reduce_sum,
    "ReduceMean": reductions.mean,
    "ReduceMax": reductions.amax,
    "ReduceMin": reductions.amin,
    "ReduceProd": reductions.prod,
    "ReduceAll": reductions.all,
    "ReduceAny": reductions.any,
}.items():
    primitive(_name, lambda self, x, axis=(), _reduce=_reduce: _reduce(x, axis, self.keep_dims), keep_dims=False)
primitive("Argmax", lambda self, x: reductions.argmax(x, self.axis), axis=-1)
primitive("Argmin", lambda self, x: reductions.argmin(x, self.axis), axis=-1)
primitive(
    "ArgMaxWithValue", lambda self, x: reductions.max(x, self.axis, self.keep_dims)[::-1], axis=0, keep_dims=False
)
primitive(
    "ArgMinWithValue", lambda self, x: reductions.min(x, self.axis, self.keep_dims)[::-1], axis=0, keep_dims=False
)
primitive("CumSum", lambda self, x, axis: reductions.cumsum(x, axis))
primitive("L2Loss", lambda self, x: wrapped((x._value * x._value).sum() / 2))


# shapes

primitive("Concat", lambda self, tensors: shapes.cat(tensors, self.axis), axis=0)
primitive("Stack", lambda self, tensors: shapes.stack(tensors, self.axis), axis=0)
primitive("Unstack", lambda self, x: shapes.unstack(x, self.axis), axis=0)
primitive("Squeeze", lambda self, x: shapes.squeeze(x, self.axis), axis=())
primitive("Flatten", lambda self, x: shapes.flatten(x))
primitive(
    "Split", lambda self, x: shapes.split(x, x.shape[self.axis] // self.output_num, self.axis), axis=0, output_num=1
)
primitive(
    "OneHot",
    lambda self, indices, depth, on_value, off_value: shapes.one_hot(indices, depth, on_value, off_value, self.axis),
    axis=-1,
)


# networks

primitive("Softmax", lambda self, x: neural.softmax(x, self.axis), axis=-1)
primitive("LogSoftmax", lambda self, x: neural.log_softmax(x, self.axis), axis=-1)
primitive("Elu", lambda self, x: wrapped(torch.nn.functional.elu(x._value, self.alpha)), alpha=1.0)
primitive(
    "Conv2D",
    lambda self, x, weight: neural.conv2d(
        x, weight, None, self.stride, self.pad_mode, self.pad, self.dilation, self.group
    ),
    out_channel=None,
    kernel_size=None,
    mode=1,
    pad_mode="valid",
    pad=0,
    stride=1,
    dilation=1,
    group=1,
)
primitive("MaxPool", max_pooled, kernel_size=1, strides=1, pad_mode="valid")
primitive("AvgPool", average_pooled, kernel_size=1, strides=1, pad_mode="valid")


def cross_entropies(self: Any, logits: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    """The cross entropy of each row with probabilities, and its gradient."""
    values, targets = logits._value, labels._value
    losses = -(torch.log_softmax(values, -1) * targets).sum(-1)
    return wrapped(losses), wrapped((torch.softmax(values, -1) - targets).detach())


primitive("SoftmaxCrossEntropyWithLogits", cross_entropies)
primitive("SparseSoftmaxCrossEntropyWithLogits", lambda self, logits, labels: neural.cross_entropy(logits, labels))


# updates of parameters


def assigned(parameter: Parameter, value: Any) -> Parameter:
    """Assigns new values to a parameter, and returns it."""
    return parameter.set_data(value)


primitive("Assign", lambda self, parameter, value: assigned(parameter, value))
primitive("AssignAdd", lambda self, parameter, value: assigned(parameter, parameter + value))
primitive("AssignSub", lambda self, parameter, value: assigned(parameter, parameter - value))
