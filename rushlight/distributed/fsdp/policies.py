"""The dtypes in which a sharded module computes and communicates, and where its parameters are kept."""

from dataclasses import dataclass

from rushlight.dtypes import dtype as Dtype

__all__ = ["CPUOffloadPolicy", "MixedPrecisionPolicy", "OffloadPolicy"]


@dataclass(frozen=True)
class MixedPrecisionPolicy:
    """The dtypes of a sharded module: of its parameters in computation, of gradient reduction, and of its outputs.

    None leaves a dtype unchanged. With `cast_forward_inputs` floating-point inputs are cast to `param_dtype`.
    """

    param_dtype: Dtype | None = None
    reduce_dtype: Dtype | None = None
    output_dtype: Dtype | None = None
    cast_forward_inputs: bool = True


@dataclass
class OffloadPolicy:
    """Keeps sharded parameters on the device of the computation."""


@dataclass
class CPUOffloadPolicy(OffloadPolicy):
    """Keeps sharded parameters on the CPU, where they always are here."""

    pin_memory: bool = True
