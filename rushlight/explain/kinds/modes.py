"""Training and evaluation mode mixed up, and modules that are used twice by mistake."""

from collections.abc import Iterator
from typing import Any

from rushlight.core.aliases import Array
from rushlight.explain.finding import finder, found, kind
from rushlight.explain.writing import Text

TRAINED_IN_EVAL = kind(
    "trains-in-evaluation",
    "wrong",
    "a model is trained in evaluation mode",
    """
  model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4), torch.nn.Linear(4, 1))
  optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
  for _ in range(3):
+     model.train()
      optimizer.zero_grad()
      model(torch.randn(5, 3)).pow(2).mean().backward()
      optimizer.step()
      model.eval()
      with torch.no_grad():
          print(model(torch.randn(5, 3)).mean())
""",
)
EVALUATED_IN_TRAIN = kind(
    "evaluates-in-training",
    "wrong",
    "a model with dropout or batch normalization is evaluated in training mode",
    """
  model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Dropout(0.5), torch.nn.Linear(4, 1))
  optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
  for _ in range(3):
      optimizer.zero_grad()
      model(torch.randn(5, 3)).pow(2).mean().backward()
      optimizer.step()
+ model.eval()
  with torch.no_grad():
      print(model(torch.randn(5, 3)).mean())
""",
)
DROPPED = kind(
    "drops-in-evaluation",
    "wrong",
    "F.dropout drops elements though the module is in evaluation mode",
    """
  class Net(torch.nn.Module):
      def __init__(self):
          super().__init__()
          self.layer = torch.nn.Linear(3, 1)

      def forward(self, x):
-         return self.layer(torch.nn.functional.dropout(x, 0.5))
+         return self.layer(torch.nn.functional.dropout(x, 0.5, training=self.training))

  model = Net().eval()
  with torch.no_grad():
      print(model(torch.randn(5, 3)))
""",
)
REPEATED = kind(
    "same-block-repeated",
    "wrong",
    "a list repeats one block in place of several of its kind",
    """
- block = torch.nn.Linear(3, 3)
- model = torch.nn.Sequential(*[block] * 3)
+ model = torch.nn.Sequential(*[torch.nn.Linear(3, 3) for _ in range(3)])
  optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
  for _ in range(2):
      optimizer.zero_grad()
      model(torch.randn(5, 3)).pow(2).mean().backward()
      optimizer.step()
""",
)
USED_TWICE = kind(
    "layer-used-twice",
    "wrong",
    "a layer is used twice and its twin never",
    """
  class Net(torch.nn.Module):
      def __init__(self):
          super().__init__()
          self.first, self.second = torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)

      def forward(self, x):
-         return self.first(self.first(x).relu())
+         return self.second(self.first(x).relu())

  model = Net()
- optimizer = torch.optim.SGD(model.first.parameters(), lr=0.1)
+ optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
  for _ in range(2):
      optimizer.zero_grad()
      model(torch.randn(5, 3)).pow(2).mean().backward()
      optimizer.step()
""",
)


@finder
def wrong_modes(case: Any) -> Iterator[Any]:
    """Finds models in the wrong mode for what is done with them."""
    ledger = case.ledger
    for root in case.readings.roots.values():
        module = root.modal()
        if module is None:
            continue
        name, part = type(root.module).__name__, type(module).__name__
        set_to = case.readings.modes.get(id(root.module))
        frozen = any(not p.requires_grad for p in root.module.parameters())
        if root.eval_steps and set_to is not None and not set_to[1] and not frozen and trained(ledger, root.module):
            never = " (train() was never called since)" if root.train_steps else ""
            yield found(
                TRAINED_IN_EVAL,
                set_to[2],
                f"{name} is put into evaluation mode here, and {root.eval_steps} steps train it in that mode{never}",
                f"{part} then works as in evaluation: dropout drops nothing, "
                "batch normalization uses and leaves alone its running statistics",
                "call model.train() before training, after each evaluation",
                ("called", root.site),
                weight=6,
            )
        again = max(root.inputs.values(), default=0) >= 3
        for site, times in root.blind.items():
            if (
                not ledger.steps
                or again
                or in_training(case, root)
                or (times and "BatchNorm" in part and times >= 3 * max(ledger.steps, 1))
            ):
                continue
            yield found(
                EVALUATED_IN_TRAIN,
                site,
                f"{name} is called here without recording, so to evaluate it, but in training mode",
                f"{part} is at work: results are random or depend on the rest of the batch"
                + (", and its running statistics change" if "BatchNorm" in part else ""),
                "call model.eval() before, and model.train() before training goes on",
                weight=5,
            )
    for site in case.readings.dropped:
        yield found(
            DROPPED,
            site,
            "elements are dropped here though the module is in evaluation mode",
            "F.dropout has training=True by default, and knows nothing of the module's mode; "
            "nor does an nn.Dropout that forward makes in each call",
            "give it training=self.training, or use an nn.Dropout that is made in __init__",
            weight=6,
        )


def in_training(case: Any, root: Any) -> bool:
    """Whether an unrecorded module takes part in training: a loss uses its result, or it changes in other ways."""
    if not trained(case.ledger, root.module):
        return root.changed()
    cuts = [cut for cut in case.ledger.cuts.values() if cut.how == "mode"]
    return any(cut.comes_from(p) for cut in cuts for p in root.module.parameters())


def trained(ledger: Any, module: Any) -> bool:
    """Whether an optimizer holds parameters of a module."""
    return any(ledger.holder(p) is not None for p in module.parameters())


@finder
def repeated_blocks(case: Any) -> Iterator[Any]:
    """Finds one module in several places of a list."""
    sites = {id(root.module): root.site for root in case.readings.roots.values()}
    for root in case.readings.roots.values():
        sites |= root.again
    modules = {id(root.module): root.module for root in case.readings.roots.values()} | case.names.modules
    for module in modules.values():
        if not trained(case.ledger, module):
            continue
        for container in module.modules():
            parts = [m for m in container._modules.values() if m is not None]
            trainable = [m for m in parts if any(True for _ in m.parameters())]
            same = next((m for m in trainable if sum(m is n for n in parts) > 1), None)
            if same is not None and type(container).__name__ in ("Sequential", "ModuleList"):
                yield found(
                    REPEATED,
                    Text.of(case).repeated() or sites.get(id(same)) or sites.get(id(module)),
                    f"a {type(container).__name__} has one {type(same).__name__} {sum(same is n for n in parts)} times",
                    "[block] * n repeats the same object: all places share its parameters, and train as one layer",
                    "make each one separately: [Block() for _ in range(n)]",
                    weight=6,
                )
                return


@finder
def modules_used_twice(case: Any) -> Iterator[Any]:
    """Finds a module that is called in place of its twin."""
    for root in case.readings.roots.values():
        if not trained(case.ledger, root.module):
            continue
        for container in root.module.modules():
            parts = [m for m in container._modules.values() if m is not None]
            unused = [m for m in parts if any(True for _ in m.parameters()) and not calls(root, m)]
            for module in parts:
                twin = next((m for m in unused if m is not module and alike(m, module)), None)
                if twin is not None and calls(root, module) >= 2 * root.calls and root.calls:
                    names = {id(m): n for n, m in container.named_children()}
                    yield found(
                        USED_TWICE,
                        root.again.get(id(module)) or root.site,
                        f"`{names[id(module)]}` is called {calls(root, module) // root.calls} times in each call "
                        f"of {type(container).__name__}, and `{names[id(twin)]}`, which is of the same form, never",
                        "both places train one layer",
                        f"use `{names[id(twin)]}` in one of the places, in {type(container).__name__}.forward",
                        weight=4,
                    )
                    break


def calls(root: Any, module: Any) -> int:
    """How often a module, or any submodule of it, was called."""
    return max(root.counts.get(id(part), 0) for part in module.modules())


def alike(a: Array, b: Array) -> bool:
    """Whether two modules have the same class and parameter shapes."""
    return type(a) is type(b) and [p.shape for p in a.parameters()] == [p.shape for p in b.parameters()]
