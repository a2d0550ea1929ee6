"""Where PyTorch has the parts of its data loader."""
