"""Tensors that say what they hold, which transforms of v2 change together: images, videos, masks and boxes."""

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.vision.tv_tensors.boxes import BoundingBoxes, BoundingBoxFormat
from rushlight.vision.tv_tensors.kinds import Image, Mask, TVTensor, Video, set_return_type, wrap

__all__ = ["BoundingBoxFormat", "BoundingBoxes", "Image", "Mask", "TVTensor", "Video", "set_return_type", "wrap"]

_explain_misses(globals())
