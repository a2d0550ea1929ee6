"""Functions with the parameters that PyTorch declares."""

import re
from collections import defaultdict
from functools import cache
from keyword import iskeyword
from pathlib import Path

import rushlight
from rushlight.refusals.signatures import TENSORS_OF_NUMBERS
from stubs.rendered import NUMBER

TYPES = {
    "Tensor": "Tensor",
    "Number": NUMBER,
    "int": "_int",
    "SymInt": "_int",
    "float": "_float",
    "bool": "_bool",
    "str": "_str",
    "torch.dtype": "_dtype",
    "torch.device": "_device | _str | _int",
    "torch.layout": "_layout",
    "torch.memory_format": "_memory_format",
    "Generator": "_Generator",
}
BETWEEN = re.compile(r", (?![^\[(]*[\])])")  # what separates parameters: a comma that is in no brackets
SIZES = ("tuple of ints", "tuple of SymInts")
WIDER = {"str filename": "_str | _PathLike[_str]"}  # parameters that take more here than PyTorch declares


@cache
def recorded() -> dict[str, list[list[str]]]:
    """The parameters, as text, of each signature of a function, by its place: `.max`, `Tensor.max`, `special.i0`."""
    found = defaultdict(list)
    for line in (Path(rushlight.__file__).parent / "refusals" / "signatures.txt").read_text().splitlines():
        place, _, signature = line.partition(" ")
        inside = signature.partition("(")[2].rpartition(")")[0]
        found[place].append(BETWEEN.split(inside) if inside else [])
    return found


def typed(parameter: str, numbers: bool) -> str:
    """A parameter of a signature with its type; `numbers`: where a tensor is expected a number does as well."""
    declaration, _, default = parameter.partition(" = ")
    kind, _, name = declaration.rpartition(" ")
    name = f"{name}_" if iskeyword(name) else name
    optional = kind.endswith("?") or default == "None" or kind == "str"
    kind = kind.removesuffix("?")
    kind = re.sub(r"\[\d+\]$", "", kind)  # the length of a list for which one number can be given
    if kind.startswith("tuple of "):
        item = TYPES.get(kind.removeprefix("tuple of ").removesuffix("s"), "Any")
        text = f"Sequence[{item}]" if item == "Tensor" else f"{item} | Sequence[{item}]"
    else:
        text = WIDER.get(declaration, TYPES.get(kind, "Any"))
        if kind == "Tensor" and numbers and name != "out":
            text = f"Tensor | {NUMBER}"
    return f"{name}: {text}{' | None' if optional and text != 'Any' else ''}{' = ...' if default else ''}"


def forms(place: str, result: str, options: bool) -> list[str]:
    """The parameters and result of each form in which a function can be called; none where nothing is recorded.

    `options`: the function takes those of all functions that make tensors.
    """
    own, name = place.startswith("Tensor."), place.rpartition(".")[2]
    found = []
    for parameters in recorded().get(place, []):
        texts = [
            parameter if parameter == "*" else typed(parameter, name in TENSORS_OF_NUMBERS and (own or number > 0))
            for number, parameter in enumerate(parameters)
        ]
        if options and "requires_grad" not in "".join(texts):
            texts += ["requires_grad: _bool = ..."] if "*" in texts else ["*", "requires_grad: _bool = ..."]
        start = ["self"] if own else []
        found.append(f"({', '.join([*start, *texts])}) -> {result_of(parameters, result)}")
        places = parameters[: parameters.index("*")] if "*" in parameters else parameters
        if len(places) == 1 and places[0].rpartition(" ")[0].removesuffix("?") in SIZES:
            name = places[0].partition(" = ")[0].rpartition(" ")[2]
            texts = [f"*{name}: _int", *[text for text in texts[1:] if text != "*"]]
            found.append(f"({', '.join([*start, *texts])}) -> {result_of(parameters, result)}")
    return list(dict.fromkeys(found))


def result_of(parameters: list[str], result: str) -> str:
    """The result of one form: of functions that may give pairs, along a dimension alone."""
    parts = result.split(" | ")
    named = [part for part in parts if part.startswith("return_types.")]
    if not named or len(parts) == 1:
        return result
    along = any(parameter.partition(" = ")[0].endswith(" dim") for parameter in parameters)
    return named[0] if along else " | ".join(part for part in parts if part not in named)
