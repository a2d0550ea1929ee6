"""Several transforms, each for one part of a tensor along a dimension."""

import functools
import operator
from collections.abc import Sequence
from typing import Any

import rushlight as torch
from rushlight.distributions import constraints
from rushlight.distributions.transforms.base import ParametricTransform, Transform
from rushlight.distributions.utils import _sum_rightmost
from rushlight.tensors import Tensor


class _Joined(ParametricTransform):
    """Transforms for the parts of a tensor along `dim`."""

    def __init__(self, tseq: Sequence[Transform], dim: int = 0, cache_size: int = 0):
        if not all(isinstance(t, Transform) for t in tseq):
            raise AssertionError("All elements of tseq must be Transform instances")
        super().__init__(cache_size=cache_size)
        self.transforms: list[Transform] = [t.with_cache(cache_size) for t in tseq] if cache_size else list(tseq)
        self.dim = dim

    def with_cache(self, cache_size: int = 1) -> Transform:
        """The same transform, with (1) or without (0) caching."""
        copied = super().with_cache(cache_size)
        if copied is not self:
            copied.transforms = [t.with_cache(cache_size) for t in self.transforms]  # type: ignore[attr-defined]
        return copied

    @property
    def bijective(self) -> Any:
        """Whether all parts are invertible."""
        return all(t.bijective for t in self.transforms)

    def _require_length(self, value: Tensor, name: str, length: int, said: str) -> None:
        """Raises AssertionError for a tensor without that dimension, or of another length along it."""
        if not -value.dim() <= self.dim < value.dim():
            raise AssertionError(f"dim {self.dim} out of range for {name} with {value.dim()} dimensions")
        if value.size(self.dim) != length:
            raise AssertionError(f"x.size({self.dim}) = {value.size(self.dim)} must equal {said} {length}")


class CatTransform(_Joined):
    """Transforms for the parts, of `lengths` (1 each by default), of a tensor along `dim`; combined as by `torch.cat`.

    >>> import rushlight as torch
    >>> from rushlight.distributions import AffineTransform, CatTransform, ExpTransform
    >>> CatTransform([ExpTransform(), AffineTransform(1.0, 2.0)], lengths=[1, 2])(torch.tensor([0.0, 0.0, 3.0]))
    tensor([1., 1., 7.])
    """

    def __init__(
        self, tseq: Sequence[Transform], dim: int = 0, lengths: Sequence[int] | None = None, cache_size: int = 0
    ):
        super().__init__(tseq, dim, cache_size)
        self.lengths: list[int] = [1] * len(self.transforms) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.transforms):
            raise AssertionError(f"lengths ({len(self.lengths)}) must match transforms ({len(self.transforms)})")

    @property
    def event_dim(self) -> int:
        """The largest `event_dim` of the parts."""
        return max(t.event_dim for t in self.transforms)

    @property
    def length(self) -> int:
        """The total length along the dimension."""
        return sum(self.lengths)

    def _parts(self, value: Tensor, name: str = "tensor") -> list[Tensor]:
        self._require_length(value, name, self.length, "length")
        return list(torch.split(value, self.lengths, dim=self.dim))

    def _call(self, x: Tensor) -> Tensor:
        return torch.cat([t(part) for t, part in zip(self.transforms, self._parts(x), strict=True)], dim=self.dim)

    def _inverse(self, y: Tensor) -> Tensor:
        return torch.cat([t.inv(part) for t, part in zip(self.transforms, self._parts(y), strict=True)], dim=self.dim)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        terms = [
            _sum_rightmost(t.log_abs_det_jacobian(before, after), self.event_dim - t.event_dim)
            for t, before, after in zip(self.transforms, self._parts(x, "x"), self._parts(y, "y"), strict=True)
        ]
        dim = (self.dim if self.dim < 0 else self.dim - x.dim()) + self.event_dim
        return torch.cat(terms, dim=dim) if dim < 0 else functools.reduce(operator.add, terms)

    @constraints.dependent_property
    def domain(self) -> Any:
        """The domains of the parts, joined along `dim`."""
        return constraints.cat([t.domain for t in self.transforms], self.dim, self.lengths)

    @constraints.dependent_property
    def codomain(self) -> Any:
        """The codomains of the parts, joined along `dim`."""
        return constraints.cat([t.codomain for t in self.transforms], self.dim, self.lengths)


class StackTransform(_Joined):
    """Transforms for the slices of a tensor along `dim`; combined as by `torch.stack`.

    >>> import rushlight as torch
    >>> from rushlight.distributions import AffineTransform, ExpTransform, StackTransform
    >>> StackTransform([ExpTransform(), AffineTransform(1.0, 2.0)])(torch.tensor([[0.0, 1.0], [0.0, 3.0]]))
    tensor([[1.0000, 2.7183],
            [1.0000, 7.0000]])
    """

    def _parts(self, value: Tensor, name: str = "tensor") -> list[Tensor]:
        self._require_length(value, name, len(self.transforms), "len(transforms)")
        return list(value.unbind(self.dim))

    def _call(self, x: Tensor) -> Tensor:
        return torch.stack([t(part) for t, part in zip(self.transforms, self._parts(x), strict=True)], dim=self.dim)

    def _inverse(self, y: Tensor) -> Tensor:
        return torch.stack([t.inv(part) for t, part in zip(self.transforms, self._parts(y), strict=True)], dim=self.dim)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        parts = zip(self.transforms, self._parts(x, "x"), self._parts(y, "y"), strict=True)
        return torch.stack([t.log_abs_det_jacobian(before, after) for t, before, after in parts], dim=self.dim)

    @constraints.dependent_property
    def domain(self) -> Any:
        """The domains of the slices along `dim`."""
        return constraints.stack([t.domain for t in self.transforms], self.dim)

    @constraints.dependent_property
    def codomain(self) -> Any:
        """The codomains of the slices along `dim`."""
        return constraints.stack([t.codomain for t in self.transforms], self.dim)
