"""Indexing operators: they read or write elements by indices and masks."""
