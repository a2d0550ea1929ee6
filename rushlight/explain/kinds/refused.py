"""Errors that are raised at the line of the mistake."""

import re
from collections.abc import Iterator
from typing import Any

from rushlight.explain.finding import finder, found, kind
from rushlight.explain.holders import unregistered_in
from rushlight.explain.kinds.changes import CHANGED
from rushlight.explain.kinds.unrecorded import CUT_OFF, add, chosen, described
from rushlight.explain.origins import info_of
from rushlight.explain.writing import Text

LEAF = kind(
    "leaf-in-place",
    "error",
    "a leaf that requires grad is changed in place while operations are recorded",
    """
  w = torch.randn(3, requires_grad=True)
  w.pow(2).sum().backward()
- w -= 0.1 * w.grad
+ with torch.no_grad():
+     w -= 0.1 * w.grad
""",
)
NO_SCALAR = kind(
    "not-a-scalar",
    "error",
    "backward is called on a tensor of several elements",
    """
  w = torch.randn(3, requires_grad=True)
- w.pow(2).backward()
+ w.pow(2).mean().backward()
""",
)
NO_PARAMETERS = kind(
    "no-parameters",
    "error",
    "an optimizer gets no parameters",
    """
  model = torch.nn.Linear(2, 1)
- parameters = model.parameters()
- print(sum(p.numel() for p in parameters))
- torch.optim.SGD(parameters, lr=0.1)
+ print(sum(p.numel() for p in model.parameters()))
+ torch.optim.SGD(model.parameters(), lr=0.1)
""",
)
REFUSED = kind(
    "refused",
    "error",
    "autograd refuses an operation, and says at the line itself what to do",
    """
  w = torch.randn(3, requires_grad=True)
- print((w * 2).numpy())
+ print((w * 2).detach().numpy())
""",
)


WORDS = (
    (
        r"a (?:view of a )?leaf Variable that requires grad is being used in an in-place",
        LEAF,
        "a leaf that requires grad is changed in place here",
        "the change would be recorded, and the leaf would no longer be the parameter that gradients arrive at",
        "change it inside `with torch.no_grad():`, or let an optimizer do it",
    ),
    (
        r"grad can be implicitly created only for scalar",
        NO_SCALAR,
        "backward is called on a tensor of several elements",
        "a gradient belongs to one number: which weights the elements have in it is not said",
        "reduce it first, with mean() or sum(), or give the weights: y.backward(torch.ones_like(y))",
    ),
    (
        r"optimizer got an empty parameter list",
        NO_PARAMETERS,
        "the optimizer gets no parameters here",
        "a generator such as model.parameters() is empty once it was walked through, "
        "and layers in a plain list are not registered",
        "call parameters() again, or keep list(model.parameters()); put layers into an nn.ModuleList",
    ),
    (
        r"can't optimize a non-leaf Tensor",
        REFUSED,
        "the optimizer gets a result, not a leaf",
        "an operation on a leaf (a cast, a product) gives a result, which gradients do not stay at",
        "make the tensor first and call requires_grad_() last: (torch.randn(3) * 0.1).requires_grad_()",
    ),
    (
        r"Can't call numpy\(\) on Tensor that requires grad",
        REFUSED,
        "numpy() is called here on a tensor that requires grad",
        "NumPy would not record what is done to it",
        "call detach().numpy() for looking at it, and stay with torch for what belongs to the loss",
    ),
    (
        r"only Tensors of floating point dtype can require gradients|Only Tensors of floating point",
        REFUSED,
        "integers are to require grad",
        "they have no derivative",
        "make them floats: 1.0 for 1, or dtype=torch.float32",
    ),
    (
        r"Inference tensors cannot be saved for backward|Inplace update to inference tensor",
        REFUSED,
        "what is made in inference mode is used in what is recorded",
        "what inference_mode makes can never be part of a graph",
        "use no_grad in place of inference_mode where it was made, or clone it outside",
    ),
    (
        r"Expected more than 1 value per channel when training",
        REFUSED,
        "batch normalization gets one value per channel here",
        "in training it divides by the deviation over the batch, and a batch of one has none",
        "give the DataLoader drop_last=True, call model.eval() for single samples, or use LayerNorm or GroupNorm",
    ),
    (
        r"you can only change requires_grad flags of leaf variables",
        REFUSED,
        "requires_grad is set here on a result",
        "it is part of a graph",
        "use detach() to take it out of the graph",
    ),
    (
        r"is a view and (?:its base or another view of its base has been|is being) modified inplace|is a view of a "
        "view",
        CHANGED,
        "a view is changed in place here",
        "its history cannot be rewritten: it is one of several results of an operation, or was made without recording",
        "write into a new tensor, or clone() the view before",
    ),
    (
        r"all elements of input should be between 0 and 1",
        REFUSED,
        "binary_cross_entropy gets what are no probabilities here",
        "it takes the logarithm of its input and of 1 - input",
        "apply sigmoid before, or better use binary_cross_entropy_with_logits (BCEWithLogitsLoss) on the scores",
    ),
    (
        r"has changed the (?:size|type) of value|hook .* returned an incorrect number",
        REFUSED,
        "a hook gives back what is no gradient",
        "what a hook returns takes the gradient's place",
        "let the hook return None, or a tensor of the gradient's shape",
    ),
)


OF_LOSS = re.compile(r"loss|cost|err|nll|energy|elbo|objective|penalty|reduction", re.IGNORECASE)  # names of losses
NUMBER = re.compile(r"'(?:float|int|bool|list|numpy\.\w+)' object has no attribute 'backward'")
NO_GRADIENT = re.compile(
    r"'NoneType' object has no attribute '(?:zero_|data|detach_?|norm|clone|fill_|mul_|clamp_?|abs|pow|sum|mean|max)'"
)


@finder
def no_tensors(case: Any) -> Iterator[Any]:
    """Finds numbers and None where a loss or gradient is needed."""
    for error, site in case.errors:
        if NUMBER.search(str(error)):
            cut = chosen(case, case.watch.left) if case.watch.left else None
            if cut is not None:
                yield add(described(case, cut, CUT_OFF), ("backward is called at", site))
            else:
                yield found(
                    REFUSED,
                    site,
                    "backward is called here on what is no tensor",
                    "numbers and lists have no history",
                    "compute the loss with tensors to its end",
                    weight=9,
                )
        elif "'NoneType' object has no attribute 'backward'" in str(error):
            yield found(
                REFUSED,
                site,
                "backward is called here on None",
                "the function that computes the loss returns nothing on this way, "
                "or the loss was assigned what backward() returns",
                "return the loss from the function that computes it",
                weight=9,
            )
        elif NO_GRADIENT.search(str(error)) and not case.ledger.passes:
            yield found(
                REFUSED,
                site,
                "a gradient is used here that is None: no backward pass has run yet",
                "gradients are made by the first backward pass, and zero_grad() sets them to None again",
                "ask first, if w.grad is not None: w.grad.zero_(); or set it to None after each step, w.grad = None",
                weight=9,
            )


def at_fault(case: Any, error: Any, pattern: str, site: Any) -> Any:
    """The line that a refused value comes from, if it is another one."""
    text = Text.of(case)
    if pattern.startswith("Inference tensors"):
        return case.watch.inference
    if pattern.startswith("optimizer got an empty"):
        return unregistered_at(case) or text.iterator_given(site)
    if pattern.startswith("Expected more than 1 value"):
        return text.call_without("DataLoader", "drop_last")
    if pattern.startswith("all elements of input"):
        return case.readings.only_built("BCELoss")
    if pattern.startswith("only Tensors of floating"):
        return made_at(case.ledger.asked_last())
    if pattern.startswith("can't optimize"):
        return made_at(getattr(error, "result", None))
    if pattern.startswith("grad can be implicitly"):
        made = made_at(getattr(error, "several", None))
        return made if made is not None and OF_LOSS.search(made.source) else None
    return None


def made_at(tensor: Any) -> Any:
    """The line that made a tensor, if known."""
    info = info_of(tensor)
    return None if info is None else info.site


def unregistered_at(case: Any) -> Any:
    """The line that puts modules into a list or dict of a module that has no parameters of its own."""
    for module in case.names.modules.values():
        name = unregistered_in(module) if not any(True for _ in module.parameters()) else ""
        if name:
            return Text.of(case).first_setting(name)
    return None


@finder
def at_the_line_itself(case: Any) -> Iterator[Any]:
    """Finds errors that are raised at the line of the mistake."""
    for error, site in case.errors:
        for pattern, kind_of, what, why, do in WORDS:
            if re.search(pattern, str(error)):
                line = at_fault(case, error, pattern, site) or site
                made = ("computed here", made_at(getattr(error, "several", None)))
                yield found(kind_of, line, what, why, do, made, ("refused at", site), weight=9)
                break
