"""What programs ask of devices and libraries that rushlight has not: PyTorch's answers where there are none."""

import contextlib

import pytest

import rushlight as torch

DEVICES = ["ipu", "maia", "mkldnn", "mps", "mtia", "vulkan", "xla", "xpu", "cuda"]
KERNELS = ["flash", "mem_efficient", "math", "cudnn"]


@pytest.mark.parametrize("name", DEVICES)
def test_no_tensor_is_on_another_device(name):
    assert getattr(torch.ones(1), f"is_{name}") is False
    assert getattr(torch.nn.Linear(1, 1).weight, f"is_{name}") is False


def test_memory_and_seeds_of_devices_that_are_not_there():
    xpu = torch.xpu
    xpu.manual_seed(1)
    xpu.manual_seed_all(1)
    xpu.empty_cache()
    torch.mps.manual_seed(1)
    assert xpu.memory_allocated() == xpu.max_memory_allocated(0) == xpu.device_count() == 0
    assert not xpu.is_available()
    assert not xpu.is_bf16_supported()


@pytest.mark.parametrize("name", ["synchronize", "current_device", "get_device_name", "get_device_properties"])
def test_what_needs_intels_gpus_raises(name):
    with pytest.raises(AssertionError, match=r"^Torch not compiled with XPU enabled\. .*the CPU"):
        getattr(torch.xpu, name)()


@pytest.mark.parametrize(("name", "inner"), [("synchronize", "deviceSynchronize"), ("empty_cache", "emptyCache")])
def test_what_needs_metal_raises(name, inner):
    with pytest.raises(RuntimeError, match=rf"^Cannot execute {inner}\(\) without MPS backend\. .*the CPU"):
        getattr(torch.mps, name)()


@pytest.mark.parametrize("name", KERNELS)
def test_attention_kernels_are_allowed_and_forbidden(name):
    cuda, backend = torch.backends.cuda, torch.nn.attention.SDPBackend
    enable, enabled = getattr(cuda, f"enable_{name}_sdp"), getattr(cuda, f"{name}_sdp_enabled")
    assert enabled() is True
    enable(False)
    assert enabled() is False
    enable(True)
    with torch.nn.attention.sdpa_kernel([backend.MATH]):
        assert enabled() is (name == "math")
    with pytest.warns(FutureWarning, match="sdp_kernel"), cuda.sdp_kernel(enable_flash=False, enable_cudnn=False):
        assert enabled() is (name in ("mem_efficient", "math"))
    assert enabled() is True


@pytest.mark.parametrize("name", ["cudnn", "mkldnn", "nnpack"])
def test_flags_for_a_while(name):
    library = getattr(torch.backends, name)
    before = library.enabled
    with contextlib.suppress(KeyError), library.flags(enabled=not before):
        assert library.enabled is not before
        raise KeyError
    assert library.enabled is before


def test_settings_of_threads_and_denormals():
    torch.set_num_interop_threads(2)
    assert torch.get_num_interop_threads() == 1
    with pytest.raises(RuntimeError, match=r"^set_num_interop_threads expects a positive integer"):
        torch.set_num_interop_threads(0)
    assert torch.set_flush_denormal(True) is False
    with pytest.raises(TypeError):
        torch.set_flush_denormal(1)
