"""Vectors of floats in LLVM IR: emits instructions on them, and names their results."""

import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight.compiler.native.building import fuses


class Vectors:
    """Emits instructions on vectors of one float type, and names their results.

    If a row has only `length` elements, vectors are not much longer: divisions are faster then.
    """

    type: str
    integers: str

    def __init__(self, dtype: Any, length: int):
        self.single: bool = np.dtype(dtype) == np.float32
        self.fuses: bool = fuses()
        most = 16 if self.single else 8
        self.lanes: int = next(n for n in (4, 8, most) if n >= min(length, most))
        self.element, self.whole = ("float", "i32") if self.single else ("double", "i64")
        self.type, self.integers = f"<{self.lanes} x {self.element}>", f"<{self.lanes} x {self.whole}>"
        self.truths: str = f"<{self.lanes} x i1>"
        self.suffix: str = f"v{self.lanes}f{32 if self.single else 64}"
        self.lines: list[str] = []
        self.declared: set[str] = set()
        self.known: dict[Any, Any] = {}  # results that can be reused
        self.block: str = ""  # the present block, if it is not the first
        self.count: int = 0

    def begin(self, block: str) -> None:
        """Begins a block."""
        self.lines, self.known, self.block = [], {}, block

    def name(self) -> str:
        """A new name."""
        self.count += 1
        return f"%t{self.count}"

    def emit(self, text: str) -> str:
        """Emits an instruction, and returns the name of its result."""
        name = self.name()
        self.lines.append(f"  {name} = {text}")
        return name

    def once(self, key: Any, write: Callable[[], Any]) -> Any:
        """The result of an earlier emission for a key, or a new one."""
        if key not in self.known:
            self.known[key] = write()
        return self.known[key]

    def branch(self, condition: str, write: Callable[[], str], otherwise: str) -> str:
        """Emits a branch that is rarely taken: the result of `write` if a condition holds, else a known value."""
        here, label = self.block, self.name()[1:]
        self.lines += [f"  br i1 {condition}, label %{label}.then, label %{label}.done, !prof !0", f"{label}.then:"]
        known, self.known = self.known, {}
        found = write()
        self.known = known
        self.lines += [f"  br label %{label}.done", f"{label}.done:"]
        self.block = f"{label}.done"
        return self.emit(f"phi {self.type} [ {found}, %{label}.then ], [ {otherwise}, %{here} ]")

    @staticmethod
    def literal(value: float, single: bool = False) -> str:
        """A number in LLVM's notation: the bits of a double, which represents a float exactly."""
        value = float(np.float32(value)) if single else float(value)
        return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"

    def number(self, value: float) -> str:
        """A vector filled with a number."""
        return f"splat ({self.element} {self.literal(value, self.single)})"

    def integer(self, value: int) -> str:
        """A vector filled with an integer."""
        return f"splat ({self.whole} {value})"

    def binary(self, op: str, a: str, b: str) -> str:
        """An instruction on two float vectors."""
        return self.emit(f"{op} {self.type} {a}, {b}")

    def compare(self, condition: str, a: str, b: str) -> str:
        """A comparison, as a vector of booleans."""
        return self.emit(f"fcmp {condition} {self.type} {a}, {b}")

    def select(self, condition: str, a: str, b: str) -> str:
        """Selects one of two numbers for each lane."""
        return self.emit(f"select {self.truths} {condition}, {self.type} {a}, {self.type} {b}")

    def call(self, name: str, *args: str) -> str:
        """Calls one of LLVM's vector intrinsics."""
        types = ", ".join([self.type] * len(args))
        self.declared.add(f"declare {self.type} @llvm.{name}.{self.suffix}({types})")
        given = ", ".join(f"{self.type} {arg}" for arg in args)
        return self.emit(f"call {self.type} @llvm.{name}.{self.suffix}({given})")

    def fused(self, a: str, b: str, c: str) -> str:
        """a b + c, rounded once if the CPU supports it."""
        return self.call("fmuladd", a, b, c)

    def polynomial(self, x: str, coefficients: list[float]) -> str:
        """A polynomial, with its highest coefficient first."""
        total = self.number(coefficients[0])
        for coefficient in coefficients[1:]:
            total = self.fused(total, x, self.number(coefficient))
        return total

    def nearest(self, x: str, factor: float) -> tuple[str, str]:
        """The integer nearest to x times a factor, as a number, and the bits of the sum of it and a large number."""
        shifted = self.fused(x, self.number(factor), self.large())
        return self.binary("fsub", shifted, self.large()), self.bits(shifted)

    def large(self) -> str:
        """A number that leaves nothing but an integer of what is added: the unit is its last bit."""
        return self.number(1.5 * 2.0 ** (23 if self.single else 52))

    def less_multiple(self, x: str, n: str, parts: list[float]) -> str:
        """x - n (the sum of parts)."""
        for part in parts:
            x = self.fused(n, self.number(-part), x)
        return x

    def power_of_two(self, n: str) -> str:
        """2**n as a number, of integers of which the last bits count."""
        bias, shift = (127, 23) if self.single else (1023, 52)
        shifted = self.on_integers("shl", self.on_integers("add", n, self.integer(bias)), self.integer(shift))
        return self.from_bits(shifted)

    def bits(self, x: str) -> str:
        """The bits of numbers as integers."""
        return self.emit(f"bitcast {self.type} {x} to {self.integers}")

    def from_bits(self, x: str) -> str:
        """The numbers with the given bits."""
        return self.emit(f"bitcast {self.integers} {x} to {self.type}")

    def on_integers(self, op: str, a: str, b: str) -> str:
        """An instruction on two integer vectors."""
        return self.emit(f"{op} {self.integers} {a}, {b}")
