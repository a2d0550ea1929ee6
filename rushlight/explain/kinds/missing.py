"""Parameters without gradients, and gradients without an optimizer."""

from typing import Any

from rushlight.explain.finding import finder, found, kind
from rushlight.explain.kinds.unrecorded import described, misspellings, written

CUT_PARAMETER = kind(
    "cut-parameter",
    "none",
    "the way from a parameter to the loss is cut",
    """
first, second = torch.nn.Linear(3, 4), torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD([*first.parameters(), *second.parameters()], lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    hidden = first(torch.randn(5, 3)).detach()
    second(hidden).pow(2).mean().backward()
    optimizer.step()
""",
    """
first, second = torch.nn.Linear(3, 4), torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD([*first.parameters(), *second.parameters()], lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    hidden = first(torch.randn(5, 3))
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
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model[1] = torch.nn.Linear(3, 1)
for _ in range(3):
    optimizer.zero_grad()
    model(torch.randn(5, 3)).pow(2).mean().backward()
    optimizer.step()
""",
    """
model = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Linear(3, 1))
model[1] = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    model(torch.randn(5, 3)).pow(2).mean().backward()
    optimizer.step()
""",
)
UNREGISTERED = kind(
    "not-registered",
    "wrong",
    "a module uses layers that are not registered in it",
    """
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = [torch.nn.Linear(3, 3)]
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
    """
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = torch.nn.ModuleList([torch.nn.Linear(3, 3)])
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
optimizer = torch.optim.SGD(decoder.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    decoder(encoder(torch.randn(5, 3))).pow(2).mean().backward()
    optimizer.step()
""",
    """
encoder, decoder = torch.nn.Linear(3, 2), torch.nn.Linear(2, 3)
optimizer = torch.optim.SGD([*encoder.parameters(), *decoder.parameters()], lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    decoder(encoder(torch.randn(5, 3))).pow(2).mean().backward()
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
        return self.first(x).relu()

model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    model(torch.randn(5, 3)).pow(2).mean().backward()
    optimizer.step()
""",
    """
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)

    def forward(self, x):
        return self.second(self.first(x).relu())

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
body, head = torch.nn.Linear(3, 3).requires_grad_(False), torch.nn.Linear(3, 1)
slow = torch.optim.SGD(body.parameters(), lr=0.01)
fast = torch.optim.SGD(head.parameters(), lr=0.1)
for _ in range(3):
    body.zero_grad()
    head.zero_grad()
    head(body(torch.randn(5, 3)).relu()).pow(2).mean().backward()
    slow.step()
    fast.step()
""",
    """
body, head = torch.nn.Linear(3, 3), torch.nn.Linear(3, 1)
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
OF_RESULT = kind(
    "gradient-of-result",
    "none",
    "the .grad of a result is read, which is not kept",
    """
x = torch.randn(3, requires_grad=True) * 0.1
x.pow(2).sum().backward()
print(x.grad)
""",
    """
x = (torch.randn(3) * 0.1).requires_grad_()
x.pow(2).sum().backward()
print(x.grad)
""",
)
OF_PLAIN = kind(
    "gradient-of-plain",
    "none",
    "the .grad of a tensor is read that does not require grad",
    """
x, w = torch.randn(3), torch.randn(3, requires_grad=True)
(x * w).sum().backward()
print(x.grad)
""",
    """
x, w = torch.randn(3, requires_grad=True), torch.randn(3, requires_grad=True)
(x * w).sum().backward()
print(x.grad)
""",
)


@finder
def looked_at_in_vain(case):
    """Gradients that the program looked at and that are not there."""
    for site, (what, tensor, info) in case.ledger.looked.items():
        if what == "result" and info is not None and is_update(case, tensor):
            yield found(
                OF_RESULT,
                info.site,
                f"{case.names.of(tensor, 'a variable')} is bound here to a new tensor, the result of its update, "
                "and is no leaf any more: its .grad stays None",
                "w = w - lr * w.grad makes a new tensor in the graph of the old one",
                "change the leaf in place, unrecorded: with torch.no_grad(): w -= lr * w.grad",
                ("read at", site),
                weight=6,
            )
        elif what == "result" and info is not None:
            yield found(
                OF_RESULT,
                info.site,
                f"{case.names.of(tensor, 'what is made here')} is the result of {info.name}, not a "
                "leaf, and its .grad stays None",
                "gradients are kept for leaves alone: an operation (a product, a cast, "
                "to()) makes a result of what it is applied to",
                "make the leaf last: (torch.randn(3) * 0.1).requires_grad_(); or call retain_grad() on the result",
                ("read at", site),
                weight=6,
            )
        elif what == "leaf" and not arrivals(case, tensor) and cut_of(case, tensor) is not None:
            yield described(case, cut_of(case, tensor), CUT_PARAMETER, weight=4)
        elif what == "plain" and info is not None and type(tensor).__name__ != "Parameter":
            words = misspellings(tensor)
            if words or info.name == "data":
                yield found(
                    OF_PLAIN,
                    info.site,
                    f"{case.names.of(tensor, 'a tensor')} does not require grad, and its .grad stays "
                    "None" + (f": `{words[0]}` means nothing, the name is requires_grad" if words else ""),
                    "only tensors that require grad when they are used get gradients",
                    "make it with requires_grad=True, or call requires_grad_() before it is used",
                    ("read at", site),
                    weight=4,
                )
            elif info.cuts:
                yield described(case, info.cuts[-1], CUT_PARAMETER, weight=4)


def is_update(case, tensor) -> bool:
    """Whether a tensor is a sum or a difference with a leaf whose gradient the program has looked at."""
    node = tensor._node
    if node.op is None or node.op.name not in ("sub", "add", "sub_scaled", "add_scaled"):
        return False
    known = [case.ledger.leaves.get(id(node.edge_at(i)[0])) for i in range(node.arity)]
    return any(leaf is not None and leaf.read and leaf.arrivals for leaf in known)


@finder
def held_in_vain(case):
    """What optimizers hold and never gets a gradient: cut off, replaced, or used nowhere."""
    ledger = case.ledger
    for held in ledger.held.values():
        if not held.steps and ledger.passes < 2:
            continue
        silent = [p for p in held.params if p.requires_grad and not arrivals(case, p) and p._grad is None]
        if not silent or not ledger.passes or not held.steps:
            continue
        orphans, rest = [], []
        for p in silent:
            (orphans if is_orphan(case, p) else rest).append(p)
        if orphans:
            yield found(
                REPLACED,
                held.site,
                f"{len(orphans)} of the parameters that this {held.name} optimizer got are not those "
                "that the model has now",
                "layers that are replaced, or moved to new memory, after the optimizer was made "
                "have parameters that it does not know: it changes the old ones, which nothing uses",
                "make the optimizer after the last change of the model, or give it the new parameters with "
                "add_param_group",
                ("steps", held.step_site),
                weight=9,
            )
        if len(rest) < len(held.params) or not loose_leaves(case):  # else it was given the wrong ones: see `unheld`
            yield from cut_or_unused(case, held, rest)


@finder
def frozen(case):
    """Optimizers that have taken steps with nothing but frozen parameters."""
    for held in case.ledger.held.values():
        if held.steps and held.frozen == held.steps and case.ledger.passes:
            yield found(
                FROZEN,
                held.site,
                f"all parameters of this {held.name} optimizer are frozen: {case.names.of_several(held.params)}",
                "what does not require grad gets no gradient, and a step leaves it as it is",
                "call requires_grad_(True) on what is to be trained, or give the optimizer other parameters",
                ("steps", held.step_site),
                weight=9,
            )


def cut_or_unused(case, held, silent):
    """Findings for parameters that are the model's and get no gradient."""
    cuts: dict = {}
    unused = []
    for p in silent:
        cut = cut_of(case, p)
        if cut is None:
            unused.append(p)
        else:
            cuts.setdefault(id(cut), (cut, []))[1].append(p)
    for cut, _ in cuts.values():
        one = described(case, cut, CUT_PARAMETER, weight=8)
        yield one
    if unused and (len(unused) < len(held.params) or held.steps > 1):
        yield found(
            NEVER,
            held.site,
            f"{case.names.of_several(unused)} never get{'s' if len(unused) == 1 else ''} a gradient: no "
            "loss depends on them",
            "they are not used in forward, or only on the way to what the loss leaves out",
            "use the layer in forward and what comes of it in the loss, or take it out of the model; freeze what is "
            "not to be trained",
            ("steps", held.step_site),
            weight=3,
        )


def cut_of(case, parameter):
    """The cut that a parameter's values went through: one that losses come from rather than another."""
    cuts = [cut for cut in case.watch.cuts.values() if cut.comes_from(parameter)]
    reached = [cut for cut in cuts if id(cut) in case.ledger.cuts]
    numbers = [cut for cut in cuts if cut.how in ("item", "tolist", "numpy", "data", "torch.tensor", "integer")]
    return (reached or numbers or [None])[0]


def arrivals(case, p) -> int:
    """How many gradients a parameter got."""
    state = case.ledger.leaves.get(id(p))
    return 0 if state is None or state.tensor is not p else state.arrivals


def is_orphan(case, p) -> bool:
    """Whether a parameter belongs to none of the modules that are called, of which one has some that nobody holds."""
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


@finder
def unheld(case):
    """Gradients that arrive at parameters which no optimizer holds."""
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
            if mine and site is not None and id(owner) not in reported:
                reported.add(id(owner))
                loose = [leaf for leaf in loose if leaf not in mine]
                yield found(
                    UNREGISTERED,
                    site,
                    f"{type(owner).__name__} calls a {type(module).__name__} here that is not "
                    "registered in it, so its parameters are not among parameters() and no optimizer holds them",
                    "a module registers what is assigned to its attributes, not what lies in a plain list or dict, nor "
                    "what forward makes anew in each call",
                    "put layers into an nn.ModuleList or nn.ModuleDict, and make them in __init__",
                    ("optimizer", stepped[0].site),
                    weight=9,
                )
            elif mine:
                loose = [leaf for leaf in loose if leaf not in mine]
    orphaned = any(is_orphan(case, p) for held in stepped for p in held.params)
    loose = [leaf for leaf in loose if leaf.arrivals > 1 and not in_evaluation(case, leaf.tensor)]
    if loose and not orphaned:
        tensors = [leaf.tensor for leaf in loose]
        yield found(
            UNHELD,
            stepped[0].site,
            f"{case.names.of_several(tensors)} get{'s' if len(tensors) == 1 else ''} gradients that no optimizer uses",
            "an optimizer changes what it was given, here not these",
            "give the optimizer all parameters that are to be trained: [*encoder.parameters(), *decoder.parameters()]; "
            "freeze the others with requires_grad_(False), which spares their gradients",
            ("gradients arrive at", loose[0].first),
            weight=5,
        )


def loose_leaves(case) -> list:
    """Parameters that get gradients, which nobody looks at, and that no optimizer holds."""
    return [
        leaf
        for leaf in case.ledger.leaves.values()
        if leaf.arrivals
        and leaf.is_parameter
        and not leaf.read
        and leaf.tensor is not None
        and case.ledger.holder(leaf.tensor) is None
    ]


def plain_leaves(case, stepped):
    """Tensors that require grad, stay for several steps, and whose gradients nobody uses or looks at."""
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
            written(case, name) or leaf.first,
            f"`{name}` is a plain tensor in {type(owner).__name__}, so it is not among parameters() and no optimizer "
            "holds it",
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
            f"{case.names.of_several(tensors)} get{'s' if len(tensors) == 1 else ''} gradients that no optimizer uses "
            "and nobody looks at",
            "an optimizer changes what it was given, here not these",
            "give the optimizer all tensors that are to be trained, or make these without requires_grad",
            ("gradients arrive at", loose[0].first),
            weight=5,
        )


def owner_of(case, tensor) -> tuple[Any, str] | None:
    """The module that has a tensor among its attributes, and the name that it has there."""
    for root in case.readings.roots.values():
        for part in root.module.modules():
            for name, value in vars(part).items():
                if value is tensor:
                    return part, name
    return None


def in_evaluation(case, parameter) -> bool:
    """Whether a parameter is that of a module in evaluation mode, which is not to be trained."""
    return any(
        not part.training
        for root in case.readings.roots.values()
        for part in root.module.modules()
        if any(p is parameter for p in part.parameters(recurse=False))
    )
