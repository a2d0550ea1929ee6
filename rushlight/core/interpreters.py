"""Interpreters of operator calls: forward mode, Taylor series, profilers, on one stack in the order they were entered.

With an empty stack a call goes the usual way: this costs one test of a number. Otherwise the innermost interpreter that
is concerned handles the call, and passes what remains to those below (`operators.interpreted`).
"""

from functools import wraps

ASKED = []  # what the guards of all public functions ask before a call


class Interpreter:
    """Something that handles the calls of operators while it is on the stack."""

    casts = False  # whether it casts operands to one type
    is_level = False  # whether it is a level of forward mode: tensors carry tangents on it
    writes_down = False  # whether it records all computation on arrays as steps of a program
    takes_steps = False  # whether it decides what happens to steps of optimizers
    asked = None  # what guards ask while it is on the stack: `asked(function, args, kwargs)` gives a result in a tuple
    takes_over = False  # whether it overrides all computation: backward passes run on tensors

    def concerns(self, op, args):
        """Whether it handles this call."""
        raise NotImplementedError

    def call(self, op, args, below):
        """The result of a call. `below(op, args)` calls an operator through the interpreters below."""
        raise NotImplementedError

    def change(self, make, function, tensor, args):
        """Handles an in-place change, if it takes over.

        `make` applies `function` to the tensor and the other arguments.
        """
        return make()

    def looks_on(self):
        """Whether it is shown other events now: in-place changes, nodes, steps of optimizers."""
        return False

    def apply(self, node, grad, recorded, needs):
        """The cotangents of a node's inputs, in a backward pass that it watches."""
        return node.apply(grad, recorded, needs)


class Onlooker(Interpreter):
    """An interpreter that only watches: it sees every call with its results, and other events, in all threads."""

    def looks_on(self):
        """Always."""
        return True

    def concerns(self, op, args):
        """Every call."""
        return True

    def call(self, op, args, below):
        """The result of the call, unchanged."""
        result = below(op, args)
        if result is not NotImplemented:
            self.saw(op, args, result)
        return result

    def saw(self, op, args, result):
        """Handles a call and its results."""
        raise NotImplementedError


class Stack:
    """The active interpreters, the innermost last; how many they are; and the onlooker, if it is the only one."""

    def __init__(self):
        self.interpreters = []
        self.count()

    def enter(self, interpreter, lowest=False):
        """Pushes an interpreter on top, or below all others."""
        asked = interpreter.asked
        self.interpreters.insert(0 if lowest else len(self.interpreters), interpreter)
        self.count()
        if asked is not None:
            ASKED.append(asked)

    def leave(self, interpreter):
        """Removes an interpreter from anywhere in the stack."""
        if interpreter in self.interpreters:
            self.interpreters.remove(interpreter)
            if interpreter.asked is not None:
                ASKED.remove(interpreter.asked)
        self.count()

    def count(self):
        """Updates the count after a change."""
        self.depth = len(self.interpreters)
        self.onlooker = None
        if self.depth == 1 and isinstance(self.interpreters[0], Onlooker):
            self.onlooker = self.interpreters[0]


STACK = Stack()


class Within:
    """A context in which an interpreter of a kind, which `with` gives, is on the stack; with `alone`, the message of an
    error, there is no second one of the kind. If the kind gives None there is none. Compiled, so that no signal comes
    between the steps.
    """

    answer = None  # what `with` returns instead of the interpreter

    def __init__(self, kind, alone=None):
        self.kind = kind
        self.alone = alone
        self.entered = []

    def __enter__(self):
        if self.alone is not None and self.kind in [type(interpreter) for interpreter in STACK.interpreters]:
            raise RuntimeError(self.alone)
        interpreter = self.kind()
        answer = self.answer
        if interpreter is not None:
            STACK.enter(interpreter)
        self.entered.append(interpreter)
        return interpreter if answer is None else answer

    def __exit__(self, *exception):
        interpreter = self.entered.pop()
        if interpreter is not None:
            STACK.leave(interpreter)


def levels():
    """The active levels of forward mode, the innermost last."""
    return [interpreter for interpreter in STACK.interpreters if interpreter.is_level] if STACK.depth else []


def casting():
    """Whether an interpreter that casts operands is active."""
    return any(interpreter.casts for interpreter in STACK.interpreters)


def observer():
    """The innermost interpreter that watches now, or None: a profiler, or `rushlight.explain`."""
    if STACK.depth:
        for interpreter in reversed(STACK.interpreters):
            if interpreter.looks_on():
                return interpreter
    return None


def writer():
    """The innermost interpreter that now records computation on arrays, or None."""
    if STACK.depth:
        for interpreter in reversed(STACK.interpreters):
            if interpreter.writes_down and interpreter.looks_on():
                return interpreter
    return None


def rely_on(function, *args):
    """Tells the recording interpreter that its program is valid only while `function(*args)` returns True."""
    writes = writer()
    if writes is not None:
        writes.relied_on(function, args)


def answered(function, *args):
    """Whether `function(*args)` is true, which decides what follows: a program recorded now relies on the answer."""
    answer = bool(function(*args))
    rely_on(gives, answer, function, *args)
    return answer


def gives(answer, function, *args):
    """Whether `function(*args)` has an answer."""
    return bool(function(*args)) is answer


def innermost(attribute):
    """The innermost interpreter with a true attribute, or None."""
    return next((one for one in reversed(STACK.interpreters) if getattr(one, attribute)), None)


def taker_of_steps():
    """The innermost interpreter that handles steps of optimizers, or None."""
    return innermost("takes_steps") if STACK.depth else None


def taker():
    """The innermost interpreter that takes over, or None."""
    return innermost("takes_over") if STACK.depth else None


def noted(function, changes=(), draws=False):
    """Makes a function of bare arrays and options one step of the programs that are recorded.

    `changes` are the positions of the arguments that it changes in place: arrays, or lists of them.
    """

    @wraps(function)
    def called(*args):
        writes = writer()
        return function(*args) if writes is None else writes.step(function, args, changes, draws)

    return called
