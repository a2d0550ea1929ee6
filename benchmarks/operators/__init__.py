"""Every operator against PyTorch's: the calls (table.txt), what they are given (inputs.py), the workloads."""
