"""`torch._foreach_*`: each function against PyTorch's, with gradients, and what it refuses."""

import numpy as np
import pytest

import rushlight
from rushlight.ops import foreach

NAMES = sorted(name for name in vars(foreach) if name.startswith("_foreach_"))
ARGUMENTS = {
    **dict.fromkeys(["add", "sub", "mul", "div", "clamp_max", "clamp_min", "maximum", "minimum", "pow"], "number list"),
    **dict.fromkeys(["addcmul", "addcdiv"], "two"),
    **dict.fromkeys(["lerp"], "weighted"),
    **dict.fromkeys(["copy", "mm"], "list"),
}


def calls(name, torch):
    """Lists of other arguments for a function."""
    other = [torch.full((2, 2), 0.75), torch.full((3, 3), 1.5)]
    kind = ARGUMENTS.get(name.removeprefix("_foreach_").rstrip("_"), "")
    forms = {
        "": [()],
        "number list": [(1.5,), ([1.5, 0.5],), (other,)],
        "two": [(other, other), (other, other, 0.5), (other, other, [0.5, 2.0]), (other, other, torch.ones(2) / 4)],
        "weighted": [(other, 0.25), (other, [0.25, 0.5]), (other, other)],
        "list": [(other,)],
    }
    return forms[kind]


UNDERIVED = ["addcdiv", "addcmul", "copy", "powsum"]  # in PyTorch; `maximum` and `minimum` in their forms in place


def is_derived(name):
    """Whether PyTorch has the derivative of a function."""
    return name.removeprefix("_foreach_").rstrip("_") not in UNDERIVED and name[-8:] not in ("maximum_", "minimum_")


def results(torch, name):
    """What the calls of a function give: values and, where PyTorch has them, gradients."""
    found = []
    for args in calls(name, torch):
        leaves = [torch.linspace(0.1, 0.9, n * n).reshape(n, n).requires_grad_(is_derived(name)) for n in (2, 3)]
        tensors = [leaf * 1 for leaf in leaves]
        out = getattr(torch, name)(tensors, *args)
        assert (out is tensors) == name.endswith("_")
        derived = [x for x in out if x.requires_grad]
        grads = torch.autograd.grad(sum(x.sum() for x in derived), leaves, allow_unused=True) if derived else []
        found += [None if x is None else x.detach().numpy() for x in (*out, *grads)]
    return found


@pytest.mark.parametrize("name", NAMES)
def test_as_pytorch(name):
    """Values and gradients for each form of the other operands."""
    torch = pytest.importorskip("torch")
    for ours, theirs in zip(results(rushlight, name), results(torch, name), strict=True):
        assert (ours is None) == (theirs is None)
        if ours is not None:
            np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-6)


def test_all_are_there():
    """Each function that PyTorch has, and no other name."""
    torch = pytest.importorskip("torch")
    assert [name for name in dir(torch) if name.startswith("_foreach_")] == NAMES
    assert not hasattr(rushlight, "_foreach_nothing")


def test_one_tensor_or_number_for_all():
    """A number to the powers of a list; a tensor without dimensions for all; `alpha`."""
    x = [rushlight.ones(2), rushlight.ones(3)]
    assert [t.tolist() for t in rushlight._foreach_pow(2.0, x)] == [[2, 2], [2, 2, 2]]
    assert [t.tolist() for t in rushlight._foreach_add(x, rushlight.tensor(2.0), alpha=3)] == [[7, 7], [7, 7, 7]]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda torch, x: torch._foreach_add([], 1), RuntimeError, "Tensor list must have at least one tensor."),
        (lambda torch, x: torch._foreach_exp(x[0]), TypeError, "must be tuple of Tensors, not Tensor"),
        (lambda torch, x: torch._foreach_add(x), TypeError, "one more argument"),
        (lambda torch, x: torch._foreach_add(x, [1.0]), RuntimeError, "same number of elements as scalar list"),
        (lambda torch, x: torch._foreach_add(x, [x[0]]), RuntimeError, "same number of tensors, got 2 and 1"),
        (lambda torch, x: torch._foreach_add(x, x[0]), RuntimeError, "scalar tensor expected to be 0 dim but it has 1"),
        (lambda torch, x: torch._foreach_addcmul(x, x, x, x[1]), RuntimeError, "input of length 2 but got 3 instead"),
        (lambda torch, x: torch._foreach_max([x[0][:0]]), RuntimeError, "maximum of an empty tensor"),
    ],
)
def test_what_is_refused(call, error, message):
    """PyTorch's exceptions; nothing is changed."""
    x = [rushlight.ones(2), rushlight.ones(3)]
    with pytest.raises(error, match=message):
        call(rushlight, x)
    assert [t.tolist() for t in x] == [[1, 1], [1, 1, 1]]
