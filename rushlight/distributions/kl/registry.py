"""The table of divergence rules for pairs of distribution classes."""

from collections.abc import Callable
from typing import Any, TypeVar

from rushlight.core.lines import warn
from rushlight.distributions.distribution import Distribution
from rushlight.tensors import Tensor

Rule = TypeVar("Rule", bound=Callable[[Any, Any], Tensor])
_KL_REGISTRY: dict[tuple[type, type], Callable[[Any, Any], Tensor]] = {}
_KL_MEMOIZE: dict[tuple[type, type], Callable[[Any, Any], Tensor]] = {}


def register_kl(type_p: type, type_q: type) -> Callable[[Rule], Rule]:
    """Decorates a function of (p, q) that returns KL(p || q) for these classes and their subclasses.

    The most specific rule is used. TypeError for arguments that are not distribution classes.

    >>> from rushlight.distributions import Normal, kl_divergence, register_kl
    >>> class Mine(Normal): ...
    >>> @register_kl(Mine, Mine)
    ... def mine(p, q): return p.loc - q.loc
    >>> kl_divergence(Mine(2.0, 1.0), Mine(1.0, 1.0))
    tensor(1.)
    """
    for name, given in (("type_p", type_p), ("type_q", type_q)):
        if not isinstance(given, type):  # libraries register classes of their own kind too, which PyTorch allows
            raise TypeError(f"Expected {name} to be a Distribution subclass but got {given}")

    def decorator(rule: Rule) -> Rule:
        _KL_REGISTRY[type_p, type_q] = rule
        _KL_MEMOIZE.clear()
        return rule

    return decorator


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """KL(p || q), the mean under `p` of log p - log q, of the batch's shape. NotImplementedError if there is no rule.

    >>> from rushlight.distributions import Normal, kl_divergence
    >>> kl_divergence(Normal(0.0, 1.0), Normal(1.0, 2.0))
    tensor(0.4431)
    """
    pair = type(p), type(q)
    rule = _KL_MEMOIZE.get(pair) or _dispatch_kl(*pair)
    if rule is None:
        raise NotImplementedError(
            f"No KL(p || q) is implemented for p type {type(p).__name__} and q type {type(q).__name__}. "
            "Estimate it: the mean of p.log_prob(x) - q.log_prob(x) for x = p.sample((n,))."
        )
    _KL_MEMOIZE[pair] = rule
    return rule(p, q)


def _dispatch_kl(type_p: type, type_q: type) -> Callable[[Any, Any], Tensor] | None:
    """The most specific rule, None if there is none; warns if the best rules for `p` and for `q` differ."""
    matches = [(p, q) for p, q in _KL_REGISTRY if issubclass(type_p, p) and issubclass(type_q, q)]
    if not matches:
        return None
    p_rank, q_rank = type_p.__mro__.index, type_q.__mro__.index
    left = min(matches, key=lambda match: (p_rank(match[0]), q_rank(match[1])))
    right = min(matches, key=lambda match: (q_rank(match[1]), p_rank(match[0])))
    if _KL_REGISTRY[left] is not _KL_REGISTRY[right]:
        warn(
            f"Ambiguous kl_divergence({type_p.__name__}, {type_q.__name__}). "
            f"Please register_kl({left[0].__name__}, {right[1].__name__})",
            RuntimeWarning,
        )
    return _KL_REGISTRY[left]
