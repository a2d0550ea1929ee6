"""`__torch_dispatch__`: classes and modes that handle the calls below autograd, as PyTorch's dispatcher makes them.

It is loaded when the first such class is defined, or `torch.utils._python_dispatch` is imported.
"""
