"""Transforms from the real numbers to a constraint: bijective ones (`biject_to`) and any (`transform_to`).

The latter need not be one-to-one, and suit optimizers better.

>>> import rushlight as torch
>>> from rushlight.distributions import constraints, transform_to
>>> transform_to(constraints.positive)(torch.zeros(2))
tensor([1., 1.])
"""

from collections.abc import Callable
from typing import Any, TypeVar

from rushlight.distributions import constraints, transforms
from rushlight.distributions.transforms import Transform

__all__ = ["ConstraintRegistry", "biject_to", "transform_to"]

Factory = TypeVar("Factory", bound=Callable[[Any], Transform])


class ConstraintRegistry:
    """A table of transforms for classes of constraints, filled by `register`; a call returns that for a constraint."""

    def __init__(self) -> None:
        self._registry: dict[type, Callable[[Any], Transform]] = {}

    def register(self, constraint: Any, factory: Callable[[Any], Transform] | None = None) -> Callable[..., Any]:
        """Registers `factory` to make the transforms for a class of constraints (or of an instance); also a decorator.

        TypeError for an argument that is not a constraint.
        """
        if factory is None:
            return lambda factory: self.register(constraint, factory)
        kind = type(constraint) if isinstance(constraint, constraints.Constraint) else constraint
        if not (isinstance(kind, type) and issubclass(kind, constraints.Constraint)):
            raise TypeError(f"Expected constraint to be either a Constraint subclass or instance, but got {constraint}")
        self._registry[kind] = factory
        return factory

    def __call__(self, constraint: constraints.Constraint) -> Transform:
        """The transform for a constraint. NotImplementedError if none is registered for its class."""
        factory = self._registry.get(type(constraint))
        if factory is None:
            raise NotImplementedError(f"Cannot transform {type(constraint).__name__} constraints")
        return factory(constraint)


biject_to: ConstraintRegistry = ConstraintRegistry()
transform_to: ConstraintRegistry = ConstraintRegistry()


def _both(*kinds: Any) -> Callable[[Factory], Factory]:
    """Registers a factory in both registries."""

    def register(factory: Factory) -> Factory:
        for kind in kinds:
            biject_to.register(kind, factory)
            transform_to.register(kind, factory)
        return factory

    return register


_both(constraints.real)(lambda constraint: transforms.identity_transform)
_both(constraints.corr_cholesky)(lambda constraint: transforms.CorrCholeskyTransform())
biject_to.register(constraints.simplex, lambda constraint: transforms.StickBreakingTransform())
transform_to.register(constraints.simplex, lambda constraint: transforms.SoftmaxTransform())
transform_to.register(constraints.lower_cholesky, lambda constraint: transforms.LowerCholeskyTransform())
for _matrix in (constraints.positive_definite, constraints.positive_semidefinite):
    transform_to.register(_matrix, lambda constraint: transforms.PositiveDefiniteTransform())


@_both(constraints.greater_than, constraints.greater_than_eq)
def _above(constraint: Any) -> Transform:
    return transforms.ComposeTransform(
        [transforms.ExpTransform(), transforms.AffineTransform(constraint.lower_bound, 1)]
    )


@_both(constraints.less_than)
def _below(constraint: Any) -> Transform:
    return transforms.ComposeTransform(
        [transforms.ExpTransform(), transforms.AffineTransform(constraint.upper_bound, -1)]
    )


@_both(constraints.interval, constraints.half_open_interval)
def _between(constraint: Any) -> Transform:
    low, high = constraint.lower_bound, constraint.upper_bound
    if isinstance(low, int | float) and isinstance(high, int | float) and (low, high) == (0, 1):
        return transforms.SigmoidTransform()
    return transforms.ComposeTransform([transforms.SigmoidTransform(), transforms.AffineTransform(low, high - low)])


def _parts(registry: ConstraintRegistry) -> None:
    """Registers the constraints that are composed of others."""
    registry.register(
        constraints.independent,
        lambda c: transforms.IndependentTransform(registry(c.base_constraint), c.reinterpreted_batch_ndims),
    )
    registry.register(
        constraints.cat, lambda c: transforms.CatTransform([registry(part) for part in c.cseq], c.dim, c.lengths)
    )
    registry.register(constraints.stack, lambda c: transforms.StackTransform([registry(p) for p in c.cseq], c.dim))


_parts(biject_to)
_parts(transform_to)
