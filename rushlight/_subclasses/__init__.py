"""In PyTorch this module has the tensors of its compiler; rushlight has none."""
