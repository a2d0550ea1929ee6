"""How many floating-point operations a call takes, by PyTorch's formulas (torch/csrc/profiler/util.cpp)."""

import math


def of_mm(shapes, args):
    """Two for each product of elements: `mm` of (m, k) and (k, n); more dimensions count as rows."""
    *rows, k = shapes[0]
    return 2 * math.prod(rows) * k * shapes[1][1]


def of_addmm(shapes, args):
    """The product alone; an input with more dimensions counts as a matrix."""
    *rows, k = shapes[1]
    return 2 * math.prod(rows) * k * shapes[2][1]


def of_bmm(shapes, args):
    """`bmm` of (b, m, k) and (b, k, n)."""
    *rows, k = shapes[0]
    return 2 * math.prod(rows) * k * shapes[1][-1]


def of_baddbmm(shapes, args):
    """The product alone."""
    return of_bmm(shapes[1:], args)


def of_conv2d(shapes, args):
    """Two for each element of the kernel, each place of the result and each pair of channels in a group."""
    (batch, channels, *sizes), (filters, _, *kernel) = shapes[0], shapes[1]
    stride, padding, dilation, groups = args[3:7]
    places = [
        (size + 2 * p - d * (k - 1) - 1) // s + 1
        for size, k, s, p, d in zip(sizes, kernel, stride, padding, dilation, strict=True)
    ]
    return 2 * batch * math.prod(places) * math.prod(kernel) * channels * filters // groups


def of_elements(shapes, args):
    """One for each element of the first argument."""
    return math.prod(shapes[0])


FORMULAS = {
    "aten::mm": of_mm,
    "aten::addmm": of_addmm,
    "aten::bmm": of_bmm,
    "aten::baddbmm": of_baddbmm,
    "aten::conv2d": of_conv2d,
    "aten::add": of_elements,
    "aten::mul": of_elements,
}


def count(name: str, shapes: list[list[int]], args: tuple) -> int:
    """The operations of a call; 0 for operators whose operations PyTorch does not count."""
    formula = FORMULAS.get(name)
    return 0 if formula is None else formula(shapes, args)
