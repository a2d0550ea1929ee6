"""Tracing below the public functions, which rushlight does not do."""

from rushlight.absent.misses import explain_misses as _explain_misses

__all__ = ["get_proxy_mode"]


def get_proxy_mode() -> None:
    """The active trace: always None. `torch.fx.symbolic_trace` traces public functions."""


_explain_misses(globals())
