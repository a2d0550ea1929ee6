"""What the current thread or asyncio task records: one immutable `Modes` in a context variable."""

from contextvars import ContextVar


class Modes:
    """The switches of one context. Never changed: `replace` makes another."""

    def __init__(self, grad=True, inference=False):
        self.grad = grad
        self.inference = inference

    def replace(self, **switches):
        """These modes with some switches set otherwise."""
        return Modes(**{"grad": self.grad, "inference": self.inference, **switches})


CURRENT = ContextVar("rushlight_modes", default=Modes())  # noqa: B039 (Modes is never changed)
