"""Gradients of another pass that a step uses together with those of the loss."""

from collections.abc import Iterator
from typing import Any

from rushlight.explain.finding import finder, found, kind

MIXED_IN = kind(
    "mixed-in",
    "wrong",
    "passes that want the gradient of an input leave others in the parameters, which the step then uses",
    """
  model, x = torch.nn.Linear(3, 1), torch.randn(8, 3)
  optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
  for _ in range(3):
      optimizer.zero_grad()
      noise = torch.zeros(8, 3, requires_grad=True)
      for _ in range(2):
-         model(x + noise).pow(2).mean().backward()
-         noise = (noise + 0.1 * noise.grad.sign()).detach().requires_grad_()
+         (slope,) = torch.autograd.grad(model(x + noise).pow(2).mean(), noise)
+         noise = (noise + 0.1 * slope.sign()).detach().requires_grad_()
      model(x + noise.detach()).pow(2).mean().backward()
      optimizer.step()
""",
)


@finder
def mixed_in(case: Any) -> Iterator[Any]:
    """Finds passes whose gradients had not been zeroed when that of the loss began."""
    for site, (times, loss) in case.ledger.mixed.found.items():
        if times > 1:
            yield found(
                MIXED_IN,
                site,
                "this pass is for the gradient of an input, and leaves gradients in the parameters of the optimizer "
                "too: those of the loss are added to them",
                "backward() adds to .grad of every leaf that it reaches, wanted or not",
                "ask for the one gradient alone: (g,) = torch.autograd.grad(e, x), or e.backward(inputs=[x]); "
                "or call zero_grad() between this pass and that of the loss",
                ("the loss", loss),
                weight=7,
            )
