"""One training step of the reference convolutional network on 28x28 digits: forward, backward, update."""

from benchmarks.harness import Workload


def network(torch, channels):
    """The network of the reference document."""
    nn = torch.nn
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Conv2d(1, channels, 3, stride=3, padding=1),
        nn.Sequential(nn.Conv2d(channels, channels * 2, 3), nn.BatchNorm2d(channels * 2), nn.ReLU()),
        nn.Sequential(
            nn.Conv2d(channels * 2, channels * 4, 4, stride=2, padding=1),
            nn.BatchNorm2d(channels * 4),
            nn.ReLU(),
            nn.Flatten(),
        ),
        nn.Linear(channels * 4 * 16, 10),
    )


def training_step(channels, batch):
    """A step of the network with a manual update, for any module with PyTorch's names."""

    def make(torch):
        model = network(torch, channels)
        images, labels = torch.rand(batch, 1, 28, 28), torch.randint(0, 10, (batch,))

        def step():
            loss = torch.nn.functional.cross_entropy(model(images), labels)
            gradients = torch.autograd.grad(loss, list(model.parameters()))
            with torch.no_grad():
                for p, g in zip(model.parameters(), gradients, strict=True):
                    p -= 0.01 * g
            return loss

        return step

    return {"rushlight": make, "torch": make}


WORKLOADS = [
    Workload("reference network, 5 channels, batch 300, step", training_step(5, 300), bound=0.7),
    Workload("reference network, 5 channels, batch 50, step", training_step(5, 50)),
    Workload("reference network, 32 channels, batch 300, step", training_step(32, 300), bound=0.9),
    Workload("reference network, 16 channels, batch 64, step", training_step(16, 64), bound=0.9),
]
