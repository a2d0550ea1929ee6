"""Datasets of images under torchvision's names."""

from rushlight.missing import missing_from
from rushlight.vision.datasets.mnist import KMNIST, MNIST, FashionMNIST

__all__ = ["KMNIST", "MNIST", "FashionMNIST"]

__getattr__ = missing_from(__name__)
