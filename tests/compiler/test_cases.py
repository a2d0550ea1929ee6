"""What compiled programs must not get wrong: each case runs eagerly and compiled, and leaves the same behind.

A case is a function of `compile` that gives everything that somebody can see of what it did, and the compiled function.
"""

import warnings
from collections import namedtuple
from dataclasses import dataclass

import numpy as np
import pytest

import rushlight as torch
from rushlight import nn
from rushlight.compiler.compiled import Compiled
from rushlight.nn import functional as F

CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def network():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 2))


def normal(draw, *shape):
    return torch.tensor(draw.standard_normal(shape), dtype=torch.float32)


def batches(count=12, rows=6):
    draw = np.random.default_rng(3)
    return [(normal(draw, rows, 3), torch.tensor(draw.integers(0, 2, rows))) for _ in range(count)]


def everything(net, *optimizers):
    found = [*net.state_dict().values(), *(p.grad for p in net.parameters())]
    for optimizer in optimizers:
        for state in optimizer.state.values():
            found += [value for value in state.values() if isinstance(value, torch.Tensor)]
    return [None if one is None else one.clone() for one in found]


def training(
    net,
    make_optimizer,
    compile,
    data,
    before_backward=lambda loss: loss,
    after_backward=lambda net: None,
    clear=lambda optimizer: optimizer.zero_grad(),
    between=lambda i, net, optimizer: None,
):
    optimizer = make_optimizer(net.parameters())

    @compile
    def step(x, y):
        clear(optimizer)
        loss = before_backward(F.cross_entropy(net(x), y))
        loss.backward()
        after_backward(net)
        optimizer.step()
        return loss

    losses = []
    for i, (x, y) in enumerate(data):
        between(i, net, optimizer)
        losses.append(step(x, y).detach())
    return [*losses, *everything(net, optimizer)], step


def sgd(parameters):
    return torch.optim.SGD(parameters, lr=0.1, momentum=0.9)


@case
def a_step_with_sgd(compile):
    return training(network(), sgd, compile, batches())


@case
def a_step_with_adam(compile):
    return training(network(), lambda p: torch.optim.AdamW(p, lr=0.01), compile, batches())


@case
def gradients_filled_with_zeros(compile):
    return training(network(), sgd, compile, batches(), clear=lambda o: o.zero_grad(set_to_none=False))


@case
def gradients_cleared_by_hand(compile):
    net = network()

    def clear(optimizer):
        for parameter in net.parameters():
            parameter.grad = None

    return training(net, sgd, compile, batches(), clear=clear)


@case
def clipped_by_norm(compile):
    return training(
        network(), sgd, compile, batches(), after_backward=lambda net: nn.utils.clip_grad_norm_(net.parameters(), 0.1)
    )


@case
def clipped_by_value(compile):
    return training(
        network(), sgd, compile, batches(), after_backward=lambda net: nn.utils.clip_grad_value_(net.parameters(), 0.01)
    )


@case
def a_schedule(compile):
    def between(i, net, optimizer):
        optimizer.param_groups[0]["lr"] = 0.1 / (i + 1)

    return training(network(), sgd, compile, batches(), between=between)


@case
def a_scheduler(compile):
    schedulers = []

    def make(parameters):
        optimizer = sgd(parameters)
        schedulers.append(torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 7))
        return optimizer

    def between(i, net, optimizer):
        if i:
            schedulers[0].step()

    return training(network(), make, compile, batches(), between=between)


@case
def the_last_batch_is_smaller(compile):
    data = batches(4) + batches(1, 2) + batches(4) + batches(1, 2)
    return training(network(), sgd, compile, data)


@case
def dropout_and_batch_norm(compile):
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 6), nn.BatchNorm1d(6), nn.ReLU(), nn.Dropout(0.4), nn.Linear(6, 2))
    seen, step = training(net, sgd, compile, batches())
    return [*seen, torch.get_rng_state()], step


@case
def train_and_eval(compile):
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 6), nn.BatchNorm1d(6), nn.Dropout(0.4), nn.Linear(6, 2))
    forward = compile(lambda x: net(x))
    results = []
    for i, (x, _) in enumerate(batches()):
        net.train(i % 3 > 0)
        with torch.no_grad():
            results.append(forward(x))
    return [*results, *everything(net)], forward


@case
def numbers_drawn_inside(compile):
    f = compile(lambda x: x * torch.rand(3) + torch.randn_like(x) + torch.empty(3).uniform_(1, 2))
    torch.manual_seed(1)
    return [*[f(x) for x, _ in batches()], torch.get_rng_state()], f


@case
def micro_batches(compile):
    net = network()
    step = compile(lambda x, y: F.cross_entropy(net(x), y).backward())
    seen = []
    for i, batch in enumerate(batches()):
        if i % 4 == 0:
            net.zero_grad()
        step(*batch)
        seen += everything(net)
    return seen, step


@case
def moved_data(compile):
    def between(i, net, optimizer):
        if i % 3 == 2:
            net[0].weight.data = net[0].weight.data.clone() * 0.5
        if i == 7:
            net.load_state_dict({name: value * 2 for name, value in net.state_dict().items()})

    return training(network(), sgd, compile, batches(), between=between)


@case
def a_new_parameter(compile):
    def between(i, net, optimizer):
        if i == 5:
            net[2].weight = nn.Parameter(torch.ones(2, 5))

    return training(network(), sgd, compile, batches(), between=between)


@case
def a_new_layer(compile):
    def between(i, net, optimizer):
        if i == 5:
            net[1] = nn.Sigmoid()

    return training(network(), sgd, compile, batches(), between=between)


@case
def a_frozen_layer(compile):
    def between(i, net, optimizer):
        net[0].requires_grad_(i % 4 < 2)

    return training(network(), sgd, compile, batches(), between=between)


@case
def changed_hooks(compile):
    net = network()
    handles = []

    def between(i, net, optimizer):
        if i % 3 == 0:
            handles.append(net[1].register_forward_hook(lambda module, args, out: 2 * out))
        if i % 3 == 2:
            handles.pop().remove()

    return training(net, sgd, compile, batches(), between=between)


@case
def a_hook_on_gradients(compile):
    net = network()
    seen = []
    net[0].weight.register_hook(lambda grad: seen.append(grad.clone()))
    found, step = training(net, sgd, compile, batches())
    return found + seen, step


@case
def an_early_return(compile):
    @compile
    def f(x, flag):
        if flag:
            return x * 2
        y = x.sum()
        if y > 0:
            return y * x
        return x - y

    return [f(x, i % 3 == 0) for i, (x, _) in enumerate(batches())], f


@case
def a_loop_on_values(compile):
    @compile
    def f(x):
        n = 0
        while x.abs().sum() > 1 and n < 20:
            x = x / 2
            n += 1
        return x, n

    return [part for x, _ in batches() for part in f(x)], f


@case
def a_condition_before_an_update(compile):
    net = network()
    optimizer = sgd(net.parameters())

    @compile
    def step(x, y):
        optimizer.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        if torch.isfinite(loss) and loss > 0.6:
            optimizer.step()
        return loss.detach()

    return [*[step(x, y) for x, y in batches()], *everything(net, optimizer)], step


@case
def several_steps_in_one_call(compile):
    net = network()
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)

    @compile
    def steps(x, y):
        losses = []
        for _ in range(3):
            optimizer.zero_grad()
            loss = F.cross_entropy(net(x), y)
            loss.backward()
            optimizer.step()
            losses.append(loss.detach())
        return losses

    return [*[loss for batch in batches() for loss in steps(*batch)], *everything(net, optimizer)], steps


@case
def two_optimizers(compile):
    first, second = network(), network()
    one, two = sgd(first.parameters()), torch.optim.Adam(second.parameters(), lr=0.1)

    @compile
    def step(x, y):
        one.zero_grad()
        two.zero_grad()
        F.cross_entropy(first(x) + second(x).detach(), y).backward()
        one.step()
        loss = F.cross_entropy(first(x).detach() - second(x), y)
        loss.backward()
        two.step()
        return loss.detach()

    return [*[step(*batch) for batch in batches()], *everything(first, one), *everything(second, two)], step


@case
def gradient_of_a_gradient(compile):
    @compile
    def f(x):
        x = x.detach().requires_grad_()
        y = torch.sin(x).prod()
        (g,) = torch.autograd.grad(y, x, create_graph=True)
        (h,) = torch.autograd.grad(g.pow(2).sum(), x)
        return g.detach(), h

    return [part for x, _ in batches() for part in f(x)], f


@case
def shapes_that_depend_on_values(compile):
    f = compile(lambda x: x[x > 0].sum() + torch.rand(()))
    g = compile(lambda x: (x[(x > 0.5).nonzero()[:, 0]] * 2, torch.unique(x.round())))
    torch.manual_seed(1)
    data = [x for x, _ in batches(6)] * 2
    return [part for x in data for part in (f(x), *g(x))] + [torch.get_rng_state()], f


@case
def numbers_as_results(compile):
    net = network()
    optimizer = sgd(net.parameters())

    @compile
    def step(x, y, rate):
        optimizer.zero_grad()
        loss = F.cross_entropy(net(x), y)
        before = loss.item()
        (loss * rate).backward()
        optimizer.step()
        return {"loss": before, "parts": [rate * 2, net[0].weight.norm().item() / 2 + rate, x.sum()]}

    seen = []
    for i, (x, y) in enumerate(batches()):
        found = step(x, y, 1.0 if i < 4 else 1.0 / i)
        seen += [found["parts"][2], torch.tensor([found["loss"], *found["parts"][:2]])]
    return [*seen, *everything(net, optimizer)], step


@case
def tensors_like_others(compile):
    @compile
    def f(x):
        w = torch.full_like(x, 0.5).requires_grad_()
        y = (x * w).sin()
        y.backward(torch.ones_like(y) + torch.zeros_like(y))
        return w.grad + torch.rand_like(y) + torch.full_like(x.t(), 2.0).t(), torch.ones_like(x)

    torch.manual_seed(1)
    return [part for x, _ in batches() for part in f(x)], f


@case
def functions_of_func(compile):
    w = torch.tensor([[1.0, 2.0, 3.0], [0.5, -1.0, 2.0]])

    def g(x):
        return torch.tanh(w @ x).pow(2).sum()

    f = compile(torch.func.hessian(g))
    per_sample = compile(lambda x: torch.func.vmap(torch.func.grad(g))(x))
    seen = [f(x[0]) for x, _ in batches()] + [per_sample(x) for x, _ in batches()]
    return seen, f


@case
def forward_mode_inside(compile):
    f = compile(lambda x, v: torch.func.jvp(lambda x: torch.sin(x) * x, (x,), (v,)))
    return [part for x, _ in batches() for part in f(x, torch.ones_like(x))], f


def opaque(x):
    """Operators whose derivatives are recorded as one step."""
    parts = [F.softmax(x, 0), F.gelu(x), F.layer_norm(x, x.shape), x.cumsum(0), x.prod(), x.var(), F.elu(x).sum(0)]
    return sum((part**3).sum() for part in parts)


@case
def forward_over_reverse(compile):
    gradient = torch.func.grad(opaque)
    jacobian = compile(torch.func.jacfwd(gradient))
    product = compile(lambda x, v: torch.func.jvp(gradient, (x,), (v,))[1])
    return [result for x, _ in batches(4) for result in (jacobian(x[0]), product(x[0], x[1]))], product


@case
def gradients_that_lie_otherwise_than_in_order(compile):
    @compile
    def f(x, w):
        x, w = x.clone().requires_grad_(), w.clone().requires_grad_()
        y = x @ w
        first = torch.autograd.grad((x * x).sum() + (y * y).sum(), [x, w], create_graph=True)
        return torch.autograd.grad(sum((g * g).sum() for g in first), [x, w])

    return [g for x, _ in batches(4) for g in f(x, x[0])], f


@case
def results_with_gaps_in_memory(compile):
    @compile
    def f(x):
        w = (x * 2).detach().requires_grad_()
        (part,) = torch.autograd.grad(torch.view_as_real(w * 1j).sum(), w)
        return part, (x + 1)[:, ::2], (x + 2).T[1:]

    return [result for x, _ in batches(4) for result in f(x)], f


@case
def through_a_compiled_module(compile):
    net = network()
    compiled = compile(net)
    seen = []
    for x, y in batches():
        x = x.clone().requires_grad_()
        net.zero_grad()
        F.cross_entropy(compiled(x * 2) + net(x), y).backward()
        seen += [x.grad, *everything(net)]
    return seen, compiled


@case
def truths(compile):
    """Arithmetic of truths is NumPy's: its loops for floats would reach beyond them."""
    functions = torch.maximum, torch.minimum, torch.mul, torch.add, torch.bitwise_xor, torch.eq, torch.lt
    f = compile(lambda a, b: [function(a, b) for function in functions])
    return [one for x, _ in batches() for one in f(x > 0, (x > 0.5)[:1])], f


@case
def hooks_on_results_that_are_given_on(compile):
    """A gradient meets a hook on the result of an operator once, though the call is recorded behind it."""
    f = compile(lambda x: x.sum(0))
    seen = []
    for x, _ in batches():
        x = x.clone().requires_grad_()
        y = torch.tanh(x)
        y.register_hook(lambda g: g * 2)
        y.retain_grad()
        torch.autograd.backward([f(y).sum(), y.sum()])
        seen += [x.grad, y.grad]
    return seen, f


@case
def hooks_that_come_after_a_call_with_a_pass_within(compile):
    """Differentiating twice makes the call again: its own pass meets no hook that was not there."""
    met = []

    @compile
    def f(x, w):
        w.sum().backward()
        return (x * w).sum()

    seen = []
    for x, _ in batches():
        x, w = x.clone().requires_grad_(), torch.ones(3, requires_grad=True)
        y = f(x, w)
        w.register_hook(met.append)
        (g,) = torch.autograd.grad(y, x, create_graph=True)
        seen += [g.detach(), w.grad, *torch.autograd.grad((g * g).sum(), w)]
    return [*seen, *met], f


@case
def differentiated_twice_through_a_compiled_function(compile):
    f = compile(lambda x, w: torch.tanh(x @ w).sum(1))
    w = torch.ones(3, 2, requires_grad=True)
    seen = []
    for x, _ in batches():
        x = x.clone().requires_grad_()
        (g,) = torch.autograd.grad(f(x, w).sum(), x, create_graph=True)
        seen += [g.detach(), *torch.autograd.grad((g * g).sum(), (x, w))]
    return seen, f


@case
def changes_in_place(compile):
    buffer = torch.zeros(3)

    @compile
    def f(x):
        y = x.clone()
        y[0] = 0
        y[:, 1].mul_(2)
        y[x > 1] += 1
        buffer.add_(y.sum(0))
        buffer[:1] = x[0, 0]
        x.mul_(0.5)
        return y, buffer.norm()

    data = [x for x, _ in batches()]
    seen = [part for x in data for part in f(x)]
    return [*seen, *data, buffer, torch.tensor([x._version for x in data] + [buffer._version])], f


@case
def gradients_through_changes_in_place(compile):
    net = network()

    @compile
    def step(x):
        y = net[0](x)
        z = y.clone()
        z[:, 0] = y[:, 1] * 2
        z.sin_().mul_(3)
        net.zero_grad()
        z.sum().backward()
        return z.detach()

    return [part for x, _ in batches() for part in (step(x), *everything(net))], step


@case
def views(compile):
    f = compile(lambda x: (x.t()[1:].reshape(-1), x[::2, None, :].expand(3, 2, 3).sum(0), x.unbind(1)[2] + 1))
    return [part.clone() for x, _ in batches() for part in f(x + 0)[1:]], f


@case
def a_number_from_a_global(compile):
    f = compile(lambda x: x * SCALE["factor"] + OFFSET)
    seen = []
    for i, (x, _) in enumerate(batches()):
        SCALE["factor"] = 1.0 + i // 5
        globals()["OFFSET"] = i // 7
        seen.append(f(x))
    return seen, f


SCALE = {"factor": 1.0}
OFFSET = 0


@case
def a_number_from_a_closure(compile):
    rate = 1.0

    def change():
        nonlocal rate
        rate += 0.5

    f = compile(lambda x: x * rate)
    seen = []
    for i, (x, _) in enumerate(batches()):
        if i % 4 == 3:
            change()
        seen.append(f(x))
    return seen, f


class Model:
    def __init__(self):
        self.scale = 1.0
        self.layers = [nn.Linear(3, 3), nn.Linear(3, 3)]
        self.weight = torch.ones(3)

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x) * self.scale
        return x * self.weight


@case
def attributes_of_an_object(compile):
    torch.manual_seed(0)
    model = Model()
    f = compile(model.__call__)
    seen = []
    for i, (x, _) in enumerate(batches()):
        model.scale = 1.0 + i // 5
        if i == 6:
            model.weight = torch.full((3,), 2.0)
        if i == 9:
            model.layers.pop()
        seen.append(f(x).detach())
    return seen, f


@case
def a_default_argument(compile):
    def f(x, scale=2.0, *, shift=1.0):
        return x * scale + shift

    g = compile(f)
    seen = []
    for i, (x, _) in enumerate(batches()):
        if i == 5:
            f.__defaults__ = (3.0,)
        seen += [g(x), g(x, 5.0), g(x, shift=-1.0)]
    return seen, g


Pair = namedtuple("Pair", "first second")


@dataclass
class Batch:
    x: torch.Tensor
    options: dict


@case
def nested_arguments(compile):
    @compile
    def f(batch, pairs, scale=1.0):
        total = batch.x * batch.options["scale"] + sum(pair.first - pair.second for pair in pairs)
        return {"total": total * scale, "parts": [pairs[0].first + 1, (total.sum(), 3)]}

    seen = []
    for i, (x, _) in enumerate(batches()):
        out = f(Batch(x, {"scale": 1 + i // 6}), [Pair(x + 1, x), Pair(x, x * 2)], scale=2.0)
        seen += [out["total"], out["parts"][0], out["parts"][1][0]]
    return seen, f


@case
def methods(compile):
    class Counter:
        def __init__(self, start):
            self.start = start

        @compile
        def add(self, x):
            return x + self.start

    one, two = Counter(1.0), Counter(2.0)
    return [part for x, _ in batches() for part in (one.add(x), two.add(x))], Counter.add


@case
def the_same_tensor_twice(compile):
    f = compile(lambda x, y: (x * y).sum() + x.sum())
    seen = []
    for i, (x, _) in enumerate(batches()):
        x = x.clone().requires_grad_()
        y = x if i % 3 else x.detach().clone().requires_grad_()
        f(x, y).backward()
        seen += [x.grad, y.grad]
    return seen, f


@case
def shared_memory_that_is_written_to(compile):
    @compile
    def f(x, y):
        x.add_(1)
        return x * y

    seen = []
    for i, (x, _) in enumerate(batches()):
        x = x.clone()
        seen += [f(x, x[:] if i % 2 else x.clone()), x]
    return seen, f


@case
def other_modes(compile):
    net = network()
    f = compile(lambda x: net(x))
    seen = []
    for i, (x, _) in enumerate(batches()):
        with torch.set_grad_enabled(i % 3 > 0):
            y = f(x)
        seen += [y.detach(), torch.tensor(y.requires_grad)]
        with torch.inference_mode():
            seen.append(f(x).clone())
    return seen, f


@case
def other_dtypes(compile):
    f = compile(lambda x: (x + 1) * 2 / 3 - x.sum(0))
    kinds = [torch.float32, torch.float64, torch.bfloat16, torch.float16, torch.int64, torch.complex64]
    return [f(x.to(kind)) for x, _ in batches() for kind in kinds], f


@case
def a_default_dtype(compile):
    f = compile(lambda x: torch.ones(3) + torch.arange(3) / 2 + (x > 0).sum())
    seen = []
    for i, (x, _) in enumerate(batches()):
        torch.set_default_dtype(torch.float64 if i % 3 == 0 else torch.float32)
        seen.append(f(x))
    torch.set_default_dtype(torch.float32)
    return seen, f


@case
def autocast(compile):
    net = network()

    @compile
    def f(x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return net(x).float().sum()

    return [f(x).detach() for x, _ in batches()], f


@case
def convolutions(compile):
    torch.manual_seed(0)
    net = nn.Sequential(
        nn.Conv2d(1, 3, 3, padding=1), nn.BatchNorm2d(3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(48, 2)
    )
    draw = np.random.default_rng(3)
    data = [(normal(draw, 8, 1, 8, 8), torch.tensor(draw.integers(0, 2, 8))) for _ in range(6)]
    return training(net, sgd, compile, data)


@case
def attention(compile):
    torch.manual_seed(0)
    net = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.1, batch_first=True)
    optimizer = sgd(net.parameters())  # Adam makes steps of rounding, where a gradient is zero

    @compile
    def step(x):
        optimizer.zero_grad()
        loss = net(x).pow(2).mean()
        loss.backward()
        optimizer.step()
        return loss.detach()

    draw = np.random.default_rng(3)
    data = [normal(draw, 2, 5, 8) for _ in range(6)]
    return [*map(step, data), *[p.detach() for p in net.parameters()]], step


@case
def recurrent(compile):
    torch.manual_seed(0)
    cell, head = nn.LSTMCell(3, 4), nn.Linear(4, 1)
    gru = nn.GRU(3, 4, batch_first=True)

    @compile
    def step(x):
        h, c = torch.zeros(2, 4), torch.zeros(2, 4)
        for t in range(x.shape[1]):
            h, c = cell(x[:, t], (h, c))
        loss = head(h).pow(2).sum() + gru(x)[0].sum()
        for parameter in cell.parameters():
            parameter.grad = None
        loss.backward()
        return loss.detach()

    draw = np.random.default_rng(3)
    data = [normal(draw, 2, 5, 3) for _ in range(6)]
    return [*map(step, data), *[p.grad for p in cell.parameters()]], step


FALLS_BACK = {"a_hook_on_gradients"}


@pytest.mark.parametrize("backend", ["eager", "walker"])
@pytest.mark.parametrize("name", CASES)
def test_a_compiled_program_leaves_behind_what_the_eager_one_does(name, backend):
    if name in ("autocast", "other_dtypes"):  # with bfloat16
        pytest.importorskip("ml_dtypes")
    expected, _ = CASES[name](lambda function: function)
    made = []

    def compile(function):
        compiled = torch.compile(function, backend=backend, options={"timed": False})
        made.append(compiled)
        return compiled

    with warnings.catch_warnings():
        warnings.simplefilter("ignore" if name in FALLS_BACK else "error", UserWarning)
        found, _ = CASES[name](compile)
    assert len(expected) == len(found)
    for i, (a, b) in enumerate(zip(expected, found, strict=True)):
        assert (a is None) == (b is None), i
        if isinstance(a, torch.Tensor):
            assert a.dtype == b.dtype
            assert a.stride() == b.stride()
            assert a.requires_grad == b.requires_grad
            if backend == "eager":
                assert torch.equal(a, b), (i, a, b)
            else:
                torch.testing.assert_close(b, a, rtol=1e-4, atol=1e-5)
        else:
            assert a == b
    for one in made:
        one = getattr(one, "_call", one)
        assert isinstance(one, Compiled)
        replays = sum(variant.replays for variant in one.variants)
        assert (one.given_up is not None) == (name in FALLS_BACK), one.reasons
        assert name in FALLS_BACK or replays, one.reasons


def apart(x, w, v):
    return (x * w).sum(), (x * v).exp().sum()


def one_part_of_the_other(x, w, v):
    first = (x * w).tanh()
    return first.sum(), (first * v).sum()


def used_up_beside_another(x, w, v):
    first = (x * w).pow(2).sum()
    first.backward()
    return (x * v).pow(2).sum(), first


def several_from_one_place(x, w, v):
    y = (x * w * v).sin()
    return y.sum(), (y - y.detach()).sqrt().sum()  # whose slope is infinite


APART = [apart, one_part_of_the_other, used_up_beside_another, several_from_one_place]
WAYS = {"first": [0], "second": [1], "each": [0, 1], "again": [0, 0]}


def asked(f, way, i):
    """What a way to ask for gradients gives, and the words of its error."""
    x = torch.linspace(0.1, 1, 3) + i
    w, v = torch.ones(3, requires_grad=True), torch.full((3,), 0.5, requires_grad=True)
    results = f(x, w, v)
    error = ""
    try:
        if way == "doubly":
            grads = torch.autograd.grad(results[0], [w, v], create_graph=True, allow_unused=True)
            sum(g.pow(2).sum() for g in grads if g is not None).backward()
        elif way == "both":
            (results[0] + results[1]).backward()
        else:
            for k in WAYS[way]:
                results[k].backward()
    except RuntimeError as raised:
        error = str(raised)[:50]
    return error, [torch.zeros(0) if one.grad is None else one.grad for one in (w, v)]


@pytest.mark.parametrize("way", [*WAYS, "both", "doubly"])
@pytest.mark.parametrize("function", APART)
def test_results_have_backward_passes_of_their_own(function, way):
    """Nothing is asked of what a result does not come from, and what one pass has released others may still need."""
    compiled = torch.compile(function, backend="eager", options={"timed": False})
    for i in range(4):
        expected, found = asked(function, way, i), asked(compiled, way, i)
        if (
            function in (one_part_of_the_other, several_from_one_place) and way == "each"
        ):  # each result keeps what it needs
            assert found[0] == "" or i == 0
            continue
        assert found[0] == expected[0]
        torch.testing.assert_close(found[1], expected[1])
    assert compiled.variants[0].replays == 3


def test_gradients_that_are_read_and_then_cleared():
    weight = torch.ones(3, requires_grad=True)

    def step(x):
        scaled = weight.grad * 2
        weight.add_(scaled)
        weight.grad = None
        return scaled.sum() + x

    results = []
    for f in (step, torch.compile(step, backend="eager", options={"timed": False})):
        found = []
        with torch.no_grad():
            weight.fill_(1)
            for i in range(4):
                weight.grad = torch.full((3,), float(i))
                found += [f(torch.ones(2)), weight.clone(), torch.tensor(weight.grad is None)]
        results.append(found)
    torch.testing.assert_close(results[1], results[0])
    assert f.variants[0].replays == 3


@pytest.mark.parametrize("shape", [(), (3,)])
@pytest.mark.parametrize("function", [lambda s: -s, lambda s: s + s, lambda s: s.exp(), lambda s: (s * 3).sum()])
def test_passes_follow_one_another_as_they_do_eagerly(function, shape):
    """Cotangents that are added up before they arrive, and a second pass through a graph that saves nothing."""

    def left(call):
        s = torch.full(shape, 2.0, dtype=torch.float64, requires_grad=True)
        result = call(s)
        torch.autograd.backward([result, result], [torch.ones_like(result), torch.full_like(result, 0.5)])
        try:
            result.sum().backward()
        except RuntimeError as error:
            return s.grad.tolist(), str(error)[:40]
        return s.grad.tolist()

    program = torch.compile(function)
    assert [left(program) for _ in range(4)] == [left(function)] * 4


@pytest.mark.parametrize("saves", [False, True])
@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.filterwarnings("ignore:Using backward")
def test_a_graph_that_ends_within_the_call(create_graph, saves):
    """Positions and their forces, say: nobody sees the leaf where the result's gradients arrive."""

    def function(start):
        x = start.detach().requires_grad_()
        (force,) = torch.autograd.grad((x**3).sum(), x)
        return x * x - force if saves else x - force

    def left(call):
        start, weight = torch.arange(3.0), torch.ones(3, requires_grad=True)
        result = call(start)
        (result * weight).sum().backward(create_graph=create_graph)
        try:
            (result * weight).sum().backward()
        except RuntimeError as error:
            return result.tolist(), weight.grad.tolist(), str(error)[:40]
        return result.tolist(), weight.grad.tolist(), result.requires_grad

    program = Compiled(function, timed=False)
    assert [left(program) for _ in range(4)] == [left(function)] * 4
    assert program.variants[0].replays == 3


@pytest.mark.parametrize("wanted", ["a", "b", "both"])
@pytest.mark.parametrize("create_graph", [False, True])
def test_hooks_are_called_once_where_gradients_arrive(wanted, create_graph):
    """And not those of tensors whose gradient nobody asked for: a pass that is made again calls none."""

    def seen(function):
        told = []
        for _ in range(4):
            a, b = torch.tensor([0.1, 0.2], requires_grad=True), torch.tensor([0.3, 0.4], requires_grad=True)
            between = b * 1
            result = function(a, between)
            handles = [
                one.register_hook(lambda grad, n=n: told.append((n, *grad.tolist())))
                for n, one in enumerate((a, between, b))
            ]
            grads = torch.autograd.grad(
                result.sum(), {"a": [a], "b": [b], "both": [a, b]}[wanted], create_graph=create_graph
            )
            told.append([grad.tolist() for grad in grads])
            if create_graph:
                torch.stack(grads).sum().backward()
                told.append([None if one.grad is None else one.grad.tolist() for one in (a, b)])
            for handle in handles:
                handle.remove()
        return told

    def function(a, b):
        return (a * b).exp() * b

    torch.testing.assert_close(seen(torch.compile(function, options={"timed": False})), seen(function))


def used_up_and_asked_for(x, s):
    squared = s * s
    (squared**2).sum().backward()
    (squared * 1).sum().backward(inputs=[x, squared])
    return squared.grad + s.grad


def used_up_beside_what_is_asked_for(x, s):
    squared, other = s * s, x * 1
    (squared**2).sum().backward()
    (squared + other).sum().backward(inputs=[other])
    return other.grad + s.grad


def used_up_and_asked_again(x, s):
    squared = s * s
    (squared**2).sum().backward()
    (squared * x).sum().backward(inputs=[x])
    (squared * x).sum().backward()
    return s.grad


def passes_that_end_at_a_result(x, s):
    added, squared = (s * s).unsqueeze(0), (s * s).exp()
    added.sum().backward(inputs=[added])
    added.sum().backward()
    squared.sum().backward(inputs=[squared])
    (squared * x).sum().backward()
    return s.grad


def hooks_of_a_node(x, s):
    y = torch.hypot(x, s)
    y.retain_grad()
    y.grad_fn.register_prehook(lambda grads: (grads[0] / 2,))
    y.grad_fn.register_hook(lambda into, out: tuple(one * 3 for one in into))
    y.sum().backward()
    return x.grad + y.grad


def a_hook_that_is_taken_away(x, s):
    y = x * s
    y.retain_grad()
    handle = s.register_hook(lambda grad: grad * 2)
    y.sum().backward(retain_graph=True)
    handle.remove()
    y.sum().backward()
    return s.grad


def hooks_of_a_node_with_several_results(x, s):
    largest = (x * s).view(1, -1).max(1)[0]
    above = largest.exp() + s
    largest.grad_fn.register_hook(lambda into, out: tuple(one * 3 for one in into))
    above.sum().backward()
    return s.grad


def changed_since_hooks_packed_it(x, s):
    total = (x * s).sum()
    with torch.autograd.graph.saved_tensors_hooks(lambda one: one.detach() * 1, lambda one: one):
        squared = total**2
    squared.register_hook(lambda grad: grad)
    total += 1
    squared.backward()
    return total


@pytest.mark.parametrize(
    "function",
    [
        hooks_of_a_node_with_several_results,
        changed_since_hooks_packed_it,
        used_up_and_asked_for,
        used_up_beside_what_is_asked_for,
        used_up_and_asked_again,
        passes_that_end_at_a_result,
        hooks_of_a_node,
        a_hook_that_is_taken_away,
    ],
)
@pytest.mark.filterwarnings("ignore:torch.compile")
def test_passes_in_parts_of_a_function(function):
    """A part goes on with the graph of what came before it, and hooks are registered at each call."""

    def left(call):
        x, s = (torch.full((3,), value, dtype=torch.float64, requires_grad=True) for value in (2.0, 3.0))
        try:
            return call(x, s).tolist(), x.grad, s.grad
        except RuntimeError as error:
            return str(error)[:60], x.grad, s.grad

    program = torch.compile(function, options={"timed": False})
    for _ in range(5):
        torch.testing.assert_close(left(program)[1:], left(function)[1:])
        assert left(program)[0] == left(function)[0]


def results_of_each_other(x, w):
    hidden = torch.tanh(x @ w)
    y = hidden * w.sum() + hidden.exp()
    parts = hidden.split(1, 1)
    return (y * hidden).sum() + parts[0].sum(), hidden, y, parts[1].clone()


def test_results_lead_to_each_other():
    """The gradient of one result with respect to another, which takes the ways between them that it took eagerly."""

    def seen(function):
        found = []
        for i in range(5):
            torch.manual_seed(i)
            x, w = torch.randn(3, 4, dtype=torch.float64), torch.randn(4, 2, dtype=torch.float64, requires_grad=True)
            loss, hidden, y, part = function(x, w)
            found.append(torch.autograd.grad(loss, [hidden, y, w], retain_graph=True, allow_unused=True))
            found.append(torch.autograd.grad(y.sum(), [w, hidden], create_graph=True))
            hidden.retain_grad()
            handle = hidden.register_hook(lambda grad: grad * 2)
            (loss + y.sum() + part.sum()).backward(retain_graph=True)
            found.append((w.grad.clone(), hidden.grad.clone()))
            handle.remove()
            loss.backward(inputs=[y])
            found.append((y.grad, w.grad.clone()))
            (second,) = torch.autograd.grad(function(x, w)[0], [w], create_graph=True)
            second.pow(2).sum().backward()
            found.append(w.grad)
        return found

    program = torch.compile(results_of_each_other, options={"timed": False})
    torch.testing.assert_close(seen(program), seen(results_of_each_other))
    assert all(variant.replays >= 4 for variant in program.variants)


@pytest.mark.parametrize("later", [lambda y: y.sum(), lambda y: (y.mT * y.mT).sum(), lambda y: (y[..., :1] ** 2).sum()])
@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.mT * 2,
        lambda x: x.mT.contiguous(),
        lambda x: x + 1,
        lambda x: x[:, :1].diag_embed() * 3,
        lambda x: torch.stack([x, x.exp()], 2),
        lambda x: [x.detach().zero_(), x.atan().mT][1],
    ],
)
def test_gradients_lie_in_memory_as_those_of_an_eager_pass(function, later):
    """However the gradient lies that arrives at the result: its strides decide those of the gradients behind it."""

    def left(call):
        x = torch.arange(12.0).reshape(3, 4).requires_grad_()
        (grad,) = torch.autograd.grad(later(call(x)), x)
        return grad.stride(), grad.tolist()

    program = torch.compile(function, options={"timed": False})
    assert [left(program) for _ in range(4)] == [left(function)] * 4
    assert program.variants[0].replays == 3


@pytest.mark.parametrize("wanted", ["first", "second", "x", "all"])
def test_second_gradients_lead_through_the_results_that_were_given_out(wanted):
    """A gradient that is differentiated depends on results that the nodes before them save: on those, not on others."""

    def function(x):
        first = x.exp()
        return first, (first * x).tanh()

    def left(call):
        x = torch.linspace(0.1, 0.5, 3, dtype=torch.float64).requires_grad_()
        first, second = call(x)
        seen = []
        first.register_hook(lambda grad: seen.append(grad.tolist()))
        (slope,) = torch.autograd.grad((first + second).sum(), x, create_graph=True)
        (curve,) = torch.autograd.grad(slope.pow(2).sum(), x, create_graph=True)
        ends = {"first": [first], "second": [second], "x": [x], "all": [first, second, x]}[wanted]
        grads = torch.autograd.grad((slope * curve).sum() + first.sum(), ends, allow_unused=True)
        return [None if one is None else one.detach() for one in grads], seen

    program = torch.compile(function, options={"timed": False})
    for _ in range(4):
        torch.testing.assert_close(left(program), left(function))
    assert program.variants[0].replays == 3


def test_second_gradients_of_a_call_that_changes_its_arguments():
    """They are those at the values that the arguments had before the call, whatever became of them since."""

    def function(x, count):
        count.add_(1)
        return (x.exp() * count).sum()

    def left(call):
        x, count = torch.linspace(0.1, 0.5, 3).requires_grad_(), torch.zeros(3)
        (slope,) = torch.autograd.grad(call(x, count), x, create_graph=True)
        (curve,) = torch.autograd.grad(slope.pow(2).sum(), x)
        return slope.detach(), curve, count

    program = torch.compile(function, options={"timed": False})
    for _ in range(4):
        torch.testing.assert_close(left(program), left(function))
    assert program.variants[0].replays == 3


def test_no_second_gradients_of_a_call_whose_arguments_were_changed_since():
    """A replay does not keep what an eager call would have saved: better an error than gradients at other values."""
    program = torch.compile(lambda x, shift: (x + shift).exp().sum(), options={"timed": False})
    for _ in range(3):
        x, shift = torch.linspace(0.1, 0.5, 3).requires_grad_(), torch.zeros(3)
        y = program(x, shift)
        shift.add_(1)
        torch.testing.assert_close(torch.autograd.grad(y, x, retain_graph=True)[0], x.detach().exp())
    with pytest.raises(RuntimeError, match="has been modified by an inplace operation"):
        torch.autograd.grad(y, x, create_graph=True)


def test_results_of_one_node_lead_to_another():
    """A pass goes through the outputs of a node that are no results, and ends at those that are asked for."""

    def function(x):
        variance, mean = torch.var_mean(x * 2, 1)
        return mean, (mean * variance).sum(), (mean**2).sum()

    def seen(function):
        x = torch.arange(6.0, dtype=torch.float64).reshape(2, 3).pow(2).requires_grad_()
        mean, both, alone = function(x)
        first = torch.autograd.grad(both, [x, mean], create_graph=True)
        second = torch.autograd.grad(first[0].pow(2).sum(), [x], retain_graph=True)
        return *first, *second, *torch.autograd.grad(alone, [mean])

    program = torch.compile(function, options={"timed": False})
    for _ in range(3):
        torch.testing.assert_close(seen(program), seen(function))
    assert program.variants[0].replays == 2


def test_tensors_of_one_memory_have_one_count_of_changes():
    def function(x, view):
        view.add_(1)
        return x * 2

    program = torch.compile(function, options={"timed": False})
    for _ in range(3):
        x = torch.ones(3)
        program(x, x.view(torch.int32).view(torch.float32))
        assert x._version == 1
    assert program.variants[0].replays == 2
