"""Mistakes in the order of backward, step and zero_grad, and steps that change nothing."""

from collections.abc import Iterator
from typing import Any

from rushlight.explain.finding import finder, found, kind
from rushlight.explain.ledger import FADED
from rushlight.explain.returning import returned
from rushlight.explain.sites import code_of
from rushlight.explain.writing import Text

NOT_ZEROED = kind(
    "never-zeroed",
    "wrong",
    "gradients are added to those of earlier steps",
    """
  model = torch.nn.Linear(3, 1)
  optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
  for _ in range(4):
+     optimizer.zero_grad()
      model(torch.randn(5, 3)).pow(2).mean().backward()
      optimizer.step()
""",
)
ZEROED_BEFORE = kind(
    "zeroed-before-step",
    "wrong",
    "gradients are zeroed between backward and the step that was to use them",
    """
  model = torch.nn.Linear(3, 1)
  optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
  for _ in range(4):
+     optimizer.zero_grad()
      model(torch.randn(5, 3)).pow(2).mean().backward()
-     optimizer.zero_grad()
      optimizer.step()
""",
)
CLIPPED_AFTER = kind(
    "clipped-after-step",
    "wrong",
    "gradients are clipped after the step that used them",
    """
  model = torch.nn.Linear(3, 1)
  optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
  for _ in range(4):
      optimizer.zero_grad()
      model(torch.randn(5, 3)).pow(2).mean().backward()
+     torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
      optimizer.step()
-     torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
""",
)
NO_STEP = kind(
    "no-step",
    "wrong",
    "an optimizer is made, backward is called, and step never",
    """
  model = torch.nn.Linear(3, 1)
  optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
  for _ in range(4):
      optimizer.zero_grad()
      model(torch.randn(5, 3)).pow(2).mean().backward()
+     optimizer.step()
""",
)
NO_BACKWARD = kind(
    "no-backward",
    "wrong",
    "an optimizer steps without any gradient",
    """
  model = torch.nn.Linear(3, 1)
  optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
  for _ in range(4):
      optimizer.zero_grad()
-     model(torch.randn(5, 3)).pow(2).mean()
+     model(torch.randn(5, 3)).pow(2).mean().backward()
      optimizer.step()
""",
)
RATE_ZERO = kind(
    "learning-rate-zero",
    "wrong",
    "the learning rate is zero: nothing changes",
    """
  model = torch.nn.Linear(3, 1)
- optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
+ optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
  for _ in range(4):
      optimizer.zero_grad()
      model(torch.randn(5, 3)).pow(2).mean().backward()
      optimizer.step()
""",
)
UNMOVED = kind(
    "steps-too-small",
    "wrong",
    "steps change nothing: they are smaller than the precision of the parameters",
    """
  model = torch.nn.Linear(3, 1)
- optimizer = torch.optim.SGD(model.parameters(), lr=1e-12)
+ optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
  for _ in range(4):
      optimizer.zero_grad()
      model(torch.randn(5, 3)).pow(2).mean().backward()
      optimizer.step()
""",
)
FADING = kind(
    "schedule-too-fast",
    "wrong",
    "a schedule takes its step with each batch, and leaves nothing of the learning rate",
    """
  model = torch.nn.Linear(3, 1)
  optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
  schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.1)
  for epoch in range(3):
      for x in torch.randn(8, 5, 3):
          optimizer.zero_grad()
          model(x).pow(2).mean().backward()
          optimizer.step()
-         schedule.step()
+     schedule.step()
""",
)
SCHEDULED = kind(
    "schedule-before-step",
    "wrong",
    "a schedule takes its step before the optimizer",
    """
  model = torch.nn.Linear(3, 1)
  optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
  schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2)
  for _ in range(4):
-     schedule.step()
      optimizer.zero_grad()
      model(torch.randn(5, 3)).pow(2).mean().backward()
      optimizer.step()
+     schedule.step()
""",
)
CLIPPED_SCALED = kind(
    "clipped-scaled",
    "wrong",
    "gradients are clipped while they are those of a scaled loss",
    """
  model = torch.nn.Linear(3, 1)
  optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
  scaler = torch.amp.GradScaler("cpu")
  for _ in range(3):
      optimizer.zero_grad()
      scaler.scale(model(torch.randn(5, 3)).pow(2).mean()).backward()
+     scaler.unscale_(optimizer)
      torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
      scaler.step(optimizer)
      scaler.update()
""",
)
EMPTY_CLIP = kind(
    "clips-nothing",
    "wrong",
    "clipping is given a generator of parameters that is used up",
    """
  model = torch.nn.Linear(3, 1)
- parameters = model.parameters()
+ parameters = list(model.parameters())
  optimizer = torch.optim.SGD(parameters, lr=0.1)
  for _ in range(4):
      optimizer.zero_grad()
      model(torch.randn(5, 3)).pow(2).mean().backward()
      torch.nn.utils.clip_grad_norm_(parameters, 1.0)
      optimizer.step()
""",
)


@finder
def order_of_steps(case: Any) -> Iterator[Any]:
    """For each optimizer the first of these checks that applies: it explains most."""
    for held in case.ledger.held.values():
        for look in LOOKS:
            one = look(case, held)
            if one is not None:
                yield one


def accumulated(case: Any, held: Any) -> Any:
    """Finds steps with gradients that an earlier step has used."""
    if not held.stale or held.stale < 0.3 * (held.steps - 1):
        return None
    named = Text.of(case).uncalled("zero_grad")
    return found(
        NOT_ZEROED,
        named or held.step_site,
        f"{held.stale} of {held.steps} steps use gradients that earlier steps have used already: they add up"
        + (". zero_grad is only named here, without brackets" if named else ""),
        "backward adds to .grad, and nothing has set it back since the step before",
        "call optimizer.zero_grad() once in each step, before backward",
        ("optimizer", held.site),
        weight=8,
    )


def zeroed_too_early(case: Any, held: Any) -> Any:
    """Finds gradients that were zeroed before the step."""
    if not held.lost or held.lost < 0.5 * held.steps:
        return None
    return found(
        ZEROED_BEFORE,
        held.zero_site or held.step_site,
        f"the gradients of {held.lost} of {held.steps} steps are zeroed after backward and before the step",
        "the step then finds no gradients, and changes nothing",
        "call zero_grad() before backward, or after step()",
        ("step", held.step_site),
        ("optimizer", held.site),
        weight=9,
    )


def zeroed_between(case: Any, held: Any) -> Any:
    """Finds gradients of all passes but the last that were zeroed before the step."""
    if held.wasted < 2 or held.wasted < 0.5 * held.steps:
        return None
    backward, zeroed, _ = held.thrown
    return found(
        ZEROED_BEFORE,
        zeroed,
        f"gradients are zeroed here between passes that one step follows, before {held.wasted} of {held.steps} steps",
        "the step uses the gradients of the last pass alone; those of the passes before are lost",
        "call zero_grad() once for each step, outside of the loop over parts of a batch: gradients then add up",
        ("backward", backward),
        ("step", held.step_site),
        weight=8,
    )


def without_backward(case: Any, held: Any) -> Any:
    """Finds steps without any backward pass."""
    if held.steps < 2 or held.empty < held.steps or case.ledger.passes:
        return None
    return found(
        NO_BACKWARD,
        Text.of(case).uncalled("backward") or held.step_site,
        "step() is called, and backward() never: there are no gradients",
        "a step changes parameters by their .grad, which backward fills",
        "call loss.backward() before step()",
        ("optimizer", held.site),
        weight=6,
    )


def without_step(case: Any, held: Any) -> Any:
    """Finds gradients without any step."""
    if held.steps or held.arrived(case.ledger) < 3 or case.errors:
        return None
    return found(
        NO_STEP,
        Text.of(case).uncalled("step") or held.site,
        f"this {held.name} optimizer never takes a step, though its parameters get gradients",
        "backward only computes gradients",
        "call optimizer.step() after backward",
        weight=6,
    )


def at_rest(case: Any, held: Any) -> Any:
    """Finds steps with a learning rate of zero."""
    if held.resting < 2 or held.resting < 0.5 * held.steps or case.ledger.bad:
        return None
    factors = held.factors if held.optimizer.defaults.get("lr") != 0 else ()
    factor = next((line for f in factors if (code := code_of(f)) and (line := returned(code))), None)
    place = factor or held.schedule_site or Text.of(case).setting("lr")
    return found(
        RATE_ZERO,
        (held.optimizer.defaults.get("lr") != 0 and place) or held.site,
        f"the learning rate is zero in {held.resting} of {held.steps} steps, which change nothing"
        + (": the factor of the schedule that is computed here is zero" if factor else ""),
        "a step is the learning rate times a direction"
        + (", and `//` leaves out the fraction" if factor and "//" in factor.source else ""),
        "let the factor of the schedule be above zero from the first step on, (step + 1) / warmup, without rounding"
        if factor
        else "set lr; or look at the schedule that has set it",
        ("schedule", held.schedule_site),
        ("optimizer", held.site),
        ("step", held.step_site),
        weight=7,
    )


def fading(case: Any, held: Any) -> Any:
    """Finds steps after a schedule has decayed the learning rate to almost nothing."""
    if held.faded < 3 or held.faded < 0.25 * held.steps or held.scheduled < 0.5 * held.steps or case.ledger.bad:
        return None
    return found(
        FADING,
        held.scheduled_at,
        f"the schedule takes {held.scheduled} steps here, as many as the optimizer, and {held.faded} of {held.steps} "
        f"steps have less than {FADED:g} of the first learning rate left",
        "a schedule counts its own steps: what is meant for epochs is over within a few batches",
        "call scheduler.step() once in each epoch, after the loop over its batches; or give the schedule a step_size, "
        "or a gamma, that counts in batches",
        ("schedule", held.schedule_site),
        ("step", held.step_site),
        weight=8,
    )


def too_small(case: Any, held: Any) -> Any:
    """Finds steps that are lost in rounding."""
    rate = held.optimizer.param_groups[0].get("lr") or 0
    lost = held.lost or held.resting or case.ledger.bad
    if held.unmoved < 2 or held.unmoved < held.compared or lost or not 0 < rate < 1e-6:
        return None
    return found(
        UNMOVED,
        held.site,
        f"none of {held.steps} steps changes any parameter, with a learning rate of {rate:g}",
        "float32 has seven digits: a change that is smaller than a ten-millionth of the number is lost",
        "take a larger learning rate, or look why gradients are so small",
        ("step", held.step_site),
        weight=6,
    )


LOOKS = (
    accumulated,
    zeroed_too_early,
    zeroed_between,
    without_backward,
    without_step,
    at_rest,
    fading,
    too_small,
)


@finder
def steps_by_hand(case: Any) -> Iterator[Any]:
    """Finds updates that the program makes itself, with gradients that accumulate."""
    leaves = [leaf for leaf in case.ledger.leaves.values() if leaf.by_hand >= 2]
    if leaves:
        using = leaves[0].read_at
        yield found(
            NOT_ZEROED,
            using if using is not None and Text.of(case).changes(using) else leaves[0].changed_at,
            f"{case.names.of(leaves[0].tensor)} is changed here by a gradient "
            f"that later ones are added to, {leaves[0].by_hand} times",
            "backward adds to .grad, and nothing has set it back since the change before",
            "set it to zero after each change: w.grad = None",
            ("backward", leaves[0].last),
            weight=8,
        )


@finder
def clipping_and_schedules(case: Any) -> Iterator[Any]:
    """Finds clipping and schedules at the wrong moment."""
    for site in case.ledger.clipped:
        yield found(
            CLIPPED_AFTER,
            site,
            "gradients are clipped here after the step that used them",
            "the step has taken them as they were",
            "clip between backward() and step()",
            weight=7,
        )
    for site in case.ledger.clipped_scaled:
        yield found(
            CLIPPED_SCALED,
            site,
            "gradients of a scaled loss are clipped here",
            "scale() has multiplied them by a large factor, which step() takes out again: hardly anything is left",
            "call scaler.unscale_(optimizer) before clipping",
            weight=7,
        )
    for site in case.ledger.clipped_nothing:
        yield found(
            EMPTY_CLIP,
            Text.of(case).iterator_given(site) or site,
            "clipping gets no parameters: it walks through what is made here, which is used up",
            "a generator such as model.parameters() is empty once it was walked through",
            "call model.parameters() again, or keep list(model.parameters())",
            ("clipped at", site),
            weight=7,
        )
    for site in case.ledger.scheduled:
        yield found(
            SCHEDULED,
            site,
            "the schedule takes its first step here, before the optimizer has taken one",
            "it skips the first value of the learning rate, and is one ahead ever after",
            "call scheduler.step() after optimizer.step()",
            weight=5,
        )
