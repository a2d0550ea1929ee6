"""Parameters of an optimizer that get no gradients: cut off, replaced, frozen, or unused."""

from collections.abc import Iterator, Sequence
from typing import Any

from rushlight.explain.finding import finder, found, kind
from rushlight.explain.kinds.unrecorded import add, described, losing
from rushlight.explain.writing import Text
from rushlight.tensors import Tensor

LEAVING = ("item", "tolist", "numpy", "data", "torch.tensor", "integer")  # they may leave no trace in the graph
CUT_PARAMETER = kind(
    "cut-parameter",
    "none",
    "the way from a parameter to the loss is cut",
    """
  first, second = torch.nn.Linear(3, 4), torch.nn.Linear(4, 1)
  optimizer = torch.optim.SGD([*first.parameters(), *second.parameters()], lr=0.1)
  for _ in range(3):
      optimizer.zero_grad()
-     hidden = first(torch.randn(5, 3)).detach()
+     hidden = first(torch.randn(5, 3))
      second(hidden).pow(2).mean().backward()
      optimizer.step()
""",
)
REPLACED = kind(
    "stale-optimizer",
    "wrong",
    "the optimizer holds parameters that the model no longer has",
    """
  model = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Linear(3, 1))
+ model[1] = torch.nn.Linear(3, 1)
  optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
- model[1] = torch.nn.Linear(3, 1)
  for _ in range(3):
      optimizer.zero_grad()
      model(torch.randn(5, 3)).pow(2).mean().backward()
      optimizer.step()
""",
)
NEVER = kind(
    "never-reached",
    "none",
    "an optimizer holds parameters that no loss depends on",
    """
  class Net(torch.nn.Module):
      def __init__(self):
          super().__init__()
          self.first, self.second = torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)

      def forward(self, x):
-         return self.first(x).relu()
+         return self.second(self.first(x).relu())

  model = Net()
  optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
  for _ in range(3):
      optimizer.zero_grad()
      model(torch.randn(5, 3)).pow(2).mean().backward()
      optimizer.step()
""",
)
FROZEN = kind(
    "all-frozen",
    "none",
    "an optimizer holds parameters that are all frozen",
    """
- body, head = torch.nn.Linear(3, 3).requires_grad_(False), torch.nn.Linear(3, 1)
+ body, head = torch.nn.Linear(3, 3), torch.nn.Linear(3, 1)
  slow = torch.optim.SGD(body.parameters(), lr=0.01)
  fast = torch.optim.SGD(head.parameters(), lr=0.1)
  for _ in range(3):
      body.zero_grad()
      head.zero_grad()
      head(body(torch.randn(5, 3)).relu()).pow(2).mean().backward()
      slow.step()
      fast.step()
""",
)


@finder
def held_in_vain(case: Any) -> Iterator[Any]:
    """Finds parameters of optimizers that never get a gradient: cut off, replaced, or unused."""
    ledger = case.ledger
    for held in ledger.held.values():
        if not held.steps and ledger.passes < 2:
            continue
        silent = [p for p in held.params if p.requires_grad and not arrivals(case, p) and p._grad is None]
        if not silent or not ledger.passes or not held.steps:
            continue
        orphans: list[Any] = []
        rest: list[Any] = []
        for p in silent:
            (orphans if is_orphan(case, p) else rest).append(p)
        if orphans:
            yield found(
                REPLACED,
                held.site,
                f"{len(orphans)} of the parameters that this {held.name} optimizer got "
                "are not those that the model has now",
                "layers that are replaced, or moved to new memory, after the optimizer was made "
                "have parameters that it does not know: it changes the old ones, which nothing uses",
                "make the optimizer after the last change of the model, "
                "or give it the new parameters with add_param_group",
                ("steps", held.step_site),
                weight=9,
            )
        if len(rest) < len(held.params) or not loose_leaves(case):  # else the wrong parameters were given: see `unheld`
            yield from cut_or_unused(case, held, rest)


@finder
def frozen(case: Any) -> Iterator[Any]:
    """Finds optimizers whose steps had only frozen parameters."""
    for held in case.ledger.held.values():
        if held.steps and held.frozen == held.steps and case.ledger.passes:
            frozen_at = next((line for p in held.params if (line := case.ledger.frozen_at(p)) is not None), None)
            yield found(
                FROZEN,
                held.site if loose_leaves(case) else frozen_at or held.site,
                f"all parameters of the {held.name} optimizer are frozen: {case.names.of_several(held.params)}",
                "what does not require grad gets no gradient, and a step leaves it as it is",
                "call requires_grad_(True) on what is to be trained, or give the optimizer other parameters",
                ("optimizer", held.site),
                ("frozen at", frozen_at),
                ("steps", held.step_site),
                weight=9,
            )


def cut_or_unused(case: Any, held: Any, silent: Sequence[Tensor]) -> Iterator[Any]:
    """Findings for the model's parameters that get no gradient."""
    cuts: dict[Any, Any] = {}
    unused = []
    for p in silent:
        cut = cut_of(case, p)
        if cut is None:
            if id(p) not in case.ledger.differentiated:
                unused.append(p)
        else:
            cuts.setdefault(id(cut), (cut, []))[1].append(p)
    for cut, params in cuts.values():
        if case.readings.picked.get(id(cut)) is not None:
            yield by_choice(case, cut, params)
            continue
        one = described(case, cut, CUT_PARAMETER, weight=8)
        if id(cut) in case.readings.placing:
            one.do = (
                "what it gives is an index, which has no derivative; a differentiable form reads between the places, "
                "weighted by how near they are: F.grid_sample(image, grid), or (1 - f) * a[i] + f * a[i + 1]"
            )
        choice = next((c for c in case.watch.cuts.values() if c.how == "integer" and c.comes_from(params[0])), None)
        if cut.how == "detach" and choice is not None:
            one.do += (
                "; where a choice of indices cuts as well, pass the gradient straight through: z + (q - z).detach()"
            )
            add(one, ("an index is chosen at", choice.site))
        yield one
    if unused and (len(unused) < len(held.params) or held.steps > 1):
        line, word = unused_at(case, unused)
        yield found(
            NEVER,
            line or held.site,
            f"{case.names.of_several(unused)} never get{'s' if len(unused) == 1 else ''} a gradient: "
            f"no loss depends on {'it' if len(unused) == 1 else 'them'}{word}",
            "they are not used in forward, or only on the way to what the loss leaves out",
            "use the layer in forward and what comes of it in the loss, "
            "or take it out of the model; freeze what is not to be trained",
            ("optimizer", held.site),
            ("steps", held.step_site),
            weight=3,
        )


def by_choice(case: Any, cut: Any, params: Sequence[Tensor]) -> Any:
    """The finding for values that only select what is computed: a selection has no gradient, even without the cut."""
    return found(
        CUT_PARAMETER,
        case.readings.picked[id(cut)],
        f"an index is chosen here, and what it picks goes on without history: {losing(case, params)}",
        "an index is a whole number, which does not change with small changes of what it is computed from",
        "choose in a differentiable way, by weights of a softmax say; or pass the gradient straight through, "
        "z + (q - z).detach(), where what is picked, q, stands for z",
        ("values leave the graph at", cut.site),
        weight=8,
    )


def unused_at(case: Any, unused: Sequence[Tensor]) -> tuple[Any, str]:
    """The line that calls the unused parameters' module, or else the line that constructs it; and a description."""
    ids = {id(p) for p in unused}
    for root in case.readings.roots.values():
        for module in root.module.modules():
            mine = [id(p) for p in module.parameters()]
            if not mine or not ids.issuperset(mine) or module is root.module:
                continue
            called = next((at for part in module.modules() if (at := root.called.get(id(part))) is not None), None)
            if called is not None:
                return called, "; what is computed here is left out"
            name = case.names.known.get(id(module), "").rsplit(".", 1)[-1]
            made = (name and Text.of(case).first_setting(name)) or case.readings.built_at(module)
            return made, "; what is made here is never called" if made else ""
    names = [case.names.known.get(id(p), "").rsplit(".", 1)[-1] for p in unused]
    return next((line for name in names if name and (line := Text.of(case).first_setting(name))), None), ""


def cut_of(case: Any, parameter: Tensor) -> Any:
    """The cut without which a parameter would get a gradient.

    There the parameter's values left the graph on their way to the loss of the optimizer that holds it (if possible),
    and not for printing. A cut of values that choose an index comes first, as it cuts in any case; a cast to integers
    comes last; among the others the cut with the most leaves behind it counts.
    """
    text = Text.of(case)
    cuts = [cut for cut in case.watch.cuts.values() if cut.comes_from(parameter)]
    cuts = [cut for cut in cuts if cut.how not in LEAVING or not text.shows(cut.site)]
    held = case.ledger.holder(parameter)
    own = [] if held is None else [cut for cut in cuts if id(cut) in held.cuts]
    reached = own or [cut for cut in cuts if id(cut) in case.ledger.cuts]
    candidates = reached or [cut for cut in cuts if cut.how in LEAVING]
    picked = case.readings.picked
    return max(candidates, key=lambda cut: (id(cut) in picked, cut.how != "integer", len(cut.leaves)), default=None)


def arrivals(case: Any, p: Tensor) -> int:
    """How many gradients a parameter got."""
    state = case.ledger.leaves.get(id(p))
    return 0 if state is None or state.tensor is not p else state.arrivals


def is_orphan(case: Any, p: Tensor) -> bool:
    """Whether a parameter belongs to none of the called modules, one of which has parameters without an optimizer."""
    if not case.readings.roots:
        return False
    for root in case.readings.roots.values():
        if any(q is p for q in root.module.parameters()):
            return False
    return any(
        leaf.is_parameter and leaf.arrivals and case.ledger.holder(leaf.tensor) is None
        for leaf in case.ledger.leaves.values()
        if leaf.tensor is not None
    )


def loose_leaves(case: Any) -> list[Any]:
    """Parameters that get gradients which nothing reads, and that no optimizer holds."""
    return [
        leaf
        for leaf in case.ledger.leaves.values()
        if leaf.arrivals
        and leaf.is_parameter
        and not leaf.read
        and leaf.tensor is not None
        and case.ledger.holder(leaf.tensor) is None
    ]
