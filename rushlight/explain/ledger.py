"""The ledger: what backward passes and optimizer steps did to each leaf."""

from collections import deque
from collections.abc import Sequence
from typing import Any
from weakref import ref

import numpy as np

from rushlight.autograd.drawing import pictured
from rushlight.core.aliases import Array
from rushlight.core.context import last_number
from rushlight.core.graph import TensorBase
from rushlight.explain.bad_values import is_given
from rushlight.explain.held import Held
from rushlight.explain.hooked import ByHooks
from rushlight.explain.leaf import Arrival, Leaf
from rushlight.explain.mixed import Mixed
from rushlight.explain.nodes import edges_of
from rushlight.explain.origins import Cut, info_of, leaves_behind, leaves_of
from rushlight.explain.passes import Pass, is_zero
from rushlight.explain.sites import Site
from rushlight.explain.ways import Ways
from rushlight.tensors import Tensor

ndarray = np.ndarray
FADED = 1e-8  # the fraction of the initial learning rate below which it has decayed to nothing


class Ledger:
    """Records what passes and steps do."""

    def __init__(self) -> None:
        self.leaves: dict[int, Leaf] = {}
        self.kept: dict[int, object] = {}  # parameters, kept alive for later questions
        self.held: dict[int, Held] = {}
        self.owned: set[int] = set()  # the ids of the optimizers' parameters
        self.under_way: list[Pass] = []
        self.steps = 0
        self.passes = 0
        self.unused: set[int] = set()  # the numbers of nodes that are alive and that no pass has reached yet
        self.stepping = None
        self.roots: set[int] = set()
        self.frees: deque[tuple[int, Site]] = deque(maxlen=1000)  # the start and the line of each pass
        self.bad: list[tuple[Any, ...]] = []  # births of bad values, each with what shows them
        self.sizes: dict[Site, list[int]] = {}  # by line: how many nodes each pass had
        self.retained: dict[Site, int] = {}
        self.recorded_passes: dict[Site, int] = {}
        self.depths: dict[int, tuple[Any, ...]] = {}
        self.cuts: dict[int, Cut] = {}  # the cuts behind the losses of all passes
        self.recent: dict[int, Cut] = {}  # the cuts behind the losses since the last step
        self.recent_at = 0  # the number of steps at that time
        self.clipped: dict[Site, int] = {}
        self.clipped_nothing: set[Site] = set()
        self.scheduled: dict[Site, int] = {}
        self.readings: Any = None
        self.watch: Any = None
        self.pictures = False  # whether a drawing is wanted
        self.picture: str = ""  # the drawing of the first pass that reaches leaves
        self.unseen: deque[tuple[Any, ...]] = deque(maxlen=50)  # changes through .data: of which tensor, where, when
        self.spoilt: list[tuple[Any, ...]] = []
        self.looked: dict[Site, tuple[Any, ...]] = {}
        self.asked: Any = None  # the last tensor whose requires_grad was set
        self.frozen: dict[int, tuple[Any, ...]] = {}  # leaves that the program has frozen, with the line
        self.late: dict[int, tuple[Any, ...]] = {}  # leaves that were used before requires_grad was set, with the line
        self.differentiated: set[int] = set()  # leaves behind gradients that have a graph
        self.scaled = False  # whether gradients are those of a scaled loss
        self.clipped_scaled: dict[Site, int] = {}
        self.by_hooks = ByHooks()
        self.ways = Ways()
        self.mixed = Mixed()

    def leaf(self, tensor: Tensor, site: Site | None) -> Leaf:
        """The record of a leaf, made at its first use."""
        found = self.leaves.get(id(tensor))
        if found is None or found.tensor is not tensor:
            found = self.leaves[id(tensor)] = Leaf(tensor, site)
            found.first_step = self.steps
            if found.is_parameter and len(self.kept) < 10_000:
                self.kept[id(tensor)] = tensor
        return found

    def sets_needs(self, tensor: Any, needs: Any, site: Any) -> None:
        """Called when requires_grad is set: notes frozen leaves, and leaves that were used as data before."""
        known = tensor.told
        self.asked = ref(tensor)
        if not needs:
            keep(self.frozen, tensor, site)
        elif not tensor.requires_grad and known is not None and known.name == "data":
            keep(self.late, tensor, site)

    def asked_last(self) -> Any:
        """The last tensor whose requires_grad was set."""
        return None if self.asked is None else self.asked()

    def frozen_at(self, tensor: Any) -> Site | None:
        """The line that froze a leaf, or None."""
        return line_noted(self.frozen, tensor)

    def required_at(self, tensor: Any) -> Site | None:
        """The line that set requires_grad of a leaf which was used before, or None."""
        return line_noted(self.late, tensor)

    def differentiates(self, outputs: Any) -> None:
        """Called when a gradient is computed with its graph: the leaves of its outputs count as used."""
        if len(self.differentiated) < 10_000:
            self.differentiated.update(id(leaf) for out in outputs for leaf in leaves_of(out))

    # passes

    def begin(self, run: Any, roots: Sequence[Sequence[Array]], site: Site) -> None:
        """Called when a pass begins."""
        self.passes += 1
        under_way = Pass(site, run, self.passes, list(self.unseen), self.unused)
        vertex = roots[0][0]
        under_way.root_info = info_of(vertex)
        for vertex, _, _ in roots:
            if not isinstance(vertex, TensorBase):
                self.roots.add(vertex.sequence)
        if len(self.roots) > 1000:
            self.roots = set(sorted(self.roots)[-100:])
        if self.pictures and not self.picture and run.whole:
            self.draw(roots)
        if run.whole:
            self.ways.look(roots[0][0], under_way.root_info)
            self.mixed.begins(site, () if under_way.root_info is None else under_way.root_info.cuts)
        self.under_way.append(under_way)
        if not run.keep_graph:
            self.frees.append((last_number(), site))

    def end(self, run: Any, failed: bool) -> None:
        """Called when a pass has ended."""
        under_way = self.under_way.pop()
        under_way.failed = failed
        self.note_cuts(() if under_way.root_info is None else under_way.root_info.cuts)
        if failed:
            return
        self.watch.clock += under_way.whole
        self.mixed.ends(under_way, self.owned)
        self.look_closer(under_way)
        self.spoilt += under_way.spoilt
        root = under_way.root_info
        spoilt = under_way.bad_leaves or under_way.births
        if root is not None and root.birth is not None and (spoilt or not is_given(root.birth)):
            self.bad.append((root.birth, under_way))
        elif under_way.bad_leaves and under_way.births:
            self.bad.append((under_way.births[0], under_way))
        sizes = self.sizes.setdefault(under_way.site, [])
        if len(sizes) < 1000:
            sizes.append(under_way.nodes)
        if under_way.keep:
            self.retained[under_way.site] = self.retained.get(under_way.site, 0) + 1
        if under_way.recorded and under_way.whole:
            self.recorded_passes[under_way.site] = self.recorded_passes.get(under_way.site, 0) + 1
        if root is not None and root.depth > self.depths.get(id(under_way.site), (0,))[0]:
            self.depths[id(under_way.site)] = (root.depth, under_way.site, root)

    def note_cuts(self, cuts: Sequence[Cut]) -> None:
        """Records the cuts behind the loss of a pass."""
        if self.recent_at != self.steps:
            self.recent, self.recent_at = {}, self.steps
        for cut in cuts:
            self.cuts[id(cut)] = self.recent[id(cut)] = cut

    def draw(self, roots: Any) -> None:
        """Draws the graph of a pass, unless it is too large."""
        names = {id(p): name for root in self.readings.roots.values() for name, p in root.module.named_parameters()}
        picture = pictured([(["the loss"], vertex) for vertex, _, _ in roots], names)
        if len(picture.boxes) <= 300:
            self.picture = picture.svg

    def look_closer(self, under_way: Pass) -> None:
        """Finds the nodes that made the leaves' bad or zero gradients."""
        if under_way.bad_leaves or under_way.zero_leaves:
            under_way.look_back()
        for state, leaf in under_way.zero_leaves:
            by = under_way.zeros.get(id(leaf))
            if by is not None:
                state.zeros += 1
                if state.zeroed_by is None:
                    state.zeroed_by = info_of(by)
                    state.zeroed_name = by.op.name if by.op is not None else by.name()
                    state.cancelled = under_way.cancels(by)
                    state.weightless = has_zero_weights(by)
        under_way.given.clear()
        under_way.zeros.clear()

    def freed_line(self, stamp: int) -> Site | None:
        """The line of the pass that freed a node at the given time."""
        return next((site for number, site in reversed(self.frees) if number <= stamp), None)

    def arriving(self, leaf: Tensor) -> Arrival:
        """A context around the arrival of a gradient at a leaf."""
        return Arrival(self, leaf)

    # steps

    def made(self, optimizer: Any, site: Site) -> None:
        """Called when an optimizer is made."""
        held = self.held.get(id(optimizer))
        if held is None:
            held = self.held[id(optimizer)] = Held(optimizer, site)
            held.passes = self.passes
            self.owned.update(map(id, held.params))

    def before_step(self, optimizer: Any, site: Any) -> None:
        """Called before an optimizer changes its parameters."""
        self.made(optimizer, site)
        held = self.held[id(optimizer)]
        self.stepping = optimizer
        held.steps += 1
        held.step_site = site
        self.ways.stepped(held.params)
        held.cuts |= self.recent
        held.frozen += not any(p.requires_grad for p in held.params)
        stale = lost = any_grad = nonzero = wasted = False
        for p in held.params:
            state = self.leaves.get(id(p))
            grad = p._grad
            if grad is not None:
                any_grad = True
                nonzero = nonzero or not is_zero(grad._array)
            if state is None:
                continue
            if held.thrown and state.new and held.thrown[0] is state.last and held.thrown[2] == self.steps:
                wasted = grad is not None and not state.read
            if state.new and (grad is None or (state.norms and state.norms[-1] > 0 and is_zero(grad._array))):
                lost = True
            if state.stale and state.new:
                stale = True
            state.new, state.used, state.stale = False, grad is not None, False
        held.stale += stale
        held.lost += lost
        held.wasted += wasted
        held.empty += not any_grad
        rates = [rate for group in optimizer.param_groups if isinstance(rate := group.get("lr"), (int, float))]
        held.rate = max([held.rate, *rates])
        held.faded += nonzero and 0 < max(rates, default=1) < FADED * held.rate
        held.resting += nonzero and not any(group.get("lr", 1) for group in optimizer.param_groups)
        look = nonzero and (held.steps < 10 or not held.steps & 15)
        held.before = [p._array.reshape(-1)[:32].copy() for p in held.params[:64]] if look else None
        if held.steps == 1:
            held.begun = largest_of(held.before or ())

    def after_step(self, optimizer: Any) -> None:
        """Called after an optimizer changed its parameters."""
        held = self.held[id(optimizer)]
        held.stamp = last_number()
        self.stepping = None
        self.steps += 1
        self.watch.clock += 1
        self.readings.stepped()
        if not self.steps & 3:
            self.watch.count_alive()
        if held.before is not None:
            now = [p._array.reshape(-1)[:32] for p in held.params[:64]]
            held.compared += 1
            held.largest = max(held.largest, largest_of(now))
            if all(np.array_equal(a, b, equal_nan=True) for a, b in zip(held.before, now, strict=True)):
                held.unmoved += 1
        held.before = None

    def zeroed(self, optimizer: Any, site: Any) -> None:
        """Called when an optimizer zeroes gradients."""
        self.made(optimizer, site)
        self.zeroes(self.held[id(optimizer)], site)

    def zeroes(self, held: Held, site: Any) -> None:
        """Called before the gradients of an optimizer's parameters are zeroed."""
        held.zero_site = site
        self.mixed.forget()
        for p in held.params if self.stepping is None else ():
            state = self.leaves.get(id(p))
            if state is not None and state.is_unused(p, self.steps):
                held.thrown = state.last, site, self.steps

    def module_zeroed(self, module: Any, site: Any) -> None:
        """Called when a module zeroes gradients."""
        ids = {id(p) for p in module.parameters()}
        for held in self.held.values():
            if any(id(p) in ids for p in held.params):
                self.zeroes(held, site)

    def clipping(self, parameters: Sequence[Tensor], site: Site) -> None:
        """Called when gradients are clipped."""
        if not parameters and self.passes:
            self.clipped_nothing.add(site)
        if self.scaled:
            self.clipped_scaled[site] = self.clipped_scaled.get(site, 0) + 1
        states = [self.leaves.get(id(p)) for p in parameters]
        if any(s is not None and s.used and not s.new for s in states) and not any(s and s.new for s in states):
            self.clipped[site] = self.clipped.get(site, 0) + 1

    def schedules(self, scheduler: Any, site: Site) -> None:
        """Called when a schedule is made."""
        held = self.held.get(id(getattr(scheduler, "optimizer", None)))
        if held is not None:
            held.schedule_site = site
            held.factors = list(getattr(scheduler, "lr_lambdas", ()))

    def scheduling(self, scheduler: Any, site: Site) -> None:
        """Called when a schedule takes a step."""
        optimizer = getattr(scheduler, "optimizer", None)
        held = self.held.get(id(optimizer))
        if held is None:
            return
        held.scheduled_at = site
        held.scheduled += 1
        if held.steps == 0:
            self.scheduled[site] = self.scheduled.get(site, 0) + 1

    def asked_for(self, tensors: Sequence[Tensor]) -> None:
        """Called when the program computes gradients itself: they count as used."""
        for tensor in tensors:
            if isinstance(tensor, TensorBase):
                for leaf in leaves_of(tensor):
                    self.leaf(leaf, None).read = True

    def looked_at(self, tensor: Tensor, site: Site) -> None:
        """Called when the program reads a gradient."""
        state = self.leaves.get(id(tensor))
        if state is not None:
            state.read, state.read_at = True, site
        if tensor._grad is None and self.passes and len(self.looked) < 100 and site not in self.looked:
            if tensor._node is not None and not tensor.retains_grad:
                self.looked[site] = ("result", tensor, info_of(tensor._node))
            elif tensor._node is None and tensor._needs and state is None:
                self.looked[site] = ("leaf", tensor, None)
            elif not tensor.requires_grad and not self.stepping:
                self.looked[site] = ("plain", tensor, info_of(tensor))

    def hooked(self, hooks: Any, before: Array, given: Array, after: Array, returned: bool) -> None:
        """Called after hooks got a gradient, and returned another (`returned`) or changed it in place."""
        self.by_hooks.note(hooks, self.under_way[-1].site, before, given, after, returned)

    # optimizers and their parameters

    def holder(self, tensor: Tensor) -> Held | None:
        """The optimizer that holds a leaf, or None."""
        for held in self.held.values():
            if any(p is tensor for p in held.params):
                return held
        return None


def has_zero_weights(node: Any) -> bool:
    """Whether an operand of a node is computed from zeros alone."""
    operands = [leaves_behind(edge, 20) for edge in edges_of(node)]
    return any(leaves and all(is_zero(leaf._array) for leaf in leaves) for leaves in operands)


def largest_of(arrays: Sequence[Array]) -> float:
    """The largest finite absolute value."""
    return max((float(np.abs(a[np.isfinite(a)]).max(initial=0)) for a in arrays), default=0.0)


def keep(table: dict[int, tuple[Any, ...]], tensor: Any, site: Any) -> None:
    """Stores a line for a tensor."""
    if len(table) < 10_000:
        table[id(tensor)] = (ref(tensor), site)


def line_noted(table: dict[int, tuple[Any, ...]], tensor: Any) -> Site | None:
    """The line stored for a tensor, or None."""
    held, site = table.get(id(tensor), (None, None))
    return site if held is not None and held() is tensor else None
