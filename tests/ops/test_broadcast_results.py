"""Operators that broadcast and then reduce: the gradient of an operand has its shape, also with one operand alone."""

import pytest
from derivatives import check_derivatives, random_leaf

import rushlight as torch

F = torch.nn.functional
FORMS = {
    "mse_loss": F.mse_loss,
    "l1_loss": F.l1_loss,
    "smooth_l1_loss": F.smooth_l1_loss,
    "huber_loss": lambda a, b: F.huber_loss(a, b, delta=0.7),
    "sum of mse_loss": lambda a, b: F.mse_loss(a, b, reduction="sum"),
    "soft_margin_loss": lambda *ab: F.soft_margin_loss(*sorted(ab, key=torch.numel, reverse=True)),  # keeps its shape
    "dist": torch.dist,
    "dist 1": lambda a, b: torch.dist(a, b, 1),
    "einsum": lambda a, b: torch.einsum("...,...", a, b).sum(),
}
pytestmark = pytest.mark.filterwarnings("ignore:Using a target size")


@pytest.mark.parametrize("needs", [(True, False), (False, True), (True, True)])
@pytest.mark.parametrize("shapes", [((), (3, 4)), ((3, 4), ()), ((3, 1), (3, 4)), ((4,), (3, 4)), ((), ()), ((1,), ())])
@pytest.mark.parametrize("name", FORMS)
def test_gradients_have_the_shape_of_the_operand(name, shapes, needs):
    inputs = [random_leaf(*shape, grad=grad, seed=i) for i, (shape, grad) in enumerate(zip(shapes, needs, strict=True))]
    result = FORMS[name](*inputs)
    wanted = [x for x in inputs if x.requires_grad]
    for x, grad in zip(wanted, torch.autograd.grad(result, wanted, allow_unused=True), strict=True):
        assert grad is None or grad.shape == x.shape
    check_derivatives(FORMS[name], *inputs)


@pytest.mark.parametrize("equation", ["ij,ij->i", "ij,kj->ik", "ij,ij", "ij,ij->", "...i,...i->..."])
def test_letters_of_size_one_are_broadcast(equation):
    check_derivatives(lambda a, b: torch.einsum(equation, a, b), random_leaf(3, 1), random_leaf(3, 4, seed=1), order=2)
