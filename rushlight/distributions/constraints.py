"""Constraints: the sets in which parameters and values of distributions have to be."""

from collections.abc import Callable, Sequence
from typing import Any

import rushlight as torch
from rushlight.distributions.matrix_constraints import (
    Constraint,
    _CorrCholesky,
    _LowerCholesky,
    _LowerTriangular,
    _PositiveDefinite,
    _PositiveSemidefinite,
    _Square,
    _Symmetric,
)
from rushlight.tensors import Tensor

__all__ = [
    "Constraint",
    "MixtureSameFamilyConstraint",
    "boolean",
    "cat",
    "corr_cholesky",
    "dependent",
    "dependent_property",
    "greater_than",
    "greater_than_eq",
    "half_open_interval",
    "independent",
    "integer_interval",
    "interval",
    "is_dependent",
    "less_than",
    "lower_cholesky",
    "lower_triangular",
    "multinomial",
    "nonnegative",
    "nonnegative_integer",
    "one_hot",
    "positive",
    "positive_definite",
    "positive_integer",
    "positive_semidefinite",
    "real",
    "real_vector",
    "simplex",
    "square",
    "stack",
    "symmetric",
    "unit_interval",
]


class _Dependent(Constraint):
    """A constraint that depends on parameters: it is known for an instance of a distribution, not for its class."""

    def __init__(self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented):
        self._is_discrete, self._event_dim = is_discrete, event_dim

    @property
    def is_discrete(self) -> bool:  # type: ignore[override]
        """Whether the set is discrete. NotImplementedError if that depends on parameters too."""
        if self._is_discrete is NotImplemented:
            raise NotImplementedError(".is_discrete cannot be determined statically")
        return self._is_discrete

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        """The number of dimensions of an element. NotImplementedError if that depends on parameters too."""
        if self._event_dim is NotImplemented:
            raise NotImplementedError(".event_dim cannot be determined statically")
        return self._event_dim

    def __call__(self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented) -> Any:
        """A copy with more information."""
        return _Dependent(
            is_discrete=self._is_discrete if is_discrete is NotImplemented else is_discrete,
            event_dim=self._event_dim if event_dim is NotImplemented else event_dim,
        )

    def check(self, x: Tensor) -> Tensor:
        raise ValueError("Cannot determine validity of dependent constraint")


class _DependentProperty(property, _Dependent):
    """Decorates the property that returns an instance's constraint; on the class it is a dependent constraint."""

    def __init__(
        self,
        fn: Callable[..., Any] | None = None,
        *,
        is_discrete: bool = NotImplemented,
        event_dim: int = NotImplemented,
    ):
        super().__init__(fn)
        self._is_discrete, self._event_dim = is_discrete, event_dim

    def __call__(self, fn: Callable[..., Any]) -> "_DependentProperty":  # type: ignore[override]
        return _DependentProperty(fn, is_discrete=self._is_discrete, event_dim=self._event_dim)


def is_dependent(constraint: object) -> bool:
    """Whether a constraint is known for instances only."""
    return isinstance(constraint, _Dependent)


class _Derived(Constraint):
    """A constraint made of another one."""

    def __init__(self, base_constraint: Constraint):
        _require_constraints("base_constraint must be a Constraint, got {}", base_constraint)
        self.base_constraint = base_constraint

    @property
    def is_discrete(self) -> bool:  # type: ignore[override]
        """Whether the set is discrete."""
        return self.base_constraint.is_discrete

    def _all(self, result: Tensor, dims: int) -> Tensor:
        """Whether the constraint holds in all of the last `dims` dimensions."""
        return result.reshape((*result.shape[: result.dim() - dims], -1)).all(-1)


class _IndependentConstraint(_Derived):
    """Tensors whose elements, over the last dimensions, all satisfy another constraint."""

    def __init__(self, base_constraint: Constraint, reinterpreted_batch_ndims: int):
        super().__init__(base_constraint)
        if not isinstance(reinterpreted_batch_ndims, int):
            kind = type(reinterpreted_batch_ndims).__name__
            raise AssertionError(f"reinterpreted_batch_ndims must be an int, got {kind}")
        if reinterpreted_batch_ndims < 0:
            raise AssertionError(f"reinterpreted_batch_ndims must be >= 0, got {reinterpreted_batch_ndims}")
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        """The number of dimensions of an element."""
        return self.base_constraint.event_dim + self.reinterpreted_batch_ndims

    def check(self, value: Tensor) -> Tensor:
        result = self.base_constraint.check(value)
        if result.dim() < self.reinterpreted_batch_ndims:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.dim()}")
        return self._all(result, self.reinterpreted_batch_ndims)

    def __repr__(self) -> str:
        return f"{type(self).__name__[1:]}({self.base_constraint!r}, {self.reinterpreted_batch_ndims})"


class MixtureSameFamilyConstraint(_Derived):
    """The values of a mixture: those that satisfy the constraint of every component."""

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        """The number of dimensions of an element."""
        return self.base_constraint.event_dim

    def check(self, value: Tensor) -> Tensor:
        if value.dim() < self.event_dim:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.dim()}")
        result = self.base_constraint.check(value.unsqueeze(-1 - self.event_dim))
        return self._all(result, result.dim() - (value.dim() - self.event_dim))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_constraint!r})"


class _Boolean(Constraint):
    """0 and 1."""

    is_discrete = True

    def check(self, value: Tensor) -> Tensor:
        return (value == 0) | (value == 1)


class _OneHot(Constraint):
    """One-hot vectors: a single 1, and zeros elsewhere."""

    is_discrete, event_dim = True, 1

    def check(self, value: Tensor) -> Tensor:
        return ((value == 0) | (value == 1)).all(-1) & value.sum(-1).eq(1)


class _Bounded(Constraint):
    """A constraint with bounds, numbers or tensors, which `repr` shows."""

    lower_bound: Any
    upper_bound: Any

    def __repr__(self) -> str:
        return f"{type(self).__name__[1:]}({', '.join(f'{name}={value}' for name, value in vars(self).items())})"


class _From(_Bounded):
    def __init__(self, lower_bound: Tensor | float):
        self.lower_bound = lower_bound


class _To(_Bounded):
    def __init__(self, upper_bound: Tensor):
        self.upper_bound = upper_bound


class _Between(_Bounded):
    def __init__(self, lower_bound: Tensor | float, upper_bound: Tensor | float):
        self.lower_bound: Any = lower_bound
        self.upper_bound: Any = upper_bound


class _IntegerInterval(_Between):
    """The integers from `lower_bound` to `upper_bound`, inclusive."""

    is_discrete = True

    def check(self, value: Tensor) -> Tensor:
        return (value % 1 == 0) & (self.lower_bound <= value) & (value <= self.upper_bound)


class _IntegerLessThan(_To):
    """The integers up to `upper_bound`."""

    is_discrete = True

    def check(self, value: Tensor) -> Tensor:
        return (value % 1 == 0) & (value <= self.upper_bound)


class _IntegerGreaterThan(_From):
    """The integers from `lower_bound` upwards."""

    is_discrete = True

    def check(self, value: Tensor) -> Tensor:
        return (value % 1 == 0) & (value >= self.lower_bound)


class _Real(Constraint):
    """All real numbers, including infinities."""

    def check(self, value: Tensor) -> Tensor:
        return value == value  # False only for NaN


class _GreaterThan(_From):
    """The numbers greater than `lower_bound`."""

    def check(self, value: Tensor) -> Tensor:
        return self.lower_bound < value


class _GreaterThanEq(_From):
    """The numbers greater than or equal to `lower_bound`."""

    def check(self, value: Tensor) -> Tensor:
        return self.lower_bound <= value


class _LessThan(_To):
    """The numbers less than `upper_bound`."""

    def check(self, value: Tensor) -> Tensor:
        return value < self.upper_bound


class _Interval(_Between):
    """The numbers from `lower_bound` to `upper_bound`, inclusive."""

    def check(self, value: Tensor) -> Tensor:
        return (self.lower_bound <= value) & (value <= self.upper_bound)


class _HalfOpenInterval(_Between):
    """The numbers from `lower_bound` to `upper_bound`, without the latter."""

    def check(self, value: Tensor) -> Tensor:
        return (self.lower_bound <= value) & (value < self.upper_bound)


class _Simplex(Constraint):
    """Vectors of non-negative elements with sum 1."""

    event_dim = 1

    def check(self, value: Tensor) -> Tensor:
        return (value >= 0).all(-1) & ((value.sum(-1) - 1).abs() < 1e-6)


class _Multinomial(Constraint):
    """Vectors of counts whose sum is at most `upper_bound`, as in PyTorch (exact equality would be right)."""

    is_discrete: bool
    event_dim: int

    is_discrete, event_dim = True, 1

    def __init__(self, upper_bound: int):
        self.upper_bound = upper_bound

    def check(self, x: Tensor) -> Tensor:
        return (x >= 0).all(-1) & (x.sum(-1) <= self.upper_bound)


class _Sequence(Constraint):
    """Tensors whose slices along a dimension satisfy constraints of their own."""

    cseq: list[Constraint]
    dim: int

    def __init__(self, cseq: Sequence[Constraint], dim: int = 0):
        _require_constraints("All elements of cseq must be Constraint instances", *cseq)
        self.cseq, self.dim = list(cseq), dim

    @property
    def is_discrete(self) -> bool:  # type: ignore[override]
        """Whether any of the constraints is discrete."""
        return any(c.is_discrete for c in self.cseq)

    def _require_dim(self, value: Tensor) -> None:
        if not -value.dim() <= self.dim < value.dim():
            raise AssertionError(f"dim {self.dim} out of range for value with {value.dim()} dimensions")


class _Cat(_Sequence):
    """Tensors concatenated from parts of given lengths along a dimension."""

    def __init__(self, cseq: Sequence[Constraint], dim: int = 0, lengths: Sequence[int] | None = None):
        super().__init__(cseq, dim)
        self.lengths: list[int] = [1] * len(self.cseq) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.cseq):
            raise AssertionError(f"lengths ({len(self.lengths)}) must match cseq ({len(self.cseq)})")

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        """The largest `event_dim` of the constraints."""
        return max(c.event_dim for c in self.cseq)

    def check(self, value: Tensor) -> Tensor:
        self._require_dim(value)
        starts = [sum(self.lengths[:i]) for i in range(len(self.lengths))]
        parts = zip(self.cseq, starts, self.lengths, strict=True)
        return torch.cat([c.check(value.narrow(self.dim, start, length)) for c, start, length in parts], self.dim)


class _Stack(_Sequence):
    """Tensors stacked from parts along a dimension."""

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        """The number of dimensions of an element, plus that of the stack if it is one of them."""
        dim = max(c.event_dim for c in self.cseq)
        return dim + 1 if self.dim + dim < 0 else dim

    def check(self, value: Tensor) -> Tensor:
        self._require_dim(value)
        parts = [value.select(self.dim, i) for i in range(value.shape[self.dim])]
        return torch.stack([c.check(part) for part, c in zip(parts, self.cseq, strict=True)], self.dim)


def _require_constraints(message: str, *constraints: object) -> None:
    """Raises AssertionError for values that are not constraints."""
    for constraint in constraints:
        if not isinstance(constraint, Constraint):
            raise AssertionError(message.format(type(constraint).__name__))


dependent_property = _DependentProperty
independent = _IndependentConstraint
cat = _Cat
stack = _Stack
multinomial = _Multinomial
integer_interval = _IntegerInterval
greater_than = _GreaterThan
greater_than_eq = _GreaterThanEq
less_than = _LessThan
interval = _Interval
half_open_interval = _HalfOpenInterval

dependent: Any = _Dependent()
boolean: Any = _Boolean()
one_hot: Any = _OneHot()
nonnegative_integer: Any = _IntegerGreaterThan(0)
positive_integer: Any = _IntegerGreaterThan(1)
real: Any = _Real()
real_vector: Any = _IndependentConstraint(real, 1)
positive: Any = _GreaterThan(0.0)
nonnegative: Any = _GreaterThanEq(0.0)
unit_interval: Any = _Interval(0.0, 1.0)
simplex: Any = _Simplex()
lower_triangular: Any = _LowerTriangular()
lower_cholesky: Any = _LowerCholesky()
corr_cholesky: Any = _CorrCholesky()
square: Any = _Square()
symmetric: Any = _Symmetric()
positive_semidefinite: Any = _PositiveSemidefinite()
positive_definite: Any = _PositiveDefinite()
