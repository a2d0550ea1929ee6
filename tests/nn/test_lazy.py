"""Lazy layers, the adaptive softmax, older hooks on gradients: compared with PyTorch, each in the same program."""

import io

import numpy as np
import pytest

import rushlight
from rushlight.nn.modules.base.hooks import EVERY_MODULE

LAYERS = {
    "LazyLinear(3)": (2, 4),
    "LazyLinear(3, bias=False)": (5,),
    "LazyConv1d(4, 2)": (2, 3, 5),
    "LazyConv2d(4, 2, groups=2, dtype=torch.float64)": (2, 6, 4, 4),
    "LazyConv3d(2, 1)": (3, 2, 2, 2),
    "LazyConvTranspose1d(4, 2, stride=2)": (1, 3, 4),
    "LazyConvTranspose2d(4, 2, bias=False)": (1, 3, 4, 4),
    "LazyConvTranspose3d(4, 2)": (1, 2, 2, 2, 2),
    "LazyBatchNorm1d()": (4, 3),
    "LazyBatchNorm2d(momentum=0.3)": (2, 3, 2, 2),
    "LazyBatchNorm3d(affine=False)": (2, 3, 2, 2, 2),
    "LazyInstanceNorm1d(affine=True)": (2, 3, 4),
    "LazyInstanceNorm2d(track_running_stats=True)": (2, 3, 4, 4),
    "LazyInstanceNorm3d()": (2, 3, 2, 2, 2),
}


def make(torch, layer):
    return eval(f"torch.nn.{layer}", {"torch": torch})


@pytest.mark.parametrize(("layer", "shape"), LAYERS.items(), ids=LAYERS)
@pytest.mark.filterwarnings("ignore:Lazy modules")
def test_lazy_layers(layer, shape):
    theirs = pytest.importorskip("torch")
    found = []
    for torch in (rushlight, theirs):
        torch.manual_seed(0)
        module = make(torch, layer)
        optimizer = torch.optim.SGD([*module.parameters(), torch.ones(1, requires_grad=True)], lr=0.1)
        before = [
            repr(module),
            {k: type(v).__name__ for k, v in module.state_dict().items()},
            module.has_uninitialized_params(),
        ]
        clone = make(torch, layer)
        dtype = torch.float64 if "float64" in layer else torch.float32
        out = module(torch.arange(float(np.prod(shape)), dtype=dtype).reshape(shape).div(7).requires_grad_())
        out.square().sum().backward()
        optimizer.step()
        clone.load_state_dict(module.state_dict())
        values = [out, *module.state_dict().values(), *clone.state_dict().values()]
        kinds = [type(module).__name__, repr(module), [type(p).__name__ for p in module.parameters()]]
        found.append((before + kinds, [v.detach().numpy() for v in values]))
    (ours, values), (expected, wanted) = found
    assert ours == expected
    for a, b in zip(values, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def test_uninitialized_parameters(torch):
    layer = torch.nn.LazyLinear(2)
    assert torch.nn.parameter.is_lazy(layer.weight)
    assert repr(layer.weight) == "<UninitializedParameter>"
    with pytest.raises(RuntimeError, match="Can't access the shape of an uninitialized parameter or buffer"):
        _ = layer.weight.shape
    file = io.BytesIO()
    weight = layer.weight
    layer(torch.ones(3))
    assert layer.weight is weight
    assert type(weight) is torch.nn.Parameter
    torch.save(layer.state_dict(), file)
    with pytest.raises(RuntimeError, match=r"Expected 3D \(unbatched\) or 4D \(batched\) input to LazyConv2d"):
        torch.nn.LazyConv2d(2, 1)(torch.ones(2))


@pytest.mark.filterwarnings("ignore:Initializing zero")
def test_adaptive_softmax():
    theirs = pytest.importorskip("torch")
    found = []
    for torch in (rushlight, theirs):
        torch.manual_seed(0)
        softmax = torch.nn.AdaptiveLogSoftmaxWithLoss(8, 10, [2, 5], div_value=2.0, head_bias=True)
        x, y = torch.randn(6, 8, requires_grad=True), torch.tensor([0, 1, 3, 4, 9, 5])
        output, loss = softmax(x, y)
        loss.backward()
        one = softmax(x[0], y[0])
        values = [
            output,
            loss,
            x.grad,
            *[p.grad for p in softmax.parameters()],
            softmax.log_prob(x),
            softmax.predict(x),
            *one,
        ]
        found.append([v.detach().numpy() for v in values])
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("target", [[0, 10], [-1, 2]])
def test_the_adaptive_softmax_checks_targets_and_cutoffs(torch, target):
    softmax = torch.nn.AdaptiveLogSoftmaxWithLoss(16, 10, [2, 5])
    with pytest.raises(RuntimeError, match=r"Target values should be in \[0, 9\]"):
        softmax(torch.ones(2, 16), torch.tensor(target))
    with pytest.raises(RuntimeError, match="same size in the batch dimension"):
        softmax(torch.ones(3, 16), torch.tensor([1, 2]))
    for cutoffs in ([], [5, 2], [0, 2], [2, 10], [2, 2]):
        with pytest.raises(ValueError, match="cutoffs should be a sequence"):
            torch.nn.AdaptiveLogSoftmaxWithLoss(8, 10, cutoffs)


@pytest.fixture
def hooks_of_no_kind(torch):
    """Forgets before and afterwards of which kind the hooks on all modules were: neither library does."""
    module = torch.nn.modules.module
    ours = torch is rushlight
    table, name = (EVERY_MODULE, "_is_full_backward_hook") if ours else (module, "_global_is_full_backward_hook")
    setattr(table, name, None)
    yield
    setattr(table, name, None)


@pytest.mark.filterwarnings("ignore:Using a non-full")
@pytest.mark.usefixtures("hooks_of_no_kind")
def test_older_hooks_on_gradients(torch):
    module = torch.nn.Linear(2, 1, bias=False)
    seen = []
    handle = module.register_backward_hook(lambda m, into, out: seen.append((m, out[0].tolist(), len(into))))
    everywhere = torch.nn.modules.module.register_module_backward_hook(lambda m, into, out: seen.append("all"))
    module(torch.ones(3, 2)).sum().backward()
    assert [item[:2] for item in seen if item != "all"] == [(module, [[1.0], [1.0], [1.0]])]
    assert seen.count("all") == 1
    with pytest.raises(RuntimeError, match="both regular backward hooks and full backward hooks on a single"):
        module.register_full_backward_hook(lambda *grads: None)
    handle.remove()
    everywhere.remove()
    seen.clear()
    module(torch.ones(3, 2)).sum().backward()
    assert seen == []


USES = {
    "a sum": lambda torch, lazy: lazy + 1,
    "a sum on the right": lambda torch, lazy: torch.ones(2) + lazy,
    "a reduction": lambda torch, lazy: lazy.sum(),
    "its size": lambda torch, lazy: lazy.numel(),
    "detached": lambda torch, lazy: lazy.detach(),
    "an element": lambda torch, lazy: lazy[0],
    "a weight": lambda torch, lazy: torch.nn.functional.linear(torch.ones(2), lazy),
    "filled": lambda torch, lazy: torch.nn.init.zeros_(lazy),
}


@pytest.mark.parametrize("kind", ["UninitializedParameter", "UninitializedBuffer"])
@pytest.mark.parametrize("use", USES)
def test_what_has_no_shape_cannot_be_computed_with(torch, kind, use):
    lazy = getattr(torch.nn.parameter, kind)()
    with pytest.raises(ValueError, match="Attempted to use an uninitialized parameter in"):
        USES[use](torch, lazy)


def test_casts_take_what_has_no_shape(torch):
    assert torch.nn.LazyLinear(2).double().weight.dtype == torch.float64
    assert torch.nn.UninitializedParameter().to(torch.float16).dtype == torch.float16


def test_state_of_what_has_no_shape_is_itself(torch):
    layer = torch.nn.LazyLinear(2)
    assert layer.state_dict()["weight"] is layer.weight


def test_what_has_no_shape_is_saved(torch):
    file = io.BytesIO()
    torch.save(torch.nn.LazyBatchNorm1d().state_dict(), file)
    file.seek(0)
    loaded = torch.load(file, weights_only=False)
    assert [torch.nn.parameter.is_lazy(value) for value in loaded.values()] == [True] * 4 + [False]
    assert loaded["num_batches_tracked"] == 0
