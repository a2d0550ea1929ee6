"""Records how PyTorch prints: `python tests/golden/record_printing.py` writes printing.json beside itself.

A case is one line of the file: `values` (a complex number takes two) repeated to fill `shape` in `dtype`,
`options` for `set_printoptions`, `keywords` for `tensor_str`, and the `text` that PyTorch prints.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

nan, inf = np.nan, np.inf

FLOATS = [
    [1, 0.5, -2.25, 3],
    [1, 2, 3],
    [0, -0.0],
    [-0.0, 1, 0],
    [nan],
    [inf, -inf, nan, 0],
    [1, nan, -inf],
    [1.5, nan, -inf],
    [1, 1000],
    [1, 1000.5],
    [1, 1001.5],
    [1e8],
    [1.01e8],
    [1.01e8, inf, 0],
    [1e-4, 2e-4],
    [9e-5, 2e-4, nan],
    [1.2345678e20, -3e-12, 0],
    [0.00049, 0.3],
    [99999.99999, 100.5],
]
HALVES = [[65504, 1, 0.1], [6e-8, 1], [0.1, 0.2, -0.3], [2048, 1], [nan, inf, 0.5]]
INTEGERS = {
    "int64": [-(2**63), 0, 2**63 - 1],
    "uint64": [2**64 - 1, 7],
    "int32": [-5, 100000],
    "uint16": [65535, 1],
    "int16": [-1, 10],
    "int8": [-128, 127],
    "uint8": [0, 255],
    "bool": [True, False, True],
}
COMPLEXES = [[1, 2, 3.5, -4], [1, 2, 3, -4], [nan, nan, 0, inf], [0, -0.0], [1e9, 1, 0.5, 1e-7], [-1.5, -nan]]
KINDS = ["float16", "float32", "float32", "float64", "complex64", "complex128", "int64", "uint8"]
SHAPES = [(), (1,), (7,), (40,), (2, 3), (3, 30), (2, 2, 2), (2, 1, 3, 2), (1, 1, 1, 1, 2)]
EMPTY = [(0,), (0, 3), (3, 0), (2, 0, 4)]
LARGE = [(1000,), (1001,), (2000, 1), (1, 1001), (6, 200), (40, 40), (5, 7, 40), (11, 11, 11), (2, 600)]
OPTIONS = [
    {"precision": 2},
    {"precision": 0},
    {"precision": 10, "linewidth": 120},
    {"linewidth": 30},
    {"linewidth": 1},
    {"sci_mode": True},
    {"sci_mode": False},
    {"threshold": 5},
    {"threshold": 5, "edgeitems": 1},
    {"threshold": 5, "edgeitems": 0},
    {"threshold": 0},
    {"threshold": 0, "edgeitems": 0},
    {"edgeitems": 0},
    {"profile": "short"},
    {"profile": "full"},
    {"profile": "short", "edgeitems": 4, "threshold": 8},
]
KEYWORDS = [
    {"requires_grad": True},
    {"grad_fn_name": "CloneBackward0"},
    {"requires_grad": True, "grad_fn_name": "MulBackward0"},
    {"prefix": "Parametrized(", "requires_grad": True},
    {"default_dtype": "float64"},
    {"default_dtype": "float16"},
    {"suffix_dtype": "torch.bfloat16"},
]


def chosen() -> Iterator[tuple]:
    """Yields (values, dtype, shape, options, keywords): every rule of the format, one by one."""
    for values in FLOATS:
        yield values, "float32", (len(values),), {}, {}
        yield values, "float64", (2, len(values)), {}, {}
    for values in HALVES:
        yield values, "float16", (len(values),), {}, {}
    for dtype, values in INTEGERS.items():
        for shape in [(), (len(values),), (2, 15), (1001,)]:
            yield values, dtype, shape, {}, {}
    for values in COMPLEXES:
        yield values, "complex64", (len(values) // 2,), {}, {}
        yield values, "complex128", (3, 8), {}, {"requires_grad": True}
        yield values, "complex64", (), {}, {}
    for dtype in ["float32", "float64", "int64", "bool", "complex64"]:
        for shape in EMPTY:
            yield [], dtype, shape, {}, {"default_dtype": "float64"} if shape == (0,) else {}
    for shape in SHAPES:
        yield [1.5, -0.25, 12, 3, 0.125], "float32", shape, {}, {}
    for shape in LARGE:
        yield [1.5, -0.25, 12, 3, 0.125, 7, 700], "float32", shape, {}, {}
        yield [1, -1, 2, 0.5, 0, 1], "complex64", shape, {}, {}
    for options in OPTIONS:
        for shape in [(), (4,), (30,), (3, 8), (3, 2, 7)]:
            yield [1.5, -20.25, 3, 0.001, nan], "float32", shape, options, {}
        yield [1, -2, 0.5, 3], "complex64", (9,), options, {"requires_grad": True}
    for keywords in KEYWORDS:
        for shape in [(), (0, 2), (4,), (7,), (13,), (2, 6), (2, 9)]:
            yield [1.5, -20.25, 3, 0], "float32", shape, {}, keywords
        yield [1.5, 2], "float64", (3,), {"linewidth": 40}, keywords
        if "suffix_dtype" not in keywords:
            yield [1.5, 2], "complex128", (2,), {}, keywords


def drawn(count: int, seed: int = 0) -> Iterator[tuple]:
    """Yields `count` cases as `chosen` does, of random magnitudes, dtypes, shapes and options."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        kind = str(rng.choice(KINDS))
        shape = tuple(rng.integers(1, 6, rng.integers(0, 4)).tolist())
        low = rng.uniform(-6, 3)
        values = rng.normal(size=24) * 10 ** rng.uniform(low, low + rng.choice([0.5, 4]), 24)
        values = np.round(values, rng.choice([0, 1, 5, 9]))
        if kind == "float16":
            values = values.clip(-60000, 60000)
        if kind in ("int64", "uint8"):
            values = (np.abs(values) % 256).astype(int)
        elif rng.random() < 0.3:
            values[rng.integers(0, 24, 4)] = [nan, inf, -inf, 0]
        options = {
            "precision": int(rng.choice([0, 3, 4, 6])),
            "linewidth": int(rng.choice([20, 50, 80])),
            "threshold": int(rng.choice([8, 1000])),
            "edgeitems": int(rng.integers(1, 4)),
            "sci_mode": [None, None, True, False][rng.integers(4)],
        }
        grads = kind not in ("int64", "uint8") and rng.random() < 0.5
        yield values.tolist(), kind, shape, options, {"requires_grad": True} if grads else {}


def array_of(values: list, dtype: str, shape: tuple) -> np.ndarray:
    """The array that a case stands for."""
    parts = np.array(values, dtype=np.empty(0, dtype).real.dtype)
    return np.resize(parts.view(dtype), shape)


def printed(array: np.ndarray, options: dict, keywords: dict) -> str:
    """What PyTorch prints for the tensor that the keywords of `tensor_str` describe."""
    import torch
    from torch._tensor_str import printoptions

    tensor = torch.from_numpy(array)
    if "suffix_dtype" in keywords:
        tensor = tensor.to(torch.bfloat16)
    if "prefix" in keywords:
        tensor = tensor.as_subclass(type(keywords["prefix"][:-1], (torch.Tensor,), {}))
    name = keywords.get("grad_fn_name")
    if name or keywords.get("requires_grad"):
        tensor.requires_grad_()
    if name:
        tensor = {"CloneBackward0": torch.clone, "MulBackward0": lambda x: x * 1}[name](tensor)
    torch.set_default_dtype(getattr(torch, keywords.get("default_dtype", "float32")))
    with printoptions(**options):
        text = repr(tensor)
    torch.set_default_dtype(torch.float32)
    return text


def main() -> None:
    """Writes printing.json, a case a line."""
    lines = []
    for values, dtype, shape, options, keywords in [*chosen(), *drawn(200)]:
        case = {"values": values, "dtype": dtype, "shape": shape, "options": options, "keywords": keywords}
        lines.append(json.dumps(case | {"text": printed(array_of(values, dtype, shape), options, keywords)}))
    Path(__file__).with_name("printing.json").write_text("[\n" + ",\n".join(lines) + "\n]\n")


if __name__ == "__main__":
    main()
