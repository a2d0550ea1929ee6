"""What all distributions share: shapes, checks of parameters and values."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Self

import rushlight as torch
from rushlight.distributions.constraints import Constraint
from rushlight.size import Size
from rushlight.tensors import Tensor


class Distribution:
    """A batch of distributions, of shape `batch_shape`, each over values of shape `event_shape`.

    A class says in `arg_constraints` where its parameters lie, in `support` where its values do.
    """

    arg_constraints: ClassVar[Mapping[str, Constraint]]
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

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Whether distributions made from now on check parameters and values, unless told otherwise."""
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
    def support(self) -> Constraint:
        """Where values lie."""
        raise NotImplementedError

    @property
    def variance(self) -> Tensor:
        """The variance, of the batch's shape."""
        raise NotImplementedError

    @property
    def stddev(self) -> Tensor:
        """The standard deviation, of the batch's shape."""
        return self.variance.sqrt()

    def expand(self, batch_shape: Sequence[int]) -> Self:
        """The same distributions in a larger batch; the parameters are views."""
        raise NotImplementedError

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Samples without gradient, of shape `sample_shape + batch_shape + event_shape`."""
        with torch.no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Samples with gradients for the parameters. NotImplementedError where a distribution has none."""
        raise NotImplementedError

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the probability (or its density) of `value`, of the batch's shape."""
        raise NotImplementedError

    def entropy(self) -> Tensor:
        """The entropy in nats, of the batch's shape."""
        raise NotImplementedError

    def perplexity(self) -> Tensor:
        """The exponential of the entropy."""
        return self.entropy().exp()

    def _extended_shape(self, sample_shape: Sequence[int] = ()) -> Size:
        """The shape of samples."""
        return Size((*sample_shape, *self._batch_shape, *self._event_shape))

    def _validate_parameters(self) -> None:
        """ValueError for a parameter outside its constraint."""
        for name, constraint in self.arg_constraints.items():
            value = self.__dict__.get(name)
            if value is not None and not constraint.check(value).all():
                raise ValueError(
                    f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
                    f"{self!r} to satisfy the constraint {constraint!r}, but found invalid values:\n{value}"
                )

    def _validate_sample(self, value: Tensor) -> None:
        """ValueError for a value of the wrong type or shape, or outside the support."""
        if not self._validate_args:
            return
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        expected = self._extended_shape()
        if any(1 != i != j != 1 for i, j in zip(reversed(value.shape), reversed(expected), strict=False)):
            raise ValueError(f"Value is not broadcastable with batch_shape+event_shape: {value.shape} vs {expected}.")
        if not self.support.check(value).all():
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) to be within the "
                f"support ({self.support!r}) of the distribution {self!r}, but found invalid values:\n{value}"
            )

    def __repr__(self):
        given = {name: self.__dict__[name] for name in self.arg_constraints if name in self.__dict__}
        shown = (f"{name}: {value if value.numel() == 1 else value.size()}" for name, value in given.items())
        return f"{type(self).__name__}({', '.join(shown)})"
