"""rushlight: PyTorch's autograd, fast and light, on NumPy. `import rushlight as torch`."""

import numpy as _np

_np.seterr(all="ignore")
from rushlight import dtypes
from rushlight.core.graph import new_tensor as _nt
from rushlight.ops import arithmetic, elementary, reduction, shape
from rushlight.ops.added_products import *
from rushlight.ops.arithmetic import *
from rushlight.ops.contractions import *
from rushlight.ops.elementary import *
from rushlight.ops.products import *
from rushlight.ops.reduction import *
from rushlight.ops.shape import *
from rushlight.tensor import Tensor
from rushlight.dtypes import *
from rushlight import autograd
from rushlight.autograd import no_grad, enable_grad, set_grad_enabled
def tensor(x, requires_grad=False, dtype=None):
    a=_np.array(x)
    if a.dtype==_np.float64: a=a.astype('f')
    t=_nt(a); t.requires_grad=requires_grad
    return t
