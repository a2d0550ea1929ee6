"""`fully_shard`: shards a module's parameters, gradients and optimizer state over processes."""

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
from rushlight.utils.pytree import tree_map
from rushlight.utils.recomputation import AROUND

__all__ = ["FSDPModule", "UnshardHandle", "fully_shard", "register_fsdp_forward_method"]


class FSDPModule:
    """A class that `fully_shard` adds to a module's."""

    _shards: Shards
    _reshards: bool

    def unshard(self, async_op: bool = False) -> "UnshardHandle | None":
        """Gathers the parameters until `reshard`; with `async_op` when the returned handle is waited for.

        All processes must call it.
        """
        if async_op:
            return UnshardHandle(self._shards)
        self._shards.show()
        return None

    def reshard(self) -> None:
        """Reduces the parameters to the rows of each process."""
        self._shards.hide()

    def set_modules_to_forward_prefetch(self, modules: list["FSDPModule"]) -> None:
        """Sets the modules whose parameters are gathered together with this one's in forward.

        ValueError for modules that are not sharded.
        """
        self._shards.next_forward = [module._shards for module in sharded(modules)]

    def set_modules_to_backward_prefetch(self, modules: list["FSDPModule"]) -> None:
        """Sets the modules whose parameters are gathered together with this one's in backward."""
        self._shards.next_backward = [module._shards for module in sharded(modules)]

    def set_requires_gradient_sync(self, requires_gradient_sync: bool, *, recurse: bool = True) -> None:
        """With False, each process accumulates its own gradients, until a backward pass with True averages them."""
        for module in self.modules() if recurse else [self]:  # type: ignore[attr-defined]  # a Module too
            if isinstance(module, FSDPModule):
                module._shards.syncs = requires_gradient_sync

    def set_gradient_divide_factor(self, factor: float) -> None:
        """Sets the divisor of this module's summed gradients, by default the number of processes."""
        self._shards.divisor = factor

    def set_reshard_after_forward(self, reshard_after_forward: bool, recurse: bool = True) -> None:
        """Sets whether parameters are resharded between forward and backward."""
        for module in self.modules() if recurse else [self]:  # type: ignore[attr-defined]  # a Module too
            if isinstance(module, FSDPModule):
                module._reshards = reshard_after_forward


class UnshardHandle:
    """The handle that `unshard(async_op=True)` returns."""

    def __init__(self, shards: Shards):
        self._shards = shards

    def wait(self) -> None:
        """Gathers the parameters. All processes must call it."""
        self._shards.show()


def sharded(modules: list[Any]) -> list[FSDPModule]:
    """Checks that modules are sharded: ValueError if one is not."""
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
    """Shards a module: each process keeps some rows of each parameter. Changes the module, and returns it.

    Parameters are whole only while the module's forward or backward runs; then gradients are averaged, and each process
    keeps those of its rows. Optimizers made afterwards hold the state of these rows only. Call it on the blocks of a
    network first and on the network last: parameters that a block has sharded are left out then.

    `reshard_after_forward=False` keeps parameters whole until backward: more memory, less communication. It is the
    default for the outermost module. `mesh` is the process group, or a one-dimensional mesh; by default all processes.
    With a two-dimensional mesh parameters are replicated along the first dimension and sharded along the second.
    NotImplementedError for unsupported options. Source: Y. Zhao et al., "PyTorch FSDP", 2023.
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
    """Makes a method of a sharded module gather its parameters as `forward` does.

    AttributeError if there is no such method. Modules that are not sharded are not changed.
    """
    if not hasattr(module, method_name):
        raise AttributeError(f"{type(module)} does not have a method {method_name}")
    if isinstance(module, FSDPModule):
        setattr(module, method_name, MethodType(sharded_forward(getattr(type(module), method_name)), module))


def sharded_forward(forward: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps a module's `forward`: gathers the parameters before, and reshards them after if wanted."""

    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
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


DEPTH: list[Module] = []  # the sharded modules whose forward is running, outermost first


def shown_again() -> Callable[[], AbstractContextManager[None]]:
    """Makes contexts that gather the parameters which are whole now, for recomputation in backward."""
    return partial(all_shown, [module.__dict__["_shards"] for module in DEPTH])


@contextmanager
def all_shown(inside: list[Shards]) -> Iterator[None]:
    """A context with whole parameters; they stay in memory, since backward continues with them."""
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
    """Casts nested floating-point tensors to another dtype; other values are unchanged."""
    return tree_map(lambda x: x.to(dtype) if isinstance(x, Tensor) and x.is_floating_point() else x, tree)
