"""Saved values in the rarer cases: packed by hooks, or read by users."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rushlight.core.above import above
from rushlight.core.aliases import Array
from rushlight.core.errors import freed
from rushlight.core.graph import Packed, TensorBase, new_tensor
from rushlight.core.link import LINK
from rushlight.core.modes import in_grad_mode


def pack(tensor: TensorBase, packing: Sequence[Callable[..., Any]], index: int) -> Packed:
    """The pack hook's result for a tensor to be saved.

    `index` is its number if it is an output of the node, else -1.
    """
    pack_hook, unpack_hook = packing
    version = tensor._version
    with in_grad_mode(False):
        content = pack_hook(tensor)
    if tensor._version != version:
        raise RuntimeError(
            "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot "
            "be modified by in-place operations as this can lead to unexpected side-effects. Please open an issue if "
            "you need to perform in-place operations on the input to a pack hook."
        )
    return Packed(content, unpack_hook, None if index >= 0 else place_of(tensor), index)


def place_of(tensor: TensorBase) -> Any:
    """A tensor without values at another's place in the graph; a leaf itself; None if it has no place in a graph."""
    if not tensor._needs:
        return None
    if tensor._node is None:
        return tensor
    source = new_tensor(np.empty(0, tensor._array.dtype))
    source._node, source._index, source._needs = tensor._node, tensor._index, True
    return source


@above
def pack_saved(node: Any, packing: Sequence[Callable[..., Any]]) -> None:
    """Sends all tensors that a node has just saved through the pack hook."""
    for k in range(len(node.plan.sources)):
        pack_one(node, k, packing)


def pack_one(node: Any, k: int, packing: Sequence[Callable[..., Any]]) -> None:
    """Sends the k-th saved value of a node through the pack hook, if it is a tensor or a list of them."""
    values = list(saved_values(node))
    if node.plan.is_result(k):
        values[k] = pack(node.look_at(k), packing, node.plan.sources[k])
    elif isinstance(values[k], TensorBase):
        values[k] = pack(values[k], packing, -1)
    elif node.plan.is_list(k):
        values[k] = tuple((pack(tensor, packing, -1), 0) for tensor, _ in values[k])
    set_saved(node, values)


def saved_values(node: Any) -> tuple[Array, ...]:
    """The saved values of a node, in a tuple."""
    return node.saved if node.saved is not None else (node.saved0, node.saved1)[: len(node.plan.kinds)]


def set_saved(node: Any, values: Sequence[Any]) -> None:
    """Replaces the saved values of a node."""
    if node.saved is not None:
        node.saved = tuple(values)
    else:
        node.saved0, node.saved1 = (*values, None, None)[:2]


@above
def restore(packed: Packed, node: Any, recorded: bool) -> Array:
    """The tensor that an unpack hook returns: as an array, or with the saved tensor's place in the graph."""
    tensor = packed.unpack(packed.content)
    if not isinstance(tensor, TensorBase):
        raise TypeError(
            f"Output of saved tensor unpack_hook expected to be a Tensor but got result of type {type(tensor).__name__}"
        )
    if not recorded:
        return tensor._array
    source = packed.source
    if tensor is source:
        return tensor
    if packed.index < 0 and source is not None and source._node is None:
        with in_grad_mode(True):
            link = LINK(source)
        link._array = tensor._settled()
        return link
    out = new_tensor(tensor._settled())
    if packed.index >= 0:
        out._node, out._index, out._needs = node, packed.index, True
    elif source is not None:
        out._node, out._index, out._needs = source._node, source._index, True
    return out


class SavedTensor:
    """A saved value of a node, as `_raw_saved_...` returns it: hooks can be registered on it."""

    def __init__(self, node: Any, k: int):
        self.node = node
        self.k = k

    def register_hooks(self, pack_hook: Any, unpack_hook: Any) -> None:
        """Sends this one saved tensor through a pair of hooks.

        Raises RuntimeError if hooks are already registered or the value is freed; TypeError if a hook is not callable.
        """
        if not (callable(pack_hook) and callable(unpack_hook)):
            raise TypeError("register_hooks(): incompatible function arguments. Give a pack hook and an unpack hook.")
        if self.node.freed:
            raise RuntimeError(FREED_BEFORE_HOOKS)
        value = saved_values(self.node)[self.k]
        if isinstance(value, Packed):
            raise RuntimeError(
                "Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only one pair of "
                "hooks is allowed at a time."
            )
        if value is None:
            raise RuntimeError("Calling register_hooks on a saved tensor with value None is forbidden")
        if self.node.plan is None:
            self.node.pack_one(self.k, (pack_hook, unpack_hook))
        else:
            pack_one(self.node, self.k, (pack_hook, unpack_hook))


FREED_BEFORE_HOOKS = (
    "Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values of the graph are "
    "freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the "
    "graph a second time or if you need to access saved variables after calling backward."
)


@above
def saved_attribute(node: Any, name: str) -> Any:
    """The value of `node._saved_NAME`, with PyTorch's NAME for the argument (`self` for `input`), or `result`.

    None for an argument that this node did not need, though other nodes of its kind save it.
    """
    place = saved_names(node).get(name.removeprefix("_raw").removeprefix("_saved_"), MISSING)
    if place is MISSING:
        raise AttributeError(f"'{type(node).__name__}' object has no attribute '{name}'")
    if place is None:
        return None
    if node.freed:
        raise freed(node)
    return SavedTensor(node, place) if name.startswith("_raw") else as_shown(node.look_at(place))


def as_shown(value: Any) -> Any:
    """A saved value as PyTorch shows it: lists as tuples, slices as numbers, so that tools can hash it."""
    if isinstance(value, slice):
        return value.start, value.stop, value.step
    return tuple(as_shown(item) for item in value) if isinstance(value, (list, tuple)) else value


MISSING = object()


@above
def saved_names(node: Any) -> dict[str, Any]:
    """The names of the saved values of a node's kind, as in PyTorch, each with its index among what this node saved."""
    if node.plan is None:
        return {}
    everything = node.op.plan((1 << len(node.op.inputs)) - 1)
    places = {source: k for k, source in enumerate(visible(node.plan))}
    return {name_of(node.op, source): places.get(source) for source in visible(everything) if source is not None}


def visible(plan: Any) -> Any:
    """For each saved value of a plan: whether it is a result, and the number of the result or argument.

    None for shapes.
    """
    return [None if plan.is_shape(k) else (plan.is_result(k), source) for k, source in enumerate(plan.sources)]


def name_of(op: Any, source: Sequence[int]) -> str:
    """The name under which users find a saved argument or result."""
    is_result, number = source
    if is_result:
        return "indices" if number in op.nondifferentiable else f"result{number or ''}"
    name = op.params[number]
    return op.saved_as.get(name) or PYTORCH_NAMES.get(name, name)


PYTORCH_NAMES = {"input": "self", "dims": "dim"}  # unless the entry says otherwise
