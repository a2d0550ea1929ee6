"""Values that backward needs and that were changed in place: by a line, by an optimizer, or through `.data`."""

from collections.abc import Iterator
from typing import Any

from rushlight.explain.finding import finder, found, kind
from rushlight.explain.kinds.parts import by_module

CHANGED = kind(
    "changed-in-place",
    "error",
    "a value that the backward pass needs was changed in place",
    """
  w = torch.randn(3, requires_grad=True)
  y = w.sigmoid()
- y += 1
+ y = y + 1
  y.sum().backward()
""",
)
STEPPED = kind(
    "stepped-before-backward",
    "error",
    "an optimizer changed parameters that a later backward pass still needs",
    """
  first, second = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)
  optimizer = torch.optim.SGD([*first.parameters(), *second.parameters()], lr=0.1)
  hidden = first(torch.randn(4, 2))
  a, b = second(hidden).mean(), second(hidden).pow(2).mean()
- a.backward(retain_graph=True)
+ (a + b).backward()
  optimizer.step()
- b.backward()
""",
)
UNSEEN = kind(
    "changed-unseen",
    "wrong",
    "a value that the backward pass needs is changed through .data, which autograd does not see",
    """
  w = torch.randn(3, requires_grad=True)
  loss = (w * w).sum()
+ loss.backward()
  w.data.mul_(2)
- loss.backward()
""",
)


@finder
def changes(case: Any) -> Iterator[Any]:
    """Explains the error for a saved value that was changed: who changed it."""
    for error, site in case.errors:
        change = getattr(error, "changed_at", None)
        if change is None or isinstance(change, str):
            continue
        if change.by is not None:
            yield found(
                STEPPED,
                change.site,
                f"the {change.by} optimizer changes parameters here, "
                f"in step {change.step + 1}, that a graph recorded before still needs",
                "backward computes with the parameters as they were in the forward pass, "
                "and an optimizer changes them in place",
                "call backward for all losses first and step afterwards, "
                "or compute the second loss again after the step",
                ("needed by the pass at", site),
                weight=10,
            )
            continue
        line, by = by_module(case, change.site)
        yield found(
            CHANGED,
            line,
            f"a tensor is changed in place here{by}, though a derivative needs its old value",
            "an operation saved it, or its own result, for the backward pass",
            "change the parameter after backward()"
            if error.leaf
            else "make a new tensor (x = x + 1 for x += 1, no underscore), or change a copy: x.clone()",
            ("called at", change.site),
            ("needed by the pass at", site),
            weight=10,
        )


@finder
def unseen_changes(case: Any) -> Iterator[Any]:
    """Finds changes through .data of values that backward needed."""
    for tensor, site in case.ledger.spoilt[:1]:
        yield found(
            UNSEEN,
            site,
            f"the memory of {case.names.of(tensor)} is changed here through .data, "
            "and a derivative is computed with what it holds now",
            "autograd counts changes of a tensor, not those through .data, so it cannot refuse: the gradient is wrong",
            "change it after backward, inside `with torch.no_grad():`; or change a clone()",
            weight=8,
        )
