"""Operators that users define: kernels, derivatives, rules for batches. Holds for PyTorch too."""

import numpy as np
import pytest


@pytest.fixture
def cube(torch):
    def kernel(x: torch.Tensor, by: float = 1.0) -> torch.Tensor:
        return torch.from_numpy(np.asarray(x.numpy() ** 3 * by))

    name = f"rushlight_tests::cube_{next(numbers)}"
    cube = torch.library.custom_op(name, mutates_args=())(kernel)
    cube.register_fake(lambda x, by=1.0: torch.empty_like(x))
    return cube


numbers = iter(range(1000))


def test_derivatives(torch, cube):
    def setup(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])
        ctx.by = inputs[1]

    cube.register_autograd(lambda ctx, grad: (3 * grad * ctx.by * ctx.saved_tensors[0] ** 2, None), setup_context=setup)
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = cube(x, by=2.0)
    y.sum().backward()
    assert y.tolist() == [2.0, 16.0]
    assert x.grad.tolist() == [6.0, 24.0]
    name = cube._qualname.partition("::")[2]
    assert getattr(torch.ops.rushlight_tests, name)(x.detach()).tolist() == [1.0, 8.0]


def test_batches(torch, cube):
    cube.register_vmap(lambda info, in_dims, x, by=1.0: (cube(x, by), in_dims[0]))
    assert torch.vmap(cube)(torch.tensor([[1.0, 2.0]])).tolist() == [[1.0, 8.0]]


def test_libraries(torch):
    library = torch.library.Library("rushlight_tests_defined", "DEF")
    library.define("twice(Tensor x) -> Tensor")
    with pytest.raises(NotImplementedError, match="Could not run 'rushlight_tests_defined::twice'"):
        torch.ops.rushlight_tests_defined.twice(torch.ones(1))
    library.impl("twice", lambda x: x + x, "CPU")
    assert torch.ops.rushlight_tests_defined.twice.default(torch.ones(1)).tolist() == [2.0]


@pytest.mark.parametrize("mutates", [(), ("y",)])
def test_schemas(torch, mutates):
    def f(
        x: torch.Tensor, y: torch.Tensor | None, n: int = 3, *, s: str = "a", v: float = 2.0
    ) -> tuple[torch.Tensor, int]: ...

    y = "Tensor(a1!)?" if mutates else "Tensor?"
    want = f'(Tensor x, {y} y, SymInt n=3, *, str s="a", float v=2.0) -> (Tensor, SymInt)'
    assert torch.library.infer_schema(f, mutates_args=mutates) == want
    with pytest.raises(ValueError, match="must have a type annotation"):
        torch.library.infer_schema(lambda x: x, mutates_args=())
