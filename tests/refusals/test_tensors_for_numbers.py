"""A tensor given for a number counts as one without dimensions and without a gradient; others are refused."""

import numpy as np
import pytest

import rushlight

CALLS = """
    torch.add(x, x, alpha=N)
    torch.sub(x, x, alpha=N)
    torch.rsub(x, x, alpha=N)
    torch.add(x, N, x)
    x.clone().add_(x, alpha=N)
    x.clone().sub_(x, alpha=N)
    torch.addcmul(x, x, x, value=N)
    torch.addcdiv(x, x, x, value=N)
    x.clone().addcmul_(x, x, value=N)
    torch.addmm(m, m, m, beta=N)
    torch.addmm(m, m, m, alpha=N)
    m.clone().addmm_(m, m, alpha=N)
    torch.addmv(x, m, x, alpha=N)
    torch.addr(m, x, x, beta=N)
    torch.baddbmm(m[None], m[None], m[None], alpha=N)
    torch.renorm(m, N, 0, 1.5)
    torch.renorm(m, 2, 0, N)
    torch.nan_to_num(x, nan=N)
    torch.histc(x, 4, N, 5)
    torch.allclose(x, x, rtol=N)
    torch.isclose(x, x, atol=N)
    torch.dist(x, x, N)
    torch.index_add(x, 0, i, x[i], alpha=N)
    torch.logit(x / 8, eps=N / 8)
    torch.special.logit(x / 8, N / 8)
    torch.hardshrink(x, N)
    torch.celu(x, N)
    torch.threshold(x, N, 0)
    torch.threshold(x, 2, N)
    torch.rrelu(x, N / 4, N)
    torch.var(x, 0, correction=N)
    torch.std(x, correction=N)
    torch.trapezoid(x, dx=N)
    torch.linalg.vector_norm(x, N)
    torch.linalg.matrix_norm(m, ord=N)
    torch.linalg.cond(m, N)
    torch.linalg.matrix_rank(m, tol=N)
    F.celu(x, N)
    F.elu(x, alpha=N)
    F.leaky_relu(x, N)
    F.hardtanh(x, N / 4, 2)
    F.hardtanh(x, max_val=N)
    F.softplus(x, N)
    F.softplus(x, threshold=N)
    F.softshrink(x, N)
    F.hardshrink(x, N)
    F.threshold(x, N, 20)
    F.huber_loss(x, x + 4, delta=N)
    F.smooth_l1_loss(x, x + 4, beta=N)
    F.multi_margin_loss(m, i, margin=N)
    F.margin_ranking_loss(x, x, x, N)
    F.hinge_embedding_loss(x, x, N)
    F.triplet_margin_loss(m, m, m, margin=N)
    F.triplet_margin_loss(m, m, m, p=N)
    F.poisson_nll_loss(x, x, eps=N)
    F.cross_entropy(m, i, label_smoothing=N / 4)
    F.dropout(x, N / 4, training=False)
    F.layer_norm(x, (2,), eps=N)
    F.batch_norm(m, None, None, training=True, eps=N)
    F.group_norm(m, 1, eps=N)
    F.rms_norm(x, (2,), eps=N)
    F.pairwise_distance(m, m, p=N)
    F.cosine_similarity(m, m, eps=N)
    F.normalize(m, p=N)
    m.sum(M)
    m.sum(dim=M)
    m.mean(M)
    m.amax(M)
    m.argmax(M)
    m.cumsum(M)
    m.quantile(0.5, M)
    m.max(dim=M)
    m.sort(M)
    m.topk(M, M)
    m.select(M, 0)
    m.narrow(0, M, M)
    m.tril(M)
    m.flatten(M)
    torch.diff(m, M)
    torch.cat([m, m], M)
    torch.stack([m, m], M)
    torch.bincount(i, minlength=M)
    F.max_pool2d(m[None], M)
    F.avg_pool1d(m, M)
    F.softmax(m, M)
    F.glu(m, M)
    torch.arange(M)
    torch.arange(M, 5)
    torch.arange(0, 5, step=N)
    torch.range(0, N)
    torch.celu_(x, N)
    torch.threshold_(x, 1.0, N)
    torch.rrelu_(x, N / 8, N / 8)
    torch.narrow_copy(m, M, 0, 1)
    torch.select_copy(m, M, 0)
    torch.transpose_copy(m, 0, M)
    torch.unsqueeze_copy(m, M)
    torch.diagonal_copy(m, dim1=0, dim2=M)
    torch.unfold_copy(x, 0, 1, M)
    torch.native_dropout(x, N / 8, False)
    torch.native_group_norm(m[None], None, None, 1, 2, 2, M, 0.5)
    torch.native_batch_norm(m, None, None, None, None, True, N, 0.5)
    torch.native_layer_norm(x, (2,), None, None, N)
    torch.nonzero_static(x, size=M)
    torch.nonzero_static(x, size=1, fill_value=M)
    torch.randint(M, (0,))
    x.clone().random_(M)
    m.split(M)
    m.split(N)
    torch.all(m, M)
    torch.squeeze(m, M)
    torch.moveaxis(m, M, 0)
    torch.flip(m, M)
    torch.tile(m, M)
    torch.rot90(m, 1, M)
    torch.count_nonzero(m, M)
    torch.broadcast_to(x, M)
    torch.as_strided(x, M, M)
    torch.empty_strided(M, M).shape
    torch.randint(1, M)
    torch.hsplit(m, M)
    m.hsplit(M)
    m.vsplit(M)
    m.unflatten(1, M)
    m.repeat(M, M)
    m.size(M)
    m.stride(M)
    m.to_sparse(M).to_dense()
    x.clone().polygamma_(M)
    torch.frombuffer(bytearray(8), dtype=torch.float32, count=M)
    torch.addmm(M, m, m, m)
    torch.addmm(M, m, M, m, m)
    torch.ctc_loss(m[:, None].log_softmax(-1), i[None], [2], [1], M)
    F.ctc_loss(m[:, None].log_softmax(-1), i[None], [2], [1], M)
    F.gaussian_nll_loss(x, x, x, eps=N)
    F.layer_norm(x, M)
    F.rms_norm(x, M)
    F.pad(x, M)
    F.max_pool2d(m[None], M)
    torch.sum(m, [M])
    torch.amax(m, (M,))
    torch.permute(m, [M, 0])
    torch.roll(m, [M], [0])
    torch.linalg.vector_norm(m, 2, [M])
    F.avg_pool2d(m[None], [M, 1])
    F.conv1d(m, m[None], stride=[M])
    F.layer_norm(x, [M])
    F.pad(x, [M, 0])
    m.expand(1, M, 2)
    m.reshape(M, 4)
    m.new_zeros([M, 1])
"""
NUMBERS = {  # what is given for N and for M
    "float": "torch.tensor(2.0)",
    "double": "torch.tensor(2.0, dtype=torch.float64)",
    "whole": "torch.tensor(1)",
    "of one element": "torch.tensor([1])",
    "of one float": "torch.tensor([2.0])",
    "with a gradient": "torch.tensor(2.0, requires_grad=True)",
}


def outcome(torch, call, number):
    """What a call gives: dtypes and values, or the exception."""
    names = {
        "torch": torch,
        "F": torch.nn.functional,
        "x": torch.tensor([0.5, 3.0]),
        "m": torch.tensor([[1.0, 2.0], [3.0, 5.0]]),
        "i": torch.tensor([0, 1]),
    }
    try:
        names["N"] = names["M"] = eval(number, names)
        found = eval(call, names)
    except Exception as error:
        return type(error), str(error).partition(".")[0].partition("\n")[0].partition(" - got (")[0]
    found = found if isinstance(found, tuple) else (found,)
    return [(str(t.dtype).partition(".")[2], t.detach().numpy()) if isinstance(t, torch.Tensor) else t for t in found]


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("call", [line.strip() for line in CALLS.strip().splitlines()])
def test_a_tensor_for_a_number_is_taken_or_refused_as_by_pytorch(call, number):
    torch = pytest.importorskip("torch")
    ours, theirs = (outcome(library, call, NUMBERS[number]) for library in (rushlight, torch))
    if isinstance(theirs, tuple):
        assert ours == theirs
        return
    for (dtype, values), (wanted, expected) in zip(ours, theirs, strict=True) if type(theirs[0]) is tuple else ():
        assert dtype == wanted
        np.testing.assert_allclose(values, expected, rtol=1e-6)
    assert type(theirs[0]) is tuple or ours == theirs


def test_what_python_computes_with_stays_a_tensor():
    tau = rushlight.tensor(2.0, requires_grad=True)
    rushlight.nn.functional.local_response_norm(rushlight.ones(1, 3, 4), 2, k=tau).sum().backward()
    assert tau.grad is not None


@pytest.mark.parametrize("number", [rushlight.tensor([1]), rushlight.tensor(1.0), rushlight.tensor([[1]])])
def test_methods_without_a_guard_take_no_other_tensors_either(number):
    x = rushlight.ones(2, 3)
    for call in (lambda: x.transpose(0, number), lambda: x.unsqueeze(number), lambda: x.softmax(number)):
        with pytest.raises(TypeError, match="must be int, not Tensor"):
            call()
    assert x.transpose(0, rushlight.tensor(1)).shape == (3, 2)
