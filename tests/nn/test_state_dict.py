"""State dicts of modules: what is in them, how they are loaded, what goes wrong.

Every test holds for PyTorch too.
"""

import copy

import numpy as np
import pytest


@pytest.fixture
def network(torch):
    return torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3))


def test_contents(torch, network):
    state = network.state_dict()
    assert list(state) == [
        "0.weight",
        "0.bias",
        "1.weight",
        "1.bias",
        "1.running_mean",
        "1.running_var",
        "1.num_batches_tracked",
    ]
    assert type(state).__name__ == "OrderedDict"
    assert dict(state._metadata) == {"": {"version": 1}, "0": {"version": 1}, "1": {"version": 2}}
    assert not state["0.weight"].requires_grad
    assert state["0.weight"].data_ptr() == network[0].weight.data_ptr()
    assert network.state_dict(keep_vars=True)["0.weight"] is network[0].weight
    assert list(network[0].state_dict(prefix="layer.")) == ["layer.weight", "layer.bias"]
    mine = {}
    assert network[0].state_dict(destination=mine) is mine


def test_round_trip(torch, network):
    state = copy.deepcopy(network.state_dict())
    other = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3))
    weight = other[0].weight
    keys = other.load_state_dict(state)
    assert repr(keys) == "<All keys matched successfully>"
    assert keys.missing_keys == keys.unexpected_keys == []
    assert other[0].weight is weight
    assert weight.tolist() == network[0].weight.tolist()


def test_loading_converts_dtypes(torch):
    layer = torch.nn.Linear(2, 1)
    layer.load_state_dict({"weight": torch.tensor([[1, 2]]), "bias": torch.tensor([3.0], dtype=torch.float64)})
    assert layer.weight.dtype == torch.float32
    assert layer.weight.tolist() == [[1.0, 2.0]]


def test_missing_and_unexpected_keys(torch, network):
    state = network.state_dict()
    del state["0.bias"]
    state["0.more"] = state["2.weight"] = torch.ones(1)
    with pytest.raises(RuntimeError) as error:
        network.load_state_dict(state)
    assert str(error.value).startswith(
        "Error(s) in loading state_dict for Sequential:\n"
        '\tMissing key(s) in state_dict: "0.bias". \n'
        '\tUnexpected key(s) in state_dict: "2.weight", "0.more". '
    )
    keys = network.load_state_dict(state, strict=False)
    assert keys.missing_keys == ["0.bias"]
    assert keys.unexpected_keys == ["2.weight", "0.more"]
    assert repr(keys) == "_IncompatibleKeys(missing_keys=['0.bias'], unexpected_keys=['2.weight', '0.more'])"


@pytest.mark.parametrize("strict", [True, False])
def test_size_mismatch(torch, strict):
    with pytest.raises(RuntimeError) as error:
        torch.nn.Linear(2, 3).load_state_dict(torch.nn.Linear(2, 4).state_dict(), strict=strict)
    assert str(error.value).startswith(
        "Error(s) in loading state_dict for Linear:\n"
        "\tsize mismatch for weight: copying a param with shape torch.Size([4, 2]) from checkpoint, the shape in "
        "current model is torch.Size([3, 2]).\n"
        "\tsize mismatch for bias: copying a param with shape torch.Size([4]) from checkpoint, the shape in current "
        "model is torch.Size([3])."
    )


def test_what_is_no_state_dict(torch):
    layer = torch.nn.Linear(1, 1)
    with pytest.raises(TypeError, match=r"Expected state_dict to be dict-like, got <class 'list'>."):
        layer.load_state_dict([])
    with pytest.raises(
        RuntimeError, match=r'While copying the parameter named "weight", expected torch.Tensor or Tensor-'
    ):
        layer.load_state_dict({"weight": np.ones((1, 1)), "bias": torch.ones(1)})


def test_assign(torch):
    layer = torch.nn.Linear(2, 1)
    layer.bias.requires_grad_(False)
    weight = torch.ones(1, 2, dtype=torch.float64)
    layer.load_state_dict({"weight": weight, "bias": torch.ones(1)}, assign=True)
    assert layer.weight.dtype == torch.float64
    assert layer.weight.data_ptr() == weight.data_ptr()
    assert isinstance(layer.weight, torch.nn.Parameter)
    assert layer.weight.requires_grad
    assert not layer.bias.requires_grad


def test_scalars_from_before_there_were_any(torch):
    module = torch.nn.Module()
    module.scale = torch.nn.Parameter(torch.tensor(1.0))
    module.load_state_dict({"scale": torch.tensor([5.0])})
    assert module.scale.item() == 5.0


def test_loading_counts_as_a_change_in_place(torch):
    layer = torch.nn.Linear(1, 1)
    x = torch.ones(1, requires_grad=True)
    y = layer(layer(x))
    layer.load_state_dict({"weight": torch.ones(1, 1), "bias": torch.ones(1)})
    with pytest.raises(RuntimeError, match=r"modified by an inplace operation"):
        y.backward()


def test_batch_norm_of_the_first_version(torch):
    norm = torch.nn.BatchNorm1d(2)
    state = {key: value for key, value in norm.state_dict().items() if key != "num_batches_tracked"}
    assert repr(norm.load_state_dict(state)) == "<All keys matched successfully>"


def test_extra_state(torch):
    class Extra(torch.nn.Module):
        def get_extra_state(self):
            return {"epoch": 3}

        def set_extra_state(self, state):
            self.loaded = state

    module = torch.nn.Sequential(Extra())
    state = module.state_dict()
    assert state["0._extra_state"] == {"epoch": 3}
    module.load_state_dict(state)
    assert module[0].loaded == {"epoch": 3}
    with pytest.raises(RuntimeError, match=r'Missing key.* "0._extra_state"'):
        module.load_state_dict({})
    with pytest.raises(RuntimeError, match=r'Unexpected key.* "_extra_state"'):
        torch.nn.ReLU().load_state_dict({"_extra_state": 1})


def test_hooks(torch):
    layer, seen = torch.nn.Linear(1, 1, bias=False), []
    layer.register_state_dict_pre_hook(lambda module, prefix, keep_vars: seen.append((prefix, keep_vars)))
    layer.register_state_dict_post_hook(lambda module, state, prefix, metadata: state.update({prefix + "x": 1}))
    layer.register_load_state_dict_pre_hook(lambda module, state, *_: state.pop("0.x"))
    layer.register_load_state_dict_post_hook(lambda module, keys: seen.append(type(module).__name__))
    network = torch.nn.Sequential(layer)
    state = network.state_dict()
    assert list(state) == ["0.weight", "0.x"]
    network.load_state_dict(state)
    assert seen == [("0.", False), "Linear"]


def test_hooks_that_return_something(torch):
    layer = torch.nn.Linear(1, 1)
    layer.register_state_dict_post_hook(lambda *_: {})
    with pytest.raises(RuntimeError, match=r"state_dict post-hook must return None"):
        layer.state_dict()
    layer = torch.nn.Linear(1, 1)
    layer._register_state_dict_hook(lambda *_: {"replaced": 1})
    assert layer.state_dict() == {"replaced": 1}
