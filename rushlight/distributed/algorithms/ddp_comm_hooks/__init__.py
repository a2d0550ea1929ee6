"""Hooks for `DistributedDataParallel.register_comm_hook`: how a bucket of gradients becomes the average of all."""
