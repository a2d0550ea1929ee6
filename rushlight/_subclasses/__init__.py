"""Where PyTorch has the tensors of its compiler: there are none here."""
