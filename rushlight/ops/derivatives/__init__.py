"""Rules of forward mode and of Taylor series that entries share, and what profilers show of a call."""
