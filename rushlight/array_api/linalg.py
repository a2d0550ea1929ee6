"""The standard's linear algebra."""

from typing import Any

import numpy as np

import rushlight as torch
from rushlight.array_api.functions import on_tensors
from rushlight.tensors import Tensor

SAME = [
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svdvals",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]
__all__ = [*SAME, "cholesky", "svd"]


def __getattr__(name: str) -> Any:
    """A function that NumPy has under the same name."""
    if name in SAME:
        return on_tensors(getattr(np.linalg, name))
    raise AttributeError(f"the array API standard has no linalg.{name}")


def cholesky(x: Tensor, /, *, upper: bool = False) -> Tensor:
    """The Cholesky factor of positive definite matrices."""
    return torch.linalg.cholesky(x, upper=upper)


def svd(x: Tensor, /, *, full_matrices: bool = True) -> Any:
    """The singular value decomposition."""
    return torch.linalg.svd(x, full_matrices)
