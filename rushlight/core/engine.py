"""The backward pass: counts dependencies, runs ready nodes in reverse order of recording, sums gradients, calls hooks.

It knows nothing of operators. First-order gradients are bare arrays throughout; with `create_graph` they are tensors,
and the formulas record a graph themselves.
"""

from functools import partial

import numpy as np

from rushlight.core.above import ABOVE
from rushlight.core.codes import BATCHED
from rushlight.core.complaints import translated
from rushlight.core.errors import Misfit
from rushlight.core.formulas import add_to, evaluate_in_steps
from rushlight.core.graph import Node, TensorBase, Vertex, is_final, new_tensor
from rushlight.core.hooks import OWN
from rushlight.core.interpreters import observer, writer
from rushlight.core.locks import lock
from rushlight.core.modes import CURRENT, RUN
from rushlight.core.turned import Turned
from rushlight.layouts import alike, is_dense, is_repeated

ndarray = np.ndarray
SETTINGS = (int, float, complex, str, tuple, type(None))  # what is saved of arguments besides tensors
LEAF = 1 << 62  # more than any node's number
CLAIM = lock()  # held while a run claims the vertices of its graph
LEAVES = [lock() for _ in range(64)]  # held while a gradient is added to a leaf's `.grad`; chosen by the leaf's address


class Backward:
    """One backward pass.

    The state of a run (how many gradients a vertex waits for, what has arrived) is stored in the vertices. A vertex
    that another run holds at the same time, in another thread or in an outer call, gets a stand-in instead.
    """

    def __init__(self, keep_graph, create_graph):
        self.keep_graph = keep_graph
        self.recorded = create_graph
        self.claimed = []
        self.aside = {}
        self.ready = []
        self.waiting = 0
        self.wanted = None
        self.root = None  # the first
        self.whole = True  # all leaves accumulate
        self.captured = {}
        self.anomaly = CURRENT.get().anomaly
        self.observer = observer()
        self.writer = writer()
        self.accumulates_tensors = create_graph
        self.accumulates_arrays = False  # of tensors that formulas computed with batched values
        self.watched = self.anomaly or self.observer is not None
        self.shows = create_graph  # users see the memory layouts of gradients

    def run(self, roots, wanted, accumulates=False):
        """Propagates the gradients of `roots`, a list of (vertex, output, gradient), through the graph.

        With `wanted` None every leaf accumulates. Otherwise `wanted` is a list of (vertex, output): only what leads to
        those runs, and the gradients that arrive there are returned, or with `accumulates` added to their `.grad`.
        """
        self.whole = wanted is None
        self.root = roots[0][0] if roots else None
        outer = RUN.set(self)
        if self.writer is not None:
            self.recorded = True  # formulas compute with tensors, so that they are recorded
        if self.observer is not None:
            self.observer.begin_pass(self, roots)
        try:
            with CLAIM:
                self.claim([root[0] for root in roots])
            if wanted is not None:
                self.shows = True
                self.select(wanted)
                if len(roots) == 1 and not self.needs(roots[0][0]):
                    self.tell(*roots[0])
                if accumulates:
                    self.wanted = None
            self.send(roots)
        except Misfit as misfit:
            raise misfit.error([root[:2] for root in roots]) from None
        finally:
            RUN.reset(outer)
            self.let_go()
            if self.observer is not None:
                self.observer.end_pass(self)
        if self.wanted is None:
            return None
        results = [self.captured.get(key) for key in wanted]
        if self.writer is not None and not self.accumulates_tensors:
            results = [g._array if isinstance(g, TensorBase) else g for g in results]
        return results

    def hold(self, vertices):
        """Claims all vertices that can be reached, for `feed`; returns those that this run did not hold before.

        A vertex expects one gradient each time it is named; a node that depends on several waits for all of them.
        """
        self.whole = False
        self.wanted = {}  # leaves do not accumulate
        held = len(self.claimed)
        with CLAIM:
            self.claim(vertices)
        return self.claimed[held:]

    def feed(self, roots):
        """Propagates gradients (as in `run`) as far as possible; returns those that arrived at leaves."""
        outer = RUN.set(self)
        try:
            self.send(roots)
        except Misfit as misfit:
            raise misfit.error([root[:2] for root in roots]) from None
        finally:
            RUN.reset(outer)
        arrived = self.captured
        self.captured = {}
        return {leaf: grad for (leaf, _), grad in arrived.items()}

    def send(self, roots):
        """Delivers gradients, and runs the nodes that become ready."""
        for vertex, index, grad in roots:
            self.deliver(vertex, index, self.as_cotangent(grad), False)
        self.drain()

    def claim(self, vertices):
        """Claims all vertices that can be reached, and counts the gradients that each has to wait for."""
        stack = []
        for vertex in vertices:
            self.await_one(vertex, stack)
        while stack:
            vertex = stack.pop()
            if isinstance(vertex, Node):
                node = vertex
                if node.flags & BATCHED:
                    self.accumulates_arrays |= not self.recorded
                    self.recorded = True  # formulas compute with batched values as tensors
                    self.accumulates_tensors = True
                for i in range(node.arity):
                    target = node.edge(i)
                    if target is not None:
                        self.await_one(target, stack)

    def as_cotangent(self, grad):
        """The gradient of a root in the form of this run: a tensor or an array."""
        return new_tensor(grad) if self.recorded and not isinstance(grad, TensorBase) else grad

    def await_one(self, vertex, stack):
        """Counts one more gradient to come for a vertex, and claims the vertex if it is new."""
        if vertex.run is self:
            vertex.pending += 1
            return
        state = vertex
        if vertex.run is not None:
            state = self.aside.get(vertex)
            if state is not None:
                state.pending += 1
                return
            state = self.aside[vertex] = Vertex()
        state.run = self
        state.pending = 1
        state.needed = True
        self.claimed.append(vertex)
        stack.append(vertex)

    def state(self, vertex):
        """Where this run stores its state of a vertex; None for a vertex that it does not hold."""
        return vertex if vertex.run is self else self.aside.get(vertex)

    def select(self, wanted):
        """Marks only what leads to the wanted gradients as needed. Edges lead from younger to older vertices."""
        self.wanted = {}
        for vertex, index in wanted:
            self.wanted.setdefault(vertex, []).append(index)
        leads = set(self.wanted)
        for vertex in sorted(self.claimed, key=age):
            if isinstance(vertex, Node) and vertex not in leads and leads_on(vertex, leads):
                leads.add(vertex)
        for vertex in self.claimed:
            self.state(vertex).needed = vertex in leads

    def deliver(self, vertex, index, grad, fresh):
        """Adds a gradient (None for a missing one) to the sum at an output of a vertex.

        A `fresh` array was made by a formula and belongs to nobody else: later gradients may be added to it in place.
        """
        state = vertex if vertex.run is self else self.aside.get(vertex)
        if state is None or not state.needed:
            return
        if grad is not None:
            if vertex.hooks is not None:
                grad = vertex.hooks.fitted(vertex, index, grad)
            node = vertex if isinstance(vertex, Node) else None
            if type(grad) is Turned and not self.takes_turned(node):
                grad = grad.values()
            if node is not None and node.plan is not None and isinstance(grad, TensorBase) and grad._array is None:
                grad = ABOVE.gradient_for(node, grad, self.recorded)
            if node is not None and node.outputs is not None:
                if state.buffer is None:
                    state.buffer = [None] * len(node.outputs)
                held = state.buffer[index]
                state.buffer[index] = grad if held is None else added(held, grad)
            elif state.buffer is None:
                state.buffer = grad
                state.owned = fresh
            elif state.owned and own(state.buffer):
                add_to(state.buffer, grad)
            else:
                state.buffer = added(state.buffer, grad)
                state.owned = not self.recorded
        state.pending -= 1
        if state.pending == 0:
            self.push(vertex)

    def takes_turned(self, node):
        """Whether a node, or a leaf (None), takes a lazily conjugated gradient; `.grad` does not."""
        if node is None:
            return self.wanted is not None
        return node.op is not None and node.op.takes_turned and node.hooks is None

    def push(self, vertex):
        """Adds a vertex to the heap of ready ones, built as PyTorch's queue, so that ties come in the same order."""
        if self.waiting == len(self.ready):
            self.ready.append(vertex)
        self.waiting += 1
        self.rise(self.waiting - 1, vertex)

    def rise(self, place, vertex):
        """Moves a vertex up from a place in the heap to where it belongs."""
        ready = self.ready
        while place > 0:
            above = (place - 1) >> 1
            if rank(ready[above]) >= rank(vertex):
                break
            ready[place] = ready[above]
            place = above
        ready[place] = vertex

    def pop(self):
        """Removes the first of the ready vertices: a leaf, else the node that was recorded last."""
        ready = self.ready
        first = ready[0]
        n = self.waiting = self.waiting - 1
        last = ready[n]
        ready[n] = None  # the list keeps its length, or it would be reallocated again and again
        if n == 0:
            return first
        place = child = 0
        while child < (n - 1) >> 1:
            child = 2 * child + 2
            if rank(ready[child]) < rank(ready[child - 1]):
                child -= 1
            ready[place] = ready[child]
            place = child
        if n & 1 == 0 and child == (n - 2) >> 1:
            place = 2 * child + 1
            ready[child] = ready[place]
        self.rise(place, last)
        return first

    def drain(self):
        """Runs all ready vertices: leaves at once, then the node that was recorded last."""
        vertex = None
        try:
            while self.waiting:
                vertex = self.pop()
                if self.observer is not None:
                    self.observed(vertex)
                elif isinstance(vertex, Node):
                    self.step(vertex)
                else:
                    self.finish(vertex)
        except Misfit as misfit:
            misfit.source = vertex
            raise
        except ValueError as error:
            if isinstance(vertex, Node) and vertex.plan is not None:
                raise translated(error) from None
            raise

    def observed(self, vertex):
        """Runs a node, or accumulates at a leaf, while a profiler watches."""
        with self.observer.evaluating(vertex):
            if isinstance(vertex, Node):
                self.step(vertex)
            elif self.wanted is not None:
                self.finish(vertex)
            else:
                with self.observer.accumulating(vertex):
                    self.finish(vertex)

    def finish(self, leaf):
        """Handles a gradient that arrived at a leaf: captures it, or adds it to `.grad`.

        A view that was made without recording does not require grad itself, only its base does: it has no gradient, and
        its hooks are not called.
        """
        state = leaf if leaf.run is self else self.aside[leaf]
        grad = state.buffer
        state.buffer = None
        if not leaf._needs and leaf._view is not None:
            return
        if leaf.hooks is not None:
            grad = leaf.hooks.on_outputs(grad, self.recorded)
        if self.wanted is not None:
            if grad is not None:
                self.captured[leaf, 0] = grad
        elif leaf.hooks is not None:
            self.finish_watched(leaf, grad)
        elif grad is not None:
            with LEAVES[(id(leaf) >> 4) & 63]:
                self.accumulate(leaf, grad, state.owned and own(grad))

    def accumulate(self, leaf, grad, owned):
        """Adds a gradient to a leaf's `.grad`; a run with `create_graph` adds tensors."""
        if self.accumulates_arrays and grad._array is not None:
            accumulate(leaf, grad._settled(), False, False)
            return
        if self.writer is None or self.accumulates_tensors:
            accumulate(leaf, grad, owned, self.recorded)
            if self.writer is not None:
                self.writer.grads_of(leaf)
            return
        held = leaf._grad
        accumulate(leaf, grad._array, False, False)
        self.writer.accumulated(leaf, held, grad._array)

    def finish_watched(self, leaf, grad):
        """Adds a gradient (None too) to the `.grad` of a leaf that has hooks, and calls them.

        Post-accumulate hooks may change `.grad`, so the hooks after them get a first gradient as `.grad` itself.
        """
        hooks = leaf.hooks
        grad = hooks.before_node(grad, self.recorded)
        with hooks.lock:
            if grad is not None:
                first = leaf._grad is None
                self.accumulate(leaf, grad, False)
                if first and leaf._grad is not None and not self.recorded and leaf._grad._array is not None:
                    grad = leaf._grad._array
            hooks.accumulated(leaf)
        hooks.after_leaf(grad)

    def step(self, node):
        """Runs one node, and delivers the gradients of its inputs."""
        state = node if node.run is self else self.aside[node]
        grad = state.buffer
        state.buffer = None
        if grad is None and node.outputs is not None and (node.plan is None or node.hooks is not None):
            grad = [None] * len(node.outputs)  # a custom function and hooks are called even where gradients are missing
        if node.hooks is not None:
            grad = node.hooks.on_outputs(grad, self.recorded)
        if self.wanted is not None and not self.capture(node, grad):
            return
        if node.hooks is not None:
            grad = node.hooks.before_node(grad, self.recorded)
        if grad is None or (node.plan is not None and nothing(grad)):
            self.pass_by(node, grad)
            return
        arrived = grad
        if node.outputs is not None and (node.op is None or not node.op.takes_none):
            grad = with_zeros(grad, node.outputs, self.recorded)
        if node.plan is None or node.hooks is not None or self.watched or node.plan.joint:
            self.step_together(node, grad, arrived)
        else:
            for i in range(node.arity):
                target = node.edge(i)
                if target is None:
                    continue
                if self.needs(target):
                    result = self.shown(node, i, grad) if self.shows else node.cotangent(i, grad, self.recorded)
                    self.deliver(target, node.number(i), result, is_new(result, grad))
                else:
                    node.verify(i)
        if not self.keep_graph:
            node.release()

    def shown(self, node, i, grad):
        """The gradient of a node's input `i` where users see its memory layout.

        Where NumPy would choose another one the formula computes with tensors, each step of which lies as PyTorch's. It
        need not where a rule says how the gradient lies.
        """
        ruled = node.plan.slopes is not None and node.plan.ruled[i]
        arrays = bare(node, grad) if ruled and self.recorded else None
        if arrays is not None:
            return as_tensor(self.laid(node, i, node.cotangent(i, arrays, False), grad))
        if not ruled and not self.recorded and mixes_layouts(node, i, grad):
            result = in_steps(node, i, grad)
            if result is None:
                result = node.cotangent(i, new_tensor(grad), True)
                result = result._settled() if isinstance(result, TensorBase) else result
        else:
            result = node.cotangent(i, grad, self.recorded)
        return result if node.plan.slopes is None else self.laid(node, i, result, grad)

    def laid(self, node, i, slope, grad):
        """The gradient of a node's input `i` in the layout that the operator's rule says."""
        if slope is None or (node.plan.keeps_order and all_in_order(node, i, slope, grad)):
            return slope
        return ABOVE.lay_slope(node, i, slope, grad)

    def pass_by(self, node, grad):
        """Tells a node's hooks, and everything behind the node, that no gradient came."""
        if node.hooks is not None:
            node.hooks.after_node([None] * node.arity, grad, self.recorded)
        for i in range(node.arity):
            target = node.edge(i)
            if target is not None:
                self.deliver(target, node.number(i), None, False)

    def step_together(self, node, grad, arrived):
        """Runs a node that computes all its gradients at once; its hooks get what arrived."""
        targets = [node.edge(i) for i in range(node.arity)]
        needs = tuple([target is not None and self.needs(target) for target in targets])
        if self.shows and node.plan is not None and node.plan.slopes is not None:
            grads = self.shown_together(node, grad, needs)
        else:
            grads = self.watch(node, grad, needs) if self.watched else node.apply(grad, self.recorded, needs)
        ours = not self.watched and node.plan is not None and node.hooks is None  # users may hold other arrays
        if node.hooks is not None:
            if node.op is None or not node.op.lists:  # for a list PyTorch computes all gradients or none
                grads = [g if need else None for g, need in zip(grads, needs)]
            grads = node.hooks.after_node(grads, arrived, self.recorded)
        shared = several_have(grads, grad) if ours else None
        for i in range(node.arity):
            if needs[i]:
                fresh = ours and (not shared or id(grads[i]) not in shared)
                self.deliver(targets[i], node.number(i), grads[i], fresh)

    def shown_together(self, node, grad, needs):
        """The gradients of a node's inputs where users see their memory layouts: `shown` for all at once."""
        arrays = bare(node, grad) if self.recorded and not self.watched and all_ruled(node, needs) else None
        if arrays is not None:
            grads = node.apply(arrays, False, needs)
            return [as_tensor(self.laid(node, i, slope, grad)) for i, slope in enumerate(grads)]
        grads = self.watch(node, grad, needs) if self.watched else node.apply(grad, self.recorded, needs)
        return [self.laid(node, i, slope, grad) for i, slope in enumerate(grads)]

    def watch(self, node, grad, needs):
        """A node's gradients in anomaly mode, or while a profiler watches."""
        if self.observer is None:
            return ABOVE.apply_watched(node, grad, self.recorded, needs)
        with self.observer.applying(node, grad) as event:
            apply = partial(ABOVE.apply_watched, node) if self.anomaly else partial(self.observer.apply, node)
            grads = apply(grad, self.recorded, needs)
            event.made(grads)
        return grads

    def tell(self, vertex, index, grad):
        """Runs the hooks on a root that leads to no wanted gradient."""
        if vertex.hooks is not None:
            vertex.hooks.on_tensor(grad, index, self.recorded)

    def reaches(self, vertex):
        """Whether a gradient arrives at a vertex in this run."""
        return self.needs(vertex)

    def needs(self, vertex):
        """Whether the gradient of a vertex is needed in this run."""
        state = vertex if vertex.run is self else self.aside.get(vertex)
        return state is not None and state.needed

    def capture(self, node, grad):
        """Keeps a gradient that arrived at a node if it is wanted. Returns whether the node still has to run."""
        for index in self.wanted.get(node, ()):
            self.captured[node, index] = grad[index] if isinstance(grad, list) else grad
        if node not in self.wanted:
            return True
        for i in range(node.arity):
            target = node.edge(i)
            if target is not None and self.needs(target):
                return True
        return False

    def let_go(self):
        """Releases all vertices."""
        for vertex in self.claimed:
            if vertex.run is self:
                vertex.run = None
                vertex.buffer = None
        self.aside.clear()


def rank(vertex):
    """The priority of a ready vertex: leaves before all nodes, then nodes in reverse order of recording."""
    return LEAF if isinstance(vertex, TensorBase) else vertex.sequence


def nothing(grad):
    """Whether no gradient came, to any of the outputs if there are several."""
    if type(grad) is not list:
        return False
    for g in grad:
        if g is not None:
            return False
    return True


def age(vertex):
    """The sequence number of a vertex; leaves come first."""
    return vertex.sequence


def leads_on(node, leads):
    """Whether one of a node's edges leads into the set."""
    return any(node.edge(i) in leads for i in range(node.arity))


def with_zeros(grads, outputs, recorded):
    """The gradients of several outputs: zeros where none arrived, None for outputs that never get one."""
    result = []
    for grad, meta in zip(grads, outputs):
        if grad is None and meta is not None:
            zeros = np.zeros(meta[0], meta[1])
            grad = new_tensor(zeros) if recorded else zeros
        result.append(grad)
    return result


def is_new(result, grad):
    """Whether a formula made a new array, rather than returning (one of) the gradients that it was given."""
    if type(grad) is not list:
        return result is not grad
    for g in grad:
        if g is result:
            return False
    return True


def several_have(results, grad):
    """The ids of results that are not new arrays of one input alone: they are among `grad`, or occur twice."""
    seen = {id(g) for g in grad} if type(grad) is list else {id(grad)}
    found = set()
    for result in results:
        if result is not None:
            if id(result) in seen:
                found.add(id(result))
            seen.add(id(result))
    return found


def added(held, grad):
    """The sum of two gradients, in the memory layout of the first."""
    plain = type(held) is ndarray and type(grad) is ndarray
    if plain and not same_layout(held, grad) and held.dtype == grad.dtype and is_dense(held):
        return np.add(held, grad, out=np.empty_like(held))
    return held + grad


def own(grad):
    """Whether an array that a formula made owns its memory and is not a view."""
    return type(grad) is ndarray and grad.base is None


def accumulate(leaf, grad, owned, recorded):
    """Adds a gradient to a leaf's `.grad`: in place, or as a new tensor with `create_graph`."""
    if leaf._node is not None:
        raise RuntimeError("leaf variable has been moved into the graph interior")
    if not leaf._needs:
        return
    held = leaf._grad
    if recorded or isinstance(grad, TensorBase) or (held is not None and held._array is None):
        accumulate_tensors(leaf, held, grad, recorded)
    elif held is None:
        leaf._grad = new_tensor(grad if owned and lies_well(grad, leaf._settled()) else copied(grad, leaf))
    else:
        array = held._array
        if 0 in array.strides and is_repeated(array):
            raise RuntimeError(REPEATED)
        add_to(array, grad)
        held._bump()


def accumulate_tensors(leaf, held, grad, recorded):
    """Adds a gradient that is recorded or sparse, or to a sparse one; in place where a pass is not recorded.

    A sparse gradient plus a dense one is dense: a new tensor.
    """
    if held is None:
        leaf._grad = ABOVE.laid_out_as(leaf, grad)
    elif not isinstance(grad, TensorBase):
        leaf._grad = new_tensor(held + grad)
    elif recorded:
        leaf._grad = grad + held if held._array is None else held + grad
    else:
        held.add_(grad)


REPEATED = (
    "unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please "
    "clone() the tensor before performing the operation. The .grad that a gradient is to be added to is an expanded "
    "tensor."
)


def same_layout(a, b):
    """Whether two arrays of the same shape have their elements in the same order in memory."""
    if type(b) is not ndarray:  # a lazily conjugated array
        return False
    x = a
    y = b
    if x.ndim != y.ndim:
        return False
    for i in range(x.ndim):  # one by one: `strides` would build two tuples
        if x.strides[i] != y.strides[i] and x.shape[i] != 1:
            return False
    return True


def all_ruled(node, needs):
    """Whether rules say how the gradients of all inputs in `needs` lie."""
    ruled = node.plan.ruled
    if node.op.lists:
        return ruled[0]
    for i, need in enumerate(needs):
        if need and not ruled[i]:
            return False
    return True


def bare(node, grad):
    """The arrays of cotangents with which a formula may compute though the pass is on tensors; None if it may not."""
    if node.flags or not is_final():
        return None
    if type(grad) is not list:
        return bare_array(grad)
    arrays = []
    for one in grad:
        arrays.append(None if one is None else bare_array(one))
        if one is not None and arrays[-1] is None:
            return None
    return arrays


def bare_array(grad):
    """The array of a tensor that is a plain one; None for others."""
    if not isinstance(grad, TensorBase):
        return None
    tensor = grad
    return tensor._array if type(tensor._array) is ndarray and not tensor._unsettled else None


def as_tensor(slope):
    """The tensor of a gradient that was computed with arrays; None for a missing one."""
    return None if slope is None else new_tensor(np.asarray(slope))


def mixes_layouts(node, i, grad):
    """Whether a formula's result might not lie as PyTorch's: NumPy computes it with dimensions in several orders.

    Elementwise formulas keep an order that all of their operands have.
    """
    if type(grad) is not ndarray:
        return False
    elementwise = node.op.layout == "elementwise"
    if not elementwise and is_turned(grad):
        return True
    for k in node.plan.picks[i]:
        array = node.kept_array(k)
        kept = type(array) is not ndarray or (elementwise and same_layout(grad, array))
        if not kept and (is_turned(grad) or is_turned(array)):
            return True
    return False


def in_steps(node, i, grad):
    """The gradient of a node's input `i` by a compiled formula, laid out as by tensors; None if this is not known."""
    compiled = node.plan.compiled[i] if node.plan.compiled is not None else None
    picks = node.plan.picks[i]
    if compiled is None or node.flags or node.freed or len(picks) > 3:
        return None
    return evaluate_in_steps(compiled, grad, *[node.saved_value(k, False) for k in picks])


def all_in_order(node, i, slope, grad):
    """Whether a gradient of input `i` lies in order, and all that the formula computed it from."""
    if not (is_in_order(slope) and is_in_order(grad)):
        return False
    for k in node.plan.picks[0 if node.plan.joint else i]:
        value = node.kept(k)
        array = value._array if isinstance(value, TensorBase) else value
        if not (is_in_order(array) or isinstance(array, SETTINGS)):
            return False
    return True


def is_in_order(array):
    """Whether the strides are those of a new array, or all 0."""
    if type(array) is not ndarray:
        return False
    x = array
    step = x.itemsize
    repeats = x.ndim > 0 and x.strides[0] == 0
    for i in range(x.ndim - 1, -1, -1):
        if x.strides[i] != (0 if repeats else step):
            return False
        step *= x.shape[i]
    return True


def is_turned(array):
    """Whether a dimension steps further in memory than an earlier one; those expanded or of size 1 do not count."""
    x = array
    last = 0
    for i in range(x.ndim):
        if x.shape[i] > 1 and x.strides[i] != 0:
            if last and x.strides[i] > last:
                return True
            last = x.strides[i]
    return False


def lies_well(grad, array):
    """Whether a gradient lies as its leaf's array does; contiguously, if that has gaps."""
    return same_layout(grad, array) or (not is_dense(array) and grad.flags.c_contiguous)


def copied(grad, leaf):
    """A copy of a gradient in the memory layout of its leaf, in the leaf's dtype or the one set by `grad_dtype`.

    PyTorch does not copy a view that lies as the leaf does: it keeps its strides of dimensions of size 1.
    """
    other_dtype = leaf.hooks is not None and leaf.hooks.grad_dtype != OWN
    array = leaf._array
    if grad.base is not None and 0 not in grad.strides and lies_well(grad, array) and is_dense(grad):
        array = grad
    order = "K" if is_dense(array) else "C"
    copy = alike(array, np.empty_like(array, dtype=grad.dtype if other_dtype else leaf._array.dtype, order=order))
    copy[...] = grad
    return copy
