"""`rearrange`: patterns of named dimensions."""

import pytest

import rushlight

GOOD = [
    ("a b c d -> d c b a", {}),
    ("a b c d -> (a b) (c d)", {}),
    ("a b (c e) d -> a e (b c d)", {"c": 2}),
    ("... d -> d ...", {}),
    ("a ... d -> (...) a d", {}),
    ("a ... d -> a (... d)", {}),
    ("a b c d ... -> d ... c b a", {}),
    ("a b c d -> a b 1 c d ()", {}),
    ("a b c d -> a b (c d 1)", {}),
    ("a b c d -> (a c) (b d)", {}),
    ("a b c d->b a c d", {"a": 2}),
]
WRONG = [
    ("a b c d e -> a", {}, "Identifiers only on one side"),
    ("a b c d -> a b c d 2", {}, "rearrange only supports unnamed axes of size 1"),
    ("a a c d -> a c d", {}, "Indexing expression contains duplicate dimension 'a'"),
    ("(a b c d -> a", {}, "Imbalanced parentheses"),
    ("((a b) c) d -> a", {}, "Axis composition is one-level"),
    ("a b c d", {}, "Pattern must contain a single '->' separator"),
    ("a b c d -> a b c d", {"q": 2}, "Identifiers not found in rearrange expression"),
    ("a b c d -> a . b c d", {}, "Expression may contain dots only inside ellipsis"),
    ("a b c d -> ... a b c d", {}, "Ellipsis found in right side, but not left side"),
    ("(...) a -> ... a", {}, "Ellipsis is parenthesis in the left side is not allowed"),
    ("a b c d e ... -> a b c d e ...", {}, "Number of dimensions in pattern .5. must be less than or equal"),
    ("a b c -> a b c", {}, "Number of dimensions in pattern .3. must be equal"),
    ("a-b c d -> a", {}, "Unknown character '-'"),
    ("_a b c d -> b", {}, "Invalid axis identifier: _a"),
]


@pytest.fixture
def x(torch):
    return torch.arange(120.0).reshape(2, 3, 4, 5)


@pytest.mark.parametrize(("pattern", "sizes"), GOOD)
def test_values_shapes_and_strides(pattern, sizes):
    real = pytest.importorskip("torch")
    expected = real.func.rearrange(real.arange(120.0).reshape(2, 3, 4, 5), pattern, **sizes)
    found = rushlight.func.rearrange(rushlight.arange(120.0).reshape(2, 3, 4, 5), pattern, **sizes)
    assert found.tolist() == expected.tolist()
    assert found.stride() == expected.stride()


@pytest.mark.parametrize(("pattern", "sizes", "words"), WRONG)
def test_patterns_that_make_no_sense(torch, x, pattern, sizes, words):
    with pytest.raises(ValueError, match=words):
        torch.func.rearrange(x, pattern, **sizes)


@pytest.mark.parametrize("sizes", [{}, {"c": 3}, {"c": 2, "e": 3}])
def test_sizes_that_do_not_fit(torch, x, sizes):
    with pytest.raises(Exception, match=r"cannot infer|evenly|do not match|sizes"):
        torch.func.rearrange(x, "a b (c e) d -> a b c e d", **sizes)


def test_lists_batches_and_gradients(torch, x):
    stacked = torch.func.rearrange([x, x + 1], "n a b c d -> a n (b c d)")
    assert stacked[:, 1].tolist() == (x + 1).reshape(2, 60).tolist()
    rows = torch.vmap(lambda v: torch.func.rearrange(v, "a b c -> (c a) b"))(x)
    assert rows.tolist() == x.permute(0, 3, 1, 2).reshape(2, 15, 4).tolist()
    leaf = x.clone().requires_grad_()
    (torch.func.rearrange(leaf, "a b c d -> (d c) (b a)") * torch.arange(6.0)).sum().backward()
    assert leaf.grad[1, 0, 0].tolist() == [1.0] * 5
