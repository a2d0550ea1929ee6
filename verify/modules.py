"""Calls of modules, from the samples of PyTorch's database: a module is made and called, in training or evaluation."""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch.testing._internal.common_modules import ModuleInput, module_db

import rushlight
from verify.operators.cases import SINGLETONS, TYPES, Case, short, tensors_in, translated


@dataclass
class ModuleCase(Case):
    """A call of a module: `variant` says in which mode, `made` how it is made."""

    made: tuple = ((), {})

    def function(self, library) -> Callable:
        """A function that makes the module and calls it."""

        def called(*args, **kwargs):
            made, settings = translated(self.made, library, [])
            module = getattr(library.nn, self.name)(*made, **settings)
            return module.double().train(self.variant == "train")(*args, **kwargs)

        return called

    def __str__(self) -> str:
        made = [short(v) for v in self.made[0]] + [f"{key}={short(v)}" for key, v in self.made[1].items()]
        given = [short(v) for v in self.args] + [f"{key}={short(v)}" for key, v in self.kwargs.items()]
        return f"{self.name}({', '.join(made)}).{self.variant}()({', '.join(given)})"


def modules(word: str) -> list:
    """The modules whose names contain a word and that rushlight has."""
    return [m for m in module_db if word in m.name and hasattr(rushlight.nn, m.module_cls.__name__)]


def usable(sample: ModuleInput) -> bool:
    """Whether a sample has ordinary tensors, and neither modules nor functions among its arguments."""
    inputs = [i for i in (sample.constructor_input, sample.forward_input) if i is not None]
    values = [v for i in inputs for v in (*i.args, *i.kwargs.values())]
    tensors = tensors_in(values, torch.Tensor)
    return not any(callable(v) and not isinstance(v, SINGLETONS) for v in values) and all(
        t.layout is torch.strided and t.dtype in TYPES and not t.is_nested for t in tensors
    )


def calls(module, samples: list[ModuleInput], mode: str) -> Iterator[ModuleCase]:
    """The calls that samples are made of; where a sample has no input to the module, none is given."""
    for sample in samples:
        if usable(sample):
            made, given = sample.constructor_input, sample.forward_input
            args, kwargs = (given.args, given.kwargs) if given is not None else ((), {})
            yield ModuleCase(module.module_cls.__name__, mode, args, kwargs, made=(made.args, made.kwargs))


def samples(module, count: int) -> Iterator[ModuleCase]:
    """Some of a module's samples in both modes, with gradients."""
    for mode in ("train", "eval"):
        found = drawn(module.module_inputs_func, module, requires_grad=True, training=mode == "train")
        step = max(len(found) // count, 1)
        yield from calls(module, found[::step][:count], mode)


def wrong(module) -> Iterator[ModuleCase]:
    """What PyTorch says a module refuses."""
    if module.module_error_inputs_func is not None:
        found = drawn(module.module_error_inputs_func, module, requires_grad=False, training=True)
        yield from calls(module, [error.module_error_input for error in found], "train")


def drawn(function: Callable, module, **options) -> list:
    """The samples that a function of PyTorch's database gives."""
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return list(function(module, device="cpu", dtype=torch.float64, **options))
