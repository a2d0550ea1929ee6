"""What rushlight was built with, as text: `torch.__config__`."""

from rushlight.config import config

__all__ = ["parallel_info", "show"]


def show() -> str:
    """Versions, whether the core is compiled, and the BLAS with its kernels, a line each, as `show_config` prints them.

    >>> import rushlight as torch
    >>> torch.__config__.show().splitlines()[0]
    'PyTorch on rushlight with:'
    """
    return "".join(["PyTorch on rushlight with:\n", *[f"  - {name}: {value}\n" for name, value in config().items()]])


def parallel_info() -> str:
    """The numbers of threads, as text."""
    found = config()
    return f"BLAS threads : {found['BLAS threads']}\nthreads : {found['threads']}\n"
