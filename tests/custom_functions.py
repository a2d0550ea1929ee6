"""What the tests of custom functions share."""


def leaf(torch, *values):
    return torch.tensor(list(values), requires_grad=True)


def function(torch, forward, backward=None, setup_context=None, **members):
    """A subclass of Function, named Fn, with these static methods."""
    given = {"forward": forward, "backward": backward, "setup_context": setup_context}
    members |= {name: staticmethod(f) for name, f in given.items() if f is not None}
    return type("Fn", (torch.autograd.Function,), members)


def double(ctx, x):
    return x * 2


def gradient(torch, fn, *args):
    """The gradient of the sum of what a function gives for [1, 2]."""
    x = leaf(torch, 1.0, 2.0)
    y = fn.apply(x, *args)
    (y[0] if isinstance(y, tuple) else y).sum().backward()
    return None if x.grad is None else x.grad.tolist()


def two(ctx, x):
    return x * 2, x * 3
