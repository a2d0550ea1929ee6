"""The first bad value: the operation that made a NaN or infinity, with a remedy for each operator."""

from collections.abc import Iterator
from itertools import pairwise
from math import inf
from typing import Any

from rushlight.explain.finding import finder, found, kind
from rushlight.explain.kinds.parts import by_module
from rushlight.explain.writing import Text

FORWARD = kind(
    "first-bad-value",
    "nan",
    "an operation on finite values gives NaN or infinity",
    """
  w = torch.tensor([1.0, 0.0], requires_grad=True)
- loss = w.log().sum()
+ loss = (w + 1e-6).log().sum()
  loss.backward()
""",
)
BACKWARD = kind(
    "bad-derivative",
    "nan",
    "an operation has a finite result and an infinite derivative",
    """
  x = torch.zeros(3, requires_grad=True)
- loss = x.norm()
+ loss = (x.pow(2).sum() + 1e-12).sqrt()
  loss.backward()
- loss2 = x.pow(2).sum().sqrt()
- loss2.backward()
""",
)
HIDDEN = kind(
    "hidden-by-where",
    "nan",
    "a bad value that where() or a mask hides comes back as NaN in the gradient",
    """
  x = torch.tensor([1.0, 0.0], requires_grad=True)
- loss = torch.where(x > 0, x.log(), torch.zeros_like(x)).sum()
+ safe = torch.where(x > 0, x, torch.ones_like(x))
+ loss = torch.where(x > 0, safe.log(), torch.zeros_like(x)).sum()
  loss.backward()
""",
)
DATA = kind(
    "bad-data",
    "nan",
    "there is NaN or infinity in the data",
    """
- x = torch.tensor([[1.0], [float("nan")]])
+ x = torch.tensor([[1.0], [0.0]])
  model = torch.nn.Linear(1, 1)
  model(x).pow(2).mean().backward()
""",
)
DIVERGED = kind(
    "diverged",
    "nan",
    "gradients and parameters grow from step to step until they overflow",
    """
  model = torch.nn.Linear(4, 1)
- optimizer = torch.optim.SGD(model.parameters(), lr=10.0)
+ optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
  x = torch.randn(32, 4)
  for _ in range(60):
      optimizer.zero_grad()
      (model(x) - 1).pow(2).mean().backward()
      optimizer.step()
""",
)

LOG = (
    "log of zero is minus infinity, and of a negative number NaN",
    "keep its operand above zero: log(x + eps), x.clamp_min(eps), or log_softmax and logsigmoid for probabilities",
)
DIVISION = (
    "a divisor of zero gives infinity, and 0 / 0 gives NaN",
    "keep the divisor away from zero: add eps, clamp_min it, or skip what is empty (a mask without elements)",
)
ROOT = (
    "the square root of a negative number is NaN, and its derivative at zero is infinite",
    "add a small eps under the root: (x + eps).sqrt()",
)
POWER = (
    "a negative number has no real power with a fraction, zero none that is negative; "
    "the derivative of x**p at 0 is infinite for p < 1",
    "keep the base above zero: x.clamp_min(eps)",
)
OVERFLOW = (
    "the exponential overflows: exp(89) is more than float32 holds",
    "subtract the maximum first, or use logsumexp, log_softmax, softplus, logsigmoid, which do so",
)
LOGS_OF_SUMS = ("cumsum", "logcumsumexp"), ("sum", "logsumexp")  # operators that sum between exp() and log()
DEVIATION = (
    "the deviation of one element with correction is 0 / 0, and its derivative at zero is infinite",
    "take it over more elements, give correction=0 (unbiased=False), or add eps: (x.var() + eps).sqrt()",
)
NOTHING = (
    "a row of which all is masked with -inf has no softmax: it is 0 / 0",
    "leave one element of each row unmasked, mask with a large negative number, "
    "or set such rows to zero after with where() on masked scores",
)
BOUNDS = (
    "beyond 1 it is NaN, and at -1 and 1 its derivative is infinite",
    "clamp the operand to within: x.clamp(-1 + eps, 1 - eps), or use atan2",
)
NORM = ("a norm has no derivative at zero", "add eps under the root: (x.pow(2).sum() + eps).sqrt(), or use the square")
MEAN = ("the mean of no elements is 0 / 0", "skip empty selections, or divide a sum by count.clamp_min(1)")
LARGE = (
    "the result is larger than the dtype holds",
    "scale the operands down: normalize the data and what goes from step to step, "
    "clip gradients, lower the learning rate; or take a wider dtype",
)
PROBABILITY = (
    "the logarithm of a probability of 0 or 1 is infinite",
    "use the form with logits (binary_cross_entropy_with_logits), or clamp probabilities to (eps, 1 - eps)",
)
EXPONENTIALS = ("exp", "exp2", "expm1", "sinh", "cosh")
REMEDIES = (
    *dict.fromkeys(("log", "log2", "log10", "log1p", "xlogy", "logit"), LOG).items(),
    *dict.fromkeys(("div", "reciprocal", "div_floor", "div_trunc", "fmod", "remainder", "rsqrt"), DIVISION).items(),
    ("sqrt", ROOT),
    ("pow", POWER),
    ("pow_tensor", POWER),
    *dict.fromkeys(EXPONENTIALS, OVERFLOW).items(),
    *dict.fromkeys(("std", "var", "std_mean", "var_mean"), DEVIATION).items(),
    *dict.fromkeys(("softmax", "log_softmax", "logsumexp"), NOTHING).items(),
    *dict.fromkeys(("acos", "asin", "acosh", "atanh"), BOUNDS).items(),
    *dict.fromkeys(("linalg_vector_norm", "dist", "euclidean_dist"), NORM).items(),
    *dict.fromkeys(("mean", "mean_dims"), MEAN).items(),
    ("binary_cross_entropy", PROBABILITY),
)
TABLE = dict(REMEDIES)


def words(birth: Any) -> tuple[str, str]:
    """Why an operation gives a bad value, and the remedy."""
    if birth.detail == "large" and birth.name not in EXPONENTIALS:
        return LARGE
    steep = ("its derivative is infinite there", "keep its operand away from that point, by an eps or by clamp")
    return TABLE.get(birth.name, steep if birth.backward else LARGE)


def as_one(case: Any, birth: Any) -> str:
    """The remedy if exp(), a sum and log() are in one function: the one function that does all three."""
    if birth.backward or birth.name not in ("exp", "log"):
        return ""
    around = Text.of(case).calls_around(birth.site)
    whole = next((one for part, one in LOGS_OF_SUMS if {"exp", part, "log"} <= around), "")
    part = whole.removeprefix("log").removesuffix("exp")
    return whole and f"take torch.{whole}(x, dim) for log({part}(exp(x))): it neither overflows nor meets a zero"


def in_words(value: str) -> str:
    """The kind of bad value in words."""
    return "NaN" if value == "nan" else "an infinity"


FOUND_IN = {
    "zero": " (there is a zero among its operands)",
    "negative": " (there is a negative number among its operands)",
    "one": " (of too few elements)",
    "nothing": " (there is -inf among its operands)",
    "large": " (its operands are finite, and too large for it)",
    "": "",
}


@finder
def first_bad_value(case: Any) -> Iterator[Any]:
    """Finds the oldest bad value behind a loss, gradient or parameter that is not finite."""
    if case.ledger.by_hooks.spoilt:
        return  # hooks made it: see `hooks`
    for birth, under_way in case.ledger.bad[:1]:
        shown = ("spoils the gradients of", under_way.site)
        if birth.name != "data" and (growing(case) or thrown(case, birth)):
            yield diverged(case, birth, under_way)
        elif birth.name in ("data", "parameter"):
            yield in_the_data(birth, shown)
        else:
            yield by_operation(case, birth, shown)


def in_the_data(birth: Any, shown: Any) -> Any:
    """The finding for a bad value that is in the data."""
    return found(
        DATA,
        birth.site,
        f"there is {in_words(birth.value)} in the {birth.name} that is used here",
        "whatever is computed from it is NaN or infinite, all gradients included",
        "look at it before training: assert x.isfinite().all(); leave such samples out, or nan_to_num() them"
        if birth.name == "data"
        else "an earlier step has spoilt the parameter, or it was made so: look at how "
        "it is initialised, and lower the learning rate",
        shown,
        weight=10,
    )


def by_operation(case: Any, birth: Any, shown: Any) -> Any:
    """The finding for an operation that makes a bad value, or a bad gradient, from good ones."""
    why, do = words(birth)
    whole = as_one(case, birth)
    if whole:
        do = f"{whole}; else {do}"
    line, by = by_module(case, birth.site)
    name = birth.name.removesuffix("_dims")
    if birth.backward and birth.hidden:
        kind_of = HIDDEN
        what = (
            f"{name}() gives bad values here{by}; they are left out later, "
            f"and come back as {in_words(birth.value)} in the gradient"
        )
        why += "; where() and masks give what is left out a cotangent of zero, and zero times infinity is NaN"
        do = "replace the operand before, too: safe = torch.where(mask, x, 1.0), then compute with safe"
    elif birth.backward:
        kind_of, what = BACKWARD, f"the derivative of {name}() is {in_words(birth.value)} here{by}"
    else:
        kind_of, what = FORWARD, f"{name}() gives {in_words(birth.value)} here{by}{FOUND_IN.get(birth.detail, '')}"
    return found(kind_of, line, what, why, do, ("called at", birth.site), shown, weight=10)


def growing(case: Any) -> bool:
    """Whether gradients grew without bounds over several steps before."""
    if case.ledger.steps < 2:
        return False
    for leaf in case.ledger.leaves.values():
        norms = leaf.norms[
            : next((i + 1 for i, n in enumerate(leaf.norms) if not n < inf), None)
        ]  # up to the first bad one
        norms = [n for n in norms if n == n]
        rises = sum(b > a for a, b in pairwise(norms))
        growth = norms[-1] / max(norms[0], 1e-12) if norms else 0
        if rises >= 0.6 * (len(norms) - 1) and growth > (1e4 if len(norms) > 2 else 1e6):
            return True
    return False


def thrown(case: Any, birth: Any) -> bool:
    """Whether a few steps made parameters a thousand times as large, so that an operation overflows."""
    far = any(held.largest > 1e3 * max(held.begun, 0.1) for held in case.ledger.held.values())
    return far and not birth.backward


def diverged(case: Any, birth: Any, under_way: Any) -> Any:
    """The finding for diverging parameters."""
    held = next(iter(case.ledger.held.values()), None)
    rate = held and held.optimizer.param_groups[0].get("lr")
    given = Text.of(case).handed_in(held.site, "lr") if held else None
    return found(
        DIVERGED,
        given or (held.site if held else under_way.site),
        "gradients grow from step to step until they overflow"
        + (f", with a learning rate of {rate:g}" if held else ""),
        "each step goes too far and the next gradient is larger",
        "lower the learning rate, by a factor of ten first; "
        "normalize the data; clip gradients with clip_grad_norm_ before step()",
        ("optimizer", held and held.site),
        ("the first bad value", birth.site),
        ("backward", under_way.site),
        weight=11,
    )
