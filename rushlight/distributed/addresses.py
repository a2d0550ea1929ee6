"""How processes without an MPI launcher find each other: by environment variables, an address, or a file."""

import os
from collections.abc import Iterator
from datetime import timedelta
from functools import cache
from urllib.parse import parse_qs, urlparse

from rushlight.distributed.stores import FileStore, PrefixStore, Store, TCPStore

__all__ = ["check_scheme", "place_of", "rendezvous", "store_of"]


def from_environment(name: str, given: int) -> int:
    """A number from an argument, or else from the environment. ValueError if neither gives it."""
    if given >= 0:
        return given
    if name not in os.environ:
        raise ValueError(
            f"Error initializing torch.distributed using env:// rendezvous: environment variable {name} expected, but "
            "not set. Start the program with `rushlight launch -n 4 script.py`, or with mpiexec."
        )
    return int(os.environ[name])


def check_scheme(init_method: str | None) -> None:
    """RuntimeError for an address with an unknown scheme."""
    scheme = urlparse(init_method or "env://").scheme
    if scheme not in ("env", "tcp", "file"):
        raise RuntimeError(f"No rendezvous handler for {scheme}://: use env://, tcp://host:port or file:///path.")


def place_of(init_method: str | None, world_size: int, rank: int) -> tuple[int, int]:
    """The rank and world size, from an address or the environment. ValueError if they are missing."""
    url = urlparse(init_method or "env://")
    query = {name: int(values[0]) for name, values in parse_qs(url.query).items()}
    rank, world_size = query.get("rank", rank), query.get("world_size", world_size)
    if url.scheme == "env":
        rank, world_size = from_environment("RANK", rank), from_environment("WORLD_SIZE", world_size)
    elif rank < 0 or world_size < 0:
        missing = "rank" if rank < 0 else "world size"
        raise ValueError(
            f"Error initializing torch.distributed using {url.scheme}:// rendezvous: {missing} parameter missing"
        )
    if not 0 <= rank < world_size:
        raise ValueError(f"rank {rank} is not within the world size {world_size}")
    return rank, world_size


def store_of(
    init_method: str | None,
    world_size: int,
    rank: int,
    store: Store | None,
    timeout: timedelta,
    purpose: str = "default_pg",
) -> tuple[Store | None, int, int]:
    """The store that the processes share, this process's rank, and their number; no store for a single process.

    Each purpose for which processes meet has its own keys in the store. ValueError for a missing address, rank or size.
    rank or a size is missing.
    """
    if store is not None:
        if world_size <= 0 or rank < 0:
            raise ValueError("world_size and rank must be positive if using store")
        return PrefixStore(purpose, store), rank, world_size
    check_scheme(init_method)
    rank, world_size = place_of(init_method, world_size, rank)
    if world_size == 1:
        return None, rank, world_size
    url = urlparse(init_method or "env://")
    if url.scheme == "file":
        return PrefixStore(purpose, FileStore(url.path, world_size)), rank, world_size
    if url.scheme == "tcp":
        host, port = url.hostname, url.port
    else:
        host, port = os.environ.get("MASTER_ADDR"), from_environment("MASTER_PORT", -1)
    if not host or port is None:
        raise ValueError("MASTER_ADDR expected in the environment, or a host and a port in tcp://host:port.")
    if rank == 0:
        serve(host, port, os.getpid())
    found = TCPStore(host, port, world_size, False, timeout, wait_for_workers=False)
    return PrefixStore(purpose, found), rank, world_size


@cache
def serve(host: str, port: int, process: int) -> TCPStore:
    """Makes this process serve a store at an address: once, for all who use it."""
    return TCPStore(host, port, is_master=True, wait_for_workers=False)


def rendezvous(
    url: str, rank: int = -1, world_size: int = -1, timeout: timedelta = timedelta(minutes=30)
) -> Iterator[tuple[Store | None, int, int]]:
    """The store, rank and size for a URL, as an iterator like PyTorch's handlers; it yields once.

    >>> import rushlight.distributed as dist
    >>> store, rank, world_size = next(iter(dist.rendezvous("tcp://127.0.0.1:0", rank=0, world_size=1)))
    >>> rank, world_size
    (0, 1)
    """
    yield store_of(url, world_size, rank, None, timeout, "rendezvous")
