"""Products by BLAS in our own threads: layouts, batches, the threads of OpenBLAS, and threads that lose their CPU."""

import itertools
import os
import threading
import time

import numpy as np
import pytest

import rushlight as torch
from rushlight.kernels.compiled import load
from rushlight.machine import blas as library
from rushlight.machine import threads

blas = load("blas")
pytestmark = pytest.mark.skipif(
    blas is None or not blas.AVAILABLE, reason="NumPy has no OpenBLAS, or nothing is compiled"
)
LAYOUTS = {
    "rows": lambda normal, r, c: normal(r, c),
    "columns": lambda normal, r, c: normal(c, r).swapaxes(-1, -2),
    "part of the rows": lambda normal, r, c: normal(r, c + 3)[..., 2 : c + 2],
    "part of the columns": lambda normal, r, c: normal(c, 2 * r)[..., 1 : r + 1].swapaxes(-1, -2),
    "every other column": lambda normal, r, c: normal(r, 2 * c)[..., ::2],
    "backwards": lambda normal, r, c: normal(r, c)[..., ::-1, :],
    "one row": lambda normal, r, c: np.broadcast_to(normal(1, c), (*normal(1, c).shape[:-2], r, c)),
}
SMALL = [(1, 1, 1), (5, 6, 1), (3, 3, 3), (20, 8, 9), (2, 13, 16), (4, 16, 5)]
SIZES = [*SMALL, (1, 40, 3), (40, 1, 3), (33, 20, 47), (130, 300, 90), (1, 700, 300), (700, 1, 300)]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("lead", [(), (1,), (3, 2)], ids=str)
@pytest.mark.parametrize(("m", "n", "depth"), SIZES)
def test_products_of_any_layout(m, n, depth, lead, dtype):
    random = np.random.default_rng(m + n + depth)

    def normal(rows, columns):
        return random.standard_normal((*lead, rows, columns)).astype(dtype)

    for of_a, of_b in itertools.product(LAYOUTS, LAYOUTS):
        a, b = LAYOUTS[of_a](normal, m, depth), LAYOUTS[of_b](normal, depth, n)
        expected = np.matmul(a.astype(np.float64), b.astype(np.float64))
        found, into = blas.product(a, b), np.full((*lead, m, 2 * n + 1), np.nan, dtype)
        if {of_a, of_b} <= {"rows", "columns"}:
            assert found is not None
        if found is not None:
            assert found.dtype == a.dtype
            np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-3)
        if blas.product_into(a, b, into[..., n : 2 * n]):
            np.testing.assert_allclose(into[..., n : 2 * n], expected, rtol=1e-3, atol=1e-3)
            assert np.isnan(into[..., :n]).all()
            assert np.isnan(into[..., 2 * n :]).all()


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (np.ones((3, 4)), np.ones((5, 3))),
        (np.ones((3, 4)), np.ones(4)),
        (np.ones((2, 3, 4)), np.ones((3, 4, 5))),
        (np.ones((0, 3)), np.ones((3, 2))),
        (np.ones((3, 3), int), np.ones((3, 3), int)),
        (np.ones((3, 3)), np.ones((3, 3), np.float32)),
        (np.ones((3, 3), complex), np.ones((3, 3), complex)),
        (np.ones((3, 3), ">f8"), np.ones((3, 3), ">f8")),
    ],
)
def test_others_are_left_to_numpy(a, b):
    assert blas.product(a, b) is None
    assert not blas.product_into(a, b, np.ones((3, 3)))


@pytest.fixture
def two_threads():
    """Two threads at least, whatever the machine has."""
    before = threads.get_num_threads(), library.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before[0])
    library.set_num_threads(before[1])


@pytest.mark.usefixtures("two_threads")
def test_openblas_has_its_threads_back_after_products_in_several_threads():
    a, expected = np.random.default_rng(0).standard_normal((300, 300)), []
    expected.append(np.matmul(a, a))

    def multiply():
        for _ in range(20):
            np.testing.assert_allclose(blas.product(a, a), expected[0], rtol=1e-9, atol=1e-9)

    many = [threading.Thread(target=multiply) for _ in range(4)]
    for one in many:
        one.start()
    for one in many:
        one.join()
    assert library.get_num_threads() == 2


@pytest.mark.usefixtures("two_threads")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no forks")
def test_a_child_multiplies_in_threads_too():
    a = np.random.default_rng(0).standard_normal((300, 300))
    expected = blas.product(a, a)
    child = os.fork()
    if child == 0:
        os._exit(0 if np.array_equal(blas.product(a, a), expected) and library.get_num_threads() == 2 else 1)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.usefixtures("two_threads")
def test_after_a_stall_work_is_done_alone_and_is_shared_again_later():
    def who_works(pause):
        found = set()

        def work(start, stop):
            found.add(threading.get_ident())
            if threading.get_ident() != here:
                time.sleep(pause)
            else:
                time.sleep(0.001)  # lets the other thread have a part

        threads.share(work, 8, 1)
        return len(found)

    here = threading.get_ident()
    deadline = time.monotonic() + 20
    while who_works(0) < 2:  # another test may have met a stall
        assert time.monotonic() < deadline
    assert who_works(0.2) == 2  # the caller ends long before the other thread
    assert who_works(0) == 1
    while who_works(0) < 2:
        assert time.monotonic() < deadline
