"""The public function for a name in PyTorch's operator database, in either library."""

import functools


def function_of(torch, name, variant=""):
    """The function that a name of the operator list stands for: torch.NAME, or a method or attribute of Tensor."""
    for key in (f"{name}-{variant}", name):
        if key in CALLS:
            return CALLS[key](torch)
    parent, _, last = name.rpartition(".")
    place = torch
    for part in parent.split(".") if parent else ():
        place = getattr(place, part)
    if hasattr(place, last) and not isinstance(getattr(place, last), torch.dtype):
        return getattr(place, last)
    found = getattr(torch.Tensor, last)
    return found if callable(found) else (lambda x, *args, **kwargs: getattr(x, last))


# PyTorch's samples do not always come in the order of the public function's arguments.
CALLS = {
    "__getitem__": lambda torch: lambda x, index: x[index],
    "__radd__": lambda torch: lambda x, other: other + x,
    "__rdiv__": lambda torch: lambda x, other: other / x,
    "__rmatmul__": lambda torch: lambda x, other: other @ x,
    "__rmod__": lambda torch: lambda x, other: other % x,
    "__rmul__": lambda torch: lambda x, other: other * x,
    "__rpow__": lambda torch: lambda x, other: other**x,
    "__rsub__": lambda torch: lambda x, other: other - x,
    "zero_": lambda torch: lambda x: x.clone().zero_(),
    "einsum": lambda torch: lambda operands, equation: torch.einsum(equation, *operands),
    "polygamma": lambda torch: lambda x, n, **kwargs: torch.polygamma(n, x, **kwargs),
    "special.polygamma": lambda torch: lambda x, n, **kwargs: torch.special.polygamma(n, x, **kwargs),
    "where": lambda torch: lambda x, condition, other: torch.where(condition, x, other),
    "nn.functional.embedding": lambda torch: (
        lambda weight, index, **kwargs: torch.nn.functional.embedding(index, weight, **kwargs)
    ),
    "nn.functional.embedding_bag": lambda torch: (
        lambda weight, index, **kwargs: torch.nn.functional.embedding_bag(index, weight, **kwargs)
    ),
    "svd_lowrank": lambda torch: lambda a, b, **kwargs: torch.svd_lowrank(a @ b.mT, **kwargs),
    "pca_lowrank": lambda torch: lambda a, b, **kwargs: torch.pca_lowrank(a @ b.mT, **kwargs),
    "linalg.pinv-singular": lambda torch: lambda a, b: torch.linalg.pinv(a @ b.mT),
    "linalg.lstsq-grad_oriented": lambda torch: lambda a, b, driver: torch.linalg.lstsq(a, b, driver=driver)[:2],
    "normal-number_mean": lambda torch: lambda std, mean, **kwargs: torch.normal(mean, std, **kwargs),
    "slice": lambda torch: torch.ops.aten.slice,
    "native_dropout_backward": lambda torch: torch.ops.aten.native_dropout_backward,
    "max_pool2d_with_indices_backward": lambda torch: functools.partial(max_pool2d_backward, torch),
}


def max_pool2d_backward(torch, x, *, kernel_size, stride=(), padding=(0,), dilation=(1,), ceil_mode=False, **_):
    """The adjoint of max pooling at the result of the pooling itself, as PyTorch samples it."""
    out, indices = torch.nn.functional.max_pool2d_with_indices(
        x, kernel_size, stride or None, padding, dilation, ceil_mode, return_indices=True
    )
    kernel_size, stride, padding, dilation = (
        [v] if isinstance(v, int) else list(v) for v in (kernel_size, stride or (), padding, dilation)
    )
    backward = torch.ops.aten.max_pool2d_with_indices_backward
    return backward(torch.ones_like(out), x, kernel_size, stride, padding, dilation, ceil_mode, indices)
