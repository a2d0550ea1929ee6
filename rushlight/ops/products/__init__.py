"""Products of vectors, matrices and tensors, and transforms that are made of them."""
