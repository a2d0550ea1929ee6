"""Who takes part in calls: forward mode, Taylor series and profilers, on one stack in the order they were entered.

A call while the stack is empty goes the usual way: that is one test of a number. Otherwise the innermost interpreter
that the call concerns takes it, and hands on what is left of it to those below (`operators.interpreted`).
"""

from functools import wraps


class Interpreter:
    """Something that takes part in the calls of operators while it is on the stack."""

    casts = False  # whether it brings operands to one type
    is_level = False  # whether it is a level of forward mode: something travels with tensors on it
    writes_down = False  # whether it writes down all that is done to arrays, as steps of a program
    takes_steps = False  # whether it decides what becomes of steps of optimizers
    takes_over = False  # whether it takes over what others compute: backward passes run on tensors, changes come to it

    def concerns(self, op, args):
        """Whether it takes this call."""
        raise NotImplementedError

    def call(self, op, args, below):
        """The result of a call. `below(op, args)` calls an operator through the interpreters further down."""
        raise NotImplementedError

    def change(self, make, function, tensor, args):
        """Makes a change in place with `make`, where it takes over: `function` of a tensor and other arguments."""
        return make()

    def looks_on(self):
        """Whether it is told of what else is done here and now: changes in place, nodes, steps of optimizers."""
        return False

    def apply(self, node, grad, recorded, needs):
        """The cotangents of a node's inputs, in a backward pass that it looks at."""
        return node.apply(grad, recorded, needs)


class Onlooker(Interpreter):
    """One that only looks on: it is shown every call with its results, and of what else is done, in all threads."""

    def looks_on(self):
        """Always."""
        return True

    def concerns(self, op, args):
        """Every call."""
        return True

    def call(self, op, args, below):
        """A call as it is without."""
        result = below(op, args)
        if result is not NotImplemented:
            self.saw(op, args, result)
        return result

    def saw(self, op, args, result):
        """What it does with a call and its results."""
        raise NotImplementedError


class Stack:
    """The interpreters at work, the innermost last, and how many they are; an onlooker that is alone on it."""

    def __init__(self):
        self.interpreters = []
        self.count()

    def enter(self, interpreter, lowest=False):
        """Puts an interpreter on top, or below all others."""
        self.interpreters.insert(0 if lowest else len(self.interpreters), interpreter)
        self.count()

    def leave(self, interpreter):
        """Takes an interpreter off, wherever it is."""
        if interpreter in self.interpreters:
            self.interpreters.remove(interpreter)
        self.count()

    def count(self):
        """Counts them again."""
        self.depth = len(self.interpreters)
        self.onlooker = None
        if self.depth == 1 and isinstance(self.interpreters[0], Onlooker):
            self.onlooker = self.interpreters[0]


STACK = Stack()


class Within:
    """A context in which an interpreter of a kind, which `with` gives, is on the stack; with `alone`, the message of an
    error, there is no second one of the kind. Compiled, so that no signal comes between the steps.
    """

    answer = None  # what `with` gives instead

    def __init__(self, kind, alone=None):
        self.kind = kind
        self.alone = alone
        self.entered = []

    def __enter__(self):
        if self.alone is not None and self.kind in [type(interpreter) for interpreter in STACK.interpreters]:
            raise RuntimeError(self.alone)
        interpreter = self.kind()
        answer = self.answer
        STACK.enter(interpreter)
        self.entered.append(interpreter)
        return interpreter if answer is None else answer

    def __exit__(self, *exception):
        STACK.leave(self.entered.pop())


def levels():
    """The levels of forward mode that are entered, the innermost last."""
    return [interpreter for interpreter in STACK.interpreters if interpreter.is_level] if STACK.depth else []


def casting():
    """Whether there is an interpreter that brings operands to one type."""
    return any(interpreter.casts for interpreter in STACK.interpreters)


def observer():
    """The innermost that looks at what is done here and now, or None: a profiler, or who explains."""
    if STACK.depth:
        for interpreter in reversed(STACK.interpreters):
            if interpreter.looks_on():
                return interpreter
    return None


def writer():
    """The innermost that writes down here and now what is done to arrays, or None."""
    if STACK.depth:
        for interpreter in reversed(STACK.interpreters):
            if interpreter.writes_down and interpreter.looks_on():
                return interpreter
    return None


def rely_on(function, *args):
    """Tells who writes down that what is done rests on a function of bare arrays and options giving True."""
    writes = writer()
    if writes is not None:
        writes.relied_on(function, args)


def innermost(attribute):
    """The innermost interpreter of which an attribute is true, or None."""
    return next((one for one in reversed(STACK.interpreters) if getattr(one, attribute)), None)


def taker_of_steps():
    """The innermost that decides what becomes of steps of optimizers, or None."""
    return innermost("takes_steps") if STACK.depth else None


def taker():
    """The innermost that takes over what others compute, or None."""
    return innermost("takes_over") if STACK.depth else None


def noted(function, changes=(), draws=False):
    """A function of bare arrays and options that is written down as one step, where somebody does.

    `changes` are the positions of the arguments that it changes in place: arrays, or lists of them.
    """

    @wraps(function)
    def called(*args):
        writes = writer()
        return function(*args) if writes is None else writes.step(function, args, changes, draws)

    return called
