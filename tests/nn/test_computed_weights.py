"""Weights that are computed: parametrizations, norms of weights, pruning, fused layers. Compared with PyTorch."""

import copy
import io
import pickle
from importlib import import_module

import numpy as np
import pytest

import rushlight


@pytest.fixture
def pair():
    """Runs a program with rushlight and with PyTorch; what it returns has to be the same."""
    torch = pytest.importorskip("torch")

    def run(program):
        results = []
        for library in (rushlight, torch):
            library.manual_seed(3)
            results.append(plain(library, program(library)))
        ours, theirs = results
        assert_same(ours, theirs)
        return ours

    return run


def plain(torch, value):
    """A value with arrays in the place of tensors, and states in the place of modules."""
    if isinstance(value, torch.nn.Module):
        return plain(torch, {**value.state_dict(), "out": sorted(n for n, _ in value.named_parameters())})
    if isinstance(value, dict):
        return {k: plain(torch, v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(torch, v) for v in value]
    return value.detach().numpy() if isinstance(value, torch.Tensor) else value


def assert_same(ours, theirs):
    assert type(ours) is type(theirs)
    if isinstance(ours, dict):
        assert list(ours) == list(theirs)
        for k in ours:
            assert_same(ours[k], theirs[k])
    elif isinstance(ours, list):
        assert len(ours) == len(theirs)
        for a, b in zip(ours, theirs, strict=True):
            assert_same(a, b)
    elif isinstance(ours, np.ndarray):
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=2e-6)
    else:
        assert ours == theirs


def trained(torch, layer, x, steps=2):
    """A layer after some steps, with what it computes and the gradients."""
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    for _ in range(steps):
        optimizer.zero_grad()
        out = layer(x)
        (out**2).sum().backward()
        optimizer.step()
    return [layer, out, [p.grad for p in layer.parameters()]]


@pytest.mark.parametrize("shape", [(4, 4), (5, 3), (3, 5)])
@pytest.mark.parametrize("kind", ["matrix_exp", "cayley", "householder", None])
@pytest.mark.parametrize("base", [True, False])
def test_orthogonal(pair, shape, kind, base):
    def program(torch):
        layer = torch.nn.Linear(*shape, dtype=torch.float64)
        layer = torch.nn.utils.parametrizations.orthogonal(layer, "weight", kind, use_trivialization=base)
        q = layer.weight
        eye = q.T @ q if q.shape[0] > q.shape[1] else q @ q.T
        return [trained(torch, layer, torch.randn(2, shape[0], dtype=torch.float64)), eye]

    found = pair(program)
    np.testing.assert_allclose(found[-1], np.eye(min(shape)), atol=1e-9)


@pytest.mark.parametrize("layer", ["Linear(4, 3)", "Conv2d(2, 3, 2)", "ConvTranspose2d(2, 3, 2)"])
@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize("name", ["weight_norm", "spectral_norm"])
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_norms_of_weights(pair, layer, name, old):
    def program(torch):
        home = torch.nn.utils if old else torch.nn.utils.parametrizations
        module = getattr(home, name)(eval(f"torch.nn.{layer}", {"torch": torch}).double())
        x = torch.randn(*((3, 4) if "Linear" in layer else (2, 2, 4, 4)), dtype=torch.float64)
        found = [trained(torch, module, x), repr(module)]
        module.eval()
        found.append(module(x))
        if old:
            getattr(torch.nn.utils, f"remove_{name}")(module)
        else:
            torch.nn.utils.parametrize.remove_parametrizations(module, "weight")
        return [found, module, module(x), type(module).__name__]

    pair(program)


def test_state_of_the_older_weight_norm_is_taken(pair):
    def program(torch):
        older = torch.nn.utils.weight_norm(torch.nn.Linear(2, 3))
        newer = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(2, 3))
        newer.load_state_dict(older.state_dict())
        return [newer, newer.weight]

    with pytest.warns(FutureWarning, match="weight_norm"):
        pair(program)


def test_parametrizations_follow_each_other(pair):
    def program(torch):
        P = torch.nn.utils.parametrize

        class Scale(torch.nn.Module):
            def forward(self, x):
                return 2 * x

            def right_inverse(self, x):
                return x / 2

        class RankOne(torch.nn.Module):
            def forward(self, a, b):
                return a.unsqueeze(-1) @ b.unsqueeze(-2)

            def right_inverse(self, z):
                return z[:, 0].clone(), z[0].clone() / z[0, 0]

        layer, other = torch.nn.Linear(3, 3), torch.nn.Linear(2, 2)
        P.register_parametrization(layer, "weight", Scale())
        P.register_parametrization(layer, "weight", Scale())
        P.register_parametrization(other, "weight", RankOne())
        before = [layer.weight, other.weight]
        layer.weight = torch.ones(3, 3)
        other.weight = torch.ones(2, 2)
        with P.cached():
            assert layer.weight is layer.weight
        third = P.transfer_parametrizations_and_params(layer, torch.nn.Linear(3, 3))
        clone = copy.deepcopy(layer)
        kinds = [P.type_before_parametrizations(layer).__name__, P.is_parametrized(layer, "bias")]
        P.remove_parametrizations(other, "weight")
        return [before, layer, other, third, clone, clone.weight, kinds, repr(layer)]

    pair(program)


BAD = {
    "nothing": "register(torch.nn.Linear(2, 2), 'x', torch.nn.Identity())",
    "shape": "register(torch.nn.Linear(2, 2), 'weight', torch.nn.Flatten(0))",
    "map": "torch.nn.utils.parametrizations.orthogonal(torch.nn.Linear(2, 2), orthogonal_map='best')",
    "vector": "torch.nn.utils.parametrizations.orthogonal(torch.nn.Linear(2, 2), 'bias')",
    "not": "torch.nn.utils.parametrize.remove_parametrizations(torch.nn.Linear(2, 2), 'weight')",
    "steps": "torch.nn.utils.spectral_norm(torch.nn.Linear(2, 2), n_power_iterations=0)",
    "removed": "torch.nn.utils.remove_weight_norm(torch.nn.Linear(2, 2))",
    "amount": "torch.nn.utils.prune.l1_unstructured(torch.nn.Linear(2, 2), 'weight', amount=1.5)",
    "many": "torch.nn.utils.prune.l1_unstructured(torch.nn.Linear(2, 2), 'weight', amount=5)",
    "kind": "torch.nn.utils.prune.random_unstructured(torch.nn.Linear(2, 2), 'weight', amount='a')",
    "slices": "torch.nn.utils.prune.ln_structured(torch.nn.Linear(2, 2), 'bias', 1, 2, 0)",
    "training": "torch.nn.utils.fuse_conv_bn_eval(torch.nn.Conv1d(1, 1, 1), torch.nn.BatchNorm1d(1))",
    "unpruned": "torch.nn.utils.prune.remove(torch.nn.Linear(2, 2), 'weight')",
    "pickle": "pickle.dumps(torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(2, 2)))",
}


@pytest.mark.parametrize("program", BAD.values(), ids=BAD)
def test_errors(program):
    theirs = pytest.importorskip("torch")
    import_module("torch.nn.utils.prune")

    def run(torch):
        register = torch.nn.utils.parametrize.register_parametrization
        eval(program, {"torch": torch, "pickle": pickle, "register": register})

    with pytest.raises(Exception) as expected:  # noqa: PT011
        run(theirs)
    with pytest.raises(type(expected.value)) as error:
        run(rushlight)
    assert str(error.value).split(":")[0][:60] == str(expected.value).split(":")[0][:60]


PRUNINGS = {
    "identity": "prune.identity(m, 'weight')",
    "random": "prune.random_unstructured(m, 'weight', 0.4)",
    "l1": "prune.l1_unstructured(m, 'weight', 3)",
    "scores": "prune.l1_unstructured(m, 'weight', 3, importance_scores=torch.arange(12.0).reshape(3, 4))",
    "slices": "prune.random_structured(m, 'weight', 1, dim=1)",
    "norms": "prune.ln_structured(m, 'weight', 0.5, n=1, dim=-1)",
    "mask": "prune.custom_from_mask(m, 'bias', torch.tensor([0, 1, 0]))",
    "twice": "prune.l1_unstructured(prune.ln_structured(m, 'weight', 1, 2, 0), 'weight', 2)",
    "thrice": "prune.ln_structured(prune.l1_unstructured(prune.identity(m, 'weight'), 'weight', 2), 'weight', 1, 2, 0)",
    "all": "prune.global_unstructured([(m, 'weight'), (m, 'bias')], prune.L1Unstructured, amount=5) or m",
}


@pytest.mark.parametrize("program", PRUNINGS.values(), ids=PRUNINGS)
def test_pruning(pair, program):
    def run(torch):
        prune = import_module(f"{torch.__name__}.nn.utils.prune")
        module = eval(program, {"torch": torch, "prune": prune, "m": torch.nn.Linear(4, 3)})
        found = [trained(torch, module, torch.randn(2, 4)), prune.is_pruned(module), list(module._buffers)]
        for name in [n.removesuffix("_mask") for n in module._buffers]:
            prune.remove(module, name)
        return [found, module, prune.is_pruned(module)]

    pair(run)


@pytest.mark.parametrize("kind", ["Conv1d", "Conv2d", "ConvTranspose2d", "Linear"])
@pytest.mark.parametrize("affine", [True, False])
def test_fused_layers_compute_the_same(kind, affine):
    torch = rushlight
    shape = (2, 3, *[5] * int(kind[-2])) if kind != "Linear" else (2, 3)
    layer = getattr(torch.nn, kind)(3, 4, *[2] * (kind != "Linear"), bias=affine).eval()
    norm = getattr(torch.nn, f"BatchNorm{kind[-2] if kind != 'Linear' else 1}d")(4, affine=affine)
    x = torch.randn(shape)
    norm(layer(x))
    norm.eval()
    fuse = torch.nn.utils.fuse_linear_bn_eval if kind == "Linear" else torch.nn.utils.fuse_conv_bn_eval
    fused = fuse(layer, norm, **({"transpose": True} if "Transpose" in kind else {}))
    assert torch.allclose(fused(x), norm(layer(x)), atol=1e-6)


def test_modules_without_initial_values():
    torch = rushlight
    torch.manual_seed(1)
    expected = torch.rand(1)
    torch.manual_seed(1)
    assert torch.nn.utils.skip_init(torch.nn.Linear, 3, 2).weight.shape == (2, 3)
    assert torch.equal(torch.rand(1), expected)
    conv = torch.nn.utils.convert_conv2d_weight_memory_format(torch.nn.Conv2d(2, 3, 2), torch.channels_last)
    assert conv.weight.is_contiguous(memory_format=torch.channels_last)
    with pytest.warns(FutureWarning, match="clip_grad_norm_"):
        assert torch.nn.utils.clip_grad_norm(conv.parameters(), 1.0) == 0


def test_states_are_saved_and_loaded():
    torch = rushlight
    file = io.BytesIO()
    layer = torch.nn.utils.parametrizations.spectral_norm(torch.nn.Linear(2, 3))
    torch.save(layer.state_dict(), file)
    file.seek(0)
    other = torch.nn.utils.parametrizations.spectral_norm(torch.nn.Linear(2, 3))
    other.load_state_dict(torch.load(file))
    assert torch.equal(layer.eval().weight, other.eval().weight)
