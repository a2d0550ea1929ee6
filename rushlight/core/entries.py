"""The description of an operator: its computation, its derivatives, and what to save for them."""

from functools import cache
from inspect import signature

from rushlight.core.codes import (
    ALWAYS,
    ARGUMENT,
    ARGUMENTS,
    COLUMNS,
    DISORDER,
    NEVER,
    OPERANDS,
    RESULT,
    SHAPE,
    SHAPES,
    STRIDES,
)
from rushlight.core.formulas import Formula
from rushlight.core.graph import Node, Plan

SAVED_BY_PYTORCH = {  # nodes that save a tensor in PyTorch where a shape is enough: a second pass is refused
    "AdaptiveAvgPool2DBackward0",
    "AdaptiveAvgPool3DBackward0",
    "AvgPool2DBackward0",
    "AvgPool3DBackward0",
    "ComplexBackward0",
    "DivBackward2",
    "FftR2CBackward0",
    "NllLoss2DBackward0",
    "NllLossBackward0",
    "ReflectionPad1DBackward0",
    "ReflectionPad2DBackward0",
    "ReflectionPad3DBackward0",
    "ReplicationPad1DBackward0",
    "ReplicationPad2DBackward0",
    "ReplicationPad3DBackward0",
}

LAYING = {  # when to check the layout of a result
    "as computed": NEVER,
    "reshaped": NEVER,
    "contiguous": DISORDER,
    "columns": ALWAYS,
    "contracted": ALWAYS,
    "turned": ALWAYS,
    "spectral": ALWAYS,
    "half spectral": ALWAYS,
}
LIKE_INPUTS = frozenset(("like input", "left factor", "right factor"))  # layouts of gradients that inputs decide
BY_FORMULA = ("", "left factor", "right factor", "sloped")  # layouts that are left to the formula, some or all
IN_ORDER = ("", "contiguous", "like first", "reduced", "scaled")  # those in order where all that decides is


def keeps_order(rule):
    """Whether a layout is in order where all that decides it is."""
    return rule in IN_ORDER or rule.startswith("elementwise")


OPTIONS = {
    # computation
    "promote": None,  # converts tensors and numbers to the arrays that an elementwise operator computes with
    "operands": (),  # the names of the arguments that `promote` converts, where they are not `inputs`
    "broadcasts": False,  # operands of different shapes are broadcast
    "lists": (),  # the names of the arguments that are lists of tensors
    "view": False,  # the result is a view of the first argument
    "layout": "",  # the result's memory layout in PyTorch: a rule in `placing`, or "as computed" by `forward`
    # derivatives
    "slopes": {},  # the memory layout of an input's gradient in PyTorch, if not that of the formula's last step: a rule
    "joint": None,  # a formula that gives the gradients of all of `inputs` at once
    "inputs": (),  # the names of the differentiable inputs, where they are not those of `formulas`
    "nondifferentiable": (),  # the numbers of the outputs that never require grad
    "takes_none": False,  # the formula gets None, not zeros, for outputs without a gradient
    "takes_turned": False,  # the formulas take lazily conjugated cotangents, for which they compute nothing
    "holomorphic": True,  # False: the formulas handle complex numbers themselves
    "linear": False,  # linear in each of its inputs, as views are: tangents and series go through the operator itself
    "additive": False,  # linear in all of its inputs together: tangents and series go through the operator itself
    "tangent": None,  # the forward-mode rule, where transposing the formulas would be slower: see `ops.tangents`
    "series": None,  # the rule of Taylor series: see `ops.series`
    "batch": None,  # the rule for batched arrays: see `batching`
    # types of one byte, such as float8: see `narrow`
    "one_byte": None,  # whether it accepts them; None: if it only moves elements
    "converts": False,  # it converts arrays to the type that is asked for itself
    # compiled programs: see `compiler.recorder`
    "kernel": False,  # it has a kernel that is faster than its steps: programs call it, and its derivative
    "in_steps": False,  # its derivative is recorded step by step, not as one call
    "reads_layout": False,  # its result depends on the memory layout of its argument
    "shape_of_values": False,  # the shape of its result depends on values; or a function of its arrays that says so
    # PyTorch's names
    "node": "",  # the name of its node
    "aten": None,  # the profiler's name for its calls where it differs, or several events: see `ops.events`
    "flops": None,  # the number of floating-point operations of a call, for operators that PyTorch counts
    "saved_as": {},  # names of saved arguments that differ from `params`
}


class Entry:
    """The full description of an operator.

    `forward` computes on arrays; `params` names its arguments. `formulas` maps the name of an input to the function
    that computes its gradient; the function's parameters name what it needs: first the gradient of the result, then
    arguments, `NAME_shape`, `NAME_by_columns` (whether a matrix is stored in column-major order), `result` (or
    `result0`, `result1`, ...). A `joint` formula may ask for `needs`, which tells which inputs' gradients are wanted.
    For complex numbers the formula is applied to the conjugate of the gradient, and its result is conjugated (PyTorch's
    convention, the conjugate Wirtinger derivative), unless the operator is not `holomorphic`. All other properties are
    listed in `OPTIONS`.

    Raises TypeError for an unknown option, ValueError for an unknown name of an argument.
    """

    def __init__(self, name, forward, params, formulas, **given):
        unknown = [option for option in given if option not in OPTIONS]
        if unknown:
            raise TypeError(f"{name}: an operator has no option {unknown[0]!r}")
        options = OPTIONS | given
        self.name = name
        self.forward = forward
        self.params = params
        self.formulas = formulas
        self.joint = options["joint"]
        self.inputs = tuple(params.index(p) for p in options["inputs"] or formulas)
        self.promote = options["promote"]
        self.operands = tuple(params.index(p) for p in options["operands"]) or self.inputs
        self.kept = getattr(self.promote, "kept", "")
        self.broadcasts = options["broadcasts"]
        self.lists = frozenset(params.index(p) for p in options["lists"])
        self.node = options["node"] or node_name(name)
        self.node_class = None  # made with the first plan: most operators are never recorded
        self.view = options["view"]
        self.linear = options["linear"] or self.view
        self.additive = options["additive"]
        self.holomorphic = options["holomorphic"]
        self.nondifferentiable = frozenset(options["nondifferentiable"])
        self.takes_none = options["takes_none"]
        self.takes_turned = options["takes_turned"]
        self.layout = options["layout"] or self.usual_layout()
        self.laying = LAYING.get(self.layout, OPERANDS)
        self.slopes = tuple([options["slopes"].get(params[i], "") for i in self.inputs]) if options["slopes"] else None
        self.compute = Formula(forward, len(params)) if self.promote is not None and not self.lists else None
        self.batch = options["batch"]
        self.tangent = options["tangent"]
        self.series = options["series"]
        moves = self.linear and not self.broadcasts
        self.one_byte = moves if options["one_byte"] is None else options["one_byte"]
        self.converts = options["converts"]
        self.kernel = options["kernel"]
        self.in_steps = options["in_steps"]
        self.reads_layout = options["reads_layout"]
        self.shape_of_values = options["shape_of_values"]
        aten = name if options["aten"] is None else options["aten"]
        self.aten = (aten,) if isinstance(aten, str) else aten
        self.flops = options["flops"]
        self.saved_as = {params[params.index(p)]: shown for p, shown in options["saved_as"].items()}
        self.plans = {}
        self.differentiable = bool(self.inputs)

    def usual_layout(self):
        """The layout rule of an operator that names none."""
        if self.promote is not None:
            return "elementwise"
        return "as computed" if self.view else "contiguous"

    def __repr__(self):
        return f"<rushlight operator {self.name}>"

    def plan(self, mask):
        """What to save when the inputs in `mask` (one bit for each) require grad."""
        plan = self.plans.get(mask)
        if plan is None:
            self.node_class = node_class(self.node)
            plan = self.plans[mask] = make_plan(self, mask)
        return plan


@cache
def separate(op):
    """The inputs, a bit for each, whose derivative needs nothing that another one needs too."""
    if op.joint is not None or len(op.inputs) < 2:
        return 0
    picks = op.plan((1 << len(op.inputs)) - 1).picks
    return sum(
        1 << i for i, own in enumerate(picks) if all(i == j or not {*own} & {*other} for j, other in enumerate(picks))
    )


@cache
def node_class(name):
    """The node class for a name."""
    return type(name, (Node,), {"__slots__": (), "__module__": "rushlight.autograd"})


def node_name(name):
    """PyTorch's name for an operator's node: `LogSoftmaxBackward0` for `log_softmax`, `Log1PBackward0` for `log1p`."""
    return name.title().replace("_", "") + "Backward0"


def make_plan(op, mask):
    """Collects what the formulas of the inputs in `mask` need."""
    wanted = []
    plan = Plan()
    plan.slopes = op.slopes
    plan.ruled = tuple([rule not in BY_FORMULA for rule in op.slopes or ()])
    plan.keeps_order = op.slopes is not None and not op.lists and all(map(keeps_order, op.slopes))
    if op.joint is not None:
        names = list(signature(op.joint).parameters)[1:]
        plan.asks_needs = "needs" in names
        plan.joint = True
        plan.formulas = (op.joint,)
        plan.picks = (tuple(position_of(wanted, source_of(op, n)) for n in names if n != "needs"),)
    else:
        plan.formulas = tuple(op.formulas.values())
        plan.picks = tuple(
            tuple(position_of(wanted, source_of(op, n)) for n in list(signature(f).parameters)[1:])
            if mask >> i & 1
            else ()
            for i, f in enumerate(plan.formulas)
        )
    plan.stride_picks = tuple(
        position_of(wanted, (STRIDES, op.inputs[i])) if rule in LIKE_INPUTS and mask >> i & 1 else -1
        for i, rule in enumerate(op.slopes or ())
    )
    elementwise = op.compute is not None and not plan.joint
    plan.compiled = tuple(
        Formula(f, 1 + len(picks)) if elementwise else None for f, picks in zip(plan.formulas, plan.picks)
    )
    plan.kinds = tuple(kind for kind, _ in wanted)
    plan.sources = tuple(source for _, source in wanted)
    plan.saves_result = RESULT in plan.kinds
    plan.saves_tensors = (
        plan.saves_result
        or ARGUMENTS in plan.kinds
        or any(kind == ARGUMENT and n in op.inputs for kind, n in wanted)
        or op.node in SAVED_BY_PYTORCH
    )
    return plan


def position_of(wanted, source):
    """The position of a source in the list of saved values; a new source is appended."""
    if source not in wanted:
        wanted.append(source)
    return wanted.index(source)


def source_of(op, name):
    """Where a formula's parameter comes from: (kind, number of the argument or of the result)."""
    if name in op.params:
        index = op.params.index(name)
        return (ARGUMENTS if index in op.lists else ARGUMENT), index
    if name.endswith("_shape") and name[:-6] in op.params:
        index = op.params.index(name[:-6])
        return (SHAPES if index in op.lists else SHAPE), index
    if name.endswith("_by_columns") and name[:-11] in op.params:
        return COLUMNS, op.params.index(name[:-11])
    if name.startswith("result"):
        return RESULT, int(name[6:] or 0)
    raise TypeError(f"the derivative of {op.name} asks for {name!r}, which is none of {', '.join(op.params)} or result")
