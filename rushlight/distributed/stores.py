"""Stores: key-value pairs by which processes exchange short messages before they form a group.

`TCPStore` is a dictionary in one process, which the others reach through the standard library's XML-RPC; `FileStore` is
one in a SQLite file, `HashStore` one for the threads of a process.
"""

import sqlite3
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from socketserver import ThreadingMixIn
from typing import Any
from xmlrpc.client import Binary, ServerProxy
from xmlrpc.server import SimpleXMLRPCServer

from rushlight.core.locks import lock
from rushlight.distributed.errors import DistNetworkError, DistStoreError

__all__ = ["FileStore", "HashStore", "PrefixStore", "Store", "TCPStore"]

DEFAULT_TIMEOUT = timedelta(seconds=300)
PAUSE = 0.01  # seconds between two checks for a key


def as_bytes(value: str | bytes) -> bytes:
    """A value as bytes."""
    return value.encode() if isinstance(value, str) else bytes(value)


class Store:
    """Key-value pairs shared by several processes. Values are strings or bytes, and are returned as bytes.

    >>> import rushlight.distributed as dist
    >>> store = dist.HashStore()
    >>> isinstance(store, dist.Store), store.add("count", 1), store.add("count", 2)
    (True, 1, 3)
    """

    timeout: timedelta = DEFAULT_TIMEOUT

    def set_timeout(self, timeout: timedelta) -> None:
        """Sets the timeout of `get` and `wait`."""
        self.timeout = timeout

    def set(self, key: str, value: str | bytes) -> None:
        """Sets the value of a key."""
        self._update(key, lambda old: as_bytes(value))

    def get(self, key: str) -> bytes:
        """The value of a key; waits until it has one. DistStoreError after the store's timeout."""
        self.wait([key])
        value = self._look(key)
        assert value is not None
        return value

    def add(self, key: str, amount: int) -> int:
        """Adds to the number at a key, 0 at first; returns the sum."""
        return int(self._update(key, lambda old: str(int(old or b"0") + amount).encode()))

    def append(self, key: str, value: str | bytes) -> None:
        """Appends to a key's value."""
        self._update(key, lambda old: (old or b"") + as_bytes(value))

    def compare_set(self, key: str, expected: str | bytes, desired: str | bytes) -> bytes:
        """Sets the desired value if the key has the expected one, or has none and "" is expected; returns the value."""
        return self._update(key, lambda old: as_bytes(desired) if (old or b"") == as_bytes(expected) else old or b"")

    def check(self, keys: list[str]) -> bool:
        """Whether all the keys have values."""
        return all(self._look(key) is not None for key in keys)

    def multi_get(self, keys: list[str]) -> list[bytes]:
        """The values of several keys; waits until they have some."""
        return [self.get(key) for key in keys]

    def multi_set(self, keys: list[str], values: list[str | bytes]) -> None:
        """Sets the values of several keys. ValueError for lists of different lengths."""
        for key, value in zip(keys, values, strict=True):
            self.set(key, value)

    def has_extended_api(self) -> bool:
        """Whether `append`, `multi_get` and `multi_set` are supported: True."""
        return True

    def barrier(self, key: str, world_size: int, timeout: timedelta | None = None) -> None:
        """Waits until `world_size` callers have called it with the same key. DistStoreError after the timeout."""
        if self.add(f"{key}/came", 1) == world_size:
            self.set(f"{key}/all", "")
        self.wait([f"{key}/all"], timeout)

    def wait(self, keys: list[str], timeout: timedelta | None = None) -> None:
        """Waits until all the keys have values. DistStoreError after the timeout."""
        limit = timeout or self.timeout
        end = time.monotonic() + limit.total_seconds()
        while not self.check(keys):
            if time.monotonic() > end:
                missing = ", ".join(key for key in keys if not self.check([key]))
                raise DistStoreError(f"wait timeout after {limit / timedelta(milliseconds=1):.0f}ms, keys: {missing}")
            time.sleep(PAUSE)

    def delete_key(self, key: str) -> bool:
        """Deletes a key; returns whether it existed."""
        raise NotImplementedError

    def _look(self, key: str) -> bytes | None:
        """The present value of a key, or None."""
        raise NotImplementedError

    def _update(self, key: str, change: Callable[[bytes | None], bytes]) -> bytes:
        """Replaces a key's value by what `change` returns for it, atomically; returns the new value."""
        raise NotImplementedError


class HashStore(Store):
    """A store within one process.

    >>> from rushlight.distributed import HashStore
    >>> store = HashStore()
    >>> store.set("key", "value")
    >>> store.get("key"), store.add("count", 2), store.num_keys(), store.delete_key("key")
    (b'value', 2, 2, True)
    """

    def __init__(self) -> None:
        self._values: dict[str, bytes] = {}
        self._lock = lock()

    def _look(self, key: str) -> bytes | None:
        return self._values.get(key)

    def _update(self, key: str, change: Callable[[bytes | None], bytes]) -> bytes:
        with self._lock:
            self._values[key] = change(self._values.get(key))
            return self._values[key]

    def delete_key(self, key: str) -> bool:
        """Deletes a key; returns whether it existed."""
        return self._values.pop(key, None) is not None

    def num_keys(self) -> int:
        """The number of keys."""
        return len(self._values)


class FileStore(Store):
    """A store in a file, for processes that share a file system.

    >>> import rushlight.distributed as dist
    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "store")
    >>> dist.FileStore(path, 1).set("key", "value")
    >>> dist.FileStore(path, 1).get("key")
    b'value'
    """

    def __init__(self, file_name: str, world_size: int = -1):
        self.path = file_name
        self.world_size = world_size
        with self._open() as connection:
            connection.execute("CREATE TABLE IF NOT EXISTS pairs (key TEXT PRIMARY KEY, value BLOB)")

    def _open(self) -> sqlite3.Connection:
        return sqlite3.connect(self.path, timeout=60, isolation_level=None)

    def _run(self, statement: str, *values: Any) -> list[Any]:
        connection = self._open()
        try:
            return connection.execute(statement, values).fetchall()
        finally:
            connection.close()

    def _look(self, key: str) -> bytes | None:
        rows = self._run("SELECT value FROM pairs WHERE key = ?", key)
        return rows[0][0] if rows else None

    def _update(self, key: str, change: Callable[[bytes | None], bytes]) -> bytes:
        connection = self._open()
        try:
            connection.execute("BEGIN IMMEDIATE")
            rows = connection.execute("SELECT value FROM pairs WHERE key = ?", (key,)).fetchall()
            value = change(rows[0][0] if rows else None)
            connection.execute("INSERT OR REPLACE INTO pairs VALUES (?, ?)", (key, value))
            connection.execute("COMMIT")
            return value
        finally:
            connection.close()

    def delete_key(self, key: str) -> bool:
        """Deletes a key; returns whether it existed."""
        return bool(self._run("DELETE FROM pairs WHERE key = ? RETURNING key", key))

    def num_keys(self) -> int:
        """The number of keys."""
        return self._run("SELECT count(*) FROM pairs")[0][0]


class ThreadingServer(ThreadingMixIn, SimpleXMLRPCServer):
    """A server that handles each request in its own thread."""

    daemon_threads = True


class TCPStore(Store):
    """A store in the master process; the others reach it by its address.

    With `port` 0 the system chooses a free port, which `port` then tells. DistNetworkError if the master does not
    answer within the timeout.

    >>> import rushlight.distributed as dist
    >>> server = dist.TCPStore("127.0.0.1", 0, world_size=1, is_master=True, wait_for_workers=False)
    >>> server.set("key", "value")
    >>> server.get("key")
    b'value'
    """

    port: int

    host: str
    timeout: timedelta
    world_size: int | None

    def __init__(
        self,
        host_name: str,
        port: int = 29500,
        world_size: int | None = None,
        is_master: bool = False,
        timeout: timedelta = DEFAULT_TIMEOUT,
        wait_for_workers: bool = True,
    ):
        self.host, self.port, self.timeout, self.world_size = host_name, port, timeout, world_size
        self.is_master = is_master
        self._local = threading.local()
        if is_master:
            self._serve()
        self._connect()
        if wait_for_workers and world_size:
            self._wait_for(world_size)

    def _serve(self) -> None:
        values = HashStore()
        server = ThreadingServer((self.host, self.port), logRequests=False, allow_none=True)
        self.port = server.server_address[1]
        plain: tuple[Callable[..., Any], ...] = (
            values._look,
            values.add,
            values.check,
            values.delete_key,
            values.num_keys,
        )
        packed: tuple[Callable[..., Any], ...] = (values.set, values.append, values.compare_set)
        for function in plain:
            server.register_function(function, function.__name__.lstrip("_"))
        for function in packed:
            server.register_function(unpacking(function), function.__name__)
        self._server = server
        threading.Thread(target=server.serve_forever, daemon=True).start()

    def _connect(self) -> None:
        end = time.monotonic() + self.timeout.total_seconds()
        while True:
            try:
                self._call("num_keys")
                return
            except OSError as error:
                if time.monotonic() > end:
                    raise DistNetworkError(
                        f"The client socket has timed out after {self.timeout.total_seconds():.0f}s while trying to "
                        f"connect to ({self.host}, {self.port}). Is the process of rank 0 running?"
                    ) from error
                time.sleep(PAUSE)

    def _wait_for(self, world_size: int) -> None:
        end = time.monotonic() + self.timeout.total_seconds()
        here = self.add("init/workers", 1)
        while here < world_size:
            if time.monotonic() > end:
                raise DistStoreError(
                    f"Timed out after {self.timeout.total_seconds():.0f} seconds waiting for clients. "
                    f"{here}/{world_size} clients joined."
                )
            time.sleep(PAUSE)
            here = self.add("init/workers", 0)

    def _call(self, name: str, *arguments: Any) -> Any:
        if not hasattr(self._local, "proxy"):
            self._local.proxy = ServerProxy(f"http://{self.host}:{self.port}", allow_none=True)
        result = getattr(self._local.proxy, name)(*arguments)
        return result.data if isinstance(result, Binary) else result

    def _look(self, key: str) -> bytes | None:
        return self._call("look", key)

    def set(self, key: str, value: str | bytes) -> None:
        """Sets the value of a key."""
        self._call("set", key, as_bytes(value))

    def add(self, key: str, amount: int) -> int:
        """Adds to the number at a key, 0 at first; returns the sum."""
        return self._call("add", key, amount)

    def append(self, key: str, value: str | bytes) -> None:
        """Appends to a key's value."""
        self._call("append", key, as_bytes(value))

    def compare_set(self, key: str, expected: str | bytes, desired: str | bytes) -> bytes:
        """Sets the desired value if the key has the expected one, or has none and "" is expected; returns the value."""
        return self._call("compare_set", key, as_bytes(expected), as_bytes(desired))

    def check(self, keys: list[str]) -> bool:
        """Whether all the keys have values."""
        return self._call("check", keys)

    def delete_key(self, key: str) -> bool:
        """Deletes a key; returns whether it existed."""
        return self._call("delete_key", key)

    def num_keys(self) -> int:
        """The number of keys."""
        return self._call("num_keys")


def unpacking(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps a function so that its arguments are unwrapped from XML-RPC's Binary."""
    return lambda *values: function(*(value.data if isinstance(value, Binary) else value for value in values))


class PrefixStore(Store):
    """A view of another store, in which its keys have a prefix.

    >>> import rushlight.distributed as dist
    >>> store = dist.HashStore()
    >>> dist.PrefixStore("mine", store).set("key", "value")
    >>> dist.PrefixStore("mine", store).get("key"), dist.PrefixStore("yours", store).check(["key"])
    (b'value', False)
    """

    prefix: str
    underlying_store: Any

    def __init__(self, prefix: str, store: Any):
        self.prefix, self.underlying_store = prefix, store
        self.timeout: Any = store.timeout

    def _key(self, key: str) -> str:
        return f"{self.prefix}/{key}"

    def set(self, key: str, value: str | bytes) -> None:
        """Sets the value of a key."""
        self.underlying_store.set(self._key(key), value)

    def add(self, key: str, amount: int) -> int:
        """Adds to the number at a key, 0 at first; returns the sum."""
        return self.underlying_store.add(self._key(key), amount)

    def append(self, key: str, value: str | bytes) -> None:
        """Appends to a key's value."""
        self.underlying_store.append(self._key(key), value)

    def compare_set(self, key: str, expected: str | bytes, desired: str | bytes) -> bytes:
        """Sets the desired value if the key has the expected one, or has none and "" is expected; returns the value."""
        return self.underlying_store.compare_set(self._key(key), expected, desired)

    def check(self, keys: list[str]) -> bool:
        """Whether all the keys have values."""
        return self.underlying_store.check([self._key(key) for key in keys])

    def delete_key(self, key: str) -> bool:
        """Deletes a key; returns whether it existed."""
        return self.underlying_store.delete_key(self._key(key))

    def num_keys(self) -> int:
        """The number of keys in the underlying store."""
        return self.underlying_store.num_keys()

    def _look(self, key: str) -> bytes | None:
        return self.underlying_store._look(self._key(key))
