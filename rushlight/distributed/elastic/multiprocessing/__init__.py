"""What programs import from PyTorch's elastic launcher."""
