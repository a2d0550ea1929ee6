"""Types of data for which PyTorch has no kernel are refused in its words, by functions and methods; others are not."""

import pytest

REFUSED = {
    "half": (lambda t: t.special.zeta(t.ones(2).half(), t.ones(2).half()), "\"zeta_cpu\" not implemented for 'Half'"),
    "solver": (lambda t: t.linalg.solve(t.ones(2, 2).half(), t.ones(2).half()), '"lu_cpu" not implemented for'),
    "short integers": (lambda t: t.nn.functional.avg_pool2d(t.ones(1, 2, 2).int(), 2), '"avg_pool2d" not implemented'),
    "bool": (lambda t: t.ones(2, 2).bool().trace(), "\"trace\" not implemented for 'Bool'"),
    "complex": (lambda t: t.unique_consecutive(t.ones(2) * 1j), "\"unique\" not implemented for 'ComplexFloat'"),
    "method": (lambda t: t.ones(2, 2).int().cholesky_inverse(), '"cholesky_inverse_out_cpu" not implemented'),
    "a list": (lambda t: t.linalg.multi_dot([t.ones(2, 2).bool()] * 2), '"addmm_impl_cpu_" not implemented'),
    "by keyword": (lambda t: t.trace(input=t.ones(2, 2).bool()), '"trace" not implemented'),
    "a reduction": (
        lambda t: (t.ones(2) * 1j).scatter_reduce(0, t.tensor([0, 1]), t.ones(2) * 1j, "amax"),
        '"scatter_gather_tensor_cpu_reduce_amax" not implemented for',
    ),
    "det": (lambda t: t.linalg.det(t.eye(2).half()), "\"lu_cpu\" not implemented for 'Half'"),
    "det, a method": (lambda t: t.eye(2).half().det(), "\"lu_cpu\" not implemented for 'Half'"),
    "svd": (lambda t: t.linalg.svd(t.eye(2).half()), '"linalg_svd_cpu" not implemented'),
    "ldl_solve": (
        lambda t: t.linalg.ldl_solve(t.eye(2).half(), t.ones(2).int(), t.eye(2).half()),
        '"ldl_solve_kernel_cpu" not implemented',
    ),
    "orgqr": (lambda t: t.orgqr(t.eye(2).half(), t.ones(2).half()), '"orgqr_cpu" not implemented'),
    "histogram": (lambda t: t.histogram(t.ones(2).half(), 2), '"histogramdd" not implemented for \'Half'),
    "histogram of integers": (lambda t: t.histogram(t.ones(2).long(), 2), '"histogramdd" not implemented for \'Long'),
    "nansum into integers": (
        lambda t: t.nansum(t.ones(2), 0, out=t.zeros((), dtype=t.int32)),
        "\"nansum_cpu\" not implemented for 'Int'",
    ),
    "nanmean into integers": (
        lambda t: t.nanmean(t.ones(2), 0, out=t.zeros((), dtype=t.bool)),
        "\"nansum_cpu\" not implemented for 'Bool'",
    ),
    "reflection": (
        lambda t: t.nn.functional.pad(t.ones(1, 3).bool(), (1, 1), mode="reflect"),
        "\"reflection_pad1d\" not implemented for 'Bool'",
    ),
    "replication": (
        lambda t: t.nn.functional.pad(t.ones(1, 1, 3, 3).bool(), (1, 1, 1, 1), mode="replicate"),
        "\"replication_pad2d\" not implemented for 'Bool'",
    ),
    "products of bools": (lambda t: t.ones(2, 2).bool() @ t.ones(2, 2).bool(), '"addmm_impl_cpu_" not implemented'),
    "sum's type": (lambda t: t.nansum(t.ones(2), dtype=t.complex64), '"nansum_cpu" not implemented for \'ComplexF'),
}
WORDS = {
    "vecdot": (lambda t: t.linalg.vecdot(t.ones(2).int(), t.ones(2).int()), "Expected a floating point or complex"),
    "trapezoid": (lambda t: t.trapezoid(t.ones(2).bool()), "trapezoid: received a bool input"),
    "gaussian_nll_loss": (
        lambda t: t.nn.functional.gaussian_nll_loss(*[t.ones(2).int()] * 3),
        "result type Float can't be cast to the desired output type int",
    ),
    "clamp_": (lambda t: t.ones(2).short().clamp_(min=0.5), "can't be cast to the desired output type short int"),
    "clamp_ of a complex number": (lambda t: t.tensor(1j).clamp_(2.0), "clamp is not supported for complex types"),
    "clamp_max_": (lambda t: t.ones(2).bool().clamp_max_(0.5), "result type Float can't be cast .* output type bool"),
    "clamp_ by tensors": (
        lambda t: t.ones(2).short().clamp_(min=t.tensor([0.5, 1.0])),
        "can't be cast to the desired output type Short",
    ),
    "embedding_bag": (
        lambda t: t.nn.functional.embedding_bag(t.tensor([[0, 1]]), t.ones(2, 3).int()),
        "Expected tensor for argument #1 'weight' to have one of the following scalar types",
    ),
    "cdist": (lambda t: t.cdist(t.ones(1, 2) * 1j, t.ones(1, 2) * 1j), "cdist only supports floating-point dtypes"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_without_a_kernel(torch, name):
    call, words = REFUSED[name]
    with pytest.raises(NotImplementedError, match=words):
        call(torch)


@pytest.mark.parametrize("name", WORDS)
def test_in_words_of_their_own(torch, name):
    call, words = WORDS[name]
    with pytest.raises(RuntimeError, match=words):
        call(torch)


def test_other_types_are_taken(torch):
    assert torch.nn.functional.avg_pool2d(torch.ones(1, 2, 2).long(), 2).tolist() == [[[1]]]
    assert torch.ones(2, 2).int().trace() == 2
    nearest = torch.nn.functional.interpolate(torch.arange(3, dtype=torch.uint8).view(1, 1, 3), scale_factor=2)
    assert (nearest.tolist(), nearest.dtype) == ([[[0, 0, 1, 1, 2, 2]]], torch.uint8)
    hinge = torch.nn.functional.hinge_embedding_loss
    assert hinge(torch.tensor([1, 5]), torch.tensor([1, -1]), margin=8.4, reduction="none").tolist() == [1, 3]


def test_integers_become_floats(torch):
    found = torch.ops.aten.native_dropout_backward(torch.tensor([1, 2]), torch.tensor([True, False]), 2.0)
    assert (found.tolist(), found.dtype) == ([2, 0], torch.float32)


def test_moments_of_float16(torch):
    x, moments = torch.ones(2, 4).half(), torch.ones(4)
    assert [t.dtype for t in torch.native_layer_norm(x, (4,), None, None, 1e-5)] == [torch.float16] * 3
    assert [t.dtype for t in torch.native_group_norm(x, None, None, 2, 4, 1, 2, 1e-5)] == [torch.float16] * 3
    for given, dtype in ((None, torch.float16), (moments, torch.float32)):
        found = torch.native_batch_norm(x, None, None, given, given, True, 0.1, 1e-5)
        assert [t.dtype for t in found] == [torch.float16, dtype, dtype]


OF_NOTHING = {
    "det": lambda t, a: t.linalg.det(a),
    "eigh": lambda t, a: t.linalg.eigh(a),
    "ldl_factor": lambda t, a: t.linalg.ldl_factor(a),
    "lu": lambda t, a: t.linalg.lu(a),
    "lu_solve": lambda t, a: t.linalg.lu_solve(a, t.ones(0, dtype=t.int32), a),
    "solve": lambda t, a: t.linalg.solve(a, a),
    "svd": lambda t, a: t.svd(a),
    "svdvals": lambda t, a: t.linalg.svdvals(a),
    "cholesky": lambda t, a: a.cholesky(),
}


@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", OF_NOTHING)
def test_nothing_in_half_precision_is_taken(torch, name, kind):
    """Where PyTorch has no kernel of half precision it still decomposes matrices without elements."""
    if kind == "bfloat16":
        pytest.importorskip("ml_dtypes")
    dtype = getattr(torch, kind)
    found = OF_NOTHING[name](torch, torch.zeros(0, 0, dtype=dtype))
    assert {t.dtype for t in (found if isinstance(found, tuple) else (found,))} <= {dtype, torch.int32}


def test_empty_products_of_bools(torch):
    """They have nothing to multiply, and are zero."""
    some, none = torch.ones(2, 3, 0, dtype=torch.bool), torch.ones(2, 0, 3, dtype=torch.bool)
    for found in (some @ none, some[0] @ none[0], some[0] @ none[0, :, 0]):
        assert found.dtype == torch.bool
        assert not found.any()
