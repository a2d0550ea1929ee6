"""Functions in pieces: one line runs as it is, what comes before and after it is compiled, and nothing else differs."""

import inspect
import warnings

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.compiler.splitting import split

SEEN = []


def compiled(function):
    return torch.compile(function, backend="eager", options={"timed": False})


def prints(x):
    y = torch.sin(x) * 2
    print("sum", round(y.sum().item(), 3))  # this
    return torch.cos(y) + x


def goes_on_with_an_item(x):
    y = x.exp().sum()
    scale = y.item()  # this
    z = x * scale
    return z.tanh() - scale


def takes_a_way(x):
    y = (x * x).sum()
    if y.item() > 30:  # this
        z = x.sin() + y
        z = z * 2
    else:
        z = x.cos() - y
    return z / (y + 1)


def appends(x):
    y = x * 3
    SEEN.append(y.sum().item())  # this
    return y.sin() + len(SEEN)


def loops(x):
    total = torch.zeros(())
    for i in range(3):
        y = (x + i).sin().sum()
        if y.numpy() > 100:  # this
            continue
        total = total + y.tanh() * 2
    return total


def returns_early(x):
    y = x.exp()
    if y.sum().numpy() > 40:  # this
        return y.log() * 2
    z = y + 1
    return z.sqrt()


def changes_what_it_is_given(x):
    x.mul_(2)
    x[0] = float(x.numpy().max())  # this
    x.add_(1)
    return x.sum()


def gathers(x):
    found = [x * 2, x + 1]
    found.append(torch.tensor(x.tolist()))  # this
    total = sum(one.sum() for one in found)
    return total, torch.stack(found).mean(0)


def uses_a_context(x):
    with torch.no_grad():
        y = x.sin() * 2
    print(y.shape)  # this
    with torch.no_grad():
        z = y.cos()
    return y + z


@torch.compiler.disable
def shown(x):
    return x.numpy().max()


def calls_what_is_kept_out(x):
    y = x.sin() * 2
    most = shown(y)  # this
    return y.cos() + float(most)


def has_a_function(x):
    factor = 2.0

    def inner(y):
        return y.sin() * factor

    y = inner(x) + 1
    print(factor)  # this
    return inner(y) * y


FUNCTIONS = [
    prints,
    goes_on_with_an_item,
    takes_a_way,
    appends,
    loops,
    returns_early,
    changes_what_it_is_given,
    gathers,
    uses_a_context,
    calls_what_is_kept_out,
    has_a_function,
]


def marked(function):
    """The number of the line that is marked."""
    lines, first = inspect.getsourcelines(function)
    return first + next(i for i, line in enumerate(lines) if "# this" in line)


def seen(function, calls, capsys):
    """What calls give and leave behind, and what they print."""
    SEEN.clear()
    found = []
    for i in range(calls):
        x = torch.linspace(0.1, 1 + i % 3, 4) + i
        result = function(x)
        found += [*(result if isinstance(result, tuple) else [result]), x, torch.tensor(SEEN)]
    return found, capsys.readouterr().out


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_all_but_a_line_is_compiled(function, capsys):
    expected = seen(function, 8, capsys)
    f = compiled(function)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = seen(f, 8, capsys)
    torch.testing.assert_close(found[0], expected[0])
    assert found[1] == expected[1]
    assert [str(one.message).partition(": that line")[0].split(" ")[1:5] for one in told] == [
        [function.__name__, "runs", "in", "parts,"]
    ]
    assert f":{marked(function)} " in str(told[0].message)
    replays = sum(variant.replays for part in f.pieces.parts for variant in part.variants)
    assert replays >= 4 or function is has_a_function  # which hands a function of its own from piece to piece


def test_a_training_step_with_its_loss_printed(capsys):
    def make(compile):
        torch.manual_seed(0)
        net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
        optimizer = torch.optim.Adam(net.parameters(), lr=0.05)
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 3, 0.5)

        def step(x):
            optimizer.zero_grad()
            loss = net(x).pow(2).mean()
            print(f"{loss.item():.4f}")
            loss.backward()
            optimizer.step()
            scheduler.step()
            return loss.detach()

        return compile(step), net

    results = []
    for compile in (lambda step: step, compiled):
        step, net = make(compile)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            losses = [step(torch.linspace(-1, 1, 12).reshape(4, 3) * (1 + i)) for i in range(10)]
        results.append(([*losses, *net.parameters()], capsys.readouterr().out))
    torch.testing.assert_close(results[1][0], results[0][0])
    assert results[1][1] == results[0][1]


def test_an_exception_in_a_line_that_runs_as_it_is():
    weight = torch.ones(2, requires_grad=True)

    def f(x):
        (x * weight).sum().backward()
        if float(x.numpy().max()) > 3:
            raise KeyError("stop")
        return x * 2

    g = compiled(f)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i in [0, 1, 4, 2, 5, 3]:
            weight.grad = None
            if i > 3:
                with pytest.raises(KeyError, match="stop"):
                    g(torch.full((2,), float(i)))
            else:
                assert g(torch.full((2,), float(i))).tolist() == [2 * i, 2 * i]
            assert weight.grad.tolist() == [i, i]
    assert g.pieces.parts


def walk(n, *more, start=0, **options):
    total, seen = start, []
    for i in range(n):
        if i % 4 == 3:
            continue
        if total > 40 and not options:
            break
        try:
            total += 12 // (i - 1)
        except ZeroDivisionError as error:
            seen.append(str(error))
        else:
            total += len(seen)
    else:
        seen.append("all")
    while total > 7:
        total -= 5
        last = total
        if total == 9:
            return total, seen
    with warnings.catch_warnings():
        seen = [one * 2 for one in seen if total or one]
        k = dict.fromkeys(more, total)
    scale = [lambda y: y + total, lambda y: y * n][n % 2]
    first, *rest = [scale(one) for one in (1, 2, n)]
    for total in sorted(rest):
        seen += [total]
    if n > 6:
        other = sum(one for one in rest)
        seen.append(other)
    elif n > 2:
        last = first
    return total, seen, k, [options.get(one, "") for one in "ab"], last if n > 2 else None


def test_a_function_in_pieces_does_what_the_function_does():
    calls = [((n, *range(n % 3)), {"start": n * s, **({"a": n} if n % 4 else {})}) for n in range(10) for s in (0, 3)]

    def outcome(function):
        found = []
        for args, kwargs in calls:
            try:
                found.append(repr(function(*args, **kwargs)))
            except Exception as error:
                found.append(repr(error))
        return found

    expected = outcome(walk)
    lines, first = inspect.getsourcelines(walk)
    tried = 0
    for line in range(first + 1, first + len(lines)):
        whole, parts = split(walk, {line}, lambda piece: piece) or (None, [])
        if parts:
            tried += 1
            assert outcome(whole) == expected, line
    assert tried > 20


def test_where_there_is_no_source_nothing_is_split():
    space = {"torch": torch}
    exec("def f(x):\n    y = x * 2\n    print(y.sum().item())\n    return y + 1", space)
    f = compiled(space["f"])
    with pytest.warns(UserWarning, match="f runs as it is"):
        assert f(torch.ones(2)).tolist() == [3, 3]
    assert not f.pieces.parts


def test_explain_tells_each_part(capsys):
    told = torch.compiler.explain(prints)(torch.ones(3))
    assert f":{marked(prints)}" in told.trouble
    assert [[step.name for step in piece.programs[0].steps] for piece in told.pieces] == [
        ["sin", "mul"],
        ["cos", "add"],
    ]
    assert str(told).startswith("prints runs in parts: ")
    assert len(told.programs) == 2


def test_what_is_allowed_in_the_graph_is_recorded():
    allowed = torch.compiler.allow_in_graph(lambda x: x.sin() if x.sum() > 0 else x.cos())
    f = compiled(lambda x: allowed(x) * 2)
    for i in (1, 1, -1, 1, -1):
        x = torch.ones(2) * i
        torch.testing.assert_close(f(x), allowed(x) * 2)
    assert len(f.variants) == 2  # one for each way
    assert f.given_up is None
