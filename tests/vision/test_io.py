"""Images in files."""

import numpy as np
import pytest

import rushlight as torch
from rushlight.vision import io

Image = pytest.importorskip("PIL.Image")
COLORS = torch.arange(3 * 4 * 5, dtype=torch.uint8).reshape(3, 4, 5) * 4
MODES = io.ImageReadMode


@pytest.mark.parametrize("image", [COLORS, COLORS[:1]], ids=["colors", "gray"])
def test_pictures_come_back(image, tmp_path):
    path = tmp_path / "image.png"
    io.write_png(image, path)
    for read in (io.read_image(path), io.decode_image(str(path)), io.decode_png(io.read_file(path))):
        assert torch.equal(read, image)
    smooth = torch.full_like(image, 100)
    io.write_jpeg(smooth, path, quality=95)
    assert torch.equal(io.decode_jpeg([io.read_file(path)])[0], smooth)
    with pytest.raises(RuntimeError, match="those of a JPEG file"):
        io.decode_png(io.read_file(path))


@pytest.mark.parametrize(
    ("own", "mode", "channels"),
    [
        ("P", MODES.UNCHANGED, 3),
        ("RGBA", MODES.UNCHANGED, 4),
        ("LA", "gray", 1),
        ("L", MODES.RGB, 3),
        ("RGB", "RGB_ALPHA", 4),
    ],
)
def test_channels(own, mode, channels, tmp_path):
    picture = Image.fromarray(COLORS.permute(1, 2, 0).numpy()).convert(own)
    picture.save(tmp_path / "image.png")
    found = io.read_image(tmp_path / "image.png", mode)
    name = {1: "L", 3: "RGB", 4: "RGBA"}[channels]
    wanted = np.atleast_3d(np.array(picture.convert(name))).transpose(2, 0, 1)
    assert found.dtype is torch.uint8
    assert found.tolist() == wanted.tolist()


def test_wide_numbers_and_frames(tmp_path):
    Image.fromarray(np.arange(6, dtype=np.uint16).reshape(2, 3) * 1000).save(tmp_path / "wide.png")
    assert io.read_image(tmp_path / "wide.png").tolist() == [[[0, 1000, 2000], [3000, 4000, 5000]]]
    first, second = (Image.new("RGB", (3, 2), color) for color in ("red", "blue"))
    first.save(tmp_path / "two.gif", save_all=True, append_images=[second])
    frames = io.decode_image(io.read_file(tmp_path / "two.gif"))
    assert frames.shape == (2, 3, 2, 3)
    assert frames[:, :, 0, 0].tolist() == [[255, 0, 0], [0, 0, 255]]


def test_orientation(tmp_path):
    picture = Image.fromarray(COLORS.permute(1, 2, 0).numpy())
    exif = picture.getexif()
    exif[274] = 6  # turned by a quarter
    picture.save(tmp_path / "image.png", exif=exif)
    assert io.read_image(tmp_path / "image.png").shape == (3, 4, 5)
    assert torch.equal(io.read_image(tmp_path / "image.png", apply_exif_orientation=True), COLORS.rot90(-1, (1, 2)))


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: io.encode_png(COLORS.float()), RuntimeError, "uint8 tensor of 3 dimensions"),
        (lambda: io.encode_jpeg(torch.zeros(2, 3, 3, dtype=torch.uint8)), RuntimeError, "1 or 3 channels"),
        (lambda: io.encode_png(COLORS, 10), RuntimeError, "between 0 and 9"),
        (lambda: io.encode_jpeg(COLORS, 0), ValueError, "between 1 and 100"),
        (lambda: io.decode_image(torch.ones(9, dtype=torch.uint8)), RuntimeError, "no image"),
        (lambda: io.decode_image(torch.ones(9)), RuntimeError, "1-dimensional tensor of uint8"),
    ],
)
def test_wrong_calls(call, error, words):
    with pytest.raises(error, match=words):
        call()
