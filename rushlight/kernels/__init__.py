"""Numeric functions that NumPy lacks, on bare arrays: nothing here knows tensors or graphs."""
