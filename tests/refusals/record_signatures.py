"""Records the signatures of PyTorch's functions: `PYTHONPATH=. python tests/refusals/record_signatures.py`.

Needs torch. A function that is called with far too many arguments names all of its signatures, if it has several;
if it has one, that is the schema of the operator, in the names and the words that the errors have.
"""

import inspect
import pathlib
import re
import warnings

import torch

import rushlight

PATH = pathlib.Path(rushlight.__file__).parent / "refusals" / "signatures.txt"
HOMES = ("", "linalg", "fft", "special", "nn.functional", "Tensor")
KINDS = {
    "Tensor": "Tensor",
    "Scalar": "Number",
    "number": "Number",
    "int": "int",
    "SymInt": "int",
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
OWN_PARSER = {".nonzero": ("nonzero", ["(Tensor input, *, bool as_tuple = False, Tensor out = None)"])}
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
    """A signature as an error lists it, with the sign of those that may be None: errors leave it out."""
    optional = set()
    for schema in torch._C._jit_get_schemas_for_operator(f"aten::{name}"):
        names = ["input" if a.name == "self" else a.name for a in schema.arguments]
        if all(f" {name}" in text for name in names if name != "input"):
            optional |= {a.name for a in schema.arguments if str(a.type).startswith("Optional[")}
    return re.sub(r"(\w+) (\w+)(?=[,)])", lambda m: f"{m[1]}{'?' * (m[2] in optional)} {m[2]}", text)


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
        kind = f"tuple of {KINDS[kind]}s" if is_list else KINDS[kind]
        argument = "input" if argument == "self" else argument
        default = f" = {default}" if default is not None else ""
        items.append(f"{kind}{optional if not default else ''} {argument}{default}")
    if not is_method and outs:
        items += ["*"] * ("*" not in items) + ["Tensor out = None" if outs == 1 else "tuple of Tensors out = None"]
    return f"({', '.join(items)})"


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
    print(len(lines), "signatures of", len({line.split(" ")[0] for line in lines}), "functions")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
