"""Calls of nn.functional that are recorded from PyTorch and compared with it: a file for each family."""

from nn.functional.cases.attention import ATTENTION
from nn.functional.cases.convolution import CONVOLUTION
from nn.functional.cases.form import Case
from nn.functional.cases.images import IMAGES
from nn.functional.cases.losses import LOSSES
from nn.functional.cases.normalization import NORMALIZATION
from nn.functional.cases.pooling import POOLING

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
