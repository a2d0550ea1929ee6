"""Operators along dimensions: sums, norms, extremes, running and ordered ones."""
