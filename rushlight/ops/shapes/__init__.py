"""Operators that change the shape or arrangement of elements: views, slices, joining, splitting, padding."""
