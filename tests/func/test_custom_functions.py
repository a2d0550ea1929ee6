"""Custom functions inside `vmap`: a rule of their own, one made from their operations, or an error."""

import numpy as np
import pytest


def cube(torch, rule):
    """x³ as a custom function: with a `vmap` staticmethod, with a generated rule, or with neither."""

    class Cube(torch.autograd.Function):
        generate_vmap_rule = rule == "generated"

        @staticmethod
        def forward(x):
            return x**3

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return 3 * x**2 * grad

        if rule == "own":

            @staticmethod
            def vmap(info, in_dims, x):
                assert info.batch_size == 2
                assert info.randomness == "error"
                assert in_dims == (0,)
                assert x.shape == (2, 3)
                return Cube.apply(x), 0

    return Cube


@pytest.mark.parametrize("rule", ["own", "generated"])
def test_values_and_gradients(torch, rule):
    function = cube(torch, rule)
    x = torch.arange(6.0).reshape(2, 3)
    np.testing.assert_allclose(torch.vmap(function.apply)(x).numpy(), x.numpy() ** 3)
    grad = torch.vmap(torch.func.grad(lambda x: function.apply(x).sum()))(x)
    np.testing.assert_allclose(grad.numpy(), 3 * x.numpy() ** 2)


def test_gradients_through_vmap(torch):
    function = cube(torch, "own")
    x = torch.arange(6.0).reshape(2, 3).requires_grad_()
    torch.vmap(function.apply)(x).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 3 * x.detach().numpy() ** 2)


def test_a_function_without_a_rule_is_an_error(torch):
    with pytest.raises(RuntimeError, match="You tried to vmap over Cube, but it does not have vmap support"):
        torch.vmap(cube(torch, "none").apply)(torch.ones(2, 3))


def test_a_function_with_two_rules_is_an_error(torch):
    function = cube(torch, "own")
    function.generate_vmap_rule = True
    with pytest.raises(RuntimeError, match="both generate_vmap_rule=True and an overridden vmap"):
        torch.vmap(function.apply)(torch.ones(2, 3))
