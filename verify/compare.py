"""The visible state of a variable after a program, and the differences of this state between two libraries."""

from collections.abc import Iterator

import numpy as np

DIGITS = {"bfloat16": 1e-1, "float16": 2e-2, "float32": 2e-3, "complex64": 2e-3, "float64": 1e-6, "complex128": 1e-6}


def asked(question):
    """The answer to a question, or the name of the exception that it raises."""
    try:
        return question()
    except Exception as error:
        return type(error).__name__


def shown(value) -> str:
    """The beginning of a value as text."""
    return asked(lambda: str(value)[:60])


def node(tensor) -> str:
    """The name of the node that a tensor comes from, without the number that PyTorch's overloads have."""
    name = "" if tensor.grad_fn is None else tensor.grad_fn.name()
    return name.replace("torch::autograd::", "").rstrip("0123456789")


QUESTIONS = {
    "type": lambda t: str(t.dtype).partition(".")[2],
    "shape": lambda t: tuple(t.shape),
    "requires_grad": lambda t: t.requires_grad,
    "leaf": lambda t: t.is_leaf,
    "inference": lambda t: t.is_inference(),
}
OF_VARIABLES = {  # of gradients they tell only how a pass adds them up
    "node": node,
    "version": lambda t: t._version,
    "turned": lambda t: (t.is_conj(), t.is_neg()),
    "strides": lambda t: tuple(n if m > 1 else 0 for m, n in zip(t.shape, t.stride(), strict=True) if t.numel()),
    "offset": lambda t: t.storage_offset() if t.numel() else 0,
}


def array(tensor) -> np.ndarray:
    """A tensor's values."""
    tensor = tensor.detach().resolve_conj().resolve_neg()
    wider = {"torch.bfloat16": "float", "torch.complex32": "cfloat"}.get(str(tensor.dtype))
    return (getattr(tensor, wider)() if wider else tensor).numpy()


def close(ours: np.ndarray, theirs: np.ndarray, kind: str) -> bool:
    """Whether arrays of one shape and type have the same numbers, but for rounding in tensors of a kind."""
    if ours.tobytes() == theirs.tobytes():
        return True
    digits = DIGITS.get(kind)
    if digits is None:
        return False
    if theirs.dtype.kind == "c" and np.isinf(theirs).any():
        parts = [(x.real, x.imag) for x in (np.where(np.isnan(y), np.nan, y) for y in (ours, theirs))]
        return all(close(*pair, kind) for pair in zip(*parts, strict=True))
    finite = np.abs(theirs[np.isfinite(theirs)])
    atol = digits * 0.1 * min(max(finite.max(initial=0), 1e-2), 1e6)
    return np.allclose(ours, theirs, rtol=digits, atol=atol, equal_nan=True)


def tensors(ours, theirs, name: str, libraries) -> Iterator[str]:
    """In what two tensors differ."""
    for title, question in (QUESTIONS | OF_VARIABLES if name.isidentifier() else QUESTIONS).items():
        mine, other = asked(lambda q=question: q(ours)), asked(lambda q=question: q(theirs))
        if mine != other:
            yield f"{name}: {title} {mine!r}, PyTorch's {other!r}"
            if title in ("type", "shape"):
                return
    if not asked(lambda: close(array(ours), array(theirs), str(theirs.dtype).partition(".")[2])):
        yield f"{name}: values\n{array(ours)!r}\nPyTorch's\n{array(theirs)!r}"
    if asked(lambda: theirs.is_leaf or theirs.retains_grad) is True:
        yield from differences(ours.grad, theirs.grad, f"{name}.grad", libraries)


def differences(ours, theirs, name: str, libraries) -> Iterator[str]:
    """In what two values differ: tensors, numbers and nested tuples, lists and dictionaries of them."""
    our, their = libraries
    if isinstance(theirs, their.Tensor):
        if isinstance(ours, our.Tensor):
            yield from tensors(ours, theirs, name, libraries)
        elif ours is None and asked(lambda: bool(theirs.any())) is False:
            yield f"{name}: absent, PyTorch's is zero"
        else:
            yield f"{name}: kind {type(ours).__name__}, PyTorch's Tensor"
    elif isinstance(theirs, (tuple, list, dict)):
        yield from nested(ours, theirs, name, libraries)
    elif isinstance(theirs, (float, complex)) and type(ours) is type(theirs):
        if not np.isclose(np.asarray(ours), np.asarray(theirs), rtol=1e-6, atol=1e-7, equal_nan=True):
            yield f"{name}: number {ours!r}, PyTorch's {theirs!r}"
    elif isinstance(theirs, (bool, int, str, type(None))) and (type(ours) is not type(theirs) or ours != theirs):
        yield f"{name}: value {shown(ours)!r}, PyTorch's {theirs!r}"


def nested(ours, theirs, name: str, libraries) -> Iterator[str]:
    """In what two nested values differ."""
    if isinstance(theirs, dict):
        keys = list(theirs) if isinstance(ours, dict) else None
        same = keys is not None and list(ours) == keys
    else:
        keys = range(len(theirs))
        same = isinstance(ours, (tuple, list)) and len(ours) == len(theirs)
    if not same:
        yield f"{name}: kind {shown(ours)}, PyTorch's {shown(theirs)}"
        return
    for key in keys:
        yield from differences(ours[key], theirs[key], f"{name}[{key!r}]", libraries)
