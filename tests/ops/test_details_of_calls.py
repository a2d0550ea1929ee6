"""Details of calls that PyTorch's own test files look at, on PyTorch too."""

import numpy as np
import pytest

REDUCTIONS = "sum mean amax any all std prod nansum logsumexp norm count_nonzero squeeze".split()


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("kind", [np.int64, np.int16])
def test_dimensions_are_integers_of_numpy_too(torch, name, kind):
    x = torch.arange(6.0).reshape(2, 3)
    found, expected = (getattr(torch, name)(x, dim=kind(1) if i else 1, **more(name)) for i in (1, 0))
    assert found.tolist() == expected.tolist()


def more(name):
    """The arguments that a function also needs."""
    return {"p": 2} if name == "norm" else {}


def test_flip_takes_dims(torch):
    assert torch.arange(3).flip(np.int64(0)).tolist() == [2, 1, 0]


def test_memory_that_is_exported_by_dlpack(torch):
    class Exporting:
        def __init__(self, tensor):
            self.tensor = tensor

        def __dlpack__(self, **options):
            return self.tensor.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.tensor.__dlpack_device__()

    x = torch.arange(3.0)
    assert torch.tensor(Exporting(x)).tolist() == [0, 1, 2]
    assert torch.as_tensor(Exporting(x)).data_ptr() == x.data_ptr()
    assert torch.asarray(torch.utils.dlpack.to_dlpack(x)).data_ptr() == x.data_ptr()
    assert torch.asarray(torch.utils.dlpack.to_dlpack(x), copy=True).data_ptr() != x.data_ptr()
    with pytest.raises(TypeError, match="stream must be ``int`` or ``none``"):
        x.__dlpack__(stream=object())
    with pytest.raises(AssertionError, match="stream should be None on cpu"):
        x.__dlpack__(stream=2)


def test_resizing_counts_as_a_change(torch):
    x = torch.rand(1)
    versions = [x.resize_(1, 2)._version, x.resize_as_(torch.rand(3))._version, x.resize_(3)._version]
    assert versions == [1, 2, 2]
    like = torch.rand(2, 3, 4, 4).contiguous(memory_format=torch.channels_last)
    y = torch.rand(like.numel()).resize_as_(like, memory_format=torch.preserve_format)
    assert y.is_contiguous(memory_format=torch.channels_last)


def test_views_as_larger_elements(torch):
    x = torch.rand(4, 4, 3)
    with pytest.raises(RuntimeError, match=r"self.storage_offset\(\) must be divisible by 2 to view Float as Double"):
        x[:, :, 1:].view(torch.float64)
    with pytest.raises(RuntimeError, match=r"self.stride\(1\) must be divisible by 2 to view Float as Double"):
        x.as_strided((4, 4, 2), (2, 1, 1)).view(torch.float64)


def test_requires_grad_is_a_bool(torch):
    x = torch.ones(2)
    for value in (None, 1, "yes"):
        with pytest.raises(RuntimeError, match="requires_grad must be a bool"):
            x.requires_grad = value
    with pytest.raises(RuntimeError):
        del x.requires_grad


def test_data_of_another_kind(torch):
    x = torch.tensor(1.0, requires_grad=True)
    with pytest.raises(RuntimeError, match="must be floating point or complex dtype"):
        x.data = torch.tensor(3)
    with pytest.raises(RuntimeError, match="have incompatible tensor type"):
        x.data = torch.eye(2).to_sparse()
    assert x.item() == 1


def test_sizes_of_no_dimensions(torch):
    x = torch.ones(2)
    assert torch.Tensor(torch.Size([])).shape == x.new(torch.Size([])).shape == ()
    assert x.new().shape == (0,)


@pytest.mark.parametrize("name", ["float16", "float64", "int32", "int8", "uint8"])
def test_random_integers_without_upper_bound(torch, name):
    torch.manual_seed(0)
    x = torch.empty(100, dtype=getattr(torch, name)).random_(2, None)
    assert x.min() >= 2
    assert x.double().max() > 100


def test_a_buffer_of_another_length(torch):
    with pytest.raises(ValueError, match=r"buffer length \(33 bytes\) after offset \(7 bytes\) must be a multiple"):
        torch.frombuffer(bytearray(40), dtype=torch.int64, offset=7)


def test_the_storage_of_conjugates_and_parts(torch):
    x = torch.ones(2, 3, dtype=torch.complex128)
    for part in (x.conj(), x.conj().imag, x.imag, x.real):
        assert part.untyped_storage().nbytes() == 96
        assert part.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()


def test_the_old_order_of_embedding_bag(torch):
    table = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    with pytest.warns(UserWarning, match="Argument order of nn.functional.embedding_bag was changed"):
        found = torch.nn.functional.embedding_bag(table, torch.tensor([0, 1]), torch.tensor([0]), mode="sum")
    assert found.tolist() == [[4, 6]]


def test_empty_vectors_join_along_any_dimension(torch):
    assert torch.cat([torch.rand(0), torch.rand(0)], 1).shape == (0,)


def test_bounds_of_ranges_of_powers(torch):
    with pytest.raises(RuntimeError, match="can't be safely cast to passed dtype"):
        torch.logspace(0, 1j, 3, dtype=torch.float32)
    with pytest.raises(TypeError):
        torch.logspace(0, 1, 3, base=2j)


def test_numbers_scattered_are_rounded_first(torch):
    x = torch.tensor([1.1], dtype=torch.float32)
    found = x.scatter(0, torch.tensor([0]), 0.7, reduce="multiply")
    assert found.item() == (x * 0.7).item()


def test_sizes_joined_with_tuples_or_repeated_are_sizes(torch):
    size = torch.Size([2])
    for found in (size.__radd__((2,)), size + size, size * 2, 2 * size):
        assert type(found) is torch.Size
        assert found == (2, 2)


def test_vectors_that_do_not_lie_in_order_are_joined(torch):
    x = torch.arange(12.0).view(3, 4)
    assert torch.stack([x[:, 0], x[:, 1]]).tolist() == [[0, 4, 8], [1, 5, 9]]
    assert torch.cat([x[:, 0], x[:, 1]]).tolist() == [0, 4, 8, 1, 5, 9]


def test_nothing_is_filled_wherever_it_is(torch):
    assert torch.ones(0, 0).index_fill(0, torch.tensor([0, 0]), 2.0).shape == (0, 0)
    assert torch.ones(3, 0).index_fill(0, torch.tensor([7]), 2.0).shape == (3, 0)
    with pytest.raises(RuntimeError):
        torch.ones(0, 3).index_fill(0, torch.tensor([0]), 2.0)


@pytest.mark.parametrize("join", ["cat", "stack", "hstack"])
@pytest.mark.parametrize("devices", [("cpu", "meta"), ("meta", "cpu")])
def test_tensors_without_memory_are_not_joined_with_others(torch, join, devices):
    first, second = devices
    with pytest.raises(RuntimeError, match=f"Tensor on device {second} is not on the expected device {first}!"):
        getattr(torch, join)([torch.ones(2, device=device) for device in devices])


@pytest.mark.parametrize(("bound", "kernel"), [("min", "maximum_cpu"), ("max", "minimum_cpu")])
def test_a_complex_bound_is_refused_in_the_words_of_its_kernel(torch, bound, kernel):
    with pytest.raises(NotImplementedError, match=f'"{kernel}" not implemented for'):
        torch.clamp(torch.ones(2), **{bound: torch.ones(2) * 1j})
