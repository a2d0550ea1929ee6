"""IDX files, the format of MNIST: a header with the sizes of the dimensions, then bytes; optionally gzipped."""

import gzip
import math
import zlib
from pathlib import Path

import numpy as np

BYTES = 8  # the type code in the header for unsigned bytes


def read_idx(file: Path) -> np.ndarray:
    """The array in an IDX file of bytes. RuntimeError, naming the file, if it is damaged or not an IDX file."""
    data = read(file)
    if len(data) < 4 or data[:2] != b"\0\0":
        raise RuntimeError(f"{file} is no IDX file: it does not begin with two zero bytes.")
    if data[2] != BYTES:
        raise RuntimeError(f"{file} does not hold unsigned bytes (type {data[2]}, not {BYTES}).")
    ndim = data[3]
    start = 4 + 4 * ndim
    if len(data) < start:
        raise RuntimeError(f"{file} ends within its header.")
    shape = tuple(np.frombuffer(data, ">u4", ndim, 4).tolist())
    if len(data) - start != math.prod(shape):
        promised = " × ".join(map(str, shape))
        raise RuntimeError(f"{file} is damaged: its header promises {promised} bytes, but it has {len(data) - start}.")
    return np.frombuffer(data, np.uint8, offset=start).reshape(shape)


def read(file: Path) -> bytearray:
    """The bytes of a file, unzipped if its name ends in .gz."""
    try:
        with gzip.open(file) if file.suffix == ".gz" else open(file, "rb") as opened:
            return bytearray(opened.read())
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise RuntimeError(f"{file} is damaged: {error}") from None
