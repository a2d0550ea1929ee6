"""Modules in other processes."""
