"""Products of matrices."""

import numpy as np

from rushlight.onnx.operators.table import number, translates


@translates("mm", "bmm", "folded", "broadcast", "mv", "dot")
def matmul(g, input, other):
    return g.node("MatMul", input, other)


@translates("mm_turned")
def mm_turned(g, input, weight):
    return g.node("Gemm", input, weight, transB=1)


@translates("linear")
def linear(g, input, weight, bias):
    """A matrix has its own node; other inputs are multiplied by the transposed weight."""
    if len(input.shape) == 2:
        return g.node("Gemm", input, weight, bias, transB=1)
    product = g.node("MatMul", input, g.node("Transpose", weight, perm=[1, 0]))
    return product if bias is None else g.node("Add", product, bias)


@translates("addmm", "baddbmm", "addmv")
def addmm(g, input, first, second, beta, alpha):
    product = g.node("MatMul", first, second)
    if alpha != 1:
        product = g.node("Mul", product, number(alpha, first))
    if beta == 0:
        return product
    return g.node("Add", input if beta == 1 else g.node("Mul", input, number(beta, input)), product)


@translates("outer")
def outer(g, input, vec2):
    return g.node("Mul", g.node("Unsqueeze", input, np.asarray([1])), g.node("Unsqueeze", vec2, np.asarray([0])))


@translates("einsum")
def einsum(g, operands, subscripts, output):
    return g.node("Einsum", *operands, equation=f"{','.join(subscripts)}->{output}")


@translates("tensordot")
def tensordot(g, input, other, dims, dims_other):
    letters = iter("abcdefghijklmnopqrstuvwxyz")
    first = [next(letters) for _ in input.shape]
    second = [next(letters) for _ in other.shape]
    for dim, same in zip(dims_other, dims, strict=True):
        second[dim] = first[same]
    kept = [one for one in first if one not in second] + [one for one in second if one not in first]
    return g.node("Einsum", input, other, equation=f"{''.join(first)},{''.join(second)}->{''.join(kept)}")
