"""Functions that files name: those that rebuild tensors, those of the system; what the environment says of them."""

import io
import os
import pickle
import sys

import pytest


class Elsewhere:
    """An object that a file makes by calling a function."""

    def __init__(self, function, *arguments):
        self.call = function, arguments

    def __reduce__(self):
        return self.call


def saved(torch, obj):
    """A file with an object."""
    file = io.BytesIO()
    torch.save(obj, file)
    file.seek(0)
    return file


def test_functions_that_rebuild_tensors_are_saved_by_pytorchs_names(torch):
    sparse = torch.eye(3).to_sparse()
    rebuilt = Elsewhere(
        torch._utils._rebuild_sparse_tensor, sparse.layout, (sparse.indices(), sparse.values(), sparse.size())
    )
    assert torch.load(saved(torch, rebuilt)).to_dense().tolist() == torch.eye(3).tolist()


@pytest.mark.parametrize(
    "name",
    [
        "_rebuild_tensor",
        "_rebuild_tensor_v2",
        "_rebuild_tensor_v3",
        "_rebuild_sparse_tensor",
        "_rebuild_parameter",
        "_rebuild_parameter_with_state",
    ],
)
def test_each_has_a_name_of_its_own(torch, name):
    function = getattr(torch._utils, name)
    assert pickle.loads(pickle.dumps(function)) is function
    assert f"_utils\n{name}\n".encode() in pickle.dumps(function, 0)


@pytest.mark.parametrize(
    ("layout", "index", "words"),
    [
        ("sparse_coo", [[9], [0]], "size is inconsistent with indices"),
        ("sparse_csr", [3, 1, 1, 1], "`crow_indices.* == 0` is not satisfied."),
    ],
)
@pytest.mark.parametrize("weights_only", [False, True])
def test_why_the_parts_of_a_sparse_tensor_do_not_fit(torch, layout, index, words, weights_only):
    others = [torch.tensor([0])] if layout == "sparse_csr" else []
    data = (torch.tensor(index), *others, torch.ones(1), torch.Size([3, 3]))
    file = saved(torch, Elsewhere(torch._utils._rebuild_sparse_tensor, getattr(torch, layout), data))
    with torch.sparse.check_sparse_tensor_invariants(), pytest.raises(RuntimeError, match=words):
        torch.load(file, weights_only=weights_only)


@pytest.mark.parametrize("function", [os.getpid, sys.getsizeof])
def test_functions_of_the_system_are_blocked(torch, function):
    name = f"{function.__module__}.{function.__name__}"
    blocked = pytest.raises(pickle.UnpicklingError, match=f"unsupported GLOBAL {name} whose module")
    with torch.serialization.safe_globals([function]), blocked:
        torch.load(saved(torch, Elsewhere(function)))


def test_the_environment_can_force_what_is_loaded(torch, monkeypatch):
    layer = torch.nn.Linear(2, 3)
    monkeypatch.setenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "1")
    with pytest.warns(UserWarning, match="forcing weights_only=False"):
        assert isinstance(torch.load(saved(torch, layer)), torch.nn.Linear)
    with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
        torch.load(saved(torch, layer), weights_only=True)
    monkeypatch.setenv("TORCH_FORCE_WEIGHTS_ONLY_LOAD", "1")
    with pytest.raises(RuntimeError, match="Only one of"):
        torch.load(saved(torch, layer))
    monkeypatch.delenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD")
    for weights_only in (None, False):
        with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
            torch.load(saved(torch, layer), weights_only=weights_only)
