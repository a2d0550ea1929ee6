"""Calls of operators, from the samples of PyTorch's database, with arguments of their own for each library."""

import functools
import itertools
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, is_dataclass, replace
from typing import Any

import numpy as np
import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.opinfo.core import gradcheck_wrapper_hermitian_input as of_hermitian

import rushlight
from verify.operators.names import function_of

LOOKED_AT = 40  # samples of an operator that some are chosen from
LARGEST = 20_000  # elements of a sample's tensors
TYPES = (
    torch.bool,
    torch.uint8,
    torch.int8,
    torch.int16,
    torch.int32,
    torch.int64,
    torch.float16,
    torch.float32,
    torch.bfloat16,
    torch.float64,
    torch.complex64,
    torch.complex128,
)
SINGLETONS = (torch.dtype, torch.memory_format, torch.layout)
UNSET = ("empty", "empty_like", "empty_strided", "empty_permuted", "new_empty", "new_empty_strided")


def named(op) -> bool:
    """Whether rushlight has a function, method or attribute of an operator's name."""
    try:
        function_of(rushlight, op.name, op.variant_test_name)
    except (AttributeError, ImportError):
        return False
    return True


def operators(word: str) -> list:
    """The operators whose names contain a word and that rushlight has."""
    return [op for op in op_db if word in op.full_name and named(op)]


def copied(tensor: torch.Tensor, library):
    """A tensor of a library with the same values, in the same places of a memory of its own."""
    tensor = tensor.resolve_conj().resolve_neg()
    memory = torch.empty(0, dtype=tensor.dtype).set_(tensor.detach().untyped_storage())
    if tensor.dtype == torch.bfloat16:  # which NumPy has not
        memory = library.from_numpy(memory.view(torch.int16).numpy().copy()).clone().view(library.bfloat16)
    else:
        memory = library.from_numpy(memory.numpy().copy()).clone()
    made = memory.as_strided(tuple(tensor.shape), tensor.stride(), tensor.storage_offset())
    return made.detach().requires_grad_(tensor.requires_grad)


def translated(value: Any, library, tensors: list) -> Any:
    """An argument for a library; the tensors in it are added to a list."""
    if isinstance(value, torch.Tensor):
        tensors.append(copied(value, library))
        return tensors[-1]
    if isinstance(value, torch.Size):
        return library.Size(value)
    if isinstance(value, (tuple, list)):
        items = [translated(v, library, tensors) for v in value]
        return items if isinstance(value, list) else tuple(items)
    if isinstance(value, dict):
        return {key: translated(v, library, tensors) for key, v in value.items()}
    if isinstance(value, SINGLETONS):
        return getattr(library, str(value).removeprefix("torch."))
    if is_dataclass(value):
        return getattr(library.nn, type(value).__name__)(**asdict(value))
    return library.device(str(value)) if isinstance(value, torch.device) else value


def tensors_in(value: Any, kind: type) -> list:
    """All tensors in a nested value, in order."""
    if isinstance(value, kind):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [t for v in value for t in tensors_in(v, kind)] if isinstance(value, (tuple, list)) else []


def exchanged(value: Any, kind: type, others: Iterator) -> Any:
    """A nested value with other tensors in the places of its own."""
    if isinstance(value, kind):
        return next(others)
    if isinstance(value, (tuple, list)) and tensors_in(value, kind):
        return type(value)(exchanged(v, kind, others) for v in value)
    if isinstance(value, dict):
        return {key: exchanged(v, kind, others) for key, v in value.items()}
    return value


class Side:
    """A call in one library: the function and new arguments."""

    def __init__(self, library, case: "Case"):
        self.library, self.case = library, case
        self.function = case.function(library)
        self.tensors: list = []
        self.args = translated(case.args, library, self.tensors)
        self.kwargs = translated(case.kwargs, library, self.tensors)

    @property
    def inputs(self) -> list:
        """The tensors that are differentiated."""
        return [t for t in self.tensors if t.requires_grad]

    def call(self, **more):
        """The result of the call, with more keywords perhaps."""
        self.library.manual_seed(7)
        return self.function(*self.args, **self.kwargs, **more)

    def at(self, *inputs) -> list:
        """The tensors that the call gives with others in the places of those that are differentiated."""
        given = iter(inputs)
        every = iter([next(given) if t.requires_grad else t for t in self.tensors])
        kind = self.library.Tensor
        args, kwargs = exchanged(self.args, kind, every), exchanged(self.kwargs, kind, every)
        self.library.manual_seed(7)
        result = of_hermitian(self.function, *args, **kwargs) if self.case.hermitian else self.function(*args, **kwargs)
        return tensors_in(self.case.determined(result), kind)

    def directions(self, like: list, phase: int) -> list:
        """Fixed tensors of the shapes of some others: cotangents, tangents, directions."""
        found = []
        for k, t in enumerate(like):
            n = np.arange(t.numel()).reshape(tuple(t.shape))
            values = np.cos(n + k + phase) + (1j * np.sin(2 * n + k + phase) if t.is_complex() else 0)
            found.append(self.library.from_numpy(np.asarray(values)).to(t.dtype))
        return found


@dataclass
class Case:
    """A call of an operator, with PyTorch's arguments."""

    name: str
    variant: str
    args: tuple
    kwargs: dict
    determined: Callable = lambda result: result  # what of a result is one thing: no signs of vectors
    hermitian: bool = False  # whether the first argument has to stay Hermitian when it is moved

    def function(self, library) -> Callable:
        """What is called, in a library."""
        return function_of(library, self.name, self.variant)

    def side(self, library) -> Side:
        """The call in a library."""
        return Side(library, self)

    def but(self, change: Callable) -> "Case":
        """The call with all its tensors changed."""
        return replace(self, args=changed(self.args, change), kwargs=changed(self.kwargs, change))

    def but_with(self, tensors: list) -> "Case":
        """The call with others in the places of its tensors."""
        args, kwargs = exchanged((self.args, self.kwargs), torch.Tensor, iter(tensors))
        return replace(self, args=args, kwargs=kwargs)

    def __str__(self) -> str:
        shown = [short(v) for v in self.args] + [f"{key}={short(v)}" for key, v in self.kwargs.items()]
        return f"{self.name}{'.' if self.variant else ''}{self.variant}({', '.join(shown)})"


def changed(value: Any, change: Callable) -> Any:
    """A nested value with its tensors changed."""
    if isinstance(value, torch.Tensor):
        return change(value)
    if isinstance(value, (tuple, list)):
        return type(value)(changed(v, change) for v in value)
    return {key: changed(v, change) for key, v in value.items()} if isinstance(value, dict) else value


def short(value: Any) -> str:
    """An argument in a few characters."""
    if isinstance(value, torch.Tensor):
        return f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}"
    if isinstance(value, (tuple, list)):
        return f"[{', '.join(short(v) for v in value)}]"
    return str(value)[:80]


def dense(sample) -> bool:
    """Whether all tensors of a sample are ordinary ones, of types that rushlight has, and not too large."""
    tensors = tensors_in([sample.input, sample.args, sample.kwargs], torch.Tensor)
    return (
        not any(callable(v) and not isinstance(v, SINGLETONS) for v in sample.kwargs.values())
        and all(t.layout is torch.strided and t.dtype in TYPES and not t.is_nested for t in tensors)
        and sum(t.numel() for t in tensors) <= LARGEST
    )


@functools.lru_cache(64)  # the kinds of use that come after each other draw the same
def drawn(full_name: str, dtype: torch.dtype, requires_grad: bool) -> list:
    """The samples of an operator that can be used here."""
    op = next(op for op in op_db if op.full_name == full_name)
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        looked_at = itertools.islice(op.sample_inputs("cpu", dtype, requires_grad=requires_grad), LOOKED_AT)
        return [s for s in looked_at if dense(s)]


def samples(op, dtype: torch.dtype, count: int, requires_grad: bool = False) -> Iterator[Case]:
    """Some of an operator's samples, spread over those that PyTorch has."""
    found = drawn(op.full_name, dtype, requires_grad)
    for i in sorted({k * (len(found) - 1) // max(count - 1, 1) for k in range(min(count, len(found)))}):
        sample, hermitian = found[i], op.gradcheck_wrapper is of_hermitian
        args = (sample.input, *sample.args)
        yield Case(op.name, op.variant_test_name, args, sample.kwargs, sample.output_process_fn_grad, hermitian)


def wrong(op) -> Iterator[Case]:
    """What PyTorch says an operator refuses."""
    if op.error_inputs_func is None:
        return
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [error.sample_input for error in op.error_inputs("cpu")]
    for sample in found:
        if dense(sample):
            yield Case(op.name, op.variant_test_name, (sample.input, *sample.args), sample.kwargs)
