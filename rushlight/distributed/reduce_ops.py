"""`ReduceOp`: how the tensors of several processes become one."""

from enum import Enum

__all__ = ["ReduceOp"]


class ReduceOp(Enum):
    """What `all_reduce`, `reduce` and `reduce_scatter` do element by element.

    `AVG` is the sum over the number of processes; `BAND`, `BOR`, `BXOR` are bitwise, for integers and booleans.

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

    def __repr__(self):
        return f"<RedOpType.{self.name}: {self.value}>"


ReduceOp.RedOpType = ReduceOp  # type: ignore[attr-defined]  # as PyTorch names the kind of its members
