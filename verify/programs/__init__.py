"""Random programs, run on rushlight and on PyTorch."""
