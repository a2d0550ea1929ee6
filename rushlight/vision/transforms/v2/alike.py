"""The transforms of v1 as transforms of samples, whose images, boxes and masks they change alike."""

from typing import Any

from rushlight.vision.transforms import autoaugment as policies
from rushlight.vision.transforms import changes, pixel_changes, tone_changes, turning_changes, warping_changes
from rushlight.vision.transforms.transform import Transform
from rushlight.vision.transforms.v2.samples import IMAGES, changed_alike, refuse
from rushlight.vision.tv_tensors.boxes import BoundingBoxes
from rushlight.vision.tv_tensors.kinds import Mask, TVTensor

MOVING = """
    CenterCrop ElasticTransform Pad RandomAffine RandomCrop RandomHorizontalFlip RandomPerspective RandomResizedCrop
    RandomRotation RandomVerticalFlip Resize
""".split()  # boxes and masks are changed too; others change images alone
REFUSING = ("FiveCrop", "TenCrop", *policies.__all__)  # which move pixels, and could not tell where to


def of_samples(first: type[Transform]) -> type[Transform]:
    """The class of a transform of images, for samples."""
    kinds = (TVTensor,) if first.__name__ in MOVING else IMAGES
    refused = (BoundingBoxes, Mask) if first.__name__ in REFUSING else ()

    def forward(self: Any, *inputs: Any) -> Any:
        refuse(inputs, refused, f"{first.__name__}()")
        return changed_alike(lambda one: first.forward(self, one), inputs, kinds)

    body = {"forward": forward, "__doc__": first.__doc__, "__module__": __name__}
    made: type[Transform] = type(first.__name__, (first,), body)
    return made


MADE = {
    name: of_samples(value)
    for module in (changes, pixel_changes, tone_changes, turning_changes, warping_changes, policies)
    for name, value in vars(module).items()
    if name in module.__all__ and isinstance(value, type) and issubclass(value, Transform)
}
