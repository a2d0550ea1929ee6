"""Every operator of PyTorch's database that rushlight has, in every kind of check."""
