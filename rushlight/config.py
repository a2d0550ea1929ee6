"""The configuration of this installation, for bug reports: `rushlight info`."""

import ctypes
import os
import platform
from collections import defaultdict
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version

from rushlight.kernels.compiled import load, names
from rushlight.machine import blas, processor, threads
from rushlight.version import rushlight as rushlight_version

CORE = ("graph", "entries", "recording", "operators", "arithmetic", "engine", "modes", "context", "formulas")
OPTIONAL = ("matplotlib", "mlxtend", "tqdm", "pillow", "torch")


def show_config() -> None:
    """Prints versions, whether the core is compiled, CPU features of each kernel, the BLAS, its kernels, and threads.

    >>> import rushlight as torch
    >>> torch.show_config()
    rushlight ...
    Python ...
    NumPy ...
    """
    for name, value in config().items():
        print(f"{name:<14}{value}")


def config() -> dict[str, str]:
    """The configuration that `show_config` prints."""
    return {
        "rushlight": rushlight_version,
        "Python": f"{platform.python_version()} on {platform.system()} {platform.machine()}",
        "NumPy": version("numpy"),
        "SciPy": version("scipy"),
        "core": core(),
        "kernels": kernels(),
        "BLAS": blas.library(),
        "BLAS kernels": blas_kernels(),
        "BLAS threads": str(blas.get_num_threads()),
        "threads": str(threads.get_num_threads()),
        "also found": ", ".join(f"{name} {found}" for name in OPTIONAL if (found := installed(name))) or "none",
    }


def blas_kernels() -> str:
    """The kernels that OpenBLAS uses, who chose them, and what to do if the CPU supports better ones."""
    kernel = blas.kernel()
    if kernel == processor.BEST and processor.CHOSEN:
        return f"{kernel} (chosen by rushlight, before NumPy was loaded)"
    if kernel in blas.WIDE_KERNELS or kernel == "unknown" or not processor.has_avx512():
        return kernel
    if processor.VARIABLE in os.environ:
        return f"{kernel} (set by {processor.VARIABLE}; with {processor.BEST} large products take half the time)"
    advice = f"import rushlight before NumPy, or set {processor.VARIABLE}={processor.BEST}"
    return f"{kernel} ({advice}: products take half the time)"


def core() -> str:
    """Whether the core runs compiled."""
    files = {name: str(import_module(f"rushlight.core.{name}").__file__) for name in CORE}
    pure = [name for name, file in files.items() if file.endswith(".py")]
    if not pure:
        return "compiled"
    return f"plain Python: {', '.join(pure)} (slower; with a C compiler, reinstall to compile them)"


def kernels() -> str:
    """The CPU features that kernels use and may use, and the kernels that are missing or not used."""
    found = defaultdict(list)
    for name in names():
        found[features_used(name)].append(name)
    return "; ".join(f"{kind}: {', '.join(some)}" for kind, some in sorted(found.items()))


def features_used(name: str) -> str:
    """The CPU features that a kernel uses."""
    module = load(name)
    if module is None:
        return "missing (NumPy instead)"
    if not getattr(module, "AVAILABLE", True):
        return f"not used (need {module.NEEDS})"
    try:
        return processor.CAPABILITIES[ctypes.c_int.in_dll(ctypes.CDLL(module.__file__), "rushlight_capability").value]
    except ValueError:  # it has no code of its own for this CPU
        return processor.CAPABILITIES[0]


def installed(name: str) -> str:
    """The version of a package; "" if it is not installed."""
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
