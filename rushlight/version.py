"""The version: that of the PyTorch interface, and rushlight's own after the plus sign."""

rushlight = "0.1.0"
__version__ = f"2.13.0+rushlight.{rushlight}"
cuda = hip = xpu = None
debug = False
