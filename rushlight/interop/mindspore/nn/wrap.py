"""Cells that add a loss or a training step to a network."""

from typing import Any

from rushlight.interop.mindspore.common.tensor import Tensor
from rushlight.interop.mindspore.gradients import value_and_grad
from rushlight.interop.mindspore.nn.cell import Cell
from rushlight.interop.mindspore.nn.optim import Optimizer

__all__ = ["TrainOneStepCell", "WithLossCell"]


class WithLossCell(Cell):
    """A network with a loss: called with data and labels, it returns the loss."""

    def __init__(self, backbone: Cell, loss_fn: Any):
        super().__init__(auto_prefix=False)
        self._backbone, self._loss_fn = backbone, loss_fn

    def construct(self, data: Tensor, label: Tensor) -> Tensor:
        """Runs the network on `data`, and compares its output with `label`."""
        return self._loss_fn(self._backbone(data), label)

    @property
    def backbone_network(self) -> Cell:
        """The network."""
        return self._backbone


class TrainOneStepCell(Cell):
    """Makes one training step in each call, and returns the loss before it; `sens` multiplies the gradients.

    >>> import rushlight.interop.mindspore as ms
    >>> import rushlight.interop.mindspore.nn as nn
    >>> net = nn.Dense(1, 1, weight_init="zeros", has_bias=False)
    >>> optimizer = nn.SGD(net.trainable_params(), learning_rate=0.25)
    >>> step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer)
    >>> x, y = ms.Tensor([[1.0]]), ms.Tensor([[2.0]])
    >>> print(step(x, y), step(x, y))
    4.0 1.0
    """

    network: Cell
    optimizer: Optimizer
    sens: float

    def __init__(self, network: Cell, optimizer: Optimizer, sens: float = 1.0):
        super().__init__(auto_prefix=False)
        self.network, self.optimizer, self.sens = network, optimizer, sens
        self.network.set_grad()

    def construct(self, *inputs: Any) -> Tensor:
        """Computes the loss and its gradients, and updates the parameters."""
        loss, gradients = value_and_grad(self.network, None, self.optimizer.parameters)(*inputs)
        self.optimizer(tuple(gradient * self.sens for gradient in gradients))
        return loss
