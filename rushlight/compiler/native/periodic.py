"""Sine and cosine of vectors in LLVM IR, exact to 2 units in the last place.

An angle is n quarter turns plus a remainder of at most an eighth turn; a quarter turn is subtracted in three parts,
after Sun's fdlibm. The polynomials of the remainder are those of Cephes for floats, Sun's for doubles. Where a b + c is
rounded only once, subtracting the first part is exact for floats; elsewhere their remainder is computed in double
precision. This holds for angles up to `FAR`: a vector with a larger one uses the functions of the C library.
"""

from typing import Any

from rushlight.compiler.native.vectors import Vectors

FAR = {True: 1e5, False: 1e6}
QUARTER = (1.57079632673412561417, 6.07710050630396597660e-11, 2.02226624879595063154e-21)  # in parts of 33 bits
QUARTER_OF_FLOATS = [1.5707962512969971, 7.5497894158615964e-08, 5.3903025299577648e-15]
TURNED = 6755399441055744.0  # 1.5 2**52: adding it rounds a number to an integer, in the lowest bits
SINE = {
    True: [-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1],
    False: [
        1.58969099521155010221e-10,
        -2.50507602534068634195e-8,
        2.75573137070700676789e-6,
        -1.98412698298579493134e-4,
        8.33333333332248946124e-3,
        -1.66666666666666324348e-1,
    ],
}
COSINE = {
    True: [2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2],
    False: [
        -1.13596475577881948265e-11,
        2.08757232129817482790e-9,
        -2.75573143513906633035e-7,
        2.48015872894767294178e-5,
        -1.38888888888741095749e-3,
        4.16666666666666019037e-2,
    ],
}


def sine(v: Vectors, x: str) -> str:
    """The sine of each element."""
    return beyond(v, x, "sin", turned(v, x, 0))


def cosine(v: Vectors, x: str) -> str:
    """The cosine of each element."""
    return beyond(v, x, "cos", turned(v, x, 1))


def turned(v: Vectors, x: str, quarters: int) -> str:
    """The sine after a number of quarter turns, for angles that are not far."""
    rest, low, count = v.once(("rest", x), lambda: fused_rest(v, x) if v.single and v.fuses else reduced(v, x))
    sine, cosine = v.once(("of rest", x), lambda: (sine_of_rest(v, rest, low), cosine_of_rest(v, rest, low)))
    count = v.on_integers("add", count, v.integer(quarters))
    odd = v.on_integers("and", count, v.integer(1))
    is_odd = v.emit(f"icmp ne {v.integers} {odd}, zeroinitializer")
    negative = v.on_integers("shl", v.on_integers("and", count, v.integer(2)), v.integer(30 if v.single else 62))
    value = v.select(is_odd, cosine, sine)
    return v.from_bits(v.on_integers("xor", v.bits(value), negative))


def fused_rest(v: Vectors, x: str) -> tuple[str, None, str]:
    """What `reduced` gives for floats, on a CPU that rounds products that it adds to once."""
    n, count = v.nearest(x, 0.63661977236758134308)
    return v.less_multiple(x, n, QUARTER_OF_FLOATS), None, count


def reduced(v: Vectors, x: str) -> tuple[str, str | None, str]:
    """The remainder of angles, its rounding error (for doubles), and the number of quarter turns."""
    wide = f"<{v.lanes} x double>"

    def number(value: float) -> str:
        return f"splat (double {v.literal(value)})"

    def binary(op: str, a: str, b: str) -> str:
        return v.emit(f"{op} {wide} {a}, {b}")

    angle = v.emit(f"fpext {v.type} {x} to {wide}") if v.single else x
    shifted = binary("fadd", binary("fmul", angle, number(0.63661977236758134308)), number(TURNED))
    n = binary("fsub", shifted, number(TURNED))
    bits = v.emit(f"bitcast {wide} {shifted} to <{v.lanes} x i64>")
    count = v.emit(f"trunc <{v.lanes} x i64> {bits} to {v.integers}") if v.single else bits
    high, middle, least = [binary("fmul", n, number(part)) for part in QUARTER]
    first = binary("fsub", angle, high)
    second = binary("fsub", first, middle)
    if v.single:
        return v.emit(f"fptrunc {wide} {binary('fsub', second, least)} to {v.type}"), None, count
    lost = binary("fsub", binary("fsub", first, second), middle)
    missing = binary("fsub", least, lost)
    rest = binary("fsub", second, missing)
    return rest, binary("fsub", binary("fsub", second, rest), missing), count


def sine_of_rest(v: Vectors, r: str, low: str | None) -> str:
    """r + r**3 p(r**2), corrected by the remainder's rounding error."""
    square = v.binary("fmul", r, r)
    p = SINE[v.single]
    if low is None:
        return v.fused(r, v.polynomial(square, [*p, 0]), r)  # the 0 makes -0 stay what it is
    cube = v.binary("fmul", square, r)
    tail = v.polynomial(square, p[:-1])
    inner = v.binary("fsub", v.binary("fmul", low, v.number(0.5)), v.binary("fmul", cube, tail))
    below = v.binary("fsub", v.binary("fmul", square, inner), low)
    return v.binary("fsub", r, v.binary("fsub", below, v.binary("fmul", cube, v.number(p[-1]))))


def cosine_of_rest(v: Vectors, r: str, low: str | None) -> str:
    """1 - r**2 / 2 + r**4 p(r**2), corrected by the remainder's rounding error."""
    square = v.binary("fmul", r, r)
    if low is None:
        return v.polynomial(square, [*COSINE[True], -0.5, 1])
    tail = v.binary("fmul", v.binary("fmul", square, square), v.polynomial(square, COSINE[v.single]))
    half = v.binary("fmul", square, v.number(0.5))
    near = v.binary("fsub", v.number(1), half)
    lost = v.binary("fsub", v.binary("fsub", v.number(1), near), half)
    lost = v.binary("fsub", lost, v.binary("fmul", r, low))
    return v.binary("fadd", near, v.binary("fadd", lost, tail))


def beyond(v: Vectors, x: str, name: str, near: str) -> str:
    """The result for near angles; if one of the vector is far, that of the C library."""
    far = v.once(("far", x), lambda: any_far(v, x))
    return v.branch(far, lambda: v.call(name, x), near)


def any_far(v: Vectors, x: str) -> Any:
    """Whether any angle of a vector is far."""
    far = v.compare("ogt", v.call("fabs", x), v.number(FAR[v.single]))
    name = f"@llvm.vector.reduce.or.v{v.lanes}i1"
    v.declared.add(f"declare i1 {name}({v.truths})")
    return v.emit(f"call i1 {name}({v.truths} {far})")
