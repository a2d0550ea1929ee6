"""What PyTorch has and rushlight has not: the table of names, and what asking for one of them says."""
