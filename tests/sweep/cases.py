"""The cases of the sweep: calls of every operator with their results and gradients, recorded from PyTorch."""

import json
import pathlib

import numpy as np

PATH = pathlib.Path(__file__).with_name("golden.npz")
DTYPES = (
    "float64",
    "complex128",
    "int64",
    "bool",
    "float32",
    "int32",
    "uint8",
    "complex64",
    "float16",
    "int8",
    "int16",
)


def cotangent(array: np.ndarray, k: int) -> np.ndarray:
    """The cotangent of output number `k` that recording and test both use."""
    n = np.arange(array.size).reshape(array.shape)
    c = np.cos(n + k + 1)
    return np.asarray(c + 1j * np.sin(2 * n + k) if array.dtype.kind == "c" else c, array.dtype)


class Writer:
    """Collects values: arrays go into one long array for each dtype, all else into JSON."""

    def __init__(self, torch):
        self.torch = torch
        self.parts = {name: [] for name in DTYPES}
        self.sizes = dict.fromkeys(DTYPES, 0)

    def array(self, tensor):
        """Where a tensor's values are kept: [dtype, offset, shape, requires_grad]."""
        array = tensor.detach().resolve_conj().resolve_neg().numpy()
        name = str(array.dtype)
        offset = self.sizes[name]
        self.parts[name].append(array.ravel())
        self.sizes[name] += array.size
        return [name, offset, list(array.shape), tensor.requires_grad]

    def value(self, value):
        """A JSON form of an argument."""
        torch = self.torch
        if isinstance(value, torch.Tensor):
            return {"tensor": self.array(value)}
        if isinstance(value, (tuple, list)):
            return {type(value).__name__ if type(value) is list else "tuple": [self.value(v) for v in value]}
        if isinstance(value, dict):
            return {"dict": {k: self.value(v) for k, v in value.items()}}
        if isinstance(value, torch.dtype):
            return {"dtype": str(value).removeprefix("torch.")}
        if isinstance(value, torch.memory_format):
            return {"memory_format": str(value).removeprefix("torch.")}
        if isinstance(value, slice):
            return {"slice": [value.start, value.stop, value.step]}
        if isinstance(value, complex):
            return {"complex": [value.real, value.imag]}
        if value is Ellipsis:
            return {"ellipsis": True}
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        raise TypeError(f"cannot record {type(value).__name__}")

    def save(self, cases):
        """Writes the file."""
        arrays = {name: np.concatenate(parts) for name, parts in self.parts.items() if parts}
        np.savez_compressed(PATH, index=np.frombuffer(json.dumps(cases).encode(), np.uint8), **arrays)


class Reader:
    """Gives the recorded values back, as tensors of the library under test."""

    def __init__(self, torch):
        self.torch = torch
        with np.load(PATH) as file:
            self.arrays = {name: file[name] for name in file.files}
        self.cases = json.loads(bytes(self.arrays.pop("index")))

    def array(self, place) -> np.ndarray:
        """The recorded array at a place."""
        name, offset, shape, _ = place
        return self.arrays[name][offset : offset + int(np.prod(shape))].reshape(shape)

    def value(self, value):
        """An argument from its JSON form; tensors are new at each call."""
        if not isinstance(value, dict):
            return value
        ((kind, content),) = value.items()
        if kind == "tensor":
            return self.torch.from_numpy(self.array(content).copy()).requires_grad_(content[3])
        if kind in ("tuple", "list"):
            items = [self.value(v) for v in content]
            return items if kind == "list" else tuple(items)
        if kind == "dict":
            return {k: self.value(v) for k, v in content.items()}
        if kind in ("dtype", "memory_format"):
            return getattr(self.torch, content)
        if kind == "slice":
            return slice(*content)
        return Ellipsis if kind == "ellipsis" else complex(*content)


def tensors_in(value, tensor_class):
    """All tensors in a nested value, in order."""
    if isinstance(value, tensor_class):
        return [value]
    if isinstance(value, (tuple, list)):
        return [t for v in value for t in tensors_in(v, tensor_class)]
    if isinstance(value, dict):
        return [t for v in value.values() for t in tensors_in(v, tensor_class)]
    return []


def values_of(tensor):
    """The values of a tensor, which may be the conjugates or the negatives of what its memory holds."""
    return tensor.detach().resolve_conj().resolve_neg().numpy()
