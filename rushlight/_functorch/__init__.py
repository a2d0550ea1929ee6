"""`torch._functorch`, which libraries import from: the functions of `torch.func` where PyTorch's own code has them."""
