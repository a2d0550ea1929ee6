"""The numeric functions that NumPy lacks, on plain arrays: no tensors and no graphs in here."""
