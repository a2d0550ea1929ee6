"""Replays: what a compiled function does with a call that matches a recording; compiled."""

from sys import getrefcount

import numpy as np

from rushlight.compiler.codes import ARGUMENT, GRAD
from rushlight.compiler.guards import Leaf, gather, rebuilt
from rushlight.compiler.nodes import Call, CompiledFunctionBackward, lead, tensor_at
from rushlight.compiler.program import Mismatch, laid
from rushlight.compiler.states import Start, copy_of_values, version
from rushlight.compiler.switches import DISABLED, STANCE
from rushlight.core.batched import ENTERED
from rushlight.core.context import next_number, value_of
from rushlight.core.graph import new_tensor
from rushlight.core.interpreters import STACK
from rushlight.core.modes import CURRENT
from rushlight.dtypes import get_default_dtype


def key_of(place):
    """A key that all places of one tensor share."""
    kind, what = place
    return (kind, what) if kind == ARGUMENT else (kind, id(what))


class Effect:
    """The effect of a part on a tensor that existed before.

    It sets the gradient ("none", or "new" with the number of an output), or counts changes ("version", "version of the
    gradient").
    """

    def __init__(self, kind, place, what=None):
        self.kind = kind
        self.place = place
        self.what = what

    def happen(self, arguments, outputs):
        """Repeats the effect."""
        kind = self.kind
        tensor = tensor_at(self.place, arguments)
        if kind == "none":
            tensor._grad = None
        elif kind == "new":
            tensor._grad = new_tensor(outputs[self.what])
        else:
            counter = (tensor if kind == "version" else tensor._grad)._versions()
            counter.value += self.what


class Execution:
    """Runs a program as the walker does: its outputs have the recorded memory layout.

    `values` are those of the outputs. `renewable` are the numbers of those that may be in given arrays.
    """

    def __init__(self, walker, values):
        self.walker = walker
        self.values = values
        self.strides = [value.layout() for value in values]
        self.renewable = getattr(walker, "renewable", frozenset())
        self.settled = getattr(walker, "settles", False) and all(value.strides is None for value in values)

    def __call__(self, inputs, spare=None):
        """The outputs. `spare` has arrays that may be overwritten, each with the number of an output."""
        outputs = self.walker(inputs, spare) if spare else self.walker(inputs)
        if self.settled:
            return outputs
        given = dict(spare or ())
        for i in range(len(self.strides)):
            if outputs[i].strides != self.strides[i]:
                outputs[i] = laid(outputs[i], self.values[i], given.get(i))
        return outputs


def holders(leaf):
    """The numbers of references to a leaf's gradient and to its array."""
    grad = leaf._grad
    array = grad._array
    return getrefcount(grad) + getrefcount(array)


def references_of_one():
    """The result of `holders` if only the leaf holds its gradient."""
    leaf = new_tensor(np.zeros(1))
    leaf._grad = new_tensor(np.zeros(1))
    return holders(leaf)


ALONE = references_of_one()


class Stretch:
    """A part of a recording, ready for replay: a program, the places of its inputs, and its effects.

    A step of an optimizer may follow it.

    `renewed` are the leaves that get a new gradient in place of one that nothing reads, and the numbers of outputs.
    """

    def __init__(self, program, places, call):
        self.program = program
        self.places = places
        self.effects = []
        self.call = call
        self.execute = None
        self.renewed = []

    def prepare(self, execute):
        """Sets what executes the program."""
        self.execute = execute
        read = [key_of(what) for kind, what in self.places if kind == GRAD]
        renewable = getattr(execute, "renewable", ())
        new = [one for one in self.effects if one.kind == "new" and one.what in renewable]
        self.renewed = [(one.place, one.what) for one in new if key_of(one.place) not in read]

    def spare(self, arguments):
        """The arrays of gradients that will be replaced, if nothing else refers to them."""
        found = []
        for place, output in self.renewed:
            leaf = tensor_at(place, arguments)
            if leaf._grad is not None and holders(leaf) == ALONE:
                grad = leaf._grad
                found.append((output, grad._array))
        return found


class Made:
    """A tensor among the results: the number of the output, and its memory layout."""

    def __init__(self, stretch, output, unsettled):
        self.stretch = stretch
        self.output = output
        self.unsettled = unsettled


class Detached:
    """A tensor among the results that is one that was there before, without its history: the place of that one."""

    def __init__(self, place):
        self.place = place


class Spent:
    """A result whose graph was freed within the call: its number, its node's class, and where the graph ended."""

    def __init__(self, result, cls, places):
        self.result = result
        self.cls = cls
        self.places = places

    def mark(self, tensors, arguments):
        """Gives the result a node that says so."""
        node = self.cls()
        lead(node, self.places, tensors, arguments)
        node.sequence = node.freed = next_number()
        made = tensors[self.result]
        made._node = node
        made._index = 0
        made._needs = True


def run(stretches, arguments, steps):
    """Runs the parts of a recording, and returns the outputs of each. `steps` tells whether optimizers take theirs.

    Mismatch if a check fails, or a step raises, in the first part, before anything is written.
    """
    made = []
    for item in stretches:
        stretch = item
        try:
            inputs = gather(stretch.places, arguments, made)
            outputs = stretch.execute(inputs, stretch.spare(arguments)) if stretch.renewed else stretch.execute(inputs)
        except Exception as error:
            if made and type(error) is not Mismatch:
                raise
            if made:
                why = f"torch.compile: after an optimizer's step {error}: keep it out of the function."
                raise RuntimeError(why) from error
            raise Mismatch() from error
        made.append(outputs)
        for one in stretch.effects:
            effect = one
            effect.happen(arguments, outputs)
        if stretch.call is not None and steps:
            stretch.call[0](*stretch.call[1])
    return made


def tensor_of(result, arguments, made):
    """A tensor of a replay's result."""
    if type(result) is Detached:
        return tensor_at(result.place, arguments).detach()
    if type(result) is not Made:
        return tensor_at(result, arguments)
    new = result
    tensor = new_tensor(made[new.stretch][new.output])
    tensor._unsettled = new.unsettled
    return tensor


class Replay:
    """What replays of a recording do: its `stretches` run, and the tensors of the `result` are made.

    `results` are the places of these tensors, `firsts` the first position of each. Those whose graph was freed within
    the call are `spent`; `backwards` have the programs behind the others. `items` are the outputs that leave as
    numbers, `overwritten` the places of tensors that the call changes, `generators` those that it draws from, `others`
    the tensors that it reads besides its arguments.
    """

    def replay(self, arguments, function, args, kwargs):
        """Repeats a call, and returns its result. Mismatch if a check fails; nothing is changed then."""
        tensors, _, numbers = self.replayed(arguments, function, args, kwargs, True)
        if type(self.result) is Leaf:
            return tensors[0]
        return rebuilt(self.result, [tensors[i] for i in self.firsts], numbers + arguments)

    def replayed(self, arguments, function, args, kwargs, steps):
        """The tensors of the result, their nodes, and the numbers that leave the program."""
        states = [(one, one.snapshot()) for one in self.generators]
        start = self.start_of(arguments, states) if self.backwards else None
        try:
            made = run(self.stretches, arguments, steps)
        except Mismatch:
            for generator, state in states:
                generator.rewind(state)
            raise
        tensors = [tensor_of(one, arguments, made) for one in self.results]
        for item in self.spent:
            spent = item
            spent.mark(tensors, arguments)
        nodes = []
        if self.backwards:
            call = Call(function, args, kwargs, arguments, self.others, start)
            for backward in self.backwards:
                node = CompiledFunctionBackward()
                node.keep(backward, tensors, arguments, made, call)
                nodes.append(node)
        return tensors, nodes, [made[part][output].item() for part, output in self.items]

    def start_of(self, arguments, states):
        """What a call overwrites and draws from, kept for making it again; None if that is nothing."""
        if not self.overwritten and not states:
            return None
        tensors = [tensor_at(place, arguments) for place in self.overwritten]
        return Start([(tensor, copy_of_values(tensor), version(tensor)) for tensor in tensors], states)


class Prepared:
    """A recording with its guards. `left` counts the replays until it must be supervised."""

    def __init__(self, guard, modes, dtype, owners, recording):
        self.guard = guard
        self.modes = modes
        self.dtype = dtype
        self.owners = owners
        self.recording = recording
        self.left = 0
        self.slow = False

    def match(self, args, kwargs):
        """The tensors among the arguments of a matching call; None for any other."""
        if get_default_dtype() is not self.dtype:
            return None
        tensors = self.guard.match(args, kwargs)
        if tensors is None or self.owners is None:
            return tensors
        stretch = self.recording.stretches[0]
        return tensors if owners_of(gather(stretch.places, tensors, None)) == self.owners else None


def owners_of(arrays):
    """For each array the first one whose memory it shares."""
    first = {}
    found = []
    for array in arrays:
        if type(array) is float:
            found.append(-1)
            continue
        base = array.base
        while type(base) is type(array):
            array = base
            base = array.base
        found.append(first.setdefault(id(array), len(found)))
    return found


class Replayer:
    """A callable that replays its recordings, `prepared`. Other calls go to `look_after`."""

    def __init__(self, function):
        self.function = function
        self.prepared = []

    def __call__(self, *args, **kwargs):
        """Replays a recording that matches; else calls the function, and may record the call."""
        if STACK.depth or value_of(ENTERED) or value_of(DISABLED) or STANCE.name == "force_eager":
            return self.function(*args, **kwargs)
        return self.replayed(args, kwargs)

    def replayed(self, args, kwargs):
        """Replays a recording that matches and needs no supervision."""
        modes = value_of(CURRENT)
        for item in self.prepared:
            one = item
            if one.modes is modes and (one.left > 0 or one.slow):
                arguments = one.match(args, kwargs)
                if arguments is not None:
                    if one.slow:
                        return self.function(*args, **kwargs)
                    one.left -= 1
                    try:
                        return one.recording.replay(arguments, self.function, args, kwargs)
                    except Mismatch:
                        one.left += 1  # it was not a replay
                        break
        return self.look_after(args, kwargs)

    def look_after(self, args, kwargs):
        """Handles a call without a matching recording."""
        raise NotImplementedError
