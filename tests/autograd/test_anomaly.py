"""Anomaly mode: which operation failed or gave NaN, where it was called, and which line changed a tensor."""

import re
import warnings

import pytest


def leaf(torch, *values):
    return torch.tensor(list(values), requires_grad=True)


def not_a_number(torch):
    """A result whose gradient is NaN: 0 · inf at the square root."""
    x = leaf(torch, 0.0)
    return (x * 0).sqrt()


def caught(function):
    """The messages of the warnings of a function, and its error."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        with pytest.raises(RuntimeError) as error:
            function()
    return [str(w.message) for w in seen], str(error.value)


def test_switching(torch):
    assert not torch.is_anomaly_enabled()
    with torch.autograd.set_detect_anomaly(True, check_nan=False):
        assert torch.is_anomaly_enabled()
        assert not torch.is_anomaly_check_nan_enabled()
        with torch.autograd.set_detect_anomaly(False):
            assert not torch.is_anomaly_enabled()
        assert torch.is_anomaly_enabled()
    assert not torch.is_anomaly_enabled()
    torch.autograd.set_detect_anomaly(True)
    assert torch.is_anomaly_enabled()
    assert torch.is_anomaly_check_nan_enabled()
    torch.autograd.set_detect_anomaly(False)
    with pytest.warns(UserWarning, match="Anomaly Detection has been enabled"), torch.autograd.detect_anomaly():
        assert torch.is_anomaly_enabled()
    assert not torch.is_anomaly_enabled()


def test_nan_names_the_function_and_shows_the_forward_call(torch):
    def run():
        with torch.autograd.set_detect_anomaly(True):
            not_a_number(torch).backward()

    messages, error = caught(run)
    assert error == "Function 'MulBackward0' returned nan values in its 0th output."
    assert messages[0].startswith("Error detected in MulBackward0. Traceback of forward call that caused the error:\n")
    assert "return (x * 0).sqrt()" in messages[0]
    assert "in not_a_number" in messages[0]


def test_where_warnings_are_errors_the_origin_is_written_to_stderr(torch, capsys):
    with warnings.catch_warnings(), torch.autograd.set_detect_anomaly(True):
        warnings.simplefilter("error")
        with pytest.raises(RuntimeError, match="Function 'MulBackward0' returned nan values"):
            not_a_number(torch).backward()
    assert "Error detected in MulBackward0. Traceback of forward call" in capsys.readouterr().err


def test_nan_may_be_let_through(torch):
    with torch.autograd.set_detect_anomaly(True, check_nan=False):
        not_a_number(torch).backward()


def test_forward_outside_of_anomaly_mode(torch):
    y = not_a_number(torch)

    def run():
        with torch.autograd.set_detect_anomaly(True):
            y.backward()

    messages, _ = caught(run)
    assert messages[0].startswith(
        "Error detected in MulBackward0. No forward pass information available. Enable detect anom"
    )


def test_errors_show_the_forward_call(torch):
    class Fails(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            raise RuntimeError("some error in backward")

    def run():
        with torch.autograd.set_detect_anomaly(True):
            Fails.apply(leaf(torch, 1.0)).backward()

    messages, error = caught(run)
    assert error == "some error in backward"
    assert messages[0].startswith("Error detected in FailsBackward. Traceback of forward call")
    assert "Fails.apply(leaf(torch, 1.0)).backward()" in messages[0]


def test_errors_in_the_second_order_show_both_calls(torch):
    def run():
        with torch.autograd.set_detect_anomaly(True):
            x = leaf(torch, 0.0)
            y = x**1.5
            (g,) = torch.autograd.grad(y, x, create_graph=True)
            torch.autograd.grad(g * 0, x)

    messages, error = caught(run)
    assert re.fullmatch("Function 'PowBackward0' returned nan values in its 0th output.", error)
    assert "torch.autograd.grad(y, x, create_graph=True)" in messages[0]
    assert "Previous calculation was induced by PowBackward0. Traceback of forward call that induced" in messages[1]
    assert "y = x**1.5" in messages[1]


def test_metadata_has_the_traceback(torch):
    with torch.autograd.set_detect_anomaly(True):
        y = leaf(torch, 1.0) * 2
    assert "y = leaf(torch, 1.0) * 2" in "".join(y.grad_fn.metadata["traceback_"])


def test_the_line_that_changed_a_tensor():
    import rushlight as torch

    def run():
        h = leaf(torch, 1.0) * 1
        y = h * h
        h.add_(1)
        y.backward()

    def watched():
        with torch.autograd.set_detect_anomaly(True):
            run()

    messages, error = caught(watched)
    assert "y = h * h" in messages[0]
    assert "h.add_(1)" in error
    messages, error = caught(run)
    assert messages == []
    assert "with torch.autograd.set_detect_anomaly(True, check_nan=False)" in error
    assert "h.add_(1)" not in error


def test_a_notebooks_own_frames_are_left_out():
    import rushlight as torch

    runner = compile("exec(cell, space)", "/site-packages/IPython/core/interactiveshell.py", "exec")
    cell = compile("x = torch.zeros(1, requires_grad=True)\ny = x.sqrt()", "<cell 1>", "exec")
    space = {"torch": torch}
    with torch.autograd.set_detect_anomaly(True):
        exec(runner, {"cell": cell, "space": space})
    (line,) = space["y"].grad_fn.metadata["traceback_"]
    assert line.startswith('  File "<cell 1>", line 2')
