"""`RemoteModule`: a module in another worker, called as if it were here."""

from collections.abc import Callable
from typing import Any

from rushlight.devices import device as Device
from rushlight.distributed import rpc
from rushlight.futures import Future
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter

__all__ = ["RemoteModule"]


def create(module_cls: Callable[..., Module], args: Any, kwargs: Any, device: str) -> Module:
    """Makes the module in the worker that holds it. ValueError for what is no module."""
    made = module_cls(*args, **kwargs)
    if not isinstance(made, Module):
        raise ValueError(
            "Expect `module_cls(*args, **kwargs)` returns an instance of <class nn.Module>, but it returns an "
            f"instance of {type(made)}."
        )
    return made.to(device)


def parameters_of(module: rpc.RRef[Module], recurse: bool) -> list[rpc.RRef[Parameter]]:
    """References to a module's parameters, made by the worker that holds it."""
    return [rpc.RRef(parameter) for parameter in module.local_value().parameters(recurse)]


def set_mode(module: rpc.RRef[Module], training: bool) -> None:
    """Sets a module to training or evaluation in the worker that holds it."""
    module.local_value().train(training)


def place_of(remote_device: str) -> tuple[str | int, str]:
    """The worker, by its name or number, and the device there. ValueError for what names no worker."""
    worker, _, device = remote_device.partition("/")
    kind, colon, number = worker.partition(":")
    if not worker or "/" in device or (colon and not (kind == "rank" and number.isdigit())):
        raise ValueError(
            f"Could not parse remote_device: {remote_device}. The valid format is '<workername>/<device>' or "
            "'rank:<rank>/<device>'"
        )
    return int(number) if colon else worker, str(Device(device or "cpu"))


class RemoteModule(Module):
    """A module in another worker of `torch.distributed.rpc`: `forward` runs there, `forward_async` gives a future.

    `remote_device` is "worker", "worker/cpu" or "rank:1/cpu"; there `module_cls(*args, **kwargs)` makes the module.
    Gradients go through it in a context of `torch.distributed.autograd`; `remote_parameters()` are for
    `DistributedOptimizer`. Calls may carry it, without a copy of the module. `train` and `eval` set the module's mode;
    what would need its parameters or submodules here raises ValueError. AssertionError before `init_rpc`.

    >>> import rushlight as torch
    >>> from rushlight.distributed import rpc
    >>> from rushlight.distributed.nn import RemoteModule
    >>> rpc.init_rpc("worker0", rank=0, world_size=1)
    >>> linear = RemoteModule("worker0/cpu", torch.nn.Linear, args=(20, 30))
    >>> linear(torch.ones(4, 20)).shape, linear.forward_async(torch.ones(2, 20)).wait().shape
    (torch.Size([4, 30]), torch.Size([2, 30]))
    >>> [parameter.to_here().shape for parameter in linear.remote_parameters()]
    [torch.Size([30, 20]), torch.Size([30])]
    >>> rpc.shutdown()
    """

    on: str | int
    device: str
    module_rref: rpc.RRef[Module]

    def __init__(
        self,
        remote_device: str,
        module_cls: Callable[..., Module],
        args: Any = None,
        kwargs: dict[str, Any] | None = None,
    ):
        on, device = checked_place(remote_device)
        self._refer(on, device, rpc.remote(on, create, (module_cls, args or (), kwargs or {}, device)))

    def _refer(self, on: str | int, device: str, module_rref: rpc.RRef[Module]) -> None:
        super().__init__()
        self.on, self.device, self.module_rref = on, device, module_rref

    @staticmethod
    def init_from_module_rref(remote_device: str, module_rref: rpc.RRef[Module]) -> "RemoteModule":
        """Another object for a module in a worker that a reference refers to."""
        return refer(*checked_place(remote_device), module_rref)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the module's `forward` gives, in the worker that holds it."""
        return self.module_rref.rpc_sync().forward(*args, **kwargs)

    def forward_async(self, *args: Any, **kwargs: Any) -> Future[Any]:
        """A future of what `forward` gives."""
        return self.module_rref.rpc_async().forward(*args, **kwargs)

    def remote_parameters(self, recurse: bool = True) -> list[rpc.RRef[Parameter]]:
        """References to the module's parameters; without those of its submodules if not `recurse`."""
        return rpc.rpc_sync(self.on, parameters_of, (self.module_rref, recurse))

    def get_module_rref(self) -> rpc.RRef[Module]:
        """The reference to the module."""
        return self.module_rref

    def train(self, mode: bool = True) -> "RemoteModule":
        """Sets the module to training, or to evaluation."""
        rpc.rpc_sync(self.on, set_mode, (self.module_rref, mode))
        return self

    def __repr__(self) -> str:
        return f"RemoteModule(on={self.on!r}, device={self.device!r})"

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise RuntimeError(
            "Cannot pickle RemoteModule in python pickler. RemoteModule can only be pickled when using RPC"
        )

    def _sent(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return refer, (self.on, self.device, self.module_rref)


def checked_place(remote_device: str) -> tuple[str | int, str]:
    """`place_of` in a worker. AssertionError where this process is none."""
    if not rpc._is_current_rpc_agent_set():
        raise AssertionError("RemoteModule only works in RPC. Call torch.distributed.rpc.init_rpc first.")
    return place_of(remote_device)


def refer(on: str | int, device: str, module_rref: rpc.RRef[Module]) -> RemoteModule:
    """The object of this worker for a module in another."""
    made = RemoteModule.__new__(RemoteModule)
    made._refer(on, device, module_rref)
    return made


def refused(name: str) -> Callable[..., Any]:
    """A method that a module in another worker lacks."""
    hint = " Please use ``remote_parameters`` instead." if name == "parameters" else ""

    def refuse(self: RemoteModule, *args: Any, **kwargs: Any) -> Any:
        raise ValueError(
            f"Method ``{name}`` not supported for RemoteModule.{hint or ' Call it in the worker: get_module_rref().'}"
        )

    return refuse


for _name in """
    add_module apply bfloat16 buffers children cpu cuda double extra_repr float half load_state_dict modules
    named_buffers named_children named_modules named_parameters parameters register_backward_hook register_buffer
    register_forward_hook register_forward_pre_hook register_parameter requires_grad_ share_memory state_dict to type
    zero_grad
""".split():
    setattr(RemoteModule, _name, refused(_name))
