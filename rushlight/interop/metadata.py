"""What `importlib.metadata` finds of the served packages: programs ask there for the version of PyTorch."""

from collections.abc import Iterable
from importlib.metadata import Distribution, DistributionFinder
from typing import Any

from rushlight import vision
from rushlight.version import __version__

__all__ = ["Served", "served"]

VERSIONS = {"torch": __version__, "torchvision": vision.__version__}


class Served(Distribution):
    """A served package, which has a name and a version, and no files of its own."""

    def __init__(self, root: str):
        self.root = root

    def read_text(self, filename: str) -> str | None:
        """The text of one of a package's files of metadata; None for those that there are not."""
        texts = {
            "METADATA": f"Metadata-Version: 2.1\nName: {self.root}\nVersion: {VERSIONS[self.root]}\n",
            "top_level.txt": f"{self.root}\n",
        }
        return texts.get(filename)

    def locate_file(self, path: Any) -> Any:
        """Raises FileNotFoundError: no file belongs to the package."""
        raise FileNotFoundError(f"{self.root} is served by rushlight and has no file {path}")


def served(roots: Iterable[str], context: DistributionFinder.Context) -> list[Served]:
    """The packages among `roots` that are asked for: one by name, or all."""
    return [Served(root) for root in roots if root in VERSIONS and context.name in (None, root)]
