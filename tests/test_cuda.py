"""What programs for CUDA find here: the answers and the exceptions of PyTorch's build without it."""

import sys

import pytest

import rushlight as torch

NOT_COMPILED = AssertionError, "Torch not compiled with CUDA enabled"
NO_ACCELERATOR = RuntimeError, "Cannot access accelerator device when none is available."
RAISED = [
    (lambda: torch.cuda.set_device(0), AttributeError, "module 'torch._C' has no attribute '_cuda_setDevice'"),
    (lambda: torch.cuda.set_device("cuda:1"), AttributeError, "module 'torch._C' has no attribute '_cuda_setDevice'"),
    (lambda: torch.cuda.set_device("cuda"), ValueError, "Expected a torch.device with a specified index"),
    (lambda: torch.cuda.set_device("cpu"), ValueError, "Expected a cuda device, but got: cpu"),
    (lambda: torch.cuda.reset_peak_memory_stats(), AttributeError, "module 'torch._C' has no attribute '_cuda_reset"),
    (lambda: torch.cuda.memory_summary(), KeyError, "'allocated_bytes.all.current"),
    (lambda: torch.cuda.Event(enable_timing=True), RuntimeError, "Tried to instantiate dummy base class Event"),
    (lambda: torch.cuda.Stream(), RuntimeError, "torch.cuda.Stream requires CUDA support"),
    (lambda: torch.cuda.device(0).__enter__(), RuntimeError, "PyTorch was compiled without CUDA support"),
    (lambda: torch.cuda.FloatTensor(2), TypeError, "type torch.cuda.FloatTensor not available. Torch not compiled"),
    (lambda: torch.cuda.utilization(), ModuleNotFoundError, "nvidia-ml-py does not seem to be installed"),
    (lambda: torch.cuda.nvtx.range_push("a"), RuntimeError, "NVTX functions not installed."),
    (lambda: torch.cuda.profiler.profile().__enter__(), *NOT_COMPILED),
    (lambda: torch.cuda.synchronize(), *NOT_COMPILED),
    (lambda: torch.cuda.get_rng_state(), *NOT_COMPILED),
    (lambda: torch.ones(2).cuda(), *NOT_COMPILED),
    (lambda: torch.ones(2).cuda(0), *NO_ACCELERATOR),
    (lambda: torch.ones(2).cuda("cpu"), RuntimeError, "Invalid device, must be cuda device"),
    (lambda: torch.nn.Linear(2, 2).cuda(0), *NO_ACCELERATOR),
    (lambda: torch.nn.Linear(2, 2).to("cuda"), *NOT_COMPILED),
    (lambda: torch.nn.ReLU().to(0), *NO_ACCELERATOR),
    (lambda: torch.accelerator.synchronize(), *NO_ACCELERATOR),
    (lambda: torch.accelerator.device_index(0).__enter__(), *NO_ACCELERATOR),
]


@pytest.mark.parametrize(("call", "kind", "words"), RAISED)
def test_what_needs_a_device_raises(call, kind, words):
    with pytest.raises(kind) as error:
        call()
    assert type(error.value) is kind
    assert str(error.value).startswith(words)
    assert "CPU" in str(error.value) or words == NO_ACCELERATOR[1]


def test_what_can_be_answered():
    cuda = torch.cuda
    assert not cuda.is_available()
    assert cuda.device_count() == cuda.max_memory_allocated(0) == cuda.memory_reserved("cuda") == 0
    assert cuda.memory_stats() == {}
    assert cuda.get_arch_list() == []
    cuda.set_device(-1)
    cuda.set_rng_state_all([torch.get_rng_state()])  # saved where there was a device
    with cuda.stream(None), cuda.device(-1), cuda.device_of(torch.ones(1)):
        assert not isinstance(torch.ones(1), cuda.FloatTensor)
    assert issubclass(cuda.OutOfMemoryError, RuntimeError)


def test_modules_without_numbers_move_anywhere():
    loss = torch.nn.CrossEntropyLoss()
    assert loss.cuda() is loss.cuda(0) is loss.to("cuda") is loss


ARGUMENTS = [(), (0,), ("cuda",), ("cuda:0",), (None,), (-1,), ("cpu",), (0, 0)]
# What PyTorch has no answer to by a slip of its own, in words about its own code, or which is made of other libraries.
OTHERWISE = set(
    """CudaError DeferredCudaCallError GreenContext check_error cudaStatus ExternalStream set_stream
    make_graphed_callables use_mem_pool jiterator nccl sparse tunable""".split()
)


def outcome(library, name, arguments):
    """The result of a call, or the kind of its error and the first word of it."""
    try:
        result = getattr(library.cuda, name)(*arguments)
    except Exception as error:
        return type(error), str(error).replace("'", "")[:25] if type(error) is not TypeError else ""
    return result if isinstance(result, (int, str, list, dict, type(None))) else type(result).__name__


def test_all_names_do_what_pytorch_does():
    real = pytest.importorskip("torch")
    if real.cuda.is_available() or real.version.cuda:
        pytest.skip("this PyTorch has CUDA")
    missing, differ = [], []
    for name in sorted(set(real.cuda.__all__) - OTHERWISE):
        if not hasattr(torch.cuda, name):
            missing.append(name)
        elif callable(getattr(real.cuda, name)) and not name.endswith("Storage"):
            calls = [(a, outcome(real, name, a), outcome(torch, name, a)) for a in ARGUMENTS]
            differ += [(name, *call) for call in calls if call[1] != call[2]]
        elif not isinstance(getattr(real.cuda, name), (type, type(sys))):
            assert getattr(torch.cuda, name) == getattr(real.cuda, name)
    assert missing == []
    assert differ == []
