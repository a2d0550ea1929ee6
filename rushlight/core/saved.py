"""Saved values that need more than usual: packed by hooks, watched by anomaly mode, looked at by users."""

import traceback
import warnings
from contextvars import ContextVar

import numpy as np

from rushlight.core.graph import FREED, Packed, TensorBase, new_tensor
from rushlight.core.modes import CURRENT
from rushlight.core.operators import LINK



def pack(tensor, packing, index):
    """What the pack hook makes of a tensor that is to be saved: output `index` of the saving node, or -1."""
    if isinstance(packing, str):
        raise RuntimeError(packing)
    pack_hook, unpack_hook = packing
    bare = tensor if tensor._node is None else tensor.detach()
    source = None
    if index < 0:
        source = new_tensor(np.empty(0, tensor._array.dtype)) if tensor._node is not None else tensor
        source._node, source._index, source._needs = tensor._node, tensor._index, tensor._needs
    version = bare._version
    content = pack_hook(bare)
    if bare._version != version:
        raise RuntimeError(
            "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook can not "
            "be modified by in-place operations as this can lead to unexpected side-effects. Please open an issue if "
            "you need to perform in-place operations on the input to a pack hook."
        )
    return Packed(content, unpack_hook, source, index)


def pack_saved(node, packing):
    """Sends all tensors that a node has just saved through the pack hook."""
    values = list(saved_values(node))
    for k, source in enumerate(node.plan.sources):
        if node.plan.is_result(k):
            values[k] = pack(new_tensor(values[k]), packing, source)
        elif isinstance(values[k], TensorBase):
            values[k] = pack(values[k], packing, -1)
    set_saved(node, values)


def saved_values(node):
    """The saved values of a node, in a tuple."""
    return node.saved if node.saved is not None else (node.saved0, node.saved1)[: len(node.plan.kinds)]


def set_saved(node, values):
    """Puts values in the places of the saved ones."""
    if node.saved is not None:
        node.saved = tuple(values)
    else:
        node.saved0, node.saved1 = (*values, None, None)[:2]


def restore(packed, node, recorded):
    """The tensor that an unpack hook gives back: raw, or with the place in the graph that the saved one had."""
    tensor = packed.unpack(packed.content)
    if not isinstance(tensor, TensorBase):
        raise TypeError(
            "Output of saved tensor unpack_hook expected to be a Tensor but got result of type "
            f"{type(tensor).__name__}"
        )
    if not recorded:
        return tensor._array
    if tensor is packed.source:
        return tensor
    if packed.index < 0 and packed.source._node is None:
        link = LINK(packed.source)
        link._array = tensor._array
        return link
    out = new_tensor(tensor._array)
    if packed.index >= 0:
        out._node, out._index, out._needs = node, packed.index, True
    else:
        out._node, out._index, out._needs = packed.source._node, packed.source._index, packed.source._needs
    return out


class SavedTensor:
    """A saved value of a node, as `_raw_saved_...` gives it: hooks can be registered on it."""

    def __init__(self, node, k):
        self.node = node
        self.k = k

    def register_hooks(self, pack_hook, unpack_hook) -> None:
        """Sends this one saved tensor through a pair of hooks, once."""
        if self.node.freed:
            raise RuntimeError(FREED)
        values = list(saved_values(self.node))
        value, is_result = values[self.k], self.node.plan.is_result(self.k)
        if isinstance(value, Packed):
            raise RuntimeError("Calling register_hooks on a saved tensor whose hooks have already been set.")
        if not isinstance(value, TensorBase) and not is_result:
            raise RuntimeError("Calling register_hooks on a saved tensor with value None is forbidden")
        packing, source = (pack_hook, unpack_hook), self.node.plan.sources[self.k]
        values[self.k] = (
            pack(new_tensor(value), packing, source) if is_result else pack(value, packing, -1)
        )  # fmt: skip
        set_saved(self.node, values)


def saved_attribute(node, name):
    """The value of `node._saved_NAME`, where NAME is the argument's (`self` for `input`), or `result`."""
    wanted = name.removeprefix("_raw").removeprefix("_saved_")
    if node.plan is not None:
        for k, source in enumerate(node.plan.sources):
            known = "result" if node.plan.is_result(k) else node.op.params[source]
            if wanted in (known, {"input": "self", "result": f"result{source}"}.get(known)):
                if name.startswith("_raw"):
                    return SavedTensor(node, k)
                if node.freed:
                    raise RuntimeError(FREED)
                return node.look_at(k)
    raise AttributeError(f"'{type(node).__name__}' object has no attribute '{name}'")


def remember_origin(node):
    """Keeps with a node the lines of the user's program that recorded it."""
    stack = [frame for frame in traceback.extract_stack() if "rushlight/core" not in frame.filename.replace("\\", "/")]
    node.metadata["traceback_"] = traceback.format_list(stack)
    node.metadata["parent_"] = RUNNING.get()


RUNNING = ContextVar("rushlight_running", default=None)  # the node whose formula runs in this context


def apply_watched(node, grad, recorded, needs):
    """A node's cotangents in anomaly mode."""
    outer = RUNNING.set(node)
    try:
        results = node.apply(grad, recorded, needs)
        if CURRENT.get().check_nan:
            refuse_nan(node, results)
    except Exception:
        tell_origin(node)
        raise
    finally:
        RUNNING.reset(outer)
    return results


def refuse_nan(node, results):
    """Raises for the first cotangent that has a NaN in it."""
    for i, result in enumerate(results):
        array = result._array if isinstance(result, TensorBase) else result
        if array is not None and np.isnan(array).any():
            raise RuntimeError(f"Function '{node.name()}' returned nan values in its {i}th output.")


def tell_origin(node):
    """Warns with the lines of the program that recorded the node whose backward failed."""
    trace = node.metadata.get("traceback_")
    if trace is None:
        warnings.warn(
            f"Error detected in {node.name()}. No forward pass information available. Enable detect anomaly during "
            "forward pass for more information.",
            stacklevel=2,
        )
        return
    warnings.warn(
        f"Error detected in {node.name()}. Traceback of forward call that caused the error:\n{''.join(trace)}",
        stacklevel=2,
    )
    parent = node.metadata.get("parent_")
    if parent is not None:
        warnings.warn(
            f"\n\nPrevious calculation was induced by {parent.name()}. Traceback of forward call that induced the "
            f"previous calculation:\n{''.join(parent.metadata.get('traceback_', []))}",
            stacklevel=2,
        )
