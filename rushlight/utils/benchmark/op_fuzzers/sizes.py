"""The parameters that the fuzzers of operators share: up to three sizes, powers of two among them, and steps."""

from typing import Any

import rushlight as torch
from rushlight.utils.benchmark.fuzzing import FuzzedParameter, FuzzedTensor, ParameterAlias

__all__ = ["entropy", "operand", "sizes", "steps"]

POWERS = [2**i for i in range(4, 25)]  # from 16 to 16 M
STEPS = {1: 0.8, 2: 0.06, 4: 0.06, 8: 0.04, 16: 0.04}


def sizes() -> list[FuzzedParameter]:
    """The number of dimensions, and the sizes k0, k1, k2: any, or one time in five powers of two."""
    return [
        FuzzedParameter("dim", distribution={1: 0.3, 2: 0.4, 3: 0.3}, strict=True),
        *(FuzzedParameter(f"k_any_{i}", POWERS[0], POWERS[-1], "loguniform") for i in range(3)),
        *(FuzzedParameter(f"k_pow2_{i}", distribution=dict.fromkeys(POWERS, 1 / len(POWERS))) for i in range(3)),
        *(
            FuzzedParameter(
                f"k{i}",
                distribution={ParameterAlias(f"k_any_{i}"): 0.8, ParameterAlias(f"k_pow2_{i}"): 0.2},
                strict=True,
            )
            for i in range(3)
        ),
    ]


def steps(names: str) -> list[FuzzedParameter]:
    """The steps along each dimension of the tensors of these names."""
    return [FuzzedParameter(f"{name}_step_{i}", distribution=STEPS) for i in range(3) for name in names]


def entropy() -> FuzzedParameter:
    """A number for what a program draws itself."""
    return FuzzedParameter("random_value", 0, 2**32 - 1, "uniform")


def operand(name: str, prefix: str = "", dtype: Any = torch.float32, cuda: bool = False, **limits: Any) -> FuzzedTensor:
    """A tensor of these sizes, and of x's steps, in at most 2 GB of memory."""
    return FuzzedTensor(
        name,
        size=tuple(f"{prefix}k{i}" for i in range(3)),
        steps=tuple(f"x_step_{i}" for i in range(3)),
        probability_contiguous=0.75,
        max_allocation_bytes=2 * 1024**3,
        dim_parameter="dim",
        dtype=dtype,
        cuda=cuda,
        **limits,
    )
