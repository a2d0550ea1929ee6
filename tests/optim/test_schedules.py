"""Schedules of learning rates: their values and warnings. The tests of behaviour hold for PyTorch too."""

from pathlib import Path

import numpy as np
import pytest
from optim.problems import SCHEDULES, rates

import rushlight

each_schedule = pytest.mark.parametrize("expression", SCHEDULES)
each_optimizer = pytest.mark.parametrize("name", ["SGD", "Adam"])


def sgd(torch, lr=1.0):
    return torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=lr)


def run(scheduler, number):
    """The learning rates over a number of epochs."""
    found = []
    for _ in range(number):
        scheduler.optimizer.step()
        scheduler.step()
        found += scheduler.get_last_lr()
    return found


@each_schedule
@each_optimizer
def test_recorded(expression, name):
    with np.load(Path(__file__).with_name("golden.npz")) as golden:
        np.testing.assert_allclose(rates(rushlight, expression, name), golden[f"{name}/{expression}"], rtol=1e-14)


@each_schedule
@each_optimizer
def test_live(expression, name):
    torch = pytest.importorskip("torch")
    np.testing.assert_array_equal(rates(rushlight, expression, name), rates(torch, expression, name))


def test_one_after_the_other(torch):
    schedules = torch.optim.lr_scheduler
    optimizer = sgd(torch)
    parts = [schedules.ConstantLR(optimizer, 0.1, 10), schedules.ExponentialLR(optimizer, 0.9)]
    scheduler = schedules.SequentialLR(optimizer, parts, [2])
    assert scheduler.get_last_lr() == [0.1]
    assert run(scheduler, 4) == pytest.approx([0.1, 1.0, 0.9, 0.81])
    with pytest.raises(
        ValueError, match=r"Sequential Schedulers expects number of schedulers provided to be one more than"
    ):
        schedules.SequentialLR(optimizer, parts, [2, 3])
    with pytest.raises(ValueError, match=r"SequentialLR expects all schedulers to belong to the same optimizer"):
        schedules.SequentialLR(sgd(torch), parts, [2])


def test_all_at_once(torch):
    schedules = torch.optim.lr_scheduler
    optimizer = sgd(torch)
    parts = [schedules.ConstantLR(optimizer, 0.1, 2), schedules.ExponentialLR(optimizer, 0.9)]
    scheduler = schedules.ChainedScheduler(parts)
    assert run(scheduler, 3) == pytest.approx([0.09, 0.81, 0.729])


def test_plateau(torch):
    optimizer = sgd(torch)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=1, cooldown=1, factor=0.5, min_lr=0.2)
    found = []
    for loss in (3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2):
        scheduler.step(torch.tensor(float(loss)))
        found += scheduler.get_last_lr()
    assert found == [1, 1, 1, 0.5, 0.5, 0.5, 0.25, 0.25, 0.25, 0.2, 0.2]
    assert scheduler.best == 2
    with pytest.raises(ValueError, match=r"Factor should be < 1.0."):
        torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=1.0)
    with pytest.raises(ValueError, match=r"mode worst is unknown!"):
        torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, mode="worst")


def test_state_dict_resumes_a_schedule(torch):
    make = torch.optim.lr_scheduler.CosineAnnealingLR
    optimizer = sgd(torch)
    scheduler = make(optimizer, 10)
    run(scheduler, 3)
    other_optimizer = sgd(torch)
    other = make(other_optimizer, 10)
    other_optimizer.load_state_dict(optimizer.state_dict())
    other.load_state_dict(scheduler.state_dict())
    assert run(other, 3) == run(scheduler, 3)
    again = make(other_optimizer, 10, last_epoch=5)
    assert again.last_epoch == 6
    with pytest.raises(KeyError, match=r"param 'initial_lr' is not specified in param_groups\[0\] when resuming"):
        make(sgd(torch), 10, last_epoch=5)


def test_order_of_steps(torch):
    with pytest.warns(UserWarning, match=r"Detected call of `lr_scheduler.step\(\)` before `optimizer.step\(\)`"):
        torch.optim.lr_scheduler.StepLR(sgd(torch), 1).step()


def test_get_lr_is_not_for_users(torch):
    scheduler = torch.optim.lr_scheduler.StepLR(sgd(torch), 1)
    with pytest.warns(
        UserWarning, match=r"To get the last learning rate computed by the scheduler, please use `get_last_lr"
    ):
        scheduler.get_lr()


def test_what_is_no_optimizer(torch):
    with pytest.raises(TypeError, match=r"int is not an Optimizer"):
        torch.optim.lr_scheduler.StepLR(1, 1)


def test_learning_rate_as_a_tensor(torch):
    optimizer = sgd(torch, torch.tensor(1.0))
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
    run(scheduler, 2)
    assert optimizer.param_groups[0]["lr"].item() == 0.25


def test_a_schedule_of_ones_own_under_the_older_name(torch):
    class Halving(torch.optim.lr_scheduler._LRScheduler):
        def get_lr(self):
            return [rate / 2**self.last_epoch for rate in self.base_lrs]

    optimizer = sgd(torch)
    scheduler = Halving(optimizer)
    first = scheduler.get_last_lr()[0]
    run(scheduler, 2)
    assert scheduler.get_last_lr() == [first / 4]
