"""Tracing below the public functions, which PyTorch's compiler does and rushlight does not."""
