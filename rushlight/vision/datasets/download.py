"""Downloading gzipped files: checksums are verified, and files get their names only when complete."""

import gzip
import hashlib
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from urllib.request import urlopen

from rushlight.progress import progress

TIMEOUT = 30  # seconds without an answer
BLOCK = 1 << 20  # bytes


def download(name: str, md5: str, mirrors: Iterable[str], folder: Path) -> None:
    """Downloads a gzipped file from the first mirror that has it, and unzips it into a folder.

    RuntimeError if no mirror has the file with the right checksum; no partial file is left behind.
    """
    failures = []
    for mirror in mirrors:
        try:
            content = fetch(mirror + name, md5)
        except (OSError, ValueError) as error:
            failures.append(f"{mirror + name}: {error}")
            continue
        write(folder / name.removesuffix(".gz"), gzip.decompress(content))
        return
    advice = f"Without a network, put the file into {folder} yourself."
    raise RuntimeError("\n".join([f"Error downloading {name}", *failures, advice]))


def fetch(url: str, md5: str) -> bytes:
    """The content of a URL. OSError if it cannot be read, ValueError if the checksum is wrong."""
    print(f"Downloading {url}")
    with urlopen(url, timeout=TIMEOUT) as response:
        size = int(response.headers.get("Content-Length") or 0)
        content = b"".join([response.read(BLOCK) for _ in progress(range(0, size, BLOCK), "MiB")]) + response.read()
    found = hashlib.md5(content, usedforsecurity=False).hexdigest()
    if found != md5:
        raise ValueError(f"the checksum is {found}, not {md5}")
    return content


def write(file: Path, content: bytes) -> None:
    """Writes a file atomically: under a temporary name first, then it is renamed."""
    file.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with open(handle, "wb") as temporary:
            temporary.write(content)
        os.replace(name, file)
    except BaseException:
        os.unlink(name)
        raise
