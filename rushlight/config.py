"""What this installation computes with, for bug reports and for the curious: `rushlight info`."""

import platform
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version

from rushlight import blas, threads
from rushlight.version import rushlight as rushlight_version

CORE = ("graph", "operators", "arithmetic", "engine", "modes", "formulas")
OPTIONAL = ("matplotlib", "mlxtend", "tqdm", "pillow", "torch")


def show_config() -> None:
    """Prints versions, whether the core is compiled, and the BLAS with its kernels and threads."""
    for name, value in config().items():
        print(f"{name:<14}{value}")


def config() -> dict[str, str]:
    """What `show_config` prints."""
    return {
        "rushlight": rushlight_version,
        "Python": f"{platform.python_version()} on {platform.system()} {platform.machine()}",
        "NumPy": version("numpy"),
        "SciPy": version("scipy"),
        "core": core(),
        "BLAS": blas.library(),
        "BLAS kernels": blas.kernel(),
        "BLAS threads": str(blas.get_num_threads()),
        "threads": str(threads.get_num_threads()),
        "also found": ", ".join(f"{name} {found}" for name in OPTIONAL if (found := installed(name))) or "none",
    }


def core() -> str:
    """Whether the modules of the core run compiled."""
    files = {name: str(import_module(f"rushlight.core.{name}").__file__) for name in CORE}
    pure = [name for name, file in files.items() if file.endswith(".py")]
    if not pure:
        return "compiled"
    return f"plain Python: {', '.join(pure)} (slower; with a C compiler, reinstall to compile them)"


def installed(name: str) -> str:
    """The version of a package, or nothing."""
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
