"""The modes of the current thread or asyncio task: one immutable `Modes` in a context variable.

The contexts that change it are compiled: entering and leaving each is a single step for Python, which no signal
interrupts. So the modes are right after Ctrl-C, whenever it came.
"""

from contextvars import ContextVar

RUN = ContextVar("rushlight_run", default=None)  # the engine's run that is calling hooks in this context


class Modes:
    """The switches of one context. Immutable: `replace` makes another.

    `grad`: grad mode is on. `inference`: results are inference tensors. `records`: operations are recorded, which is in
    grad mode outside of inference mode. `anomaly`: nodes remember where they were recorded; `check_nan`: their
    gradients are checked for NaN. `packing`: the pair of hooks that saved tensors go through; `refusal`: the error
    message for setting such hooks where that is forbidden. `special`: a node that is recorded now needs additional
    work.
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
        """These modes with grad mode set; cached, since nothing else differs.

        With users' hooks it is made again: a cached pair would form a cycle that keeps the hooks' data alive.
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
        """A copy of these modes with some switches changed."""
        return Modes(**{name: getattr(self, name) for name in FIELDS} | switches)


FIELDS = ("grad", "inference", "anomaly", "check_nan", "packing", "refusal")
CURRENT = ContextVar("rushlight_modes", default=Modes())  # noqa: B039 (Modes is never changed)
COUNT_INFERENCE = None  # see `use_counter`


class Setting:
    """A context manager that sets a context variable."""

    def __init__(self, variable, value):
        self.variable = variable
        self.value = value

    def __enter__(self):
        self.outside = self.variable.get()
        self.variable.set(self.value)
        return self.value

    def __exit__(self, *exception):
        self.variable.set(self.outside)


def in_grad_mode(enabled):
    """A context manager that sets grad mode."""
    modes = CURRENT.get()
    return Setting(CURRENT, modes.with_grad(enabled))


class Switch:
    """A public context manager: `inside` computes the modes inside from those outside.

    On leaving, the switches that it owns (`names`) are restored, and `leave` is called. It is reentrant.
    """

    names = ()
    answer = None  # what `with` returns
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
                outside, inside = self.pop()  # entered in a context that a backward pass has reset since
            if now is not inside:
                outside = now.replace(**{name: getattr(outside, name) for name in self.names})
            CURRENT.set(outside)
        self.leave()

    def pop(self):
        """The modes outside and inside at the last entry."""
        outside, inside = self.entered.pop()
        if inside.inference or outside.inference:
            COUNT_INFERENCE(-1)
        return outside, inside

    def leave(self):
        """Further work on leaving."""


class Undone:
    """A context manager that calls `begin` and `end`, and is safe against Ctrl-C at any moment.

    An `end` that was interrupted is called again: it must be callable twice, and after half of `begin`.
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


class Layered:
    """A context manager that adds an innermost layer, `_layer()`, to the tuple in a context variable, `_layers`."""

    def __enter__(self):
        layers = self._layers
        layers.set((*layers.get(), self._layer()))
        return self

    def __exit__(self, *exception):
        layers = self._layers
        layers.set(layers.get()[:-1])


def use_counter(function):
    """Sets the function that counts the contexts in inference mode."""
    global COUNT_INFERENCE
    COUNT_INFERENCE = function
