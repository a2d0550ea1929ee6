"""Products of matrices."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight.onnx.graph import Graph
from rushlight.onnx.operators.reductions import vector_norm
from rushlight.onnx.operators.table import Operand, number, translates


@translates("mm", "bmm", "folded", "broadcast", "mv", "dot")
def matmul(g: Graph, input: Operand, other: Operand) -> Any:
    return g.node("MatMul", input, other)


@translates("mm_turned")
def mm_turned(g: Graph, input: Operand, weight: Operand) -> Any:
    return g.node("Gemm", input, weight, transB=1)


@translates("linear")
def linear(g: Graph, input: Operand, weight: Operand, bias: Operand) -> Any:
    """A matrix has its own node; other inputs are multiplied by the transposed weight."""
    if len(input.shape) == 2:
        return g.node("Gemm", input, weight, bias, transB=1)
    product = g.node("MatMul", input, g.node("Transpose", weight, perm=[1, 0]))
    return product if bias is None else g.node("Add", product, bias)


@translates("addmm", "baddbmm", "addmv")
def addmm(g: Graph, input: Operand, first: Operand, second: Operand, beta: float, alpha: float) -> Any:
    product = g.node("MatMul", first, second)
    if alpha != 1:
        product = g.node("Mul", product, number(alpha, first))
    if beta == 0:
        return product
    return g.node("Add", input if beta == 1 else g.node("Mul", input, number(beta, input)), product)


@translates("outer")
def outer(g: Graph, input: Operand, vec2: Operand) -> Any:
    return g.node("Mul", g.node("Unsqueeze", input, np.asarray([1])), g.node("Unsqueeze", vec2, np.asarray([0])))


@translates("einsum")
def einsum(g: Graph, operands: Any, subscripts: Sequence[str], output: str) -> Any:
    return g.node("Einsum", *operands, equation=f"{','.join(subscripts)}->{output}")


@translates("tensordot")
def tensordot(g: Graph, input: Operand, other: Operand, dims: Sequence[int], dims_other: Sequence[int]) -> Any:
    letters = iter("abcdefghijklmnopqrstuvwxyz")
    first = [next(letters) for _ in input.shape]
    second = [next(letters) for _ in other.shape]
    for dim, same in zip(dims_other, dims, strict=True):
        second[dim] = first[same]
    kept = [one for one in first if one not in second] + [one for one in second if one not in first]
    return g.node("Einsum", input, other, equation=f"{''.join(first)},{''.join(second)}->{''.join(kept)}")


@translates("cdist")
def cdist(g: Graph, x1: Operand, x2: Operand, p: float) -> Any:
    """The distances of all pairs of rows, from their differences."""
    apart = g.node("Sub", g.node("Unsqueeze", x1, np.asarray([-2])), g.node("Unsqueeze", x2, np.asarray([-3])))
    return vector_norm(g, apart, p, [-1], False)


@translates("det")
def det(g: Graph, input: Operand) -> Any:
    return g.node("Det", input)
