"""Products of vectors, matrices and tensors, and functions composed of them."""
