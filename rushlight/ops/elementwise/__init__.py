"""Operators that compute each element for itself."""
