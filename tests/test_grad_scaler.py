"""The state of a `GradScaler`: its tensors, its state dict and pickles, and optimizers that unscale gradients."""

import copy
import pickle

import pytest


def new_scaler(torch, **options):
    return torch.amp.GradScaler("cpu", **{"init_scale": 4.0, "growth_factor": 3.0, "growth_interval": 2, **options})


def scaled_step(torch, scaler, optimizer, parameter, gradient=1.0):
    parameter.grad = None
    scaler.scale((parameter * gradient).sum()).backward()
    return scaler.step(optimizer)


def unscaling(torch, step):
    """A parameter and an optimizer with a step of its own, which unscales gradients itself."""
    optimizer_class = type(
        "Unscaling",
        (torch.optim.Optimizer,),
        {
            "_step_supports_amp_scaling": True,
            "step": step,
            "__init__": lambda self, params: torch.optim.Optimizer.__init__(self, params, {}),
        },
    )
    parameter = torch.nn.Parameter(torch.ones(2))
    return parameter, optimizer_class([parameter])


@pytest.mark.parametrize("is_made", [False, True])
def test_a_state_dict_is_loaded_before_and_after_the_first_loss(torch, is_made):
    first, second = new_scaler(torch), new_scaler(torch, init_scale=8.0, growth_factor=5.0, growth_interval=9)
    second._init_growth_tracker = 7
    if is_made:
        second.scale(torch.ones(1))
        assert isinstance(second._scale, torch.FloatTensor)
        assert isinstance(second._growth_tracker, torch.IntTensor)
    else:
        assert second._scale is None
    second.load_state_dict(first.state_dict())
    assert second.state_dict() == first.state_dict()
    assert (second.get_scale(), second.get_growth_factor(), second.get_growth_interval()) == (4, 3, 2)
    assert second._init_growth_tracker == 0


def test_a_factor_adapts(torch):
    scaler, parameter = new_scaler(torch), torch.nn.Parameter(torch.ones(2))
    optimizer = torch.optim.SGD([parameter], 0.1)
    seen = []
    for gradient in (1.0, 1.0, 1.0, float("inf"), 1.0):
        scaled_step(torch, scaler, optimizer, parameter, gradient)
        scaler.update()
        seen.append((scaler.get_scale(), scaler.state_dict()["_growth_tracker"]))
    assert seen == [(4, 1), (12, 0), (12, 1), (6, 0), (6, 1)]
    scaler.update(torch.tensor(7.0))
    assert scaler.get_scale() == 7
    for wrong in (torch.ones(2), torch.ones(1, requires_grad=True)):
        with pytest.raises(AssertionError, match="new_scale should be a float or a 1-element"):
            scaler.update(wrong)


def test_pickles_and_copies(torch):
    scaler, parameter = new_scaler(torch), torch.nn.Parameter(torch.ones(2))
    optimizer = torch.optim.SGD([parameter], 0.1)
    scaled_step(torch, scaler, optimizer, parameter)
    with pytest.raises(AssertionError, match="may only be pickled at the beginning of an iteration"):
        pickle.dumps(scaler)
    scaler.update()
    for copied in (pickle.loads(pickle.dumps(scaler)), copy.deepcopy(scaler)):
        assert copied.state_dict() == scaler.state_dict()
        assert copied._scale is None
        assert copied._init_growth_tracker == 1
        assert copied.scale(torch.ones(1)).tolist() == [4]
        assert copied._per_optimizer_states["any"] == torch.amp.grad_scaler._refresh_per_optimizer_state()


def test_outputs_of_several_kinds(torch):
    scaler, one = new_scaler(torch), torch.ones(1)
    assert scaler.scale([one, (one.double(),)])[1][0].dtype is torch.float64
    assert [x.item() for x in scaler.scale(x for x in (one, one.half()))] == [4, 4]
    assert scaler.scale(torch.ones(1, dtype=torch.int64)).dtype is torch.float32
    with pytest.raises(ValueError, match="outputs must be a Tensor or an iterable of Tensors"):
        scaler.scale(1.0)


def test_calls_out_of_order(torch):
    parameter = torch.nn.Parameter(torch.ones(2))
    optimizer = torch.optim.SGD([parameter], 0.1)
    for call in ("unscale_", "step", "update"):
        arguments = () if call == "update" else (optimizer,)
        with pytest.raises(AssertionError, match=f"Attempted {call} but _scale is None"):
            getattr(new_scaler(torch), call)(*arguments)
    scaler = new_scaler(torch)
    scaler.scale(parameter.sum())
    with pytest.raises(AssertionError, match="No inf checks were recorded prior to update"):
        scaler.update()
    with pytest.raises(AssertionError, match="No inf checks were recorded for this optimizer"):
        scaler.step(optimizer)
    scaler = new_scaler(torch)
    scaled_step(torch, scaler, optimizer, parameter)
    with pytest.raises(RuntimeError, match="has already been called since the last update"):
        scaler.step(optimizer)
    with pytest.raises(RuntimeError, match="is being called after step"):
        scaler.unscale_(optimizer)


@pytest.mark.parametrize("gradient", [1.0, float("inf")])
@pytest.mark.parametrize("is_unscaled", [False, True])
def test_an_optimizer_that_is_told_the_factor(torch, gradient, is_unscaled):
    told = []
    parameter, optimizer = unscaling(torch, lambda self: told.append((self.grad_scale, self.found_inf)) or "stepped")
    scaler = new_scaler(torch)
    scaler.scale((parameter * gradient).sum()).backward()
    if is_unscaled:
        scaler.unscale_(optimizer)
    assert scaler.step(optimizer) == "stepped"
    [(factor, found)] = told
    assert factor is None if is_unscaled else factor.item() == 4
    assert found.item() == (gradient != 1)
    assert not hasattr(optimizer, "grad_scale")
    assert not hasattr(optimizer, "found_inf")
    scaler.update()
    assert scaler.get_scale() == (4 if gradient == 1 else 2)


def test_an_optimizer_that_takes_the_scaler(torch):
    def step(self, closure=None, *, grad_scaler=None):
        assert not hasattr(self, "grad_scale")
        return grad_scaler

    parameter, optimizer = unscaling(torch, step)
    scaler = new_scaler(torch)
    with pytest.warns(FutureWarning, match="GradScaler is going to stop passing itself"):
        assert scaled_step(torch, scaler, optimizer, parameter) is scaler
