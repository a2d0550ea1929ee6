"""The error of `gradcheck` and `gradgradcheck`."""

__all__ = ["GradcheckError"]


class GradcheckError(RuntimeError):
    """What `gradcheck` and `gradgradcheck` raise: a derivative is wrong."""


GradcheckError.__module__ = "rushlight.autograd.gradcheck"  # PyTorch's place for it
