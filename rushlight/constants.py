"""Constants: e, π, infinity, not-a-number, and the index that makes a new dimension."""

from math import e, inf, nan, pi

__all__ = ["e", "inf", "nan", "newaxis", "pi"]

newaxis = None
