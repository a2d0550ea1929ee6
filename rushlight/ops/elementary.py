"""The elementary functions, element by element: exponentials, logarithms, roots, trigonometric and hyperbolic ones."""

import numpy as np

from rushlight.ops.table import unary

__all__ = ["cos", "exp", "log", "reciprocal", "sin", "tanh"]

exp = unary("exp", np.exp, lambda grad, result: grad * result, "e to the power of each element.")
log = unary("log", np.log, lambda grad, input: grad / input, "The natural logarithm of each element.")
sin = unary("sin", np.sin, lambda grad, input: grad * np.cos(input), "The sine of each element, in radians.")
cos = unary("cos", np.cos, lambda grad, input: -grad * np.sin(input), "The cosine of each element, in radians.")
tanh = unary("tanh", np.tanh, lambda grad, result: grad * (1 - result * result), "The hyperbolic tangent of each element.")
reciprocal = unary("reciprocal", np.reciprocal, lambda grad, result: -grad * result * result, "1 over each element.")
