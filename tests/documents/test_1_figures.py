"""The second document's two figures: the lines that Matplotlib draws are sin(a) and its gradient 2·cos(a)."""

import math

import numpy as np
import pytest

plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def agg():
    """Matplotlib without a screen, and no figure left over."""
    plt.switch_backend("Agg")
    yield
    plt.close("all")


def draw_sine(torch):
    a = torch.linspace(0.0, 2.0 * math.pi, steps=25, requires_grad=True)
    b = torch.sin(a)
    plt.plot(a.detach(), b.detach())


def draw_gradient(torch):
    a = torch.linspace(0.0, 2.0 * math.pi, steps=25, requires_grad=True)
    b = torch.sin(a)
    c = 2 * b
    d = c + 1
    out = d.sum()
    out.backward()
    plt.plot(a.detach(), a.grad.detach())


FIGURES = {
    "sin(a)": (draw_sine, np.sin, (0, 1, 0, -1, 0)),
    "2·cos(a)": (draw_gradient, lambda a: 2 * np.cos(a), (2, 0, -2, 0, 2)),
}


@pytest.fixture(params=FIGURES)
def figure(request):
    return FIGURES[request.param]


def pixels():
    """The current figure as the picture that Agg makes of it; the figure is closed."""
    canvas = plt.gcf().canvas
    canvas.draw()
    picture = np.array(canvas.buffer_rgba())
    plt.close()
    return picture


def test_numbers_of_the_line(torch, figure):
    draw, function, quarters = figure
    draw(torch)
    (line,) = plt.gca().lines
    a, values = line.get_xydata().T
    np.testing.assert_allclose(a, np.linspace(0, 2 * np.pi, 25), atol=1e-6)
    np.testing.assert_allclose(values, function(a), atol=1e-6)
    np.testing.assert_allclose(values[::6], quarters, atol=1e-6)


def test_picture_is_that_of_the_function(torch, figure):
    draw, function, _ = figure
    draw(torch)
    drawn = pixels()
    a = np.linspace(0, 2 * np.pi, 25)
    plt.plot(a, function(a))
    expected = pixels()
    assert len(np.unique(expected)) > 2
    np.testing.assert_allclose(drawn, expected, atol=2)
