"""`Module.to(memory_format=...)` orders parameters, gradients and buffers of 4 or 5 dimensions, and no others."""

import pytest

import rushlight as torch
from rushlight import nn


def strides(module):
    return [tensor.stride() for tensor in (*module.parameters(), *module.buffers())]


def test_weights_gradients_and_buffers():
    module = nn.Sequential(nn.Conv2d(3, 4, 3), nn.Linear(2, 3))
    module.register_buffer("counts", torch.zeros(2, 3, 4, 4, dtype=torch.int64))
    module[0](torch.ones(1, 3, 5, 5)).sum().backward()
    weight = module[0].weight
    values = weight.detach().clone()
    assert module.to(memory_format=torch.channels_last) is module
    assert module[0].weight is weight
    assert strides(module) == [(27, 1, 9, 3), (1,), (2, 1), (1,), (48, 1, 12, 3)]
    assert weight.grad.stride() == (27, 1, 9, 3)
    assert torch.equal(weight, values)
    module.to(memory_format=torch.contiguous_format)
    assert strides(module) == [(27, 9, 3, 1), (1,), (2, 1), (1,), (48, 16, 4, 1)]


def test_together_with_a_dtype():
    layer = nn.Conv2d(3, 4, 3).to("cpu", torch.float64, memory_format=torch.channels_last)
    assert (layer.weight.dtype, layer.weight.stride()) == (torch.float64, (27, 1, 9, 3))
    layer = nn.Conv3d(2, 3, 2).to(torch.zeros(1, dtype=torch.float64), memory_format=torch.channels_last_3d)
    assert (layer.weight.dtype, layer.weight.stride()) == (torch.float64, (16, 1, 8, 4, 2))


def test_other_ranks_of_images_are_refused():
    with pytest.raises(RuntimeError, match=r"^required rank 4 tensor to use channels_last format"):
        nn.Conv3d(2, 3, 2).to(memory_format=torch.channels_last)


def test_outputs_follow_the_weights():
    layer = nn.Conv2d(3, 2, 3, padding=1).to(memory_format=torch.channels_last)
    assert layer(torch.rand(2, 3, 4, 4)).stride() == (32, 1, 8, 2)
