"""`fully_shard`: shares a module's parameters, gradients and optimizer state out among processes."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from types import MethodType
from typing import Any

from rushlight.autograd import is_grad_enabled
from rushlight.autograd.graph import saved_tensors_hooks
from rushlight.distributed.device_mesh import DeviceMesh
from rushlight.distributed.fsdp.policies import MixedPrecisionPolicy, OffloadPolicy
from rushlight.distributed.fsdp.shards import Shards
from rushlight.distributed.groups import here
from rushlight.dtypes import dtype as Dtype
from rushlight.nn.modules.module import Module
from rushlight.nn.parallel.leaves import leaves_of
from rushlight.tensors import Tensor
from rushlight.utils.checkpoint import AROUND
from rushlight.utils.pytree import tree_map

__all__ = ["FSDPModule", "UnshardHandle", "fully_shard", "register_fsdp_forward_method"]


class FSDPModule:
    """What a module is too, once `fully_shard` has been called on it."""

    _shards: Shards
    _reshards: bool

    def unshard(self, async_op: bool = False) -> "UnshardHandle | None":
        """Brings the parameters together until `reshard`; with `async_op` when the handle that it gives is waited for.

        All processes have to call it.
        """
        if async_op:
            return UnshardHandle(self._shards)
        self._shards.show()
        return None

    def reshard(self) -> None:
        """Leaves each process with its rows of the parameters."""
        self._shards.hide()

    def set_modules_to_forward_prefetch(self, modules: list["FSDPModule"]) -> None:
        """Names the modules whose parameters are brought together with this one's in the forward pass.

        ValueError for modules that are not sharded.
        """
        self._shards.next_forward = [module._shards for module in sharded(modules)]

    def set_modules_to_backward_prefetch(self, modules: list["FSDPModule"]) -> None:
        """The same for the backward pass."""
        self._shards.next_backward = [module._shards for module in sharded(modules)]

    def set_requires_gradient_sync(self, requires_gradient_sync: bool, *, recurse: bool = True) -> None:
        """With False, gradients are added up in each process alone, until a backward pass with True averages them."""
        for module in self.modules() if recurse else [self]:  # type: ignore[attr-defined]  # a Module too
            if isinstance(module, FSDPModule):
                module._shards.syncs = requires_gradient_sync

    def set_gradient_divide_factor(self, factor: float) -> None:
        """Has the sums of this module's gradients divided by another number than that of the processes."""
        self._shards.divisor = factor

    def set_reshard_after_forward(self, reshard_after_forward: bool, recurse: bool = True) -> None:
        """Tells whether parameters are given back between the forward and the backward pass."""
        for module in self.modules() if recurse else [self]:  # type: ignore[attr-defined]  # a Module too
            if isinstance(module, FSDPModule):
                module._reshards = reshard_after_forward


class UnshardHandle:
    """What `unshard(async_op=True)` gives."""

    def __init__(self, shards: Shards):
        self._shards = shards

    def wait(self) -> None:
        """Brings the parameters together. All processes have to call it."""
        self._shards.show()


def sharded(modules: list[Any]) -> list[FSDPModule]:
    """The modules. ValueError for one that is not sharded."""
    for module in modules:
        if not isinstance(module, FSDPModule):
            raise ValueError(f"Expects FSDPModule but got {type(module).__name__}: call fully_shard on it first.")
    return modules


def fully_shard(
    module: Module,
    *,
    mesh: Any = None,
    reshard_after_forward: bool | int | None = None,
    shard_placement_fn: Callable[..., Any] | None = None,
    mp_policy: MixedPrecisionPolicy | None = None,
    offload_policy: OffloadPolicy | None = None,
    ignored_params: set[Tensor] | None = None,
) -> Module:
    """Leaves each process with some rows of each parameter of a module; gives the module, which is changed.

    Parameters are whole only while the module's forward or backward pass runs; then gradients are averaged, and each
    process keeps those of its rows. Optimizers made afterwards keep the state of these rows only. Call it on the
    blocks of a network first and on the network last: what a block shares out, the network leaves alone.

    `reshard_after_forward=False` keeps parameters whole until the backward pass: more memory, less communication. It is
    the default for the outermost module. `mesh` is the process group, or a mesh of one dimension; all by default. Along
    the first dimension of a mesh of two there are replicas, each of which is sharded along the second.
    NotImplementedError for what is not supported. Source: Y. Zhao et al., "PyTorch FSDP", 2023.
    """
    if shard_placement_fn is not None:
        raise NotImplementedError(
            "shard_placement_fn is not supported: parameters are cut along their first dimension."
        )
    if isinstance(reshard_after_forward, int) and not isinstance(reshard_after_forward, bool):
        raise NotImplementedError("reshard_after_forward takes True or False; smaller meshes are not supported.")
    if isinstance(module, FSDPModule):
        raise ValueError(f"fully_shard has been called on this {type(module).__name__} already.")
    if not isinstance(mesh, DeviceMesh):
        mesh = DeviceMesh.from_group(here(mesh), "cpu")
    if mesh.ndim > 2:
        raise ValueError(f"fully_shard expects a 1D or 2D DeviceMesh but got {mesh}")
    policy = mp_policy or MixedPrecisionPolicy()
    ignored = {id(parameter) for parameter in ignored_params or ()}
    module.__dict__["_shards"] = Shards(module, mesh, policy, ignored)
    module.__dict__["_reshards"] = reshard_after_forward
    cls = type(module)
    module.__class__ = type(f"FSDP{cls.__name__}", (FSDPModule, cls), {"forward": sharded_forward(cls.forward)})
    return module


def register_fsdp_forward_method(module: Module, method_name: str) -> None:
    """Has a method of a sharded module bring its parameters together as `forward` does.

    AttributeError where there is no such method. Modules that are not sharded stay as they are.
    """
    if not hasattr(module, method_name):
        raise AttributeError(f"{type(module)} does not have a method {method_name}")
    if isinstance(module, FSDPModule):
        setattr(module, method_name, MethodType(sharded_forward(getattr(type(module), method_name)), module))


def sharded_forward(forward: Callable[..., Any]) -> Callable[..., Any]:
    """A module's `forward` with whole parameters, after which only rows are left where that is wanted."""

    def run(self, *args: Any, **kwargs: Any) -> Any:
        shards: Shards = self._shards
        policy = shards.policy
        if policy.param_dtype is not None and policy.cast_forward_inputs:
            args, kwargs = cast((args, kwargs), policy.param_dtype)
        outermost = not DEPTH
        DEPTH.append(self)
        shards.show()
        for ahead in shards.next_forward:
            ahead.gather()
        try:
            with saved_tensors_hooks(shards.pack, shards.unpack):
                output = forward(self, *args, **kwargs)
        finally:
            DEPTH.pop()
            reshards = not outermost if self._reshards is None else self._reshards
            if reshards or not is_grad_enabled():
                shards.hide()
        if outermost and is_grad_enabled():
            used = {id(leaf) for leaf in leaves_of(output)}
            for module in self.modules():
                if "_shards" in module.__dict__:
                    module._shards.skip_unused(used)
        return output if policy.output_dtype is None else cast(output, policy.output_dtype)

    return run


DEPTH: list[Module] = []  # the sharded modules whose forward pass runs, the outermost first


def shown_again() -> Callable[[], AbstractContextManager[None]]:
    """Makes contexts in which parameters that are whole now are so again, for calls that the backward pass makes."""
    return partial(all_shown, [module.__dict__["_shards"] for module in DEPTH])


@contextmanager
def all_shown(inside: list[Shards]) -> Iterator[None]:
    """A context with whole parameters; their memory stays, as the backward pass goes on with them."""
    hidden = [shards for shards in inside if not shards.is_shown()]
    for shards in hidden:
        shards.show()
    try:
        yield
    finally:
        for shards in hidden:
            shards.put_rows()


AROUND.append(shown_again)


def cast(tree: Any, dtype: Dtype) -> Any:
    """Nested tensors in another floating-point type; integers and what is no tensor stay as they are."""
    return tree_map(lambda x: x.to(dtype) if isinstance(x, Tensor) and x.is_floating_point() else x, tree)
