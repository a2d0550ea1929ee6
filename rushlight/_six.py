"""`torch._six`, which PyTorch had until 2.0: names of Python's that programs of that time import from it."""

from collections import abc as container_abcs
from math import inf, nan

__all__ = ["container_abcs", "inf", "int_classes", "nan", "string_classes"]

int_classes = int
string_classes = (str, bytes)
