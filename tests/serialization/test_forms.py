"""The forms of files, and the ways to load them: older files, protocols, mapped memory, devices; strides and bits."""

import gzip
import io
import pickle
import zipfile

import numpy as np
import pytest

import rushlight

LoadError = rushlight.serialization.LoadError


@pytest.fixture(params=["rushlight", "to torch", "from torch"])
def libraries(request):
    """The library that saves and the one that loads."""
    if request.param == "rushlight":
        return rushlight, rushlight
    torch = pytest.importorskip("torch")
    return (rushlight, torch) if request.param == "to torch" else (torch, rushlight)


def written(one, obj, **options):
    """A file of an object, at its beginning."""
    file = io.BytesIO()
    one.save(obj, file, **options)
    file.seek(0)
    return file


def example(one):
    """Tensors of all kinds, some in the memory of others."""
    base = one.arange(24.0).reshape(2, 3, 4)
    parameter = one.nn.Parameter(one.ones(2))
    parameter.note = "text"
    return {
        "base": base,
        "view": base[1, :, ::2],
        "turned": base.permute(2, 0, 1),
        "expanded": base[0, 0].expand(3, 4),
        "empty": one.zeros(3, 0, 2),
        "number": one.tensor(3),
        "complex": one.ones(2, dtype=one.complex64) * 1j,
        "channels last": one.ones(2, 3, 4, 5).contiguous(memory_format=one.channels_last),
        "parameter": parameter,
        "random": one.get_rng_state(),
        "layout": one.strided,
        "nested": [(base, {"x": (base,)})],
        "detached": base[1].detach(),
        "convolution": one.nn.functional.conv2d(one.ones(8, 2, 5, 5), one.ones(3, 2, 3, 3)),
    }


def check(found, expected, other):
    for name, tensor in expected.items():
        if isinstance(tensor, (list, str)) or name == "layout":
            continue
        assert found[name].tolist() == tensor.tolist(), name
        assert found[name].stride() == tensor.stride(), name
        assert found[name].is_contiguous() == tensor.is_contiguous(), name
        assert found[name].storage_offset() == tensor.storage_offset(), name
    assert found["layout"] is other.strided
    assert found["parameter"].note == "text"
    assert isinstance(found["parameter"], other.nn.Parameter)
    assert found["nested"][0][0] is found["nested"][0][1]["x"][0] is found["base"]
    found["base"].add_(100)
    assert found["view"][0, 0].item() == found["detached"][0, 0].item() == 112
    assert found["turned"][0, 0, 0].item() == found["expanded"][2, 0].item() == 100


@pytest.mark.parametrize("modern", [True, False])
def test_strides_and_shared_memory(libraries, modern):
    one, other = libraries
    file = written(one, example(one), _use_new_zipfile_serialization=modern)
    check(other.load(file), example(one), other)


@pytest.mark.parametrize("protocol", [1, 2, 3, 4, 5])
def test_protocols(protocol):
    file = written(rushlight, example(rushlight), pickle_protocol=protocol)
    check(rushlight.load(file), example(rushlight), rushlight)
    with pytest.raises(ValueError, match="pickle_protocol=0 cannot hold tensors"):
        rushlight.save(1, file, pickle_protocol=0)


def test_older_files_follow_each_other(libraries):
    one, other = libraries
    file = io.BytesIO()
    for number in range(3):
        one.save([one.full((3,), float(number)), number], file, _use_new_zipfile_serialization=False)
    file.write(b"rest")
    file.seek(0)
    for number in range(3):
        tensor, found = other.load(file)
        assert (tensor.tolist(), found) == ([number] * 3, number)
    assert file.read() == b"rest"


def test_mapped_memory(libraries, tmp_path):
    one, other = libraries
    one.save(example(one), tmp_path / "file.pt")
    before = (tmp_path / "file.pt").read_bytes()
    check(other.load(tmp_path / "file.pt", mmap=True), example(one), other)  # adds in place
    assert (tmp_path / "file.pt").read_bytes() == before
    with pytest.raises(ValueError, match="f must be a file path in order to use the mmap argument"):
        other.load(io.BytesIO(before), mmap=True)
    one.save(1, tmp_path / "old.pt", _use_new_zipfile_serialization=False)
    with pytest.raises(RuntimeError, match="mmap can only be used with files saved with"):
        other.load(tmp_path / "old.pt", mmap=True)


def test_memory_in_archives_begins_at_multiples_of_64():
    file = written(rushlight, {"a": rushlight.ones(3), "b": rushlight.ones(5, dtype=rushlight.float64)})
    content = file.getvalue()
    with zipfile.ZipFile(file) as archive:
        assert archive.testzip() is None
    for pattern in (np.ones(3, np.float32), np.ones(5)):
        assert content.index(pattern.tobytes()) % 64 == 0


@pytest.mark.parametrize(
    "place",
    [
        None,
        "cpu",
        rushlight.device("cpu"),
        {"cuda:0": "cpu"},
        {"cpu": "cpu"},
        lambda storage, location: storage,
        lambda storage, location: storage.cpu(),
        lambda storage, location: None,
    ],
)
def test_devices(place):
    file = written(rushlight, rushlight.ones(2))
    assert rushlight.load(file, map_location=place).tolist() == [1, 1]
    file.seek(0)
    assert rushlight.load(file, place).tolist() == [1, 1]


@pytest.mark.parametrize("place", ["cuda", {"cpu": "cuda:0"}, lambda storage, location: storage.cuda()])
def test_devices_that_are_not_there(place):
    file = written(rushlight, rushlight.ones(2))
    with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
        rushlight.load(file, map_location=place)
    file.seek(0)
    with pytest.raises(TypeError, match="map_location should be a device"):
        rushlight.load(file, map_location=3)


def test_functions_of_storages_are_told_their_size_and_device():
    file = written(rushlight, [rushlight.ones(2), rushlight.ones(3, dtype=rushlight.int8)])
    told = []
    rushlight.load(file, map_location=lambda storage, location: told.append((storage.nbytes(), location)))
    assert told == [(8, "cpu"), (3, "cpu")]


@pytest.mark.parametrize("modern", [True, False])
def test_conjugated_and_negated_tensors_of_pytorch(modern):
    torch = pytest.importorskip("torch")
    z = torch.tensor([1 + 2j, 3 - 4j])
    tensors = {
        "z": z,
        "conjugate": z.conj(),
        "negated": z.clone().conj().imag,
        "both": torch._neg_view(z.conj()),
        "part": z.conj()[1:],
    }
    file = written(torch, tensors, _use_new_zipfile_serialization=modern)
    found = rushlight.load(file)
    assert {name: tensor.tolist() for name, tensor in found.items()} == {n: t.tolist() for n, t in tensors.items()}


def test_other_options():
    file = written(rushlight, "text")
    for options in {}, {"weights_only": False}, {"weights_only": False, "encoding": "latin1"}:
        assert rushlight.load(file, None, pickle, **options) == "text"
        file.seek(0)
    with pytest.raises(RuntimeError, match="Can not safely load weights when explicit pickle_module is specified"):
        rushlight.load(file, pickle_module=pickle, weights_only=True)


class NoSeek(io.RawIOBase):
    """A stream that goes forward only."""

    def seekable(self):
        return False


def test_streams_that_only_go_forward():
    with pytest.raises((io.UnsupportedOperation, AttributeError), match="You can only"):
        rushlight.load(NoSeek())


UNTYPED = ["uint16", "uint32", "uint64", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz"]


@pytest.mark.parametrize(
    ("name", "modern"), [("bfloat16", True), ("bfloat16", False), *((name, True) for name in UNTYPED)]
)
def test_types_of_other_packages(name, modern):
    """Types that NumPy lacks, and those whose memory PyTorch writes as bytes: both libraries read what either wrote."""
    torch = pytest.importorskip("torch")
    values = [0.0, 1.0, 2.5, 3.0, 96.0]
    theirs = torch.tensor(values).to(getattr(torch, name))
    ours = rushlight.tensor(values).to(getattr(rushlight, name))
    for library, tensor, other in ((torch, theirs, rushlight), (rushlight, ours, torch)):
        file = io.BytesIO()
        library.save({"x": tensor, "part": tensor[1:3]}, file, _use_new_zipfile_serialization=modern)
        file.seek(0)
        loaded = other.load(file)
        assert loaded["x"].dtype == getattr(other, name)
        assert loaded["x"].double().tolist() == tensor.double().tolist()
        assert loaded["part"].double().tolist() == tensor[1:3].double().tolist()


@pytest.mark.parametrize("modern", [True, False])
def test_subclasses_need_to_be_allowed(modern):
    file = io.BytesIO()
    tensor = rushlight.ones(2)
    tensor.note = [1]
    rushlight.save(tensor, file, _use_new_zipfile_serialization=modern)
    file.seek(0)
    found = rushlight.load(file)
    assert (type(found), found.note) == (rushlight.Tensor, [1])


class Bare:
    """A file with no more methods than it takes."""

    def __init__(self, content=b""):
        file = io.BytesIO(content)
        self.read, self.readline, self.seek, self.tell = file.read, file.readline, file.seek, file.tell
        self.write, self.flush = file.write, file.flush


@pytest.mark.parametrize("modern", [True, False])
def test_files_with_few_methods(modern):
    file = Bare()
    rushlight.save([rushlight.ones(2)], file, _use_new_zipfile_serialization=modern)
    file.seek(0)
    assert rushlight.load(file)[0].tolist() == [1, 1]
    with pytest.raises(AttributeError, match="expected 'f' to be string, path, or a file-like object with a 'write'"):
        rushlight.save(1, rushlight.ones(2))


def test_compressed_streams(tmp_path):
    with gzip.open(tmp_path / "file.gz", "wb") as file:
        file.write(written(rushlight, [rushlight.ones(2)]).read())
    with gzip.open(tmp_path / "file.gz") as file:
        assert rushlight.load(file)[0].tolist() == [1, 1]


OF_PYTHON_2 = (  # a text in UTF-8 and a tensor, by Python 2 and PyTorch 0.4
    b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.\x80\x02}"
    b"(U\x10protocol_versionM\xe9\x03U\rlittle_endian\x88u."
    b"\x80\x02](U\x04\xc5\xbc\xc4\x85ctorch._utils\n_rebuild_tensor_v2\n((U\x07storagectorch\nFloatStorage\nU\x0845640624U\x03cpu"
    b"\x8a\x01\x02NtQK\x01K\x01\x85K\x01\x85\x89NtRe.\x80\x02]U\x0845640624a.\x02\0\0\0\0\0\0\0\0\0\0\0\0\0\x80\x3f"
)


@pytest.mark.parametrize("weights_only", [True, False])
@pytest.mark.filterwarnings("ignore:pickle_load_args")
@pytest.mark.parametrize("library", ["rushlight", "torch"])
def test_files_of_python_2(library, weights_only):
    one = pytest.importorskip(library)
    text = b"\xc5\xbc\xc4\x85"
    for options, expected in ({}, text.decode()), ({"encoding": "bytes"}, text), ({"encoding": "utf-8"}, text.decode()):
        found, tensor = one.load(io.BytesIO(OF_PYTHON_2), weights_only=weights_only, **options)
        assert (found, tensor.tolist()) == (expected, [1.0])


def test_memory_of_two_types(libraries):
    one, _ = libraries
    z = one.ones(2, dtype=one.complex64)
    for parts in [z, z.real], [z, one.view_as_real(z)], [z, z.imag]:
        with pytest.raises(
            RuntimeError, match="Cannot save multiple tensors or storages that view the same data as diff"
        ):
            one.save(parts, io.BytesIO())
