"""Rules of forward mode and of Taylor mode that several operators share, and what the profiler shows of a call."""
