"""What all optimizers share: groups, state dicts, closures, hooks, messages.

Every test holds for PyTorch too.
"""

import copy
import pickle
from contextlib import nullcontext

import pytest

import rushlight


def ones(torch, *sizes):
    parameter = torch.ones(*sizes, requires_grad=True)
    parameter.grad = torch.ones(*sizes)
    return parameter


def test_groups_and_defaults(torch):
    first, second = ones(torch, 1), ones(torch, 2)
    optimizer = torch.optim.SGD([{"params": first}, {"params": [second], "lr": 0.5}], lr=0.1, momentum=0.9)
    assert [group["lr"] for group in optimizer.param_groups] == [0.1, 0.5]
    assert optimizer.param_groups[0]["params"][0] is first
    optimizer.add_param_group({"params": ones(torch, 3), "momentum": 0.0})
    assert [group["momentum"] for group in optimizer.param_groups] == [0.9, 0.9, 0.0]
    optimizer.step()
    assert first.tolist() == pytest.approx([0.9])
    assert second.tolist() == [0.5, 0.5]


def test_parameters_without_gradient_are_left_alone(torch):
    parameter = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.Adam([parameter], weight_decay=0.1)
    optimizer.step()
    assert parameter.item() == 1.0
    assert not optimizer.state


def test_named_parameters(torch):
    layer = torch.nn.Linear(1, 1)
    optimizer = torch.optim.SGD(layer.named_parameters(), lr=0.1)
    assert optimizer.param_groups[0]["param_names"] == ["weight", "bias"]
    with pytest.raises(
        ValueError, match=r"all optimizer params should be with/without names. Some param names are missing"
    ):
        torch.optim.SGD([("a", ones(torch, 1)), ones(torch, 1)])
    with pytest.raises(
        ValueError, match=r"all optimizer param groups should be with/without names. cannot add param group"
    ):
        optimizer.add_param_group({"params": [ones(torch, 1)]})


def test_what_cannot_be_optimized(torch):
    parameter = ones(torch, 1)
    make = torch.optim.SGD
    with pytest.raises(
        TypeError, match=r"params argument given to the optimizer should be an iterable of Tensors or dicts"
    ):
        make(parameter)
    with pytest.raises(ValueError, match=r"optimizer got an empty parameter list"):
        make([])
    with pytest.raises(TypeError, match=r"optimizer can only optimize Tensors, but one of the params is int"):
        make([1])
    with pytest.raises(ValueError, match=r"can't optimize a non-leaf Tensor"):
        make([parameter * 2])
    with pytest.raises(ValueError, match=r"some parameters appear in more than one parameter group"):
        make([{"params": parameter}, {"params": parameter}])
    with pytest.raises(TypeError, match=r"optimizer parameters need to be organized in ordered collections"):
        make([{"params": {parameter}}])
    with pytest.warns(UserWarning, match=r"optimizer contains a parameter group with duplicate parameters"):
        make([parameter, parameter])
    with pytest.raises(TypeError, match=r"param_group must be a dict, but got"):
        make([parameter]).add_param_group([parameter])


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("SGD", {"lr": -1}, "Invalid learning rate: -1"),
        ("SGD", {"momentum": -1}, "Invalid momentum value: -1"),
        ("SGD", {"weight_decay": -1}, "Invalid weight_decay value: -1"),
        ("SGD", {"nesterov": True}, "Nesterov momentum requires a momentum and zero dampening"),
        ("Adam", {"eps": -1}, "Invalid epsilon value: -1"),
        ("Adam", {"betas": (1.0, 0.9)}, "Invalid beta parameter at index 0: 1.0"),
        ("AdamW", {"betas": (0.9, 1.0)}, "Invalid beta parameter at index 1: 1.0"),
        ("RMSprop", {"alpha": -1}, "Invalid alpha value: -1"),
        ("Adagrad", {"lr_decay": -1}, "Invalid lr_decay value: -1"),
        ("Adadelta", {"rho": 2}, "Invalid rho value: 2"),
        ("NAdam", {"momentum_decay": -1}, "Invalid momentum_decay value: -1"),
        ("Rprop", {"etas": (2, 1)}, "Invalid eta values: 2, 1"),
    ],
)
def test_invalid_options(torch, name, options, message):
    with pytest.raises(ValueError, match=message):
        getattr(torch.optim, name)([ones(torch, 1)], **options)


def test_options_for_other_machines(torch):
    for options in ({"foreach": True}, {"foreach": False}, {"fused": True}):
        parameter = ones(torch, 1)
        torch.optim.Adam([parameter], lr=0.5, **options).step()
        assert parameter.item() == pytest.approx(0.5)
    with pytest.raises(RuntimeError, match=r"`fused` and `foreach` cannot be `True` together."):
        torch.optim.Adam([ones(torch, 1)], fused=True, foreach=True)
    with pytest.raises(RuntimeError, match=r"`fused` does not support `differentiable`"):
        torch.optim.Adam([ones(torch, 1)], fused=True, differentiable=True)
    with pytest.raises(AssertionError, match=r"If capturable=True, params and state_steps must be on supported"):
        torch.optim.Adam([ones(torch, 1)], capturable=True).step()


@pytest.mark.parametrize("options", [{}, {"foreach": False}, {"maximize": True}])
def test_rprop_goes_nowhere_where_a_gradient_is_nan(torch, options):
    parameter = ones(torch, 3)
    optimizer = torch.optim.Rprop([parameter], lr=0.5, **options)
    for gradient in ([1.0, 1, 1], [torch.nan, 0, -1], [1.0, torch.nan, 1]):
        parameter.grad = torch.tensor(gradient)
        optimizer.step()
    assert parameter.tolist() == ([2, 1.5, 1.75] if options.get("maximize") else [0, 0.5, 0.25])


def test_learning_rate_as_a_tensor(torch):
    parameter = ones(torch, 1)
    torch.optim.SGD([parameter], lr=torch.tensor(0.25)).step()
    assert parameter.item() == 0.75
    with pytest.raises(ValueError, match=r"Tensor lr must be 1-element"):
        torch.optim.SGD([parameter], lr=torch.ones(2))


def test_closure(torch):
    weight = torch.tensor([1.0], requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.1)

    def closure():
        optimizer.zero_grad()
        loss = (weight**2).sum()
        loss.backward()
        return loss

    with torch.no_grad():
        assert optimizer.step(closure).item() == 1.0
    assert weight.item() == pytest.approx(0.8)
    assert optimizer.step() is None


def test_steps_are_seen_as_changes_in_place(torch):
    weight = torch.tensor([1.0], requires_grad=True)
    weight.grad = torch.ones(1)
    y = weight**2
    torch.optim.SGD([weight], lr=0.1).step()
    with pytest.raises(RuntimeError, match=r"modified by an inplace operation"):
        y.sum().backward()


def test_zero_grad(torch):
    parameter = ones(torch, 1)
    optimizer = torch.optim.SGD([parameter])
    optimizer.zero_grad(set_to_none=False)
    assert parameter.grad.tolist() == [0.0]
    optimizer.zero_grad()
    assert parameter.grad is None


def test_state_dict_round_trip(torch):
    first, second = ones(torch, 2), ones(torch, 3)
    optimizer = torch.optim.Adam([{"params": [first]}, {"params": [second], "lr": 0.5}], lr=0.1)
    optimizer.step()
    state = copy.deepcopy(optimizer.state_dict())
    assert [group["params"] for group in state["param_groups"]] == [[0], [1]]
    assert sorted(state["state"]) == [0, 1]
    assert state["state"][0]["step"].item() == 1.0
    copies = [p.detach().clone().requires_grad_() for p in (first, second)]
    other = torch.optim.Adam([{"params": [copies[0]]}, {"params": [copies[1]]}])
    other.load_state_dict(state)
    for p, q in zip((first, second), copies, strict=True):
        p.grad = q.grad = torch.full_like(p, 2.0)
    optimizer.step()
    other.step()
    assert first.tolist() == copies[0].tolist()
    assert second.tolist() == copies[1].tolist()


def test_loading_casts_to_the_parameters_dtype(torch):
    parameter = ones(torch, 1)
    optimizer = torch.optim.Adam([parameter])
    optimizer.step()
    double = torch.ones(1, dtype=torch.float64, requires_grad=True)
    other = torch.optim.Adam([double])
    other.load_state_dict(optimizer.state_dict())
    assert other.state[double]["exp_avg"].dtype == torch.float64
    assert other.state[double]["step"].dtype == torch.float32


def test_loading_what_does_not_fit(torch):
    state = torch.optim.SGD([ones(torch, 1)]).state_dict()
    with pytest.raises(ValueError, match=r"loaded state dict has a different number of parameter groups"):
        torch.optim.SGD([{"params": ones(torch, 1)}, {"params": ones(torch, 1)}]).load_state_dict(state)
    with pytest.raises(
        ValueError, match=r"loaded state dict contains a parameter group that doesn't match the size of opt"
    ):
        torch.optim.SGD([ones(torch, 1), ones(torch, 1)]).load_state_dict(state)


def test_hooks(torch):
    optimizer, seen = torch.optim.SGD([ones(torch, 1)]), []
    optimizer.register_step_pre_hook(lambda optimizer, args, kwargs: seen.append("before"))
    after = optimizer.register_step_post_hook(lambda optimizer, args, kwargs: seen.append("after"))
    optimizer.register_state_dict_pre_hook(lambda optimizer: seen.append("to save"))
    optimizer.register_state_dict_post_hook(lambda optimizer, state: {**state, "extra": 1})
    optimizer.register_load_state_dict_pre_hook(lambda optimizer, state: seen.append(state.pop("extra")))
    optimizer.register_load_state_dict_post_hook(lambda optimizer: seen.append("loaded"))
    optimizer.step()
    after.remove()
    optimizer.step()
    optimizer.load_state_dict(optimizer.state_dict())
    assert seen == ["before", "after", "before", "to save", 1, "loaded"]


def test_hooks_get_the_arguments_of_the_step(torch):
    optimizer, seen = torch.optim.SGD([ones(torch, 1)]), []
    optimizer.register_step_post_hook(lambda *given: seen.append(given))
    optimizer.register_step_pre_hook(lambda optimizer, args, kwargs: ((*args, lambda: 5), {}))
    assert optimizer.step() == 5
    ((found, (first, _), options),) = seen
    assert found is first is optimizer
    assert options == {}


@pytest.mark.parametrize(
    ("options", "refused"),
    [
        ({"lr": 0.1}, True),
        ({"betas": (0.5, 0.5)}, True),
        ({"betas": (0.5, 0.5), "capturable": True}, False),
        ({"foreach": None, "lr": 0.1}, False),
    ],
)
@pytest.mark.parametrize("name", ["Adam", "AdamW"])
def test_options_that_are_tensors_with_foreach(torch, name, options, refused):
    tensors = {"lr": torch.tensor, "betas": lambda betas: tuple(map(torch.tensor, betas))}
    made = {"foreach": True} | {key: tensors.get(key, lambda v: v)(value) for key, value in options.items()}
    words = "as a Tensor is not supported for capturable=False and foreach=True"
    with pytest.raises(ValueError, match=words) if refused else nullcontext():
        getattr(torch.optim, name)([ones(torch, 1)], **made)


def test_hooks_of_all_optimizers(torch):
    from importlib import import_module

    base, seen = import_module(f"{torch.__name__}.optim.optimizer"), []
    handles = [
        base.register_optimizer_step_pre_hook(lambda *_: seen.append("before")),
        base.register_optimizer_step_post_hook(lambda *_: seen.append("after")),
    ]
    torch.optim.SGD([ones(torch, 1)]).step()
    for handle in handles:
        handle.remove()
    torch.optim.SGD([ones(torch, 1)]).step()
    assert seen == ["before", "after"]


def test_optimizer_of_ones_own(torch):
    class Halving(torch.optim.Optimizer):
        def __init__(self, params, factor=0.5):
            super().__init__(params, {"factor": factor})

        @torch.no_grad()
        def step(self, closure=None):
            for group in self.param_groups:
                for p in group["params"]:
                    p.mul_(group["factor"])
                    self.state[p]["seen"] = True

    parameter, seen = ones(torch, 1), []
    optimizer = Halving([parameter])
    optimizer.register_step_post_hook(lambda *_: seen.append(1))
    optimizer.step()
    assert parameter.item() == 0.5
    assert seen == [1]
    assert repr(optimizer) == "Halving (\nParameter Group 0\n    factor: 0.5\n)"
    optimizer.add_param_group({"params": ones(torch, 1), "factor": 0.25})
    assert repr(optimizer).endswith("    factor: 0.5\n\nParameter Group 1\n    factor: 0.25\n)")


def test_copies(torch):
    optimizer = torch.optim.Adam([ones(torch, 1)])
    optimizer.step()
    for again in (copy.deepcopy(optimizer), pickle.loads(pickle.dumps(optimizer))):
        (parameter,) = again.param_groups[0]["params"]
        parameter.grad = torch.ones(1)
        again.step()
        assert again.state[parameter]["step"].item() == 2.0
    assert optimizer.state_dict()["state"][0]["step"].item() == 1.0


def test_other_parameters_and_states_for_a_while(torch):
    own, other = [ones(torch, 1), ones(torch, 2)], [ones(torch, 1), ones(torch, 2)]
    groups = [{"params": [own[0]]}, {"params": [own[1]], "lr": 0.5}]
    optimizer = torch.optim.Adam(groups, lr=0.1)
    optimizer.step()
    state = copy.deepcopy(optimizer.state_dict())
    state["param_groups"][0]["lr"] = 1.0
    before = [p.clone() for p in own], optimizer.state, optimizer.param_groups[0]["params"]
    with torch.optim.swap_in_optimizer_params_and_state(optimizer, dict(zip("ab", other, strict=True)), state):
        assert optimizer.param_groups[1]["params"][0] is other[1]
        optimizer.step()
    assert all(torch.equal(p, q) for p, q in zip(own, before[0], strict=True))
    assert optimizer.state is before[1]
    assert optimizer.param_groups[0]["params"] is before[2]
    assert optimizer.param_groups[0]["lr"] == 0.1
    assert other[0].item() == pytest.approx(0.0, abs=1e-6)
    assert other[1].tolist() == pytest.approx([0.5, 0.5])
    assert state["state"][0]["exp_avg"].item() == pytest.approx(0.19)


@pytest.mark.parametrize("wrong", ["no state", "fewer parameters", "fewer groups", "other keys", "extra states"])
def test_parameters_and_states_that_do_not_match(torch, wrong):
    parameter = ones(torch, 1)
    optimizer = torch.optim.SGD([parameter], lr=0.1, momentum=0.9)
    if wrong != "no state":
        optimizer.step()
    state, given = optimizer.state_dict(), {"a": ones(torch, 1)}
    if wrong == "fewer parameters":
        given = {}
    elif wrong == "fewer groups":
        state["param_groups"] = []
    elif wrong == "other keys":
        del state["param_groups"][0]["lr"]
    elif wrong == "extra states":
        state["state"][3] = {}
    context = torch.optim.swap_in_optimizer_params_and_state(optimizer, given, state)
    with pytest.raises(RuntimeError, match="swap"), context:
        pass


@pytest.mark.parametrize("name", ["Adam", "AdamW"])
@pytest.mark.parametrize("betas", [(0, 0.9), (0.9, 0), (0, 0), (0.0, 0.9)])
def test_betas_of_adam_are_floats(name, betas):
    theirs = pytest.importorskip("torch")

    def seen(torch):
        try:
            return bool(getattr(torch.optim, name)([torch.ones(2, requires_grad=True)], betas=betas))
        except ValueError as error:
            return str(error)

    assert seen(rushlight) == seen(theirs)
