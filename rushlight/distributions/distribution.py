"""`Distribution`, the base class: shapes, checks of parameters and values, larger batches."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NoReturn, Self

import rushlight as torch
from rushlight.core.advice import advised
from rushlight.core.lines import warn
from rushlight.distributions import constraints
from rushlight.distributions.utils import lazy_property
from rushlight.size import Size
from rushlight.tensors import Tensor

__all__ = ["Distribution"]


def not_given(self: Any) -> NoReturn:
    """Raises NotImplementedError for a method that a subclass has to define."""
    raise NotImplementedError


class Distribution:
    """A batch of distributions, of shape `batch_shape`, each over values of shape `event_shape`.

    A class defines the constraints of its parameters in `arg_constraints`, and that of its values in `support`.

    >>> import rushlight as torch
    >>> class Certain(torch.distributions.Distribution):
    ...     arg_constraints = {"value": torch.distributions.constraints.real}
    ...
    ...     def __init__(self, value):
    ...         self.value = value
    ...         super().__init__(value.shape)
    ...
    ...     def rsample(self, sample_shape=()):
    ...         return self.value.expand(self._extended_shape(sample_shape))
    >>> Certain(torch.tensor([1.0, 2.0])).sample((2,))
    tensor([[1., 2.],
            [1., 2.]])
    """

    arg_constraints: ClassVar[Any] = property(not_given, doc="Where the parameters lie, by their names.")
    has_rsample = False
    has_enumerate_support = False
    _validate_args = __debug__

    def __init__(
        self, batch_shape: Sequence[int] = (), event_shape: Sequence[int] = (), validate_args: bool | None = None
    ):
        self._batch_shape, self._event_shape = Size(batch_shape), Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self._validate_parameters()
        super().__init__()

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Whether distributions created from now on check parameters and values, unless they are told otherwise."""
        if value not in (True, False):
            raise ValueError(f"set_default_validate_args: expected True or False, got {value!r}")
        Distribution._validate_args = value

    @property
    def batch_shape(self) -> Size:
        """The shape of the parameters."""
        return self._batch_shape

    @property
    def event_shape(self) -> Size:
        """The shape of one sample of one distribution."""
        return self._event_shape

    @property
    def support(self) -> Any:
        """The constraint that values satisfy."""
        raise NotImplementedError

    @property
    def mean(self) -> Tensor:
        """The mean, of the shape of a sample."""
        raise NotImplementedError

    @property
    def mode(self) -> Tensor:
        """The most probable value, of the shape of a sample."""
        raise NotImplementedError(f"{type(self)} does not implement mode")

    @property
    def variance(self) -> Tensor:
        """The variance, of the shape of a sample."""
        raise NotImplementedError

    @property
    def stddev(self) -> Tensor:
        """The standard deviation, of the shape of a sample."""
        return self.variance.sqrt()

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Self:
        """The same distributions in a larger batch; the parameters are views.

        A subclass with an `__init__` of its own needs its own `expand` (else NotImplementedError).
        """
        ours = next(cls for cls in type(self).__mro__ if cls.__module__.startswith(__package__))
        new = self._get_checked_instance(ours, _instance)
        batch_shape, old_dims, parameters = Size(batch_shape), len(self._batch_shape), self._expandable()
        for name, value in self.__dict__.items():
            if name in parameters and isinstance(value, Tensor):
                dims = value.dim() - parameters[name].event_dim
                value = value.expand((*batch_shape, *value.shape[dims:]))
            elif isinstance(value, Distribution):
                value = value.expand((*batch_shape, *value.batch_shape[old_dims:]))
            elif isinstance(getattr(type(self), name, None), lazy_property):
                continue  # lazy properties are computed again when they are read
            new.__dict__[name] = value
        new._batch_shape = batch_shape
        return new

    def _expandable(self) -> Mapping[str, constraints.Constraint]:
        """The parameters to expand, and their constraints, which tell the number of event dimensions."""
        return self.arg_constraints

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Samples without gradient, of shape `sample_shape + batch_shape + event_shape`."""
        with torch.no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Samples with gradients for the parameters. NotImplementedError for distributions without them."""
        raise NotImplementedError

    def sample_n(self, n: int) -> Tensor:
        """Deprecated: use `sample((n,))`."""
        text = "`sample_n(n)` will be deprecated. Use `sample((n,))` instead."
        warn(text, FutureWarning)
        return self.sample((n,))

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the probability (or density) of `value`, of the batch's shape."""
        raise NotImplementedError

    def cdf(self, value: Tensor) -> Tensor:
        """The probability of values less than or equal to `value`."""
        raise NotImplementedError

    def icdf(self, value: Tensor) -> Tensor:
        """The quantile of the probability `value`: the inverse of `cdf`."""
        raise NotImplementedError

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """All values, along dimension 0; with `expand=False` the batch dimensions have size 1."""
        raise NotImplementedError

    def entropy(self) -> Tensor:
        """The entropy in nats, of the batch's shape."""
        raise NotImplementedError

    def perplexity(self) -> Tensor:
        """The exponential of the entropy."""
        return torch.exp(self.entropy())

    def _extended_shape(self, sample_shape: Sequence[int] = ()) -> Size:
        """The shape of samples."""
        return Size((*sample_shape, *self._batch_shape, *self._event_shape))

    def _listed(self, values: Tensor, expand: bool) -> Tensor:
        """Values along dimension 0, followed by the batch dimensions, for `enumerate_support`."""
        values = values.view((-1, *(1 for _ in self._batch_shape)))
        return values.expand((-1, *self._batch_shape)) if expand else values

    def _validate_parameters(self) -> None:
        """Raises ValueError for a parameter that violates its constraint. Lazily computed ones are not checked."""
        try:
            arg_constraints = self.arg_constraints
        except NotImplementedError:
            arg_constraints = {}
            warn(
                f"{type(self)} does not define `arg_constraints`. Please set `arg_constraints = {{}}` or initialize "
                "the distribution with `validate_args=False` to turn off validation.",
            )
        for name, constraint in arg_constraints.items():
            lazy = name not in self.__dict__ and isinstance(getattr(type(self), name, None), lazy_property)
            if constraints.is_dependent(constraint) or lazy:
                continue
            value = getattr(self, name)
            if not constraint.check(value).all():
                raise ValueError(
                    advised(
                        f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of "
                        f"distribution {self!r} to satisfy the constraint {constraint!r}, "
                        f"but found invalid values:\n{value}"
                    )
                )

    def _check_sample(self, value: Tensor) -> None:
        """`_validate_sample`, if validation is enabled."""
        if self._validate_args:
            self._validate_sample(value)

    def _validate_sample(self, value: Tensor) -> None:
        """Raises ValueError for a value of the wrong type or shape, or outside the support."""
        if not isinstance(value, Tensor):
            raise ValueError(advised("The value argument to log_prob must be a Tensor"))
        shape, expected = value.shape, self._extended_shape()
        if shape[len(shape) - len(self._event_shape) :] != self._event_shape:
            raise ValueError(f"The right-most size of value must match event_shape: {shape} vs {self._event_shape}.")
        if any(1 != i != j != 1 for i, j in zip(reversed(shape), reversed(expected), strict=False)):
            raise ValueError(f"Value is not broadcastable with batch_shape+event_shape: {shape} vs {expected}.")
        try:
            support = self.support
        except NotImplementedError:
            warn(
                f"{type(self)} does not define `support` to enable sample validation. Please initialize the "
                "distribution with `validate_args=False` to turn off validation.",
            )
            return
        if not support.check(value).all():
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) to be within the "
                f"support ({support!r}) of the distribution {self!r}, but found invalid values:\n{value}"
            )

    def _get_checked_instance(self, cls: type, _instance: Any = None) -> Any:
        """An uninitialized instance for `expand`, or the one that a subclass created."""
        if _instance is None and type(self).__init__ is not cls.__init__:  # type: ignore[misc]
            raise NotImplementedError(
                f"Subclass {type(self).__name__} of {cls.__name__} that defines a custom __init__ method must also "
                "define a custom .expand() method."
            )
        return self.__new__(type(self)) if _instance is None else _instance

    def __repr__(self) -> str:
        given = {name: self.__dict__[name] for name in self.arg_constraints if name in self.__dict__}
        shown = (f"{name}: {value if value.numel() == 1 else value.shape}" for name, value in given.items())
        return f"{type(self).__name__}({', '.join(shown)})"
