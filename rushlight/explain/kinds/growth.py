"""Graphs that grow from step to step, and what keeps them alive."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from rushlight.autograd.drawing import saved_bytes
from rushlight.explain.finding import finder, found, kind
from rushlight.explain.nodes import nodes_behind
from rushlight.explain.writing import Text

GROWS = kind(
    "graph-grows",
    "memory",
    "the graph reaches back through earlier steps, and grows",
    """
  cell = torch.nn.RNNCell(2, 3)
  optimizer = torch.optim.SGD(cell.parameters(), lr=0.0001)
- state = torch.zeros(1, 3)
- start = state
+ start = torch.zeros(1, 3)
  losses = 0.0
  for _ in range(6):
      optimizer.zero_grad()
      loss = cell(torch.randn(1, 2), start).pow(2).mean()
-     losses = losses + loss
+     losses = losses + loss.item()
      loss.backward()
      optimizer.step()
  print(losses)
""",
)
RETAINED = kind(
    "retained-and-growing",
    "memory",
    "retain_graph=True in place of cutting off what is carried from step to step",
    """
  w = torch.randn(3, requires_grad=True)
  state = torch.zeros(3)
  for _ in range(6):
-     state = torch.tanh(state + w)
-     state.pow(2).mean().backward(retain_graph=True)
+     state = torch.tanh(state.detach() + w)
+     state.pow(2).mean().backward()
""",
)
CREATED = kind(
    "graph-of-backward-kept",
    "memory",
    "backward(create_graph=True) in each step keeps all graphs alive",
    """
  w = torch.randn(3, requires_grad=True)
  for _ in range(5):
      w.grad = None
-     w.pow(3).sum().backward(create_graph=True)
+     w.pow(3).sum().backward()
      w.data.sub_(0.01 * w.grad.detach())
""",
)


@finder
def growth(case: Any) -> Iterator[Any]:
    """Finds graphs that reach back through earlier steps, and results that are kept with their graphs."""
    longer = list(longer_passes(case))
    spans = [(one, node()) for one, node in case.watch.spans.values() if one.depth >= 3]
    yield from longer
    if not spans:
        yield from kept_results(case)
    elif not longer:
        yield spanning(case, *max(spans, key=lambda pair: pair[0].depth))


def longer_passes(case: Any) -> Iterator[Any]:
    """Finds passes that run through more and more nodes, with retain_graph."""
    for site, sizes in case.ledger.sizes.items():
        if len(sizes) >= 4 and rises(sizes) and case.ledger.retained.get(site):
            yield found(
                RETAINED,
                site,
                "each backward pass here goes through more than the last: "
                f"{sizes[0]} operations, then {sizes[1]}, at last {sizes[-1]}",
                "a tensor is carried from step to step with its history, "
                "and retain_graph=True keeps what would have been freed: time and memory grow with each step",
                "cut off what is carried over after each step, state = state.detach(), and leave retain_graph out",
                ("carried over at", carried(case)),
                weight=9,
                operations=sizes,
            )


def spanning(case: Any, one: Any, node: Any) -> Any:
    """The finding for a result whose graph spans many steps; its line is where the result is computed.

    If a function accumulates its argument, and gets numbers elsewhere, it is the call that passes a tensor.
    """
    calls, with_numbers = Text.of(case).added_argument(one.site)
    handed = calls[0] if with_numbers and len(calls) == 1 else None
    return found(
        GROWS,
        handed or one.site,
        f"what is {'handed on' if handed else 'computed'} here holds the graphs of {one.depth + 1} steps"
        f"{size_of([node])}",
        "a sum of losses, or a state, that is carried on with its history keeps every step's graph in memory",
        "add up numbers, loss.item() or loss.detach(); cut a state off with detach()",
        ("added up at", one.site),
        *(("handed on at", call) for call in calls[:2]),
        weight=4,
        steps=one.depth + 1,
    )


def kept_results(case: Any) -> Iterator[Any]:
    """Finds results of many steps that something keeps alive, each with its graph."""
    kept = kept_longest(case)
    if kept is None:
        return
    site, steps = kept
    holder = case.watch.holders.get(site)
    put = holder and Text.of(case).adding(holder)
    held = [t._node for result in site.results if (t := result()) is not None]
    where = f"put into `{holder}`" if put else "computed"
    yield found(
        GROWS,
        put or site,
        f"what is {where} here is kept with its graph, that of {steps} steps at a time{size_of(held)}",
        "a list of results that require grad, losses say or predictions, keeps the graph of each, with what that saved",
        "keep numbers: losses.append(loss.item()), or loss.detach(); "
        "compute what is only looked at inside `with torch.no_grad():`",
        ("computed at", site),
        weight=4,
    )


@finder
def recorded_passes(case: Any) -> Iterator[Any]:
    """Finds backward(create_graph=True) in step after step."""
    for site, times in case.ledger.recorded_passes.items():
        if times >= 3:
            yield found(
                CREATED,
                site,
                f"backward(create_graph=True) is called here, {times} times",
                "gradients in .grad then hold the graph that made them, "
                "which holds the parameters: a cycle that is freed late",
                "use torch.autograd.grad(loss, parameters, create_graph=True) for derivatives of gradients, and "
                "leave create_graph out where none are needed",
                weight=3,
            )


def kept_longest(case: Any) -> tuple[Any, int] | None:
    """The line whose results of many steps stay alive without a pass through them, and how many steps they span."""
    case.watch.count_alive()
    best = None
    for site in case.watch.lasting:
        held = case.watch.alive[site]
        idle = [number for number, freed in held if freed or number in case.ledger.unused]
        if len(idle) >= min(5, len(held)) and (
            best is None or idle[-1] > best[0]
        ):  # the last line in the chain keeps the others alive
            best = idle[-1], site, len(idle)
    return None if best is None else best[1:]


def size_of(nodes: Any) -> str:
    """The size of the graphs behind some nodes that are still alive, in words: nodes, and what they saved."""
    held = list(nodes_behind(nodes, 100_000))
    saved = sum(saved_bytes(node) for node in held)
    size = f", which saved {saved:,} bytes" if saved else ""
    return f": {len(held):,} nodes{size}" if held else ""


def rises(sizes: list[int]) -> bool:
    """Whether the passes at a line get longer and longer."""
    return sizes[-1] >= 2 * sizes[0] and all(b >= a for a, b in pairwise(sizes)) and sizes[-1] > sizes[-2]


def carried(case: Any) -> Any:
    """A line whose result is carried over to the next step."""
    spans = [one for one, _ in case.watch.spans.values() if one.depth]
    return max(spans, key=lambda info: info.depth).site if spans else None
