"""Who takes part: each library in a setting, how it is loaded, and what it says about itself."""

import importlib
import importlib.util
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

MEMORY = Path(__file__).parent.parent / "rushlight" / "memory.py"


@dataclass(frozen=True)
class Contender:
    """A library, its modules that forms use, and whether glibc is told to keep its freed blocks as rushlight's are."""

    title: str
    modules: tuple[str, ...]
    keeps_blocks: bool = False
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def installed(self) -> bool:
        """Whether the library can be imported."""
        return importlib.util.find_spec(self.modules[0]) is not None

    def load(self):
        """The module that forms are made with."""
        if self.keeps_blocks:
            keep_blocks()
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


def keep_blocks() -> None:
    """What rushlight does on import, in a process that has no rushlight: `rushlight/memory.py` on its own."""
    found = importlib.util.spec_from_file_location("memory", MEMORY)
    memory = importlib.util.module_from_spec(found)
    found.loader.exec_module(memory)
    memory.keep_blocks_as_configured()


def describe_rushlight() -> str:
    """Its version, whether it is compiled, NumPy's BLAS and the kernels that this chose."""
    from rushlight.config import config

    found = config()
    numpy = f"NumPy {found['NumPy']}, BLAS {found['BLAS']} with {found['BLAS kernels']} kernels"
    return f"{found['rushlight']}, core {found['core']}; {numpy}; threads {found['threads']}"


def describe_torch() -> str:
    """PyTorch's version, its BLAS and the kernels that it chose."""
    import torch

    libraries = re.findall(r"(Math Kernel Library|MKL-DNN|OpenBLAS)[^\d]*([\d.]+)", torch.__config__.show())
    names = {"Math Kernel Library": "MKL", "MKL-DNN": "oneDNN"}
    built = " and ".join(f"{names.get(name, name)} {number}" for name, number in libraries)
    kernels = torch.backends.cpu.get_cpu_capability()
    return f"{torch.__version__}, {built} with {kernels} kernels; threads {torch.get_num_threads()}"


DESCRIPTIONS = {"rushlight": describe_rushlight, "torch": describe_torch}
IN_PROCESS = {"TORCHINDUCTOR_COMPILE_THREADS": "1"}  # or a pool of processes stays about
CONTENDERS = {
    "rushlight": Contender("rushlight", ("rushlight",)),
    "torch": Contender("PyTorch", ("torch",)),
    "torch, blocks kept": Contender("PyTorch, blocks kept", ("torch",), keeps_blocks=True),
    "torch.compile": Contender("torch.compile", ("torch",), environment=IN_PROCESS),
    "jax": Contender("JAX", ("jax", "jax.scipy.special"), environment={"JAX_PLATFORMS": "cpu"}),
    "autograd": Contender("HIPS autograd", ("autograd", "autograd.numpy", "autograd.scipy.special")),
    "numpy": Contender("NumPy by hand", ("numpy",), keeps_blocks=True),
}
