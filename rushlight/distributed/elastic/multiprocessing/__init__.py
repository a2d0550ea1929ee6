"""What programs import of PyTorch's elastic launcher."""
