"""Modules that PyTorch has and rushlight does not, under PyTorch's names only: libraries import from them.

Their names stand elsewhere here, or they have no meaning here: then an object of `absent.types` stands for them, and
programs that import it run as long as they do not use it.
"""

import sys
from collections.abc import Callable
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from rushlight.absent.misses import explain_misses, no_such_name
from rushlight.absent.types import MODULES

__all__ = ["is_placed", "make_namesakes", "placed"]

# PyTorch's module, ours, and the names: NAME, or OURS=THEIRS. An indented line continues the one before.
PLACES = """
_VF: rushlight: gru gru_cell lstm lstm_cell rnn_relu rnn_relu_cell rnn_tanh rnn_tanh_cell
_compile: rushlight.compiler: disable=_disable_dynamo
_higher_order_ops.associative_scan: rushlight._higher_order_ops: associative_scan
_higher_order_ops.cond: rushlight._higher_order_ops: cond
_higher_order_ops.map: rushlight._higher_order_ops: map
_higher_order_ops.scan: rushlight._higher_order_ops: scan
_higher_order_ops.while_loop: rushlight._higher_order_ops: while_loop
_lobpcg: rushlight: lobpcg
_lowrank: rushlight: pca_lowrank svd_lowrank
_ops: rushlight.ops.overloads: OpOverload OpOverloadPacket
_vmap_internals: rushlight.func: vmap vmap=_vmap
cpu.amp.autocast_mode: rushlight.cpu.amp: autocast
cpu.amp.grad_scaler: rushlight.cpu.amp: GradScaler
cuda.amp.autocast_mode: rushlight.cuda.amp: autocast custom_bwd custom_fwd
cuda.amp.common: rushlight.cuda.amp: amp_definitely_not_available
cuda.amp.grad_scaler: rushlight.cuda.amp: GradScaler OptState
functorch.einops: rushlight.func: rearrange
multiprocessing.spawn: rushlight.multiprocessing.spawning: ProcessContext ProcessException ProcessExitedException
    ProcessRaisedException spawn start_processes
optim._multi_tensor: rushlight.optim: ASGD Adadelta Adagrad Adam AdamW Adamax NAdam RAdam RMSprop Rprop SGD
profiler.profiler: rushlight.profiler: ProfilerAction profile schedule supported_activities tensorboard_trace_handler
testing._comparison: rushlight.testing.comparison: assert_allclose assert_close
testing._creation: rushlight.testing.making: make_tensor
utils.data._utils.worker: rushlight.utils.data.worker: WorkerInfo get_worker_info
"""


def read(text: str) -> dict[str, tuple[str, dict[str, str]]]:
    """For each module of a table: ours, and our names by PyTorch's."""
    found = {}
    for line in text.strip().replace("\n    ", " ").split("\n"):
        theirs, ours, names = line.split(":")
        pairs = [name.split("=") for name in names.split()]
        found[f"rushlight.{theirs}"] = ours.strip(), {pair[-1]: pair[0] for pair in pairs}
    return found


ELSEWHERE = read(PLACES)


def is_placed(module: str) -> bool:
    """Whether a module of rushlight's is one of these.

    >>> is_placed("rushlight._lowrank"), is_placed("rushlight.export"), is_placed("rushlight.nn")
    (True, True, False)
    """
    return module in ELSEWHERE or module in MODULES


def placed(name: str) -> ModuleType:
    """One of these modules, made when it is first asked for.

    >>> import rushlight as torch
    >>> placed("rushlight._lobpcg").lobpcg is torch.lobpcg
    True
    """
    if name not in sys.modules:
        module = ModuleType(name)
        module.__spec__, module.__path__ = ModuleSpec(name, None, is_package=True), []
        explain_misses(vars(module))
        if name in ELSEWHERE:
            home, names = ELSEWHERE[name]
            vars(module).update(__all__=list(names), __getattr__=from_elsewhere(name, home, names))
        sys.modules[name] = module
    return sys.modules[name]


def make_namesakes(package: ModuleType) -> None:
    """Makes those of a package's modules that have the name of a function there.

    Python sets a module as an attribute of its package when it is first imported; these are in `sys.modules` already.
    """
    for module in ELSEWHERE:
        parent, _, name = module.rpartition(".")
        if parent == package.__name__ and name in vars(package):
            placed(module)


def from_elsewhere(module: str, home: str, names: dict[str, str]) -> Callable[[str], Any]:
    """What finds a name of a module in the module where it is."""

    def __getattr__(name: str) -> Any:
        if name not in names:
            raise no_such_name(module, name)
        return getattr(import_module(home), names[name])

    return __getattr__
