"""Small programs that use libraries written for PyTorch, and what they print with PyTorch."""
