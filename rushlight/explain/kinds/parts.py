"""Parts of containers: their line is where they are constructed, as the line that calls the container says nothing."""

from typing import Any


def by_module(case: Any, site: Any) -> tuple[Any, str]:
    """The line to look at for an operation at a site, and which part of a container did it, in words."""
    module = None if site is None or getattr(site, "part", None) is None else site.part()
    if module is None:
        return site, ""
    built = case.readings.built_at(module)
    return built or site, f" (by {case.names.of(module, 'a module')}, a {type(module).__name__})"
