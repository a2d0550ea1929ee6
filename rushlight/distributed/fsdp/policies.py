"""In which types a sharded module computes and communicates, and where its parameters rest."""

from dataclasses import dataclass

from rushlight.dtypes import dtype as Dtype

__all__ = ["CPUOffloadPolicy", "MixedPrecisionPolicy", "OffloadPolicy"]


@dataclass(frozen=True)
class MixedPrecisionPolicy:
    """The types of a sharded module: of its parameters in use, of sums of gradients, and of its outputs.

    None leaves a type as it is. With `cast_forward_inputs` floating-point inputs are cast to `param_dtype`.
    """

    param_dtype: Dtype | None = None
    reduce_dtype: Dtype | None = None
    output_dtype: Dtype | None = None
    cast_forward_inputs: bool = True


@dataclass
class OffloadPolicy:
    """Leaves sharded parameters where they are computed with."""


@dataclass
class CPUOffloadPolicy(OffloadPolicy):
    """Keeps sharded parameters in the memory of the CPU, which is where they always are here."""

    pin_memory: bool = True
