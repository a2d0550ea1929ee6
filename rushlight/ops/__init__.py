"""The operators, a file for each family. `table` has the forms they are entered in."""
