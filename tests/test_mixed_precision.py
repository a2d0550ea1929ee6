"""Mixed precision on a machine without CUDA: scripts run in full precision. Holds for PyTorch without CUDA too."""

import numpy as np
import pytest

import rushlight


@pytest.fixture
def without_cuda(torch):
    if torch.cuda.is_available():
        pytest.skip("there is CUDA")
    return torch


def test_training_with_a_scaler(without_cuda):
    torch = without_cuda
    weight = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.25)
    with pytest.warns(UserWarning, match=r"torch\.cuda\.amp\.GradScaler is enabled, but CUDA is not available"):
        scaler = torch.amp.GradScaler("cuda")
    with pytest.warns(UserWarning, match=r"CUDA is not available or torch_xla is imported\. Disabling autocast"):
        context = torch.autocast(device_type="cuda", dtype=torch.float16)
    with context:
        loss = (weight @ weight).sum()
    assert loss.dtype == torch.float32
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    scaler.step(optimizer)
    scaler.update()
    assert weight.item() == 0.5
    assert (scaler.is_enabled(), scaler.get_scale(), scaler.state_dict()) == (False, 1.0, {})
    scaler.load_state_dict({})


def test_older_names(without_cuda):
    cuda = without_cuda.cuda
    with pytest.warns(FutureWarning, match=r"`torch\.cuda\.amp\.autocast\(args\.\.\.\)` is deprecated"):
        context = cuda.amp.autocast(enabled=False)
    with pytest.warns(FutureWarning, match=r"Please use `torch\.amp\.GradScaler\('cuda', args\.\.\.\)` instead"):
        scaler = cuda.amp.GradScaler(enabled=False)
    assert isinstance(context, without_cuda.autocast)
    assert isinstance(scaler, without_cuda.GradScaler)


def test_older_names_of_decorators(without_cuda):
    torch, old = without_cuda, without_cuda.cuda.amp

    class Exp(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x.exp())
            return x.exp()

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.saved_tensors[0]

    with pytest.warns(FutureWarning, match=r"use `torch\.amp\.custom_fwd\(args\.\.\., device_type='cuda'\)` instead"):
        Exp.forward = staticmethod(old.custom_fwd(Exp.forward))
    with pytest.warns(FutureWarning, match=r"`torch\.cuda\.amp\.custom_bwd\(args\.\.\.\)` is deprecated"):
        Exp.backward = staticmethod(old.custom_bwd(Exp.backward))
    with pytest.warns(FutureWarning, match="custom_fwd"):
        assert callable(old.custom_fwd(cast_inputs=torch.float32))
    x = torch.zeros(2, requires_grad=True)
    Exp.apply(x).sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]
    assert old.amp_definitely_not_available()


@pytest.mark.filterwarnings("error")
def test_switched_off(torch):
    @torch.autocast("cpu", enabled=False)
    def double(x):
        return x * 2

    assert double(torch.ones(2)).tolist() == [2.0, 2.0]
    assert not torch.amp.GradScaler(enabled=False).is_enabled()


IN_BLOCK = {
    "mm": lambda torch, x: x @ x,
    "mv": lambda torch, x: x @ x[0],
    "bmm": lambda torch, x: x[None] @ x[None],
    "addmm": lambda torch, x: torch.addmm(x, x, x),
    "linear": lambda torch, x: torch.nn.functional.linear(x, x, x[0]),
    "conv1d": lambda torch, x: torch.nn.functional.conv1d(x[None], x[:, :, None]),
    "conv_transpose1d": lambda torch, x: torch.nn.functional.conv_transpose1d(x[None], x[:, :, None]),
    "attention": lambda torch, x: torch.nn.functional.scaled_dot_product_attention(x[None], x[None], x[None]),
    "prelu": lambda torch, x: torch.nn.functional.prelu(x, x[0, :1]),
    "linear of two types": lambda torch, x: torch.nn.functional.linear(x @ x, x, x[0]),
    "mm of two types": lambda torch, x: (x @ x) @ x,
    "conv1d of two types": lambda torch, x: torch.nn.functional.conv1d((x @ x)[None], x[:, :, None], x[0]),
    "add": lambda torch, x: x + x,
    "mixed": lambda torch, x: (x @ x) + x,
    "exp": lambda torch, x: (x @ x).exp(),
    "softmax": lambda torch, x: (x @ x).softmax(1),
    "mse_loss": lambda torch, x: torch.nn.functional.mse_loss(x @ x, x @ x),
    "cross_entropy": lambda torch, x: torch.nn.functional.cross_entropy(x @ x, torch.arange(4)),
    "nll_loss": lambda torch, x: torch.nn.functional.nll_loss(x @ x, torch.arange(4)),
    "smooth_l1_loss": lambda torch, x: torch.nn.functional.smooth_l1_loss(x @ x, x),
    "bce": lambda torch, x: torch.nn.functional.binary_cross_entropy_with_logits(x @ x, x.sigmoid()),
    "prod": lambda torch, x: (x @ x).prod(),
    "cat": lambda torch, x: torch.cat([x @ x, x]),
    "cat of one type": lambda torch, x: torch.cat([x @ x, x @ x]),
    "stack": lambda torch, x: torch.stack([x @ x, x]),
    "attention with a mask": lambda torch, x: torch.nn.functional.scaled_dot_product_attention(
        (x @ x)[None], (x @ x)[None], (x @ x)[None], x.tril()
    ),
    "l1_loss": lambda torch, x: torch.nn.functional.l1_loss(x @ x, x.mT @ x),
    "kl_div": lambda torch, x: torch.nn.functional.kl_div(x @ x, (x @ x).abs()),
    "cosine loss": lambda torch, x: torch.nn.functional.cosine_embedding_loss(x @ x, x.mT @ x, torch.ones(4)),
    "bce of two types": lambda torch, x: torch.nn.functional.binary_cross_entropy((x @ x).sigmoid(), x.sigmoid()),
    "tensordot": lambda torch, x: torch.tensordot(x, x, 1),
    "tensordot to a number": lambda torch, x: torch.tensordot(x, x, 2),
    "tensordot to one element": lambda torch, x: torch.tensordot(x[:1], x[0], 1),
    "a batch times a broadcast one": lambda torch, x: x.expand(2, 1, 4, 4) @ x.expand(3, 4, 4),
    "a vector times a batch": lambda torch, x: x[0] @ x.expand(3, 4, 4),
    "a matrix times a vector": lambda torch, x: x @ x[0],
    "a vector times a vector": lambda torch, x: x[0] @ x[0],
    "mv as a method": lambda torch, x: x.mv(x[0]),
    "dot": lambda torch, x: torch.dot(x[0], x[0]),
    "inner of vectors": lambda torch, x: torch.inner(x[0], x[0]),
    "inner of matrices": lambda torch, x: torch.inner(x, x),
    "addmv": lambda torch, x: torch.addmv(x[0], x, x[0]),
    "bilinear": lambda torch, x: torch.nn.functional.bilinear(x, x, x.expand(2, 4, 4)),
    "einsum with a product": lambda torch, x: torch.einsum("ij,jk->ik", x, x),
    "einsum of two types": lambda torch, x: torch.einsum("ij,jk->ik", x @ x, x),
    "einsum of three": lambda torch, x: torch.einsum("ij,j,j->i", x, x[0], x[0]),
    "einsum without a sum": lambda torch, x: torch.einsum("i,j->ij", x[0], x[0]),
    "einsum of one tensor": lambda torch, x: torch.einsum("ij->i", x),
    "einsum with separate sums": lambda torch, x: torch.einsum("ij,kl->ik", x, x),
    "einsum by numbers": lambda torch, x: torch.einsum(x, [0, 1], x, [1, 2], [0, 2]),
    "lu_solve": lambda torch, x: torch.linalg.lu_solve(*torch.linalg.lu_factor(x + 9 * torch.eye(4)), x),
    "qr of halves": lambda torch, x: torch.linalg.qr((x @ x) + 9 * torch.eye(4).to(x.dtype))[1].abs(),
    "svd_lowrank": lambda torch, x: torch.svd_lowrank(x, 4)[1],
    "vecdot": lambda torch, x: torch.linalg.vecdot(x, x),
    "multi_dot": lambda torch, x: torch.linalg.multi_dot((x, x, x)),
    "cholesky": lambda torch, x: torch.linalg.cholesky(x @ x.mT + 9 * torch.eye(4)),
    "svd of halves": lambda torch, x: torch.linalg.svdvals(x @ x),
    "cdist": lambda torch, x: torch.cdist(x @ x, x.mT @ x),
    "fft": lambda torch, x: torch.fft.rfft(x @ x).abs(),
    "index_copy of two types": lambda torch, x: x.index_copy(0, torch.tensor([1]), (x @ x)[:1]),
    "max_pool3d": lambda torch, x: torch.nn.functional.max_pool3d((x @ x).reshape(1, 1, 4, 2, 2), 2),
    "double": lambda torch, x: x.double() @ x.double(),
    "layer_norm": lambda torch, x: torch.nn.functional.layer_norm(x @ x, (4,)),
}


@pytest.mark.parametrize("kind", ["bfloat16", "float16"])
@pytest.mark.parametrize("name", IN_BLOCK)
def test_autocast_on_the_cpu(name, kind):
    """Types and values of results and gradients inside an `autocast` block."""
    pytest.importorskip("ml_dtypes")
    torch = pytest.importorskip("torch")
    numbers = np.random.default_rng(0).normal(size=(4, 4)).astype(np.float32)
    found = []
    for library in (rushlight, torch):
        library.manual_seed(0)  # `svd_lowrank` draws
        x = library.from_numpy(numbers.copy()).requires_grad_()
        with library.autocast("cpu", dtype=getattr(library, kind)):
            result = IN_BLOCK[name](library, x)
        result.float().sum().backward()
        found.append((str(result.dtype), str(x.grad.dtype), result.detach().float().numpy(), x.grad.float().numpy()))
    ours, theirs = found
    assert ours[:2] == theirs[:2]
    for mine, other in zip(ours[2:], theirs[2:], strict=True):
        assert np.abs(mine - other).max() <= 0.03 * max(np.abs(other).max(), 1)


def test_functions_inside_a_listed_function_are_not_cast(torch):
    """A listed function computes in the dtype of its list alone: inside of it nothing else is cast."""
    pytest.importorskip("ml_dtypes")
    x = torch.ones(2, 3)
    with torch.autocast("cpu"):
        assert torch.cdist(x, x).dtype is torch.float32
        assert torch.is_autocast_enabled("cpu")
    assert torch.cdist(x, x).dtype is torch.float32


@pytest.fixture
def bfloat16(torch):
    pytest.importorskip("ml_dtypes")
    return torch


def test_blocks_in_blocks(bfloat16):
    torch, x = bfloat16, bfloat16.ones(2, 2)
    assert not torch.is_autocast_enabled("cpu")
    with torch.autocast("cpu"):
        assert torch.is_autocast_enabled("cpu")
        assert torch.get_autocast_dtype("cpu") is torch.bfloat16
        with torch.autocast("cpu", enabled=False):
            assert (x @ x).dtype is torch.float32
            assert not torch.is_autocast_enabled("cpu")
        with torch.autocast("cpu", dtype=torch.float16):
            assert (x @ x).dtype is torch.float16
        assert (x @ x).dtype is torch.bfloat16
    assert (x @ x).dtype is torch.float32


def test_another_type_switches_it_off(torch):
    with (
        pytest.warns(UserWarning, match=r"In CPU autocast, but the target dtype .*is not supported"),
        torch.autocast("cpu", dtype=torch.float64),
    ):
        assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype is torch.float32


def test_a_scaler_on_the_cpu(torch):
    """An overflow leaves a step out and halves the factor; after steps without one it grows."""
    x = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.SGD([x], lr=0.5)
    scaler = torch.amp.GradScaler("cpu", init_scale=4.0, growth_interval=2)
    seen = []
    for factor in (1.0, float("inf"), 1.0, 1.0, 1.0):
        optimizer.zero_grad()
        scaler.scale((x * factor).sum()).backward()
        scaler.step(optimizer)
        scaler.update()
        seen.append((x.item(), scaler.get_scale()))
    assert seen == [(0.5, 4.0), (0.5, 2.0), (0.0, 2.0), (-0.5, 4.0), (-1.0, 4.0)]
    other = torch.amp.GradScaler("cpu")
    other.load_state_dict(scaler.state_dict())
    assert other.get_scale() == 4.0
    with pytest.raises(AssertionError, match="Attempted update but _scale is None"):
        other.update()
    with pytest.raises(RuntimeError, match=r"step\(\) has already been called"):
        scaler.scale(x.sum()).backward(), scaler.step(optimizer), scaler.step(optimizer)


def product(torch):
    """The type that products compute in."""
    return (torch.ones(2, 2) @ torch.ones(2, 2)).dtype


def test_a_block_takes_the_type_of_the_block_around_it(torch):
    with torch.autocast("cpu", dtype=torch.float16):
        with torch.autocast("cpu"):
            assert product(torch) == torch.float16
        with torch.autocast("cpu", enabled=False):
            assert torch.get_autocast_dtype("cpu") == torch.float16
    assert torch.get_autocast_dtype("cpu") == torch.bfloat16


def test_what_is_set_in_a_block_ends_with_it(torch):
    with torch.autocast("cpu", enabled=False):
        torch.set_autocast_enabled("cpu", True)
        torch.set_autocast_dtype("cpu", torch.float16)
        assert product(torch) == torch.float16
    assert product(torch) == torch.float32
    with torch.autocast("cpu", cache_enabled=False):
        assert not torch.is_autocast_cache_enabled()
    assert torch.is_autocast_cache_enabled()


def test_what_is_set_outside_of_all_blocks_stays(torch):
    torch.set_autocast_enabled("cpu", True)
    try:
        assert product(torch) == torch.bfloat16
        with torch.autocast("cpu", enabled=False):
            assert product(torch) == torch.float32
        assert torch.is_autocast_enabled("cpu")
    finally:
        torch.set_autocast_enabled("cpu", False)
    assert product(torch) == torch.float32


def test_blocks_are_counted(torch):
    assert torch.autocast_increment_nesting() == 1
    with torch.autocast("cpu"):
        assert torch.autocast_increment_nesting() == 3
        assert torch.autocast_decrement_nesting() == 2
    assert torch.autocast_decrement_nesting() == 0
    assert torch.clear_autocast_cache() is None


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda t: t.set_autocast_enabled("cpu", 1), TypeError, "must be bool, not int"),
        (lambda t: t.set_autocast_dtype("cpu", 3), TypeError, "must be torch.dtype, not int"),
        (lambda t: t.set_autocast_enabled("gpu", True), RuntimeError, "Expected one of cpu, cuda"),
        (lambda t: t.is_autocast_enabled("gpu"), RuntimeError, "Expected one of cpu, cuda"),
    ],
)
def test_what_cannot_be_set(torch, call, error, message):
    with pytest.raises(error, match=message):
        call(torch)


@pytest.mark.parametrize(
    "call",
    [
        lambda torch, x: torch.prod(x, 0),
        lambda torch, x: x.prod(0),
        lambda torch, x: torch.quantile(x, 0.5),
        lambda torch, x: x.nanquantile(0.5),
        lambda torch, x: torch.cholesky_inverse(x),
        lambda torch, x: x.cholesky_solve(x.float()),
        lambda torch, x: torch.cholesky_solve(x.float(), x),
        lambda torch, x: torch.svd(x).S,
        lambda torch, x: torch.geqrf(x).a,
        lambda torch, x: torch.triangular_solve(x, x).solution,
    ],
)
def test_functions_of_halves_that_need_precision(call):
    for torch in (rushlight, pytest.importorskip("torch")):
        with torch.autocast("cpu"):
            assert call(torch, torch.eye(2, dtype=torch.bfloat16)).dtype is torch.float32
