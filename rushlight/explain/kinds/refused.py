"""Errors of the backward pass and of changes in place: the line they come from, seldom the one that raises."""

import re

from rushlight.core.graph import Node
from rushlight.explain.finding import finder, found, kind
from rushlight.explain.kinds.unrecorded import CUT_OFF, add, described
from rushlight.explain.origins import info_of

CARRIED = kind(
    "carried-over",
    "error",
    "a tensor from before the last pass takes part in the next one",
    """
cell, state = torch.nn.RNNCell(2, 3), torch.zeros(1, 3)
for _ in range(3):
    state = cell(torch.randn(1, 2), state)
    state.pow(2).mean().backward()
""",
    """
cell, state = torch.nn.RNNCell(2, 3), torch.zeros(1, 3)
for _ in range(3):
    state = cell(torch.randn(1, 2), state.detach())
    state.pow(2).mean().backward()
""",
)
TWICE = kind(
    "backward-twice",
    "error",
    "backward runs twice through the same graph",
    """
w = torch.randn(3, requires_grad=True)
hidden = w.exp()
hidden.sum().backward()
hidden.pow(2).sum().backward()
""",
    """
w = torch.randn(3, requires_grad=True)
hidden = w.exp()
(hidden.sum() + hidden.pow(2).sum()).backward()
""",
)
CHANGED = kind(
    "changed-in-place",
    "error",
    "a value that the backward pass needs was changed in place",
    """
w = torch.randn(3, requires_grad=True)
y = w.sigmoid()
y += 1
y.sum().backward()
""",
    """
w = torch.randn(3, requires_grad=True)
y = w.sigmoid()
y = y + 1
y.sum().backward()
""",
)
STEPPED = kind(
    "stepped-before-backward",
    "error",
    "an optimizer changed parameters that a later backward pass still needs",
    """
first, second = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD([*first.parameters(), *second.parameters()], lr=0.1)
hidden = first(torch.randn(4, 2))
a, b = second(hidden).mean(), second(hidden).pow(2).mean()
a.backward(retain_graph=True)
optimizer.step()
b.backward()
""",
    """
first, second = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD([*first.parameters(), *second.parameters()], lr=0.1)
hidden = first(torch.randn(4, 2))
a, b = second(hidden).mean(), second(hidden).pow(2).mean()
(a + b).backward()
optimizer.step()
""",
)
UNSEEN = kind(
    "changed-unseen",
    "wrong",
    "a value that the backward pass needs is changed through .data, which autograd does not see",
    """
w = torch.randn(3, requires_grad=True)
loss = (w * w).sum()
w.data.mul_(2)
loss.backward()
""",
    """
w = torch.randn(3, requires_grad=True)
loss = (w * w).sum()
loss.backward()
w.data.mul_(2)
""",
)
LEAF = kind(
    "leaf-in-place",
    "error",
    "a leaf that requires grad is changed in place while operations are recorded",
    """
w = torch.randn(3, requires_grad=True)
w.pow(2).sum().backward()
w -= 0.1 * w.grad
""",
    """
w = torch.randn(3, requires_grad=True)
w.pow(2).sum().backward()
with torch.no_grad():
    w -= 0.1 * w.grad
""",
)
NO_SCALAR = kind(
    "not-a-scalar",
    "error",
    "backward is called on a tensor of several elements",
    """
w = torch.randn(3, requires_grad=True)
w.pow(2).backward()
""",
    """
w = torch.randn(3, requires_grad=True)
w.pow(2).mean().backward()
""",
)
UNUSED = kind(
    "input-not-reached",
    "error",
    "grad is asked for an input that the outputs do not depend on",
    """
x = torch.randn(3, requires_grad=True)
y = x.pow(2).sum()
torch.autograd.grad(y, x[0])
""",
    """
x = torch.randn(3, requires_grad=True)
y = x.pow(2).sum()
torch.autograd.grad(y, x)[0][0]
""",
)
NO_PARAMETERS = kind(
    "no-parameters",
    "error",
    "an optimizer gets no parameters",
    """
model = torch.nn.Linear(2, 1)
parameters = model.parameters()
print(sum(p.numel() for p in parameters))
torch.optim.SGD(parameters, lr=0.1)
""",
    """
model = torch.nn.Linear(2, 1)
print(sum(p.numel() for p in model.parameters()))
torch.optim.SGD(model.parameters(), lr=0.1)
""",
)
REFUSED = kind(
    "refused",
    "error",
    "autograd refuses an operation, and says at the line itself what to do",
    """
w = torch.randn(3, requires_grad=True)
print((w * 2).numpy())
""",
    """
w = torch.randn(3, requires_grad=True)
print((w * 2).detach().numpy())
""",
)


@finder
def second_passes(case):
    """The error for a graph that is freed: whether a tensor was carried over, or a pass made twice."""
    for error, site in case.errors:
        node = getattr(error, "freed", None)
        root = getattr(error, "root", None)
        if node is None or root is None:
            continue
        freed_at = case.ledger.freed_line(node.freed)
        if root.sequence > node.freed and freed_at in (site, None):
            old = youngest_freed(root, node.freed)
            info = info_of(old) or info_of(node)
            made = info.site if info is not None else site
            yield found(
                CARRIED,
                made,
                "what was computed here before the last backward pass takes part in a later loss",
                "a pass frees what the graph behind it saved, so the next one cannot go through it again; "
                "retain_graph=True would keep, and differentiate, the graphs of all steps",
                "if it is a state that goes from step to step, cut it off after each: state = state.detach(); if it "
                "was "
                "computed once before the loop, compute it inside",
                ("freed by", freed_at),
                ("refused at", site),
                weight=10,
            )
            continue
        info = info_of(node)
        yield found(
            TWICE,
            site,
            "backward runs here through a graph that an earlier pass has freed",
            "the losses share a part of their graph, or are one; each pass frees what the graph saved",
            "add the losses and call backward once, (a + b).backward(); where the first loss is not to train the "
            "shared "
            "part (a discriminator's, say), give it a detached copy; else give retain_graph=True to the first call",
            ("freed by", freed_at),
            ("shared part", info and info.site),
            weight=10,
        )


def youngest_freed(root, stamp):
    """The youngest node that was recorded before a pass and is reached from a root that was recorded after it."""
    stack, seen, found_node = [root], set(), None
    while stack and len(seen) < 100_000:
        vertex = stack.pop()
        if not isinstance(vertex, Node) or id(vertex) in seen:
            continue
        seen.add(id(vertex))
        if vertex.sequence <= stamp:
            if found_node is None or vertex.sequence > found_node.sequence:
                found_node = vertex
            continue
        stack.extend(vertex.edge_at(i)[0] for i in range(vertex.arity))
    return found_node


@finder
def changes(case):
    """The error for a saved value that was changed: by whom."""
    for error, site in case.errors:
        change = getattr(error, "changed_at", None)
        if change is None or isinstance(change, str):
            continue
        if change.by is not None:
            yield found(
                STEPPED,
                change.site,
                f"the {change.by} optimizer changes parameters here, in step {change.step + 1}, "
                "that a graph recorded before still needs",
                "backward computes with the parameters as they were in the "
                "forward pass, and an optimizer changes them in place",
                "call backward for all losses first and step afterwards, or compute the second loss anew after the "
                "step",
                ("needed by the pass at", site),
                weight=10,
            )
            continue
        yield found(
            CHANGED,
            change.site,
            "a tensor is changed in place here, though a derivative needs its old value",
            "an operation saved it, or its own result, for the backward pass",
            "make a new tensor (x = x + 1 for x += 1, no underscore), or change a copy: x.clone()",
            ("needed by the pass at", site),
            weight=10,
        )


@finder
def unseen_changes(case):
    """Changes through .data of what a backward pass needed."""
    for tensor, site in case.ledger.spoilt[:1]:
        yield found(
            UNSEEN,
            site,
            f"the memory of {case.names.of(tensor)} is changed here through .data, and a derivative is computed with "
            "what it holds now",
            "autograd counts changes of a tensor, not those through .data, so it cannot refuse: the gradient is wrong",
            "change it after backward, inside `with torch.no_grad():`; or change a clone()",
            weight=8,
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
        "backward is called here on a tensor of several elements",
        "a gradient belongs to one number: which weights the elements have in it is not said",
        "reduce it first, with mean() or sum(), or give the weights: y.backward(torch.ones_like(y))",
    ),
    (
        r"optimizer got an empty parameter list",
        NO_PARAMETERS,
        "the optimizer gets no parameters here",
        "a generator such "
        "as model.parameters() is empty once it was walked through, and layers in a plain list are not registered",
        "call parameters() anew, or keep list(model.parameters()); put layers into an nn.ModuleList",
    ),
    (
        r"can't optimize a non-leaf Tensor",
        REFUSED,
        "the optimizer gets a result here, not a leaf",
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
        "integers are to require grad here",
        "they have no derivative",
        "make them floats: 1.0 for 1, or dtype=torch.float32",
    ),
    (
        r"Inference tensors cannot be saved for backward|Inplace update to inference tensor",
        REFUSED,
        "an inference tensor is used here in what is recorded",
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
        r"One of the differentiated Tensors does not require grad",
        UNUSED,
        "grad is asked here for a tensor that does not require grad",
        "nothing of what was done to it was recorded",
        "call x.requires_grad_() before it is used",
    ),
    (
        r"has changed the (?:size|type) of value|hook .* returned an incorrect number",
        REFUSED,
        "a hook gives back what is no gradient",
        "what a hook returns takes the gradient's place",
        "let the hook return None, or a tensor of the gradient's shape",
    ),
)


@finder
def at_the_line_itself(case):
    """Errors that are raised where the mistake is."""
    for error, site in case.errors:
        for pattern, kind_of, what, why, do in WORDS:
            if re.search(pattern, str(error)):
                yield found(kind_of, site, what, why, do, weight=9)
                break


@finder
def unused_inputs(case):
    """The error for an input that the outputs do not depend on."""
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
        cut = next((c for c in case.watch.cuts.values() if c.comes_from(x)), None)
        if cut is not None:
            yield add(described(case, cut, CUT_OFF), ("grad is asked for at", site))
            continue
        yield found(
            UNUSED,
            site,
            f"the output does not depend on {case.names.of(x, 'this input')}",
            "it was not used, or a copy that was made before it required grad was used in its place",
            "give the very tensor that the output is computed from; allow_unused=True only gives None",
            weight=10,
        )
