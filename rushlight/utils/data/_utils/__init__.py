"""The place of the data loader's parts in PyTorch."""
