"""The legacy classes of sparse tensors of one dtype, such as `torch.sparse.FloatTensor`: constructors and types."""

from typing import Any

from rushlight.dtypes import DTYPES, TYPE_NAMES, dtype
from rushlight.settings import warn_once
from rushlight.size import Size
from rushlight.sparse.creation import sparse_coo_tensor
from rushlight.sparse.tensor import SparseTensor
from rushlight.tensors import Tensor

WITHOUT = ("bool", "uint16", "uint32", "uint64")
CLASSES: dict[str, dtype] = {
    f"{TYPE_NAMES[d]}Tensor": d
    for d in DTYPES
    if d in TYPE_NAMES and not d.is_complex and d._name not in WITHOUT and not d._name.startswith("float8")
}

__all__ = [*CLASSES]


class TypedSparseTensor(type):
    """The metaclass of these classes: any COO tensor of the dtype counts as an instance."""

    dtype: dtype
    is_sparse = True

    def __instancecheck__(cls, value: Any) -> Any:
        return isinstance(value, SparseTensor) and value.dtype is cls.dtype and value.is_sparse

    def __call__(cls, *given: Any, device: Any = None) -> Tensor:
        indices, values, size = read(given)
        asked = "shape" if values is None else "indices, values" if size is None else "indices, values, shape"
        warn_once(
            f"torch.sparse.SparseTensor({asked}, *, device=) is deprecated.  Please use "
            f"torch.sparse_coo_tensor({asked}, dtype=, device=)."
        )
        if values is None:
            return sparse_coo_tensor(size, dtype=cls.dtype, device=device)
        return sparse_coo_tensor(indices, values, size, device=device)


def read(given: tuple[Any, ...]) -> tuple[Any, Any, Any]:
    """The indices, values and size among the arguments, None for those not given; TypeError for anything else."""
    if len(given) in (2, 3) and all(isinstance(x, Tensor) for x in given[:2]):
        return given[0], given[1], given[2] if len(given) == 3 else None
    if len(given) == 1 and isinstance(given[0], Size):
        return None, None, given[0]
    if all(isinstance(n, int) for n in given):
        return None, None, given or (0,)
    if len(given) == 1 and isinstance(given[0], (list, tuple)):
        raise TypeError(
            "torch.sparse.SparseTensor(sequence) only accepts sizes.  Please use torch.sparse_coo_tensor() or "
            "construct a strided tensor and convert it to sparse via to_sparse."
        )
    kinds = ", ".join(type(x).__name__ for x in given)
    raise TypeError(
        f"new() received an invalid combination of arguments - got ({kinds}). Give indices and values, and the size, "
        "or sizes alone."
    )


for name, d in CLASSES.items():
    doc: str = f"Sparse tensors of {d}: made from indices and values, or without elements from sizes."
    globals()[name] = TypedSparseTensor(name, (), {"dtype": d, "__module__": "torch.sparse", "__doc__": doc})
