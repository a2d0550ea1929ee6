"""Makes an MPI world of processes of one machine that were started without `mpiexec`.

`torch.multiprocessing.spawn` and `Process` start processes that MPI does not know. Rank 0 makes `mpiexec` start as many
placeholders, the seats. Each seat (`seat.py`) gives one of the processes the environment variables by which MPICH finds
its world, then waits for it to end: a process that ends unexpectedly ends all.
"""

import json
import os
import socket
import subprocess
import sys
import threading
from multiprocessing.connection import Connection, Listener
from pathlib import Path
from typing import Any
from uuid import uuid4

from rushlight.distributed import mpi
from rushlight.distributed.errors import DistBackendError
from rushlight.distributed.stores import Store
from rushlight.launch.start import mpiexec

__all__ = ["take_seat"]

GOOD_BYE = b"done"


class Seated:
    """The name of the world in which this process has a seat; "" if it has none."""

    world = ""


def take_seat(rank: int, size: int, store: Store) -> None:
    """Joins `size` processes that share a store, and have not initialized MPI, into an MPI world.

    DistBackendError if the MPI library is not MPICH.
    """
    MPI = mpi.load()
    if MPI.get_vendor()[0] != "MPICH":
        raise DistBackendError(
            f"{MPI.get_vendor()[0]} cannot join processes that were started without mpiexec. Start the program with "
            f"`rushlight launch -n {size} script.py` or `mpiexec -n {size} rushlight run script.py`, or install MPICH."
        )
    with Listener(("127.0.0.1", 0), "AF_INET") as listener:
        store.set(f"seat/{rank}", json.dumps([socket.gethostname(), *listener.address]))
        if rank == 0:
            start_seats([json.loads(store.get(f"seat/{other}")) for other in range(size)])
        seat = listener.accept()
    for name in [name for name in os.environ if name.startswith(("PMI_", "MPI_LOCAL", "HYDI_"))]:
        del os.environ[name]
    os.environ.update(json.loads(seat.recv_bytes()))
    mpi.start()
    mpi.when_finished(lambda: seat.send_bytes(GOOD_BYE))
    threading.Thread(target=end_with, args=(seat, rank), daemon=True).start()
    store.delete_key(f"seat/{rank}")
    Seated.world = MPI.COMM_WORLD.bcast(uuid4().hex)


def start_seats(places: list[list[Any]]) -> None:
    """Makes `mpiexec` start a seat for each process. DistBackendError if they are on several machines."""
    if len({host for host, *_ in places}) > 1:
        raise DistBackendError(
            "Processes of several machines have to be started by MPI: "
            "`mpiexec -hosts A,B -n 8 rushlight run script.py`."
        )
    addresses = json.dumps([address for _, *address in places])
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PMI_", "HYDI_"))}
    seat = str(Path(__file__).with_name("seat.py"))
    subprocess.Popen(
        [mpiexec(), "-pmi-port", "-n", str(len(places)), sys.executable, seat, addresses],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def end_with(seat: Connection, rank: int) -> None:
    """Ends this process when its seat ends, as all seats do when one of the processes has died."""
    try:
        seat.recv_bytes()
    except (EOFError, OSError):
        if mpi.running():
            print(
                f"rank {rank}: another process of the group has ended; this one ends too.", file=sys.stderr, flush=True
            )
            os._exit(1)
