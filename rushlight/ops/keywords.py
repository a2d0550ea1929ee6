"""The keywords that PyTorch's functions of a tensor share: `out=`, and NumPy's `axis` and `keepdims`."""

from collections.abc import Callable
from functools import wraps

from rushlight.core.graph import TensorBase
from rushlight.ops.table import refuse, write_out
from rushlight.refusals import refusal
from rushlight.signatures import NUMPY_NAMES


def keywords(function: Callable) -> Callable:
    """Gives a public function of a tensor `out=`, NumPy's names, and PyTorch's error for other inputs."""
    name = function.__name__

    @wraps(function)
    def called(*args, **kwargs):
        out = None
        if kwargs:
            kwargs = {NUMPY_NAMES.get(key, key): value for key, value in kwargs.items()}
            out = kwargs.pop("out", None)
        input = args[0] if args else kwargs.get("input", called)
        if not isinstance(input, TensorBase) and input is not called:
            return refuse(name, "input", 1, input)
        try:
            result = function(*args, **kwargs)
        except Exception as error:
            raise refusal(f".{name}", args, kwargs, error) from None
        return result if out is None else written(name, out, result, input)

    vars(called)["refuses"] = True
    return called


def written(name, out, result, input):
    """Writes a result, or each of several, into what was given as `out=`."""
    if not isinstance(result, tuple):
        return write_out(name, out, result, input)
    return type(result)([write_out(name, o, r, input) for o, r in zip(out, result, strict=True)])
