"""`torch.testing._internal.common_cuda`: there is no GPU here."""

from rushlight.testing._internal.circumstances import TEST_CUDA, TEST_CUDNN, TEST_MULTIGPU

__all__ = ["TEST_CUDA", "TEST_CUDNN", "TEST_MULTIGPU"]
