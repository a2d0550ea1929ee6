"""What programs import of PyTorch's elastic launcher; MPI launches processes here."""
