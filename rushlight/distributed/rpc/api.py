"""The public functions: `init_rpc`, three kinds of calls, `shutdown`."""

import time
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from rushlight.distributed import mpi
from rushlight.distributed.groups import default_pg_timeout, join
from rushlight.distributed.rpc.agent import Agent, State, current, is_current
from rushlight.distributed.rpc.failures import Failure
from rushlight.distributed.rpc.options import (
    UNSET_TIMEOUT,
    BackendType,
    RpcBackendOptions,
    TensorPipeRpcBackendOptions,
    WorkerInfo,
)
from rushlight.distributed.rpc.rref import RRef, create, reference_to
from rushlight.distributed.rpc.transport import reaching
from rushlight.futures import Future

__all__ = ["get_rpc_timeout", "get_worker_info", "init_rpc", "remote", "rpc_async", "rpc_sync", "shutdown"]

PAUSE = 0.001  # seconds between two checks whether all workers have arrived
To = str | int | WorkerInfo


def init_rpc(
    name: str,
    backend: BackendType | None = None,
    rank: int = -1,
    world_size: int | None = None,
    rpc_backend_options: TensorPipeRpcBackendOptions | None = None,
) -> None:
    """Makes this process a worker, which can call functions in others, and runs theirs.

    Processes find each other as in `init_process_group`: those started by `mpiexec` or `rushlight launch` need neither
    `rank` nor `world_size`. Names are unique and consist of letters, digits, "_", "-" and ":". RuntimeError for an
    invalid name, or if this process is a worker already; ValueError if the others cannot be found.

    >>> import rushlight as torch
    >>> from rushlight.distributed import rpc
    >>> rpc.init_rpc("worker0", rank=0, world_size=1)
    >>> rpc.rpc_sync("worker0", torch.add, args=(torch.ones(2), 3))
    tensor([4., 4.])
    >>> rpc.shutdown()
    """
    if backend is not None and not isinstance(backend, BackendType):
        raise TypeError("Argument backend must be a member of BackendType")
    if rpc_backend_options is not None and not isinstance(rpc_backend_options, RpcBackendOptions):
        raise TypeError("Argument rpc_backend_options must be an instance of RpcBackendOptions")
    options = rpc_backend_options or TensorPipeRpcBackendOptions()
    if not isinstance(options, TensorPipeRpcBackendOptions):
        raise TypeError(f"Could not infer backend for options {options}")
    if not isinstance(name, str):
        raise RuntimeError(f"Argument {name} must be of type <class 'str'> but got type {type(name)}")
    WorkerInfo(name, 0)  # checks the name before others are told
    if is_current():
        raise RuntimeError("RPC is already initialized")
    comm = join(options.init_method, world_size or -1, rank, None, default_pg_timeout, "rpc")
    names = comm.allgather(name)
    if len(set(names)) < len(names):
        comm.Free()
        raise RuntimeError(f"RPC worker name {name} is not unique: the workers are {', '.join(names)}.")
    workers = [WorkerInfo(name, number) for number, name in enumerate(names)]
    agent = State.agent = Agent(comm, workers, options, reference_to)
    mpi.before_finish(leave)
    agent.transport.start()


def leave() -> None:
    """Stops being a worker, without telling the others."""
    agent, State.agent = State.agent, None
    if agent is not None:
        agent.stop()


def shutdown(graceful: bool = True, timeout: float = 0) -> None:
    """Shuts this worker down: when all workers have called it and all calls are answered; at once if not `graceful`.

    RuntimeError before `init_rpc`, and if the others have not called it within `timeout` seconds; 0 is no limit.

    >>> from rushlight.distributed import rpc
    >>> rpc.init_rpc("worker0", rank=0, world_size=1)
    >>> rpc.shutdown()
    """
    agent = current()
    try:
        if graceful:
            wait_for_all(agent, timeout)
    finally:
        leave()
    if graceful:
        agent.comm.Free()


def wait_for_all(agent: Agent, timeout: float) -> None:
    """Waits until all workers have arrived here, and no message is in flight between them.

    That is so when twice in a row all were idle, and equally many messages were sent and received.
    """
    end = time.monotonic() + timeout if timeout else None
    before = None
    while True:
        while not agent.is_idle():
            pause(agent, end)
        mine = np.array([agent.transport.sent, agent.transport.received], np.int64)
        total = np.empty_like(mine)
        with reaching():
            request = agent.comm.Iallreduce(mine, total)
            while not request.Test():
                pause(agent, end)
        found = total.tolist()
        if found[0] == found[1] and found == before:
            return
        before = found


def pause(agent: Agent, end: float | None) -> None:
    """Waits a moment. RuntimeError after the deadline, DistNetworkError if the others can no longer be reached."""
    agent.check_reach()
    if end is not None and time.monotonic() > end:
        raise RuntimeError("shutdown: timed out before all workers had called it and all calls were answered.")
    time.sleep(PAUSE)


def _require_initialized(func: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a function raise RuntimeError if this process is not a worker; libraries use it for their functions."""

    @wraps(func)
    def called(*args: Any, **kwargs: Any) -> Any:
        current()
        return func(*args, **kwargs)

    return called


def get_worker_info(worker_name: str | int | None = None) -> WorkerInfo:
    """The name and number of a worker, by default of this one. RuntimeError for an unknown worker.

    >>> from rushlight.distributed import rpc
    >>> rpc.init_rpc("worker0", rank=0, world_size=1)
    >>> rpc.get_worker_info("worker0")
    WorkerInfo(id=0, name=worker0)
    >>> rpc.shutdown()
    """
    agent = current()
    if worker_name is None:
        return agent.me
    if isinstance(worker_name, str) and worker_name in agent.names:
        return agent.names[worker_name]
    if isinstance(worker_name, int) and 0 <= worker_name < len(agent.workers):
        return agent.workers[worker_name]
    kind = "name" if isinstance(worker_name, str) else "id"
    raise RuntimeError(
        f"name:{agent.me.name},rank:{agent.me.id} could not find destination {kind} {worker_name}. The workers are "
        f"{', '.join(agent.names)}."
    )


def get_rpc_timeout() -> float:
    """The default timeout of calls, in seconds.

    >>> from rushlight.distributed import rpc
    >>> rpc.init_rpc("worker0", rank=0, world_size=1)
    >>> rpc.get_rpc_timeout()
    60.0
    >>> rpc.shutdown()
    """
    return current().timeout


def number_of(to: To) -> int:
    """The number of a worker. ValueError for an unknown worker."""
    if isinstance(to, WorkerInfo):
        return to.id
    if isinstance(to, (str, int)):
        return get_worker_info(to).id
    raise ValueError(f"Cannot get WorkerInfo from name {to}")


def is_operator(function: Any) -> bool:
    """Whether a function is one of rushlight's on tensors: gradients then flow to its parameters."""
    return not isinstance(function, type) and str(getattr(function, "__module__", "")).startswith("rushlight")


def check_callable(function: Any) -> None:
    """TypeError for an object that is not callable."""
    if not callable(function):
        raise TypeError("function should be callable.")


def rpc_sync(to: To, func: Callable[..., Any], args: Any = None, kwargs: Any = None, timeout: float = -1.0) -> Any:
    """Calls a function in another worker, and returns its result.

    `to` is a worker's name, number or `WorkerInfo`. The function is found there by its name, so both must have its
    module; arguments and result are pickled, and tensors are copied. Exceptions are raised here too, with the remote
    traceback: ValueError and TypeError as such, others as RuntimeError with the name of the type. RuntimeError after
    `timeout` seconds, by default those of `init_rpc`; 0 is no limit.

    >>> from rushlight.distributed import rpc
    >>> rpc.init_rpc("worker0", rank=0, world_size=1)
    >>> rpc.rpc_sync("worker0", max, args=(1, 2))
    2
    >>> rpc.shutdown()
    """
    return rpc_async(to, func, args, kwargs, timeout).wait()


def rpc_async(
    to: To, func: Callable[..., Any], args: Any = None, kwargs: Any = None, timeout: float = UNSET_TIMEOUT
) -> Future[Any]:
    """Calls a function in another worker; returns a future of the result. Everything else as in `rpc_sync`.

    Tensors must not be changed until the future is done, since their memory is sent in the background.

    >>> from rushlight.distributed import rpc
    >>> rpc.init_rpc("worker0", rank=0, world_size=1)
    >>> future = rpc.rpc_async("worker0", max, args=(1, 2))
    >>> future.then(lambda done: 10 * done.value()).wait()
    20
    >>> rpc.shutdown()
    """
    agent = current()
    check_callable(func)
    told, of_parameters = (func, args or (), kwargs or {}, timeout), is_operator(func)
    return agent.call(number_of(to), *told, of_parameters=of_parameters, error=Failure.told)


def remote(
    to: To, func: Callable[..., Any], args: Any = None, kwargs: Any = None, timeout: float = UNSET_TIMEOUT
) -> RRef[Any]:
    """Calls a function in another worker, which keeps the result; returns a reference at once. Else as `rpc_sync`.

    An exception of the function is raised when the value is requested.

    >>> from rushlight.distributed import rpc
    >>> rpc.init_rpc("worker0", rank=0, world_size=1)
    >>> reference = rpc.remote("worker0", max, args=(1, 2))
    >>> reference.to_here()
    2
    >>> rpc.shutdown()
    """
    agent = current()
    check_callable(func)
    return create(agent, number_of(to), func, args or (), kwargs or {}, timeout, is_operator(func))
