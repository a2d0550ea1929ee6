"""Programs on several processes: how they are started with MPI, what they know of it, how they end."""
