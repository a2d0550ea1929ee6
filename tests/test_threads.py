"""Work shared among threads: each part once, errors raised, no thread waits for itself."""

import os
import subprocess
import sys
import threading

import pytest

import rushlight
from rushlight.machine import threads
from rushlight.machine.threads import share


@pytest.fixture
def four_threads():
    before = rushlight.get_num_threads()
    rushlight.set_num_threads(4)
    yield
    rushlight.set_num_threads(before)


@pytest.mark.parametrize(("size", "grain"), [(0, 1), (1, 1), (7, 3), (100, 1), (100, 1000)])
def test_each_part_once(four_threads, size, grain):
    parts = []
    share(lambda start, stop: parts.append(range(start, stop)), size, grain)
    assert sorted(i for part in parts for i in part) == list(range(size))
    assert all(len(part) <= grain for part in parts)


@pytest.mark.skipif(threads.POOL is None, reason="only compiled kernels have threads")
def test_several_threads_take_part(four_threads):
    """Two parts that wait for each other can only end side by side."""
    both = threading.Barrier(2, timeout=120)
    share(lambda start, stop: both.wait(), 2, 1)


def test_errors_are_raised_when_all_is_over(four_threads):
    def fail(start, stop):
        raise ValueError(start)

    for _ in range(3):
        with pytest.raises(ValueError, match=r"\d"):
            share(fail, 10, 1)


def test_shared_work_may_share_again(four_threads):
    seen = []
    share(lambda start, stop: share(lambda a, b: seen.append((start, a)), 3, 1), 8, 1)
    assert sorted(seen) == [(i, j) for i in range(8) for j in range(3)]


def test_one_thread_works_alone():
    before = rushlight.get_num_threads()
    rushlight.set_num_threads(1)
    workers = set()
    share(lambda start, stop: workers.add(threading.get_ident()), 5, 1)
    rushlight.set_num_threads(before)
    assert workers == {threading.get_ident()}


def test_number_of_threads():
    with pytest.raises(RuntimeError, match="set_num_threads expects a positive integer"):
        rushlight.set_num_threads(0)
    with pytest.raises(RuntimeError, match="set_num_threads expects an int, but got str"):
        rushlight.set_num_threads("2")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own(four_threads):
    x = rushlight.ones(1 << 20)
    (x * 2 + 1).tanh().sum()  # starts the helpers
    child = os.fork()
    if child == 0:
        os._exit(0 if (x * 2).sum().item() == 2 * len(x) else 1)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.skipif((os.cpu_count() or 1) == 1, reason="there is one CPU")
def test_a_product_that_comes_first_leaves_the_number_of_threads():
    """OpenBLAS, whose number of threads is the default, is kept to one while a product runs."""
    ask = "import rushlight as torch; {} print(torch.get_num_threads())"
    first, after = (
        subprocess.run([sys.executable, "-c", ask.format(work)], capture_output=True, text=True, check=True).stdout
        for work in ("", "torch.ones(256, 256) @ torch.ones(256, 256);")
    )
    assert after == first


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="a system without the affinity of threads")
def test_helping_threads_keep_off_the_callers_cpu():
    allowed = os.sched_getaffinity(0)
    if len(allowed) < 2 or not 1 < rushlight.get_num_threads() <= 8 or threads.POOL is None:
        pytest.skip("there are no helping threads, or so many that some are elsewhere")
    rushlight.ones(1_000_000) + 1
    helpers = [int(task) for task in os.listdir("/proc/self/task") if int(task) != threading.get_native_id()]
    assert any(len(allowed - os.sched_getaffinity(helper)) == 1 for helper in helpers)
