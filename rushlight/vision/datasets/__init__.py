"""Datasets of images under torchvision's names."""

from rushlight.missing import explain_misses as _explain_misses
from rushlight.vision.datasets.mnist import KMNIST, MNIST, FashionMNIST

__all__ = ["KMNIST", "MNIST", "FashionMNIST"]

_explain_misses(globals())
