"""What a call with wrong arguments is told: PyTorch's signatures, the forms of a call, the types without kernels."""
