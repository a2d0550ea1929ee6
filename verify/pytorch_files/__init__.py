"""PyTorch's own test files, run with rushlight as their `torch`."""
