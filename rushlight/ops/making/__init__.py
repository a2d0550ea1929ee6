"""Tensors out of data, numbers, ranges and other tensors."""
