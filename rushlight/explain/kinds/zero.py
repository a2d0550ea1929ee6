"""Gradients that are zero: which node made them zero."""

from collections.abc import Iterator
from typing import Any

from rushlight.explain.finding import finder, found, kind
from rushlight.explain.kinds.parts import by_module
from rushlight.explain.passes import PRODUCTS, RECTIFIERS, is_zero
from rushlight.explain.writing import Text

STEP_FUNCTION = kind(
    "flat-function",
    "zero",
    "a function that is flat almost everywhere makes all gradients zero",
    """
  w = torch.randn(4, requires_grad=True)
- loss = ((w * 3).round() - 1).pow(2).mean()
+ scaled = w * 3
+ rounded = scaled + (scaled.round() - scaled).detach()
+ loss = (rounded - 1).pow(2).mean()
  loss.backward()
  print(w.grad)
""",
)
DEAD = kind(
    "dead-relu",
    "zero",
    "a ReLU gets negative numbers only, and passes no gradient",
    """
  layer, last = torch.nn.Linear(3, 4), torch.nn.Linear(4, 1)
- torch.nn.init.constant_(layer.bias, -100.0)
+ torch.nn.init.constant_(layer.bias, 0.1)
  optimizer = torch.optim.SGD([*layer.parameters(), *last.parameters()], lr=0.01)
  for _ in range(4):
      optimizer.zero_grad()
      (last(layer(torch.randn(5, 3)).relu()) - 1).pow(2).mean().backward()
      optimizer.step()
""",
)
SATURATED = kind(
    "saturated",
    "zero",
    "a sigmoid, tanh or clamp is so far from its middle that its derivative is zero",
    """
- w = torch.full((3,), 50.0, requires_grad=True)
+ w = torch.full((3,), 0.5, requires_grad=True)
  for _ in range(3):
      loss = (torch.sigmoid(w * 10) - 0.5).pow(2).mean()
      loss.backward()
  print(w.grad)
""",
)
ZERO_WEIGHTS = kind(
    "zero-weights",
    "zero",
    "weights that all begin at zero pass no gradient to what is before them",
    """
  model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
- for p in model.parameters():
-     torch.nn.init.zeros_(p)
  optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
  x = torch.randn(8, 3)
  for _ in range(4):
      optimizer.zero_grad()
      (model(x) - 1).pow(2).mean().backward()
      optimizer.step()
""",
)
TIMES_ZERO = kind(
    "times-zero",
    "zero",
    "what comes from a parameter is multiplied by zero",
    """
  w = torch.randn(4, requires_grad=True)
- mask = (torch.arange(4) > 10).float()
+ mask = (torch.arange(4) > 1).float()
  for _ in range(3):
      loss = (w * mask).pow(2).sum() + 1
      loss.backward()
  print(w.grad)
""",
)
DRAWN = kind(
    "drawn-numbers",
    "zero",
    "random numbers have no derivative in the parameters of their distribution",
    """
  mean, spread = torch.zeros(3, requires_grad=True), torch.ones(3, requires_grad=True)
  for _ in range(3):
-     loss = torch.normal(mean, spread).pow(2).mean()
+     loss = (mean + spread * torch.randn(3)).pow(2).mean()
      loss.backward()
  print(mean.grad)
""",
)
CANCELLED = kind(
    "cancelled",
    "zero",
    "parts of a gradient cancel: the probability of a sample that moves with its distribution",
    """
  w = torch.zeros(4, requires_grad=True)
  for _ in range(3):
      policy = torch.distributions.Normal(w.tanh(), 1.0)
-     action = policy.rsample()
+     action = policy.sample()
      reward = -(action.detach() - 1).pow(2)
      loss = -(policy.log_prob(action) * reward).mean()
      loss.backward()
  print(w.grad)
""",
)
SAMPLERS = ("normal", "bernoulli", "bernoulli_tensor_", "poisson", "multinomial")
LARGE = 2  # initial values above this are to blame for a saturated function
FLAT = (
    "round",
    "round_decimals",
    "floor",
    "ceil",
    "trunc",
    "sign",
    "sgn",
    "heaviside",
    "div_floor",
    "div_trunc",
)
BOUNDS = ("clamp", "clamp_max", "clamp_tensors")
CURVES = (
    *BOUNDS,
    "sigmoid",
    "tanh",
    "hardtanh",
    "hardsigmoid",
    "softmax",
    "log_softmax",
    "erf",
    "hardswish",
    "softplus",
    "exp",
    "elu",
    "log_sigmoid",
    "atan",
)


@finder
def zeroed(case: Any) -> Iterator[Any]:
    """Finds leaves whose gradients are all zero, and the node that made them zero."""
    if case.ledger.by_hooks.zeroed:
        return  # hooks made them: see `hooks`
    for (what, site), facts in case.readings.seen.items():
        if what == "saturated":
            yield found(
                SATURATED,
                site,
                f"nearly all that comes to {facts['function']}() here lies where it is flat",
                "far from its middle the function is flat in floating point: it passes no gradient",
                "normalize what comes to it (the data first of all), or begin with smaller weights",
                weight=6,
            )
    by_node: dict[Any, Any] = {}
    for leaf in case.ledger.leaves.values():
        if leaf.zeros and leaf.zeros == leaf.arrivals and leaf.zeroed_by is not None:
            by_node.setdefault((leaf.zeroed_by.site, leaf.zeroed_name), []).append(leaf)
    for (site, name), leaves in by_node.items():
        if ("softmax-of-one", site) not in case.readings.seen:  # which explains it
            made = Zeroed(case, site, name, leaves)
            if leaves[0].cancelled:
                yield cancelled(made)
                continue
            yield from (one for names, rule in RULES if name in names and (one := rule(made)) is not None)


class Zeroed:
    """Gradients that a node makes zero: the leaves concerned, and the number of passes."""

    def __init__(self, case: Any, site: Any, name: str, leaves: Any):
        self.case = case
        self.site, self.by = by_module(case, site)
        self.called, self.at = site, ("computed at", site)
        self.name = name
        self.passes: Any = min(leaf.arrivals for leaf in leaves)
        self.tensors: list[Any] = [leaf.tensor for leaf in leaves if leaf.tensor is not None]
        self.arrives = ("arrives at", leaves[0].last)
        self.weightless: Any = leaves[0].weightless
        self.only: bool = not case.ledger.steps  # the program makes no steps, and only reads gradients

    def begun_at(self) -> Any:
        """The line where the program itself, not a constructor, initialized the parameters; else None."""
        for tensor in self.tensors:
            leaf = self.case.ledger.leaves[id(tensor)]
            begun = leaf.begun_at
            if begun is not None and leaf.size > LARGE and begun.line not in self.case.readings.lines_built(begun.file):
                return begun
            name = self.case.names.known.get(id(tensor), "").rsplit(".", 1)[-1]
            if name and leaf.used_at is self.called:  # used directly: the value itself is out of bounds
                return Text.of(self.case).first_binding(name)
        return None

    def here(self, begun: Any) -> str:
        """What the line shows, in words."""
        return "with the values that are set here" if begun else "here"

    @property
    def whose(self) -> str:
        """Whose gradient it is, in words."""
        return f"the gradient of {self.case.names.of_several(self.tensors)}" if self.tensors else "the gradient"


def cancelled(made: Zeroed) -> Any:
    """Finds parts of a gradient that are not zero, but add up to zero."""
    drawn, asked = made.case.ledger.ways.followed or (None, None)
    return found(
        CANCELLED,
        drawn or made.site,
        f"what rsample() gives here moves with its distribution, and {made.whose} cancels"
        if drawn
        else f"parts of the gradient that come back to this result add up to zero, and so is {made.whose}",
        "the probability of a sample that follows the mean does not change with the mean"
        if drawn
        else "what is computed from this result does not depend on it: it was taken from itself, or divided by itself",
        "use sample(), or detach the action before log_prob(): a score function takes the sample as a constant"
        if drawn
        else "cut one of the ways off, x.detach(), if that is meant as a constant",
        ("its probability", asked),
        made.at,
        made.arrives,
        weight=8,
    )


def flat(made: Zeroed) -> Any:
    """Finds round() and similar functions."""
    return found(
        STEP_FUNCTION,
        made.site,
        f"{made.name}() has a derivative of zero everywhere, which makes {made.whose} zero",
        "the function is flat except at its jumps",
        "pass the gradient straight through: x + (x.round() - x).detach(); or use a smooth function",
        made.at,
        made.arrives,
        weight=8,
    )


def drawn(made: Zeroed) -> Any:
    """Finds random numbers."""
    return found(
        DRAWN,
        made.site,
        f"{made.name}() draws numbers here, which makes {made.whose} zero",
        "the derivative of what is drawn, in the parameters of its distribution, is zero by definition",
        "write the sample as a function of noise that has no parameters: mean + std * torch.randn_like(std), or "
        "rsample() of a distribution; of choices, a loss on log_prob()",
        made.at,
        made.arrives,
        weight=8,
    )


def was_flat(made: Zeroed, illness: Any, place: Any, what: str, why: str, remedy: str) -> Any:
    """A function that is flat at its operands; None if that was so in only one of several passes."""
    if made.passes < 2 and not made.only:
        return None
    begun = made.begun_at()
    return found(
        illness,
        begun or place,
        f"{what} {made.here(begun)}, which makes {made.whose} zero",
        why,
        remedy,
        made.at,
        made.arrives,
        weight=7,
    )


def dead(made: Zeroed) -> Any:
    """Finds a ReLU with negative inputs."""
    return was_flat(
        made,
        DEAD,
        made.site,
        f"all that comes to {made.name}(){made.by} is negative",
        "below zero a ReLU is flat: no gradient comes through, and so what is before it never moves again",
        "look at the initial biases and the learning rate, normalize the input, or use leaky_relu, GELU or SiLU",
    )


def saturated(made: Zeroed) -> Any:
    """Finds a saturated function, or a clamp beyond its bounds."""
    return was_flat(
        made,
        SATURATED,
        made.called,
        f"{made.name}(){made.by} is saturated",
        "far from its middle the function is flat in floating point, or it is beyond its bounds",
        "begin with values within its bounds, or give it a wider range; or take a smooth function in its place: "
        "sigmoid() for what lies between 0 and 1, softplus() for what is positive"
        if made.name in BOUNDS
        else "normalize what comes to it, begin with smaller weights, or use a loss on logits",
    )


def zero_weights(made: Zeroed) -> Any:
    """Finds a product with weights that are all zero."""
    if made.passes < 3 or not made.weightless:
        return None
    weights = [t for t in made.tensors if t._array.ndim > 1] or made.tensors
    names = dict.fromkeys(made.case.names.known.get(id(t), "").split(".")[-1] for t in weights)
    text = Text.of(made.case)
    begun = next((line for name in names if name and (line := text.zeroing(name))), None)
    others = resting_at_zero(made)
    too = (
        f"; {made.case.names.of_several(others)} begin{'s' if len(others) == 1 else ''} as zeros too" if others else ""
    )
    also = [text.zeroing(made.case.names.known.get(id(t), "").split(".")[-1]) for t in others]
    return found(
        ZERO_WEIGHTS,
        begun or made.site,
        f"the weights of the product here are all zero, and so is {made.whose}"
        if begun is None
        else f"weights begin as zeros here, and {made.whose} is zero as well{too}",
        "a layer passes on its cotangent times its weights, and zero weights stay zero behind zero activations",
        "begin with the default initialisation, or another random one; zeros are for biases",
        *(("zeros too", line) for line in also),
        ("the product", made.site),
        made.at,
        made.arrives,
        weight=7 if begun is None else 8,  # a ReLU of zeros passes no gradient either
    )


def resting_at_zero(made: Zeroed) -> list[Any]:
    """The other weights that are all zero, and whose gradients are."""
    leaves = [leaf for leaf in made.case.ledger.leaves.values() if leaf.zeros and leaf.zeros == leaf.arrivals]
    tensors = [t for leaf in leaves if (t := leaf.tensor) is not None and t._array.ndim > 1 and is_zero(t._array)]
    return [t for t in tensors if all(t is not known for known in made.tensors)]


def times_zero(made: Zeroed) -> Any:
    """Finds a factor or mask that is zero."""
    if made.passes < 3 and not made.only:
        return None
    factor = Text.of(made.case).zero_factor(made.called)
    whose = made.case.names.of_several(made.tensors)
    return found(
        TIMES_ZERO,
        factor or made.site,
        f"a factor is zero here, and what comes from {whose} is multiplied by it"
        if factor
        else f"what comes from {whose} is multiplied by zero, or masked, here",
        "the derivative of a product is the other factor",
        "look at that factor: a mask without ones, "
        "a weight of the loss that is zero, an integer division that gives zero",
        made.at,
        made.arrives,
        weight=6,
    )


FACTORS = ("mul", "div", "masked_fill", "where", "masked_fill_tensor")
RULES = (
    (FLAT, flat),
    (SAMPLERS, drawn),
    (RECTIFIERS, dead),
    (CURVES, saturated),
    (PRODUCTS, zero_weights),
    (FACTORS, times_zero),
)
