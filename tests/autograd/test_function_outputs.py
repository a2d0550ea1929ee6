"""Custom functions: outputs that are several, inputs, views of inputs, or inputs that were changed in place."""

import pytest
from custom_functions import double, function, gradient, leaf, two


def test_several_outputs(torch):
    x = leaf(torch, 1.0)
    a, b = function(torch, two, lambda ctx, g, h: g * 2 + h * 3).apply(x)
    assert (a.output_nr, b.output_nr) == (0, 1)
    assert a.grad_fn is b.grad_fn
    assert torch.autograd.grad((a * b).sum(), [x, a, b])[0].item() == 12


def test_missing_cotangents_are_zeros_or_none(torch):
    seen = []

    def backward(ctx, g, h):
        seen.append(h if h is None else h.tolist())
        return g

    gradient(torch, function(torch, two, backward))

    def unmaterialized(ctx, x):
        ctx.set_materialize_grads(False)
        return two(ctx, x)

    gradient(torch, function(torch, unmaterialized, backward))
    assert seen == [[0, 0], None]


def test_outputs_that_are_no_floating_point_tensors(torch):
    seen = []

    def forward(ctx, x):
        return x * 2, x.long(), 3, "text", None

    def backward(ctx, *grads):
        seen.extend(g if g is None else (g.tolist(), g.dtype) for g in grads)
        return grads[0]

    x = leaf(torch, 1.0)
    outputs = function(torch, forward, backward).apply(x)
    assert not outputs[1].requires_grad
    assert outputs[2:] == (3, "text", None)
    outputs[0].backward()
    assert seen == [([1], torch.float32), ([0], torch.int64), None, None, None]


def test_outputs_in_lists_are_not_recorded(torch):
    outputs = function(torch, lambda ctx, x: [x * 2], lambda ctx, g: g).apply(leaf(torch, 1.0))
    assert isinstance(outputs, list)
    assert not outputs[0].requires_grad


def test_tensors_in_lists_are_not_inputs(torch):
    assert not function(torch, lambda ctx, xs: xs[0] * 2).apply([leaf(torch, 1.0)]).requires_grad


def test_mark_non_differentiable(torch):
    seen = []

    def forward(ctx, x):
        a, b = x * 2, x * 3
        ctx.mark_non_differentiable(b)
        return a, b

    def backward(ctx, g, h):
        seen.append(h.tolist())
        return g

    x = leaf(torch, 1.0)
    a, b = function(torch, forward, backward).apply(x)
    assert not b.requires_grad
    a.backward()
    assert seen == [[0]]


def test_the_same_tensor_twice(torch):
    def forward(ctx, x):
        y = x * 2
        return y, y

    x = leaf(torch, 1.0)
    a, b = function(torch, forward, lambda ctx, g, h: g + 10 * h).apply(x)
    assert a is b
    (a + b).backward()
    assert x.grad.item() == 20


def test_a_backward_that_returns_nothing_passes_nothing_on(torch):
    seen = []

    def backward(ctx, grad):
        seen.append(grad.tolist())
        return grad

    x = leaf(torch, 1.0)
    inner = function(torch, double, backward).apply(x)
    function(torch, double, lambda ctx, g: None).apply(inner).backward()
    assert seen == [[0]]
    assert x.grad.tolist() == [0]


# outputs that are inputs, or views of them

VIEW_IN_FUNCTION = (
    "Output 0 of Fn is a view and is being modified inplace. This view was created inside a custom Function"
)


def test_an_input_that_is_returned(torch):
    x = leaf(torch, 1.0)
    y = function(torch, lambda ctx, x: x, lambda ctx, g: g * 5).apply(x)
    assert y is not x
    assert y.data_ptr() == x.data_ptr()
    assert y._is_view()
    y.backward()
    assert x.grad.item() == 5
    h = x * 1
    y = function(torch, lambda ctx, x: x, lambda ctx, g: g * 5).apply(h)
    with pytest.raises(RuntimeError, match=VIEW_IN_FUNCTION):
        y.add_(1)


def test_an_input_that_is_returned_and_saved(torch):
    def setup(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])

    with pytest.raises(
        RuntimeError, match="An input that has been returned as-is as output is being saved for backward"
    ):
        function(torch, lambda x: x, lambda ctx, g: g, setup).apply(leaf(torch, 1.0))


def test_without_recording_a_returned_input_is_another_tensor(torch):
    x = leaf(torch, 1.0)
    with torch.no_grad():
        y = function(torch, lambda ctx, x: x).apply(x)
    assert y is not x
    assert not y.requires_grad


def test_views_of_inputs(torch):
    x = leaf(torch, 1.0, 2.0)
    h = x * 1
    y = function(torch, lambda ctx, x: x.view(2, 1), lambda ctx, g: g.view(2) * 5).apply(h)
    y.sum().backward()
    assert x.grad.tolist() == [5, 5]
    with pytest.raises(RuntimeError, match=VIEW_IN_FUNCTION):
        y.add_(1)
    h.add_(1)
    with pytest.raises(
        RuntimeError, match="Output 0 of Fn is a view and its base or another view of its base has been"
    ):
        _ = y.grad_fn


def test_views_of_inputs_that_do_not_require_grad(torch):
    y = function(torch, lambda ctx, x: x.view_as(x), lambda ctx, g: g).apply(torch.zeros(2))
    for change in (lambda: y.add_(leaf(torch, 1.0)), lambda: y.copy_(leaf(torch, 1.0))):
        with pytest.raises(RuntimeError, match="This view was created inside a custom Function"):
            change()


def test_several_views(torch):
    h = leaf(torch, 1.0, 2.0) * 1
    a, _ = function(torch, lambda ctx, x: (x[:1], x[1:]), lambda ctx, g, h: torch.cat([g, h])).apply(h)
    with pytest.raises(
        RuntimeError, match=r"Output 0 of Fn is a view and is being modified inplace\. This view is the output"
    ):
        a.add_(1)


# changes in place


def triple_(ctx, x, *others):
    x.mul_(3)
    ctx.mark_dirty(x)
    return x


def test_mark_dirty(torch):
    x = leaf(torch, 1.0)
    h = x * 1
    y = function(torch, triple_, lambda ctx, g: g * 3).apply(h)
    assert y is h
    assert h.grad_fn.name() == "FnBackward"
    y.backward()
    assert x.grad.item() == 3


def test_mark_dirty_is_seen_by_others(torch):
    h = leaf(torch, 1.0) * 1
    z = h * h
    function(torch, triple_, lambda ctx, g: g * 3).apply(h)
    with pytest.raises(
        RuntimeError, match=r"modified by an inplace operation: .* which is output 0 of Fn, is at version 2"
    ):
        z.backward()


def test_a_dirty_input_that_did_not_require_grad(torch):
    x, w = torch.ones(1), leaf(torch, 5.0)
    y = function(torch, triple_, lambda ctx, g: (None, g * 3)).apply(x, w)
    assert y is x
    assert x.requires_grad
    y.backward()
    assert w.grad.item() == 3


def test_a_dirty_view_changes_its_base(torch):
    x = leaf(torch, 1.0, 2.0)
    h = x * 1
    function(torch, triple_, lambda ctx, g: g * 3).apply(h[:1])
    h.sum().backward()
    assert x.grad.tolist() == [3, 1]
    assert h.tolist() == [3, 2]


def test_a_dirty_output_can_be_saved(torch):
    def forward(ctx, x):
        x.exp_()
        ctx.mark_dirty(x)
        ctx.save_for_backward(x)
        return x

    x = leaf(torch, 0.0)
    function(torch, forward, lambda ctx, g: g * ctx.saved_tensors[0]).apply(x * 1).backward()
    assert x.grad.item() == 1


def test_wrong_uses_of_mark_dirty(torch):
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad has been used in an in-place operation"):
        function(torch, triple_, lambda ctx, g: g).apply(leaf(torch, 1.0))
    h = leaf(torch, 1.0, 2.0) * 1
    with pytest.raises(RuntimeError, match="Some elements marked as dirty during the forward method were not returned"):
        function(torch, lambda ctx, x: triple_(ctx, x) * 1, lambda ctx, g: g).apply(h)
    with pytest.raises(
        RuntimeError, match="If your Function modifies inplace an input that is a view of another Tensor"
    ):
        function(torch, lambda ctx, x: (triple_(ctx, x), x * 2), lambda ctx, g, h: g).apply(h[:1])

    def marks_result(ctx, x):
        y = x * 2
        ctx.mark_dirty(y)
        return y

    with pytest.warns(UserWarning, match=r"ctx.mark_dirty\(\) received a tensor that was not an input"):
        function(torch, marks_result, lambda ctx, g: g).apply(h)
