"""Fuzzers with the sizes, broadcasting and strides that PyTorch's own measurements of operators use."""
