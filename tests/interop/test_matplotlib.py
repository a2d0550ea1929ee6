"""Matplotlib takes tensors wherever it takes arrays, and refuses those that require grad, as PyTorch does."""

import numpy as np
import pytest

import rushlight as torch

plt = pytest.importorskip("matplotlib.pyplot")
WORDS = (
    "Can't call numpy\\(\\) on Tensor that requires grad|one of the arguments requires grad|tensors that require grad"
)

t = torch.linspace(0, 1, 20)
y = torch.sin(7 * t)
size = y.abs() + 0.1
columns = torch.stack([y, size, t], 1)
image = torch.outer(y[:8], size[:8])
across, down = torch.meshgrid(torch.arange(8.0), torch.arange(8.0), indexing="xy")
numbers = torch.arange(20)


def space():
    """Axes of three dimensions."""
    return plt.figure().add_subplot(projection="3d")


PLOTS = {
    "plot": lambda v: plt.plot(t, v(y)),
    "plot of columns": lambda v: plt.plot(t, v(columns)),
    "plot of columns alone": lambda v: plt.plot(v(columns)),
    "plot of rows in a list": lambda v: plt.plot([*v(columns)]),
    "scatter": lambda v: plt.scatter(t, v(y), s=size * 100, c=y),
    "scatter with sizes": lambda v: plt.scatter(t, y, s=v(size), linewidths=size),
    "scatter with colours": lambda v: plt.scatter(t, y, c=v(columns.abs().clamp(0, 1))),
    "quiver": lambda v: plt.quiver(across, down, v(image), image),
    "barbs": lambda v: plt.barbs(across, down, v(image), image),
    "stem": lambda v: plt.stem(t, v(y)),
    "step": lambda v: plt.step(t, v(y)),
    "bar": lambda v: plt.bar(numbers, v(size), bottom=size),
    "barh": lambda v: plt.barh(numbers, v(size)),
    "hist": lambda v: plt.hist(v(y), bins=torch.linspace(-1, 1, 5)),
    "hist of columns": lambda v: plt.hist(v(columns)),
    "hist2d": lambda v: plt.hist2d(t, v(y), bins=5),
    "hexbin": lambda v: plt.hexbin(t, v(y), gridsize=5),
    "errorbar": lambda v: plt.errorbar(t, v(y), yerr=size, xerr=size),
    "fill": lambda v: plt.fill(t, v(y)),
    "fill_between": lambda v: plt.fill_between(t, v(y), y + size, where=y > 0),
    "stackplot": lambda v: plt.stackplot(t, v(columns.abs().T)),
    "stairs": lambda v: plt.stairs(v(y[1:]), t),
    "imshow": lambda v: plt.imshow(v(image), vmin=image.min(), vmax=image.max(), extent=(t[0], t[-1], t[0], t[-1])),
    "matshow": lambda v: plt.matshow(v(image)),
    "spy": lambda v: plt.spy(v(image)),
    "pcolormesh": lambda v: plt.pcolormesh(across, down, v(image)),
    "contour": lambda v: plt.contour(across, down, v(image)),
    "contourf": lambda v: plt.contourf(v(image), levels=torch.linspace(-1, 1, 5)),
    "streamplot": lambda v: plt.streamplot(torch.arange(8.0), torch.arange(8.0), v(image), image),
    "tripcolor": lambda v: plt.tripcolor(t, y, v(size)),
    "boxplot": lambda v: plt.boxplot(v(columns)),
    "violinplot": lambda v: plt.violinplot(v(columns)),
    "pie": lambda v: plt.pie(v(size)),
    "eventplot": lambda v: plt.eventplot(v(y)),
    "ecdf": lambda v: plt.ecdf(v(y)),
    "loglog": lambda v: plt.loglog(t + 1, v(size)),
    "polar": lambda v: plt.polar(t, v(size)),
    "hlines": lambda v: plt.hlines(v(y), 0 * t, t),
    "vlines": lambda v: plt.vlines(t, 0 * y, v(y)),
    "psd": lambda v: plt.psd(v(y), NFFT=16),
    "plot_surface": lambda v: space().plot_surface(across, down, v(image)),
    "plot_wireframe": lambda v: space().plot_wireframe(across, down, v(image)),
    "plot in space": lambda v: space().plot(t, y, v(size)),
    "scatter in space": lambda v: space().scatter(t, y, v(size), c=size, s=size),
    "quiver in space": lambda v: space().quiver(t, y, size, t, y, v(size)),
    "stem in space": lambda v: space().stem(t, y, v(size)),
    "bar3d": lambda v: space().bar3d(t, y, 0 * y, size, size, v(size)),
    "contour in space": lambda v: space().contour(across, down, v(image)),
    "set_data of a line": lambda v: plt.plot([0], [0])[0].set_data(t, v(y)),
    "set_data of an image": lambda v: plt.imshow(image.numpy()).set_data(v(image)),
    "places of a text": lambda v: plt.annotate("a", (t[0], v(y)[0]), xytext=(t[1], y[1])).get_window_extent(),
    "limits": lambda v: plt.xlim(v(t)[0], t[-1]),
    "ticks": lambda v: plt.xticks(v(t)[::4]),
}
UNREAD = {"places of a text", "limits", "set_data of a line"}  # one element leaves as a number; a line is read later


@pytest.fixture(autouse=True)
def figure():
    """No screen, and no figure left over."""
    plt.switch_backend("Agg")
    yield plt.figure()
    plt.close("all")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", PLOTS)
def test_tensors_are_drawn(name):
    PLOTS[name](lambda values: values)


@pytest.mark.parametrize("name", sorted(set(PLOTS) - UNREAD))
def test_what_requires_grad_is_refused(name):
    with pytest.raises((RuntimeError, TypeError), match=WORDS):
        PLOTS[name](lambda values: values.clone().requires_grad_())


def test_columns_are_lines_of_the_same_values():
    for line, column in zip(plt.plot(t, columns), columns.T, strict=True):
        assert line.get_ydata().tolist() == column.tolist()


def test_quivers_in_space_are_those_of_the_arrays():
    ours = space().quiver(t, y, size, t, y, size)._segments3d
    theirs = space().quiver(*[values.numpy() for values in (t, y, size, t, y, size)])._segments3d
    assert abs(np.array(ours) - np.array(theirs)).max() < 1e-6
