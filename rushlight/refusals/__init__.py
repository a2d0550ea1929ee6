"""Errors for calls with wrong arguments: by PyTorch's signatures, other forms of calls, and dtypes without kernels."""
