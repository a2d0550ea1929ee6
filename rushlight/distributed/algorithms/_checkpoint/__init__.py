"""Wrappers of modules that save less memory for backward."""
