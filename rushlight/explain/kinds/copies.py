"""Names that should hold a copy but hold the original: a target network, the best parameters so far."""

import re
from collections.abc import Iterator
from typing import Any

from rushlight.explain.finding import finder, found, kind
from rushlight.explain.kinds.modes import trained
from rushlight.explain.writing import Text

NO_COPY = kind(
    "not-a-copy",
    "wrong",
    "what is meant as a copy of a model, or of its parameters, is the original itself",
    """
+ from copy import deepcopy
+
  model = torch.nn.Linear(3, 1)
- target_model = model
+ target_model = deepcopy(model)
  optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
  for _ in range(4):
      x = torch.randn(5, 3)
      with torch.no_grad():
          wanted = 1 + 0.9 * target_model(x)
      optimizer.zero_grad()
      (model(x) - wanted).pow(2).mean().backward()
      optimizer.step()
""",
)
APART = re.compile(r"(^|_)(target|teacher|ema|old|frozen|shadow|reference|ref|anchor|averaged|backup)(_|$|net)")


@finder
def second_names(case: Any) -> Iterator[Any]:
    """Finds a trained module with a second name that suggests a separate copy."""
    for line, target, value in Text.of(case).aliases():
        if APART.search(target) and not APART.search(value):
            module = case.names.called.get(target)
            if module is not None and module is case.names.called.get(value) and trained(case.ledger, module):
                yield no_copy(
                    line,
                    f"`{target}` is a second name of `{value}` here, not a copy: what changes one changes the other",
                    "copy.deepcopy(model), and load_state_dict() from time to time",
                )


@finder
def loaded_from_itself(case: Any) -> Iterator[Any]:
    """Finds parameters that are loaded from their own memory, to undo steps."""
    for site, made, age in case.readings.copies:
        if age > 0:
            yield no_copy(
                made,
                "the parameters that are kept here are loaded later, and are the same memory that training changes",
                "keep copies: copy.deepcopy(model.state_dict()), or {k: v.clone() for k, v in ...items()}",
                ("loaded at", site),
            )


def no_copy(line: Any, what: str, do: str, *related: Any) -> Any:
    """The finding for a missing copy."""
    why = "Python binds names to objects, and state_dict() and .data give tensors that share the parameters' memory"
    return found(NO_COPY, line, what, why, do, *related, weight=8)
