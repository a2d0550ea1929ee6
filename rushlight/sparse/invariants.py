"""PyTorch's switch for checking the indices of sparse tensors; rushlight always checks them."""

from typing import Any


class check_sparse_tensor_invariants:
    """PyTorch's context and switch. Indices are checked whenever a sparse tensor is created, whatever it is set to."""

    before: bool

    enabled: bool = False

    @classmethod
    def is_enabled(cls) -> bool:
        """Whether checks are enabled."""
        return cls.enabled

    @classmethod
    def enable(cls) -> None:
        """Enables checks."""
        cls.enabled = True

    @classmethod
    def disable(cls) -> None:
        """Disables checks; they are made nevertheless."""
        cls.enabled = False

    def __init__(self, enable: bool = True):
        self.wanted = enable

    def __enter__(self) -> None:
        self.before, type(self).enabled = type(self).enabled, self.wanted

    def __exit__(self, *exception: Any) -> None:
        type(self).enabled = self.before

    def __call__(self, function: Any) -> Any:
        """Decorates a function to run in this context."""

        def called(*args: Any, **kwargs: Any) -> Any:
            with type(self)(self.wanted):
                return function(*args, **kwargs)

        return called
