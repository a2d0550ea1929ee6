"""The compiled rules: the same as the rules in NumPy and as PyTorch's, and what they leave to the former."""

import numpy as np
import pytest
from optim.problems import OPTIMIZERS

import rushlight as torch
from rushlight.kernels import updates
from rushlight.optim import elementwise

MORE = """
SGD(lr=0.05, momentum=0.9, nesterov=True, weight_decay=0.1, maximize=True)
Adam(amsgrad=True, maximize=True)
AdamW(lr=0.1, maximize=True)
RMSprop(momentum=0.5)
RMSprop(maximize=True)
Adagrad(maximize=True)
Adamax(maximize=True)
NAdam(weight_decay=0.1, maximize=True)
RAdam(lr=0.1, weight_decay=0.1, decoupled_weight_decay=True)
Rprop(maximize=True)
ASGD(maximize=True, weight_decay=0.1, t0=2.0)
""".strip().split("\n")

each_optimizer = pytest.mark.parametrize("expression", [*OPTIMIZERS, *MORE])
needs_kernels = pytest.mark.skipif(updates.fast is None, reason="nothing was compiled")
SHAPES = [(33, 7), (16,), (1,), (), (0, 3), (3, 11, 5)]


def values(shapes, dtype="float32", seed=0):
    rng = np.random.default_rng(seed)
    return [np.asarray(rng.standard_normal(shape), dtype) for shape in shapes]


def optimizer_of(torch, expression, params):
    name, _, options = expression.partition("(")
    return eval(f"make(params, {options}", {"make": getattr(torch.optim, name), "params": params})


def steps(torch, expression, shapes=SHAPES, dtype="float32", number=7):
    """Parameters and states after some steps; one parameter joins in late, and so is behind the others."""
    params = [torch.tensor(value).requires_grad_() for value in values(shapes, dtype)]
    optimizer = optimizer_of(torch, expression, params)
    for step in range(number):
        for i, (param, grad) in enumerate(zip(params, values(shapes, dtype, step + 1), strict=True)):
            param.grad = torch.tensor(grad) if i or step > 1 else None
        optimizer.step()
    state = optimizer.state_dict()["state"]
    tensors = [value.numpy() for number in sorted(state) for _, value in sorted(state[number].items())]
    return [param.detach().numpy() for param in params] + tensors


def compare(actual, expected):
    for a, b in zip(actual, expected, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=2e-6)


def compare_bits(actual, expected):
    for a, b in zip(actual, expected, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)


@pytest.fixture
def left(monkeypatch):
    """What the kernels left to the rules in NumPy: the number of parameters, call by call."""
    calls = []

    class Watched:
        def change(self, *args):
            rows = kernels.change(*args)
            calls.append(len(rows))
            return rows

    kernels = updates.fast
    monkeypatch.setattr(updates, "fast", Watched())
    return calls


def in_numpy(monkeypatch, function, *args):
    with monkeypatch.context() as patch:
        patch.setattr(updates, "fast", None)
        return function(*args)


@each_optimizer
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_as_in_pytorch(expression, dtype):
    oracle = pytest.importorskip("torch")
    compare(steps(torch, expression, dtype=dtype), steps(oracle, expression, dtype=dtype))


@needs_kernels
@each_optimizer
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_as_in_numpy(expression, dtype, left, monkeypatch):
    compiled = steps(torch, expression, SHAPES, dtype)
    assert left
    assert not any(left)
    compare_bits(compiled, in_numpy(monkeypatch, steps, torch, expression, SHAPES, dtype))


@needs_kernels
@each_optimizer
def test_large_parameters_are_shared_among_threads(expression, left, monkeypatch):
    shapes = [(3,), (2, 262147)]
    compiled = steps(torch, expression, shapes, "float32", 2)
    assert not any(left)
    compare_bits(compiled, in_numpy(monkeypatch, steps, torch, expression, shapes, "float32", 2))


def step_with(expression, params, grads):
    """The parameters after two steps with gradients that are given as tensors."""
    optimizer = optimizer_of(torch, expression, params)
    for param, grad in zip(params, grads, strict=True):
        param.grad = grad
    for _ in range(2):
        optimizer.step()
    return [param.detach().numpy().copy() for param in params]


@needs_kernels
@each_optimizer
def test_infinite_and_missing_numbers(expression, monkeypatch):
    numbers = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-30, 1e30, 1.0], np.float32)

    def run():
        grads, start = np.repeat(numbers, 8), np.tile(numbers, 8)
        return step_with(expression, [torch.tensor(start).requires_grad_()], [torch.tensor(grads)])

    compare_bits(run(), in_numpy(monkeypatch, run))


@needs_kernels
@pytest.mark.parametrize("expression", ["SGD(lr=0.1, momentum=0.9)", "Adam()"])
def test_what_is_left_to_numpy(expression, left, monkeypatch):
    """Other dtypes, layouts of gradients that differ, gaps, and memory that is used twice."""

    def run():
        half = torch.ones(3, dtype=torch.float16, requires_grad=True)
        number = torch.ones(3, dtype=torch.complex64, requires_grad=True)
        turned, wide = torch.ones(3, 4, requires_grad=True), torch.ones(3, 4, requires_grad=True)
        gaps = torch.arange(8.0)[::2].requires_grad_()
        own = torch.arange(5.0).requires_grad_()
        near = torch.arange(5.0)
        grads = [
            torch.ones(3, dtype=torch.float16),
            torch.ones(3, dtype=torch.complex64),
            torch.arange(12.0).reshape(4, 3).T,
            torch.arange(4.0).expand(3, 4),
            torch.ones(4),
            own.detach(),
            near[1:],
        ]
        return step_with(expression, [half, number, turned, wide, gaps, own, near[:-1].requires_grad_()], grads)

    compiled = run()
    assert max(left) == 7
    compare_bits(compiled, in_numpy(monkeypatch, run))


@needs_kernels
def test_layouts_without_gaps(left, monkeypatch):
    def run():
        turned = torch.arange(12.0).reshape(3, 4).T.requires_grad_()
        return step_with("Adam()", [turned], [torch.arange(12.0).reshape(3, 4).T])

    compiled = run()
    assert not any(left)
    compare_bits(compiled, in_numpy(monkeypatch, run))


def test_parameters_that_share_memory():
    memory = torch.ones(4)
    whole, part = memory.detach().requires_grad_(), memory[1:3].detach().requires_grad_()
    step_with("SGD(lr=0.25)", [whole, part], [torch.ones(4), torch.ones(2)])
    assert memory.tolist() == [0.5, 0.0, 0.0, 0.5]


def test_tensors_as_options():
    def run(**options):
        param = torch.ones(3, requires_grad=True)
        param.grad = torch.arange(3.0)
        torch.optim.Adam([param], **options).step()
        return [param.detach().numpy()]

    betas = torch.tensor(0.8), torch.tensor(0.9)
    compare(run(lr=torch.tensor(0.5), betas=betas), run(lr=0.5, betas=(0.8, 0.9)))


def test_a_change_is_counted():
    param = torch.ones(3, requires_grad=True)
    kept = (param * param).sum()
    before = param._version
    step_with("SGD(lr=0.1)", [param], [torch.ones(3)])
    assert param._version > before
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        kept.backward()


def test_gradients_stay():
    param, grad = torch.ones(3, requires_grad=True), torch.arange(3.0)
    step_with("Adam(weight_decay=0.1, maximize=True)", [param], [grad])
    assert param.grad is grad
    assert grad.tolist() == [0.0, 1.0, 2.0]


def test_no_state_without_momentum():
    optimizer = torch.optim.SGD([torch.ones(3, requires_grad=True)], lr=0.1)
    optimizer.param_groups[0]["params"][0].grad = torch.ones(3)
    optimizer.step()
    assert optimizer.state_dict()["state"] == {}


@pytest.mark.skipif(elementwise.gathering is None, reason="nothing was compiled")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@each_optimizer
def test_gathered_rows_are_those_of_the_plain_form(expression, dtype, monkeypatch):
    gathered = steps(torch, expression, dtype=dtype)
    monkeypatch.setattr(elementwise, "gathering", None)
    compare_bits(gathered, steps(torch, expression, dtype=dtype))


@pytest.mark.skipif(elementwise.gathering is None, reason="nothing was compiled")
@pytest.mark.parametrize("odd", ["no state", "no moment", "no tensor", "counted in Python", "counted by integers"])
def test_what_is_not_gathered_has_not_changed(odd):
    params = [torch.ones(3, requires_grad=True) for _ in range(2)]
    optimizer = torch.optim.Adam(params)
    for param in params:
        param.grad = torch.ones(3)
    optimizer.step()
    state = optimizer.state[params[1]]
    if odd == "no state":
        del optimizer.state[params[1]]
    elif odd == "no moment":
        del state["exp_avg"]
    elif odd == "no tensor":
        state["exp_avg"] = None
    else:
        state["step"] = 1.0 if odd == "counted in Python" else torch.tensor(1)
    versions = [param._version for param in params]
    assert elementwise.gathering.rows_of(params, optimizer.state, ("exp_avg", "exp_avg_sq"), True) is None
    assert optimizer.state[params[0]]["step"] == 1
    assert [param._version for param in params] == versions
