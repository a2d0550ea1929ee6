"""L-BFGS on Rosenbrock's function and a quadratic one. Every test holds for PyTorch too."""

import pytest

GOLDEN = {  # the losses at the beginning of four steps, and the number of evaluations, from PyTorch 2.13
    "fixed": ([355.7, 96.83837345292893, 50.25971905203549, 30.27202520614499], 80),
    "searched": ([355.7, 3.766486270134703, 3.7014286104713117, 3.7014286104713117], 47),
    "short": ([355.7, 4.243135037406565, 4.188471600847766, 3.8728761857122525], 32),
}
OPTIONS = {
    "fixed": {"lr": 0.01},
    "searched": {"line_search_fn": "strong_wolfe"},
    "short": {"line_search_fn": "strong_wolfe", "history_size": 3, "max_iter": 7},
}


@pytest.mark.parametrize("name", list(OPTIONS))
def test_rosenbrock(torch, name):
    x = torch.tensor([-1.2, 1.0, 0.5, 2.0], dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([x], **OPTIONS[name])
    evaluations = 0

    def closure():
        nonlocal evaluations
        evaluations += 1
        optimizer.zero_grad()
        loss = (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()
        loss.backward()
        return loss

    losses = [optimizer.step(closure).item() for _ in range(4)]
    assert losses == pytest.approx(GOLDEN[name][0], rel=1e-9)
    assert evaluations == GOLDEN[name][1]
    assert optimizer.state_dict()["state"][0]["func_evals"] == evaluations


def test_several_parameters(torch):
    a = torch.tensor([[3.0], [-2.0]], requires_grad=True)
    b = torch.tensor(5.0, requires_grad=True)
    unused = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.LBFGS([a, b, unused])

    def closure():
        optimizer.zero_grad()
        loss = ((a - 1) ** 2).sum() + (b - a.sum()) ** 2
        loss.backward()
        return loss

    for _ in range(3):
        optimizer.step(closure)
    assert a.detach().reshape(-1).tolist() == pytest.approx([1.0, 1.0], abs=1e-4)
    assert b.item() == pytest.approx(2.0, abs=1e-4)
    assert unused.tolist() == [1.0, 1.0]


def test_state_dict_round_trip(torch):
    x = torch.tensor([3.0, -2.0], requires_grad=True)
    optimizer = torch.optim.LBFGS([x], max_iter=2)

    def closure():
        optimizer.zero_grad()
        loss = (x**4).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    other = torch.optim.LBFGS([x], max_iter=2)
    other.load_state_dict(optimizer.state_dict())
    assert other.state[x]["n_iter"] == optimizer.state[x]["n_iter"]
    other.step(closure)


def test_errors(torch):
    x = torch.ones(1, requires_grad=True)
    with pytest.raises(ValueError, match=r"LBFGS doesn't support per-parameter options \(parameter groups\)"):
        torch.optim.LBFGS([{"params": [x]}, {"params": [torch.ones(1, requires_grad=True)]}])
    optimizer = torch.optim.LBFGS([x], line_search_fn="other")
    with pytest.raises(RuntimeError, match="only 'strong_wolfe' is supported"):
        optimizer.step(lambda: (x * x).sum().backward() or (x * x).sum())
