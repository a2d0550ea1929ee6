"""einsum, tensordot, chains of matrices, bilinear forms and distances: values and derivatives."""

import numpy as np
import pytest
from derivatives import check_derivatives, random_leaf

import rushlight

EINSUM = [
    ("ij,jk->ik", (2, 3), (3, 4)),
    ("ij,jk", (2, 3), (3, 4)),
    ("bij,bjk->bik", (2, 2, 3), (2, 3, 2)),
    ("ij->ji", (2, 3)),
    ("ii->i", (3, 3)),
    ("ii", (3, 3)),
    ("iij->j", (2, 2, 3)),
    ("ij->i", (2, 3)),
    ("ij->", (2, 3)),
    ("i,j->ij", (2,), (3,)),
    ("i,i->", (3,), (3,)),
    ("...ij,...jk->...ik", (2, 1, 2, 3), (3, 3, 2)),
    ("ij,j->i", (2, 3), (3,)),
    ("i,ij,j->", (2,), (2, 3), (3,)),
    ("bi,kij,bj->bk", (2, 2), (3, 2, 2), (2, 2)),
    ("...->...", (2, 3)),
    ("...ij->ij", (2, 2, 3)),
    ("ii,i->i", (3, 3), (3,)),
    ("ba", (2, 3)),
    ("i,i->i", (1,), (3,)),
    ("iji,jk->k", (2, 3, 2), (3, 2)),
    ("ij,kl->", (2, 2), (2, 3)),
    (",ij->ij", (), (2, 2)),
    ("aB,Bc", (2, 3), (3, 2)),
]


@pytest.mark.parametrize("case", EINSUM, ids=[c[0] for c in EINSUM])
@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_einsum(case, dtype):
    equation, *shapes = case
    operands = [random_leaf(*s, dtype=dtype, seed=i) for i, s in enumerate(shapes)]
    if "..." not in equation or "->" not in equation or "..." in equation.split("->")[1]:
        expected = np.einsum(equation, *[x.detach().numpy() for x in operands])
        np.testing.assert_allclose(rushlight.einsum(equation, *operands).detach().numpy(), expected)
    check_derivatives(lambda *x: rushlight.einsum(equation, *x), *operands)


@pytest.mark.parametrize("case", EINSUM, ids=[c[0] for c in EINSUM])
def test_einsum_as_torch(case):
    torch = pytest.importorskip("torch")
    equation, *shapes = case
    arrays = [random_leaf(*s, seed=i).detach().numpy() for i, s in enumerate(shapes)]
    found = rushlight.einsum(equation, *[rushlight.from_numpy(x) for x in arrays])
    np.testing.assert_allclose(found.numpy(), torch.einsum(equation, *[torch.from_numpy(x) for x in arrays]).numpy())


@pytest.mark.parametrize("library", ["rushlight", "torch"])
@pytest.mark.parametrize(
    ("equation", "changed"),
    [
        ("ii->i", [[7, 1, 2], [3, 7, 5], [6, 7, 7]]),
        ("ij->ji", [[7, 7, 7], [7, 7, 7], [7, 7, 7]]),
        ("...->...", [[7, 7, 7], [7, 7, 7], [7, 7, 7]]),
        ("ij->i", [[0, 1, 2], [3, 4, 5], [6, 7, 8]]),
    ],
)
def test_einsum_of_one_operand_without_a_sum_is_a_view(library, equation, changed):
    torch = pytest.importorskip(library)
    x = torch.arange(9).view(3, 3)
    torch.einsum(equation, x).fill_(7)
    assert x.tolist() == changed


def test_gradients_flow_through_a_diagonal_that_einsum_changes():
    x = rushlight.ones(2, 2, dtype=rushlight.float64, requires_grad=True)
    y = x * 2
    rushlight.einsum("ii->i", y).mul_(x[0])
    y.sum().backward()
    assert x.grad.tolist() == [[4, 4], [2, 2]]


def test_einsum_of_large_operands():
    x, y = random_leaf(40, 30).detach(), random_leaf(30, 50).detach()
    np.testing.assert_allclose(rushlight.einsum("ij,jk->ki", x, y).numpy(), (x.numpy() @ y.numpy()).T)


PAIRS = [
    "bij,bjk->bik",
    "bij,bkj->kib",
    "ibj,kjb->bki",
    "bi,bi->b",
    "ij,j->i",
    "abij,bjak->ikab",
    "ij,ij->",
    "aij,bij->ab",
]


@pytest.mark.parametrize("dtype", ["float32", "int64", "complex64"])
@pytest.mark.parametrize("equation", PAIRS)
def test_einsum_of_two_large_operands(equation, dtype):
    """Products of matrices give what NumPy's loop does, also of transposed operands and of broadcast dimensions."""
    left, right = equation.partition("->")[0].split(",")
    rng, sizes = np.random.default_rng(0), dict.fromkeys(left + right, 13) | {"b": 40}
    for single in ("", left[0]):
        shapes = [[1 if c == single and term == left else sizes[c] for c in term] for term in (left, right)]
        x, y = (rng.integers(-4, 5, shape).astype(dtype) for shape in shapes)
        expected = np.einsum(equation, x, y)
        for given in (x, y), (np.asfortranarray(x), y):
            found = rushlight.einsum(equation, *[rushlight.from_numpy(one) for one in given]).numpy()
            assert found.dtype == expected.dtype
            np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_einsum_with_lists():
    x, y = random_leaf(2, 3), random_leaf(3, 4)
    np.testing.assert_allclose(
        rushlight.einsum(x, [0, 1], y, [1, 2], [2, 0]).detach().numpy(), (x @ y).T.detach().numpy()
    )
    assert rushlight.einsum(x, [..., 1], y, [1, 2], [..., 2]).shape == (2, 4)


TENSORDOT = [
    ((2, 3), (3, 4), 1),
    ((2, 3), (2, 4), 0),
    ((2, 3, 4), (3, 4, 2), 2),
    ((2, 3, 4), (4, 2, 5), ([0, 2], [1, 0])),
    ((2, 3), (3, 2), ([0, 1], [1, 0])),
    ((2, 3), (4, 3), ([-1], [-1])),
    ((2, 1), (3, 4), 1),
]


@pytest.mark.parametrize(("a", "b", "dims"), TENSORDOT)
@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_tensordot(a, b, dims, dtype):
    x, y = random_leaf(*a, dtype=dtype), random_leaf(*b, dtype=dtype, seed=1)
    if 1 not in a:
        expected = np.tensordot(x.detach().numpy(), y.detach().numpy(), dims)
        np.testing.assert_allclose(rushlight.tensordot(x, y, dims).detach().numpy(), expected)
    check_derivatives(lambda x, y: rushlight.tensordot(x, y, dims), x, y)


CHAINS = [
    ((2, 3), (3, 4), (4, 2)),
    ((3,), (3, 4), (4,)),
    ((3,), (3, 2)),
    ((2, 3), (3, 1), (1, 4), (4, 2)),
]


@pytest.mark.parametrize("shapes", CHAINS)
def test_multi_dot(shapes):
    matrices = [random_leaf(*s, seed=i) for i, s in enumerate(shapes)]
    expected = np.linalg.multi_dot([x.detach().numpy() for x in matrices])
    np.testing.assert_allclose(rushlight.linalg.multi_dot(matrices).detach().numpy(), expected)
    check_derivatives(lambda *x: rushlight.linalg.multi_dot(x), *matrices)
    if len(shapes[0]) == 2:
        np.testing.assert_allclose(rushlight.chain_matmul(*matrices).detach().numpy(), expected)


@pytest.mark.parametrize("bias", [True, False])
def test_bilinear(bias):
    arguments = [random_leaf(2, 3), random_leaf(2, 4), random_leaf(5, 3, 4), *([random_leaf(5)] if bias else [])]
    x, y, w = (a.detach().numpy() for a in arguments[:3])
    expected = np.stack([np.sum(x * (y @ w[k].T), 1) for k in range(5)], 1)
    expected = expected + (arguments[3].detach().numpy() if bias else 0)
    np.testing.assert_allclose(rushlight.nn.functional.bilinear(*arguments).detach().numpy(), expected)
    check_derivatives(rushlight.nn.functional.bilinear, *arguments)


@pytest.mark.parametrize("p", [0.5, 1, 1.5, 2, 3, float("inf")])
def test_distances(p):
    x, y = random_leaf(3, 2), random_leaf(4, 2, seed=1)
    expected = np.linalg.norm(x.detach().numpy()[:, None] - y.detach().numpy()[None], p, axis=-1)
    np.testing.assert_allclose(rushlight.cdist(x, y, p).detach().numpy(), expected)
    check_derivatives(lambda x, y: rushlight.cdist(x, y, p), x, y)
    check_derivatives(lambda x: rushlight.pdist(x, p), y)
    assert rushlight.pdist(y, p).detach().numpy() == pytest.approx(
        rushlight.cdist(y, y, p).detach().numpy()[np.triu_indices(4, 1)]
    )


def test_euclidean_distances_by_a_product():
    x, y = random_leaf(2, 3, 2), random_leaf(2, 2, seed=1)
    plain, product = (
        rushlight.cdist(x, y, compute_mode=mode) for mode in ("donot_use_mm_for_euclid_dist", "use_mm_for_euclid_dist")
    )
    np.testing.assert_allclose(plain.detach().numpy(), product.detach().numpy())
    assert product.grad_fn.name() == "EuclideanDistBackward0"
    check_derivatives(lambda x, y: rushlight.cdist(x, y, compute_mode="use_mm_for_euclid_dist"), x, y)


def test_gradient_at_distance_zero():
    x = rushlight.zeros(2, 2, requires_grad=True)
    for mode in ("donot_use_mm_for_euclid_dist", "use_mm_for_euclid_dist"):
        rushlight.cdist(x, x, compute_mode=mode).sum().backward()
    assert x.grad.tolist() == [[0.0, 0.0], [0.0, 0.0]]


@pytest.mark.parametrize("dtype", ["uint8", "int16", "bool"])
@pytest.mark.parametrize(
    "equation",
    ["ij,k->ik", "...ik,...j->ij", "ij,k->k", "ij,kl->jl", "i,j->ij", "ij->i", "ii->i", "ij->ji"],
)
def test_a_sum_without_a_product_is_as_wide_as_pytorchs(equation, dtype):
    torch = pytest.importorskip("torch")
    terms = equation.partition("->")[0].replace("...", "").split(",")

    def outcome(library):
        found = library.einsum(equation, *[library.ones(*[2] * len(t), dtype=getattr(library, dtype)) for t in terms])
        return str(found.dtype).partition(".")[2], found.tolist()

    assert outcome(rushlight) == outcome(torch)


def test_what_has_one_element_is_not_summed():
    x = rushlight.ones(3, 1, dtype=rushlight.uint8)
    assert rushlight.einsum("ik,j->ij", x, x[:, 0]).dtype is rushlight.uint8


@pytest.mark.parametrize("equation", ["ij,ij->ij", "ij,ij->i", "ij,kj->ik", "ij,j->i"])
def test_products_that_are_not_summed_keep_the_sign_of_zero(equation):
    zeros = rushlight.zeros(2, 1)
    negative = -rushlight.ones(1) if equation == "ij,j->i" else -rushlight.ones(2, 1)
    result = rushlight.einsum(equation, zeros, negative)
    assert rushlight.signbit(result).all()
