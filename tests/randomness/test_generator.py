"""Seeds, states, copies and threads of a generator."""

import copy
import math
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import rushlight as torch
from rushlight import random
from rushlight.random import Generator, distributions, integers, normal

FLOAT, LONG = np.dtype(np.float32), np.dtype(np.int64)


def draw(generator: Generator, n: int = 5) -> list[float]:
    return distributions.normal(generator, (n,), np.dtype(np.float64)).tolist()


@pytest.mark.parametrize("seed", [0, 1, -1, 2**64 - 1, -(2**63), 2**32, np.int64(7)])
def test_seed_is_kept_modulo_two_to_the_64(seed: int) -> None:
    generator = Generator()
    assert generator.manual_seed(seed) is generator
    assert generator.initial_seed() == int(seed) % 2**64


@pytest.mark.parametrize("seed", [1.0, True, "3", None])
def test_seed_must_be_an_integer(seed: object) -> None:
    with pytest.raises(RuntimeError, match="manual_seed expected a long, but got "):
        Generator().manual_seed(seed)


@pytest.mark.parametrize("seed", [2**64, -(2**63) - 1])
def test_seed_out_of_range(seed: int) -> None:
    with pytest.raises(ValueError, match="Overflow when unpacking long long"):
        Generator().manual_seed(seed)


def test_new_generators_share_the_default_seed() -> None:
    assert Generator().initial_seed() == 67280421310721
    assert draw(Generator()) == draw(Generator())


def test_seed_from_the_system_begins_a_stream() -> None:
    generator = Generator()
    seed = generator.seed()
    assert draw(generator) == draw(Generator().manual_seed(seed))
    assert generator.seed() != seed


def test_other_devices_are_refused() -> None:
    assert str(Generator("cpu").device) == "cpu"
    with pytest.raises(RuntimeError, match="Device type CUDA is not supported"):
        Generator("cuda:0")


@pytest.mark.parametrize("used", [0, 1, 623, 624, 625, 2000])
def test_state_round_trip_keeps_the_cached_sample(used: int) -> None:
    generator = Generator().manual_seed(3)
    distributions.uniform(generator, (used,), FLOAT)
    draw(generator, 1)
    state = generator._state_array()
    expected = draw(generator)
    generator._set_state_array(state)
    assert draw(generator) == expected
    for twin in (copy.deepcopy(generator), pickle.loads(pickle.dumps(generator)), generator.clone_state()):
        assert draw(twin) == draw(generator.clone_state())


def test_pytorch_state_goes_on_here() -> None:
    torch = pytest.importorskip("torch")
    theirs, ours = torch.Generator().manual_seed(9), Generator()
    torch.randn(3, generator=theirs)
    ours._set_state_array(theirs.get_state().numpy())
    assert draw(ours) == torch.randn(5, generator=theirs, dtype=torch.float64).tolist()
    theirs.set_state(torch.from_numpy(ours._state_array()))
    assert draw(ours) == torch.randn(5, generator=theirs, dtype=torch.float64).tolist()


def test_bad_states_are_refused() -> None:
    generator = Generator()
    state = generator._state_array()
    with pytest.raises(TypeError, match=r"RNG state must be a torch\.ByteTensor"):
        generator._set_state_array(state.astype(np.float32))
    with pytest.raises(RuntimeError, match="Expected a CPUGeneratorImplState of size 5056 but found"):
        generator._set_state_array(state[:-1])
    with pytest.raises(RuntimeError, match="Invalid mt19937 state"):
        generator._set_state_array(np.zeros_like(state))


def test_fork_puts_the_default_generator_back() -> None:
    random.manual_seed("12")
    assert random.initial_seed() == 12
    with random.fork_rng():
        first = draw(random.default_generator)
        random.seed()
    assert random.initial_seed() == 12
    with random.fork_rng(enabled=False):
        assert draw(random.default_generator) == first
    assert draw(random.default_generator) != first
    with pytest.raises(RuntimeError, match="fork_rng has no generator"), random.fork_rng(devices=[0]):
        pass


def test_threads_take_whole_draws() -> None:
    size, count = 200_001, 8
    whole = distributions.uniform(Generator().manual_seed(0), (count, size), FLOAT)
    generator = Generator().manual_seed(0)
    with ThreadPoolExecutor(4) as pool:
        parts = list(pool.map(lambda _: distributions.uniform(generator, (size,), FLOAT), range(count)))
    assert {part.tobytes() for part in parts} == {row.tobytes() for row in whole}


def test_chunks_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    def draws() -> list[bytes]:
        generator = Generator().manual_seed(4)
        return [
            distributions.normal(generator, (1003,), FLOAT).tobytes(),
            distributions.uniform(generator, (7, 11), FLOAT).tobytes(),
            distributions.log_normal(generator, (333,), FLOAT).tobytes(),
            integers.randperm(generator, 501, LONG).tobytes(),
        ]

    expected = draws()
    for module in (distributions, normal, integers):
        monkeypatch.setattr(module, "CHUNK", 32)
    assert draws() == expected


@pytest.mark.parametrize("n", [0, 1, 2, 7, 1000])
def test_large_permutations_shuffle_inside_out(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    words = Generator().manual_seed(5).long_words(n).tolist()
    expected: list[int] = []
    for i, word in enumerate(words):
        z = word % (i + 1)
        expected.append(i if z == i else expected[z])
        expected[z] = i
    monkeypatch.setattr(integers, "FEW", 0)
    assert integers.randperm(Generator().manual_seed(5), n, LONG).tolist() == expected


def test_fused_multiply_add_rounds_once() -> None:
    from fractions import Fraction

    from rushlight.random.libm import fma

    for dtype in (np.float32, np.float64):
        a = distributions.uniform(Generator().manual_seed(6), (500,), np.dtype(dtype))
        b, c = dtype(math.pi), dtype(-math.e / 2)
        for x, y in zip(a, fma(a, b, c), strict=True):
            exact = Fraction(float(x)) * Fraction(float(b)) + Fraction(float(c))
            nearby = (np.nextafter(y, dtype(-np.inf)), np.nextafter(y, dtype(np.inf)))
            assert all(abs(Fraction(float(y)) - exact) <= abs(Fraction(float(z)) - exact) for z in nearby)


def test_a_snapshot_leads_back():
    generator = torch.Generator().manual_seed(7)
    torch.randn(3, generator=generator, dtype=torch.float64)  # of a pair of numbers one is left
    before = generator.snapshot(), generator.get_state()
    first = torch.randn(700, generator=generator), torch.rand(5, generator=generator)
    generator.manual_seed(8)
    generator.rewind(before[0])
    assert torch.equal(generator.get_state(), before[1])
    assert generator.initial_seed() == 7
    for one, other in zip(
        first, (torch.randn(700, generator=generator), torch.rand(5, generator=generator)), strict=True
    ):
        assert torch.equal(one, other)
