"""Random programs of views, changes in place and arithmetic: run on rushlight and on PyTorch, with the same outcome."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rushlight

torch = pytest.importorskip("torch")

VIEWS = {
    "select": lambda m, a, b: a[1],
    "column": lambda m, a, b: a[..., 0],
    "slice": lambda m, a, b: a[1:],
    "step": lambda m, a, b: a[::2],
    "transpose": lambda m, a, b: a.transpose(0, -1),
    "T": lambda m, a, b: a.T,
    "flat": lambda m, a, b: a.view(-1),
    "reshape": lambda m, a, b: a.reshape(-1, 2),
    "unsqueeze": lambda m, a, b: a.unsqueeze(0),
    "squeeze": lambda m, a, b: a.squeeze(),
    "expand": lambda m, a, b: a.expand(2, *a.shape),
    "diagonal": lambda m, a, b: a.diagonal(),
    "narrow": lambda m, a, b: a.narrow(0, 0, 2),
    "unfold": lambda m, a, b: a.unfold(0, 2, 2),
    "unbind": lambda m, a, b: a.unbind(0)[1],
    "split": lambda m, a, b: a.split(2)[0],
    "chunk": lambda m, a, b: a.chunk(2)[1],
    "strided": lambda m, a, b: a.as_strided((2, 2), (2, 1)),
    "detach": lambda m, a, b: a.detach(),
    "itself": lambda m, a, b: a,
}


def turned(m, a, function):
    """Changes how a tensor that is no leaf looks at its memory, recorded also in silent steps."""
    with m.enable_grad():
        return a if a.is_leaf else function()


CHANGES = {
    "double": lambda m, a, b: a.mul_(2),
    "add": lambda m, a, b: a.add_(b),
    "iadd": lambda m, a, b: a.__iadd__(b),
    "mul": lambda m, a, b: a.mul_(b),
    "div": lambda m, a, b: a.div_(b + 3),
    "sub": lambda m, a, b: a.sub_(b),
    "tanh": lambda m, a, b: a.tanh_(),
    "sigmoid": lambda m, a, b: a.sigmoid_(),
    "sin": lambda m, a, b: a.sin_(),
    "zero": lambda m, a, b: a if 0 in a.stride() else a.zero_(),
    "fill": lambda m, a, b: a if 0 in a.stride() else a.fill_(0.25),
    "copy": lambda m, a, b: a.copy_(b),
    "set_row": lambda m, a, b: a if 0 in a.stride() else a.__setitem__(0, 0.5),
    "set_slice": lambda m, a, b: a if 0 in a.stride() else a.__setitem__(slice(1, None), b),
    "set_all": lambda m, a, b: a if 0 in a.stride() else a.__setitem__(slice(None), b),
    "set_last": lambda m, a, b: a if 0 in a.stride() else a.__setitem__((..., -1), b),
    "set_list": lambda m, a, b: a if 0 in a.stride() else a.__setitem__([0, -1], b.clone()),
    "set_mask": lambda m, a, b: a if 0 in a.stride() else a.__setitem__(a.detach() > 0, 0.75),
    "masked_fill": lambda m, a, b: a if 0 in a.stride() else a.masked_fill_(a.detach() > 0.5, 0.1),
    "index_add": lambda m, a, b: a.index_add_(0, m.tensor([1, 0]), b[:2].clone()),
    "t_": lambda m, a, b: turned(m, a, lambda: a.t_()),
    "unsqueeze_": lambda m, a, b: turned(m, a, lambda: a.unsqueeze_(0)),
    "squeeze_": lambda m, a, b: turned(m, a, lambda: a.squeeze_()),
}
RESULTS = {
    "product": lambda m, a, b: a * b,
    "sum": lambda m, a, b: a + b,
    "tanh": lambda m, a, b: a.tanh(),
    "exp": lambda m, a, b: (a * 0.1).exp(),
    "clone": lambda m, a, b: a.clone(),
    "indexed": lambda m, a, b: a[[0, 0]],
    "total": lambda m, a, b: a.sum(),
    "stacked": lambda m, a, b: m.stack([a, a * 2]),
}
STEPS = [*VIEWS.items(), *CHANGES.items(), *CHANGES.items(), *RESULTS.items()]

step = st.tuples(
    st.integers(0, len(STEPS) - 1), st.integers(0, 30), st.integers(0, 30), st.integers(0, 9).map(lambda n: n == 0)
)


class Run:
    """A program on one library: its tensors, and what happened at each step."""

    def __init__(self, library):
        self.library = library
        make = lambda values: library.tensor(values, dtype=library.float64)
        rng = np.random.default_rng(7)
        self.x = make(rng.uniform(-1, 1, (3, 4)).tolist()).requires_grad_()
        self.w = make(rng.uniform(-1, 1, (4,)).tolist()).requires_grad_()
        constant = make(rng.uniform(-1, 1, (3, 4)).tolist())
        self.tensors = [self.x, self.w, constant, self.x * 1, self.w * 2, constant[1]]
        self.outcomes = []

    def apply(self, number, first, second, silent):
        """Does one step, with grad mode off where it is silent, and notes how it ended."""
        name, function = STEPS[number]
        a, b = self.tensors[-1 - first % len(self.tensors)], self.tensors[-1 - second % len(self.tensors)]
        try:
            with self.library.set_grad_enabled(not silent):
                _ = a.grad_fn  # PyTorch takes a view for a leaf until it is asked for the node of its renewed history
                result = function(self.library, a, b)
        except Exception as error:
            self.outcomes.append((name, type(error).__name__, str(error)[:40]))
            return
        self.outcomes.append(name)
        if isinstance(result, self.library.Tensor) and not any(result is t for t in self.tensors):
            self.tensors.append(result)

    def states(self):
        """Shape, values, version, requires_grad and node of each tensor, or the error that asking for them raises."""
        return [self.state(t) for t in self.tensors]

    def state(self, t):
        try:
            name = None if t.grad_fn is None else t.grad_fn.name().replace("torch::autograd::", "")
            return tuple(t.shape), t._version, t.requires_grad, name
        except RuntimeError as error:
            return str(error)[:60]

    def gradients(self):
        """The first and second derivatives of a function of all that came out, or the error."""
        try:
            ends = [t for t in self.tensors if t.requires_grad and t.grad_fn is not None]
            total = sum((t * t).sum() for t in ends)
            first = self.library.autograd.grad(total, [self.x, self.w], create_graph=True, allow_unused=True)
            live = [g for g in first if g is not None and g.requires_grad]
            second = [None]
            if live:
                again = sum((g * g).sum() for g in live)
                second = self.library.autograd.grad(again, [self.x, self.w], allow_unused=True)
            return [None if g is None else g.detach().numpy() for g in (*first, *second)]
        except RuntimeError as error:
            return str(error)[:50]


def compare(program):
    """Runs a program on both libraries and compares everything."""
    ours, theirs = Run(rushlight), Run(torch)
    for instruction in program:
        ours.apply(*instruction)
        theirs.apply(*instruction)
        assert kinds(ours.outcomes) == kinds(theirs.outcomes), (ours.outcomes[-1], theirs.outcomes[-1])
    for mine, yours in zip(ours.tensors, theirs.tensors, strict=True):
        np.testing.assert_allclose(mine.detach().numpy(), yours.detach().numpy(), atol=1e-9)
    assert ours.states() == theirs.states()
    mine, yours = ours.gradients(), theirs.gradients()
    assert isinstance(mine, str) == isinstance(yours, str), (mine, yours)
    if isinstance(mine, str):
        assert mine[:30] == yours[:30]
        return
    for g, h in zip(mine, yours, strict=True):
        assert (g is None or not g.any()) == (h is None or not h.any())
        if g is not None and h is not None:
            np.testing.assert_allclose(g, h, atol=1e-7, rtol=1e-7)


def kinds(outcomes):
    """The outcomes with the types of errors."""
    return [o if isinstance(o, str) else o[:2] for o in outcomes]


@settings(max_examples=300)
@given(st.lists(step, min_size=1, max_size=8))
def test_random_programs(program):
    compare(program)
