"""`Transform`, the base class, with inverses and cached values."""

import copy
from collections.abc import Sequence
from typing import Any

from rushlight.distributions import constraints
from rushlight.size import Size
from rushlight.tensors import Tensor


class Transform:
    """A function from `domain` to `codomain`, with its inverse `inv` and `log_abs_det_jacobian`.

    A subclass has `_call`, `_inverse` and `log_abs_det_jacobian`; `bijective` says whether it is invertible, and `sign`
    whether it increases or decreases. With `cache_size=1` the last pair of values is cached: the inverse of the last
    result is the original tensor itself. ValueError for another size.

    >>> import rushlight as torch
    >>> log = torch.distributions.ExpTransform().inv
    >>> log(torch.tensor([1.0]))
    tensor([0.])
    """

    bijective: Any = False
    domain: Any
    codomain: Any

    def __init__(self, cache_size: int = 0):
        if cache_size not in (0, 1):
            raise ValueError("cache_size must be 0 or 1")
        self._cache_size = cache_size
        self._inv: Any = None
        self._cached_x_y: tuple[Any, Any] = (None, None)
        super().__init__()

    def __getstate__(self) -> Any:
        return {**self.__dict__, "_inv": None}

    @property
    def event_dim(self) -> int:
        """The number of dimensions of a value. ValueError if that differs between input and result."""
        if self.domain.event_dim == self.codomain.event_dim:
            return self.domain.event_dim
        raise ValueError("Please use either .domain.event_dim or .codomain.event_dim")

    @property
    def inv(self) -> "Transform":
        """The inverse transform."""
        if self._inv is None:
            self._inv = _InverseTransform(self)
        return self._inv

    @property
    def sign(self) -> Any:
        """1 for an increasing function, -1 for a decreasing one. NotImplementedError for any other."""
        raise NotImplementedError

    def with_cache(self, cache_size: int = 1) -> "Transform":
        """The same transform, with (1) or without (0) caching."""
        if self._cache_size == cache_size:
            return self
        if type(self).__init__ is Transform.__init__:
            return type(self)(cache_size=cache_size)
        raise NotImplementedError(f"{type(self)}.with_cache is not implemented")

    def __call__(self, x: Tensor) -> Tensor:
        """The transformed value, possibly from the cache."""
        if self._cache_size and x is self._cached_x_y[0]:
            return self._cached_x_y[1]
        return self._kept(x, self._call(x))[1]

    def _inv_call(self, y: Tensor) -> Tensor:
        """The inverse of a value, possibly from the cache."""
        if self._cache_size and y is self._cached_x_y[1]:
            return self._cached_x_y[0]
        return self._kept(self._inverse(y), y)[0]

    def _kept(self, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        """A pair of values, which is cached."""
        if self._cache_size:
            self._cached_x_y = (x, y)
        return x, y

    def _call(self, x: Tensor) -> Tensor:
        """Computes the transformed value."""
        raise NotImplementedError

    def _inverse(self, y: Tensor) -> Tensor:
        """Computes the inverse."""
        raise NotImplementedError

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """log |det J|, the logarithm of the absolute determinant of the Jacobian at `x`, where the value is `y`."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def forward_shape(self, shape: Sequence[int]) -> Size:
        """The shape of the result for an input of the given shape."""
        return Size(shape)

    def inverse_shape(self, shape: Sequence[int]) -> Size:
        """The shape of the input for a result of the given shape."""
        return Size(shape)


class PlainTransform(Transform):
    """A transform without parameters: any two instances of a class are equal."""

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self)

    __hash__: None = None  # type: ignore[assignment]  # as in PyTorch


class ParametricTransform(Transform):
    """A transform with parameters, which its copies share."""

    def with_cache(self, cache_size: int = 1) -> "Transform":
        """The same transform, with (1) or without (0) caching."""
        if self._cache_size == cache_size:
            return self
        copied = copy.copy(self)
        Transform.__init__(copied, cache_size)
        return copied


class _InverseTransform(Transform):
    """The inverse of a transform."""

    def __init__(self, transform: Transform):
        super().__init__(cache_size=transform._cache_size)
        self._inv = transform

    def __getstate__(self) -> Any:
        return self.__dict__

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Any:
        """The codomain of the original transform."""
        return self._inv.codomain

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Any:
        """The domain of the original transform."""
        return self._inv.domain

    @property
    def bijective(self) -> Any:
        """Whether it is invertible."""
        return self._inv.bijective

    @property
    def sign(self) -> Any:
        """1 for an increasing function, -1 for a decreasing one."""
        return self._inv.sign

    @property
    def inv(self) -> Transform:
        """The original transform."""
        return self._inv

    def with_cache(self, cache_size: int = 1) -> Transform:
        """The same transform, with (1) or without (0) caching."""
        return self.inv.with_cache(cache_size).inv

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _InverseTransform) and self._inv == other._inv

    __hash__: None = None  # type: ignore[assignment]  # as in PyTorch

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._inv!r})"

    def __call__(self, x: Tensor) -> Tensor:
        return self._inv._inv_call(x)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -self._inv.log_abs_det_jacobian(y, x)

    def forward_shape(self, shape: Sequence[int]) -> Size:
        return self._inv.inverse_shape(shape)

    def inverse_shape(self, shape: Sequence[int]) -> Size:
        return self._inv.forward_shape(shape)


def require_dims(shape: Sequence[int], dims: int) -> None:
    """Raises ValueError for a shape with too few dimensions."""
    if len(shape) < dims:
        raise ValueError("Too few dimensions on input")
