"""The type of `__version__`: a string that compares as a version."""

import re
from collections.abc import Iterable
from typing import Any

__all__ = ["TorchVersion"]


class TorchVersion(str):
    """A version string that compares with other versions, strings and tuples of numbers as a version.

    >>> from rushlight.torch_version import TorchVersion
    >>> TorchVersion("2.13.0+cpu") >= "2.9", TorchVersion("2.13.0") > (2, 13)
    (True, False)
    """

    __slots__ = ()

    def __lt__(self, other: Any) -> bool:
        return key(self) < key(other)

    def __le__(self, other: Any) -> bool:
        return key(self) <= key(other)

    def __gt__(self, other: Any) -> bool:
        return key(self) > key(other)

    def __ge__(self, other: Any) -> bool:
        return key(self) >= key(other)

    def __eq__(self, other: Any) -> bool:
        try:
            return isinstance(other, (str, tuple, list)) and key(self) == key(other)
        except ValueError:  # the other string is not a version
            return False

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return str.__hash__(self)


def key(version: str | Iterable[Any]) -> tuple[Any, ...]:
    """The sort key of versions.

    It consists of the release numbers without trailing zeros, whether it is a pre-release (`a`, `b`, `rc`, `dev`), and
    the local part.
    """
    text = version if isinstance(version, str) else ".".join(map(str, version))
    public, _, local = str.partition(str(text), "+")
    found = re.match(r"v?(\d+(?:\.\d+)*)(.*)", public)
    if found is None:
        raise ValueError(f"Invalid version: '{text}'")
    release = [int(part) for part in found[1].split(".")]
    while release and release[-1] == 0:
        release.pop()
    early = re.match(r"[._-]?(dev|a|b|rc)[a-z]*[._-]?(\d*)", found[2])
    stage = (("dev", "a", "b", "rc").index(early[1]), int(early[2] or 0)) if early else (4, 0)
    return tuple(release), stage, local
