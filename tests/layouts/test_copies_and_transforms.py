"""Where copies with changes, contractions and Fourier transforms lie in memory, beside PyTorch's."""

import random

import pytest

import rushlight
from tests.layouts.test_sizes_of_one_and_zero import EMPTY, LIES, SHAPES, check, seen

COPIES = {
    "select_scatter": lambda t, x: x.select_scatter(x[0], 0, 0),
    "slice_scatter": lambda t, x: x.slice_scatter(x[:1], 0, 0, 1),
    "no width": lambda t, x: t.nn.functional.pad(x, (0, 0)),
    "a width": lambda t, x: t.nn.functional.pad(x, (1, 0)),
    "tensor": lambda t, x: t.tensor(x),
    "new_tensor": lambda t, x: x.new_tensor(x),
    "nonzero": lambda t, x: t.nonzero(x),
    "view_as_real": lambda t, x: t.view_as_real(t.complex(x, x)),
}
OF_MATRICES = {
    "diagonal_scatter": lambda t, x: x.diagonal_scatter(x.diagonal()),
    "rot90": lambda t, x: t.rot90(x),
    "rot90 twice": lambda t, x: t.rot90(x, 2),
    "rot90 backwards": lambda t, x: t.rot90(x, -1, (0, -1)),
    "rot90 by nothing": lambda t, x: t.rot90(x, 4),
    "products of rows": lambda t, x: t.einsum("...i,...i->...", x, x),
    "products of columns": lambda t, x: t.einsum("...i,ij->...j", x, t.ones(x.shape[-1], 2)),
    "outer": lambda t, x: t.einsum("...i,j->j...i", x, t.ones(2)),
    "repeat_interleave": lambda t, x: x.repeat_interleave(2, 0),
    "fft": lambda t, x: t.fft.fft(x),
    "fftn": lambda t, x: t.fft.fftn(x),
    "ifft": lambda t, x: t.fft.ifft(x),
}
LYING = {**LIES, "expanded": lambda t, shape: LIES["order"](t, [1, *shape[1:]]).expand(*shape)}


@pytest.mark.filterwarnings("ignore:To copy construct")
@pytest.mark.parametrize("shape", [*SHAPES, *EMPTY], ids=str)
@pytest.mark.parametrize("lies", LIES)
@pytest.mark.parametrize("name", COPIES)
def test_copies(name, lies, shape):
    if 0 in shape and (name == "select_scatter" or lies == "picked"):
        pytest.skip("there is nothing to select, and nothing lies anywhere")
    check(COPIES[name], lies, shape)


@pytest.mark.parametrize("shape", [shape for shape in SHAPES if len(shape) > 1], ids=str)
@pytest.mark.parametrize("lies", LYING)
@pytest.mark.parametrize("name", OF_MATRICES)
def test_of_matrices(name, lies, shape):
    torch = pytest.importorskip("torch")
    ours, theirs = (seen(OF_MATRICES[name](library, LYING[lies](library, shape))) for library in (rushlight, torch))
    assert ours == theirs


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn"])
def test_transforms(name, seed):
    """Of some dimensions in any order, of an input whose dimensions lie in any order, one of them expanded at times."""
    torch = pytest.importorskip("torch")
    drawn = random.Random(seed)
    rank = drawn.choice((2, 3, 4))
    shape = [drawn.choice((1, 2, 3)) for _ in range(rank)]
    order, dims = drawn.sample(range(rank), rank), drawn.sample(range(rank), drawn.randint(1, rank))
    dtype = "complex64" if name != "rfftn" and seed % 2 else "float32"
    places = []
    for library in (torch, rushlight):
        x = library.ones([shape[dim] for dim in order], dtype=getattr(library, dtype))
        x = x.permute([order.index(dim) for dim in range(rank)])
        if seed % 3 == 0:
            x = x.narrow(seed % rank, 0, 1).expand(shape)
        places.append(seen(getattr(library.fft, name)(x, dim=dims)))
    assert places[0] == places[1]


@pytest.mark.parametrize("name", ["svd", "qr", "solve", "cholesky"])
@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (2, 0, 3), (0, 0)], ids=str)
def test_matrices_of_nothing(name, shape):
    torch = pytest.importorskip("torch")
    places = []
    for library in (rushlight, torch):
        x = library.ones(*shape)
        if name == "solve":
            result = library.linalg.solve(library.eye(shape[-2]), x)
        elif name == "cholesky":
            result = library.linalg.cholesky(library.eye(shape[-2]) + x @ x.mT)
        else:
            result = getattr(library.linalg, name)(x)
        results = [result] if isinstance(result, library.Tensor) else result
        places.append([seen(part) for part in results])
    assert places[0] == places[1]


def test_a_part_with_its_memory(torch):
    """What replaces a part of a view is in a copy of all of the view's memory, and changes nothing else."""
    whole = torch.arange(12.0).reshape(3, 4)
    result = whole[1:, 1:].slice_scatter(torch.zeros(1, 3), 0, 0, 1)
    assert result.stride() == (4, 1)
    assert result.storage_offset() == 5
    assert result.tolist() == [[0, 0, 0], [9, 10, 11]]
    assert whole.tolist() == torch.arange(12.0).reshape(3, 4).tolist()
    result.zero_()
    assert whole.sum() == 66
    rows = torch.ones(1, 3).expand(2, 3).select_scatter(torch.zeros(3), 0, 0)
    assert rows.tolist() == [[0, 0, 0], [1, 1, 1]]
    assert rows.stride() == (3, 1)
