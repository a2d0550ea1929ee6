"""Tools around tensors: loading data."""

from rushlight.utils import data

__all__ = ["data"]
