"""Storages by themselves, and tensors without values, in files of both forms and in both directions."""

import io

import pytest

import rushlight

pytestmark = pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")


@pytest.fixture(params=["rushlight", "to torch", "from torch"])
def libraries(request):
    """The library that saves and the one that loads."""
    if request.param == "rushlight":
        return rushlight, rushlight
    torch = pytest.importorskip("torch")
    return (rushlight, torch) if request.param == "to torch" else (torch, rushlight)


@pytest.fixture(params=[True, False], ids=["archive", "before 1.6"])
def carried(request, libraries):
    """Saves with one library and loads with the other."""
    one, other = libraries

    def carry(make, **options):
        file = io.BytesIO()
        one.save(make(one), file, _use_new_zipfile_serialization=request.param)
        file.seek(0)
        return other.load(file, **options)

    return carry, other


@pytest.mark.parametrize("weights_only", [True, False])
@pytest.mark.parametrize("name", ["FloatStorage", "LongStorage", "BoolStorage", "ComplexDoubleStorage", "ByteStorage"])
def test_storages(carried, name, weights_only):
    carry, other = carried
    found = carry(lambda one: {"memory": getattr(one, name)([1, 0, 1])}, weights_only=weights_only)["memory"]
    assert isinstance(found, other.TypedStorage)
    assert (found.tolist(), found.type()) == ([1, 0, 1], f"torch.{name}")


def test_storages_share_memory_with_tensors(carried):
    def make(one):
        x = one.arange(4.0)
        return [x[1:], x.storage(), x.storage()]

    carry, _ = carried
    x, memory, same = carry(make)
    x[0] = 7
    assert memory.tolist() == same.tolist() == [0, 7, 2, 3]


def test_memory_of_two_types_is_refused():
    x = rushlight.ones(2)
    for others in ([x, x.untyped_storage()], [x.storage(), x.view(rushlight.int32)]):
        with pytest.raises(RuntimeError, match="Cannot save multiple tensors or storages that view the same data"):
            rushlight.save(others, io.BytesIO())


@pytest.mark.parametrize("weights_only", [True, False])
def test_tensors_without_values(carried, weights_only):
    carry, other = carried
    found = carry(lambda one: one.nn.Linear(3, 2, device="meta").state_dict(), weights_only=weights_only)
    assert [(name, tuple(t.shape), t.is_meta) for name, t in found.items()] == [
        ("weight", (2, 3), True),
        ("bias", (2,), True),
    ]
    huge = carry(lambda one: one.empty(2**20, 2**20, device="meta", dtype=one.int8, requires_grad=False).t())
    assert (huge.stride(), huge.dtype, huge.device.type) == ((1, 2**20), other.int8, "meta")
    parameter = carry(lambda one: one.nn.Parameter(one.empty(2, device="meta")))
    assert (type(parameter), parameter.requires_grad, parameter.is_meta) == (other.nn.Parameter, True, True)
