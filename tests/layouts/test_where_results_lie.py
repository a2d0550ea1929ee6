"""Where results lie that are put together from others: in the order of PyTorch's, and in memory of their own or not."""

import numpy as np
import pytest


def square(torch, n=3):
    """A well-conditioned matrix."""
    return torch.from_numpy(np.eye(n) * 3 + np.cos(np.arange(n * n)).reshape(n, n))


def solved_by_lu(torch, **options):
    """A solution by an LU decomposition."""
    return torch.linalg.lu_solve(*torch.linalg.lu_factor(square(torch)), square(torch)[:, :2], **options)


STRIDES = {
    "rot90": (lambda t: t.rot90(t.ones(2, 3, 4)), (4, 12, 1)),
    "rot90 thrice": (lambda t: t.rot90(t.ones(2, 3, 4), 3, (0, 2)), (1, 4, 12)),
    "rot90 twice": (lambda t: t.rot90(t.ones(2, 3), 2), (3, 1)),
    "unravel_index": (lambda t: t.unravel_index(t.tensor([[1, 2], [3, 4]]), (3, 4))[1], (4, 2)),
    "unsafe_split": (lambda t: t.ones(4, 6).unsafe_split(2, 1)[1], (6, 1)),
    "ihfft2": (lambda t: t.fft.ihfft2(t.ones(5, 6)), (1, 5)),
    "householder_product": (lambda t: t.linalg.householder_product(*t.geqrf(square(t))), (1, 3)),
    "ormqr": (lambda t: t.ormqr(*t.geqrf(square(t)), square(t)), (1, 3)),
    "triangular_solve": (lambda t: t.triangular_solve(square(t), square(t)).solution, (1, 3)),
    "lu_solve": (solved_by_lu, (1, 3)),
    "lu_solve, adjoint": (lambda t: solved_by_lu(t, adjoint=True), (1, 3)),
    "lstsq": (lambda t: t.linalg.lstsq(square(t)[:, :2], square(t)).solution, (1, 3)),
    "P of lu": (lambda t: t.linalg.lu(square(t)).P, (3, 1)),
}


@pytest.mark.parametrize("name", STRIDES)
def test_strides(torch, name):
    result, strides = STRIDES[name]
    assert result(torch).stride() == strides


OVER_SEVERAL = ["sum", "mean", "amax", "amin", "nansum", "all", "any", "sum_to_size"]
OVER_ONE = ["prod", "max", "min", "aminmax", "logsumexp", "argmax"]


@pytest.mark.parametrize("dims", [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2)])
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0), (0, 2, 1)])
@pytest.mark.parametrize("name", OVER_SEVERAL + OVER_ONE)
def test_dimensions_that_are_kept_have_strides_like_others(torch, name, order, dims):
    x = torch.ones(5, 4, 3).permute(order)
    dims = dims[0] if name in OVER_ONE else dims
    shape = [1 if dim in np.atleast_1d(dims) else n for dim, n in enumerate(x.shape)]
    result = x.sum_to_size(shape) if name == "sum_to_size" else getattr(x, name)(dim=dims, keepdim=True)
    for found in result if isinstance(result, tuple) else [result]:
        assert found.stride() == torch.empty(shape).stride()


@pytest.mark.parametrize("name", ["pixel_shuffle", "pixel_unshuffle"])
def test_shuffling_by_one_is_a_copy(torch, name):
    x = torch.ones(1, 2, 2, 2)
    getattr(torch.nn.functional, name)(x, 1).zero_()
    assert x.sum() == 8


def test_a_sum_to_no_dimensions_is_a_copy(torch):
    x = torch.ones(())
    assert x.sum_to_size(()).data_ptr() != x.data_ptr()


def test_pieces_that_are_no_views_share_memory(torch):
    x = torch.zeros(2, 4)
    for dim in (0, 1):
        x.unsafe_chunk(2, dim)[1].add_(1)
    assert x.tolist() == [[0, 0, 1, 1], [1, 1, 2, 2]]


RESIZED = {
    "elementwise": (lambda t, x, out: t.add(x, x, out=out), (1, 2)),
    "lerp": (lambda t, x, out: t.lerp(x, x, 0.5, out=out), (1, 2)),
    "sum": (lambda t, x, out: t.sum(x[None], 0, out=out), (3, 1)),
    "inv": (lambda t, x, out: t.linalg.inv(x @ x.T, out=out), (1, 2)),
    "cholesky": (lambda t, x, out: t.cholesky(x @ x.T, upper=True, out=out), (2, 1)),
}


@pytest.mark.filterwarnings("ignore:(An output with|torch.cholesky is)")
@pytest.mark.parametrize("shape", [(0,), (7, 3), (1, 1)])
@pytest.mark.parametrize("name", RESIZED)
def test_a_resized_out_lies_as_the_result_does(torch, name, shape):
    call, strides = RESIZED[name]
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]]).T
    assert call(torch, x, torch.empty(shape)).stride() == strides


INDEXED = {
    "one index": (lambda t, x: x[t.tensor([1, 0])], (12, 1, 3)),
    "in the middle": (lambda t, x: x[:, t.tensor([1, 0, 1])], (1, 2, 6)),
    "two together": (lambda t, x: x[:, t.tensor([1, 0]), t.tensor([1, 0])], (2, 1)),
    "two apart": (lambda t, x: x[t.tensor([1, 0]), :, t.tensor([1, 0])], (3, 1)),
    "a mask": (lambda t, x: x[t.tensor([True, True])], (12, 1, 3)),
}


@pytest.mark.parametrize("name", INDEXED)
def test_what_is_picked_of_a_transposed_tensor(torch, name):
    call, strides = INDEXED[name]
    assert call(torch, torch.arange(24.0).reshape(4, 3, 2).permute(2, 1, 0)).stride() == strides


SPREAD = {
    "addr": (lambda t, x: t.addr(x, t.ones(2), t.ones(3)), (1, 2)),
    "renorm": (lambda t, x: t.renorm(x, 2, 0, 1.0), (3, 1)),
    "native_dropout_backward": (lambda t, x: t.ops.aten.native_dropout_backward(x, x > 0, 2.0), (1, 2)),
    "view_copy": (lambda t, x: t.view_copy(x, (6,)), (1,)),
}


@pytest.mark.parametrize("name", SPREAD)
def test_results_of_transposed_tensors(torch, name):
    call, strides = SPREAD[name]
    assert call(torch, torch.arange(6.0).reshape(3, 2).T).stride() == strides


def test_resize_keeps_the_memory(torch):
    memory = torch.arange(12.0)
    x = memory[1:].view(11)[::2]
    x.resize_(2, 3)
    assert (x.tolist(), x.stride(), x.storage_offset()) == ([[1, 2, 3], [4, 5, 6]], (3, 1), 1)
    y = torch.arange(6.0).reshape(2, 3).T
    assert y.resize_as_(torch.zeros(3, 2)).stride() == (1, 3)
    y.resize_(2, 4)
    assert y.flatten()[:6].tolist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(("size", "count"), [((0,), 0), ((2,), 2), ((2, 2), 4), ((1, 5), 5)])
def test_what_is_beyond_a_smaller_size_is_kept(torch, size, count):
    x = torch.arange(6.0)
    place = x.data_ptr()
    x.resize_(size)
    assert x.untyped_storage().nbytes() == 24
    x.fill_(9)
    x.resize_(3, 2)
    assert x.flatten().tolist() == [9] * count + list(range(count, 6))
    assert x.data_ptr() == place


def test_conjugates_of_real_numbers_are_the_numbers(torch):
    x = torch.ones(2)
    assert all(conjugate(x) is x for conjugate in (torch.conj_physical, torch.conj, torch.resolve_conj))
    assert torch.conj_physical(x * 1j).tolist() == [-1j, -1j]


@pytest.mark.filterwarnings("ignore:torch.lu is deprecated")
def test_a_resized_out_of_a_number_has_no_dimensions(torch):
    outs = torch.empty(0), torch.empty(0, dtype=torch.int32), torch.empty(0, dtype=torch.int32)
    torch.lu(torch.eye(2), True, True, out=outs)
    assert [out.shape for out in outs] == [(2, 2), (2,), ()]


NEW_DIMENSIONS = {
    "first": (lambda x: x[None], (24, 12, 4, 1)),
    "before a slice": (lambda x: x[None, :-1], (24, 12, 4, 1)),
    "between": (lambda x: x[:, None], (12, 12, 4, 1)),
    "last": (lambda x: x[..., None], (12, 4, 1, 1)),
    "beside an index": (lambda x: x[None, 0, None, ::2], (24, 12, 8, 1)),
    "sliced": (lambda x: x[0, 0, None][::3], (12, 1)),
    "expanded": (lambda x: x.expand(2, 1, 2, 3, 4), (0, 24, 12, 4, 1)),
    "kept by expand": (lambda x: x[:1].expand(2, 1, 3, 4), (0, 12, 4, 1)),
    "of a transposed tensor": (lambda x: x.permute(2, 0, 1)[None], (4, 1, 12, 4)),
}


@pytest.mark.parametrize("name", NEW_DIMENSIONS)
def test_new_dimensions_step_over_what_follows(torch, name):
    call, strides = NEW_DIMENSIONS[name]
    assert call(torch.zeros(2, 3, 4)).stride() == strides


@pytest.mark.parametrize("strides", [lambda x: x[0, 0, None][0:1:3], lambda x: x[None, :1][None]])
def test_memory_that_lies_otherwise_is_not_assigned_to_itself(torch, strides):
    x = torch.zeros(2, 3, 4)
    target = strides(x)
    with pytest.raises(RuntimeError, match="refer to a single memory location"):
        target[...] = target[0]


def test_a_dimension_of_size_one_counts_in_the_order_of_what_is_picked(torch):
    x = torch.zeros(3, 4).unfold(0, 2, 1)
    assert x[:1, torch.tensor([1, 1])].stride()[1:] == (2, 1)
