"""Benchmarks: the same work in rushlight, PyTorch, JAX, HIPS autograd and bare NumPy, timed in turns in one run."""
