# The types of the named tuples, which return_types.py makes at run time.
from collections.abc import Iterable
from typing import Self

from rushlight.tensors import Tensor

def named_tuple(name: str, *fields: str) -> type: ...

class Results(tuple[Tensor, ...]):
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    def __new__(cls, results: Iterable[Tensor]) -> Self: ...

class max(Results):
    values: Tensor
    indices: Tensor

class min(Results):
    values: Tensor
    indices: Tensor

class median(Results):
    values: Tensor
    indices: Tensor

class nanmedian(Results):
    values: Tensor
    indices: Tensor

class mode(Results):
    values: Tensor
    indices: Tensor

class kthvalue(Results):
    values: Tensor
    indices: Tensor

class sort(Results):
    values: Tensor
    indices: Tensor

class topk(Results):
    values: Tensor
    indices: Tensor

class cummax(Results):
    values: Tensor
    indices: Tensor

class cummin(Results):
    values: Tensor
    indices: Tensor

class aminmax(Results):
    min: Tensor
    max: Tensor

class frexp(Results):
    mantissa: Tensor
    exponent: Tensor

class histogram(Results):
    hist: Tensor
    bin_edges: Tensor

class histogramdd(Results):
    hist: Tensor
    bin_edges: tuple[Tensor, ...]

class linalg_cholesky_ex(Results):
    L: Tensor
    info: Tensor

class linalg_slogdet(Results):
    sign: Tensor
    logabsdet: Tensor

class linalg_eigh(Results):
    eigenvalues: Tensor
    eigenvectors: Tensor

class linalg_eig(Results):
    eigenvalues: Tensor
    eigenvectors: Tensor

class linalg_ldl_factor(Results):
    LD: Tensor
    pivots: Tensor

class linalg_ldl_factor_ex(Results):
    LD: Tensor
    pivots: Tensor
    info: Tensor

class linalg_lstsq(Results):
    solution: Tensor
    residuals: Tensor
    rank: Tensor
    singular_values: Tensor

class linalg_lu(Results):
    P: Tensor
    L: Tensor
    U: Tensor

class linalg_lu_factor(Results):
    LU: Tensor
    pivots: Tensor

class linalg_lu_factor_ex(Results):
    LU: Tensor
    pivots: Tensor
    info: Tensor

class linalg_qr(Results):
    Q: Tensor
    R: Tensor

class linalg_svd(Results):
    U: Tensor
    S: Tensor
    Vh: Tensor

class linalg_inv_ex(Results):
    inverse: Tensor
    info: Tensor

class linalg_solve_ex(Results):
    result: Tensor
    info: Tensor

class geqrf(Results):
    a: Tensor
    tau: Tensor

class lu_unpack(Results):
    P: Tensor
    L: Tensor
    U: Tensor

class qr(Results):
    Q: Tensor
    R: Tensor

class slogdet(Results):
    sign: Tensor
    logabsdet: Tensor

class svd(Results):
    U: Tensor
    S: Tensor
    V: Tensor

class triangular_solve(Results):
    solution: Tensor
    cloned_coefficient: Tensor
