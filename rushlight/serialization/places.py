"""The device to load memory to (`map_location`): always the CPU, whatever device it was saved from."""

from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight.devices import check_device, device

MapLocation = device | str | dict[Any, Any] | Callable[..., Any] | None


class Storage:
    """A piece of memory with numbered elements, as in files, and as functions for `map_location` get it."""

    array: np.ndarray
    key: str

    def __init__(self, array: np.ndarray, key: str = ""):
        self.array, self.key = array, key
        self.parts: dict[tuple[int, int], Storage] = {}

    def part(self, start: int, count: int) -> "Storage":
        """A range of the elements, which older files store as an object of its own."""
        return self.parts.setdefault((start, count), Storage(self.array[start : start + count], self.key))

    def nbytes(self) -> int:
        """The number of bytes."""
        return self.array.nbytes

    def cpu(self) -> "Storage":
        """Returns the storage: it is on the CPU."""
        return self

    def cuda(self, device: Any = None) -> "Storage":
        """Raises PyTorch's error for a device that is not available."""
        check_device("cuda")
        return self


def check_location(map_location: Any) -> None:
    """Raises PyTorch's errors for a device that is not available, and TypeError for a value that is not a device."""
    if isinstance(map_location, (str, device)):
        check_device(map_location)
    elif not (map_location is None or isinstance(map_location, dict) or callable(map_location)):
        raise TypeError(
            "map_location should be a device, the name of one, a dictionary from names to names, or a function of a "
            f"storage and a name, not {type(map_location).__name__}"
        )


def put_in_place(storages: list[tuple[Storage, str]], map_location: MapLocation) -> None:
    """Checks where `map_location` puts memory that was saved from some device: it must be the CPU."""
    for storage, location in storages:
        if isinstance(map_location, dict) and location in map_location:
            check_device(map_location[location])
        elif callable(map_location) and not isinstance(map_location(storage, location), (Storage, type(None))):
            raise TypeError("map_location should return the storage that it is given, or None")
