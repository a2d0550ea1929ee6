"""Whether the indices of sparse tensors are looked at: in rushlight they always are."""

from typing import Any


class check_sparse_tensor_invariants:
    """A context and switch of PyTorch's. Indices are always checked when a sparse tensor is made, whatever it says."""

    before: bool

    enabled: bool = False

    @classmethod
    def is_enabled(cls) -> bool:
        """Whether checks were asked for."""
        return cls.enabled

    @classmethod
    def enable(cls) -> None:
        """Asks for checks."""
        cls.enabled = True

    @classmethod
    def disable(cls) -> None:
        """Asks for none."""
        cls.enabled = False

    def __init__(self, enable: bool = True):
        self.wanted = enable

    def __enter__(self) -> None:
        self.before, type(self).enabled = type(self).enabled, self.wanted

    def __exit__(self, *exception: Any) -> None:
        type(self).enabled = self.before

    def __call__(self, function: Any) -> Any:
        """Decorates a function that is to run within the context."""

        def called(*args, **kwargs):
            with type(self)(self.wanted):
                return function(*args, **kwargs)

        return called
