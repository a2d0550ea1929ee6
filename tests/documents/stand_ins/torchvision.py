"""What document 3 needs of torchvision, on PyTorch alone: for PyTorch's run where torchvision is not installed."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import torch


class MNIST(torch.utils.data.Dataset):
    """The digits in IDX files of torchvision's names, which have to be there already."""

    def __init__(self, root, transform, train=True, download=False):
        prefix = str(Path(root, "MNIST", "raw", "train" if train else "t10k"))
        self.images = np.fromfile(f"{prefix}-images-idx3-ubyte", np.uint8, offset=16).reshape(-1, 28, 28)
        self.labels = np.fromfile(f"{prefix}-labels-idx1-ubyte", np.uint8, offset=8).tolist()
        self.transform = transform

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return self.transform(self.images[index]), self.labels[index]


class ToTensor:
    """A grey image of bytes as a float32 tensor of one channel, between 0 and 1."""

    def __call__(self, image):
        return torch.from_numpy(image)[None].to(torch.float32).div(255)


datasets = SimpleNamespace(MNIST=MNIST)
transforms = SimpleNamespace(ToTensor=ToTensor)
