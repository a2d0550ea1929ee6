"""Control flow as functions, which PyTorch's compiler needs: `cond`, `while_loop`, `scan` and others run as Python."""

from rushlight._higher_order_ops.branches import cond
from rushlight._higher_order_ops.loops import while_loop
from rushlight._higher_order_ops.partial_results import associative_scan
from rushlight._higher_order_ops.recurrences import map, scan

__all__ = ["associative_scan", "cond", "map", "scan", "while_loop"]
