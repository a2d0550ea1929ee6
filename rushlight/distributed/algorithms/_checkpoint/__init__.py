"""Modules that save less for the backward pass."""
