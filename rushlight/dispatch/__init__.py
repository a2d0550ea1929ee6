"""`__torch_dispatch__`: classes and modes that take the calls below autograd over, as PyTorch's dispatcher makes them.

It is loaded when the first such class is defined, or `torch.utils._python_dispatch` imported.
"""
