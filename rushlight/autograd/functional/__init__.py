"""Derivatives of functions: Jacobians, Hessians, and their products with vectors (torch.autograd.functional)."""

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.autograd.functional.matrices import hessian, jacobian
from rushlight.autograd.functional.products import hvp, jvp, vhp, vjp

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

_explain_misses(globals())
