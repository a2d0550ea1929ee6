"""Special functions, as `torch.special`."""

from rushlight.ops.activation import logit
from rushlight.ops.activation import sigmoid as expit
from rushlight.ops.elementary import exp2, expm1, log1p, sinc
from rushlight.ops.rounding import round
from rushlight.ops.softmax import log_softmax, logsumexp, softmax
from rushlight.ops.special_functions import (
    digamma,
    entr,
    erf,
    erfc,
    erfcx,
    erfinv,
    i0,
    i0e,
    i1,
    i1e,
    log_ndtr,
    mvlgamma,
    ndtr,
    ndtri,
    polygamma,
    xlog1py,
    xlogy,
    zeta,
)
from rushlight.ops.special_functions import lgamma as gammaln

multigammaln = mvlgamma
psi = digamma

__all__ = [
    "digamma", "entr", "erf", "erfc", "erfcx", "erfinv", "exp2", "expit", "expm1", "gammaln", "i0", "i0e",
    "i1", "i1e", "log1p", "log_ndtr", "log_softmax", "logit", "logsumexp", "multigammaln", "ndtr", "ndtri",
    "polygamma", "psi", "round", "sinc", "softmax", "xlog1py", "xlogy", "zeta",
]  # fmt: skip
