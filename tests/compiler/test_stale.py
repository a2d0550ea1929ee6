"""What other compilers were reported to freeze or to lose: values of the time of recording that replays go on using."""

import gc
import weakref

import numpy as np
import pytest

import rushlight as torch
from rushlight import nn
from rushlight.nn import functional as F


def both(make, calls=12):
    """What a program gives at each call as it is and compiled, and the compiled function."""
    seen, made = [], None
    for compiles in (False, True):
        torch.manual_seed(0)

        def compile(function, compiles=compiles):
            nonlocal made
            made = torch.compile(function, options={"timed": False}) if compiles else function
            return made

        call = make(compile)
        seen.append([[torch.as_tensor(one).detach().clone() for one in call(i)] for i in range(calls)])
    for i, (expected, found) in enumerate(zip(*seen, strict=True)):
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5, msg=lambda text, i=i: f"call {i}: {text}")
    return made


def data(i, *shape):
    return torch.tensor(np.random.default_rng(i).standard_normal(shape), dtype=torch.float32)


OPTIMIZERS = {
    "Adam": {},
    "AdamW": {},
    "NAdam": {},
    "RAdam": {},
    "ASGD": {"t0": 3.0, "lambd": 0.1},
    "Adamax": {},
    "Adagrad": {},
    "Adadelta": {},
    "RMSprop": {"momentum": 0.5},
    "Rprop": {},
    "SGD": {"momentum": 0.9, "nesterov": True},
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_counts_and_rates_of_optimizers(name):
    """RAdam's way changes at its fifth step, ASGD's averages begin at `t0`; the rate changes before each call."""

    def make(compile):
        net = nn.Linear(3, 2)
        optimizer = getattr(torch.optim, name)(net.parameters(), lr=0.1, **OPTIMIZERS[name])
        scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.8)

        @compile
        def step(x):
            optimizer.zero_grad()
            loss = net(x).pow(2).mean()
            loss.backward()
            optimizer.step()
            return loss.detach()

        def call(i):
            loss = step(data(i, 4, 3))
            scheduler.step()
            return loss, net.weight, net.bias

        return call

    compiled = both(make)
    assert [variant.replays for variant in compiled.variants] == [11]


@pytest.mark.parametrize("holds", ["nothing", "gradients", "arrays", "views", "parts"])
def test_gradients_that_somebody_holds(holds):
    """A replay writes over the gradient that it replaces, unless anybody can still see it."""

    def make(compile):
        net, kept = nn.Linear(3, 2), []

        @compile
        def step(x):
            net.zero_grad()
            net(x).pow(2).sum().backward()

        def call(i):
            step(data(i, 4, 3))
            grad = net.weight.grad
            seen = {
                "nothing": None,
                "gradients": grad,
                "arrays": grad.numpy(),
                "views": grad.T,
                "parts": grad.numpy()[0],
            }[holds]
            kept.append(grad.clone() if seen is None else seen)
            return [torch.as_tensor(one) for one in kept]

        return call

    both(make)


def test_parameters_of_a_group_may_have_made_different_numbers_of_steps():
    def make(compile):
        one, other = nn.Linear(3, 2), nn.Linear(3, 2)
        optimizer = torch.optim.Adam([*one.parameters(), *other.parameters()], lr=0.1)

        @compile
        def step(x, uses_other):
            optimizer.zero_grad()
            loss = (one(x) + (other(x) if uses_other else 0)).pow(2).mean()
            loss.backward()
            optimizer.step()
            return loss.detach()

        return lambda i: (step(data(i, 4, 3), i % 3 == 2), one.weight, other.weight)

    assert all(variant.replays for variant in both(make).variants)


WRITTEN = {
    "scatter": lambda x, i: torch.zeros(4).scatter_add(0, i, x.sum(1)),
    "put": lambda x, i: torch.zeros(4, 3).index_put((i,), x, accumulate=True),
    "index_add": lambda x, i: torch.zeros(4, 3).index_add(0, i, x),
    "take along": lambda x, i: torch.take_along_dim(x, i[:, None], 0),
    "out": lambda x, i: torch.add(x.detach(), 1, out=torch.empty(4, 3)),
    "entropy": lambda x, i: F.cross_entropy(x, i % 3, reduction="none"),
    "weighed": lambda x, i: F.cross_entropy(x, i % 3, weight=torch.arange(1.0, 4.0), ignore_index=1),
    "unpooled": lambda x, i: F.max_unpool1d(*F.max_pool1d(x[None], 3, return_indices=True), 3),
    "embedded": lambda x, i: F.embedding(i, x),
    "bags": lambda x, i: F.embedding_bag(i[None], x),
    "counted": lambda x, i: torch.bincount(i, minlength=4) + x.sum(),
    "one hot": lambda x, i: F.one_hot(i, 4) * x.sum(),
    "ones": lambda x, i: torch.ones_like(x) + torch.full_like(x, 2) * x,
    "sorted": lambda x, i: x.sort(0).values + x.argsort(0),
    "assigned": lambda x, i: x.clone().index_fill_(0, i[:1], 7.0),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_arrays_that_are_born_inside_and_written_to(name):
    def make(compile):
        @compile
        def step(x, index):
            w = torch.ones(4, 3, requires_grad=True)
            result = WRITTEN[name](x * w, index)
            grads = torch.autograd.grad(result.pow(2).sum(), w) if result.requires_grad else ()
            return (result.detach(), *grads)

        def call(i):
            return step(data(i, 4, 3), torch.tensor(np.random.default_rng(i).permutation(4)))

        return call

    assert both(make).variants[0].replays == 11


def test_an_assignment_is_not_dropped():
    def make(compile):
        state = torch.zeros(3)

        @compile
        def step(x):
            state[0] = x.sum()
            state[1:].add_(state[0])
            return state * 2

        return lambda i: (step(data(i, 3)), state)

    assert both(make).variants[0].replays == 11


def test_random_numbers_are_drawn_anew():
    f = torch.compile(lambda x: F.dropout(x) + torch.rand_like(x), options={"timed": False})
    x = torch.ones(50)
    assert len({tuple(f(x).tolist()) for _ in range(8)}) == 8
    assert f.variants[0].replays == 7


class Remembers(nn.Module):
    """A module with attributes that hold tensors and counts."""

    def __init__(self):
        super().__init__()
        self.scale, self.calls = torch.ones(3), 0

    def forward(self, x):
        return x * self.scale + self.calls


def test_attributes_that_hold_tensors_and_counts():
    def make(compile):
        module = Remembers()
        f = compile(lambda x: module(x))

        def call(i):
            module.scale = torch.full((3,), 1.0 + i)
            module.calls = i // 6
            if i % 4 == 3:
                module.scale.mul_(2)
            return [f(data(i, 3))]

        return call

    both(make)


def test_gradients_that_are_zero_but_for_rounding_do_not_stop_an_audit():
    """A bias before a normalization: Adam makes steps of what is only rounding."""
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 6), nn.BatchNorm1d(6), nn.Tanh(), nn.Linear(6, 1))
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)

    @torch.compile(options={"timed": False})
    def step(x):
        optimizer.zero_grad()
        loss = net(x).pow(2).mean()
        loss.backward()
        optimizer.step()
        return loss.detach()

    for i in range(105):
        step(data(i, 8, 4))
    assert step.given_up is None
    assert step.variants[0].replays == 104


def test_generators_of_ones_own_go_on():
    def called(compiles):
        streams = [torch.Generator().manual_seed(seed) for seed in (3, 5)]

        def f(x, generator):
            return x * torch.randn(2, generator=streams[0]) + torch.rand(2, generator=generator)

        g = torch.compile(f, options={"timed": False}) if compiles else f
        found = []
        for _ in range(12):  # an audit among them
            x = torch.ones(2, requires_grad=True)
            grad = torch.autograd.grad(g(x, streams[1]).pow(2).sum(), x, create_graph=True)[0]
            found += [grad.detach(), *torch.autograd.grad(grad.sum(), x)]
        return [*found, *[stream.get_state() for stream in streams]]

    for one, other in zip(called(False), called(True), strict=True):
        torch.testing.assert_close(one, other)


def test_arguments_of_the_first_call_are_not_kept():
    f = torch.compile(lambda x: (x * 2).sum(), options={"timed": False})
    x = torch.ones(3, requires_grad=True)
    kept = weakref.ref(x)
    f(x)
    del x
    gc.collect()  # what was needed for the recording holds itself
    assert kept() is None


def test_results_whose_values_are_saved_are_freed_at_once():
    f = torch.compile(torch.tanh, options={"timed": False})
    x = torch.ones(3, requires_grad=True)
    for _ in range(3):
        y = f(x)
    kept = weakref.ref(y)
    del y
    assert kept() is None


def test_a_gradient_that_was_read_takes_part_in_the_backward_pass():
    def f(x, w):
        return (x * w.grad).sum()

    w = torch.ones(3, requires_grad=True)
    w.grad = torch.tensor([1.0, 2.0, 3.0])
    g = torch.compile(f, fullgraph=True, options={"timed": False})
    for number in range(4):
        x = torch.full((3,), float(number), requires_grad=True)
        w.grad = torch.tensor([1.0, 2.0, number])
        assert torch.autograd.grad(g(x, w), x)[0].tolist() == [1.0, 2.0, number]


@pytest.mark.parametrize("times", [1, 2])
def test_gradients_that_grow_after_a_step(times):
    """A discriminator's gradients go on growing after its step, as in the usual step of a GAN."""

    def make(compile):
        generator = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 2))
        judge = nn.Sequential(nn.Linear(2, 5), nn.LeakyReLU(), nn.Linear(5, 1))
        optimizers = [torch.optim.Adam(one.parameters(), 0.01) for one in (judge, generator)]

        @compile
        def step(noise, real):
            optimizers[0].zero_grad()
            made = generator(noise)
            loss = F.softplus(judge(made.detach())).mean() + F.softplus(-judge(real)).mean()
            loss.backward()
            optimizers[0].step()
            optimizers[1].zero_grad()
            for _ in range(times):
                F.softplus(-judge(made)).mean().backward(retain_graph=True)
            optimizers[1].step()
            return loss

        def call(i):
            loss = step(data(i, 6, 3), data(i + 50, 6, 2))
            return [loss, *[one.grad for one in judge.parameters()], *generator.parameters(), *judge.parameters()]

        return call

    both(make)


def test_arguments_that_require_grad_no_more():
    """Derivatives of a compiled call are those of the call, which its arguments were given to requiring grad."""
    f = torch.compile(lambda x, w: torch.tanh(x) * w * x.sum(), options={"timed": False})
    w = torch.ones(3, requires_grad=True)
    for i in range(4):
        x = data(i, 3)
        expected = torch.diag(w * x.sum() / torch.cosh(x) ** 2) + (torch.tanh(x) * w)[:, None]
        torch.testing.assert_close(torch.func.jacrev(f)(x, w), expected)
        x.requires_grad_()
        result = f(x, w).sum()
        x.requires_grad_(False)
        (grad,) = torch.autograd.grad(result, w, create_graph=True)
        torch.testing.assert_close(grad, torch.tanh(x) * x.sum())


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32, torch.float64])
def test_values_of_every_dtype_are_changed_to_check_a_recording(dtype):
    @torch.compile
    def f(x):
        return x * torch.tensor(np.asarray(x._array, np.float64).sum()).to(dtype)

    def calls():
        for i in range(4):
            x = data(i, 3).to(dtype)
            torch.testing.assert_close(f(x), f.uncompiled(x))

    with pytest.warns(UserWarning, match=r"torch\.compile"):
        calls()
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2)).to(dtype)
    compiled = torch.compile(lambda x: model(x), fullgraph=True)
    for i in range(4):
        x = data(i, 6, 4).to(dtype)
        torch.testing.assert_close(compiled(x), model(x), rtol=2e-2, atol=2e-2)


SAME_MEMORY = {
    "detached": lambda x: x.detach(),
    "data": lambda x: x.data,
    "in its own type": lambda x: x.view(x.dtype),
    "in another type and back": lambda x: x.view(torch.int32).view(x.dtype),
    "a part of the detached": lambda x: x.detach()[1:],
    "in its storage": lambda x: torch.empty(0).set_(x),
    "by NumPy": lambda x: torch.from_numpy(x.detach().numpy()),
}


@pytest.mark.parametrize("changed", [False, True])
@pytest.mark.parametrize("of_argument", [False, True])
@pytest.mark.parametrize("name", SAME_MEMORY)
def test_a_result_in_the_memory_of_another_tensor_stays_there(name, of_argument, changed):
    def call(i, step=None):
        x = torch.full((4,), float(i + 1))
        one, other = step(x)
        one += 5.0
        return x, one, other

    def make(compile):
        @compile
        def step(x):
            other = x * 2
            one = SAME_MEMORY[name](x if of_argument else other)
            if changed:
                one.mul_(2)
            return one, other

        return lambda i: call(i, step)

    both(make, calls=6)


REFUSES = {
    "lu_factor": (torch.linalg.lu_factor, torch.eye(3), torch.ones(3, 3)),
    "ldl_factor_ex": (lambda x: torch.linalg.ldl_factor_ex(x, check_errors=True), torch.eye(3), torch.ones(3, 3)),
    "cholesky_inverse": (torch.cholesky_inverse, torch.eye(3), torch.zeros(3, 3)),
    "cov": (lambda w: torch.cov(torch.eye(3), aweights=w), torch.ones(3), -torch.ones(3)),
    "ctc_loss": (
        lambda n: F.ctc_loss(torch.zeros(5, 1, 4).log_softmax(-1), torch.ones(1, 2), n, torch.tensor([2])),
        torch.tensor([5]),
        torch.tensor([6]),
    ),
}


@pytest.mark.parametrize("name", REFUSES)
def test_what_a_function_refuses_for_its_values_is_refused_in_replays(name):
    function, good, bad = REFUSES[name]
    compiled = torch.compile(function, options={"timed": False})
    for _ in range(4):
        compiled(good.clone())
    with pytest.raises(RuntimeError) as expected:
        function(bad)
    with pytest.raises(type(expected.value)) as found:
        compiled(bad.clone())
    assert str(found.value) == str(expected.value)


@pytest.mark.parametrize("same", [torch.equal, torch.allclose])
def test_answers_of_comparisons_depend_on_values(same):
    compiled = torch.compile(lambda x: same(x, x.trunc()), options={"timed": False})
    assert [compiled(torch.tensor([float(i)])) for i in range(4)] == [True] * 4
    assert compiled(torch.tensor([0.5])) is False


def test_a_call_that_changes_values_in_secret_is_differentiated_again_from_its_start():
    """The second derivative calls the function again, with the value that `x.data.mul_` found."""

    def make(compile):
        @compile
        def step(x, w):
            y = torch.sin(x * w)
            x.data.mul_(0.5)
            return y

        def call(i):
            x, w = torch.full((3,), i + 1.0, requires_grad=True), torch.full((3,), 2.0, requires_grad=True)
            (slope,) = torch.autograd.grad(step(x, w).sum(), w, create_graph=True)
            return torch.autograd.grad(slope.sum(), w)

        return call

    both(make, calls=6)


@pytest.mark.parametrize("name", ["detached", "data"])
def test_changes_of_a_result_count_for_the_argument_whose_memory_it_has(name):
    def make(compile):
        step = compile(SAME_MEMORY[name])

        def call(i):
            x = torch.full((4,), float(i))
            step(x).mul_(2)
            return x, x._version

        return call

    both(make)


GRADIENTS_CUT = {
    "detached": lambda x: x.grad.detach_(),
    "taken": lambda x: x.grad * 2,
    "added to": lambda x: (x * x).sum().backward(),
}


@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("name", GRADIENTS_CUT)
@pytest.mark.filterwarnings("ignore:Using backward")
def test_gradients_have_a_history_or_not(name, first):
    def make(compile):
        step = compile(GRADIENTS_CUT[name])

        def call(i):
            x = torch.full((3,), i + 1.0, requires_grad=True)
            (x * x).sum().backward(create_graph=bool(i % 2) == first)
            made = step(x)
            return x.grad, x.grad.requires_grad, made is not None and made.requires_grad

        return call

    both(make, calls=6)


VIEWS_OF_ONE_ELEMENT = {
    "the real part": torch.real,
    "the imaginary part": torch.imag,
    "both parts": torch.view_as_real,
    "a vector": lambda x: x.view(-1),
    "a matrix": lambda x: x.view(1, 1),
}


@pytest.mark.parametrize("write", [lambda x: x.random_(3), lambda x: x.mul_(2), lambda x: x.fill_(7)])
@pytest.mark.parametrize("name", VIEWS_OF_ONE_ELEMENT)
def test_views_of_tensors_without_dimensions_are_written_to(name, write):
    def make(compile):
        @compile
        def step(x):
            view = VIEWS_OF_ONE_ELEMENT[name](x)
            write(torch.view_as_real(view) if view.is_complex() else view)
            return view.clone()

        def call(i):
            x = torch.tensor(complex(i, i + 1))
            return step(x), x

        return call

    assert both(make).given_up is None


def test_second_derivatives_of_a_replayed_call_that_changes_its_argument():
    def shifted(x, y):
        y += 1
        return torch.atan2(x, y)

    def second(function):
        x, y = torch.tensor([[0.5], [-1.0]], requires_grad=True), torch.tensor([1.0, 2.0, 3.0])
        result = function(x, y)
        (first,) = torch.autograd.grad(result.sum(), x, create_graph=True)
        return y._version, *torch.autograd.grad((first**2).sum(), x)

    compiled = torch.compile(shifted)
    for _ in range(4):
        version, found = second(compiled)
        assert version == 1
        torch.testing.assert_close(found, second(shifted)[1])
