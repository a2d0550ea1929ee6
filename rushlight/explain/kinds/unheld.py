"""Gradients that arrive at parameters which no optimizer holds."""

from collections.abc import Iterator
from typing import Any

from rushlight.explain.finding import finder, found, kind
from rushlight.explain.holders import unregistered_in
from rushlight.explain.kinds.missing import is_orphan, loose_leaves
from rushlight.explain.writing import Text

UNREGISTERED = kind(
    "not-registered",
    "wrong",
    "a module uses layers that are not registered in it",
    """
  class Net(torch.nn.Module):
      def __init__(self):
          super().__init__()
-         self.hidden = [torch.nn.Linear(3, 3)]
+         self.hidden = torch.nn.ModuleList([torch.nn.Linear(3, 3)])
          self.last = torch.nn.Linear(3, 1)

      def forward(self, x):
          return self.last(self.hidden[0](x))

  model = Net()
  optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
  for _ in range(3):
      optimizer.zero_grad()
      model(torch.randn(5, 3)).pow(2).mean().backward()
      optimizer.step()
""",
)
UNHELD = kind(
    "no-optimizer",
    "wrong",
    "parameters get gradients that no optimizer uses",
    """
  encoder, decoder = torch.nn.Linear(3, 2), torch.nn.Linear(2, 3)
- optimizer = torch.optim.SGD(decoder.parameters(), lr=0.1)
+ optimizer = torch.optim.SGD([*encoder.parameters(), *decoder.parameters()], lr=0.1)
  for _ in range(3):
      optimizer.zero_grad()
      decoder(encoder(torch.randn(5, 3))).pow(2).mean().backward()
      optimizer.step()
""",
)


@finder
def unheld(case: Any) -> Iterator[Any]:
    """Finds gradients that arrive at parameters which no optimizer holds."""
    ledger = case.ledger
    stepped = [held for held in ledger.held.values() if held.steps]
    if not stepped:
        return
    loose = loose_leaves(case)
    yield from plain_leaves(case, stepped)
    if not loose:
        return
    reported = set()
    for root in case.readings.roots.values():
        for module, site, owner in root.loose.values():
            mine = [leaf for leaf in loose if any(p is leaf.tensor for p in module.parameters(recurse=False))]
            while id(owner) in root.loose and owner is not module:  # a container that is not registered itself
                module, site, owner = root.loose[id(owner)]
            if mine and site is not None and id(owner) not in reported:
                reported.add(id(owner))
                loose = [leaf for leaf in loose if leaf not in mine]
                yield unregistered(case, module, site, owner, stepped[0].site)
            elif mine:
                loose = [leaf for leaf in loose if leaf not in mine]
    orphaned = any(is_orphan(case, p) for held in stepped for p in held.params)
    loose = [leaf for leaf in loose if leaf.arrivals > 1 and not in_evaluation(case, leaf.tensor)]
    if loose and not orphaned:
        tensors = [leaf.tensor for leaf in loose]
        twin = second_of_twins(stepped)
        yield found(
            UNHELD,
            twin.site if twin else stepped[0].site,
            f"{case.names.of_several(tensors)} get{'s' if len(tensors) == 1 else ''} gradients that no optimizer uses",
            "an optimizer changes what it was given, here "
            + ("what another optimizer has already" if twin else "not these"),
            "give the optimizer all parameters that are to be trained: [*encoder.parameters(), *decoder.parameters()]; "
            "freeze the others with requires_grad_(False), which spares their gradients",
            ("gradients arrive at", loose[0].first),
            weight=5,
        )


def unregistered(case: Any, module: Any, site: Any, owner: Any, optimizer: Any) -> Any:
    """The finding for a layer that a module calls without having registered it."""
    name = unregistered_in(owner, module)
    kept = f" (it lies in `self.{name}`)" if name else ""
    return found(
        UNREGISTERED,
        (name and Text.of(case).first_setting(name)) or site,
        f"{type(owner).__name__} calls a {type(module).__name__} that is not registered in it{kept}: its parameters "
        "are not among parameters() and no optimizer holds them",
        "a module registers what is assigned to its attributes, "
        "not what lies in a list or dict, nor what forward makes again in each call",
        "put layers into an nn.ModuleList or nn.ModuleDict, and make them in __init__",
        ("called", site),
        ("optimizer", optimizer),
        weight=9,
    )


def second_of_twins(stepped: Any) -> Any:
    """An optimizer whose parameters all belong to earlier optimizers, or None."""
    known: set[int] = set()
    for held in stepped:
        mine = {id(p) for p in held.params}
        if mine <= known:
            return held
        known |= mine
    return None


def plain_leaves(case: Any, stepped: Any) -> Iterator[Any]:
    """Finds tensors that require grad, live for several steps, and whose gradients nothing uses."""
    loose = [
        leaf
        for leaf in case.ledger.leaves.values()
        if leaf.arrivals > 2
        and not leaf.is_parameter
        and not leaf.read
        and not leaf.by_hand
        and leaf.tensor is not None
        and case.ledger.holder(leaf.tensor) is None
    ]
    attributes = [(leaf, *owner) for leaf in loose if (owner := owner_of(case, leaf.tensor)) is not None]
    for leaf, owner, name in attributes[:1]:
        yield found(
            UNREGISTERED,
            Text.of(case).first_setting(name) or leaf.first,
            f"`{name}` is a plain tensor in {type(owner).__name__}, "
            "so it is not among parameters() and no optimizer holds it",
            "a module registers what is assigned to its attributes as an nn.Parameter or as a module",
            f"make it a parameter: self.{name} = nn.Parameter(...); or a buffer, if it is not to be trained",
            ("optimizer", stepped[0].site),
            weight=9,
        )
    loose = [leaf for leaf in loose if all(leaf is not known for known, _, _ in attributes)]
    if loose:
        tensors = [leaf.tensor for leaf in loose]
        yield found(
            UNHELD,
            stepped[0].site,
            f"{case.names.of_several(tensors)} get{'s' if len(tensors) == 1 else ''} "
            "gradients that no optimizer uses and nobody looks at",
            "an optimizer changes what it was given, here not these",
            "give the optimizer all tensors that are to be trained, or make these without requires_grad",
            ("gradients arrive at", loose[0].first),
            weight=5,
        )


def owner_of(case: Any, tensor: Any) -> tuple[Any, str] | None:
    """The module that has a tensor as an attribute, and the attribute's name."""
    for root in case.readings.roots.values():
        for part in root.module.modules():
            for name, value in vars(part).items():
                if value is tensor:
                    return part, name
    return None


def in_evaluation(case: Any, parameter: Any) -> bool:
    """Whether a parameter belongs to a module in evaluation mode, which is not meant to be trained."""
    return any(
        not part.training
        for root in case.readings.roots.values()
        for part in root.module.modules()
        if any(p is parameter for p in part.parameters(recurse=False))
    )
