"""Redistributing the inputs and outputs of a module."""

from typing import Any

from rushlight.distributed.device_mesh import DeviceMesh
from rushlight.distributed.tensor.parallel.styling import ParallelStyle, as_wanted, local_or_not
from rushlight.distributed.tensor.placements import Placement
from rushlight.nn.modules.module import Module
from rushlight.tensors import Tensor

__all__ = ["PrepareModuleInput", "PrepareModuleInputOutput", "PrepareModuleOutput"]

Layouts = Placement | tuple[Placement | None, ...] | None


def listed(layouts: Layouts) -> tuple[Placement | None, ...] | None:
    """Layouts as a tuple."""
    return (layouts,) if isinstance(layouts, Placement) else layouts


def brought(
    values: tuple[Any, ...],
    given: tuple[Placement | None, ...],
    wanted: tuple[Placement | None, ...],
    mesh: DeviceMesh,
    local: bool,
) -> tuple[Any, ...]:
    """Values redistributed to the desired placements; those without a layout are unchanged."""
    if len(values) != len(given):
        raise ValueError(f"module inputs and input_layouts should have same length! {len(values)} and {len(given)}")
    return tuple(
        value if place is None else local_or_not(as_wanted(value, mesh, place, goal), local)
        for value, place, goal in zip(values, given, wanted, strict=True)
    )


class PrepareModuleInput(ParallelStyle):
    """Makes DTensors of a module's inputs, according to `input_layouts`, and redistributes them to the desired layouts.

    There is a layout for each argument, None for no change; layouts of keyword arguments are given by name.
    """

    def __init__(
        self,
        *,
        input_layouts: Layouts = None,
        desired_input_layouts: Layouts = None,
        input_kwarg_layouts: dict[str, Placement] | None = None,
        desired_input_kwarg_layouts: dict[str, Placement] | None = None,
        use_local_output: bool = False,
    ):
        self.input_layouts: tuple[Placement | None, ...] | None = listed(input_layouts)
        self.desired_input_layouts: tuple[Placement | None, ...] | None = listed(desired_input_layouts)
        self.input_kwarg_layouts: dict[str, Placement] = input_kwarg_layouts or {}
        self.desired_input_kwarg_layouts: dict[str, Placement] = desired_input_kwarg_layouts or {}
        self.use_local_output = use_local_output
        if self.input_layouts is not None:
            if self.desired_input_layouts is None:
                raise AssertionError("desired module inputs should not be None!")
            if len(self.input_layouts) != len(self.desired_input_layouts):
                raise AssertionError("input_layouts and desired_input_layouts should have same length!")

    def _prepared(
        self, inputs: tuple[Any, ...], kwargs: dict[str, Any], mesh: DeviceMesh
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        if self.input_layouts is not None:
            inputs = brought(inputs, self.input_layouts, self.desired_input_layouts or (), mesh, self.use_local_output)
        wanted = self.desired_input_kwarg_layouts
        named = {
            name: local_or_not(as_wanted(kwargs[name], mesh, place, wanted.get(name)), self.use_local_output)
            for name, place in self.input_kwarg_layouts.items()
            if isinstance(kwargs.get(name), Tensor)
        }
        return inputs, {**kwargs, **named}

    def _apply(self, module: Module, device_mesh: DeviceMesh) -> Module:
        module.register_forward_pre_hook(
            lambda module, inputs, kwargs: self._prepared(inputs, kwargs, device_mesh), with_kwargs=True
        )
        return module


class PrepareModuleOutput(ParallelStyle):
    """Makes DTensors of a module's outputs, by `output_layouts`, and redistributes them to the desired layouts."""

    output_layouts: tuple[Placement | None, ...] | None
    desired_output_layouts: tuple[Placement | None, ...] | None

    def __init__(self, *, output_layouts: Layouts, desired_output_layouts: Layouts, use_local_output: bool = True):
        self.output_layouts, self.desired_output_layouts = listed(output_layouts), listed(desired_output_layouts)
        self.use_local_output = use_local_output
        if len(self.output_layouts or ()) != len(self.desired_output_layouts or ()):
            raise AssertionError("output_layouts and desired_output_layouts should have same length!")

    def _prepared(self, outputs: Any, mesh: DeviceMesh) -> Any:
        several = outputs if isinstance(outputs, tuple) else (outputs,)
        given, wanted = self.output_layouts or (), self.desired_output_layouts or ()
        made = brought(several, given, wanted, mesh, self.use_local_output)
        return made if isinstance(outputs, tuple) else made[0]

    def _apply(self, module: Module, device_mesh: DeviceMesh) -> Module:
        module.register_forward_hook(lambda module, inputs, outputs: self._prepared(outputs, device_mesh))
        return module


class PrepareModuleInputOutput(ParallelStyle):
    """`PrepareModuleInput` and `PrepareModuleOutput` combined."""

    def __init__(
        self,
        *,
        input_layouts: Layouts = None,
        desired_input_layouts: Layouts = None,
        input_kwarg_layouts: dict[str, Placement] | None = None,
        desired_input_kwarg_layouts: dict[str, Placement] | None = None,
        use_local_input: bool = False,
        output_layouts: Layouts,
        desired_output_layouts: Layouts,
        use_local_output: bool = True,
    ):
        self.prepare_module_input: PrepareModuleInput = PrepareModuleInput(
            input_layouts=input_layouts,
            desired_input_layouts=desired_input_layouts,
            input_kwarg_layouts=input_kwarg_layouts,
            desired_input_kwarg_layouts=desired_input_kwarg_layouts,
            use_local_output=use_local_input,
        )
        self.prepare_module_output: PrepareModuleOutput = PrepareModuleOutput(
            output_layouts=output_layouts,
            desired_output_layouts=desired_output_layouts,
            use_local_output=use_local_output,
        )

    def _apply(self, module: Module, device_mesh: DeviceMesh) -> Module:
        return self.prepare_module_output._apply(self.prepare_module_input._apply(module, device_mesh), device_mesh)
