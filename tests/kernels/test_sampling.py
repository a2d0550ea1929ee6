"""Images sampled at points: the kernel gives what the differentiable pieces give, and their derivatives."""

import itertools

import numpy as np
import pytest
from derivatives import check_derivatives

import rushlight as torch
from rushlight.nn.functional import grid_sampling

needs_compiled = pytest.mark.skipif(grid_sampling.fast is None, reason="nothing was compiled")
OPTIONS = list(itertools.product(grid_sampling.QUICK, grid_sampling.PADDINGS, [False, True]))
SHAPES = [(2, 3, 5, 6, 7, 8), (1, 1, 1, 1, 3, 3), (2, 2, 1, 4, 9, 9), (3, 1, 8, 8, 1, 1)]


def image_and_grid(shape, dtype=torch.float64):
    n, channels, height, width, rows, columns = shape
    generator = np.random.default_rng(0)
    image = torch.tensor(generator.standard_normal((n, channels, height, width)), dtype=dtype)
    return image, torch.tensor(generator.standard_normal((n, rows, columns, 2)), dtype=dtype)


@needs_compiled
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("mode", "padding", "corners"), OPTIONS)
def test_values_and_gradients_are_those_of_the_pieces(shape, mode, padding, corners):
    image, grid = (x.requires_grad_() for x in image_and_grid(shape))
    found = torch.nn.functional.grid_sample(image, grid, mode, padding, corners)
    expected = grid_sampling.composed(image, grid, mode, padding, corners)
    assert found.grad_fn.name() == "GridSampler2DBackward0"
    np.testing.assert_allclose(found.detach().numpy(), expected.detach().numpy(), atol=1e-12)
    cotangent = torch.linspace(-1, 1, found.numel(), dtype=torch.float64).reshape(found.shape)
    wanted = torch.autograd.grad(expected, (image, grid), cotangent, materialize_grads=True)
    for recorded in (False, True):
        grads = torch.autograd.grad(found, (image, grid), cotangent, retain_graph=True, create_graph=recorded)
        for one, other in zip(grads, wanted, strict=True):
            np.testing.assert_allclose(one.detach().numpy(), other.numpy(), atol=1e-12)


@pytest.mark.parametrize("padding", grid_sampling.PADDINGS)
def test_derivatives_of_first_and_second_order(padding):
    image, grid = image_and_grid((1, 2, 4, 5, 3, 2))

    def sample(x, points):
        return torch.nn.functional.grid_sample(x, points, "bilinear", padding, False)

    check_derivatives(sample, image.requires_grad_(), (grid * 0.7).requires_grad_())


@needs_compiled
def test_what_is_no_number_has_no_place_and_what_is_outside_does_not_spread():
    image = torch.full((1, 1, 2, 2), torch.inf)
    grid = torch.tensor([[[[-3.0, -3.0], [torch.nan, 0.0], [1e30, 0.0]]]])
    outside, nowhere, far = torch.nn.functional.grid_sample(image, grid, align_corners=False).flatten().tolist()
    assert outside == 0
    assert far == 0 or far != far
    assert nowhere != nowhere


@needs_compiled
@pytest.mark.parametrize("corners", [False, True])
def test_at_the_identity_derivatives_are_those_of_pytorch(corners):
    """The points lie on pixels, where the derivative jumps: it depends on the last digit of each coordinate."""
    pytorch = pytest.importorskip("torch")
    for size in range(3, 60):
        found = []
        for library in (torch, pytorch):
            pixels = library.arange(size, dtype=library.float32) ** 2
            image = pixels.expand(1, 1, size, size).contiguous()
            matrix = library.eye(2, 3)[None].requires_grad_()
            grid = library.nn.functional.affine_grid(matrix, (1, 1, size, size), align_corners=corners)
            grid.retain_grad()
            library.nn.functional.grid_sample(image, grid, align_corners=corners).sum().backward()
            found.append((grid.detach().numpy(), grid.grad.numpy()))
        (own_grid, own), (grid, wanted) = found
        np.testing.assert_array_equal(own_grid, grid)
        np.testing.assert_allclose(own, wanted, rtol=1e-5, atol=1e-3)
