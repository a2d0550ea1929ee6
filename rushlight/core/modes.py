"""What the current thread or asyncio task does with operations: one immutable `Modes` in a context variable."""

from contextlib import contextmanager
from contextvars import ContextVar


class Modes:
    """The switches of one context. Never changed: `replace` makes another.

    `grad`: operations are recorded. `inference`: results are inference tensors. `anomaly`: nodes remember where they
    were recorded; `check_nan`: and their cotangents are looked through for NaN. `packing`: the pair of functions that
    saved tensors go through; `refusal`: the message of the error for those who set one. `special` tells that a node
    that is recorded now needs more than usual.
    """

    def __init__(self, grad=True, inference=False, anomaly=False, check_nan=True, packing=None, refusal=None):
        self.grad = grad
        self.inference = inference
        self.anomaly = anomaly
        self.check_nan = check_nan
        self.packing = packing
        self.refusal = refusal
        self.special = anomaly or packing is not None
        self.twin = None

    def with_grad(self, enabled):
        """These modes with grad mode set: themselves, or the twin that differs in nothing else, made only once."""
        if self.grad == enabled:
            return self
        if self.twin is None:
            self.twin = self.replace(grad=enabled)
            self.twin.twin = self
        return self.twin

    def replace(self, **switches):
        """These modes with some switches set otherwise."""
        return Modes(**{name: getattr(self, name) for name in FIELDS} | switches)


FIELDS = ("grad", "inference", "anomaly", "check_nan", "packing", "refusal")
CURRENT = ContextVar("rushlight_modes", default=Modes())  # noqa: B039 (Modes is never changed)
OBSERVER = ContextVar("rushlight_observer", default=None)  # the profiler that looks at what this context does
EVERYWHERE = None  # the one that looks at all threads


def observer():
    """The profiler that looks at what is done here and now, or None."""
    found = OBSERVER.get()
    return EVERYWHERE if found is None else found


def observe_everywhere(profiler):
    """Lets a profiler look at all threads; None for none."""
    global EVERYWHERE
    EVERYWHERE = profiler


@contextmanager
def switched(**switches):
    """A context in which some switches are set otherwise."""
    modes = CURRENT.get()
    CURRENT.set(modes.replace(**switches))
    try:
        yield
    finally:
        CURRENT.set(modes)
