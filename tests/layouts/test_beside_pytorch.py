"""Strides, offsets and memory of results and views, beside PyTorch: of strided, expanded and empty inputs."""

import pytest

import rushlight

INPUTS = {
    "transposed": lambda t: t.arange(24.0).view(2, 3, 4).transpose(0, 2),
    "permuted": lambda t: t.arange(24.0).view(2, 3, 4).permute(2, 0, 1),
    "matrix": lambda t: t.arange(24.0).view(4, 6).t(),
    "gaps": lambda t: t.arange(48.0).view(4, 6, 2)[..., 0],
    "expanded": lambda t: t.arange(4.0).expand(3, 4),
    "images": lambda t: t.arange(120.0).view(2, 3, 4, 5).contiguous(memory_format=t.channels_last),
    "sequences": lambda t: t.arange(48.0).view(2, 2, 3, 4).permute(0, 3, 1, 2),
}
CALLS = {
    "stack": lambda t, x: t.stack([x, x]),
    "stack, second": lambda t, x: t.stack([x, x.clone()], 1),
    "stack, last": lambda t, x: t.stack([x, x], x.dim()),
    "stack of unequal layouts": lambda t, x: t.stack([x, x.contiguous()]),
    "cat of unequal layouts": lambda t, x: t.cat([x.contiguous(), x]),
    "cat beside nothing": lambda t, x: t.cat([x, t.zeros(0)]),
    "glu": lambda t, x: t.nn.functional.glu(x[..., : x.shape[-1] // 2 * 2]),
    "glu of the first": lambda t, x: t.nn.functional.glu(x[: x.shape[0] // 2 * 2], 0),
    "frexp": lambda t, x: t.frexp(x)[0],
    "exponents": lambda t, x: t.frexp(x)[1],
    "rot90": lambda t, x: t.rot90(x),
    "rot90 twice": lambda t, x: t.rot90(x, 2),
    "fft2": lambda t, x: t.fft.fft2(x),
    "ifftn": lambda t, x: t.fft.ifftn(x),
    "einsum, turned": lambda t, x: t.einsum("...ij->...ji", x),
    "einsum, as it is": lambda t, x: t.einsum("...->...", x),
    "einsum, first last": lambda t, x: t.einsum("i...->...i", x),
    "native_dropout": lambda t, x: t.native_dropout(x, 0.5, True)[0],
    "its mask": lambda t, x: t.native_dropout(x, 0.5, True)[1],
    "the same format": lambda t, x: x.to(memory_format=t.contiguous_format),
    "a new type": lambda t, x: x.double(memory_format=t.contiguous_format),
    "rms_norm": lambda t, x: t.nn.functional.rms_norm(x, x.shape[-1:]),
    "nonzero": lambda t, x: t.nonzero(x, as_tuple=True)[1],
}
IMAGES = {
    "rms_norm": lambda t, x: t.nn.functional.rms_norm(x, (5,)),
    "rms_norm with weights": lambda t, x: t.nn.functional.rms_norm(x, (4, 5), t.ones(4, 5)),
    "pixel_unshuffle": lambda t, x: t.nn.functional.pixel_unshuffle(x, 1),
    "pixel_shuffle": lambda t, x: t.nn.functional.pixel_shuffle(x, 1),
}


def placed(tensor):
    """What of a tensor's place in memory can be seen; the strides of dimensions of size 1 are nobody's concern."""
    steps = [step for n, step in zip(tensor.shape, tensor.stride(), strict=True) if n != 1]
    return tuple(tensor.shape), steps, tensor.storage_offset(), tensor.is_contiguous()


def check(call, make):
    torch = pytest.importorskip("torch")
    places = []
    for library in (rushlight, torch):
        library.manual_seed(0)
        result = call(library, make(library))
        places.append((placed(result), library.view_as_real(result + 0j).flatten().tolist()))
    (ours, values), (theirs, expected) = places
    assert ours == theirs
    assert values == pytest.approx(expected, rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("layout", INPUTS)
@pytest.mark.parametrize("name", CALLS)
def test_results_lie_as_in_pytorch(name, layout):
    check(CALLS[name], INPUTS[layout])


@pytest.mark.parametrize("name", IMAGES)
def test_images_lie_as_in_pytorch(name):
    check(IMAGES[name], INPUTS["images"])


VIEWS = {
    "t": lambda t, x: x.transpose(0, 1),
    "permute": lambda t, x: x.permute(*reversed(range(x.dim()))),
    "part": lambda t, x: x[:, :1],
    "none": lambda t, x: x[:0],
    "new dimension": lambda t, x: x.unsqueeze(1),
    "view": lambda t, x: x.reshape(7, 0, 2),
    "same view": lambda t, x: x.view(x.shape),
    "flatten": lambda t, x: x.flatten(),
    "expand": lambda t, x: x.expand(4, *x.shape),
    "conj": lambda t, x: t.complex(x, x).conj(),
    "conj in place": lambda t, x: t.complex(x, x).conj().cos_(),
    "filled": lambda t, x: x.transpose(0, 1).normal_(),
    "detached": lambda t, x: x.transpose(0, 1).detach(),
}


@pytest.mark.parametrize("shape", [(0, 3), (1, 0, 3), (2, 3, 0), (0, 0)], ids=str)
@pytest.mark.parametrize("name", VIEWS)
def test_views_of_nothing_have_strides(name, shape):
    torch = pytest.importorskip("torch")
    ours, theirs = (VIEWS[name](library, library.ones(shape)) for library in (rushlight, torch))
    assert placed(ours) == placed(theirs)


OUTS = {
    "cholesky_inverse": lambda t, out: t.cholesky_inverse(t.eye(3), out=out),
    "cholesky_solve": lambda t, out: t.cholesky_solve(t.ones(3, 2), t.eye(3), out=out),
    "matrix_power": lambda t, out: t.linalg.matrix_power(2 * t.eye(3), -1, out=out),
    "ormqr": lambda t, out: t.ormqr(t.eye(3), t.zeros(3), t.ones(2, 3), left=False, out=out),
}


@pytest.mark.filterwarnings("ignore:An output with one or more elements was resized")
@pytest.mark.parametrize("size", [0, 5])
@pytest.mark.parametrize("name", OUTS)
def test_outs_that_are_resized(name, size):
    torch = pytest.importorskip("torch")
    ours, theirs = (OUTS[name](library, library.empty(size)) for library in (rushlight, torch))
    assert placed(ours) == placed(theirs)
