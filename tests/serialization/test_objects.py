"""Saving and loading: in PyTorch's format, safely, with sharing of memory; copies by pickle and deepcopy."""

import collections
import copy
import fractions
import io
import pickle
import zipfile

import numpy as np
import pytest

import rushlight

DTYPES = [
    "bool",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]


def through(save, load, obj, **options):
    """An object after `save` into memory and `load` from there."""
    file = io.BytesIO()
    save(obj, file)
    return load(io.BytesIO(file.getvalue()), **options)


@pytest.fixture(params=["rushlight", "to torch", "from torch"])
def libraries(request):
    """The library that saves and the one that loads."""
    if request.param == "rushlight":
        return rushlight, rushlight
    torch = pytest.importorskip("torch")
    return (rushlight, torch) if request.param == "to torch" else (torch, rushlight)


@pytest.mark.parametrize("name", DTYPES)
def test_every_dtype(libraries, name):
    one, other = libraries
    saved = one.arange(6).reshape(2, 3).to(getattr(one, name))
    loaded = through(one.save, other.load, saved)
    assert isinstance(loaded, other.Tensor)
    assert str(loaded.dtype) == f"torch.{name}"
    assert loaded.tolist() == saved.tolist()


def test_containers_and_what_belongs_to_tensors(libraries):
    one, other = libraries
    obj = {
        "list": [1, 2.5, "text", None, True, (b"bytes", {1, 2}), 3j],
        "ordered": collections.OrderedDict(a=one.ones(2), b=one.zeros(0, 3)),
        "leaf": one.ones(2, requires_grad=True),
        "scalar": one.tensor(3),
        "dtype": one.float64,
        "shape": one.ones(2, 3).shape,
        "device": one.device("cpu"),
    }
    loaded = through(one.save, other.load, obj)
    assert loaded["list"] == obj["list"]
    assert list(loaded["ordered"]) == ["a", "b"]
    assert tuple(loaded["ordered"]["b"].shape) == (0, 3)
    assert loaded["leaf"].requires_grad
    assert not loaded["scalar"].requires_grad
    assert loaded["scalar"].item() == 3
    assert loaded["dtype"] is other.float64
    assert type(loaded["shape"]) is other.Size
    assert loaded["device"] == other.device("cpu")


def test_views_share_memory_after_loading(libraries):
    one, other = libraries
    base = one.arange(12.0).reshape(3, 4)
    saved = {"base": base, "row": base[1], "turned": base.transpose(0, 1), "again": base}
    loaded = through(one.save, other.load, saved)
    assert loaded["turned"].tolist() == base.transpose(0, 1).tolist()
    assert loaded["again"] is loaded["base"]
    loaded["base"][1, 2] = 100.0
    assert loaded["row"].tolist() == [4.0, 5.0, 100.0, 7.0]
    assert loaded["turned"][2, 1].item() == 100.0


def test_parameters_and_state_dicts(libraries):
    one, other = libraries
    layer = one.nn.Linear(3, 2)
    loaded = through(one.save, other.load, {"weight": layer.weight, "state": layer.state_dict()})
    assert isinstance(loaded["weight"], other.nn.Parameter)
    assert loaded["weight"].requires_grad
    twin = other.nn.Linear(3, 2)
    twin.load_state_dict(loaded["state"])
    assert twin.weight.tolist() == layer.weight.tolist()
    assert twin.bias.tolist() == layer.bias.tolist()


def test_paths(tmp_path):
    rushlight.save([rushlight.ones(2)], tmp_path / "file.pt")
    assert rushlight.load(tmp_path / "file.pt")[0].tolist() == [1.0, 1.0]
    assert rushlight.load(str(tmp_path / "file.pt"), map_location="cpu")[0].tolist() == [1.0, 1.0]


def test_only_safe_types_are_loaded_by_default():
    obj = {"half": fractions.Fraction(1, 2)}
    with pytest.raises(pickle.UnpicklingError, match=r"^Weights only load failed.*fractions\.Fraction"):
        through(rushlight.save, rushlight.load, obj)
    assert through(rushlight.save, rushlight.load, obj, weights_only=False) == obj
    with rushlight.serialization.safe_globals([fractions.Fraction]):
        assert through(rushlight.save, rushlight.load, obj) == obj
    assert rushlight.serialization.get_safe_globals() == []


def test_whole_modules_need_trust():
    model = rushlight.nn.Sequential(rushlight.nn.Linear(2, 2), rushlight.nn.ReLU())
    with pytest.raises(pickle.UnpicklingError, match="none of the types"):
        through(rushlight.save, rushlight.load, model)
    twin = through(rushlight.save, rushlight.load, model, weights_only=False)
    assert twin(rushlight.ones(1, 2)).tolist() == model(rushlight.ones(1, 2)).tolist()


def archive(**entries) -> io.BytesIO:
    """A ZIP file of some entries."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as out:
        for name, content in entries.items():
            out.writestr(name, content)
    file.seek(0)
    return file


def test_a_tensor_cannot_reach_out_of_its_memory():
    file = io.BytesIO()
    rushlight.save(rushlight.ones(4), file)
    with zipfile.ZipFile(file) as source:
        entries = {name: source.read(name) for name in source.namelist()}
    size = b"K\x04\x85"
    assert size in entries["archive/data.pkl"]
    entries["archive/data.pkl"] = entries["archive/data.pkl"].replace(size, b"K\x7f\x85")
    with pytest.raises(RuntimeError, match="reaches out of its memory"):
        rushlight.load(archive(**entries))


@pytest.mark.parametrize(
    ("content", "error", "words"),
    [
        (b"", EOFError, "Ran out of input"),
        (b"no such format", pickle.UnpicklingError, "Weights only load failed"),
        (archive(other="text").getvalue(), RuntimeError, "This ZIP file was not written by torch.save"),
        (archive(**{"m/data.pkl": "", "m/constants.pkl": ""}).getvalue(), RuntimeError, "a program of TorchScript"),
    ],
)
def test_other_files_are_refused(content, error, words):
    with pytest.raises(error, match=words):
        rushlight.load(io.BytesIO(content))


def test_results_come_back_as_leaves(libraries):
    one, other = libraries
    loaded = through(one.save, other.load, one.ones(2, requires_grad=True) * 2)
    assert loaded.is_leaf
    assert loaded.requires_grad


@pytest.mark.parametrize("copied", [copy.deepcopy, copy.copy, lambda x: pickle.loads(pickle.dumps(x))])
def test_copies_of_leaves(copied):
    leaf = rushlight.ones(3, requires_grad=True)
    twin = copied(leaf)
    assert twin is not leaf
    assert twin.requires_grad
    assert twin.is_leaf
    (twin * rushlight.ones(3)).sum().backward()  # same dtype object: no promotion gets in the way
    assert twin.grad.tolist() == [1.0, 1.0, 1.0]
    assert twin.detach().numpy().dtype is np.dtype(np.float32)


def test_deepcopy_keeps_the_gradient_and_sharing():
    leaf = rushlight.ones(2, requires_grad=True)
    leaf.grad = rushlight.tensor([1.0, 2.0])
    a, b = copy.deepcopy([leaf, leaf])
    assert a is b
    assert a.grad.tolist() == [1.0, 2.0]
    assert a.grad is not leaf.grad


def test_results_are_pickled_as_leaves_and_not_copied():
    result = rushlight.ones(2, requires_grad=True) * 2
    with pytest.raises(RuntimeError, match="Only Tensors created explicitly by the user"):
        copy.deepcopy(result)
    assert pickle.loads(pickle.dumps(result)).is_leaf


def test_dtypes_and_generators_are_pickled():
    assert pickle.loads(pickle.dumps(rushlight.float32)) is rushlight.float32
    generator = rushlight.Generator().manual_seed(3)
    twin = pickle.loads(pickle.dumps(generator))
    assert rushlight.rand(3, generator=twin).tolist() == rushlight.rand(3, generator=generator).tolist()
