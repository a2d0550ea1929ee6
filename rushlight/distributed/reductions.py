"""Reductions between processes: the dtype of their arithmetic, and their results."""

from typing import Any

import numpy as np

from rushlight.core.kinds import is_half
from rushlight.distributed import mpi
from rushlight.distributed.reduce_ops import ReduceOp

__all__ = ["Reduction"]

UNFIT = "(): incompatible function arguments."


class Reduction:
    """One reduction of arrays of a dtype: `widen` before it, MPI's `op`, `narrow` after it.

    float16 and bfloat16 are reduced in float32, to keep precision.
    """

    def __init__(self, op: ReduceOp, dtype: np.dtype, size: int):
        if not isinstance(op, ReduceOp):
            raise TypeError(f"{UNFIT} op has to be a ReduceOp, such as ReduceOp.SUM, but got {type(op).__name__}")
        if op is ReduceOp.PREMUL_SUM:
            raise TypeError(f"{UNFIT} ReduceOp.PREMUL_SUM is NCCL's: multiply first, then take ReduceOp.SUM.")
        if op is ReduceOp.AVG and dtype.kind in "iub":
            raise RuntimeError(
                f"result type Float can't be cast to the desired output type: ReduceOp.AVG of {dtype} tensors would be "
                "cut off. Convert them to a floating-point type, or use ReduceOp.SUM."
            )
        self.dtype = np.dtype(np.float32) if is_half(dtype) else dtype
        self.op: Any = mpi.operation(op, self.dtype)
        self.size: int = size if op is ReduceOp.AVG else 1

    def widen(self, array: np.ndarray) -> np.ndarray:
        """An array cast to the dtype of the reduction."""
        return array.astype(self.dtype, copy=False)

    def narrow(self, array: np.ndarray) -> np.ndarray:
        """The result of the reduction, divided for an average; still in the wider dtype."""
        if self.size > 1:
            np.divide(array, self.size, out=array)
        return array
