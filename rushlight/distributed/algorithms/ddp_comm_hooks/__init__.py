"""Hooks for `DistributedDataParallel.register_comm_hook`: how a bucket of gradients is averaged over the processes."""
