"""`BinaryOpFuzzer`: two tensors, x and y, of which y is sometimes broadcast."""

from typing import Any

import rushlight as torch
from rushlight.utils.benchmark.fuzzing import FuzzedParameter, Fuzzer, ParameterAlias
from rushlight.utils.benchmark.op_fuzzers.sizes import entropy, operand, sizes, steps

__all__ = ["BinaryOpFuzzer"]


class BinaryOpFuzzer(Fuzzer):
    """Makes a tensor `x` of 4,096 to 32 M elements, and `y` of the same sizes, each of which may be 1."""

    def __init__(self, seed: int | None, dtype: Any = torch.float32, cuda: bool = False):
        broadcast = [
            FuzzedParameter(f"y_k{i}", distribution={ParameterAlias(f"k{i}"): 0.8, 1: 0.2}, strict=True)
            for i in range(3)
        ]
        x = operand("x", "", dtype, cuda, min_elements=4 * 1024, max_elements=32 * 1024**2)
        y = operand("y", "y_", dtype, cuda)
        super().__init__([sizes(), broadcast, steps("xy"), entropy()], [x, y], seed=seed)
