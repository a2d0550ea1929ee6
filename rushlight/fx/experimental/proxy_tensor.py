"""Tracing below the functions that programs call: nothing is traced so."""

from rushlight.absent.misses import explain_misses as _explain_misses

__all__ = ["get_proxy_mode"]


def get_proxy_mode() -> None:
    """The trace that is being recorded: none is. `torch.fx.symbolic_trace` traces the functions that are called."""


_explain_misses(globals())
