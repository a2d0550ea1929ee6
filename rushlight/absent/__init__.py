"""What PyTorch has and rushlight lacks: the table of names, and the errors for them."""
