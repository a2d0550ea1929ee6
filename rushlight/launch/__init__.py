"""Programs on several processes: how MPI starts them, what they know of each other, how they end."""
