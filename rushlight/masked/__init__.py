"""`torch.masked`: reductions and normalizations over the elements where a mask is True.

The other elements are replaced by the identity of the operation: 0 for a sum, -inf for `amax`.
"""

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.masked.normalizations import cumprod, cumsum, log_softmax, normalize, softmax, softmin
from rushlight.masked.reductions import (
    amax,
    amin,
    argmax,
    argmin,
    logaddexp,
    logsumexp,
    mean,
    median,
    norm,
    prod,
    std,
    sum,
    var,
)

__all__ = [
    "amax",
    "amin",
    "argmax",
    "argmin",
    "cumprod",
    "cumsum",
    "log_softmax",
    "logaddexp",
    "logsumexp",
    "mean",
    "median",
    "norm",
    "normalize",
    "prod",
    "softmax",
    "softmin",
    "std",
    "sum",
    "var",
]

_explain_misses(globals())
