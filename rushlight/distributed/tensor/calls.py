"""Functions on DTensors: operands are redistributed so that each process can compute on its parts."""

from collections.abc import Callable
from typing import Any

from rushlight.core.above import above
from rushlight.distributed.tensor.labels import Plan, plan
from rushlight.distributed.tensor.moving import Redistribute, gradients_of
from rushlight.distributed.tensor.placements import Placement, Replicate
from rushlight.distributed.tensor.randomness import draw_into, draws
from rushlight.distributed.tensor.rules import RULES, Call
from rushlight.distributed.tensor.sharded import DTensor, of_local
from rushlight.distributed.tensor.special import SPECIAL
from rushlight.distributed.tensor.spread import Spread
from rushlight.overrides.calls import Without
from rushlight.overrides.listing import plain_name
from rushlight.size import Size
from rushlight.tensors import Tensor
from rushlight.utils.pytree import tree_map

__all__ = ["implicit_replication", "parallel_losses"]

# Functions that read or set no elements: applied to the local part.
PASSED = """
    __get__ __set__ __delete__ dim ndimension ndim dtype device layout requires_grad requires_grad_ is_leaf grad_fn
    retain_grad retains_grad is_floating_point is_complex is_signed is_contiguous is_pinned is_inference is_shared
    share_memory_ element_size data_ptr untyped_storage storage_offset detach_ output_nr names is_meta is_sparse
    is_quantized is_cpu is_cuda itemsize _version _base _backward_hooks grad_dtype has_names is_same_size
    is_conj is_neg get_device register_post_accumulate_grad_hook is_tensor is_nonzero_ is_nested is_mkldnn
    remove_hook is_coalesced is_sparse_csr volatile name __hash__ __reduce_ex__ __deepcopy__ __setstate__ __dir__
""".split()
# Functions that are linear, so that they can be applied to each term of a partial sum.
KEPT = """
    detach clone contiguous to float double half bfloat16 type data cpu alias neg negative positive __neg__ __pos__
""".split()
MIXED = (
    "{}: got mixed torch.Tensor and DTensor, need to convert all torch.Tensor to DTensor before calling distributed "
    "operators! distribute_tensor(x, mesh, placements) makes one, and torch.distributed.tensor.experimental."
    "implicit_replication() takes all tensors for ones that each process has whole."
)
implicit_replication: list[bool] = [False]  # whether ordinary tensors count as replicated
parallel_losses: list[bool] = [False]  # whether they do in these losses
LOSSES = ("cross_entropy", "nll_loss")


@above
def called_with_parts(func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Calls a function with DTensors among its arguments."""
    name = plain_name(func)
    if kwargs.get("out") is not None:
        out = kwargs.pop("out")
        return out.copy_(called_with_parts(func, args, kwargs))
    if name in SPECIAL:
        return SPECIAL[name](*args, **kwargs)
    if name in PASSED:
        with Without():
            return func(*args, **kwargs)
    if name in KEPT:
        return with_same_placement(func, args, kwargs)
    if implicit_replication[0] or (parallel_losses[0] and name in LOSSES):
        args, kwargs = replicated(args, kwargs)
    if name[-1:] == "_" and name[:1] != "_" and isinstance(args[0], DTensor):
        return changed(name, func, args, kwargs)
    operands = parts_among(name, (args, kwargs))
    found = planned(name, args, kwargs, [operand.spread for operand in operands])
    if found is None:
        return on_whole_tensors(func, args, kwargs, operands)
    labels, made = found
    local = [
        placed_for(operand, tuple(goal), tuple(arriving))
        for operand, goal, arriving in zip(operands, made.operands, made.gradients, strict=True)
    ]
    mesh, result = operands[0].device_mesh, tuple(made.result)
    if labels.resized is not None:
        spread = Spread(mesh, result, Size(labels.shape))
        return of_local(labels.resized(local[0], spread.local_shape()), spread)
    output = func(*with_parts(args, local), **with_parts(kwargs, local))
    return tree_map(
        lambda x: of_local(x, Spread(mesh, result, Size(made.whole_shape(labels, x.shape)))) if is_plain(x) else x,
        output,
    )


def is_plain(value: Any) -> bool:
    """Whether a value is a tensor and not a DTensor."""
    return isinstance(value, Tensor) and not isinstance(value, DTensor)


def replicated(args: Any, kwargs: Any) -> tuple[Any, Any]:
    """Arguments with ordinary tensors converted to replicated DTensors."""
    meshes: list[Any] = []
    tree_map(lambda x: meshes.append(x.device_mesh) if isinstance(x, DTensor) else None, (args, kwargs))
    everywhere = (Replicate(),) * meshes[0].ndim
    return tree_map(lambda x: of_local(x, Spread(meshes[0], everywhere, x.shape)) if is_plain(x) else x, (args, kwargs))


def parts_among(name: str, arguments: Any) -> list[DTensor]:
    """The DTensors among arguments. RuntimeError for ordinary tensors, and for different meshes."""
    found: list[DTensor] = []

    def look(value: Any) -> None:
        if isinstance(value, DTensor):
            found.append(value)
        elif isinstance(value, Tensor) and value.numel() != 1:
            raise RuntimeError(MIXED.format(name))

    tree_map(look, arguments)
    if any(other.device_mesh != found[0].device_mesh for other in found[1:]):
        raise RuntimeError(
            f"{name}: got DTensors on several meshes, {found[0].device_mesh} and another: bring one of them "
            "together with full_tensor()."
        )
    return found


def planned(name: str, args: tuple[Any, ...], kwargs: dict[Any, Any], spreads: list[Spread]) -> tuple[Any, Plan] | None:
    """The labels and the plan of a call; None if it must be computed on whole tensors."""
    rule = RULES.get(name)
    labels = None if rule is None else rule(Call(name, args, kwargs, [tuple(spread.shape) for spread in spreads]))
    if labels is None:
        return None
    made = plan(spreads, labels)
    return None if made is None else (labels, made)


def placed_for(operand: DTensor, goal: tuple[Placement, ...], arriving: tuple[Placement, ...]) -> Tensor:
    """The local part of an operand in the placement that a call needs; its gradient arrives in another placement."""
    part, leaving = operand.to_local(), gradients_of(operand.placements)
    if goal == operand.placements and arriving == leaving:
        return part
    return Redistribute.apply(part, operand.spread, goal, arriving, leaving)


def with_parts(tree: Any, local: list[Tensor]) -> Any:
    """Arguments with DTensors replaced by local parts, taken from the front of a list."""
    return tree_map(lambda value: local.pop(0) if isinstance(value, DTensor) else value, tree)


def on_whole_tensors(func: Callable[..., Any], args: Any, kwargs: Any, operands: list[DTensor]) -> Any:
    """Calls a function on whole tensors; results are replicated."""
    mesh = operands[0].device_mesh
    everywhere: tuple[Placement, ...] = (Replicate(),) * mesh.ndim
    local = [placed_for(operand, everywhere, everywhere) for operand in operands]
    output = func(*with_parts(args, local), **with_parts(kwargs, local))
    return tree_map(lambda x: of_local(x, Spread(mesh, everywhere, x.shape)) if is_plain(x) else x, output)


def with_same_placement(func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[Any, Any]) -> Any:
    """Calls a function that does not change the placement."""
    tensor = args[0]
    with Without():
        result = func(tensor.to_local(), *args[1:], **kwargs)
    return of_local(result, tensor.spread) if isinstance(result, Tensor) else result


def changed(name: str, func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[Any, Any]) -> DTensor:
    """An in-place change, which keeps the tensor's placement. RuntimeError if that is impossible."""
    tensor: DTensor = args[0]
    if draws(name, func):
        return draw_into(func, *args, **kwargs)
    operands = parts_among(name, (args, kwargs))
    goals = goals_in_place(name.rstrip("_"), args, kwargs, operands)
    if goals is None:
        raise RuntimeError(
            f"{name}: in-place operations that require placement changes are not supported! The tensor is placed as "
            f"{tensor.placements}: use {name.rstrip('_')}, which gives a new tensor."
        )
    local = [
        tensor.to_local(),
        *[placed_for(operand, goal, gradients_of(goal)) for operand, goal in zip(operands[1:], goals[1:], strict=True)],
    ]
    func(*with_parts(args, local), **with_parts(kwargs, local))
    return tensor


def goals_in_place(
    name: str, args: tuple[Any, ...], kwargs: dict[Any, Any], operands: list[DTensor]
) -> list[tuple[Any, ...]] | None:
    """The placements that an in-place change needs; None if the first operand would have to be redistributed."""
    first = operands[0]
    if name in ("zero", "copy", "fill", "clamp", "nan_to_num"):
        name = "add"
    if any(placement.is_partial() for placement in first.placements):
        return None
    if all(placement.is_replicate() for placement in first.placements):
        return [(Replicate(),) * first.device_mesh.ndim] * len(operands)
    whole_others = [operand.spread.otherwise([Replicate()] * first.device_mesh.ndim) for operand in operands[1:]]
    found = planned(name, args, kwargs, [first.spread, *whole_others])
    if found is None or tuple(found[1].operands[0]) != first.placements or tuple(found[1].result) != first.placements:
        return None
    return [tuple(goal) for goal in found[1].operands]
