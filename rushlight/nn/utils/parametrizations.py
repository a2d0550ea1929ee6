"""Ready-made parametrizations: orthogonal matrices, weight normalization, spectral normalization."""

from enum import Enum, auto
from typing import Any

import rushlight
from rushlight.autograd import no_grad
from rushlight.core.graph import TensorBase
from rushlight.linalg import householder_product, solve
from rushlight.nn.functional import normalize
from rushlight.nn.modules.conv_transpose import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from rushlight.nn.modules.module import Module
from rushlight.nn.utils.parametrize import register_parametrization
from rushlight.ops.reductions.weight_norms import _weight_norm, norm_except_dim
from rushlight.tensors import Tensor

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]


class _OrthMaps(Enum):
    matrix_exp = auto()
    cayley = auto()
    householder = auto()


class _Orthogonal(Module):
    """Makes a matrix orthogonal or unitary: the columns of a tall one, the rows of a wide one."""

    def __init__(self, weight: Tensor, orthogonal_map: _OrthMaps, *, use_trivialization: bool = True):
        super().__init__()
        if weight.is_complex() and orthogonal_map is _OrthMaps.householder:
            raise ValueError("The householder parametrization does not support complex tensors.")
        self.shape, self.orthogonal_map = weight.shape, orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, X: Tensor) -> Tensor:
        """The orthogonal matrix computed from a matrix of the same shape."""
        wide = X.shape[-2] < X.shape[-1]
        tall = X.mT if wide else X
        result = of_reflections(tall) if self.orthogonal_map is _OrthMaps.householder else self._of_skew(tall)
        if hasattr(self, "base"):
            result = self.base @ result
        return result.mT if wide else result

    def _of_skew(self, tall: Tensor) -> Tensor:
        """The exponential or Cayley transform of a skew-symmetric matrix, made of the elements below the diagonal."""
        n, k = tall.shape[-2], tall.shape[-1]
        lower = tall.tril()
        if n != k:
            lower = rushlight.cat([lower, lower.new_zeros(n, n - k).expand(*lower.shape[:-2], -1, -1)], dim=-1)
        skew = lower - lower.mH
        if self.orthogonal_map is _OrthMaps.matrix_exp:
            return rushlight.matrix_exp(skew)[..., :k]
        eye = rushlight.eye(n, dtype=skew.dtype)
        return solve(eye - skew / 2, eye + skew / 2)[..., :k]

    def right_inverse(self, Q: Tensor) -> Tensor:
        """The matrix from which `forward` computes Q; a Q that is not orthogonal is replaced by its QR's Q factor."""
        if Q.shape != self.shape:
            raise ValueError(
                f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of shape {Q.shape}."
            )
        with no_grad():
            return self._with_base(Q) if hasattr(self, "base") else self._without_base(Q)

    def _without_base(self, Q: Tensor) -> Tensor:
        """The Householder vectors of a matrix, with the signs of its columns on the diagonal."""
        if self.orthogonal_map is not _OrthMaps.householder:
            raise NotImplementedError(
                "It is not possible to assign to the matrix exponential or the Cayley parametrizations when "
                "use_trivialization=False."
            )
        wide = Q.shape[-2] < Q.shape[-1]
        result, tau = rushlight.geqrf(Q.mT if wide else Q)
        diagonal = result.diagonal(dim1=-2, dim2=-1)
        diagonal.sign_()
        diagonal[tau == 0] *= -1
        return result.mT if wide else result

    def _with_base(self, Q: Tensor) -> Tensor:
        """Makes the matrix the base that `forward` multiplies with, and returns the input for the identity."""
        n, k = max(Q.shape[-2:]), min(Q.shape[-2:])
        tall = Q.mT if Q.shape[-2] < Q.shape[-1] else Q
        if n != k:
            tall = rushlight.cat([tall, rushlight.randn(*tall.shape[:-2], n, n - k, dtype=Q.dtype)], dim=-1)
        square = n == k and is_orthogonal(tall)
        self.base = tall.clone() if square else orthogonalized(tall)
        start = rushlight.zeros_like(Q)
        start.diagonal(dim1=-2, dim2=-1).fill_(-1.0)  # with it, the product of reflections is the identity
        return start


def of_reflections(tall: Tensor) -> Tensor:
    """The product of the Householder reflections below the diagonal, with columns multiplied by the signs on it."""
    below = tall.tril(diagonal=-1)
    tau = 2.0 / (1.0 + (below * below).sum(dim=-2))
    return householder_product(below, tau) * tall.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)


def is_orthogonal(Q: Tensor) -> bool:
    """Whether the columns of a matrix are orthonormal, up to the precision of its dtype."""
    eye = rushlight.eye(Q.shape[-1], dtype=Q.dtype)
    return rushlight.allclose(Q.mH @ Q, eye, atol=10 * Q.shape[-2] * rushlight.finfo(Q.dtype).eps)


def orthogonalized(A: Tensor) -> Tensor:
    """The Q factor of a tall matrix, for an R factor with positive diagonal."""
    packed, tau = rushlight.geqrf(A)
    return householder_product(packed, tau) * packed.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)


def tensor_of(module: Module, name: str) -> Tensor:
    """A tensor of a module. ValueError if there is none of that name."""
    found = getattr(module, name, None)
    if not isinstance(found, TensorBase):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    return found  # type: ignore[return-value]


def orthogonal(
    module: Module, name: str = "weight", orthogonal_map: str | None = None, *, use_trivialization: bool = True
) -> Module:
    """Keeps a matrix of a module orthogonal or unitary during training.

    `orthogonal_map` computes it from any matrix: "matrix_exp" (the default for square and for complex matrices),
    "cayley" or "householder". With `use_trivialization`, training starts at the present matrix. ValueError for fewer
    than two dimensions and for other maps.

    >>> import rushlight as torch
    >>> layer = torch.nn.utils.parametrizations.orthogonal(torch.nn.Linear(2, 4))
    >>> torch.dist(layer.weight.T @ layer.weight, torch.eye(2)) < 1e-5
    tensor(True)
    """
    weight = tensor_of(module, name)
    if weight.ndim < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.")
    if orthogonal_map is None:
        square = weight.shape[-2] == weight.shape[-1] or weight.is_complex()
        orthogonal_map = "matrix_exp" if square else "householder"
    if orthogonal_map not in _OrthMaps.__members__:
        raise ValueError(
            f'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: {orthogonal_map}'
        )
    made = _Orthogonal(weight, _OrthMaps[orthogonal_map], use_trivialization=use_trivialization)
    return register_parametrization(module, name, made, unsafe=True)


class _WeightNorm(Module):
    """Computes a weight from its norm and its direction."""

    def __init__(self, dim: int | None = 0):
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Tensor:
        """The weight: `weight_v`, rescaled to the norm `weight_g`."""
        return _weight_norm(weight_v, weight_g, self.dim)

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        """The norm and the direction of a weight."""
        return norm_except_dim(weight, 2, self.dim), weight


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Weight normalization: trains the norm of a weight (`original0`) separately from its direction (`original1`).

    The norm is that of each slice along `dim`; with None, that of the whole weight. State dicts of the older
    `nn.utils.weight_norm` (`weight_g`, `weight_v`) can be loaded.

    >>> import rushlight as torch
    >>> layer = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(2, 3))
    >>> layer.parametrizations.weight.original0.shape
    torch.Size([3, 1])
    """
    register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def take_older_names(state_dict: dict[Any, Any], prefix: str, *others: Any) -> None:
        older = [f"{prefix}{name}_g", f"{prefix}{name}_v"]
        if all(key in state_dict for key in older):
            for i, key in enumerate(older):
                state_dict[f"{prefix}parametrizations.{name}.original{i}"] = state_dict.pop(key)

    module._register_load_state_dict_pre_hook(take_older_names)
    return module


class _SpectralNorm(Module):
    """Divides a weight by its largest singular value, estimated by the power method."""

    def __init__(self, weight: Tensor, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12):
        super().__init__()
        ndim = weight.ndim
        if not -ndim <= dim < ndim:
            raise IndexError(f"Dimension out of range (expected to be in range of [-{ndim}, {ndim - 1}] but got {dim})")
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.dim, self.eps = dim % ndim, eps
        if ndim > 1:
            self.n_power_iterations = n_power_iterations
            matrix = self._as_matrix(weight)
            for side, size in zip(("_u", "_v"), matrix.shape, strict=True):
                start = matrix.new_empty(size).normal_(0, 1)
                self.register_buffer(side, normalize(start, dim=0, eps=eps).detach())
            self._power_method(matrix, 15)

    def _as_matrix(self, weight: Tensor) -> Tensor:
        """The weight as a matrix, with one row for each index of `dim`."""
        return weight.movedim(self.dim, 0).flatten(1)

    def _power_method(self, matrix: Tensor, steps: int) -> None:
        """Improves the two singular vectors, in place, by steps of the power method."""
        with no_grad():
            for _ in range(steps):
                self._u.copy_(normalize(rushlight.mv(matrix, self._v), dim=0, eps=self.eps))
                self._v.copy_(normalize(rushlight.mv(matrix.mH, self._u), dim=0, eps=self.eps))

    def forward(self, weight: Tensor) -> Tensor:
        """The weight divided by its largest singular value; for a vector, by its norm."""
        if weight.ndim == 1:
            return normalize(weight, dim=0, eps=self.eps)
        matrix = self._as_matrix(weight)
        if self.training:
            self._power_method(matrix, self.n_power_iterations)
        u, v = self._u.clone(), self._v.clone()
        return weight / rushlight.vdot(u, rushlight.mv(matrix, v))

    def right_inverse(self, value: Tensor) -> Tensor:
        """Returns the value unchanged, since `forward` divides it again."""
        return value


def spectral_norm(
    module: Module, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Module:
    """Keeps the largest singular value of a weight at one, by `n_power_iterations` steps of the power method per use.

    The steps are made in training only. `dim` is the dimension of the outputs: by default 0, and 1 for transposed
    convolutions.

    >>> import rushlight as torch
    >>> layer = torch.nn.utils.parametrizations.spectral_norm(torch.nn.Linear(3, 3), n_power_iterations=50)
    >>> bool((torch.linalg.matrix_norm(layer.weight, 2) - 1).abs() < 1e-3)
    True
    """
    weight = tensor_of(module, name)
    dim = dimension_of_results(module) if dim is None else dim
    return register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, dim, eps))


def dimension_of_results(module: Module) -> int:
    """The dimension of a module's weight that corresponds to its outputs."""
    return int(isinstance(module, (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)))
