"""What PyTorch's own test files use."""
