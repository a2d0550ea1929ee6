"""Functions and methods that are loaded late: sparse tensors, storage, linear algebra, spectra, layers, ..."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from rushlight.core.above import ABOVE
from rushlight.refusals.guard import guard
from rushlight.tensors import Tensor

SPARSE = """
    _indices _nnz _values ccol_indices coalesce col_indices crow_indices dense_dim indices is_coalesced row_indices smm
    sparse_dim sparse_mask sparse_resize_ sparse_resize_and_clear_ sspaddmm to_dense to_sparse to_sparse_coo
    to_sparse_csc to_sparse_csr values
"""
STORAGE = "untyped_storage storage storage_type set_ is_set_to"

# Modules loaded on first use: their top-level functions, and the methods that they define.
FUNCTIONS = {
    "fft.short_time": "istft stft".split(),
    "linalg.toplevel": """
        cholesky cholesky_inverse cholesky_solve cross det frobenius_norm geqrf inverse lobpcg logdet lu lu_solve
        lu_unpack matrix_exp matrix_power norm nuclear_norm orgqr ormqr pca_lowrank pinverse qr renorm slogdet svd
        svd_lowrank triangular_solve vander
    """.split(),
    "nn.functional.cells": "gru_cell lstm_cell rnn_relu_cell rnn_tanh_cell".split(),
    "nn.functional.native": """
        adaptive_max_pool1d affine_grid_generator alpha_dropout alpha_dropout_ batch_norm
        binary_cross_entropy_with_logits cosine_embedding_loss ctc_loss dropout dropout_ embedding embedding_bag
        embedding_renorm_ feature_alpha_dropout feature_alpha_dropout_ group_norm hinge_embedding_loss instance_norm
        kl_div layer_norm margin_ranking_loss poisson_nll_loss triplet_margin_loss
    """.split(),
    "nn.functional.recurrent_layers": "gru lstm rnn_relu rnn_tanh".split(),
    "ops.making.windows": "bartlett_window blackman_window hamming_window hann_window kaiser_window".split(),
    "ops.randomness.rejection_samples": """
        _dirichlet_grad _sample_dirichlet _standard_gamma _standard_gamma_grad binomial
    """.split(),
    "ops.reductions.distances": "cdist pdist".split(),
    "ops.reductions.segments": ["segment_reduce"],
    "ops.reductions.weight_norms": "_weight_norm norm_except_dim".split(),
}
METHODS = {
    "fft.short_time": "istft stft".split(),
    "linalg": """
        cholesky cholesky_inverse cholesky_solve cross det geqrf inverse logdet lu lu_solve matrix_exp matrix_power norm
        orgqr ormqr pinverse qr renorm renorm_ slogdet svd triangular_solve
    """.split(),
    "ops.changes.one_by_one": "apply_ map2_ map_".split(),
}


class Late:
    """A method that imports its module when first used; the import replaces it by the real method."""

    __slots__ = ("module", "name")

    def __init__(self, module: str, name: str):
        self.module, self.name = module, name

    def __get__(self, tensor: Tensor | None, cls: type) -> Any:
        import_module(f"rushlight.{self.module}")
        return vars(Tensor)[self.name].__get__(tensor, cls)


def late_function(module: str, name: str) -> Callable[..., Any]:
    """A function of a module that is loaded on first use, as it appears in the top-level namespace."""
    namespace = {"__name__": "rushlight", name: getattr(import_module(f"rushlight.{module}"), name)}
    guard(namespace)
    return namespace[name]


def late_method(module: str, name: str) -> Callable[..., Any]:
    """A method that calls the function of its name in the `METHODS` table of a module."""

    def method(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        return import_module(module).METHODS[name](self, *args, **kwargs)

    method.__name__, method.__qualname__ = name, f"Tensor.{name}"
    return method


def make_wrapper_subclass(cls: type, size: int, *args: Any, **kwargs: Any) -> Any:
    """`Tensor._make_wrapper_subclass`; see `dispatch.wrappers`."""
    return ABOVE.make_wrapper_subclass(cls, size, *args, **kwargs)


Tensor._make_wrapper_subclass = staticmethod(make_wrapper_subclass)

for _module, _names in (("rushlight.sparse.methods", SPARSE), ("rushlight.storage", STORAGE)):
    for _name in _names.split():
        setattr(Tensor, _name, late_method(_module, _name))

for _module, _methods in METHODS.items():
    for _name in _methods:
        setattr(Tensor, _name, Late(_module, _name))
