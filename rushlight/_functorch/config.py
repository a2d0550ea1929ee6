"""Options of PyTorch's ahead-of-time autograd: they can be set and read, and have no effect."""

activation_memory_budget = 1.0
aggressive_recomputation = False
cse = True
debug_assert = False
debug_partitioner = False
donated_buffer = False
enable_autograd_cache = False
functionalize_rng_ops = False
max_dist_from_bw = 1000
view_replay_for_aliased_outputs = True
