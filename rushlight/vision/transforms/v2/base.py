"""The class that programs derive their own transforms of v2 from."""

from typing import Any

from rushlight import nn
from rushlight.utils.pytree import tree_flatten, tree_unflatten
from rushlight.vision.transforms.v2.samples import changing, whole
from rushlight.vision.tv_tensors.kinds import TVTensor

__all__ = ["Transform"]


class Transform(nn.Module):
    """Base class: `transform` changes each image of a call, by the numbers that `make_params` draws once.

    Images are PIL images and those of `tv_tensors`, or where there are none, the first tensor. `transform` also gets
    the boxes, masks and videos of `tv_tensors`, or only those of the classes in `kinds`. Everything else is returned
    unchanged.

    >>> import rushlight as torch
    >>> from rushlight.vision.transforms import v2
    >>> class Brighter(v2.Transform):
    ...     def make_params(self, flat_inputs):
    ...         return {"by": 0.5}
    ...     def transform(self, inpt, params):
    ...         return inpt + params["by"]
    >>> Brighter()(torch.zeros(1), {"label": 3})
    (tensor([0.5000]), {'label': 3})
    """

    kinds: tuple[type, ...] = (TVTensor,)

    def check_inputs(self, flat_inputs: list[Any]) -> None:
        """For subclasses: raises an error for inputs that are not supported."""

    def make_params(self, flat_inputs: list[Any]) -> dict[str, Any]:
        """For subclasses: the numbers of one call."""
        return {}

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        """For subclasses: an image changed by the numbers of a call."""
        raise NotImplementedError

    def forward(self, *inputs: Any) -> Any:
        """The inputs, with their images changed."""
        flat, structure = tree_flatten(whole(inputs))
        self.check_inputs(flat)
        chosen = changing(flat, self.kinds)
        params = self.make_params([flat[k] for k in chosen])
        for k in chosen:
            flat[k] = self.transform(flat[k], params)
        return tree_unflatten(flat, structure)

    def extra_repr(self) -> str:
        """The settings that are numbers, words or lists."""
        own = {name: value for name, value in vars(self).items() if not name.startswith("_") and name != "training"}
        kinds = (bool, int, float, str, tuple, list)
        return ", ".join(f"{name}={value}" for name, value in own.items() if isinstance(value, kinds))
