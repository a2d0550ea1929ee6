"""`UnaryOpFuzzer`: one tensor, x."""

from typing import Any

import rushlight as torch
from rushlight.utils.benchmark.fuzzing import Fuzzer
from rushlight.utils.benchmark.op_fuzzers.sizes import entropy, operand, sizes, steps

__all__ = ["UnaryOpFuzzer"]


class UnaryOpFuzzer(Fuzzer):
    """Makes a tensor `x` of 4,096 to 32 M elements."""

    def __init__(self, seed: int | None, dtype: Any = torch.float32, cuda: bool = False):
        x = operand("x", "", dtype, cuda, min_elements=4 * 1024, max_elements=32 * 1024**2)
        super().__init__([sizes(), steps("x"), entropy()], [x], seed=seed)
