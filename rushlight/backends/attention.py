"""PyTorch's kernels for attention, which programs allow or forbid. rushlight has one kernel, and computes with that."""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum

from rushlight.backends.flags import set_for_a_while
from rushlight.core.lines import warn

__all__ = """
    SDPBackend allow_fp16_bf16_reduction_math_sdp cudnn_sdp_enabled enable_cudnn_sdp enable_flash_sdp enable_math_sdp
    enable_mem_efficient_sdp flash_sdp_enabled fp16_bf16_reduction_math_sdp_allowed is_flash_attention_available
    math_sdp_enabled mem_efficient_sdp_enabled sdp_kernel
""".split()

ALLOWED = {"flash": True, "mem_efficient": True, "math": True, "cudnn": True}
REDUCED = {"half_precision_sums": False}


class SDPBackend(IntEnum):
    """The attention kernels of PyTorch."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4


NAMES = {
    SDPBackend.MATH: "math",
    SDPBackend.FLASH_ATTENTION: "flash",
    SDPBackend.EFFICIENT_ATTENTION: "mem_efficient",
    SDPBackend.CUDNN_ATTENTION: "cudnn",
}


def flash_sdp_enabled() -> bool:
    """Whether `enable_flash_sdp` allows flash attention."""
    return ALLOWED["flash"]


def enable_flash_sdp(enabled: bool) -> None:
    """Allows or forbids flash attention, without effect.

    >>> import rushlight as torch
    >>> torch.backends.cuda.enable_flash_sdp(False)
    >>> torch.backends.cuda.flash_sdp_enabled()
    False
    >>> torch.backends.cuda.enable_flash_sdp(True)
    """
    ALLOWED["flash"] = bool(enabled)


def mem_efficient_sdp_enabled() -> bool:
    """Whether `enable_mem_efficient_sdp` allows memory-efficient attention."""
    return ALLOWED["mem_efficient"]


def enable_mem_efficient_sdp(enabled: bool) -> None:
    """Allows or forbids memory-efficient attention, without effect."""
    ALLOWED["mem_efficient"] = bool(enabled)


def math_sdp_enabled() -> bool:
    """Whether `enable_math_sdp` allows attention computed by products and softmax."""
    return ALLOWED["math"]


def enable_math_sdp(enabled: bool) -> None:
    """Allows or forbids attention computed by products and softmax, without effect."""
    ALLOWED["math"] = bool(enabled)


def cudnn_sdp_enabled() -> bool:
    """Whether `enable_cudnn_sdp` allows cuDNN's attention."""
    return ALLOWED["cudnn"]


def enable_cudnn_sdp(enabled: bool) -> None:
    """Allows or forbids cuDNN's attention, without effect."""
    ALLOWED["cudnn"] = bool(enabled)


def fp16_bf16_reduction_math_sdp_allowed() -> bool:
    """The setting of `allow_fp16_bf16_reduction_math_sdp`."""
    return REDUCED["half_precision_sums"]


def allow_fp16_bf16_reduction_math_sdp(enabled: bool) -> None:
    """Allows sums in half precision on GPUs, without effect."""
    REDUCED["half_precision_sums"] = bool(enabled)


def is_flash_attention_available() -> bool:
    """Whether there is a GPU's flash attention: False."""
    return False


@contextmanager
def sdp_kernel(
    enable_flash: bool = True,
    enable_math: bool = True,
    enable_mem_efficient: bool = True,
    enable_cudnn: bool = True,
) -> Iterator[dict[str, bool]]:
    """The deprecated form of `nn.attention.sdpa_kernel`: a context in which kernels are allowed or forbidden."""
    warn(
        "`torch.backends.cuda.sdp_kernel()` is deprecated. In the future, this context manager will be removed. Please "
        "see `torch.nn.attention.sdpa_kernel()` for the new context manager, with updated signature.",
        FutureWarning,
    )
    chosen = enable_flash, enable_mem_efficient, enable_math, enable_cudnn
    with set_for_a_while(ALLOWED, **dict(zip(ALLOWED, chosen, strict=True))):
        yield {}
