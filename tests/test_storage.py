"""The memory of tensors by itself: what is written there is seen by all tensors that lie there."""

import numpy as np
import pytest

import rushlight as torch


def test_bytes_and_elements_are_the_tensors_own():
    x = torch.arange(6.0).reshape(2, 3)
    memory, elements = x.untyped_storage(), x.storage()
    assert (memory.nbytes(), len(elements), elements.dtype) == (24, 6, torch.float32)
    assert memory.data_ptr() == x.data_ptr() == x[1:].untyped_storage().data_ptr() == elements.data_ptr()
    elements[0] = 9.0
    x[1].storage().fill_(2.0)
    assert x.tolist() == [[2, 2, 2], [2, 2, 2]]
    memory.fill_(0)
    assert x.sum().item() == 0
    copy = elements.clone()
    elements[1:3].fill_(5.0)
    assert (elements.tolist(), copy.tolist()) == ([0, 5, 5, 0, 0, 0], [0] * 6)
    assert x.storage_type() is torch.FloatStorage
    assert isinstance(elements, torch.TypedStorage)


def test_set_gives_a_tensor_other_memory():
    x = torch.arange(6.0)
    y = torch.empty(0).set_(x.untyped_storage(), 1, (2, 2), (2, 1))
    assert y.tolist() == [[1, 2], [3, 4]]
    assert (y.stride(), y.storage_offset()) == ((2, 1), 1)
    y.add_(10)
    assert x.tolist() == [0, 11, 12, 13, 14, 5]
    assert torch.empty(0).set_(x.storage()).tolist() == x.tolist()
    z = torch.empty(3).set_(x)
    assert z.is_set_to(x)
    assert not z[1:].is_set_to(x)
    assert torch.ones(3).set_().shape == (0,)
    w = torch.nn.Parameter(torch.ones(2))
    w.data.set_(torch.zeros(4))
    with pytest.raises(RuntimeError, match=r"setStorage: sizes .2., strides .1., storage offset 9 require"):
        torch.empty(0).set_(x.untyped_storage(), 9, (2,), (1,))
    with pytest.raises(RuntimeError, match="Could not set tensor of type"):
        torch.empty(0).set_(torch.arange(3))


def test_storages_of_their_own():
    made = torch.FloatStorage([1, 2, 3])
    assert made.tolist() == [1.0, 2.0, 3.0]
    assert repr(made).endswith("[torch.storage.TypedStorage(dtype=torch.float32, device=cpu) of size 3]")
    assert (torch.LongStorage(2).nbytes(), torch.UntypedStorage(4).nbytes()) == (16, 4)
    memory = torch.UntypedStorage(2)
    assert memory.resize_(8).nbytes() == 8
    assert torch.empty(0, dtype=torch.int32).set_(memory).tolist() == [0, 0]
    assert torch.tensor([1, 2]).untyped_storage() == torch.tensor([1, 2]).untyped_storage()


def test_a_file_is_mapped(tmp_path):
    path = tmp_path / "numbers"
    path.write_bytes(bytes([0, 0, 128, 63, 0, 0, 0, 64]))
    x = torch.empty(0).set_(torch.UntypedStorage.from_file(str(path), nbytes=8))
    assert x.tolist() == [1.0, 2.0]
    x[0] = 5.0
    assert path.read_bytes()[3] == 63
    torch.UntypedStorage.from_file(str(path), shared=True, nbytes=8)[3] = 64
    assert path.read_bytes()[3] == 64


def test_a_tensor_in_a_file(torch, tmp_path):
    path = str(tmp_path / "numbers")
    torch.from_file(path, True, 3).fill_(1)
    assert torch.from_file(path, size=2).tolist() == [1, 1]
    torch.from_file(path, size=2).fill_(7)
    assert torch.from_file(path, shared=False, size=6, dtype=torch.int16).tolist() == [0, 16256] * 3
    torch.from_file(path, True, 5, dtype=torch.float64)
    assert (tmp_path / "numbers").stat().st_size == 40
    assert torch.from_file(path).shape == (0,)
    with pytest.raises(RuntimeError, match="is smaller than the required mapping size"):
        torch.from_file(path, size=11)
    with pytest.raises(RuntimeError, match="unable to open file"):
        torch.from_file(path + " too", size=1)


def test_loading_into_a_tensor(torch):
    x, other = torch.ones(2), torch.zeros(2)
    assert x.module_load(other).data_ptr() == x.data_ptr()
    assert x.tolist() == [0, 0]
    assert x.module_load(other, assign=True).data_ptr() == other.data_ptr()
    assert isinstance(x.untyped_storage(), torch.StorageBase)


def test_tensors_have_numbers_of_their_own():
    x = torch.ones(2)
    assert x._cdata == x._cdata != x.detach()._cdata


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("count", [3, np.int16(3), np.uint8(3)])
def test_sizes_of_storages_are_integers_of_numpy_too(torch, count):
    assert torch.FloatStorage(count).size() == torch.UntypedStorage(count).size() == 3


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("made", ["FloatStorage", "LongStorage"])
def test_storages_are_made_of_sizes_and_sequences_alone(torch, made):
    kind = getattr(torch, made)
    assert kind(range(3)).tolist() == [0, 1, 2]
    for given in (3.5, None, torch.zeros(3), torch.UntypedStorage(8), kind(2), np.zeros(2)):
        with pytest.raises(TypeError, match="Argument type not recognized"):
            kind(given)
    with pytest.raises(TypeError, match="invalid data type 'str'"):
        kind("abc")
    with pytest.raises(RuntimeError, match="Too many positional arguments"):
        kind(1, 2)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", ["Half", "Float", "Double"])
def test_the_default_storage_has_the_default_dtype(torch, name):
    try:
        torch.set_default_dtype(getattr(torch, name.lower()))
        assert torch.Storage is getattr(torch, f"{name}Storage")
    finally:
        torch.set_default_dtype(torch.float32)


@pytest.mark.parametrize("shared", [False, True])
def test_the_file_of_a_storage(torch, tmp_path, shared):
    path = str(tmp_path / "numbers")
    np.arange(4.0).tofile(path)
    tensor = torch.from_file(path, shared=shared, size=4, dtype=torch.float64)
    storage = torch.UntypedStorage.from_file(path, shared, 32)
    assert tensor.untyped_storage().filename == storage.filename == (path if shared else None)
    assert torch.zeros(2).untyped_storage().filename is None
