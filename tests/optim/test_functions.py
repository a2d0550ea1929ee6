"""The functions of optimizers, against PyTorch's, with the same lists of tensors."""

import inspect
from importlib import import_module

import numpy as np
import pytest

import rushlight

pytorch = pytest.importorskip("torch")
OPTIONS = {
    "adadelta": {"lr": 0.1, "rho": 0.9, "eps": 1e-6, "weight_decay": 0.1, "maximize": False},
    "adagrad": {"lr": 0.1, "lr_decay": 0.1, "eps": 1e-6, "weight_decay": 0.1, "maximize": False},
    "adam": {"beta1": 0.9, "beta2": 0.99, "lr": 0.1, "weight_decay": 0.1, "eps": 1e-6, "maximize": True, "amsgrad": 1},
    "adamax": {"eps": 1e-6, "beta1": 0.9, "beta2": 0.99, "lr": 0.1, "weight_decay": 0.1},
    "asgd": {"lambd": 0.01, "lr": 0.1, "t0": 1.0, "alpha": 0.7, "weight_decay": 0.1},
    "nadam": {"beta1": 0.9, "beta2": 0.99, "lr": 0.1, "weight_decay": 0.1, "momentum_decay": 0.01, "eps": 1e-6},
    "radam": {"beta1": 0.9, "beta2": 0.99, "lr": 0.1, "weight_decay": 0.1, "eps": 1e-6},
    "rmsprop": {"lr": 0.1, "alpha": 0.9, "eps": 1e-6, "weight_decay": 0.1, "momentum": 0.9, "centered": True},
    "rprop": {"step_size_min": 1e-6, "step_size_max": 50.0, "etaminus": 0.5, "etaplus": 1.2},
    "sgd": {"weight_decay": 0.1, "momentum": 0.9, "lr": 0.1, "dampening": 0.1, "nesterov": False, "maximize": False},
}
OPTIONS["adamw"] = OPTIONS["adam"]
FIRST = {"etas": 0.1, "mus": 1.0, "mu_products": 1.0, "state_steps": 0.0}  # one number for each parameter


def lists_of(library, name):
    """The lists that a function takes, filled for two parameters."""
    drawn = np.random.default_rng(0)
    lists = []
    for parameter in inspect.signature(getattr(pytorch.optim._functional, name)).parameters.values():
        if parameter.default is not parameter.empty or parameter.kind is parameter.KEYWORD_ONLY:
            break
        if parameter.name in FIRST:
            lists.append([library.tensor(FIRST[parameter.name]) for _ in range(2)])
        elif parameter.name == "momentum_buffer_list" and name == "sgd":
            lists.append([None, None])
        else:
            scale = 1.0 if parameter.name in ("params", "grads", "d_p_list") else 0.0
            scale, shift = (0.0, 0.1) if parameter.name == "step_sizes" else (scale, 0.0)
            lists.append([library.tensor(scale * drawn.standard_normal((2, 3)) + shift) for _ in range(2)])
    return lists


@pytest.mark.parametrize("name", OPTIONS)
def test_steps_as_in_pytorch(name):
    results = []
    for library in (pytorch, rushlight):
        function = getattr(import_module(f"{library.__name__}.optim.{name}"), name)
        assert function is getattr(import_module(f"{library.__name__}.optim._functional"), name)
        lists = lists_of(library, name)
        held = [list(tensors) for tensors in lists]
        for _ in range(3):
            with library.no_grad():
                function(*lists, **OPTIONS[name])
        for now, before in zip(lists, held, strict=True):
            assert all(a is b or b is None for a, b in zip(now, before, strict=True))
        results.append([np.asarray(tensor) for tensors in lists for tensor in tensors])
    for theirs, ours in zip(*results, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)


def test_wrong_arguments_are_refused():
    x = rushlight.ones(2)
    with pytest.raises(TypeError):
        rushlight.optim.sgd.sgd([x], [x], [None], rate=0.1)
    options = OPTIONS["adadelta"]
    with pytest.raises(RuntimeError, match="singleton tensors"):
        rushlight.optim.adadelta.adadelta([x], [x], [x.clone()], [x.clone()], [1], **options)
