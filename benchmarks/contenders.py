"""The libraries that are compared, with their settings: how each is loaded, and how it describes itself."""

import importlib
import importlib.util
import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

RUSHLIGHT = Path(importlib.util.find_spec("rushlight").origin).parent  # in the clone, or where it is installed


@dataclass(frozen=True)
class Contender:
    """A library, its modules that forms use, and what its process does before that rushlight does on import.

    A step is called `calls` times before it is timed, but no more once these took `patience` seconds.
    """

    title: str
    modules: tuple[str, ...]
    helps: tuple[Callable[[], None], ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    calls: int = 2
    patience: float = 0.1

    @property
    def settles(self) -> bool:
        """Whether its first calls are others than those that follow: they are recorded, or compared."""
        return self.calls == SETTLED["calls"]

    @property
    def installed(self) -> bool:
        """Whether the library, and what it needs, can be imported; a folder of the same name, of tests say, is none."""
        found = [importlib.util.find_spec(name) for name in (self.modules[0], *self.needs)]
        return all(one is not None and one.origin is not None for one in found)

    def load(self):
        """The module that forms are made with."""
        for help in self.helps:
            help()
        for name in self.modules:
            importlib.import_module(name)
        return sys.modules[self.modules[0]]

    def describe(self) -> str:
        """Its version and what it computes with."""
        describe = DESCRIPTIONS.get(self.modules[0])
        return describe() if describe else version(self.modules[0])


def installed(names: Iterable[str]) -> list[str]:
    """Those of some contenders that are installed."""
    return [name for name in names if CONTENDERS[name].installed]


def part_of_rushlight(name: str):
    """A module of `rushlight.machine` on its own, in a process that has no rushlight."""
    found = importlib.util.spec_from_file_location(name, RUSHLIGHT / "machine" / f"{name}.py")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def keep_blocks() -> None:
    """Has glibc keep freed blocks of memory."""
    part_of_rushlight("memory").keep_blocks_as_configured()


def choose_kernels() -> None:
    """Has OpenBLAS take the kernels that rushlight lets it take."""
    part_of_rushlight("processor").choose_blas_kernels()


def describe_numpy() -> str:
    """NumPy's version, its BLAS and the kernels that this chose."""
    blas = part_of_rushlight("blas")
    threads = blas.get_num_threads()
    return f"NumPy {version('numpy')}, BLAS {blas.library()} with {blas.kernel()} kernels, threads {threads}"


def describe_rushlight() -> str:
    """Its version, whether it is compiled, and NumPy's."""
    from rushlight.config import config

    found = config()
    return f"{found['rushlight']}, core {found['core']}, threads {found['threads']}; {describe_numpy()}"


def describe_autograd() -> str:
    """Its version and NumPy's."""
    return f"{version('autograd')}; {describe_numpy()}"


def describe_torch() -> str:
    """PyTorch's version, its BLAS and the kernels that it chose."""
    import torch

    libraries = re.findall(r"(Math Kernel Library|MKL-DNN|OpenBLAS)[^\d]*([\d.]+)", torch.__config__.show())
    names = {"Math Kernel Library": "MKL", "MKL-DNN": "oneDNN"}
    built = " and ".join(f"{names.get(name, name)} {number}" for name, number in libraries)
    kernels = torch.backends.cpu.get_cpu_capability()
    return f"{torch.__version__}, {built} with {kernels} kernels, threads {torch.get_num_threads()}"


DESCRIPTIONS = {
    "rushlight": describe_rushlight,
    "torch": describe_torch,
    "autograd": describe_autograd,
    "numpy": describe_numpy,
}
# The calls of rushlight's compiled functions are timed against eager ones first, and checked at the replays 10 and 100.
SETTLED = {"calls": 110, "patience": 30.0}
IN_PROCESS = {"TORCHINDUCTOR_COMPILE_THREADS": "1"}  # or a pool of processes stays about
CONTENDERS = {
    "rushlight": Contender("rushlight", ("rushlight",)),
    "rushlight, walker": Contender("rushlight, compiled", ("rushlight",), **SETTLED),
    "rushlight, llvm": Contender("rushlight, compiled with LLVM", ("rushlight",), needs=("llvmlite",), **SETTLED),
    "torch": Contender("PyTorch", ("torch",)),
    "torch, blocks kept": Contender("PyTorch, blocks kept", ("torch",), (keep_blocks,)),
    "torch.compile": Contender("torch.compile", ("torch",), environment=IN_PROCESS),
    "jax": Contender("JAX", ("jax", "jax.scipy.special"), environment={"JAX_PLATFORMS": "cpu"}),
    "autograd": Contender("HIPS autograd", ("autograd", "autograd.numpy", "autograd.scipy.special")),
    "numpy": Contender("NumPy by hand", ("numpy",), (keep_blocks, choose_kernels)),
}
