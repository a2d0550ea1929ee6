"""A random program as a function that is called several times, eagerly and compiled; both end states are compared."""

import linecache
import math
import re
import textwrap
import warnings
from collections.abc import Callable
from hashlib import md5
from typing import Any

import numpy as np

import rushlight
from rushlight.compiler.compiled import Compiled
from rushlight.core.batched import Batched
from verify.programs.writer import compiled as code_of

ROUNDS = 5
SETUP = re.compile(
    r"torch\.(manual_seed|set_default_dtype)\(|"
    r"\w+ = (torch\.(rand\w*|tensor|zeros|ones|nn\.\w+|optim[\w.]*|full|arange)\(|list\(|lambda|\[\])|def "
)


class Function:
    """The lines of a program that can be called again: a function of its tensors, in a namespace of its own."""

    def __init__(self, lines: list[str]):
        self.space = {"torch": rushlight, "np": np, "own": own}
        first = next((i for i, line in enumerate(lines) if not SETUP.match(line)), len(lines))
        for line in lines[:first]:
            exec(code_of(line), self.space)
        self.inputs = [name for name, value in self.space.items() if type(value) is rushlight.Tensor]
        body = [line for line in lines[first:] if not line.startswith(("torch.manual_seed", "torch.set_default_dtype"))]
        names = dict.fromkeys(name for line in body for name in re.findall(r"^\s*(\w+) = ", line, re.MULTILINE))
        source = "\n".join(
            [
                f"def program({', '.join(self.inputs)}):",
                *[textwrap.indent(line, "    ") for line in body],
                f"    return {{{', '.join(f'{name!r}: own({name})' for name in names)}}}",
            ]
        )
        name = f"<program {hash(source)}>"
        linecache.cache[name] = len(source), None, source.splitlines(True), name  # where functions are split
        exec(compile(source, name, "exec"), self.space)
        self.call = self.space["program"]

    def arguments(self, number: int) -> list:
        """New tensors for a call."""
        given = []
        for name in self.inputs:
            value = self.space[name]
            array = value.detach().numpy() if value.dtype not in (rushlight.bfloat16,) else None
            if array is not None and array.dtype.kind in "fc":
                tensor = rushlight.from_numpy(np.array(array * (1 + 0.25 * number)))
            else:
                tensor = value.detach().clone()
            given.append(tensor.requires_grad_(value.requires_grad))
        return given

    def seen(self, arguments: list, results: dict) -> list:
        """All that can be seen after a call."""
        versions = [None if argument.is_inference() else argument._version for argument in arguments]
        found = [results, [argument.grad for argument in arguments], versions]
        for value in self.space.values():
            if isinstance(value, rushlight.nn.Module):
                found.append([*value.state_dict().values(), *(p.grad for p in value.parameters())])
        return [frozen(found), frozen(arguments), md5(rushlight.get_rng_state().numpy().tobytes()).hexdigest()]


def is_dense(tensor) -> bool:
    """Whether the elements of a tensor lie without gaps, in whatever order."""
    sizes = sorted((stride, size) for stride, size in zip(tensor.stride(), tensor.shape, strict=True) if size > 1)
    return all(stride == math.prod(size for _, size in sizes[:i]) for i, (stride, _) in enumerate(sizes))


def steps(tensor) -> list[int]:
    """The strides of a tensor's dimensions but those of size 1, whose strides lead to no element."""
    return [stride for stride, size in zip(tensor.stride(), tensor.shape, strict=True) if size != 1]


def own(value):
    """A result: what may be a view as a copy, since a replay gives tensors of their own; functions left out."""
    if isinstance(value, rushlight.Tensor):
        return value.clone() if value._is_view() or not is_dense(value) else value
    if isinstance(value, (list, tuple)):
        return [own(item) for item in value]
    return value if isinstance(value, (int, float, complex, str, bool, dict)) else None


def frozen(value):
    """A value that later calls do not change."""
    if isinstance(value, rushlight.Tensor) and isinstance(value._array, Batched):  # it left vmap
        return value.dtype, value.requires_grad, np.array(value._array.array)
    if isinstance(value, rushlight.Tensor):
        array = (value.detach().float() if value.dtype is rushlight.bfloat16 else value.detach()).resolve_conj().numpy()
        return (value.dtype, steps(value), value.requires_grad, type(value.grad_fn) is type(None), np.array(array))
    if isinstance(value, dict):
        return {key: frozen(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [frozen(item) for item in value]
    return value if isinstance(value, (int, float, complex, str, bool, type(None))) else type(value).__name__


def differs(a, b, path: str = "") -> str:
    """Where two frozen values differ beyond rounding; nothing where they do not."""
    if type(a) is not type(b):
        return f"{path}: {a!r} and {b!r}"
    if isinstance(a, dict):
        return next((d for key in a if (d := differs(a[key], b.get(key), f"{path}.{key}"))), "")
    if isinstance(a, (list, tuple)):
        if len(a) != len(b):
            return f"{path}: {len(a)} and {len(b)}"
        return next((d for i, (x, y) in enumerate(zip(a, b, strict=True)) if (d := differs(x, y, f"{path}[{i}]"))), "")
    if isinstance(a, np.ndarray):
        same = a.shape == b.shape and np.allclose(
            a, b, rtol=1e-4, atol=1e-6 * (1 + np.abs(a[np.isfinite(a)]).max(initial=0)), equal_nan=True
        )
        return "" if same else f"{path}: {a} and {b}"
    if isinstance(a, (float, complex)):
        return "" if np.isclose(np.asarray(a), np.asarray(b), rtol=1e-5, equal_nan=True) else f"{path}: {a} and {b}"
    return "" if a == b else f"{path}: {a!r} and {b!r}"


class Disturbed(Function):
    """A program whose arguments, parameters and gradients of these change by an epsilon of the largest number."""

    def __init__(self, lines: list[str], seed: int):
        super().__init__(lines)
        self.draw = np.random.default_rng(seed)
        for value in self.space.values():
            if isinstance(value, rushlight.nn.Module):
                for parameter in value.parameters():
                    self.disturb(parameter)
                    if parameter.requires_grad:
                        parameter.register_hook(lambda grad: self.disturb(grad.clone()))

    def arguments(self, number: int) -> list:
        """New tensors for a call, a little other ones."""
        return [self.disturb(argument) for argument in super().arguments(number)]

    def disturb(self, tensor):
        """Changes a tensor in place, and gives it back."""
        if tensor.is_floating_point() and tensor.numel():
            array = tensor.detach()
            noise = rushlight.from_numpy(self.draw.uniform(-1, 1, tensor.shape)).to(tensor.dtype)
            array.add_(noise * array.abs().max() * rushlight.finfo(tensor.dtype).eps)
        return tensor


def is_rounding(lines: list[str], calls: int, eager: list, replayed: list) -> bool:
    """Whether what a number of calls left behind differs by no more than ten times what small disturbances change."""
    others = []
    for seed in range(6):
        program = Disturbed(lines, seed)
        for number in range(calls):
            said = said_by(program, program.call, number)
        others.append(said)
    return within(eager, replayed, others)


def within(a, b, others: list) -> bool:
    """Whether two frozen values differ by no more than ten times what others differ from the first.

    What overflows is infinite or NaN depending on the order of sums.
    """
    if not differs(a, b):
        return True
    if any(type(other) is not type(a) for other in (b, *others)):
        return False
    if isinstance(a, dict):
        return all(within(a[key], b.get(key), [other.get(key) for other in others]) for key in a)
    if isinstance(a, (list, tuple)):
        same = all(len(other) == len(a) for other in (b, *others))
        return same and all(within(*both, rest) for *both, rest in zip(a, b, zip(*others, strict=True), strict=True))
    if np.asarray(a).dtype.kind not in "fc" or np.shape(a) != np.shape(b):
        return False
    finite = np.isfinite(a)
    if (finite != np.isfinite(b)).any():
        return False
    with np.errstate(invalid="ignore", over="ignore"):
        found, *sensitive = (np.abs(other - a)[finite].max(initial=0) for other in (b, *others))
    return bool(found <= 10 * np.nan_to_num(sensitive, nan=np.inf).max())


def said_by(program: Function, call: Callable, number: int) -> Any:
    """All that can be seen after a call; the exception that it raised."""
    rushlight.manual_seed(number)
    arguments = program.arguments(number // 2)
    try:
        results = call(*arguments)
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:60]
    return program.seen(arguments, results)


def outcome(lines: list[str], backend: str) -> tuple[str, str]:
    """What came of a program: "replayed", or why it was not; and a difference, if there is one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rushlight.set_default_dtype(rushlight.float32)
        eager, other = Function(lines), Function(lines)
        replayed = Compiled(other.call, False, backend, False)
        for number in range(ROUNDS):
            said = [said_by(eager, eager.call, number), said_by(other, replayed, number)]
            if difference := differs(*said):
                rounding = is_rounding(lines, number + 1, *said)
                rushlight.set_default_dtype(rushlight.float32)
                return ("differs by rounding", "") if rounding else ("", f"call {number}{difference}")
    rushlight.set_default_dtype(rushlight.float32)
    linecache.clearcache()
    if sum(variant.replays for one in (replayed, *replayed.pieces.parts) for variant in one.variants):
        return "replayed", ""
    why = replayed.given_up or (replayed.reasons or ["raises"])[-1]
    return re.sub(r" at \S+:\d+$", "", why.partition("(")[0]), ""
