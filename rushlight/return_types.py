"""The named tuples that functions with several results return, as `torch.return_types`."""

from operator import itemgetter
from typing import Any


def named_tuple(name: str, *fields: str) -> type:
    """A class of tuples with named fields, which prints as PyTorch's do."""

    def show(self):
        lines = ",\n".join(f"{field}={value!r}" for field, value in zip(fields, self, strict=True))
        return f"torch.return_types.{name}(\n{lines})"

    def reduce(self):
        return type(self), (tuple(self),)

    def refuse(self, wanted):
        listed = " and ".join(fields)
        raise AttributeError(f"'torch.return_types.{name}' object has no attribute '{wanted}': it has {listed}")

    attributes: dict[str, Any] = {field: property(itemgetter(i)) for i, field in enumerate(fields)}
    attributes |= {
        "__slots__": (),
        "__module__": __name__,
        "__repr__": show,
        "__getattr__": refuse,
        "__reduce__": reduce,
    }
    attributes |= {"n_fields": len(fields), "n_sequence_fields": len(fields), "n_unnamed_fields": 0}
    return type(name, (tuple,), attributes)


max = named_tuple("max", "values", "indices")
min = named_tuple("min", "values", "indices")
median = named_tuple("median", "values", "indices")
nanmedian = named_tuple("nanmedian", "values", "indices")
mode = named_tuple("mode", "values", "indices")
kthvalue = named_tuple("kthvalue", "values", "indices")
sort = named_tuple("sort", "values", "indices")
topk = named_tuple("topk", "values", "indices")
cummax = named_tuple("cummax", "values", "indices")
cummin = named_tuple("cummin", "values", "indices")
aminmax = named_tuple("aminmax", "min", "max")
frexp = named_tuple("frexp", "mantissa", "exponent")
histogram = named_tuple("histogram", "hist", "bin_edges")
histogramdd = named_tuple("histogramdd", "hist", "bin_edges")
linalg_cholesky_ex = named_tuple("linalg_cholesky_ex", "L", "info")
linalg_slogdet = named_tuple("linalg_slogdet", "sign", "logabsdet")
linalg_eigh = named_tuple("linalg_eigh", "eigenvalues", "eigenvectors")
linalg_eig = named_tuple("linalg_eig", "eigenvalues", "eigenvectors")
linalg_ldl_factor = named_tuple("linalg_ldl_factor", "LD", "pivots")
linalg_ldl_factor_ex = named_tuple("linalg_ldl_factor_ex", "LD", "pivots", "info")
linalg_lstsq = named_tuple("linalg_lstsq", "solution", "residuals", "rank", "singular_values")
linalg_lu = named_tuple("linalg_lu", "P", "L", "U")
linalg_lu_factor = named_tuple("linalg_lu_factor", "LU", "pivots")
linalg_lu_factor_ex = named_tuple("linalg_lu_factor_ex", "LU", "pivots", "info")
linalg_qr = named_tuple("linalg_qr", "Q", "R")
linalg_svd = named_tuple("linalg_svd", "U", "S", "Vh")
linalg_inv_ex = named_tuple("linalg_inv_ex", "inverse", "info")
linalg_solve_ex = named_tuple("linalg_solve_ex", "result", "info")
geqrf = named_tuple("geqrf", "a", "tau")
lu_unpack = named_tuple("lu_unpack", "P", "L", "U")
qr = named_tuple("qr", "Q", "R")
slogdet = named_tuple("slogdet", "sign", "logabsdet")
svd = named_tuple("svd", "U", "S", "V")
triangular_solve = named_tuple("triangular_solve", "solution", "cloned_coefficient")
