"""A loss that does not require grad: where its history was cut off, or that no leaf behind it requires grad."""

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import Any

from rushlight.core.graph import FIELDS
from rushlight.explain.finding import finder, found, kind, line_at
from rushlight.explain.origins import info_of
from rushlight.explain.writing import Text
from rushlight.tensors import Tensor

CUT_OFF = kind(
    "cut-off",
    "error",
    "values left the graph on the way to the loss",
    """
  w = torch.randn(3, requires_grad=True)
- prediction = torch.tensor((w * 2).tolist())
+ prediction = w * 2
  loss = (prediction - 1).pow(2).mean()
  loss.backward()
""",
)
NOT_RECORDED = kind(
    "recording-off",
    "error",
    "recording was off where the loss was computed",
    """
  model = torch.nn.Linear(3, 1)
- with torch.no_grad():
-     loss = model(torch.randn(4, 3)).pow(2).mean()
+ loss = model(torch.randn(4, 3)).pow(2).mean()
  loss.backward()
""",
)
NOTHING_REQUIRES = kind(
    "nothing-requires-grad",
    "error",
    "nothing that the loss is computed from requires grad",
    """
- w = torch.randn(3)
+ w = torch.randn(3, requires_grad=True)
  loss = (w * 2).pow(2).mean()
  loss.backward()
""",
)
SECOND_ORDER = kind(
    "graph-of-gradient",
    "error",
    "a gradient is differentiated that was computed without create_graph=True",
    """
  x = torch.randn(3, requires_grad=True)
- (slope,) = torch.autograd.grad(x.pow(3).sum(), x)
+ (slope,) = torch.autograd.grad(x.pow(3).sum(), x, create_graph=True)
  penalty = (slope.norm() - 1) ** 2
  penalty.backward()
""",
)

WAYS = {  # how values leave the graph: what the user wrote, why it cuts, what to do
    "detach": (
        "detach() cuts the graph here",
        "what detach() gives has the values and no history",
        "take detach() away where the gradient is to flow, and keep it for what is only looked at or logged",
    ),
    "data": (
        ".data cuts the graph here",
        ".data gives the memory without its history, and autograd does not see what is done through it",
        "use the tensor itself in place of its .data",
    ),
    "set": (
        "a tensor takes the values of a result here, and not its history",
        "what is written to .data, or without recording, changes the numbers of a tensor and nothing else",
        "compute with the result itself: F.linear(x, weight, bias) for a layer, or "
        "torch.func.functional_call(module, {name: result}, args) for a whole module",
    ),
    "item": (
        "{name}() makes a Python number of a tensor here",
        "a number has no history, nor has any tensor that is made of it",
        "compute with the tensor itself, and call item() only on what is printed",
    ),
    "tolist": (
        "tolist() makes Python numbers of a tensor here",
        "numbers have no history, nor has a tensor that is made of them",
        "stay with tensors: torch.stack or torch.cat joins them, indexing takes them apart",
    ),
    "numpy": (
        "numpy() hands the values to NumPy here",
        "NumPy records nothing, and from_numpy begins a new history",
        "compute with torch's functions of the same names in place of NumPy's",
    ),
    "torch.tensor": (
        "torch.tensor() copies a tensor's values here",
        "it makes a leaf of its own, without the history of what it copies",
        "use the tensor itself, or torch.stack([...]) to join several",
    ),
    "Parameter": (
        "nn.Parameter() wraps a result here",
        "a parameter is a leaf: it takes the values, and leaves the history of what it wraps behind",
        "use the result itself; make parameters once, in __init__",
    ),
    "integer": (
        "{name} gives integers or truth values here",
        "these have no derivative, so what is computed from them does not require grad",
        "use a differentiable form for the loss (softmax or sigmoid for a choice or a comparison, "
        "a float dtype for a cast), and this one for counting only",
    ),
    "constant": ("{name} has no derivative", "its result does not require grad", "compute the loss without it"),
    "mode": (
        "recording is off here",
        "inside no_grad and inference_mode no operation is recorded, so results do not require grad",
        "compute the loss outside, or with recording switched on again; "
        "keep these modes for evaluation and for changing parameters",
    ),
    "grad": (
        "autograd.grad() gives a gradient without a graph here",
        "it records its own pass only with create_graph=True, so its results do not require grad",
        "call it with create_graph=True where the gradient itself is differentiated",
    ),
}


NUMBERS = ("item", "tolist", "numpy")  # conversions that leave no trace in later computations


def losing(case: Any, leaves: Sequence[Tensor]) -> str:
    """The leaves that lose their path to the loss, in words."""
    return f"{case.names.of_several(leaves)} lose{'s' if len(leaves) == 1 else ''} the way to the loss"


def described(case: Any, cut: Any, kind_of: Any, weight: float = 10.0, related: Sequence[Any] = ()) -> Any:
    """The finding for one cut; `related` are further lines."""
    what, why, do = WAYS[cut.how]
    what = what.format(name=cut.name)
    leaves = [leaf() for leaf in cut.leaves.values() if leaf() is not None]
    if leaves:
        what += f", and with it {losing(case, leaves)}"
    site, further = cut.site, []
    if cut.how == "mode" and cut.name in ("sub()", "add()", "sub_scaled()", "add_scaled()") and updated(case, cut):
        what = (
            f"an update makes a new tensor here, without recording{', and ' + losing(case, leaves) if leaves else ''}"
        )
        why = "w = w - lr * w.grad binds the name to a result that does not require grad; the leaf stays as it was"
        do = "change the leaf in place, inside no_grad: w -= lr * w.grad; or call requires_grad_() on what is new"
    elif cut.how == "mode" and cut.where is not None and "checkpoint(" in cut.where.source:
        site, further = cut.where, [("computed here", cut.site)]
        what = "a reentrant checkpoint gets no input here that requires grad" + (
            f", and {losing(case, leaves)}" if leaves else ""
        )
        why = "it records only by way of its inputs: where none of these requires grad, nothing in it is differentiated"
        do = "give it use_reentrant=False, or an input with requires_grad=True"
    elif cut.how == "mode" and cut.where is not None and str(cut.where) == str(cut.site):
        what = "what is called here computes without recording" + (f", and {losing(case, leaves)}" if leaves else "")
        why = "some functions do so on purpose: sample() of a distribution, for one"
        do = "use the form that is differentiable (rsample() for sample()), or a loss on log_prob()"
    elif cut.how == "mode" and cut.where is not None:
        if cut.where.source.startswith("@"):
            do = f"take the decorator {cut.where.source.split('(')[0]} away: it is for functions that only evaluate"
        elif "set_grad_enabled" in cut.where.source:
            why = "set_grad_enabled(False), called as a function, holds until it is set to True again"
            do = "write `with torch.no_grad():` around what is evaluated, or call set_grad_enabled(True) after it"
        if in_good_company(case, cut, leaves):
            what = "what is computed here stands in a block without recording" + (
                f", and {losing(case, leaves)}" if leaves else ""
            )
            do = "compute it outside of the block, which is for what is not trained"
            site = call_in_block(case, cut, leaves) or site
            further = [("recording is switched off at", cut.where)]
        else:
            what = "recording is switched off here, and stays off where the loss is computed"
            if leaves:
                what += f" from {case.names.of_several(leaves)}"
            site, further = cut.where, [("computed here", cut.site)]
    return found(kind_of, site, what, why, do, *further, *related, weight=weight)


def in_good_company(case: Any, cut: Any, leaves: Sequence[Tensor]) -> bool:
    """Whether the block without recording also calls a model that nobody trains: then it is intended."""
    inside = Text.of(case).block(cut.where)
    if inside is None or not (inside.has(cut.site) or call_in_block(case, cut, leaves)):
        return False
    return any(
        inside.has(site) and site.line != cut.site.line and not is_trained(case, root, leaves)
        for root in case.readings.roots.values()
        for site in {root.site, *root.blind}
    )


def call_in_block(case: Any, cut: Any, leaves: Sequence[Tensor]) -> Any:
    """The line in a block without recording that calls a module with some of the leaves."""
    inside = Text.of(case).block(cut.where)
    if inside is None or inside.has(cut.site):
        return None
    calls = [
        site
        for root in case.readings.roots.values()
        if any(p is leaf for p in root.module.parameters() for leaf in leaves)
        for site in (*root.blind, root.site)
        if inside.has(site)
    ]
    return calls[0] if calls else None


def is_trained(case: Any, root: Any, leaves: Sequence[Tensor]) -> bool:
    """Whether a module has some of the leaves, or parameters that an optimizer holds."""
    return any(case.ledger.holder(p) is not None or any(p is leaf for leaf in leaves) for p in root.module.parameters())


@finder
def losses_without_history(case: Any) -> Iterator[Any]:
    """Explains the error for a loss that does not require grad."""
    for error, site in case.errors:
        tensor = getattr(error, "unrecorded", None)
        if tensor is None:
            continue
        info = info_of(tensor)
        cuts = case.watch.left if info is None else info.cuts
        refused = ("backward is refused here", site)
        if cuts:
            cut = chosen(case, cuts)
            kind_of = {"mode": NOT_RECORDED, "grad": SECOND_ORDER}.get(cut.how, CUT_OFF)
            one = described(case, cut, kind_of)
            if cut.how == "mode" and cut.where is None:
                one.do += "; set_grad_enabled(False), called earlier, holds until it is set to True again"
            yield add(one, refused)
        else:
            yield nothing_requires(case, info, site)


def updated(case: Any, cut: Any) -> bool:
    """Whether the program has read the gradient of a leaf behind a cut: to update the leaf itself."""
    return any((known := case.ledger.leaves.get(leaf)) is not None and known.read for leaf in cut.leaves)


def chosen(case: Any, cuts: Any) -> Any:
    """The cut to report: preferably of an optimizer's parameters, even one to a number; else the last one."""
    held = [p for one in case.ledger.held.values() for p in one.params]
    numbers = [c for c in case.watch.cuts.values() if c.how in NUMBERS]
    for some in (cuts, numbers):
        trained = [c for c in some if any(c.comes_from(p) for p in held)]
        if trained:
            return trained[-1]
    return next((c for c in reversed(cuts) if c.leaves), cuts[-1])


def add(finding: Any, pair: Any) -> Any:
    """Adds a related line to a finding."""
    line = line_at(pair[1])
    if line is not None and line not in finding.lines:
        finding.related.append((pair[0], line))
    return finding


def nothing_requires(case: Any, info: Any, site: Any) -> Any:
    """The finding if no leaf requires grad: which leaves there are, and whether the attribute is misspelt."""
    leaves = [r() for r in (() if info is None else info.plain) if r() is not None]
    frozen = [leaf for leaf in leaves if type(leaf).__name__ == "Parameter"]
    made = computed = info.site if info is not None else site
    misspelt = [(leaf, word) for leaf in leaves for word, meant in misspellings(leaf) if meant == "requires_grad"]
    if misspelt:
        leaf, word = misspelt[0]
        made = Text.of(case).first_setting(word) or made
        what = f"{case.names.of(leaf)} has an attribute `{word}`, which means nothing: the name is requires_grad"
        do = f"set {case.names.of(leaf, 'it')}.requires_grad = True, or call requires_grad_()"
    elif (dropped := dropped_result(case, leaves, made)) is not None:
        made = dropped
        what = "what is computed here is dropped: the method gives a new tensor and leaves its own as it is"
        do = (
            "take what it gives: loss = loss + ...; or change the tensor in place, by the name with a line behind, add_"
        )
    elif frozen and (on_module := set_on_module(case, frozen)) is not None:
        computed, (made, name) = made, on_module
        what = f"`requires_grad` is set on a module here, where it means nothing: all of {name} stays frozen"
        do = f"call requires_grad_(True) on {name}: the method sets it on all parameters of a module"
    elif frozen:
        computed, made = made, next((at for p in frozen if (at := case.ledger.frozen_at(p)) is not None), made)
        here = "" if made is computed else " here"
        what = f"all parameters that the loss comes from are frozen{here}: {case.names.of_several(frozen)}"
        do = "call requires_grad_(True) on those that are to be trained"
    else:
        names = case.names.of_several(leaves) if leaves else "its operands"
        what = f"the loss is computed from tensors of which none requires grad: {names}"
        do = "make what is to be differentiated with requires_grad=True, before it is used"
    return found(
        NOTHING_REQUIRES,
        made,
        what,
        "only what is computed from a tensor that requires grad is recorded",
        do,
        ("computed here", computed),
        ("backward is refused here", site),
        weight=10,
    )


def set_on_module(case: Any, frozen: Sequence[Tensor]) -> tuple[Any, str] | None:
    """The line that sets requires_grad as an attribute of a module with frozen parameters, and the module's name."""
    ids = {id(p) for p in frozen}
    for module in modules_of(case):
        if vars(module).get("requires_grad") is True and any(id(p) in ids for p in module.parameters()):
            line = Text.of(case).setting_of("requires_grad", case.names.of_module(module))
            return line, case.names.of(module, "the module")
    return None


def modules_of(case: Any) -> list[Any]:
    """The modules that the program calls, and their submodules."""
    return [part for root in case.readings.roots.values() for part in root.module.modules()]


def dropped_result(case: Any, leaves: Sequence[Tensor], made: Any) -> Any:
    """The line without effect: it calls a method of a leaf and discards the result."""
    text = Text.of(case)
    names = [*(case.names.known.get(id(leaf), "") for leaf in leaves), "" if made is None else text.made_as(made)]
    return next((line for name in names if name and (line := text.dropped(name)) is not None), None)


def misspellings(tensor: Any) -> list[tuple[str, str]]:
    """Misspellings of `requires_grad` or `grad` among the attributes of a tensor or module, with the right names."""
    given = [name for name in vars(tensor) if name not in FIELDS.union(MEANT)]
    return [(name, meant) for meant in MEANT for name in get_close_matches(meant, given, cutoff=0.75)]


MEANT = ("requires_grad", "grad")


MISSPELT = kind(
    "no-such-attribute",
    "wrong",
    "requires_grad is misspelt, or set on a module, where it means nothing",
    """
  model = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Linear(3, 1))
- model[0].requires_grad = False
+ model[0].requires_grad_(False)
  optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
  for _ in range(2):
      optimizer.zero_grad()
      model(torch.randn(5, 3)).pow(2).mean().backward()
      optimizer.step()
""",
)


@finder
def misspelt(case: Any) -> Iterator[Any]:
    """Finds misspelt attributes of parameters and modules, unless an error has already been explained by them."""
    if any(getattr(error, "unrecorded", None) is not None for error, _ in case.errors):
        return
    owners = [*(leaf.tensor for leaf in case.ledger.leaves.values() if leaf.tensor is not None), *modules_of(case)]
    for owner in owners:
        on_module = hasattr(owner, "named_parameters")
        words = misspellings(owner) if not on_module else [(w, m) for w, m in misspellings(owner) if m != "grad"]
        if on_module and "requires_grad" in vars(owner):
            words.append(("requires_grad", "requires_grad"))
        if words:
            word, meant = words[0]
            yield found(
                MISSPELT,
                Text.of(case).setting_of(word, case.names.of_module(owner)),
                f"`{word}` is set on {'a module' if on_module else 'a tensor'}, where it means nothing",
                "Python lets any attribute be set; "
                + ("modules have none of this name" if on_module else f"the name is {meant}"),
                "set .grad to None, or call zero_grad()"
                if meant == "grad"
                else "call requires_grad_(False) or requires_grad_(True), on a tensor or on a whole module",
                weight=9,
            )
            return
