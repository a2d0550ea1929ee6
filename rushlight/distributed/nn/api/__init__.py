"""Remote modules."""
