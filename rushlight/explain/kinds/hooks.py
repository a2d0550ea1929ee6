"""Hooks that change gradients in a way that is hardly intended."""

from collections.abc import Iterator
from typing import Any

from rushlight.explain.finding import finder, found, kind
from rushlight.explain.returning import returned
from rushlight.explain.sites import DEFINED, Site

HOOKED = kind(
    "hook-zeroes",
    "zero",
    "a hook makes a gradient zero",
    """
  w = torch.randn(3, requires_grad=True)
  hidden = w * 2
- hidden.register_hook(lambda grad: grad * 0)
+ hidden.register_hook(lambda grad: grad * 0.5)
  hidden.pow(2).sum().backward()
  print(w.grad)
""",
)
WRITES = kind(
    "hook-in-place",
    "wrong",
    "a hook writes into the gradient that it is given",
    """
  w = torch.randn(3, requires_grad=True)

  def halve(grad):
-     grad.mul_(0.5)
+     return grad * 0.5

  hidden = w * 2
  hidden.register_hook(halve)
  hidden.pow(2).sum().backward()
""",
)
SPOILS = kind(
    "hook-spoils",
    "nan",
    "a hook makes NaN or infinity of a gradient that is finite",
    """
  w = torch.ones(1, requires_grad=True)
  hidden = w * 2
- hidden.register_hook(lambda grad: grad / grad.std())
+ hidden.register_hook(lambda grad: grad / grad.norm().clamp_min(1e-6))
  hidden.pow(2).sum().backward()
  print(w.grad)
""",
)
TURNS = kind(
    "hook-turns",
    "wrong",
    "a hook turns the signs of a part of a gradient",
    """
  w = torch.randn(8, requires_grad=True)

  def look(grad):
      size = grad.abs()
      print(size.max())
-     return size

  w.register_hook(look)
  w.pow(2).sum().backward()
""",
)


def by_hook(kind_of: Any, event: Any, what: str, why: str, do: str, weight: float) -> Any:
    """The finding for a hook: `event` is its code and the line of the pass. Its line is the hook's return value."""
    code, site = event
    defined = Site(code, DEFINED)
    line = returned(code, in_parts=kind_of is TURNS) or defined
    return found(kind_of, line, what, why, do, ("hook", defined), ("backward", site), weight=weight)


ZEROES = (
    "a hook makes a gradient zero",
    "what a hook returns, or writes into the gradient, goes on in its place",
    "let the hook return None to leave the gradient as it is; remove() hooks that are no longer needed",
)


def by_zeros(event: Any, name: str, made: Any) -> Any:
    """The finding for a hook that makes a gradient zero by multiplying with zeros, such as a mask."""
    code, site = event
    line = returned(code) or Site(code, DEFINED)
    return found(
        HOOKED,
        made or line,
        f"`{name}` is zero everywhere, and a hook makes a gradient zero by it",
        ZEROES[1],
        f"look at how `{name}` is made: a mask is 1 where gradients are to pass (weight != 0, not weight == 0)",
        ("hook", line),
        ("backward", site),
        weight=7,
    )


@finder
def hooks(case: Any) -> Iterator[Any]:
    """Finds what hooks did to gradients: the first case of each kind."""
    for *event, factor in case.ledger.by_hooks.zeroed[:1]:
        yield by_hook(HOOKED, event, *ZEROES, 7) if factor is None else by_zeros(event, *factor)
    for event in case.ledger.by_hooks.changed[:1]:
        yield by_hook(
            WRITES,
            event,
            "a hook writes into the gradient that it is given",
            "the same memory may be the gradient of other tensors too, which then have a wrong one",
            "return a new gradient: return grad * 0.5 in place of grad.mul_(0.5)",
            6,
        )
    for event in case.ledger.by_hooks.spoilt[:1]:
        yield by_hook(
            SPOILS,
            event,
            "a hook makes NaN or infinity of a finite gradient",
            "what a hook returns goes on in the gradient's place: "
            "a norm of zero, or the deviation of one element, spoils what it divides",
            "keep divisors away from zero: grad / grad.norm().clamp_min(eps)",
            11,
        )
    for event in case.ledger.by_hooks.turned[:1]:
        yield by_hook(
            TURNS,
            event,
            "a hook turns the signs of a part of the gradient, and leaves the others",
            "what a hook returns goes on in the gradient's place, which then does not point uphill",
            "let a hook that only looks return nothing; remove() hooks that are no longer needed",
            6,
        )
