"""Memory shared with other libraries by DLPack: NumPy, PyTorch and JAX, in both directions."""

import numpy as np
import pytest

import rushlight as torch

NARROW = ["bfloat16", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz"]
OF_NUMPY = "bool uint8 int8 int16 int32 int64 float16 float32 float64 complex64 complex128 uint16 uint32 uint64".split()


def numbers(library, dtype):
    """A transposed matrix."""
    return library.arange(6.0).reshape(2, 3).to(getattr(library, dtype)).t()


@pytest.mark.parametrize("dtype", OF_NUMPY)
def test_numpy(dtype):
    x = numbers(torch, dtype)
    array = np.from_dlpack(x)
    assert (array.dtype.name, array.shape, array.strides) == (dtype, (3, 2), tuple(s * x.itemsize for s in x.stride()))
    again = torch.from_dlpack(array)
    assert (again.dtype, again.data_ptr()) == (x.dtype, x.data_ptr())
    assert torch.from_dlpack(array, copy=True).data_ptr() != x.data_ptr()


@pytest.mark.parametrize("dtype", NARROW)
def test_types_that_numpy_lacks(dtype):
    x = numbers(torch, dtype)
    for again in (torch.from_dlpack(x), torch.from_dlpack(x.__dlpack__()), torch.utils.dlpack.from_dlpack(x)):
        assert (again.dtype, again.data_ptr(), again.stride()) == (x.dtype, x.data_ptr(), x.stride())
    assert torch.from_dlpack(x.__dlpack__(max_version=(1, 0))).dtype is x.dtype
    assert torch.from_dlpack(x, copy=True).data_ptr() != x.data_ptr()
    assert torch.from_dlpack(torch.ones(0, 3).to(x.dtype)).shape == (0, 3)


@pytest.mark.parametrize("dtype", [*OF_NUMPY, *NARROW])
def test_pytorch(dtype):
    pytorch = pytest.importorskip("torch")
    theirs, ours = numbers(pytorch, dtype), numbers(torch, dtype)
    for found in (torch.from_dlpack(theirs), torch.from_dlpack(pytorch.utils.dlpack.to_dlpack(theirs))):
        assert (str(found.dtype), found.stride()) == (str(theirs.dtype), theirs.stride())
        assert (found.data_ptr(), found.double().tolist()) == (theirs.data_ptr(), theirs.double().tolist())
    for found in (pytorch.from_dlpack(ours), pytorch.utils.dlpack.from_dlpack(torch.utils.dlpack.to_dlpack(ours))):
        assert (str(found.dtype), found.data_ptr()) == (str(ours.dtype), ours.data_ptr())


@pytest.mark.parametrize("dtype", ["float32", "int32", "bool", "bfloat16", "float8_e5m2", "complex64"])
def test_jax(dtype):
    jax = pytest.importorskip("jax.numpy")
    assert jax.from_dlpack(torch.ones(2, 3).to(getattr(torch, dtype))).dtype == dtype
    assert torch.from_dlpack(jax.ones((2, 3), dtype=dtype)).dtype is getattr(torch, dtype)


def test_pytorchs_tensors_are_data_and_override_nothing():
    pytorch = pytest.importorskip("torch")

    class Taking:
        def __torch_function__(self, function, types, args=(), kwargs=None):
            return "taken"

    assert torch.add(torch.ones(2), Taking()) == "taken"  # from now on functions look for such classes
    for theirs in (pytorch.ones(2), pytorch.nn.Parameter(pytorch.ones(2)).detach()):
        for make in (torch.tensor, torch.as_tensor, torch.asarray, torch.from_dlpack):
            assert make(theirs).tolist() == [1, 1]
        with pytest.raises(TypeError, match="must be Tensor"):
            torch.sum(theirs)
