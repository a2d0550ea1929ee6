"""`torch.testing._internal.common_dtype`: groups of data types that tests are run with."""

from collections.abc import Callable

from rushlight import dtypes as d
from rushlight.dtypes import dtype

Types = tuple[dtype, ...]


def extended(own: Types) -> tuple[Callable[[], Types], Callable[..., Types]]:
    """The functions that give some types, and these with further ones."""
    return lambda: own, lambda *others: (*own, *[other for other in others if other not in own])


FLOATS, COMPLEX = (d.float32, d.float64), (d.complex64, d.complex128)
INTEGERS = (d.uint8, d.int8, d.int16, d.int32, d.int64)
HALVES = (d.float16, d.bfloat16)

empty_types, _ = extended(())
floating_types, floating_types_and = extended(FLOATS)
floating_types_and_half, _ = extended((*FLOATS, d.float16))
complex_types, complex_types_and = extended(COMPLEX)
floating_and_complex_types, floating_and_complex_types_and = extended((*FLOATS, *COMPLEX))
double_types, _ = extended((d.float64, d.complex128))
integral_types, integral_types_and = extended(INTEGERS)
all_types, all_types_and = extended((*FLOATS, *INTEGERS))
all_types_and_half, _ = extended((*FLOATS, *INTEGERS, d.float16))
all_types_and_complex, all_types_and_complex_and = extended((*FLOATS, *INTEGERS, *COMPLEX))


def custom_types(*types: dtype) -> Types:
    """The given types."""
    return types


def get_all_int_dtypes() -> list[dtype]:
    """The integers."""
    return [*INTEGERS]


def get_all_complex_dtypes(include_complex32: bool = False) -> list[dtype]:
    """The complex types."""
    return [*COMPLEX]


def get_all_fp_dtypes(include_half: bool = True, include_bfloat16: bool = True) -> list[dtype]:
    """The floating point types."""
    return [*FLOATS, *HALVES[:include_half], *HALVES[1 : 1 + include_bfloat16]]


def get_all_dtypes(
    include_half: bool = True, include_bfloat16: bool = True, include_bool: bool = True, include_complex: bool = True
) -> list[dtype]:
    """All types."""
    floats = get_all_fp_dtypes(include_half, include_bfloat16)
    return [*INTEGERS, *floats, *[d.bool][:include_bool], *COMPLEX[: 2 * include_complex]]
