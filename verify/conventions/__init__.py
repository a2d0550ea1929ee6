"""PyTorch's signatures, arguments that fit them, and the ways to give these arguments."""
