"""Transforms made of other transforms: composed, or with more event dimensions; and reshaping."""

import functools
import operator
from collections.abc import Sequence
from typing import Any

import rushlight as torch
from rushlight.distributions import constraints
from rushlight.distributions.transforms.base import ParametricTransform, Transform, require_dims
from rushlight.distributions.utils import _sum_rightmost, lazy_property
from rushlight.size import Size
from rushlight.tensors import Tensor


class ComposeTransform(Transform):
    """The composition of transforms, `parts`, in the order in which they are applied.

    >>> import rushlight as torch
    >>> from rushlight.distributions import AffineTransform, ComposeTransform, ExpTransform
    >>> ComposeTransform([AffineTransform(0.0, 2.0), ExpTransform()])(torch.zeros(1))
    tensor([1.])
    """

    def __init__(self, parts: Sequence[Transform], cache_size: int = 0):
        super().__init__(cache_size=cache_size)
        self.parts: Sequence[Transform] = [part.with_cache(cache_size) for part in parts] if cache_size else parts

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ComposeTransform) and self.parts == other.parts

    __hash__: None = None  # type: ignore[assignment]  # as in PyTorch

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Any:
        """The domain of the first part, with as many event dimensions as all parts need."""
        if not self.parts:
            return constraints.real
        event_dim = self.parts[-1].codomain.event_dim
        for part in reversed(self.parts):
            event_dim = max(event_dim + part.domain.event_dim - part.codomain.event_dim, part.domain.event_dim)
        return raised(self.parts[0].domain, event_dim)

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Any:
        """The codomain of the last part, with as many event dimensions as all parts need."""
        if not self.parts:
            return constraints.real
        event_dim = self.parts[0].domain.event_dim
        for part in self.parts:
            event_dim = max(event_dim + part.codomain.event_dim - part.domain.event_dim, part.codomain.event_dim)
        return raised(self.parts[-1].codomain, event_dim)

    @lazy_property
    def bijective(self) -> Any:
        """Whether all parts are invertible."""
        return all(part.bijective for part in self.parts)

    @lazy_property
    def sign(self) -> Any:
        """The product of the parts' signs."""
        return functools.reduce(operator.mul, [part.sign for part in self.parts], 1)

    @property
    def inv(self) -> Transform:
        """The composition of the inverses, in reverse order."""
        if self._inv is None:
            self._inv = ComposeTransform([part.inv for part in reversed(self.parts)])
            self._inv._inv = self
        return self._inv

    def with_cache(self, cache_size: int = 1) -> Transform:
        """The same transform, with (1) or without (0) caching."""
        return self if self._cache_size == cache_size else ComposeTransform(self.parts, cache_size=cache_size)

    def __call__(self, x: Tensor) -> Tensor:
        for part in self.parts:
            x = part(x)
        return x

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        if not self.parts:
            return torch.zeros_like(x)
        values = [x]
        for part in self.parts[:-1]:
            values.append(part(values[-1]))
        values.append(y)
        terms, event_dim = [], self.domain.event_dim
        for part, before, after in zip(self.parts, values[:-1], values[1:], strict=True):
            term = part.log_abs_det_jacobian(before, after)
            terms.append(_sum_rightmost(term, event_dim - part.domain.event_dim))
            event_dim += part.codomain.event_dim - part.domain.event_dim
        return functools.reduce(operator.add, terms)

    def forward_shape(self, shape: Sequence[int]) -> Size:
        return functools.reduce(lambda shape, part: part.forward_shape(shape), self.parts, Size(shape))

    def inverse_shape(self, shape: Sequence[int]) -> Size:
        return functools.reduce(lambda shape, part: part.inverse_shape(shape), reversed(self.parts), Size(shape))

    def __repr__(self) -> str:
        parts = ",\n    ".join(map(repr, self.parts))
        return f"{type(self).__name__}(\n    {parts}\n)"


def raised(constraint: Any, event_dim: int) -> Any:
    """A constraint with the given number of event dimensions."""
    more = event_dim - constraint.event_dim
    return constraints.independent(constraint, more) if more else constraint


identity_transform: ComposeTransform = ComposeTransform([])


class IndependentTransform(ParametricTransform):
    """A transform with `reinterpreted_batch_ndims` more event dimensions, over which log determinants are summed.

    >>> import rushlight as torch
    >>> transform = torch.distributions.IndependentTransform(torch.distributions.ExpTransform(), 1)
    >>> x = torch.tensor([1.0, 2.0])
    >>> transform.log_abs_det_jacobian(x, transform(x))  # one number for the vector
    tensor(3.)
    """

    def __init__(self, base_transform: Transform, reinterpreted_batch_ndims: int, cache_size: int = 0):
        super().__init__(cache_size=cache_size)
        self.base_transform: Transform = base_transform.with_cache(cache_size)
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    def with_cache(self, cache_size: int = 1) -> Transform:
        """The same transform, with (1) or without (0) caching."""
        if self._cache_size == cache_size:
            return self
        return IndependentTransform(self.base_transform, self.reinterpreted_batch_ndims, cache_size=cache_size)

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Any:
        """The domain of the base transform, with more event dimensions."""
        return constraints.independent(self.base_transform.domain, self.reinterpreted_batch_ndims)

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Any:
        """The codomain of the base transform, with more event dimensions."""
        return constraints.independent(self.base_transform.codomain, self.reinterpreted_batch_ndims)

    @property
    def bijective(self) -> Any:
        """Whether it is invertible."""
        return self.base_transform.bijective

    @property
    def sign(self) -> Any:
        """1 for an increasing function, -1 for a decreasing one."""
        return self.base_transform.sign

    def _call(self, x: Tensor) -> Tensor:
        require_dims(x.shape, self.domain.event_dim)
        return self.base_transform(x)

    def _inverse(self, y: Tensor) -> Tensor:
        require_dims(y.shape, self.codomain.event_dim)
        return self.base_transform.inv(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return _sum_rightmost(self.base_transform.log_abs_det_jacobian(x, y), self.reinterpreted_batch_ndims)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_transform!r}, {self.reinterpreted_batch_ndims})"

    def forward_shape(self, shape: Sequence[int]) -> Size:
        return self.base_transform.forward_shape(shape)

    def inverse_shape(self, shape: Sequence[int]) -> Size:
        return self.base_transform.inverse_shape(shape)


class ReshapeTransform(ParametricTransform):
    """Reshapes the last dimensions from `in_shape` to `out_shape`. ValueError unless both have as many elements.

    >>> import rushlight as torch
    >>> torch.distributions.ReshapeTransform((4,), (2, 2))(torch.arange(4.0))
    tensor([[0., 1.],
            [2., 3.]])
    """

    in_shape: Size
    out_shape: Size

    bijective = True

    def __init__(self, in_shape: Sequence[int], out_shape: Sequence[int], cache_size: int = 0):
        super().__init__(cache_size=cache_size)
        self.in_shape, self.out_shape = Size(in_shape), Size(out_shape)
        if self.in_shape.numel() != self.out_shape.numel():
            raise ValueError("in_shape, out_shape have different numbers of elements")

    @constraints.dependent_property
    def domain(self) -> Any:
        """Real tensors whose events have the shape `in_shape`."""
        return constraints.independent(constraints.real, len(self.in_shape))

    @constraints.dependent_property
    def codomain(self) -> Any:
        """Real tensors whose events have the shape `out_shape`."""
        return constraints.independent(constraints.real, len(self.out_shape))

    def _call(self, x: Tensor) -> Tensor:
        return x.reshape(self.forward_shape(x.shape))

    def _inverse(self, y: Tensor) -> Tensor:
        return y.reshape(self.inverse_shape(y.shape))

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return x.new_zeros(x.shape[: x.dim() - len(self.in_shape)])

    def forward_shape(self, shape: Sequence[int]) -> Size:
        return self._exchanged(shape, self.in_shape, self.out_shape)

    def inverse_shape(self, shape: Sequence[int]) -> Size:
        return self._exchanged(shape, self.out_shape, self.in_shape)

    def _exchanged(self, shape: Sequence[int], old: Size, new: Size) -> Any:
        """A shape whose last sizes `old` are replaced by `new`."""
        require_dims(shape, len(old))
        cut = len(shape) - len(old)
        if Size(shape[cut:]) != old:
            raise ValueError(f"Shape mismatch: expected {Size(shape[cut:])} but got {old}")
        return Size((*shape[:cut], *new))
