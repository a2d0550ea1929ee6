"""`torch.nn.attention`: the choice among attention kernels. It has no effect, since there is only one."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from rushlight.absent.misses import no_such_name as _no_such_name
from rushlight.backends.attention import ALLOWED, NAMES, SDPBackend
from rushlight.backends.flags import set_for_a_while

__all__ = ["WARN_FOR_UNFUSED_KERNELS", "SDPBackend", "sdpa_kernel"]

WARN_FOR_UNFUSED_KERNELS = False


@contextmanager
def sdpa_kernel(backends: SDPBackend | list[SDPBackend], set_priority: bool = False) -> Iterator[None]:
    """A context in which attention may use only the given kernels; it has no effect on the results here.

    AssertionError for anything but `SDPBackend`s or a list of them.

    >>> import rushlight as torch
    >>> x = torch.ones(1, 2, 3, 4)
    >>> with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
    ...     torch.nn.functional.scaled_dot_product_attention(x, x, x).shape
    torch.Size([1, 2, 3, 4])
    """
    if not isinstance(backends, (list, SDPBackend)):
        raise AssertionError(f"Backend must be an instance of SDPBackend or a list of SDPBackend instances: {backends}")
    chosen = backends if isinstance(backends, list) else [backends]
    for backend in chosen:
        if not isinstance(backend, SDPBackend):
            raise AssertionError(f"Backend must be an instance of SDPBackend: {backend}")
    with set_for_a_while(ALLOWED, **{name: backend in chosen for backend, name in NAMES.items()}):
        yield


def __getattr__(name: str) -> Any:
    """Loads the submodules on first use; for unknown names, an AttributeError gives the reason or similar names."""
    if name in ("bias", "flex_attention"):
        return import_module(f"rushlight.nn.attention.{name}")
    raise _no_such_name("rushlight.nn.attention", name)
