"""Adafactor, Muon, averages of models, SWALR, optimizers without `Optimizer.__init__`: compared with PyTorch."""

import numpy as np
import pytest

import rushlight


def both(program):
    """What a program returns for rushlight and for PyTorch."""
    theirs = pytest.importorskip("torch")
    found = []
    for torch in (rushlight, theirs):
        torch.manual_seed(0)
        found.append([t.detach().double().numpy() if isinstance(t, torch.Tensor) else t for t in program(torch)])
    return found


def trained(torch, make, dtype, shapes=((3, 4), (5,), (2, 3, 4))):
    torch.manual_seed(1)
    params = [torch.randn(shape, dtype=dtype).requires_grad_() for shape in shapes]
    optimizer = make(torch, params)
    for _ in range(4):
        optimizer.zero_grad()
        sum((p**2 * torch.arange(1, p.numel() + 1).reshape(p.shape)).sum() for p in params).backward()
        optimizer.step()
    state = [optimizer.state[p][k] for p in params for k in sorted(optimizer.state[p])]
    return [*params, *state]


OPTIONS = [{}, {"lr": 0.1, "weight_decay": 0.1, "maximize": True}, {"eps": (1e-3, 0.5), "d": 2.0, "beta2_decay": -0.5}]


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_adafactor(options, dtype):
    make = lambda torch, params: torch.optim.Adafactor(params, foreach=False, **options)
    ours, theirs = both(lambda torch: trained(torch, make, getattr(torch, dtype)))
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5 if dtype == "float32" else 1e-12, atol=1e-7)


MUONS = [{"lr": 0.1}, {"nesterov": False, "weight_decay": 0.0, "lr": 0.05}, {"adjust_lr_fn": "match_rms_adamw"}]


@pytest.mark.parametrize("options", MUONS)
@pytest.mark.parametrize("shape", [(3, 4), (6, 2)])
def test_muon(options, shape):
    make = lambda torch, params: torch.optim.Muon(params, **options)
    ours, theirs = both(lambda torch: trained(torch, make, torch.float32, [shape]))
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-2, atol=2e-3)  # bfloat16 has 8 bits


@pytest.mark.parametrize(
    "make",
    [
        "Muon([torch.ones(2)])",
        "Muon([torch.ones(2, 2)], adjust_lr_fn='x')",
        "Muon([torch.ones(2, 2)], momentum=-1)",
        "Adafactor([torch.ones(2)], d=0.5)",
        "Adafactor([torch.ones(2)], lr=-1)",
        "Adafactor([torch.ones(2)], eps=(-1, 1))",
        "SparseAdam([torch.ones(2)], lr=0)",
        "SparseAdam([torch.ones(2, dtype=torch.complex64)])",
    ],
)
def test_options_are_checked(torch, make):
    with pytest.raises(ValueError, match=r"should be|not supported|2D|Invalid|[Cc]omplex"):
        eval(f"torch.optim.{make}", {"torch": torch})


@pytest.mark.parametrize("name", ["Adafactor", "Muon"])
def test_complex_parameters_are_refused(torch, name):
    weight = torch.ones(2, 2, dtype=torch.complex64, requires_grad=True)
    optimizer = getattr(torch.optim, name)([weight])
    weight.abs().sum().backward()
    with pytest.raises(RuntimeError, match=f"{name} does not support complex parameters"):
        optimizer.step()


def test_dense_gradients_are_refused(torch):
    weight = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.SparseAdam([weight])
    weight.sum().backward()
    with pytest.raises(RuntimeError, match="SparseAdam does not support dense gradients, please consider Adam"):
        optimizer.step()


AVERAGES = [
    "None",
    "avg_fn=swa.get_ema_avg_fn(0.9)",
    "multi_avg_fn=swa.get_ema_multi_avg_fn(0.5)",
    "multi_avg_fn=swa.get_ema_multi_avg_fn(0.8), use_buffers=True",
    "multi_avg_fn=swa.get_swa_multi_avg_fn()",
    "avg_fn=lambda a, b, n: a + n * b",
]


@pytest.mark.parametrize("average", AVERAGES)
def test_averages_of_models(average):
    def program(torch):
        from importlib import import_module

        swa = import_module(f"{torch.__name__}.optim.swa_utils")
        model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2))
        averaged = eval(f"swa.AveragedModel(model, {average})", {"swa": swa, "model": model})
        batches = [torch.randn(4, 3) for _ in range(4)]
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for batch in batches:
            optimizer.zero_grad()
            (model(batch) * batch[:, :2]).sum().backward()
            optimizer.step()
            averaged.update_parameters(model)
        swa.update_bn([(b, 0) for b in batches], averaged)
        return [*averaged.state_dict().values(), averaged(batches[0]), averaged.training]

    for a, b in zip(*both(program), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("strategy", ["cos", "linear"])
@pytest.mark.parametrize("epochs", [0, 1, 3])
def test_swalr(strategy, epochs):
    def program(torch):
        from importlib import import_module

        swa = import_module(f"{torch.__name__}.optim.swa_utils")
        optimizer = torch.optim.SGD([{"params": [torch.ones(1)]}, {"params": [torch.ones(1)], "lr": 0.5}], lr=1.0)
        schedule = swa.SWALR(optimizer, [0.1, 0.2], epochs, strategy)
        rates = [schedule.get_last_lr()]
        for _ in range(5):
            optimizer.step()
            schedule.step()
            rates.append(schedule.get_last_lr())
        state = schedule.state_dict()
        schedule.load_state_dict(state)
        return [rates, sorted(state)]

    ours, theirs = both(program)
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-12)
    assert ours[1] == theirs[1]


def test_an_optimizer_without_the_base_constructor(torch):
    class Wrapper(torch.optim.Optimizer):
        def __init__(self, inner):
            self.inner = inner

        @property
        def param_groups(self):
            return self.inner.param_groups

        def step(self, closure=None):
            return self.inner.step(closure)

    weight = torch.ones(1, requires_grad=True)
    optimizer = Wrapper(torch.optim.SGD([weight], lr=0.5))
    weight.sum().backward()
    optimizer.step()
    assert weight.tolist() == [0.5]
