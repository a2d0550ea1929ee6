"""Storages as the data of tensors, made of buffers and files, and on the device meta."""

import pytest

DTYPES = "uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 complex128 bool uint16".split()
BY_BYTES = b"\x00\x01\x02\x03\x04\x05\x10\x40"

ignored = pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")


def readings(torch, dtype, storage):
    """Every way from a storage to a tensor of a dtype."""
    one = torch.ones(1).to(dtype)
    return {
        "tensor": lambda: torch.tensor(storage, dtype=dtype),
        "as_tensor": lambda: torch.as_tensor(storage, dtype=dtype),
        "asarray": lambda: torch.asarray(storage, dtype=dtype),
        "new_tensor": lambda: one.new_tensor(storage),
        "new": lambda: one.new(storage),
        "set_": lambda: torch.empty(0, dtype=dtype).set_(storage),
    }


@ignored
@pytest.mark.parametrize("name", DTYPES)
def test_a_tensor_lies_in_the_memory_of_a_storage(torch, name):
    dtype = getattr(torch, name)
    x = torch.tensor([1, 0, 3]).to(dtype)
    for storage in (x.storage(), x.untyped_storage()):
        for way, read in readings(torch, dtype, storage).items():
            found = read()
            assert (way, found.dtype, found.tolist()) == (way, dtype, x.tolist())
            assert found.data_ptr() == x.data_ptr(), way


@ignored
@pytest.mark.parametrize("name", DTYPES)
def test_a_typed_storage_of_another_dtype_is_refused(torch, name):
    dtype, other = getattr(torch, name), torch.float32 if name != "float32" else torch.int32
    for read in readings(torch, dtype, torch.ones(2, dtype=other).storage()).values():
        with pytest.raises(RuntimeError, match=r"Expected a Storage of type .+ or an UntypedStorage, but got"):
            read()


@ignored
def test_bytes_are_read_as_the_wanted_dtype(torch):
    memory = torch.tensor([1.0, 2.0]).untyped_storage()
    assert torch.tensor(memory, dtype=torch.int16).tolist() == [0, 16256, 0, 16384]
    assert torch.tensor(memory).dtype is torch.int64
    assert torch.tensor(torch.UntypedStorage(6)).shape == (0,)
    assert torch.Tensor(memory).tolist() == torch.FloatTensor(memory).tolist() == [1, 2]
    with pytest.raises(RuntimeError, match="Expected a Storage of type Long"):
        torch.LongTensor(torch.FloatStorage([1, 2]))
    with pytest.raises(RuntimeError, match="Expected a Storage of type Float"):
        torch.tensor(torch.LongStorage([1]))


@ignored
def test_storages_of_buffers(torch):
    assert torch.ByteStorage.from_buffer(BY_BYTES[:3]).tolist() == [0, 1, 2]
    assert torch.ShortStorage.from_buffer(BY_BYTES, "big").tolist() == [1, 515, 1029, 4160]
    assert torch.ShortStorage.from_buffer(BY_BYTES, "little", 2).tolist() == [256, 770]
    assert torch.IntStorage.from_buffer(BY_BYTES, "big", offset=4).tolist() == [67440704]
    assert torch.BoolStorage.from_buffer(BY_BYTES, "big").tolist() == [False] + [True] * 7
    assert torch.FloatStorage.from_buffer(b"\x40\x10\x00\x00", "big")[0] == 2.25
    assert torch.BFloat16Storage.from_buffer(b"\x40\x10", "big")[0] == 2.25
    assert torch.ComplexFloatStorage.from_buffer(b"\x40\x10\0\0\x3f\x80\0\0", "big")[0] == 2.25 + 1j
    assert torch.TypedStorage.from_buffer(b"\0\1", "big", dtype=torch.int16).tolist() == [1]
    assert torch.UntypedStorage.from_buffer(b"\0\1", "big", dtype=torch.int16).tolist() == [1, 0]
    assert len(torch.FloatStorage.from_buffer(b"", "little")) == 0


@ignored
@pytest.mark.parametrize(
    ("error", "words", "arguments"),
    [
        (RuntimeError, "function missing required argument 'byte_order'", ()),
        (ValueError, "invalid byte_order 'middle'", ("middle",)),
        (ValueError, r"buffer size \(.\) must be a multiple of element size \(4\)", ("big", -1, 1)),
        (ValueError, "buffer has only . elements after offset 0, but specified a size of 9", ("big", 9)),
        (ValueError, "offset must be non-negative and no greater than buffer length", ("big", -1, 9)),
    ],
)
def test_buffers_that_hold_no_such_elements(torch, error, words, arguments):
    with pytest.raises(error, match=words):
        torch.FloatStorage.from_buffer(BY_BYTES, *arguments)


@ignored
def test_dtypes_of_buffers(torch):
    with pytest.raises(RuntimeError, match="argument 'dtype' cannot be None"):
        torch.UntypedStorage.from_buffer(BY_BYTES, "big")
    with pytest.raises(RuntimeError, match="'dtype' can only be specified in"):
        torch.FloatStorage.from_buffer(BY_BYTES, "big", dtype=torch.float32)
    with pytest.raises(TypeError, match="a bytes-like object is required, not 'str'"):
        torch.FloatStorage.from_buffer("abcd", "big")


@ignored
def test_the_class_of_a_dtype_has_all_its_storages(torch):
    for storage in (torch.BoolStorage.from_buffer(b"\1", "big"), torch.tensor([True]).storage()):
        assert isinstance(storage, torch.BoolStorage)
        assert isinstance(storage, torch.TypedStorage)
        assert not isinstance(storage, torch.ByteStorage)
    assert not isinstance(torch.UntypedStorage(1), (torch.ByteStorage, torch.TypedStorage))


@ignored
def test_a_file_is_seen_by_tensors_and_storages(torch, tmp_path):
    path = str(tmp_path / "numbers")
    (tmp_path / "numbers").write_bytes(bytes(40))
    first, second = (torch.FloatTensor(torch.FloatStorage.from_file(path, True, 10)) for _ in range(2))
    first.copy_(torch.arange(10.0))
    assert second.tolist() == list(range(10))
    second.fill_(3)
    assert first.tolist() == [3] * 10


@ignored
def test_sizes_in_memory(torch):
    for kind in ("storage", "untyped_storage"):
        none, ten, hundred = (getattr(torch.zeros(n), kind)().__sizeof__() for n in (0, 10, 100))
        assert (ten - none, hundred - none) == (40, 400)


@ignored
@pytest.mark.parametrize("given", [(), (0,), (100,), ([1, 2, 3],)])
def test_storages_on_meta(torch, given):
    for kind, options in ((torch.UntypedStorage, {}), (torch.TypedStorage, {"dtype": torch.float32})):
        real, meta = kind(*given, **options), kind(*given, **options, device="meta")
        assert (meta.device.type, meta.data_ptr()) == ("meta", 0)
        assert (meta.nbytes(), meta.size(), len(meta)) == (real.nbytes(), real.size(), len(real))
        assert meta.clone().device.type == meta.to(device="meta").device.type == "meta"
        assert repr(meta).startswith("...\n[torch.storage.")
        assert meta.fill_(1) is meta
        assert meta.float().nbytes() == 4 * len(meta)
        with pytest.raises(NotImplementedError, match="Not available for 'meta' device type"):
            meta[0]
        with pytest.raises(NotImplementedError, match="Cannot copy out of meta tensor; no data!"):
            meta.cpu()


@ignored
def test_storages_of_tensors_on_meta(torch):
    x = torch.empty(2, 3, device="meta", dtype=torch.float64)
    assert (x.untyped_storage().nbytes(), x.storage().size(), x.storage().dtype) == (48, 6, torch.float64)
    assert (x.storage().untyped().size(), x.storage().device.type) == (48, "meta")
    assert torch.TypedStorage(wrap_storage=x.untyped_storage(), dtype=torch.int16).size() == 24
    with pytest.raises(RuntimeError, match="Keyword argument 'device' cannot be specified"):
        torch.FloatStorage(3, device="meta")
