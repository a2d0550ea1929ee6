"""torch.func: transforms of functions, such as derivatives (`grad`, `jvp`, `jacrev`) and batching (`vmap`)."""

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.func.forward import jvp, linearize
from rushlight.func.functionalization import functionalize
from rushlight.func.gradients import grad, grad_and_value, vjp
from rushlight.func.jacobians import hessian, jacfwd, jacrev
from rushlight.func.jets import jet
from rushlight.func.modules import functional_call, replace_all_batch_norm_modules_, stack_module_state
from rushlight.func.rearranging import rearrange
from rushlight.func.vectorization import vmap

__all__ = [
    "functional_call",
    "functionalize",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jet",
    "jvp",
    "linearize",
    "rearrange",
    "replace_all_batch_norm_modules_",
    "stack_module_state",
    "vjp",
    "vmap",
]

_explain_misses(globals())
