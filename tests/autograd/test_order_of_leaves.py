"""The order in which leaves of one node get their gradients, and hooks where no gradient comes: as in PyTorch."""

import pytest


@pytest.mark.parametrize(
    ("n", "order"), [(2, "ab"), (3, "abc"), (4, "acbd"), (5, "acebd"), (6, "acfebd"), (7, "acfgebd")]
)
def test_leaves_of_one_node(torch, n, order):
    seen = []
    leaves = {name: torch.ones(1, requires_grad=True) for name in "abcdefg"[:n]}
    for name, leaf in leaves.items():
        leaf.register_hook(lambda grad, name=name: seen.append(name))
    torch.cat(list(leaves.values())).sum().backward()
    assert "".join(seen) == order


def test_hooks_are_told_of_missing_gradients(torch):
    class Nothing(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return None

    seen = []
    x = torch.ones(2, requires_grad=True)
    y = x * 3
    y.register_hook(lambda grad: seen.append(("tensor", grad)))
    y.grad_fn.register_prehook(lambda grads: seen.append(("pre", grads)))
    y.grad_fn.register_hook(lambda inputs, outputs: seen.append(("post", inputs, outputs)))
    x.register_hook(lambda grad: seen.append(("leaf", grad)))
    x.register_post_accumulate_grad_hook(lambda leaf: seen.append(("accumulated", leaf.grad)))
    Nothing.apply(y).sum().backward()
    assert seen == [
        ("tensor", None),
        ("pre", (None,)),
        ("post", (None, None), (None,)),
        ("leaf", None),
        ("accumulated", None),
    ]
    assert x.grad is None


def test_hooks_of_outputs_that_got_nothing(torch):
    seen = []
    a, b = (torch.ones(4, requires_grad=True) * 2).chunk(2)
    a.register_hook(lambda grad: seen.append(("a", grad.tolist())))
    b.register_hook(lambda grad: seen.append(("b", grad)))
    a.sum().backward()
    assert seen == [("a", [1, 1]), ("b", None)]
