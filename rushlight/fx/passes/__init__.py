"""What is found out of graphs."""
