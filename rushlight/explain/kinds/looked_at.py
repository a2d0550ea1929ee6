"""Gradients that the program reads but that are None."""

from collections.abc import Iterator
from typing import Any

from rushlight.explain.finding import finder, found, kind
from rushlight.explain.kinds.missing import CUT_PARAMETER, arrivals, cut_of
from rushlight.explain.kinds.unrecorded import described, misspellings
from rushlight.explain.nodes import operator_of
from rushlight.explain.ways import SUMS
from rushlight.explain.writing import Text

OF_RESULT = kind(
    "gradient-of-result",
    "none",
    "the .grad of a result is read, which is not kept",
    """
- x = torch.randn(3, requires_grad=True) * 0.1
+ x = (torch.randn(3) * 0.1).requires_grad_()
  x.pow(2).sum().backward()
  print(x.grad)
""",
)
OF_PLAIN = kind(
    "gradient-of-plain",
    "none",
    "the .grad of a tensor is read that does not require grad",
    """
- x, w = torch.randn(3), torch.randn(3, requires_grad=True)
+ x, w = torch.randn(3, requires_grad=True), torch.randn(3, requires_grad=True)
  (x * w).sum().backward()
  print(x.grad)
""",
)

LATE = kind(
    "required-late",
    "none",
    "a tensor is to require grad only after it was used",
    """
  x, w = torch.randn(3), torch.randn(3, requires_grad=True)
+ x.requires_grad_()
  loss = (x * w).pow(2).sum()
- x.requires_grad_()
  loss.backward()
  print(x.grad)
""",
)
BOUNDED = ("clamp", "clamp_min", "clamp_max", "clamp_tensors", "minimum", "maximum", "div", "mul")


@finder
def looked_at_in_vain(case: Any) -> Iterator[Any]:
    """Finds gradients that the program read and that are None."""
    for site, (what, tensor, info) in case.ledger.looked.items():
        if what == "result" and info is not None and is_update(case, tensor):
            yield found(
                OF_RESULT,
                info.site,
                f"{case.names.of(tensor, 'a variable')} is bound here to a new tensor, the result of its update, "
                "and is no leaf any more: its .grad stays None",
                "w = w - lr * w.grad makes a new tensor in the graph of the old one",
                "make the result a leaf again, w = (w - lr * w.grad).detach().requires_grad_(); or change the leaf "
                "in place, unrecorded, and forget its gradient: with torch.no_grad(): w -= lr * w.grad; w.grad = None",
                ("read at", site),
                weight=6,
            )
        elif what == "result" and info is not None:
            yield found(
                OF_RESULT,
                info.site,
                f"{case.names.of(tensor, 'what is made here')} is the result of {info.name}, "
                "not a leaf, and its .grad stays None",
                "gradients are kept for leaves alone: "
                "an operation (a product, a cast, to()) makes a result of what it is applied to",
                "make the leaf last: (torch.randn(3) * 0.1).requires_grad_(); or call retain_grad() on the result",
                ("read at", site),
                weight=6,
            )
        elif what == "leaf" and not arrivals(case, tensor) and (late := case.ledger.required_at(tensor)) is not None:
            yield required_late(case, tensor, late, site)
        elif what == "leaf" and not arrivals(case, tensor) and (cut := cut_of(case, tensor)) is not None:
            yield described(case, cut, CUT_PARAMETER, weight=4)
        elif what == "plain" and info is not None and type(tensor).__name__ != "Parameter":
            words = [word for word, meant in misspellings(tensor) if meant == "requires_grad"]
            if words or info.name == "data":
                yield found(
                    OF_PLAIN,
                    (words and Text.of(case).first_setting(words[0])) or info.site,
                    f"{case.names.of(tensor, 'a tensor')} does not require grad, "
                    "and its .grad stays None"
                    + (f": `{words[0]}` means nothing, the name is requires_grad" if words else ""),
                    "only tensors that require grad when they are used get gradients",
                    "make it with requires_grad=True, or call requires_grad_() before it is used",
                    ("read at", site),
                    weight=4,
                )
            elif info.cuts:
                yield described(case, info.cuts[-1], CUT_PARAMETER, weight=4)


def required_late(case: Any, tensor: Any, late: Any, site: Any) -> Any:
    """The finding for a leaf that was used before requires_grad was set."""
    return found(
        LATE,
        late,
        f"{case.names.of(tensor)} is to require grad from here on, and was used before",
        "what was computed from it until then is not recorded, and goes on as data",
        "call requires_grad_() before the first use, or make it with requires_grad=True",
        ("asked for at", site),
        weight=9,
    )


def is_update(case: Any, tensor: Any) -> bool:
    """Whether a tensor is an updated leaf: a sum or difference with a leaf whose gradient was read, perhaps clamped."""
    node = tensor._node
    for _ in range(4):
        if operator_of(node) not in BOUNDED:
            break
        node = node.edge_at(0)[0]
    if operator_of(node) not in SUMS:
        return False
    known = [case.ledger.leaves.get(id(node.edge_at(i)[0])) for i in range(node.arity)]
    return any(leaf is not None and leaf.read and leaf.arrivals for leaf in known)
