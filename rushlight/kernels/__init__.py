"""The numeric functions that NumPy has no call for, on plain arrays: no tensors and no graphs in here."""
