"""Calls between workers when MPI no longer reaches the others: one error for each that waits, none in the thread."""

import threading

import pytest
from distributed.launch import needs_mpi

from rushlight.distributed import DistNetworkError, mpi
from rushlight.distributed.rpc.agent import Agent
from rushlight.distributed.rpc.api import wait_for_all
from rushlight.distributed.rpc.options import TensorPipeRpcBackendOptions, WorkerInfo

pytestmark = [needs_mpi, pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")]


class Request:
    """A communication that does not end."""

    def Test(self):
        return False


class Comm:
    """Two processes; the other one is reached until it `is_gone`."""

    rank, size = 0, 2

    def __init__(self):
        self.is_gone = threading.Event()

    def reach(self, result):
        if self.is_gone.is_set():
            raise mpi.load().Exception(mpi.load().ERR_OTHER)
        return result

    def Improbe(self, tag, status):
        return self.reach(None)

    def Isend(self, memory, to, tag):
        return self.reach(Request())

    def Iallreduce(self, mine, total):
        return self.reach(Request())


@pytest.fixture
def agent():
    workers = [WorkerInfo("first", 0), WorkerInfo("second", 1)]
    return Agent(Comm(), workers, TensorPipeRpcBackendOptions(), lambda agent, passed: None)


WORDS = "RPC: other workers can no longer be reached, one has ended before"


def test_a_call_that_waits_ends_and_later_ones_are_refused(agent):
    agent.transport.start()
    waiting = [agent.call(1, max, (1, number)) for number in range(3)]
    agent.comm.is_gone.set()
    for future in waiting:
        with pytest.raises(DistNetworkError, match=WORDS):
            future.wait()
    agent.transport.thread.join()
    with pytest.raises(DistNetworkError, match=WORDS):
        agent.call(1, max, (1, 2))
    with pytest.raises(DistNetworkError, match=WORDS):
        wait_for_all(agent, 0)
    agent.stop()


def test_it_may_be_the_caller_who_notices(agent):
    agent.comm.is_gone.set()
    with pytest.raises(DistNetworkError, match=WORDS):
        agent.call(1, max, (1, 2)).wait()
    agent.transport.start()
    agent.stop()


def test_a_worker_that_only_waits_for_the_end_is_told(agent):
    agent.comm.is_gone.set()
    with pytest.raises(DistNetworkError, match=WORDS):
        wait_for_all(agent, 0)
