"""Mixed precision on a machine without CUDA: scripts run in full precision. Holds for PyTorch without CUDA too."""

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


@pytest.mark.filterwarnings("error")
def test_switched_off(torch):
    @torch.autocast("cpu", enabled=False)
    def double(x):
        return x * 2

    assert double(torch.ones(2)).tolist() == [2.0, 2.0]
    assert not torch.amp.GradScaler(enabled=False).is_enabled()


def test_half_precision_on_the_cpu_is_refused():
    with pytest.raises(NotImplementedError, match="NumPy has no bfloat16: give enabled=False"):
        rushlight.autocast("cpu")
    with pytest.raises(NotImplementedError, match="give enabled=False"):
        rushlight.amp.GradScaler("cpu")
