"""`grad`, `value_and_grad`, `get_grad` and `GradOperation`."""

from collections.abc import Callable, Sequence
from typing import Any

from rushlight.interop.mindspore.common.parameter import Parameter
from rushlight.interop.mindspore.common.tensor import Tensor
from rushlight.interop.mindspore.pullback import is_differentiable, pull_back

__all__ = ["GradOperation", "get_grad", "grad", "value_and_grad"]

Positions = int | tuple[int, ...] | None
Weights = Parameter | Sequence[Parameter] | None


def grad(
    fn: Callable[..., Any],
    grad_position: Positions = 0,
    weights: Weights = None,
    has_aux: bool = False,
    return_ids: bool = False,
    sens_param: bool = False,
) -> Callable[..., Any]:
    """A function that computes the gradient of `fn`, a cell or function, without side effects.

    For the inputs at `grad_position` the gradient is a tensor for one position, a tuple for several. For `weights` it
    is a tensor for one parameter, a tuple for a list or ParameterTuple. For both it is (inputs, weights); with
    `grad_position=None` only that of the weights. Where the outputs do not depend on an input its gradient is zeros.

    An output that is not a scalar is summed, and so are several outputs. With `has_aux` only the first output is
    differentiated, and the result is (gradient, tuple of the other outputs). With `return_ids` each gradient is a pair
    (position, gradient) or (name of the parameter, gradient), for `get_grad`. With `sens_param` the gradient function
    takes the cotangents of the outputs as its last argument, or as `sens=`.

    ValueError if both `grad_position` and `weights` are None, for negative, duplicate or missing positions, and for a
    single output with `has_aux`; TypeError for arguments of other types, and for integer inputs.

    >>> import rushlight.interop.mindspore as ms
    >>> x, y = ms.Tensor([1.0, 2.0]), ms.Tensor([3.0, 4.0])
    >>> ms.grad(lambda x, y: x * x * y)(x, y)
    Tensor(shape=[2], dtype=Float32, value= [ 6.00000000e+00,  1.60000000e+01])
    >>> w = ms.Parameter(ms.Tensor(10.0), name="w")
    >>> ms.grad(lambda x: (w * x, x), None, w, has_aux=True)(ms.Tensor(3.0))
    (Tensor(shape=[], dtype=Float32, value= 3), (Tensor(shape=[], dtype=Float32, value= 3),))
    """
    return gradient_function(fn, grad_position, weights, has_aux, return_ids, sens_param, with_value=False)


def value_and_grad(
    fn: Callable[..., Any],
    grad_position: Positions = 0,
    weights: Weights = None,
    has_aux: bool = False,
    return_ids: bool = False,
    sens_param: bool = False,
) -> Callable[..., Any]:
    """A function that computes (result of `fn`, gradient); the arguments and the gradient are those of `grad`.

    >>> import rushlight.interop.mindspore as ms
    >>> ms.value_and_grad(lambda x: x * x)(ms.Tensor(3.0))
    (Tensor(shape=[], dtype=Float32, value= 9), Tensor(shape=[], dtype=Float32, value= 6))
    """
    return gradient_function(fn, grad_position, weights, has_aux, return_ids, sens_param, with_value=True)


def gradient_function(
    fn: Callable[..., Any],
    grad_position: Any,
    weights: Any,
    has_aux: Any,
    return_ids: Any,
    sens_param: Any,
    with_value: Any,
) -> Callable[..., Any]:
    """The gradient function for `grad` and `value_and_grad`."""
    if grad_position is None and weights is None:
        raise ValueError("`grad_position` and `weight` can not be None at the same time.")
    check_bools("grad", has_aux=has_aux, return_ids=return_ids, sens_param=sens_param)
    positions = None if grad_position is None else checked_positions(grad_position)
    parameters = parameters_listed(weights)

    def gradient(*args: Any, **kwargs: Any) -> Any:
        args, kwargs, sens = taken_sens(args, kwargs, sens_param)
        pulled = pull_back(fn, args, kwargs, positions or (), parameters, has_aux)
        inputs, params = pulled.cotangents(sens)
        if return_ids:
            inputs = list(zip(positions or (), inputs, strict=True))
            params = [(p.name, g) for p, g in zip(parameters, params, strict=True)]
        found = []
        if positions is not None:
            found.append(inputs[0] if len(positions) == 1 else tuple(inputs))
        if weights is not None:
            found.append(params[0] if isinstance(weights, Parameter) else tuple(params))
        result = found[0] if len(found) == 1 else tuple(found)
        if with_value:
            return (pulled.outputs, *pulled.aux) if has_aux else pulled.outputs, result
        return (result, pulled.aux) if has_aux else result

    return gradient


def check_bools(name: str, **options: Any) -> None:
    """TypeError for an option that is not a bool."""
    for option, value in options.items():
        if not isinstance(value, bool):
            raise TypeError(f"For '{name}', the '{option}' should be bool, but got {type(value).__name__}")


def checked_positions(grad_position: int | tuple[int, ...]) -> tuple[int, ...]:
    """The positions as a tuple, checked."""
    positions = grad_position if isinstance(grad_position, tuple) else (grad_position,)
    if not all(isinstance(p, int) for p in positions):
        raise TypeError(f"For 'F.grad', the 'grad_position' must be int or tuple of int, but got {grad_position!r}.")
    if any(p < 0 for p in positions):
        raise ValueError("The element in grad_position must be >= 0.")
    if len(set(positions)) != len(positions):
        raise ValueError("There are duplicate positions in `grad_position`, please check it")
    return tuple(map(int, positions))


def parameters_listed(weights: Weights) -> list[Parameter]:
    """The parameters as a list."""
    if weights is None:
        return []
    parameters = [weights] if isinstance(weights, Parameter) else list(weights)
    for parameter in parameters:
        if not isinstance(parameter, Parameter):
            raise TypeError(f"grad: 'weights' must be Parameters, but got {type(parameter).__name__}.")
    return parameters


def taken_sens(
    args: tuple[Any, ...], kwargs: dict[Any, Any], sens_param: bool
) -> tuple[tuple[Any, ...], dict[Any, Any], Any]:
    """The arguments without the cotangents among them, and the cotangents."""
    if not sens_param:
        return args, kwargs, None
    if "sens" in kwargs:
        return args, {key: value for key, value in kwargs.items() if key != "sens"}, kwargs["sens"]
    if not args:
        raise ValueError("With sens_param=True the gradient function takes the sensitivity as its last argument.")
    return args[:-1], kwargs, args[-1]


def get_grad(gradients: Any, identifier: int | Parameter) -> Tensor:
    """A single gradient from the result of `grad` with `return_ids`: by its position or parameter.

    RuntimeError if there is none, TypeError for another type of identifier.

    >>> import rushlight.interop.mindspore as ms
    >>> x, y = ms.Tensor(2.0), ms.Tensor(3.0)
    >>> found = ms.grad(lambda x, y: x * y, (0, 1), return_ids=True)(x, y)
    >>> print(found)
    ((0, Tensor(shape=[], dtype=Float32, value= 3)), (1, Tensor(shape=[], dtype=Float32, value= 2)))
    >>> print(ms.get_grad(found, 1))
    2.0
    """
    if not isinstance(identifier, (int, Parameter)):
        raise TypeError(f"For `get_grad`, the `identifier` should be an integer or a Parameter, but got {identifier}")
    name = identifier.name if isinstance(identifier, Parameter) else identifier
    waiting = [gradients]
    while waiting:
        found = waiting.pop()
        if len(found) == 2 and isinstance(found[0], (int, str)):
            if found[0] == name:
                return found[1]
        else:
            waiting += [item for item in found if isinstance(item, tuple)]
    raise RuntimeError(f"Can not find the gradient for position or Parameter {name!r}.")


class GradOperation:
    """The older form: `GradOperation(...)(fn)`, or with `get_by_list` `GradOperation(...)(fn, weights)`.

    The gradient is that of the first input; with `get_all` of all inputs, in a tuple; with `get_by_list` of the
    weights, in a tuple; with both ((inputs), (weights)). With `sens_param` the gradient function takes the cotangent of
    the output as its last argument, or as `sens=`. TypeError for an option that is not a bool.

    >>> import rushlight.interop.mindspore as ms
    >>> x, y = ms.Tensor(2.0), ms.Tensor(3.0)
    >>> ms.ops.GradOperation(get_all=True)(lambda x, y: x * y)(x, y)
    (Tensor(shape=[], dtype=Float32, value= 3), Tensor(shape=[], dtype=Float32, value= 2))
    """

    def __init__(self, get_all: bool = False, get_by_list: bool = False, sens_param: bool = False):
        check_bools("GradOperation", get_all=get_all, get_by_list=get_by_list, sens_param=sens_param)
        self.get_all = get_all
        self.get_by_list = get_by_list
        self.sens_param = sens_param

    def __call__(self, fn: Any, weights: Weights = None) -> Callable[..., Any]:
        """The gradient function of `fn`; with `get_by_list`, `weights` default to a cell's trainable parameters."""
        if self.get_by_list and weights is None:
            weights = fn.trainable_params()

        def gradient(*args: Any, **kwargs: Any) -> Any:
            given, named, sens = taken_sens(args, kwargs, self.sens_param)
            positions = self.positions(given)
            parameters = parameters_listed(weights) if self.get_by_list else []
            inputs, params = pull_back(fn, given, named, positions, parameters, False).cotangents(sens)
            params = params[0] if isinstance(weights, Parameter) else tuple(params)
            if self.get_all:
                return (tuple(inputs), params) if self.get_by_list else tuple(inputs)
            return params if self.get_by_list else inputs[0]

        return gradient

    def positions(self, args: tuple[Any, ...]) -> Sequence[int]:
        """The positions of the inputs to differentiate by: with `get_all` all floating-point or complex tensors."""
        if self.get_all:
            return [i for i, x in enumerate(args) if isinstance(x, Tensor) and is_differentiable(x._value)]
        return () if self.get_by_list else (0,)
