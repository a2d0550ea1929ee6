"""Arguments that fit PyTorch's overloads, found by trying them out in PyTorch."""

import itertools
import warnings
from collections.abc import Iterator
from typing import Any

import torch
from torch.testing._internal.common_methods_invocations import op_db

from verify.conventions.given import GIVEN
from verify.conventions.overloads import UNKNOWN, Overload, Parameter
from verify.operators.cases import LARGEST, Case, drawn, tensors_in
from verify.operators.outcome import Raised, outcome

TRIES = 400  # of combinations, until one fits
MATRIX = torch.tensor([[2.0, 1.0], [1.0, 3.0]])
INDICES = torch.tensor([[0, 1], [1, 0]])
TENSORS = [
    MATRIX,
    torch.tensor([0.25, 0.5]),
    INDICES,
    torch.tensor([0, 1]),
    MATRIX[None],
    MATRIX > 1.5,
    torch.tensor(0.5),
    torch.arange(16.0).reshape(1, 1, 4, 4) / 16,
    torch.tensor(1),
    MATRIX.to(torch.complex64),
    torch.arange(64.0).reshape(1, 1, 4, 4, 4) / 64,
    torch.tensor([], dtype=torch.float32),
]
INTEGERS = [1, 0, 2, -1]
NUMBERS = [2, 0.5]
SIZES = [[1], [2, 2], [0], [0, 1], [4], [1, 2, 2], [1, 1], [2, 1, 1], [2]]
LISTS = [[MATRIX, MATRIX], [TENSORS[1], TENSORS[1]], [INDICES, INDICES], [INDICES], [INDICES[0]]]
WORDS = [
    *("mean", "sum", "none", "floor", "trunc", "ij,jk->ik", "constant", "reflect", "nearest", "bilinear", "linear"),
    *("fro", "nuc", "reduced", "complete", "amax", "prod", "left", "right", "ij", "xy", "forward", "ortho", "tanh"),
    *("inverted_cdf", "higher", "lower", "batchmean", "max", "border", "zeros", "gelsd", "gesvd", "L", "U", "relu"),
]
POOLS: dict[str, list] = {
    "Tensor": TENSORS,
    "Sequence": SIZES,
    "list": [*LISTS, *SIZES, [0.5, 0.5]],
    "tuple": LISTS,
    "int": INTEGERS,
    "SymInt": INTEGERS,
    "float": [0.5, 2.0, 0.0],
    "Number": NUMBERS,
    "number": NUMBERS,
    "bool": [True, False],
    "str": WORDS,
    "dtype": [torch.float64, torch.int64, torch.complex128, torch.float32],
    "size": SIZES,
    "symsize": SIZES,
    "layout": [torch.strided],
    "memory_format": [torch.contiguous_format, torch.preserve_format, torch.channels_last],
    "DeviceLikeType": ["cpu", torch.device("cpu")],
    "Device": ["cpu", torch.device("cpu")],
    "device": ["cpu", torch.device("cpu")],
    "Any": [1, MATRIX, [1.0, 2.0]],
    "None": [None],
}


def pool(parameter: Parameter) -> list:
    """Values that a parameter may take."""
    if parameter.name.startswith("*"):
        return SIZES
    found: list = []
    for kind in parameter.kinds:
        if kind.startswith("Literal"):
            found.append(eval(kind.removeprefix("Literal[").removesuffix("]")))
            continue
        if kind.startswith(("Optional[", "List[")):
            kind = kind.partition("[")[2][:-1] if kind.startswith("Optional[") else f"list of {kind[5:-1]}"
        if kind.startswith(("List[float", "list of float")):
            found += [[0.5, 0.5], [0.5]]
        elif kind.startswith(("List[int", "list of int")):
            found += SIZES
        elif kind.startswith(("List[", "list of")):
            found += LISTS
        else:
            word = kind.removeprefix("torch.").lstrip("_").partition("[")[0].partition("_any")[0].partition("_2")[0]
            found += POOLS.get(word.partition("_1")[0].partition("_3")[0], [])
    return found


def combinations(parameters: list[Parameter]) -> Iterator[tuple]:
    """Values for all of some parameters, the likelier ones first."""
    pools = [pool(parameter) for parameter in parameters]
    most = sum(len(values) - 1 for values in pools)
    for total in range(most + 1):
        for places in places_of(total, [len(values) for values in pools]):
            yield tuple(values[place] for values, place in zip(pools, places, strict=True))


def places_of(total: int, lengths: list[int]) -> Iterator[tuple[int, ...]]:
    """The places in lists of some lengths that add up to a number."""
    if not lengths:
        if not total:
            yield ()
        return
    for first in range(min(total, lengths[0] - 1) + 1):
        for rest in places_of(total - first, lengths[1:]):
            yield (first, *rest)


def sampled(overload: Overload) -> Iterator[dict[str, Any]]:
    """Arguments written down for the function, and those from the samples of PyTorch's database."""
    full_name = f"{overload.home}.{overload.name}"
    yield from GIVEN.get(full_name.removeprefix(".").removeprefix("Tensor."), ())
    names = {overload.name, overload.name.removesuffix("_"), full_name}
    for op in op_db:
        if op.name not in names:
            continue
        dtypes = [dtype for dtype in (torch.float64, torch.int64, torch.bool) if dtype in op.dtypes]
        for sample in drawn(op.full_name, dtypes[0], False)[:12] if dtypes else ():
            values = [sample.input, *sample.args]
            names_of = [p.name for p in overload.parameters if p.positional]
            if len(values) <= len(names_of) and sum(t.numel() for t in tensors_in(values, torch.Tensor)) < LARGEST:
                yield {**dict(zip(names_of, values, strict=False)), **sample.kwargs}


def accepted(case: Case) -> bool:
    """Whether PyTorch makes a call."""
    return not isinstance(outcome(lambda side: side.call(), case, torch), Raised)


class Fitting:
    """An overload with arguments that PyTorch takes: those that are required, and values for each optional one."""

    def __init__(self, overload: Overload, given: dict[str, Any]):
        self.overload, self.given = overload, given

    def case(self, values: dict[str, Any], by_name: int = 99) -> Case:
        """The call with some arguments, of which the first are given by position."""
        return called(self.overload, values, by_name)

    def extras(self, each: int = 2) -> Iterator[tuple[Parameter, Any]]:
        """Optional parameters with values that PyTorch takes beside the required ones."""
        for parameter in self.overload.parameters:
            if parameter.required or parameter.name == "out":
                continue
            values = pool(parameter) if parameter.default is UNKNOWN else [parameter.default, *pool(parameter)]
            fitting = (v for v in values if accepted(self.case({**self.given, parameter.name: v})))
            for value in itertools.islice(fitting, each):
                yield parameter, value

    def tensors(self) -> Iterator[Case]:
        """Calls with tensors in the place of numbers: without dimensions and with some, and with a gradient."""
        extras = {parameter.name: value for parameter, value in self.extras(1)}
        for parameter in filter(is_number, self.overload.parameters):
            number = self.given.get(parameter.name, extras.get(parameter.name))
            if type(number) not in (int, float):
                continue
            for value in (number, float(number), [number], [[float(number)]]):
                yield self.case({**self.given, parameter.name: torch.tensor(value)})
            yield self.case({**self.given, parameter.name: torch.tensor(number, dtype=torch.float64)})
            yield self.case({**self.given, parameter.name: torch.tensor(float(number), requires_grad=True)}, 1)


def is_number(parameter: Parameter) -> bool:
    """Whether a parameter takes a number, and no tensor."""
    kinds = {kind.lstrip("_").removeprefix("Optional[").rstrip("]") for kind in parameter.kinds}
    return bool(kinds & {"int", "float", "Number", "number"}) and "Tensor" not in kinds


def called(overload: Overload, values: dict[str, Any], by_position: int = 99) -> Case:
    """A call of a function, with so many arguments by position as can be, but at most some number."""
    args: list = []
    left = dict(values)
    for parameter in overload.parameters:
        if not parameter.positional or len(args) >= by_position or parameter.name not in left:
            break
        value = left.pop(parameter.name)
        args += value if parameter.name[0] == "*" and isinstance(value, list) else [value]
    name = f"{overload.home}.{overload.name}" if overload.home else overload.name
    return Case(name, "", tuple(args), left)


def fitting(overload: Overload) -> Fitting | None:
    """Arguments that PyTorch takes for an overload; None where none are found."""
    required = [p for p in overload.parameters if p.required and p.name != "out"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        known = {p.name for p in overload.parameters}
        for given in sampled(overload):
            values = {name: value for name, value in given.items() if name in known}
            kept = {p.name: values[p.name] for p in required if p.name in values}
            for some in (kept, values):
                if len(kept) == len(required) and accepted(called(overload, some)):
                    return Fitting(overload, some)
        for values in itertools.islice(combinations(required), TRIES):
            given = dict(zip([p.name for p in required], values, strict=True))
            if accepted(called(overload, given)):
                return Fitting(overload, given)
    return None
