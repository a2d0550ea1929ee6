"""Where PyTorch counts floating-point operations by dispatch: `torch.profiler.profile(with_flops=True)` counts them."""

from rushlight.missing import explain_misses as _explain_misses

_explain_misses(globals())
