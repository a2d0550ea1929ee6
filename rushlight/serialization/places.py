"""The device to load memory to (`map_location`): always the CPU, whatever device it was saved from."""

from collections.abc import Callable
from typing import Any

from rushlight.devices import check_device, device
from rushlight.storage import TypedStorage

MapLocation = device | str | dict[Any, Any] | Callable[..., Any] | None


def check_location(map_location: Any) -> None:
    """Raises PyTorch's errors for a device that is not available, and TypeError for a value that is not a device."""
    if isinstance(map_location, (str, device)):
        check_device(map_location)
    elif not (map_location is None or isinstance(map_location, dict) or callable(map_location)):
        raise TypeError(
            "map_location should be a device, the name of one, a dictionary from names to names, or a function of a "
            f"storage and a name, not {type(map_location).__name__}"
        )


def put_in_place(storages: list[tuple[TypedStorage, str]], map_location: MapLocation) -> None:
    """Checks where `map_location` puts memory that was saved from some device: it must be the CPU."""
    for storage, location in storages:
        if isinstance(map_location, dict) and location in map_location:
            check_device(map_location[location])
        elif callable(map_location) and not isinstance(map_location(storage, location), (TypedStorage, type(None))):
            raise TypeError("map_location should return the storage that it is given, or None")
