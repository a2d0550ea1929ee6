"""Datasets of images under torchvision's names."""

from rushlight.vision.datasets.mnist import KMNIST, MNIST, FashionMNIST

__all__ = ["KMNIST", "MNIST", "FashionMNIST"]
