"""The compiled core: what runs for every operation.

`graph` has the tensor's fields, nodes and saved values; `operators` what happens when an operator is called;
`arithmetic` Python's operators; `engine` the backward pass; `modes` the grad modes. Each is ordinary Python beside a
`.pxd` that gives its types: compiled at installation where there is a C compiler, run as it is where there is none.
"""
