"""Gradients that cancel: a value is compared with itself."""

from collections.abc import Iterator
from typing import Any

from rushlight.explain.finding import finder, found, kind

CANCELS = kind(
    "equals-cancel",
    "zero",
    "a value is subtracted from itself, or divided by itself, with its history: the gradient cancels",
    """
  policy = torch.nn.Linear(3, 2)
  for _ in range(3):
      chosen = policy(torch.randn(5, 3)).log_softmax(1)[:, 0]
-     ratio = (chosen - chosen).exp()
+     ratio = (chosen - chosen.detach()).exp()
      (ratio * torch.randn(5)).mean().backward()
  print(policy.weight.grad)
""",
)


@finder
def equal_operands(case: Any) -> Iterator[Any]:
    """Finds differences and quotients of equal operands that occur repeatedly."""
    for (what, site), facts in case.readings.seen.items():
        if what == "equal-operands" and facts["times"] >= 2:
            yield cancels(site, facts)


def cancels(site: Any, facts: dict[str, Any]) -> Any:
    """The finding for two equal operands that both have a history."""
    done = "divided by" if facts["function"] == "div" else "compared with"
    return found(
        CANCELS,
        site,
        f"a value is {done} itself here"
        + ("" if facts["one"] else ", computed twice in the same way")
        + ", and both operands have their history",
        "the result does not depend on the parameters: the two gradients cancel",
        "cut one of the two off, x.detach(), or compute it before the update inside `with torch.no_grad():`",
        weight=8,
    )
