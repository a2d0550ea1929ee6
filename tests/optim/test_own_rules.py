"""An elementwise optimizer that has no compiled rule: its NumPy rule runs on arrays, and on tensors if recorded."""

import numpy as np
import pytest

import rushlight as torch
from rushlight.optim.elementwise import ElementwiseOptimizer


class SignedMeans(ElementwiseOptimizer):
    def __init__(self, params, lr=0.5, differentiable=False):
        super().__init__(params, {"lr": lr, "maximize": False, "differentiable": differentiable, "capturable": False})

    def _names(self, group):
        return ("mean",)

    def _numbers(self, group, moment):
        return (group["lr"],)

    @staticmethod
    def _rule(numbers, param, grad, mean):
        mean[...] = (np.copy(mean) + grad) / 2
        param -= numbers[0] * mean


@pytest.mark.parametrize("differentiable", [False, True])
def test_a_rule_in_numpy_is_enough(differentiable):
    start = torch.tensor([2.0, -1.0], requires_grad=True)
    x = start.clone() if differentiable else start
    x.retain_grad()
    optimizer = SignedMeans([x], differentiable=differentiable)
    for _ in range(2):
        optimizer.zero_grad()
        x.grad = x.detach() * 2
        optimizer.step()
    assert x.tolist() == [0.0, 0.0]
    assert optimizer.state[x]["mean"].tolist() == [2.0, -1.0]
