"""The files for checkers of types and editors: `rushlight/__init__.pyi` and `rushlight/tensors.pyi`.

The functions of the top level and the methods of tensors are entered by their families when rushlight is loaded, which
who only reads the source cannot see. `python -m stubs` writes them down from what is loaded: parameters as PyTorch
declares them (`rushlight/refusals/signatures.txt`), else as the functions are annotated. A test compares the files
with that.
"""
