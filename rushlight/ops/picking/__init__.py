"""Operators that pick and put elements by indices and masks."""
