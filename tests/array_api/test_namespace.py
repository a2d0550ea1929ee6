"""The namespace of the array API standard: its names, its arguments that differ from NumPy's, and who builds on it."""

from pathlib import Path

import numpy as np
import pytest

import rushlight as torch

CALLS = Path(__file__).with_name("calls.txt").read_text().split()


@pytest.mark.parametrize("call", CALLS)
def test_functions_as_numpys(call):
    rng = np.random.default_rng(3)
    x, y = rng.standard_normal((3, 4)), rng.standard_normal((3, 4))
    xp = torch.ones(1).__array_namespace__()
    theirs = call.replace("unstack(x)[1]", "asarray(x)[1]")  # new in NumPy 2.1
    found = eval(call, {"xp": xp, "x": torch.tensor(x), "y": torch.tensor(y)})
    expected = eval(theirs, {"xp": np, "x": x, "y": y})
    assert isinstance(found, torch.Tensor)
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-6, atol=1e-7)


def test_every_name_is_there_and_takes_gradients():
    xp = torch.ones(1).__array_namespace__(api_version="2023.12")
    assert [name for name in xp.__all__ if not hasattr(xp, name)] == []
    x = torch.tensor([1.0, 3.0, 2.0], requires_grad=True)
    xp.sum(xp.sort(x, descending=True) * xp.asarray([1.0, 2.0, 3.0])).backward()
    assert x.grad.tolist() == [3.0, 1.0, 2.0]
    with pytest.raises(ValueError, match="is not there"):
        x.__array_namespace__(api_version="2031.12")


def test_dtypes():
    xp = torch.ones(1).__array_namespace__()
    info = xp.__array_namespace_info__()
    assert info.default_dtypes()["real floating"] is torch.float32
    assert set(info.dtypes(kind="signed integer")) == {"int8", "int16", "int32", "int64"}
    assert info.devices() == [torch.device("cpu")]
    assert info.capabilities()["boolean indexing"]
    assert xp.isdtype(xp.float32, "real floating")
    assert xp.isdtype(xp.int8, ("bool", "integral"))
    assert not xp.isdtype(xp.bool, "numeric")
    assert xp.can_cast(xp.float32, xp.float64)
    assert not xp.can_cast(xp.float64, xp.float32)
    assert xp.result_type(xp.float32, xp.ones(2, dtype=xp.float64), 1.0) is torch.float64
    assert xp.result_type(xp.int64, 2.0) is torch.float32
    with pytest.raises(ValueError, match="unrecognized data type kind"):
        xp.isdtype(xp.float32, "decimal")


def test_exchange():
    x = torch.arange(6.0).reshape(2, 3)
    assert x.to_device("cpu") is x
    with pytest.raises(ValueError, match="no streams"):
        x.to_device("cpu", stream=1)
    array = np.from_dlpack(x)
    array[0, 0] = 7
    assert x[0, 0] == 7
    assert torch.from_dlpack(array).data_ptr() == x.data_ptr() == x.__array_interface__["data"][0]
    torch.from_dlpack(torch.utils.dlpack.to_dlpack(x)).fill_(3)
    assert (x == 3).all()
    assert not hasattr(x, "imag")
    assert x.dtype.kind == "f"


WITHOUT_MEMORY = {
    "requires grad": lambda: torch.ones(2, requires_grad=True),
    "conjugate": lambda: torch.ones(2, dtype=torch.complex64).conj(),
    "sparse": lambda: torch.eye(2).to_sparse(),
    "meta": lambda: torch.ones(2, device="meta"),
    "inside vmap": lambda: torch.func.vmap(lambda x: not hasattr(x, "__array_interface__") and x)(torch.ones(2, 2)),
}


@pytest.mark.parametrize("kind", WITHOUT_MEMORY)
def test_tensors_without_an_array_interface_do_not_claim_one(kind):
    x = WITHOUT_MEMORY[kind]()
    if kind == "inside vmap":
        assert x.shape == (2, 2)
    else:
        assert not hasattr(x, "__array_interface__")
        with pytest.raises((RuntimeError, TypeError)):
            np.asarray(x)


def test_columns_of_pandas_and_xarray():
    pandas = pytest.importorskip("pandas")
    x = torch.arange(6.0).reshape(3, 2)
    frame = pandas.DataFrame({"a": x[:, 0], "b": x[:, 1].int()})
    frame["c"] = x[:, 1]
    assert frame["a"].tolist() == [0, 2, 4]
    assert frame["b"].tolist() == [1, 3, 5]
    assert frame["c"].sum() == 9
    xarray = pytest.importorskip("xarray")
    leaf = torch.ones(3, 2, requires_grad=True)
    (xarray.DataArray(leaf, dims=("row", "column")).mean("row") ** 2).sum().data.backward()
    assert leaf.grad.tolist() == [[pytest.approx(2 / 3)] * 2] * 3


def test_files_of_safetensors_and_numpy(tmp_path):
    safetensors = pytest.importorskip("safetensors.numpy")
    layer, other = torch.nn.Linear(3, 2), torch.nn.Linear(3, 2)
    path = tmp_path / "layer.safetensors"
    safetensors.save_file({name: x.detach().numpy() for name, x in layer.state_dict().items()}, path)
    other.load_state_dict({name: torch.from_numpy(array) for name, array in safetensors.load_file(path).items()})
    assert torch.equal(layer.weight, other.weight)


def test_files_of_numpy(tmp_path):
    x = torch.randn(3, 2)
    np.savez(tmp_path / "x.npz", x=x)
    assert torch.equal(torch.as_tensor(np.load(tmp_path / "x.npz")["x"]), x)


def test_arguments_that_differ_from_numpys():
    xp = torch.ones(1).__array_namespace__()
    x = xp.ones((2, 3))
    assert xp.reshape(x, (3, 2), copy=False).data_ptr() == x.data_ptr()
    assert xp.reshape(x, (3, 2), copy=True).data_ptr() != x.data_ptr()
    with pytest.raises(IndexError):
        xp.expand_dims(x, axis=3)
    mask, numbers = xp.broadcast_arrays(x[0] > 0, x)
    assert (mask.dtype, numbers.dtype) == (torch.bool, torch.float32)
