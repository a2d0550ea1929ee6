"""Every operator of PyTorch's database that rushlight names, in every kind of use."""
