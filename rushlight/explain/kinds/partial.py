"""Gradients with a missing part: one path from a parameter to the loss is cut, others are open."""

import re
from collections.abc import Iterator
from typing import Any

from rushlight.explain.finding import finder, found, kind
from rushlight.explain.kinds.losses import TARGET
from rushlight.explain.kinds.unrecorded import described
from rushlight.explain.ways import NUMBERS, Way
from rushlight.explain.writing import Text

IDLE = kind(
    "idle-term",
    "none",
    "a term of the loss has no history, and trains nothing",
    """
  model, teacher, x = torch.nn.Linear(3, 4), torch.nn.Linear(3, 4), torch.randn(6, 3)
  optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
  for _ in range(3):
      loss = model(x).pow(2).mean()
      with torch.no_grad():
-         gap = (model(x) - teacher(x)).abs().mean()
+         goal = teacher(x)
+     gap = (model(x) - goal).abs().mean()
      optimizer.zero_grad()
      (loss + gap).backward()
      optimizer.step()
""",
)
SAMPLE = kind(
    "sample-without-history",
    "none",
    "sample() of a distribution where rsample() is meant",
    """
  encoder, decoder, x = torch.nn.Linear(3, 2), torch.nn.Linear(2, 3), torch.randn(6, 3)
  optimizer = torch.optim.SGD([*encoder.parameters(), *decoder.parameters()], lr=0.1)
  for _ in range(3):
      q = torch.distributions.Normal(encoder(x), 1.0)
-     loss = (decoder(q.sample()) - x).pow(2).mean() + q.mean.pow(2).mean()
+     loss = (decoder(q.rsample()) - x).pow(2).mean() + q.mean.pow(2).mean()
      optimizer.zero_grad()
      loss.backward()
      optimizer.step()
""",
)
FIRST_ORDER = kind(
    "first-order-only",
    "wrong",
    "parameters are adapted by a gradient without a graph, and the loss of what they become is differentiated",
    """
  w = torch.randn(3, requires_grad=True)
  optimizer = torch.optim.SGD([w], lr=0.1)
  for _ in range(3):
-     (slope,) = torch.autograd.grad(w.pow(4).sum(), w)
+     (slope,) = torch.autograd.grad(w.pow(4).sum(), w, create_graph=True)
      adapted = w - 0.1 * slope
      optimizer.zero_grad()
      adapted.pow(2).sum().backward()
      optimizer.step()
""",
)
IN_TIME = kind(
    "cut-in-time",
    "wrong",
    "a state is cut off at each step of a sequence, and the loss of the last one reaches no step before it",
    """
  cell, head = torch.nn.RNNCell(2, 4), torch.nn.Linear(4, 1)
  optimizer = torch.optim.SGD([*cell.parameters(), *head.parameters()], lr=0.1)
  for _ in range(3):
      x, h = torch.randn(6, 5, 2), torch.zeros(6, 4)
      for t in range(5):
-         h = cell(x[:, t], h.detach())
+         h = cell(x[:, t], h)
      optimizer.zero_grad()
      (head(h) - x[:, 0, :1]).pow(2).mean().backward()
      optimizer.step()
""",
)
MEANT = re.compile(r"first[-_ ]?order|fomaml|reptile|sharpness|create_graph *= *False", re.IGNORECASE)


@finder
def partly_cut(case: Any) -> Iterator[Any]:
    """Finds paths to parameters that were cut in steps that changed these parameters."""
    ways = case.ledger.ways
    told: set[Any] = set()
    for way, times in ways.found.items():
        cut = way.cut if way.what != "number" else number_behind(case, way)
        if cut is None or cut in told or (times < 2 and case.ledger.steps > 2):
            continue
        told.add(cut)
        if way.what == "sample":
            if id(cut) not in ways.scored and not Text.of(case).calls("rsample"):
                yield sampled(case, cut)
        elif way.what == "state":
            if Text.of(case).walks_through(cut.site):
                yield in_time(case, cut)
        elif way.what == "weight":
            yield weighted(way)
        elif way.what == "target":
            yield collapsing(case, way)
        elif way.what == "gradient":
            if not Text.of(case).mentions(MEANT):
                yield first_order(case, way)
        elif way.site not in ways.weights:  # the weight of a log probability is no term of the loss
            yield idle(case, way, cut)


def number_behind(case: Any, way: Way) -> Any:
    """The cut of a trained parameter's value behind a number that a line adds to a loss."""
    held = [p for one in case.ledger.held.values() if one.steps for p in one.params]
    numbers = [cut for cut in case.watch.cuts.values() if cut.how in NUMBERS and any(map(cut.comes_from, held))]
    return next((cut for cut in numbers if Text.of(case).adds_what(way.site, cut.site)), None)


def idle(case: Any, way: Way, cut: Any) -> Any:
    """The finding for a term of the loss without history."""
    one = described(case, cut, IDLE, weight=8, related=[("added to the loss at", way.site)])
    one.why += ": in the loss this is a constant, and the parameters get the gradient of the other terms alone"
    return one


def sampled(case: Any, cut: Any) -> Any:
    """The finding for a sample that should have a history."""
    whose = case.names.of_several([leaf() for leaf in cut.leaves.values() if leaf() is not None])
    return found(
        SAMPLE,
        cut.site,
        f"sample() draws without recording here, and what the loss makes of it does not reach {whose}",
        "sample() is for choices whose log_prob() is trained; of its result no gradient comes back to the distribution",
        "draw with rsample(), which is a differentiable function of the parameters and of noise",
        weight=8,
    )


def in_time(case: Any, cut: Any) -> Any:
    """The finding for a state that is detached within the sequence of one loss."""
    return found(
        IN_TIME,
        cut.site,
        "a state is cut off here at each step of a sequence, and the loss reaches the last step alone",
        "what the steps before have computed is a constant to this loss: "
        "nothing teaches the state to remember what came early",
        "keep the history within a sequence: take detach() out of the loop, "
        "and cut the state off once, between the sequences of two losses",
        weight=7,
    )


def weighted(way: Way) -> Any:
    """The finding for an advantage that is trained by the policy's loss."""
    return found(
        TARGET,
        way.site,
        "what weighs a log_prob() is computed here with its history: the loss of the policy trains the value too",
        "the value has a loss of its own; that of the policy pulls it to wherever it makes the weight small or large",
        "take the value as a constant here: advantage = returns - values.detach()",
        weight=7,
    )


def collapsing(case: Any, way: Way) -> Any:
    """The finding for a target that is trained towards its prediction, with nothing else in the loss."""
    return found(
        TARGET,
        way.site,
        "what is predicted here is computed with its history, and the loss wants nothing but likeness: "
        "the target is trained to be like its prediction",
        "two sides that both move are most alike when they are constants: representations collapse",
        "stop the gradient at the target: cosine_similarity(prediction, target.detach())",
        weight=6,
    )


def first_order(case: Any, way: Way) -> Any:
    """The finding for an inner update that is a constant for the outer loss."""
    return found(
        FIRST_ORDER,
        way.cut.site if way.cut is not None else way.site,
        "autograd.grad() gives gradients without a graph here, and parameters are adapted by them in the outer loss",
        "to the outer loss these gradients are constants: its gradient lacks the part that goes through them",
        "call it with create_graph=True; where the first order alone is meant, say so with create_graph=False",
        ("adapted at", way.site),
        weight=5,
    )
