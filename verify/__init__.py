"""The checks of rushlight, part by part, and their tables of results (`python -m verify`)."""
