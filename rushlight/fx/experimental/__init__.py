"""Tracing below the functions that programs call, which PyTorch's compiler does and rushlight does not."""
