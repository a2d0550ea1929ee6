"""Gradients that vanish or explode from layer to layer."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from rushlight.explain.finding import finder, found, kind
from rushlight.explain.kinds.parts import by_module

VANISHING = kind(
    "vanishing",
    "zero",
    "gradients vanish layer by layer on the way back",
    """
- layers = [layer for _ in range(14) for layer in (torch.nn.Linear(4, 4), torch.nn.Sigmoid())]
+ layers = [layer for _ in range(14) for layer in (torch.nn.Linear(4, 4), torch.nn.LayerNorm(4), torch.nn.GELU())]
  model = torch.nn.Sequential(*layers, torch.nn.Linear(4, 1))
  optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
  for _ in range(5):
      optimizer.zero_grad()
      (model(torch.randn(8, 4)) - 1).pow(2).mean().backward()
      optimizer.step()
""",
)
EXPLODING = kind(
    "exploding",
    "wrong",
    "gradients grow layer by layer on the way back",
    """
  class Wave(torch.nn.Module):
      def __init__(self):
          super().__init__()
          self.layer = torch.nn.Linear(4, 4)
-         torch.nn.init.normal_(self.layer.weight, std=3.0)
+         torch.nn.init.orthogonal_(self.layer.weight)

      def forward(self, x):
          return torch.sin(self.layer(x))

  model = torch.nn.Sequential(*[Wave() for _ in range(16)], torch.nn.Linear(4, 1))
  optimizer = torch.optim.Adam(model.parameters(), lr=0.001)
  for _ in range(5):
      optimizer.zero_grad()
      model(torch.randn(8, 4)).mean().backward()
      optimizer.step()
""",
)
FAR = 1e5  # the ratio of gradient norms between the two ends that counts as too large


@finder
def norms_of_layers(case: Any) -> Iterator[Any]:
    """Finds norms of gradients that differ by many orders of magnitude between the first layers and the last."""
    for held in case.ledger.held.values():
        layers = norms(case, held) if held.steps >= 3 else []
        if len(layers) < 6:
            continue
        sizes = [size for _, size in layers]
        first, last = float(np.median(sizes[:2])), float(np.median(sizes[-2:]))
        if last > 0 and first < last / FAR:
            yield vanishing(case, held, layers)
        elif first > FAR * last > 0 and falls(sizes):
            yield exploding(case, held, layers)


def norms(case: Any, held: Any) -> list[tuple[Any, ...]]:
    """The weights of an optimizer in order, each with the median norm of its gradients."""
    leaves = [case.ledger.leaves.get(id(p)) for p in held.params if p._array.ndim > 1]
    medians = [(leaf, float(np.median(leaf.norms))) for leaf in leaves if leaf is not None and len(leaf.norms) >= 3]
    return [(leaf, size) for leaf, size in medians if np.isfinite(size) and leaf.zeros < leaf.arrivals]


def falls(sizes: list[float]) -> bool:
    """Whether the norms decrease, on the whole, from layer to layer."""
    return sum(b < a for a, b in pairwise(sizes)) >= 0.7 * (len(sizes) - 1)


def ends(case: Any, layers: Any) -> str:
    """The norms of the first and the last layer, and of those between, in words."""
    (first, small), (last, large) = layers[0], layers[-1]
    between = ", ".join(f"{size:.0e}" for _, size in layers[1:-1][:12])
    return (
        f"the gradient of {case.names.of(first.tensor)} has a norm of {small:.1e}, that of "
        f"{case.names.of(last.tensor)} of {large:.1e} (layers between: {between})"
    )


def line_of(case: Any, layers: Any) -> Any:
    """The line of the first layer: where it is called, or where it is constructed if a container calls it."""
    return by_module(case, layers[0][0].used_at)[0]


def vanishing(case: Any, held: Any, layers: Any) -> Any:
    """The finding for vanishing gradients."""
    return found(
        VANISHING,
        line_of(case, layers) or held.site,
        f"{ends(case, layers)}: it vanishes on the way back",
        "each saturating layer (sigmoid at most a quarter) makes the gradient smaller, and many make it nothing",
        "use ReLU or GELU between layers, normalization, residual connections (x + layer(x)), or fewer layers",
        ("backward", layers[0][0].last),
        ("optimizer", held.site),
        weight=4,
        norms=[size for _, size in layers],
    )


def exploding(case: Any, held: Any, layers: Any) -> Any:
    """The finding for exploding gradients."""
    return found(
        EXPLODING,
        line_of(case, layers) or held.site,
        f"{ends(case, layers)}: it grows on the way back",
        "a layer multiplies the gradient by its weights, and weights that are large do so time and again",
        "begin with smaller or orthogonal weights, normalize between layers, "
        "clip gradients with clip_grad_norm_ before step()",
        ("backward", layers[0][0].last),
        ("optimizer", held.site),
        weight=4,
        norms=[size for _, size in layers],
    )
