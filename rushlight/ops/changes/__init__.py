"""In-place operations: methods with an underscore, in-place view operations, and `select_scatter` and the like."""
