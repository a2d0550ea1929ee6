"""Calls of nn.functional that are recorded from PyTorch and compared with it: a file for each family."""

from .attention import ATTENTION
from .convolution import CONVOLUTION
from .form import Case
from .images import IMAGES
from .losses import LOSSES
from .normalization import NORMALIZATION
from .pooling import POOLING

FAMILIES = {
    "attention": ATTENTION,
    "convolution": CONVOLUTION,
    "images": IMAGES,
    "losses": LOSSES,
    "normalization": NORMALIZATION,
    "pooling": POOLING,
}
CASES = {f"{family}/{name}": case for family, cases in FAMILIES.items() for name, case in cases.items()}

__all__ = ["CASES", "Case"]
