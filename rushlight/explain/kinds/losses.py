"""Losses that are given the wrong kind of input."""

import re
from collections.abc import Iterator
from typing import Any

from rushlight.explain.finding import finder, found, kind
from rushlight.explain.kinds.parts import by_module
from rushlight.explain.writing import Text

SOFTMAX_TWICE = kind(
    "softmax-twice",
    "wrong",
    "softmax before a cross entropy, which has it inside",
    """
  model = torch.nn.Linear(3, 4)
  x, y = torch.randn(6, 3), torch.tensor([0, 1, 2, 3, 0, 1])
- torch.nn.functional.cross_entropy(torch.softmax(model(x), dim=1), y).backward()
+ torch.nn.functional.cross_entropy(model(x), y).backward()
""",
)
SIGMOID_TWICE = kind(
    "sigmoid-twice",
    "wrong",
    "sigmoid before a loss on logits, which has it inside",
    """
  model = torch.nn.Linear(3, 1)
  p = torch.sigmoid(model(torch.randn(6, 3)))
- torch.nn.BCEWithLogitsLoss()(p, torch.ones(6, 1)).backward()
+ torch.nn.BCELoss()(p, torch.ones(6, 1)).backward()
""",
)
NO_LOG = kind(
    "not-log-probabilities",
    "wrong",
    "nll_loss of what are no logarithms of probabilities",
    """
  model = torch.nn.Linear(3, 4)
  x, y = torch.randn(6, 3), torch.tensor([0, 1, 2, 3, 0, 1])
- torch.nn.functional.nll_loss(torch.softmax(model(x), dim=1), y).backward()
+ torch.nn.functional.nll_loss(torch.log_softmax(model(x), dim=1), y).backward()
""",
)
DIMENSION = kind(
    "softmax-dimension",
    "wrong",
    "softmax over the samples of a batch in place of the classes",
    """
  model = torch.nn.Linear(3, 4)
  x, y = torch.randn(6, 3), torch.tensor([0, 1, 2, 3, 0, 1])
- torch.nn.functional.nll_loss(torch.log_softmax(model(x), dim=0), y).backward()
+ torch.nn.functional.nll_loss(torch.log_softmax(model(x), dim=1), y).backward()
""",
)
OF_ONE = kind(
    "softmax-of-one",
    "zero",
    "softmax over a dimension of one element is 1, whatever comes",
    """
  model = torch.nn.Linear(3, 1)
- p = torch.softmax(model(torch.randn(6, 3)), dim=1)
+ p = torch.sigmoid(model(torch.randn(6, 3)))
  torch.nn.functional.binary_cross_entropy(p.clamp(0.01, 0.99), torch.zeros(6, 1)).backward()
""",
)
COLUMN = kind(
    "column-against-row",
    "wrong",
    "(N, 1) against (N,): every prediction is compared with every target",
    """
  model, x = torch.nn.Linear(3, 1), torch.randn(6, 3)
  y = x.sum(1)
- loss = ((model(x) - y) ** 2).mean()
+ loss = ((model(x).squeeze(1) - y) ** 2).mean()
  loss.backward()
""",
)


TARGET = kind(
    "target-trained-along",
    "wrong",
    "the target of a loss is itself computed with gradients, and is trained towards the prediction",
    """
  value = torch.nn.Linear(3, 1)
  optimizer = torch.optim.SGD(value.parameters(), lr=0.1)
  for _ in range(3):
-     target = torch.randn(5, 1) + 0.9 * value(torch.randn(5, 3))
+     target = torch.randn(5, 1) + 0.9 * value(torch.randn(5, 3)).detach()
      loss = torch.nn.functional.mse_loss(value(torch.randn(5, 3)), target)
      optimizer.zero_grad()
      loss.backward()
      optimizer.step()
""",
)


# names in programs where queries compete for the keys, so that a softmax over the queries is intended
COMPETING = re.compile(r"slot|\bshares?\b|compet|assign|cluster|dispatch|rout(e|ing)|responsib|expert|capsule", re.I)


@finder
def losses(case: Any) -> Iterator[Any]:
    """Finds the mistakes that were seen in calls of losses."""
    for (what, site), facts in case.readings.seen.items():
        write = WRITERS.get(what)
        if write is not None and not (facts.get("rows") and Text.of(case).mentions(COMPETING)):
            yield write(case, site, facts)


def softmax_twice(case: Any, site: Any, facts: dict[str, Any]) -> Any:
    """The finding for softmax followed by cross entropy."""
    line, by = by_module(case, site)
    return found(
        SOFTMAX_TWICE,
        line,
        f"softmax is applied here{by} to what goes into a cross entropy",
        "cross_entropy applies log_softmax itself; "
        "of probabilities between 0 and 1 that is nearly flat, so gradients are small and training stalls",
        "give the loss the logits, without softmax",
        ("loss", facts["loss"]),
        weight=7,
    )


def sigmoid_twice(case: Any, site: Any, facts: dict[str, Any]) -> Any:
    """The finding for sigmoid followed by a loss on logits."""
    line, by = by_module(case, site)
    return found(
        SIGMOID_TWICE,
        line,
        f"{facts['function']} is applied here{by} to what goes into a loss on logits",
        "binary_cross_entropy_with_logits applies the sigmoid itself; "
        "of numbers between 0 and 1 that is never below a half",
        "give the loss the logits, or use binary_cross_entropy for probabilities",
        ("loss", facts["loss"]),
        weight=7,
    )


def no_log(case: Any, site: Any, facts: dict[str, Any]) -> Any:
    """The finding for nll_loss of probabilities or logits."""
    what = "probabilities" if facts["softmax"] else "numbers above zero, which are no logarithms of probabilities"
    return found(
        NO_LOG,
        (facts["softmax"] and facts["source"]) or site,
        f"{facts.get('function', 'nll_loss')} gets {what}" + (", made here" if facts["softmax"] else " here"),
        "it only takes products with what it gets: without the logarithm the loss has no bound, "
        "and its gradient does not depend on how wrong the prediction is",
        "apply log_softmax before, or use cross_entropy on the logits",
        ("loss", site),
        ("made at", facts["source"]),
        weight=7,
    )


def dimension(case: Any, site: Any, facts: dict[str, Any]) -> Any:
    """The finding for softmax over the batch."""
    line, _ = by_module(case, site)
    if facts.get("batch"):
        return found(
            DIMENSION,
            line,
            f"softmax is taken over dimension {facts['dim']} here, and what it goes into sums over another one",
            "the weights of each sum then do not sum to one, and depend on other sums: of samples, or of queries",
            "take it over the dimension that is summed over, that of the keys: mostly dim=-1",
            ("the sum", facts["used"]),
            weight=7,
        )
    return found(
        DIMENSION,
        line,
        f"softmax is taken over dimension {facts['dim']} here, and classes are chosen in the other",
        "each class then sums to one over the samples of the batch, and not each sample over its classes",
        "take it over the classes: dim=1, or dim=-1",
        ("classes are chosen at", facts["used"]),
        weight=7,
    )


def of_one(case: Any, site: Any, facts: dict[str, Any]) -> Any:
    """The finding for softmax of a single element."""
    line, _ = by_module(case, site)
    return found(
        OF_ONE,
        line,
        f"softmax is taken over dimension {facts['dim']} of {list(facts['shape'])}, which has one element",
        "its result is 1 whatever the input, and its derivative zero",
        "use sigmoid for a single output, or the dimension of the classes",
        weight=9,
    )


def column(case: Any, site: Any, facts: dict[str, Any]) -> Any:
    """The finding for a difference of shapes (N, 1) and (N,)."""
    n = facts["n"]
    return found(
        COLUMN,
        site,
        f"shapes {', '.join(str(list(s)) for s in facts['shapes'])} are broadcast to [{n}, {n}] here",
        "every prediction is compared with every target, so all are pulled to the mean of the targets",
        "give both one shape: prediction.squeeze(1), or target.unsqueeze(1)",
        weight=7,
    )


def target(case: Any, site: Any, facts: dict[str, Any]) -> Any:
    """The finding for a target that requires grad."""
    return found(
        TARGET,
        site,
        "the target of the loss is computed here with its history, so training moves it too",
        "the gradient flows through prediction and target: "
        "each is pulled to the other, not only the prediction to the target",
        "compute the target inside `with torch.no_grad():`, or detach() it",
        ("loss", facts["loss"]),
        weight=7,
    )


WRITERS = {
    "target-trained-along": target,
    "softmax-twice": softmax_twice,
    "sigmoid-twice": sigmoid_twice,
    "not-log-probabilities": no_log,
    "softmax-dimension": dimension,
    "softmax-of-one": of_one,
    "column-against-row": column,
}
