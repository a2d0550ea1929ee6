"""Image datasets, under torchvision's names."""

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.vision.datasets.cifar import CIFAR10, CIFAR100
from rushlight.vision.datasets.folders import DatasetFolder, FakeData, ImageFolder, VisionDataset
from rushlight.vision.datasets.mnist import KMNIST, MNIST, FashionMNIST

__all__ = [
    "CIFAR10",
    "CIFAR100",
    "KMNIST",
    "MNIST",
    "DatasetFolder",
    "FakeData",
    "FashionMNIST",
    "ImageFolder",
    "VisionDataset",
]

_explain_misses(globals())
