"""Errors for a freed graph: a tensor was carried over, or backward was called twice."""

import gc
from collections.abc import Iterator
from types import FrameType
from typing import Any

from rushlight.core.graph import Node
from rushlight.core.lines import user_traces
from rushlight.explain.finding import finder, found, kind
from rushlight.explain.holders import attribute_made_at, holder_of, owners_of, tensors_of, variables_made_at
from rushlight.explain.origins import info_of, leaves_behind
from rushlight.explain.syntax import Written
from rushlight.explain.writing import Text

CARRIED = kind(
    "carried-over",
    "error",
    "a tensor from before the last pass takes part in the next one",
    """
  cell, state = torch.nn.RNNCell(2, 3), torch.zeros(1, 3)
  for _ in range(3):
-     state = cell(torch.randn(1, 2), state)
+     state = cell(torch.randn(1, 2), state.detach())
      state.pow(2).mean().backward()
""",
)
TWICE = kind(
    "backward-twice",
    "error",
    "backward runs twice through the same graph",
    """
  w = torch.randn(3, requires_grad=True)
  hidden = w.exp()
- hidden.sum().backward()
- hidden.pow(2).sum().backward()
+ (hidden.sum() + hidden.pow(2).sum()).backward()
""",
)


@finder
def second_passes(case: Any) -> Iterator[Any]:
    """Explains the error for a freed graph: a tensor was carried over, or backward was called twice."""
    for error, site in case.errors:
        node = getattr(error, "freed", None)
        root = getattr(error, "root", None)
        if node is None or root is None:
            continue
        freed_at = case.ledger.freed_line(node.freed)
        if root.sequence > node.freed and freed_at in (site, None):
            _, old = meeting(root, node.freed)
            info = info_of(old) or info_of(node)
            made = info.site if info is not None else site
            if old is not None and (leaf := leaf_rebound(case, old, made)) is not None:
                yield rebound(case, leaf, made, freed_at, site)
                continue
            kept = kept_at(case, old or node, made, error)
            yield found(
                CARRIED,
                kept or made,
                f"what was {'put away' if kept else 'computed'} here "
                "before the last backward pass takes part in a later loss",
                "a pass frees what the graph behind it saved, so the next one cannot go through it again; "
                "retain_graph=True would keep, and differentiate, the graphs of all steps",
                "if it is a state that goes from step to step, cut it off after each: "
                "state = state.detach(); if it was computed once before the loop, compute it inside",
                ("computed at", made),
                ("freed by", freed_at),
                ("refused at", site),
                weight=10,
            )
            continue
        asked = next((cut for (at, how), cut in case.watch.cuts.items() if how == "grad" and at is freed_at), None)
        if asked is not None:
            yield freed_by_grad(asked, root, site)
            continue
        yield shared(case, node, root, freed_at, site)


def leaf_rebound(case: Any, old: Node, made: Any) -> Any:
    """The leaf of an optimizer whose variable now holds a result, because a line computes x from x alone."""
    leaves = leaves_behind(old)
    leaf = leaves[0] if len(leaves) == 1 else None
    held = leaf is not None and case.ledger.holder(leaf) is not None and id(leaf) not in case.names.known
    return leaf if held and Text.of(case).makes_anew(made) else None


def rebound(case: Any, leaf: Any, made: Any, freed_at: Any, site: Any) -> Any:
    """The finding for a variable that was an optimizer's leaf, and now holds a result computed from it."""
    name = Text.of(case).made_as(made)
    return found(
        CARRIED,
        made,
        f"`{name}` is bound here to a new tensor, and is no longer the leaf that the "
        f"{case.ledger.holder(leaf).name} optimizer changes",
        "the new one hangs on the graph of the old one, which takes part in the next loss and is freed by its pass",
        f"change the leaf in place, without recording: with torch.no_grad(): {name}.clamp_(0, 1), or "
        f"{name}.copy_(...) for what has no such form",
        ("freed by", freed_at),
        ("refused at", site),
        weight=10,
    )


def freed_by_grad(cut: Any, root: Node, site: Any) -> Any:
    """The finding for autograd.grad, which freed a graph that the loss uses too."""
    info = info_of(root)
    used = info is not None and cut in info.cuts
    return found(
        TWICE,
        cut.site,
        "autograd.grad() frees the graph here, and the loss goes through it" + (" and its result" if used else ""),
        "a pass frees what the graph saved"
        + ("; a result without a graph of its own is a constant in the loss besides" if used else ""),
        "call it with create_graph=True, since its result is differentiated in the loss"
        if used
        else "call it with retain_graph=True; with create_graph=True where its result is differentiated",
        ("refused at", site),
        weight=10,
    )


def shared(case: Any, node: Node, root: Node, freed_at: Any, site: Any) -> Any:
    """The finding for two losses that share a part of their graph; its line is the loss to rewrite.

    If an optimizer took a step between the passes, that is the loss that trains the shared part needlessly, or the one
    that uses results computed with the earlier parameters; else the second call of backward.
    """
    joint, part = meeting(root, node.freed)
    info, again, first = info_of(part or node), joint and info_of(joint), None
    stepped = [held for held in case.ledger.held.values() if held.stamp >= node.freed]
    if joint is not None and part is not None and stepped:
        leaves = leaves_behind(part)
        if not any(p is leaf for held in stepped for p in held.params for leaf in leaves):
            first = next((told for n in users_of(part) if n.sequence <= node.freed and (told := info_of(n))), None)
    if first is not None:
        line, what = first.site, "a loss goes here through what it is not to train, and its pass frees that"
    elif stepped and again:
        line, what = again.site, "what an earlier pass went through, and has freed, is used again here"
    else:
        line, what = site, "backward runs here through a graph that an earlier pass has freed"
    return found(
        TWICE,
        line,
        what,
        "the losses share a part of their graph, or are one; each pass frees what the graph saved",
        "compute it again after the step: the parameters have changed"
        if first is None and stepped and again
        else "add the losses and call backward once, (a + b).backward(); "
        "where the first loss is not to train the shared part (a discriminator's, say), give it a detached copy: "
        "detach(); else give retain_graph=True to the first call",
        ("freed by", freed_at),
        ("shared part", info and info.site),
        ("refused at", site),
        weight=10,
    )


def users_of(node: Node) -> Iterator[Node]:
    """The existing nodes that depend on a node."""
    edges = [referrer for referrer in gc.get_referrers(node) if type(referrer) is tuple]
    for value in (node, *edges):
        yield from owners_of(value, lambda one: isinstance(one, Node))


def kept_at(case: Any, node: Any, made: Any, error: Any) -> Written | None:
    """Where a result was stored that is used again: in an attribute, or in a list that still holds it."""
    frames = [trace.tb_frame for trace in user_traces(error)]
    text = Text.of(case)
    for tensor in tensors_of(node):
        holder = holder_of(tensor, frames)
        if holder is not None:
            return text.adding(holder)
    dropped = text.dropped(method="detach")
    name = attribute_made_at(made, frames)
    return dropped or (name and text.setting(name, made)) or text.put_away(made) or carried_by_loop(text, made, frames)


def carried_by_loop(text: Text, made: Any, frames: list[FrameType]) -> Written | None:
    """The line that rebinds a loop's variable to the result of a function that it calls, and which made it."""
    for frame in frames:
        names = variables_made_at(made, frame) if frame.f_code is not made.code else []
        bound = next((line for name in names if (line := text.binding(name, frame)) is not None), None)
        if bound is not None:
            return bound
    return None


def meeting(root: Node, stamp: int) -> tuple[Node | None, Node | None]:
    """Where a graph meets nodes older than a pass: the last new node on the way from the root, and the old node."""
    stack: list[Any] = [(None, root)]
    seen: set[int] = set()
    joint = old = None
    while stack and len(seen) < 100_000:
        above, vertex = stack.pop()
        if not isinstance(vertex, Node) or id(vertex) in seen:
            continue
        seen.add(id(vertex))
        if vertex.sequence <= stamp:
            if old is None or vertex.sequence > old.sequence:
                joint, old = above, vertex
            continue
        stack.extend((vertex, vertex.edge_at(i)[0]) for i in range(vertex.arity))
    return joint, old
