"""Pruning: masks keep elements of parameters at zero; a forward pre-hook applies them."""

import numbers
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any

import rushlight
from rushlight.nn.modules.module import Module
from rushlight.nn.utils.convert_parameters import parameters_to_vector
from rushlight.tensors import Tensor

__all__ = [
    "BasePruningMethod",
    "CustomFromMask",
    "Identity",
    "L1Unstructured",
    "LnStructured",
    "PruningContainer",
    "RandomStructured",
    "RandomUnstructured",
    "custom_from_mask",
    "global_unstructured",
    "identity",
    "is_pruned",
    "l1_unstructured",
    "ln_structured",
    "random_structured",
    "random_unstructured",
    "remove",
]


class BasePruningMethod(ABC):
    """A pruning method; a subclass defines `compute_mask` and `PRUNING_TYPE`.

    `PRUNING_TYPE` is "unstructured" (elements), "structured" (slices along `dim`) or "global" (the whole mask). The
    parameter is stored as `weight_orig`, the mask as the buffer `weight_mask`; `weight` is their product.
    """

    _tensor_name: str
    PRUNING_TYPE: str

    def __call__(self, module: Module, inputs: Any) -> None:
        """Applies the mask before a call of the module."""
        setattr(module, self._tensor_name, self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The new mask, from the importance of each element and the present mask; ones are kept."""

    def apply_mask(self, module: Module) -> Tensor:
        """The tensor times its mask."""
        original = getattr(module, f"{self._tensor_name}_orig")
        return getattr(module, f"{self._tensor_name}_mask").to(original.dtype) * original

    @classmethod
    def apply(
        cls, module: Module, name: str, *args: Any, importance_scores: Tensor | None = None, **kwargs: Any
    ) -> "BasePruningMethod":
        """Prunes a parameter of a module; one that is pruned already is pruned further."""
        method = together_with(hook_of(module, name), cls(*args, **kwargs), name)
        original = getattr(module, name)
        check_scores(importance_scores, original, f"parameter {name} of {module}")
        first = not isinstance(method, PruningContainer)
        mask = rushlight.ones_like(original) if first else getattr(module, f"{name}_mask").detach().clone()
        mask = method.compute_mask(original if importance_scores is None else importance_scores, default_mask=mask)
        if first:
            del module._parameters[name]
            module.register_parameter(f"{name}_orig", original)
        else:
            remove_hook(module, name)
        module.register_buffer(f"{name}_mask", mask)
        setattr(module, name, method.apply_mask(module))
        module.register_forward_pre_hook(method)
        return method

    def prune(self, t: Tensor, default_mask: Tensor | None = None, importance_scores: Tensor | None = None) -> Tensor:
        """A tensor pruned by this method."""
        check_scores(importance_scores, t, "tensor t")
        mask = rushlight.ones_like(t) if default_mask is None else default_mask
        return t * self.compute_mask(t if importance_scores is None else importance_scores, default_mask=mask)

    def remove(self, module: Module) -> None:
        """Makes the parameter an ordinary one, with zeros where it is pruned."""
        name = self._tensor_name
        pruned = self.apply_mask(module)
        if hasattr(module, name):
            delattr(module, name)
        original: Any = module._parameters.pop(f"{name}_orig")
        original.data = pruned.data
        del module._buffers[f"{name}_mask"]
        setattr(module, name, original)


def check_scores(scores: Tensor | None, tensor: Tensor, what: str) -> None:
    """Raises AssertionError if the importance scores have another shape than the tensor."""
    if scores is not None and scores.shape != tensor.shape:
        raise AssertionError(
            f"importance_scores should have the same shape as {what}, got {scores.shape} vs {tensor.shape}"
        )


def hook_of(module: Module, name: str) -> BasePruningMethod | None:
    """The pruning method of a parameter; None if it is not pruned."""
    hooks = module._forward_pre_hooks.values()
    return next((h for h in hooks if isinstance(h, BasePruningMethod) and h._tensor_name == name), None)


def remove_hook(module: Module, name: str) -> None:
    """Removes the pruning hook of a parameter."""
    hooks = module._forward_pre_hooks
    del hooks[next(key for key, hook in hooks.items() if hook is hook_of(module, name))]


def together_with(old: BasePruningMethod | None, method: BasePruningMethod, name: str) -> BasePruningMethod:
    """Combines a method with the present one of a parameter, if there is one."""
    method._tensor_name = name
    if old is None:
        return method
    both = PruningContainer(*old) if isinstance(old, PruningContainer) else PruningContainer(old)
    both.add_pruning_method(method)
    return both


class PruningContainer(BasePruningMethod):
    """Several pruning methods for one parameter; each selects among the elements that the previous ones kept."""

    def __init__(self, *args: BasePruningMethod):
        self._pruning_methods: tuple[BasePruningMethod, ...] = ()
        if args:
            self._tensor_name = args[0]._tensor_name
        for method in args:
            self.add_pruning_method(method)

    def add_pruning_method(self, method: BasePruningMethod) -> None:
        """Adds a method. TypeError for anything else; ValueError for a method of another parameter."""
        if not isinstance(method, BasePruningMethod):
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if self._tensor_name != method._tensor_name:
            raise ValueError(
                f"Can only add pruning methods acting on the parameter named '{self._tensor_name}' to PruningContainer "
                f"{self}. Found '{method._tensor_name}'"
            )
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Iterator[BasePruningMethod]:
        return iter(self._pruning_methods)

    def __getitem__(self, idx: Any) -> Any:
        return self._pruning_methods[idx]

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The mask of the last method, combined with that of the previous ones."""
        method = self._pruning_methods[-1]
        chosen = among(method, t, default_mask)
        mask = default_mask.to(t.dtype, copy=True)
        mask[chosen] = method.compute_mask(t[chosen], default_mask=default_mask[chosen]).to(mask.dtype)
        return mask


def among(method: BasePruningMethod, t: Tensor, mask: Tensor) -> Any:
    """The elements that a method may select among, by its type: those that the mask has kept."""
    if method.PRUNING_TYPE == "unstructured":
        return mask == 1
    whole: list[Any] = [slice(None)] * t.dim()
    if method.PRUNING_TYPE == "global":
        return tuple(whole)
    if method.PRUNING_TYPE != "structured":
        raise ValueError(f"Unrecognized PRUNING_TYPE {method.PRUNING_TYPE}")
    if not hasattr(method, "dim"):
        raise AttributeError('Pruning methods of PRUNING_TYPE "structured" need to have the attribute `dim` defined.')
    dim = method.dim + t.dim() if method.dim < 0 else method.dim
    if dim < 0:
        raise IndexError(f"Index is out of bounds for tensor with dimensions {t.dim()}")
    whole[dim] = mask.sum(dim=[d for d in range(t.dim()) if d != dim]) != 0
    return tuple(whole)


class Identity(BasePruningMethod):
    """Prunes nothing, but creates the mask."""

    PRUNING_TYPE: str = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The present mask."""
        return default_mask

    @classmethod
    def apply(cls, module: Module, name: str) -> BasePruningMethod:  # type: ignore[override]
        """Gives a parameter of a module a mask."""
        return super().apply(module, name)


class Amount(BasePruningMethod):
    """Base class of methods that prune a number or a fraction of elements or slices."""

    def __init__(self, amount: float):
        if not isinstance(amount, numbers.Real):
            raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
        if amount < 0 or (not isinstance(amount, numbers.Integral) and amount > 1):
            raise ValueError(f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer")
        self.amount: float = amount

    def count(self, size: int) -> int:
        """How many of `size` are to be pruned. ValueError if it exceeds `size`."""
        number = int(self.amount) if isinstance(self.amount, numbers.Integral) else round(self.amount * size)
        if number > size:
            raise ValueError(f"amount={number} should be smaller than the number of parameters to prune={size}")
        return number


class Unstructured(Amount):
    """Base class of methods that prune the elements with the smallest scores."""

    PRUNING_TYPE: str = "unstructured"
    largest = False

    def scores(self, t: Tensor) -> Tensor:
        """A score for each element."""
        raise NotImplementedError

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The present mask, without the elements with the smallest scores."""
        number = self.count(t.nelement())
        mask = default_mask.clone(memory_format=rushlight.contiguous_format)
        if number:
            mask.view(-1)[rushlight.topk(self.scores(t).reshape(-1), number, largest=self.largest).indices] = 0
        return mask


class RandomUnstructured(Unstructured):
    """Prunes random elements."""

    largest = True

    def scores(self, t: Tensor) -> Tensor:
        """Random numbers."""
        return rushlight.rand_like(t)

    @classmethod
    def apply(  # type: ignore[override]
        cls, module: Module, name: str, amount: float
    ) -> BasePruningMethod:
        """Prunes a parameter of a module: a number of elements, or a fraction."""
        return super().apply(module, name, amount=amount)


class L1Unstructured(Unstructured):
    """Prunes the elements with the smallest absolute values."""

    def scores(self, t: Tensor) -> Tensor:
        """Absolute values."""
        return rushlight.abs(t)

    @classmethod
    def apply(  # type: ignore[override]
        cls, module: Module, name: str, amount: float, importance_scores: Tensor | None = None
    ) -> BasePruningMethod:
        """Prunes a parameter of a module: a number of elements, or a fraction."""
        return super().apply(module, name, amount=amount, importance_scores=importance_scores)


class Structured(Amount):
    """Base class of methods that prune slices along a dimension."""

    PRUNING_TYPE: str = "structured"

    def __init__(self, amount: float, dim: int = -1):
        super().__init__(amount)
        self.dim = dim

    def kept(self, t: Tensor, number: int) -> Tensor:
        """The index of the slices that are kept when `number` slices are pruned."""
        raise NotImplementedError

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The present mask, without the pruned slices. ValueError for a vector, IndexError for a wrong dimension."""
        if t.dim() <= 1:
            raise ValueError(
                "Structured pruning can only be applied to multidimensional tensors. Found tensor of shape "
                f"{t.shape} with {t.dim()} dims"
            )
        if self.dim >= t.dim():
            raise IndexError(f"Invalid index {self.dim} for tensor of size {t.shape}")
        number = self.count(t.shape[self.dim])
        if not number:
            return default_mask
        mask = rushlight.zeros_like(t)
        mask.movedim(self.dim, 0)[self.kept(t, number)] = 1
        return mask * default_mask.to(mask.dtype)


class RandomStructured(Structured):
    """Prunes random slices."""

    def kept(self, t: Tensor, number: int) -> Tensor:
        """The slices with the largest random numbers."""
        drawn = rushlight.rand(t.shape[self.dim])
        return drawn > rushlight.kthvalue(drawn, k=number).values

    @classmethod
    def apply(  # type: ignore[override]
        cls, module: Module, name: str, amount: float, dim: int = -1
    ) -> BasePruningMethod:
        """Prunes a parameter of a module: a number of slices, or a fraction."""
        return super().apply(module, name, amount=amount, dim=dim)


class LnStructured(Structured):
    """Prunes the slices with the smallest norms of order `n`."""

    def __init__(self, amount: float, n: Any, dim: int = -1):
        super().__init__(amount, dim)
        self.n = n

    def kept(self, t: Tensor, number: int) -> Tensor:
        """The slices with the largest norms."""
        others = [d for d in range(t.dim()) if d != self.dim % t.dim()]
        norms = rushlight.norm(t, p=self.n, dim=others)
        return rushlight.topk(norms, k=t.shape[self.dim] - number, largest=True).indices

    @classmethod
    def apply(  # type: ignore[override]
        cls, module: Module, name: str, amount: float, n: Any, dim: int, importance_scores: Tensor | None = None
    ) -> BasePruningMethod:
        """Prunes a parameter of a module: a number of slices, or a fraction."""
        return super().apply(module, name, amount=amount, n=n, dim=dim, importance_scores=importance_scores)


class CustomFromMask(BasePruningMethod):
    """Prunes by a given mask."""

    PRUNING_TYPE: str = "global"

    def __init__(self, mask: Tensor):
        self.mask = mask

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The present mask times the given one."""
        if default_mask.shape != self.mask.shape:
            raise AssertionError(
                f"default_mask shape {default_mask.shape} must match self.mask shape {self.mask.shape}"
            )
        return default_mask * self.mask.to(default_mask.dtype)

    @classmethod
    def apply(cls, module: Module, name: str, mask: Tensor) -> BasePruningMethod:  # type: ignore[override]
        """Prunes a parameter of a module by a mask."""
        return super().apply(module, name, mask=mask)


def identity(module: Module, name: str) -> Module:
    """Gives a parameter a mask that prunes nothing."""
    Identity.apply(module, name)
    return module


def random_unstructured(module: Module, name: str, amount: float) -> Module:
    """Prunes random elements of a parameter: a number of them, or a fraction from 0 to 1."""
    RandomUnstructured.apply(module, name, amount=amount)
    return module


def l1_unstructured(module: Module, name: str, amount: float, importance_scores: Tensor | None = None) -> Module:
    """Prunes the elements of a parameter with the smallest absolute values or importance: a number, or a fraction.

    >>> import rushlight as torch
    >>> layer = torch.nn.Linear(2, 1)
    >>> layer.weight.data = torch.tensor([[0.1, -2.0]])
    >>> torch.nn.utils.prune.l1_unstructured(layer, "weight", amount=1).weight.detach()
    tensor([[ 0., -2.]])
    """
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module: Module, name: str, amount: float, dim: int) -> Module:
    """Prunes random slices of a parameter along a dimension."""
    RandomStructured.apply(module, name, amount=amount, dim=dim)
    return module


def ln_structured(
    module: Module, name: str, amount: float, n: Any, dim: int, importance_scores: Tensor | None = None
) -> Module:
    """Prunes the slices of a parameter along a dimension with the smallest norms of order `n`."""
    LnStructured.apply(module, name, amount=amount, n=n, dim=dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module: Module, name: str, mask: Tensor) -> Module:
    """Prunes a parameter by a given mask."""
    CustomFromMask.apply(module, name, mask=mask)
    return module


def global_unstructured(
    parameters: Iterable[tuple[Module, str]],
    pruning_method: type[BasePruningMethod],
    importance_scores: dict[Any, Any] | None = None,
    **kwargs: Any,
) -> None:
    """Prunes several parameters as if they were one. TypeError for methods that are not unstructured."""
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    scores = {} if importance_scores is None else importance_scores
    if not isinstance(scores, dict):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    places = list(parameters)
    method = pruning_method(**kwargs)
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method '
            f"{pruning_method} of type {method.PRUNING_TYPE}"
        )
    method._tensor_name = "temp"
    tensors = [getattr(module, name) for module, name in places]
    masks = [getattr(m, f"{n}_mask", rushlight.ones_like(t)) for (m, n), t in zip(places, tensors, strict=True)]
    important = [scores.get(place, tensor) for place, tensor in zip(places, tensors, strict=True)]
    mask = PruningContainer(method).compute_mask(parameters_to_vector(important), parameters_to_vector(masks))
    start = 0
    for (module, name), tensor in zip(places, tensors, strict=True):
        custom_from_mask(module, name, mask[start : start + tensor.numel()].view_as(tensor))
        start += tensor.numel()


def remove(module: Module, name: str) -> Module:
    """Makes a pruned parameter an ordinary one, with zeros. ValueError if it is not pruned."""
    method = hook_of(module, name)
    if method is None:
        raise ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")
    remove_hook(module, name)
    method.remove(module)
    return module


def is_pruned(module: Module) -> bool:
    """Whether any parameter of a module or its submodules is pruned.

    >>> import rushlight as torch
    >>> torch.nn.utils.prune.is_pruned(torch.nn.Linear(2, 1))
    False
    """
    hooks = [hook for part in module.modules() for hook in part._forward_pre_hooks.values()]
    return any(isinstance(hook, BasePruningMethod) for hook in hooks)
