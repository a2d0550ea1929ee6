"""`torchvision.io`: reading and writing image files as tensors (C, H, W), by Pillow."""

import io
import os
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.dtypes import uint8
from rushlight.ops.making.from_data import from_numpy
from rushlight.tensors import Tensor

__all__ = [
    "ImageReadMode",
    "decode_gif",
    "decode_image",
    "decode_jpeg",
    "decode_png",
    "decode_webp",
    "encode_jpeg",
    "encode_png",
    "read_file",
    "read_image",
    "write_file",
    "write_jpeg",
    "write_png",
]

_explain_misses(globals())


class ImageReadMode(Enum):
    """The channels to convert an image to: unchanged, gray or RGB, with or without alpha."""

    UNCHANGED = 0
    GRAY = 1
    GRAY_ALPHA = 2
    RGB = 3
    RGB_ALPHA = 4


MODES = {"GRAY": "L", "GRAY_ALPHA": "LA", "RGB": "RGB", "RGB_ALPHA": "RGBA"}


def read_file(path: str | os.PathLike[str]) -> Tensor:
    """The bytes of a file, as a one-dimensional uint8 tensor."""
    return from_numpy(np.fromfile(Path(path), np.uint8))


def write_file(filename: str | os.PathLike[str], data: Tensor) -> None:
    """Writes bytes to a file."""
    Path(filename).write_bytes(bytes_of(data))


def bytes_of(data: Tensor) -> bytes:
    """The bytes that a tensor holds. RuntimeError unless it is a one-dimensional uint8 tensor."""
    if data.dtype is not uint8 or data.dim() != 1 or not data.numel():
        raise RuntimeError(
            f"Expected a non empty 1-dimensional tensor of uint8, but got {data.dtype} of shape {tuple(data.shape)}. "
            "Give what read_file returns."
        )
    return data.numpy().tobytes()


def opened(data: Tensor) -> Any:
    """A PIL image from bytes. RuntimeError if they are not an image."""
    from PIL import Image, UnidentifiedImageError

    try:
        return Image.open(io.BytesIO(bytes_of(data)))
    except UnidentifiedImageError:
        raise RuntimeError("The bytes are no image that Pillow can read. Give the bytes of a PNG, JPEG, ...") from None


def as_tensor(image: Any, mode: ImageReadMode | str) -> Tensor:
    """A PIL image as a tensor, with the channels of a mode."""
    wanted = MODES.get((ImageReadMode[mode.upper()] if isinstance(mode, str) else mode).name)
    if wanted is None and image.mode not in ("L", "LA", "RGB", "RGBA", "I;16"):
        wanted = "RGBA" if "transparency" in image.info or "A" in image.mode else "RGB"
    array = np.array(image if wanted in (None, image.mode) else image.convert(wanted))
    return from_numpy(np.ascontiguousarray(array[None] if array.ndim == 2 else array.transpose(2, 0, 1)))


def decode_image(
    input: Tensor | str | os.PathLike[str],
    mode: ImageReadMode | str = ImageReadMode.UNCHANGED,
    apply_exif_orientation: bool = False,
) -> Tensor:
    """Decodes an image (C, H, W) from a file's bytes or path; several frames are (N, C, H, W).

    RuntimeError for bytes that are not an image.

    >>> from rushlight.vision.io import decode_image, encode_png
    >>> import rushlight as torch
    >>> image = torch.arange(12, dtype=torch.uint8).reshape(3, 2, 2)
    >>> torch.equal(decode_image(encode_png(image)), image)
    True
    """
    from PIL import ImageOps

    data = input if isinstance(input, Tensor) else read_file(input)
    image = opened(data)
    if getattr(image, "n_frames", 1) > 1:
        return decode_gif(data)
    return as_tensor(ImageOps.exif_transpose(image) if apply_exif_orientation else image, mode)


def read_image(
    path: str | os.PathLike[str],
    mode: ImageReadMode | str = ImageReadMode.UNCHANGED,
    apply_exif_orientation: bool = False,
) -> Tensor:
    """Reads an image (C, H, W) from a file."""
    return decode_image(read_file(path), mode, apply_exif_orientation)


def decode_of(kind: str) -> Any:
    """Makes the function that decodes one file format."""

    def decode(
        input: Tensor, mode: ImageReadMode | str = ImageReadMode.UNCHANGED, apply_exif_orientation: bool = False
    ) -> Tensor:
        if (found := opened(input).format) != kind.upper():
            raise RuntimeError(f"decode_{kind}: the bytes are those of a {found} file. Use decode_image.")
        return decode_image(input, mode, apply_exif_orientation)

    decode.__name__ = decode.__qualname__ = f"decode_{kind}"
    decode.__doc__ = f"An image (C, H, W), of the bytes of a {kind.upper()} file. RuntimeError for other files."
    return decode


decode_png, decode_webp = decode_of("png"), decode_of("webp")
decode_jpeg_: Any = decode_of("jpeg")


def decode_jpeg(
    input: Tensor | list[Tensor],
    mode: ImageReadMode | str = ImageReadMode.UNCHANGED,
    device: Any = "cpu",
    apply_exif_orientation: bool = False,
) -> Any:
    """Decodes an image (C, H, W) from the bytes of a JPEG file; for a list, a list of images."""
    if isinstance(input, list):
        return [decode_jpeg(one, mode, device, apply_exif_orientation) for one in input]
    return decode_jpeg_(input, mode, apply_exif_orientation).to(device)


def decode_gif(input: Tensor) -> Tensor:
    """Decodes the frames of a GIF file in RGB: (N, C, H, W), or (C, H, W) for a single one."""
    image, frames = opened(input), []
    for number in range(getattr(image, "n_frames", 1)):
        image.seek(number)
        frames.append(np.array(image.convert("RGB")).transpose(2, 0, 1))
    return from_numpy(np.ascontiguousarray(frames[0] if len(frames) == 1 else np.stack(frames)))


def encoded(kind: str, input: Tensor, **options: Any) -> Tensor:
    """The bytes of an image file. RuntimeError unless `input` is a uint8 image with one or three channels."""
    from PIL import Image

    if input.dtype is not uint8 or input.dim() != 3 or input.shape[0] not in (1, 3):
        raise RuntimeError(
            f"Input data should be a uint8 tensor of 3 dimensions with 1 or 3 channels, got {input.dtype} of shape "
            f"{tuple(input.shape)}. Convert it first: (image * 255).to(torch.uint8)."
        )
    array = input.numpy()
    memory = io.BytesIO()
    Image.fromarray(array[0] if len(array) == 1 else array.transpose(1, 2, 0)).save(memory, kind, **options)
    return from_numpy(np.frombuffer(memory.getvalue(), np.uint8).copy())


def encode_png(input: Tensor, compression_level: int = 6) -> Tensor:
    """Encodes an image (C, H, W) as a PNG file. RuntimeError for a level that is not between 0 and 9."""
    if not 0 <= compression_level <= 9:
        raise RuntimeError("Compression level should be between 0 and 9")
    return encoded("PNG", input, compress_level=compression_level)


def write_png(input: Tensor, filename: str | os.PathLike[str], compression_level: int = 6) -> None:
    """Writes an image (C, H, W) to a PNG file."""
    write_file(filename, encode_png(input, compression_level))


def encode_jpeg(input: Tensor | list[Tensor], quality: int = 75) -> Any:
    """Encodes an image (C, H, W) as a JPEG file; for a list, a list of files.

    ValueError for a quality that is not between 1 and 100.
    """
    if not 1 <= quality <= 100:
        raise ValueError("Image quality should be a positive number between 1 and 100")
    if isinstance(input, list):
        return [encode_jpeg(one, quality) for one in input]
    return encoded("JPEG", input, quality=quality)


def write_jpeg(input: Tensor, filename: str | os.PathLike[str], quality: int = 75) -> None:
    """Writes an image (C, H, W) to a JPEG file."""
    write_file(filename, encode_jpeg(input, quality))
