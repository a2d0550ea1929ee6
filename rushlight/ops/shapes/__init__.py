"""Operators that arrange elements anew: shapes, slices, pieces, padding."""
