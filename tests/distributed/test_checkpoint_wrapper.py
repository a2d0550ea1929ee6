"""Modules around modules that save less: the same results, gradients, names and states as without them."""

from functools import partial

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.distributed.algorithms._checkpoint.checkpoint_wrapper import (
    CheckpointImpl,
    CheckpointWrapper,
    OffloadWrapper,
    apply_activation_checkpointing,
    checkpoint_wrapper,
    offload_wrapper,
)
from rushlight.distributed.fsdp.wrap import ModuleWrapPolicy
from rushlight.utils.checkpoint import checkpoint

WAYS = {
    "again": checkpoint_wrapper,
    "reentrant": partial(checkpoint_wrapper, checkpoint_impl=CheckpointImpl.REENTRANT),
    "own function": partial(checkpoint_wrapper, checkpoint_fn=checkpoint, use_reentrant=False),
    "offloaded": offload_wrapper,
}


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.calls = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 3)), 0

    def forward(self, x, scale=1.0, *, shift=0.0):
        self.calls += 1
        return self.inner(x) * scale + shift


def outcome(model, x, **options):
    x = x.clone().requires_grad_()
    model(x, **options).square().sum().backward()
    return [x.grad, *(p.grad for p in model.parameters())]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("options", [{}, {"shift": 2.0, "scale": 3.0}])
def test_results_are_those_of_the_module(way, options):
    torch.manual_seed(0)
    x, block = torch.randn(4, 3), Block()
    expected = outcome(block, x, **options)
    block.zero_grad()
    block.calls = 0
    wrapped = WAYS[way](block)
    assert all(torch.equal(*pair) for pair in zip(outcome(wrapped, x, **options), expected, strict=True))
    assert wrapped.calls == (1 if way == "offloaded" else 2)


@pytest.mark.parametrize("way", WAYS)
def test_names_and_states_are_those_of_the_module(way):
    plain = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)))
    wrapped = WAYS[way](nn.Sequential(nn.Linear(2, 2), WAYS[way](nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)))))
    assert [name for name, _ in wrapped.named_parameters()] == [name for name, _ in plain.named_parameters()]
    assert list(wrapped.state_dict()) == list(plain.state_dict())
    wrapped.load_state_dict(plain.state_dict())
    assert all(torch.equal(*pair) for pair in zip(wrapped.parameters(), plain.parameters(), strict=True))
    plain.load_state_dict(wrapped.state_dict())
    assert wrapped[0].out_features == 2
    with pytest.raises(AttributeError, match="nothing"):
        wrapped.nothing  # noqa: B018


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"check_fn": lambda part: isinstance(part, nn.Linear)}, ["0", "1.0"]),
        ({"auto_wrap_policy": ModuleWrapPolicy({nn.Sequential})}, ["1"]),
        ({}, ["0", "1", "1._checkpoint_wrapped_module.0", "1._checkpoint_wrapped_module.1"]),
    ],
)
@pytest.mark.parametrize("wrapper", [checkpoint_wrapper, offload_wrapper])
def test_parts_that_are_wrapped(options, expected, wrapper):
    model = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.Linear(2, 2), nn.Tanh()))
    apply_activation_checkpointing(model, wrapper, **options)
    kind = CheckpointWrapper if wrapper is checkpoint_wrapper else OffloadWrapper
    assert [name for name, part in model.named_modules() if isinstance(part, kind)] == expected
    assert list(model.state_dict()) == ["0.weight", "0.bias", "1.0.weight", "1.0.bias"]
    model(torch.ones(1, 2)).sum().backward()
