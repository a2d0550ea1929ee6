"""Optimizers, schedulers and other objects in files as a whole: either library goes on with what the other wrote."""

import io

import numpy as np
import pytest

import rushlight

WAYS = [("rushlight", "torch"), ("torch", "rushlight"), ("rushlight", "rushlight")]
OPTIMIZERS = "Adadelta Adafactor Adagrad Adam AdamW Adamax ASGD Muon NAdam RAdam RMSprop Rprop SGD".split()
SCHEDULERS = {
    "ConstantLR": {},
    "CosineAnnealingLR": {"T_max": 5},
    "CosineAnnealingWarmRestarts": {"T_0": 3},
    "ExponentialLR": {"gamma": 0.9},
    "LinearLR": {},
    "MultiStepLR": {"milestones": [2, 4]},
    "OneCycleLR": {"max_lr": 0.1, "total_steps": 10},
    "PolynomialLR": {"total_iters": 5},
    "StepLR": {"step_size": 2},
}
OBJECTS = {
    "return_types.max": "torch.ones(2, 3).max(0)",
    "Size": "torch.Size([2, 3])",
    "sparse": "torch.sparse_coo_tensor([[0, 1]], [1.0, 2.0])",
    "PackedSequence": "torch.nn.utils.rnn.pack_sequence([torch.ones(2)])",
    "TensorDataset": "torch.utils.data.TensorDataset(torch.ones(2))",
    "Normal": "torch.distributions.Normal(0.0, 1.0)",
}


@pytest.fixture(params=WAYS, ids=lambda way: " to ".join(way))
def way(request):
    """The library that writes, and the one that reads."""
    return tuple(rushlight if name == "rushlight" else pytest.importorskip(name) for name in request.param)


def through_a_file(one, other, value):
    file = io.BytesIO()
    one.save(value, file)
    file.seek(0)
    return other.load(file, weights_only=False)


def stepped(parameter, optimizer, scheduler=None):
    for _ in range(3):
        optimizer.zero_grad()
        (parameter * parameter).sum().backward()
        optimizer.step()
        if scheduler is not None:
            scheduler.step()
    return parameter.detach().numpy().copy(), optimizer.param_groups[0]["lr"]


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizers(name, way):
    one, other = way
    parameter = one.nn.Parameter(one.tensor([[1.0, 2.0], [3.0, 4.0]]))
    optimizer = getattr(one.optim, name)([parameter], lr=0.1)
    stepped(parameter, optimizer)
    again, found = through_a_file(one, other, (parameter, optimizer))
    assert isinstance(found, getattr(other.optim, name))
    np.testing.assert_allclose(stepped(again, found)[0], stepped(parameter, optimizer)[0], rtol=1e-5)


@pytest.mark.parametrize("name", SCHEDULERS)
@pytest.mark.filterwarnings("ignore")
def test_schedulers(name, way):
    one, other = way
    parameter = one.nn.Parameter(one.tensor([1.0, 2.0]))
    optimizer = one.optim.SGD([parameter], lr=0.1)
    scheduler = getattr(one.optim.lr_scheduler, name)(optimizer, **SCHEDULERS[name])
    stepped(parameter, optimizer, scheduler)
    again, found = through_a_file(one, other, (parameter, scheduler))
    ours, theirs = stepped(again, found.optimizer, found), stepped(parameter, optimizer, scheduler)
    assert ours[1] == pytest.approx(theirs[1], abs=1e-12)
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-6)


@pytest.mark.parametrize("name", OBJECTS)
def test_objects(name, way):
    one, other = way
    found = through_a_file(one, other, eval(OBJECTS[name], {"torch": one}))
    expected = eval(OBJECTS[name], {"torch": other})
    assert type(found) is type(expected)
    assert repr(found) == repr(expected) or name == "TensorDataset"


def test_generators(way):
    one, other = way
    generator = one.Generator().manual_seed(3)
    one.rand(3, generator=generator)
    found = through_a_file(one, other, generator)
    assert found.initial_seed() == 3
    assert other.rand(5, generator=found).tolist() == one.rand(5, generator=generator).tolist()
