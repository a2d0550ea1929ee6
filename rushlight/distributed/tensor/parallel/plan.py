"""`parallelize_module`: a parallel style for each layer, by name."""

from fnmatch import fnmatch

from rushlight.core.lines import warn
from rushlight.distributed.device_mesh import DeviceMesh
from rushlight.distributed.tensor.parallel.styling import ParallelStyle
from rushlight.distributed.tensor.sharded import line_of_all
from rushlight.nn.modules.module import Module

__all__ = ["parallelize_module"]


def parallelize_module(
    module: Module,
    device_mesh: DeviceMesh | None = None,
    parallelize_plan: ParallelStyle | dict[str, ParallelStyle] | None = None,
    *,
    src_data_rank: int | None = 0,
) -> Module:
    """Shards the layers of a module over a one-dimensional mesh; changes the module, and returns it.

    The plan is a style for the module itself, or a dictionary of styles by names of layers, in which `*` matches any
    part between dots. Parameters come from process `src_data_rank`. For names without a matching layer there is a
    warning. TypeError for another type of plan.
    """
    mesh = line_of_all(device_mesh)
    if mesh.ndim > 1:
        raise ValueError(f"parallelize_module takes a mesh of one dimension, but got {mesh.ndim}: slice it by a name.")
    if parallelize_plan is None:
        warn(
            "No parallelize_plan is provided and auto-parallel is not supported at the moment, so this "
            "parallelize_module call will do nothing."
        )
        return module
    if isinstance(parallelize_plan, ParallelStyle):
        parallelize_plan.src_data_rank = src_data_rank
        return parallelize_plan._apply(module, mesh)
    if not isinstance(parallelize_plan, dict):
        raise TypeError(
            "Expect Union[ParallelStyle, Dict[str, ParallelStyle]] for parallelize_plan, "
            f"{type(parallelize_plan)} found!"
        )
    for name, style in parallelize_plan.items():
        layers = submodules_at(module, name.split(".") if name else [])
        if not layers:
            warn(f"Parallelize plan key '{name}' could not be resolved: no submodule matching it in {type(module)}.")
        for layer in layers:
            parallelize_module(layer, mesh, style, src_data_rank=src_data_rank)
    return module


def submodules_at(module: Module, path: list[str]) -> list[Module]:
    """The submodules whose names match a path."""
    if not path:
        return [module]
    fitting = [child for name, child in module.named_children() if fnmatch(name, path[0])]
    return [found for child in fitting for found in submodules_at(child, path[1:])]
