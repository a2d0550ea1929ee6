"""What rushlight is checked by, part by part, and the table of what came out (`python -m verify`)."""
