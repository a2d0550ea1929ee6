"""The original place of `fully_shard` in PyTorch."""
