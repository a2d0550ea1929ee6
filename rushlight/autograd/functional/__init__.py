"""Derivatives of functions: Jacobians, Hessians, and their products with vectors (torch.autograd.functional)."""

from rushlight.autograd.functional.matrices import hessian, jacobian
from rushlight.autograd.functional.products import hvp, jvp, vhp, vjp
from rushlight.missing import explain_misses as _explain_misses

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

_explain_misses(globals())
