"""`RemoteModule`: a module in another worker, called as if it were local."""

from collections.abc import Callable
from typing import Any

from rushlight.devices import device as Device
from rushlight.distributed import rpc
from rushlight.distributed.rpc.agent import is_current
from rushlight.futures import Future
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter

__all__ = ["RemoteModule"]


def create(module_cls: Callable[..., Module], args: Any, kwargs: Any, device: str) -> Module:
    """Makes the module in its worker. ValueError if it is not a module."""
    made = module_cls(*args, **kwargs)
    if not isinstance(made, Module):
        raise ValueError(
            "Expect `module_cls(*args, **kwargs)` returns an instance of <class nn.Module>, but it returns an "
            f"instance of {type(made)}."
        )
    return made.to(device)


def parameters_of(module: rpc.RRef[Module], recurse: bool) -> list[rpc.RRef[Parameter]]:
    """References to a module's parameters, made by its worker."""
    return [rpc.RRef(parameter) for parameter in module.local_value().parameters(recurse)]


def set_mode(module: rpc.RRef[Module], training: bool) -> None:
    """Sets the training mode of a module in its worker."""
    module.local_value().train(training)


def place_of(remote_device: str) -> tuple[str | int, str]:
    """The worker (name or number) and device. ValueError for a string that does not name a worker."""
    worker, _, device = remote_device.partition("/")
    kind, colon, number = worker.partition(":")
    if not worker or "/" in device or (colon and not (kind == "rank" and number.isdigit())):
        raise ValueError(
            f"Could not parse remote_device: {remote_device}. The valid format is '<workername>/<device>' or "
            "'rank:<rank>/<device>'"
        )
    return int(number) if colon else worker, str(Device(device or "cpu"))


class RemoteModule(Module):
    """A module in another worker of `torch.distributed.rpc`: `forward` runs there, `forward_async` returns a future.

    `remote_device` is "worker", "worker/cpu" or "rank:1/cpu"; `module_cls(*args, **kwargs)` is called there. Gradients
    flow through it in a context of `torch.distributed.autograd`; `remote_parameters()` are for `DistributedOptimizer`.
    It can be passed in remote calls, without copying the module. `train` and `eval` set the module's mode; methods that
    would need its parameters or submodules locally raise ValueError. AssertionError before `init_rpc`.

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
        """A `RemoteModule` for an existing module in a worker, given by reference."""
        return refer(*checked_place(remote_device), module_rref)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The result of the module's `forward`, run in its worker."""
        return self.module_rref.rpc_sync().forward(*args, **kwargs)

    def forward_async(self, *args: Any, **kwargs: Any) -> Future[Any]:
        """A future of the result of `forward`."""
        return self.module_rref.rpc_async().forward(*args, **kwargs)

    def remote_parameters(self, recurse: bool = True) -> list[rpc.RRef[Parameter]]:
        """References to the module's parameters; without `recurse` those of submodules are left out."""
        return rpc.rpc_sync(self.on, parameters_of, (self.module_rref, recurse))

    def get_module_rref(self) -> rpc.RRef[Module]:
        """The reference to the module."""
        return self.module_rref

    def train(self, mode: bool = True) -> "RemoteModule":
        """Sets the module's training mode."""
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
    """`place_of` in a worker. AssertionError if this process is not a worker."""
    if not is_current():
        raise AssertionError("RemoteModule only works in RPC. Call torch.distributed.rpc.init_rpc first.")
    return place_of(remote_device)


def refer(on: str | int, device: str, module_rref: rpc.RRef[Module]) -> RemoteModule:
    """This worker's object for a module in another."""
    made = RemoteModule.__new__(RemoteModule)
    made._refer(on, device, module_rref)
    return made


def refused(name: str) -> Callable[..., Any]:
    """Makes a method that raises, as it is not available for remote modules."""
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
