"""The error for an input that the output does not depend on."""

from collections.abc import Iterator
from typing import Any

from rushlight.explain.finding import finder, found, kind
from rushlight.explain.kinds.looked_at import required_late
from rushlight.explain.kinds.unrecorded import CUT_OFF, add, described, misspellings
from rushlight.explain.origins import info_of
from rushlight.explain.writing import Text

UNUSED = kind(
    "input-not-reached",
    "error",
    "grad is asked for an input that the outputs do not depend on",
    """
  x = torch.randn(3, requires_grad=True)
  y = x.pow(2).sum()
- torch.autograd.grad(y, x[0])
+ torch.autograd.grad(y, x)[0][0]
""",
)


@finder
def plain_inputs(case: Any) -> Iterator[Any]:
    """Explains the error for an input that does not require grad: where it was made, or the misspelt attribute."""
    for error, site in case.errors:
        x = getattr(error, "plain", None)
        if x is None:
            continue
        origin = x if x._view is None else x._view.base
        info = info_of(origin)
        word = next((word for word, meant in misspellings(origin) if meant == "requires_grad"), None)
        made = info.site if info is not None else None
        yield found(
            UNUSED,
            (word and Text.of(case).first_setting(word)) or made or site,
            f"`{word}` is set here, which means nothing: the name is requires_grad"
            if word
            else f"grad is asked for {case.names.of(origin, 'a tensor')}, which "
            + ("is made here and does not require grad" if made else "does not require grad"),
            "nothing of what was done to it was recorded",
            "call x.requires_grad_() before it is used, or make it with requires_grad=True",
            ("grad is asked for at", site),
            weight=9,
        )


@finder
def unused_inputs(case: Any) -> Iterator[Any]:
    """Explains the error for an input that the outputs do not depend on."""
    for error, site in case.errors:
        x = getattr(error, "unused", None)
        if x is None:
            continue
        info = info_of(x) if hasattr(x, "_node") else None
        node = getattr(x, "_node", None)
        roots = [out._node for out in error.outputs if getattr(out, "_node", None) is not None]
        if node is not None and all(node.sequence > root.sequence for root in roots):
            yield found(
                UNUSED,
                site,
                f"grad is asked here for {case.names.of(x, 'a tensor')}, which was made after the output",
                "an index, a view or a copy is a new tensor, on which what came before does not depend",
                "differentiate with respect to the tensor that went in, and take the part of its gradient",
                ("made at", info and info.site),
                weight=10,
            )
            continue
        late = case.ledger.required_at(x) if node is None and hasattr(x, "_node") else None
        if late is not None:
            yield required_late(case, x, late, site)
            continue
        cut = next((c for c in case.watch.cuts.values() if c.comes_from(x)), None)
        if cut is not None:
            yield add(described(case, cut, CUT_OFF), ("grad is asked for at", site))
            continue
        yield found(
            UNUSED,
            site,
            f"the output does not depend on {case.names.of(x, 'this input')}",
            "it was not used, or a copy that was made before it required grad was used in its place",
            "give the tensor itself that the output is computed from; allow_unused=True only gives None",
            weight=10,
        )
