"""The methods of sparse tensors, on all tensors: what sparse tensors are is loaded when the first is called."""

from rushlight.tensors import Tensor

NAMES = """
    _indices _nnz _values ccol_indices coalesce col_indices crow_indices dense_dim indices is_coalesced row_indices smm
    sparse_dim sparse_mask sparse_resize_ sparse_resize_and_clear_ sspaddmm to_dense to_sparse to_sparse_coo
    to_sparse_csc to_sparse_csr values
"""


def entered(name: str):
    """A method that the table of functions of sparse tensors has."""

    def method(self, *args, **kwargs):
        import rushlight.sparse

        return rushlight.sparse._HANDLED[name](self, *args, **kwargs)

    method.__name__, method.__qualname__ = name, f"Tensor.{name}"
    return method


for _name in NAMES.split():
    setattr(Tensor, _name, entered(_name))
