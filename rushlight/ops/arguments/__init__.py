"""Checking and converting arguments: dimensions, indices, keywords, options, type promotion, shapes."""
