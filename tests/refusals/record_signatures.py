"""Records the signatures of PyTorch's functions: `python tests/refusals/record_signatures.py`.

Needs torch. A function that is called with far too many arguments names all of its signatures, if it has several;
if it has one, that is the schema of the operator, in the names and the words that the errors have.
"""

import inspect
import pathlib
import re
import sys
import warnings
from functools import partial

import torch

sys.path.insert(0, str(pathlib.Path(__file__).parents[2]))

import rushlight
from rushlight.refusals.numbers import numbers_of
from verify.conventions.arguments import fitting
from verify.conventions.overloads import overloads

PATH = pathlib.Path(rushlight.__file__).parent / "refusals" / "signatures.txt"
WRAPPERS = PATH.with_name("wrappers.txt")
HOMES = ("", "linalg", "fft", "special", "nn.functional", "Tensor")
KINDS = {
    "Tensor": "Tensor",
    "Scalar": "Number",
    "number": "Number",
    "int": "int",
    "SymInt": "SymInt",
    "float": "float",
    "bool": "bool",
    "str": "str",
    "ScalarType": "torch.dtype",
    "Layout": "torch.layout",
    "Device": "torch.device",
    "MemoryFormat": "torch.memory_format",
    "Generator": "Generator",
}
OUT = re.compile(r"!\)(\[\])? ")  # in a schema: a tensor, or a list of them, that is written to
REFUSED = re.compile(r"(\w+\(\): argument '\w+' \(position \d+\) must be [\w ]+), not Tensor")
OWN_PARSER = {
    ".frombuffer": (
        "frombuffer",
        ["(object buffer, *, torch.dtype dtype, int count = -1, int offset = 0, bool requires_grad = False)"],
    ),
    ".nonzero": ("nonzero", ["(Tensor input, *, bool as_tuple = False, Tensor out = None)"]),
    ".nonzero_static": (
        "nonzero_static",
        ["(Tensor input, *, SymInt size, int fill_value = -1, Tensor out = None)"],
    ),
    "Tensor.nonzero_static": ("nonzero_static", ["(*, SymInt size, int fill_value = -1)"]),
}
UNLISTED = {  # functions in Python that no overload declares, or that refuse tensors in other words
    ".norm dim": "linalg_vector_norm(): argument 'dim' (position 3) must be tuple of ints[1]",
    "Tensor.unflatten sizes": "unflatten(): argument 'sizes' (position 2) must be tuple of ints",
    "nn.functional.local_response_norm size": "pad(): argument 'pad' failed to unpack: 'size' must be SymInt",
    "nn.functional.pad pad": "pad(): argument 'pad' (position 2) must be tuple of ints",
    **{
        f"nn.functional.{name}{suffix} output_size": f"{name}(): argument 'output_size' must be tuple of ints"
        for name in ("adaptive_max_pool2d", "adaptive_max_pool3d")
        for suffix in ("", "_with_indices")
    },
}
ARGUMENT = re.compile(r"(\w+)(?:\([a-z!|* >-]+\))?(\[\d*\])?(\??) (\w+)(?:=(.+))?")


def place(library, home):
    """The module or class that a home names."""
    for part in home.split(".") if home else ():
        library = getattr(library, part)
    return library


def signatures_of(function, self):
    """The name that a function's errors give it, and its signatures as they write them."""
    try:
        function(*self, *[object()] * 60)
    except TypeError as error:
        text = str(error)
    except Exception:
        return None
    else:
        return None
    name = text.partition("(")[0]
    if "invalid combination" in text:
        found = re.findall(r"\* (\(.*\))", text) or re.findall(r"expected (\(.*\))", text)
        return name, [with_optionals(name, text) for text in found]
    takes = re.search(r"takes (?:from (\d+) to )?(\d+) positional", text)
    if takes is None or name in ("tensor", "as_tensor"):  # they take data of any kind
        return None
    schemas = {s.overload_name: str(s) for s in torch._C._jit_get_schemas_for_operator(f"aten::{name}")}
    most, least = int(takes[2]), int(takes[1] or takes[2])
    outs = max([len(OUT.findall(text.partition("*, ")[2])) for text in schemas.values()], default=0)
    for text in schemas.values():
        found = signature(text, outs, bool(self))
        positional = [item for item in (found or "").strip("()").partition("*")[0].split(", ") if " " in item]
        if found and (sum(" = " not in item for item in positional), len(positional)) == (least, most):
            return name, [found]
    return None


def with_optionals(name, text):
    """A signature as an error lists it, with what errors leave out: which may be None, kinds of ints and lists."""
    optional = set()
    for schema in torch._C._jit_get_schemas_for_operator(f"aten::{name}"):
        names = ["input" if a.name == "self" else a.name for a in schema.arguments]
        if all(f" {name}" in text for name in names if name != "input"):
            optional |= {a.name for a in schema.arguments if str(a.type).startswith("Optional[")}
    text = re.sub(r"(\w+) (\w+)(?=[,)])", lambda m: f"{m[1]}{'?' * (m[2] in optional)} {m[2]}", text)
    schemas = " ".join(map(str, torch._C._jit_get_schemas_for_operator(f"aten::{name}")))
    symbolic = re.findall(r"SymInt\?? (\w+)", schemas)
    sizes = {argument: size for size, argument in re.findall(r"(?:Sym)?[Ii]nt(\[\d+\])\?? (\w+)", schemas)}
    text = re.sub(r"\btuple of ints(\??) (\w+)", lambda m: f"tuple of ints{sizes.get(m[2], '')}{m[1]} {m[2]}", text)
    return re.sub(r"\bint(\??) (\w+)", lambda m: f"{'SymInt' if m[2] in symbolic else 'int'}{m[1]} {m[2]}", text)


def signature(text, outs, is_method):
    """A schema in the words of errors; None where it has what these do not know, or is no function of tensors."""
    if "Tensor" not in text or OUT.search(text.partition("*, ")[2]):
        return None
    inside = text[text.index("(") + 1 : text.rindex(") ->")]
    items, lists = [], re.split(r", (?![^\[]*\])", inside)
    for item in lists:
        if item == "*" or (is_method and item.endswith(" self")):
            items += ["*"] * (item == "*")
            continue
        found = ARGUMENT.fullmatch(item)
        if found is None or found[1] not in KINDS:
            return None
        kind, is_list, optional, argument, default = found.groups()
        size = is_list if is_list != "[]" and kind in ("int", "SymInt") else ""  # for which one number can be given
        kind = f"tuple of {KINDS[kind].replace('SymInt', 'int')}s{size}" if is_list else KINDS[kind]
        argument = "input" if argument == "self" else argument
        default = f" = {default}" if default is not None else ""
        items.append(f"{kind}{optional if not default else ''} {argument}{default}")
    if not is_method and outs:
        items += ["*"] * ("*" not in items) + ["Tensor out = None" if outs == 1 else "tuple of Tensors out = None"]
    return f"({', '.join(items)})"


def refused_by_wrappers():
    """Each number of a function in Python, and how the operator that it is given to refuses a tensor."""
    for overload in overloads(""):
        ours, theirs = (getattr(place(library, overload.home), overload.name, None) for library in (rushlight, torch))
        if overload.home == "Tensor" or ours is None or not inspect.isfunction(theirs):
            continue
        found = fitting(overload)
        for parameter in sorted(numbers_of(ours)[1] & {p.name for p in overload.parameters}) if found else ():
            case = partial(refusal_of, theirs, found, parameter)
            of_one, of_two = case(torch.tensor([1])), case(torch.tensor([1.0, 2.0]))
            words = of_one or of_two
            if words:
                if not of_one:  # an int of which the compiler can make a symbol, or a list for which it may stand
                    words = words.replace("must be int", "must be SymInt").replace("of ints", "of ints[1]")
                yield f"{overload.home}.{overload.name} {parameter}", words


def refusal_of(function, found, parameter, value):
    """How a value is refused, without its type; nothing where it is taken, or refused in other words."""
    case = found.case({**found.given, parameter: value})
    try:
        function(*case.args, **case.kwargs)
    except Exception as error:
        words = REFUSED.match(str(error))
        return words[1] if words else ""
    return ""


def main():
    """Writes a line for each signature: where the function is, its name in errors, its parameters."""
    lines = []
    for home in HOMES:
        ours, theirs = place(rushlight, home), place(torch, home)
        for name in sorted(n for n in dir(ours) if not n.startswith("_")):
            function = getattr(theirs, name, None)
            if not inspect.isroutine(function) or inspect.isfunction(function) or not hasattr(ours, name):
                continue
            found = OWN_PARSER.get(f"{home}.{name}") or signatures_of(function, [torch.ones(2)] * (home == "Tensor"))
            if found:
                lines += [f"{home}.{name} {found[0]}{signature}" for signature in found[1]]
    PATH.write_text("\n".join(lines) + "\n")
    words = UNLISTED | dict(sorted(refused_by_wrappers(), reverse=True))  # some functions call one of two operators
    WRAPPERS.write_text("".join(f"{parameter} {words[parameter]}\n" for parameter in sorted(words)))
    print(len(lines), "signatures of", len({line.split(" ")[0] for line in lines}), "functions")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
