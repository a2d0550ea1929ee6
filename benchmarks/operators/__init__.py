"""Every operator compared with PyTorch's: the calls (table.txt), their inputs (inputs.py), the workloads."""
