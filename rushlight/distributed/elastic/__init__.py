"""What programs import from PyTorch's elastic launcher; here MPI launches processes."""
