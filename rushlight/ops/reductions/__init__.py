"""Operators along dimensions: sums, norms, maxima and minima, cumulative functions, sorting."""
