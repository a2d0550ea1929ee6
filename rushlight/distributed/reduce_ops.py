"""`ReduceOp`: the operations that reduce tensors over processes."""

from enum import Enum

from rushlight.core.lines import warn

__all__ = ["ReduceOp", "reduce_op", "supports_complex"]


class ReduceOp(Enum):
    """The elementwise operation of `all_reduce`, `reduce` and `reduce_scatter`.

    `AVG` is the sum divided by the number of processes; `BAND`, `BOR`, `BXOR` are bitwise, for integers and booleans.
    `PREMUL_SUM`, a sum of multiples, exists only in NCCL: TypeError.

    >>> from rushlight.distributed import ReduceOp
    >>> ReduceOp.SUM
    <RedOpType.SUM: 0>
    """

    SUM = 0
    AVG = 1
    PRODUCT = 2
    MIN = 3
    MAX = 4
    BAND = 5
    BOR = 6
    BXOR = 7
    PREMUL_SUM = 8

    @classmethod
    def _missing_(cls, value: object) -> None:
        raise TypeError(
            f"__init__(): incompatible constructor arguments. Invoked with: {value!r}. Operations are members, as in "
            "ReduceOp.SUM."
        )

    def __repr__(self) -> str:
        return f"<RedOpType.{self.name}: {self.value}>"


ReduceOp.RedOpType = ReduceOp  # type: ignore[attr-defined]  # as PyTorch names the kind of its members


def supports_complex(reduceOp: ReduceOp) -> bool:
    """Whether an operation can reduce complex tensors: sums, averages and products can.

    >>> import rushlight.distributed as dist
    >>> dist.supports_complex(dist.ReduceOp.SUM), dist.supports_complex(dist.ReduceOp.MAX)
    (True, False)
    """
    return reduceOp in (ReduceOp.SUM, ReduceOp.AVG, ReduceOp.PRODUCT)


class _ReduceOpOfOld:
    """`torch.distributed.reduce_op`, the name of `ReduceOp` before PyTorch 1.0."""

    def __getattr__(self, name: str) -> ReduceOp:
        if name not in ReduceOp.__members__:
            raise AttributeError(name)
        warn(
            "`torch.distributed.reduce_op` is deprecated, please use `torch.distributed.ReduceOp` instead",
            FutureWarning,
        )
        return ReduceOp[name]


reduce_op: _ReduceOpOfOld = _ReduceOpOfOld()
