"""What the current thread or asyncio task does with operations: one immutable `Modes` in a context variable.

Contexts that change it are compiled: Python enters and leaves each in one step, in which no signal comes. So the modes
are as they were when Ctrl-C has ended the work, at whatever moment.
"""

from contextvars import ContextVar

RUN = ContextVar("rushlight_run", default=None)  # the run of the engine that calls hooks in this context


class Modes:
    """The switches of one context. Never changed: `replace` makes another.

    `grad`: grad mode is on. `inference`: results are inference tensors. `records`: operations are recorded, that is in
    grad mode outside of inference mode. `anomaly`: nodes remember where they were recorded; `check_nan`: and their
    cotangents are looked through for NaN. `packing`: the pair of functions that saved tensors go through; `refusal`:
    the message of the error for those who set one. `special` tells that a node that is recorded now needs more than
    usual.
    """

    def __init__(self, grad=True, inference=False, anomaly=False, check_nan=True, packing=None, refusal=None):
        self.grad = grad
        self.inference = inference
        self.anomaly = anomaly
        self.check_nan = check_nan
        self.packing = packing
        self.refusal = refusal
        self.records = grad and not inference
        self.special = anomaly or packing is not None
        self.twin = None

    def with_grad(self, enabled):
        """These modes with grad mode set: themselves, or the twin that differs in nothing else, made only once.

        With users' hooks it is made each time: two that hold each other would keep alive what the hooks hold.
        """
        if self.grad == enabled:
            return self
        if self.packing is not None:
            return self.replace(grad=enabled)
        if self.twin is None:
            self.twin = self.replace(grad=enabled)
            self.twin.twin = self
        return self.twin

    def replace(self, **switches):
        """These modes with some switches set otherwise."""
        return Modes(**{name: getattr(self, name) for name in FIELDS} | switches)


FIELDS = ("grad", "inference", "anomaly", "check_nan", "packing", "refusal")
CURRENT = ContextVar("rushlight_modes", default=Modes())  # noqa: B039 (Modes is never changed)
COUNT_INFERENCE = None  # see `use_counter`


class Setting:
    """A context in which a context variable has another value."""

    def __init__(self, variable, value):
        self.variable = variable
        self.value = value

    def __enter__(self):
        self.outside = self.variable.get()
        self.variable.set(self.value)
        return self.value

    def __exit__(self, *exception):
        self.variable.set(self.outside)


def switched(**switches):
    """A context in which some switches are set otherwise."""
    return Setting(CURRENT, CURRENT.get().replace(**switches))


def in_grad_mode(enabled):
    """A context in which grad mode is set."""
    modes = CURRENT.get()
    return Setting(CURRENT, modes.with_grad(enabled))


class Switch:
    """A context manager of the users': inside the modes are what `inside` makes of those outside.

    On leaving, the switches that it is responsible for (`names`) are put back, and `leave` is called. It can be entered
    while it is entered.
    """

    names = ()
    answer = None  # what `with` gives
    entered = None

    def __enter__(self):
        outside = CURRENT.get()
        inside = self.inside(outside)
        answer = self.answer
        if self.entered is None:
            self.entered = []
        self.entered.append((outside, inside))
        if inside.inference or outside.inference:
            COUNT_INFERENCE(1)
        CURRENT.set(inside)
        return answer

    def __exit__(self, *exception):
        if self.entered:
            now = CURRENT.get()
            outside, inside = self.pop()
            while now is not inside and now in [pair[1] for pair in self.entered]:
                outside, inside = self.pop()  # entered where a backward pass has put the modes back since
            if now is not inside:
                outside = now.replace(**{name: getattr(outside, name) for name in self.names})
            CURRENT.set(outside)
        self.leave()

    def pop(self):
        """The modes outside and inside when it was last entered."""
        outside, inside = self.entered.pop()
        if inside.inference or outside.inference:
            COUNT_INFERENCE(-1)
        return outside, inside

    def leave(self):
        """What else there is to do on leaving."""


class Undone:
    """A context whose `begin` is undone by its `end`, at whatever moment Ctrl-C comes.

    An `end` that was interrupted is called again: it can be called twice, and after half of `begin`.
    """

    def __enter__(self):
        try:
            return self.begin()
        except KeyboardInterrupt:
            self.end()
            raise

    def __exit__(self, *exception):
        try:
            self.end()
        except KeyboardInterrupt:
            self.end()
            raise


def use_counter(function):
    """Tells what counts the contexts in inference mode."""
    global COUNT_INFERENCE
    COUNT_INFERENCE = function
