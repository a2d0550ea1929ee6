"""Methods of tensors that few programs call, of sparse tensors and of memory: loaded when they are called."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from rushlight.tensors import Tensor

SPARSE = """
    _indices _nnz _values ccol_indices coalesce col_indices crow_indices dense_dim indices is_coalesced row_indices smm
    sparse_dim sparse_mask sparse_resize_ sparse_resize_and_clear_ sspaddmm to_dense to_sparse to_sparse_coo
    to_sparse_csc to_sparse_csr values
"""
STORAGE = "untyped_storage storage storage_type set_ is_set_to"


def entered(module: str, name: str) -> Callable[..., Any]:
    """A method that the table of methods of a module has."""

    def method(self, *args, **kwargs):
        return import_module(module).METHODS[name](self, *args, **kwargs)

    method.__name__, method.__qualname__ = name, f"Tensor.{name}"
    return method


def make_wrapper_subclass(cls, size, *args, **kwargs):
    """`Tensor._make_wrapper_subclass`: see `dispatch.wrappers`."""
    return import_module("rushlight.dispatch.wrappers").make_wrapper_subclass(cls, size, *args, **kwargs)


Tensor._make_wrapper_subclass = staticmethod(make_wrapper_subclass)

for _module, _names in (("rushlight.sparse.methods", SPARSE), ("rushlight.storage", STORAGE)):
    for _name in _names.split():
        setattr(Tensor, _name, entered(_module, _name))
