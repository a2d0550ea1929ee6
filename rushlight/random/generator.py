"""The random number generator: PyTorch's Mersenne Twister stream, with its seed and state."""

import os
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from rushlight.core.graph import TensorBase, new_tensor
from rushlight.core.locks import awaited_by_forks, freed_by_forks, lock, reentrant_lock
from rushlight.devices import CPU
from rushlight.devices import device as Device
from rushlight.kernels.compiled import load

fast: ModuleType | None = load("streams")
DEFAULT_SEED = 67280421310721  # c10::default_rng_seed_val
BLOCK = 624  # words in a block of the Mersenne Twister
WORD = 0xFFFFFFFF
LOW_24, LOW_53 = np.uint64(2**24 - 1), np.uint64(2**53 - 1)
LATE = frozenset({"_seeder", "_bits", "capsule", "words"})  # attributes that exist once the twister is created
BEGINNING = awaited_by_forks(reentrant_lock())  # held while NumPy's random package is imported
UNIT_24, UNIT_53 = np.float32(2**-24), np.float64(2**-53)

STATE = np.dtype(
    {
        "names": [
            "seed",
            "left",
            "seeded",
            "next",
            "words",
            "double_sample",
            "has_double_sample",
            "float_sample",
            "has_float_sample",
        ],
        "formats": ["<u8", "<i4", "<i4", "<u8", ("<u8", BLOCK), "<f8", "<i4", "<f4", "?"],
        "offsets": [0, 8, 12, 16, 24, 5024, 5040, 5048, 5052],
        "itemsize": 5056,
    }
)
"""The bytes of PyTorch's CPUGeneratorImplState."""


class Generator:
    """A stream of random numbers, the same as that of PyTorch's CPU generator with the same seed.

    It is thread-safe: each call takes consecutive numbers from the stream. Raises RuntimeError for a device other than
    the CPU.

    >>> from rushlight.random import Generator
    >>> generator = Generator().manual_seed(0)
    >>> generator.initial_seed()
    0
    """

    def __init__(self, device: object = "cpu") -> None:
        kind = str(device).partition(":")[0]
        if kind != "cpu":
            raise RuntimeError(
                f"Device type {kind.upper()} is not supported for torch.Generator() api: use Generator()."
            )
        self.device: Device = CPU
        self.lock: Any = lock()
        self._start(DEFAULT_SEED)

    def __getattr__(self, name: str) -> Any:
        """Creates the twister on first use, since importing NumPy's random package takes long."""
        if name not in LATE:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        with BEGINNING:
            if "_bits" not in self.__dict__:
                self._begin()
        return self.__dict__[name]

    def __repr__(self) -> str:
        return f"<torch.Generator device='{self.device}' initial_seed={self.initial_seed()}>"

    def _begin(self) -> None:
        """Create the twister, and the attributes derived from it."""
        twister = np.random.MT19937(0)
        freed_by_forks(twister.lock)
        self._seeder = np.random.RandomState(twister)
        self._seeder.seed(self._seed & WORD)
        self.words: Callable[[int], np.ndarray] = twister.random_raw  # returns the next 32-bit words, in a uint64 array
        self.capsule: Any = twister.capsule  # its C functions, for kernels
        self._bits = twister

    def _start(self, seed: int) -> None:
        """Start the stream of a seed, of which the twister uses the lower 32 bits."""
        with self.lock, BEGINNING:
            self._seed = seed
            if "_bits" in self.__dict__:
                self._seeder.seed(seed & WORD)
            self.next_double_normal_sample: float | None = None
            self.next_float_normal_sample: float | None = None

    def manual_seed(self, seed: int) -> "Generator":
        """Set the seed, from -2**63 to 2**64 - 1; 2**64 is added to negative seeds.

        Raises RuntimeError if `seed` is not an integer and ValueError if it is out of range.

        >>> from rushlight.random import Generator
        >>> Generator().manual_seed(-1).initial_seed() == 2**64 - 1
        True
        """
        if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
            raise RuntimeError(f"manual_seed expected a long, but got {type(seed).__name__}")
        if not -(2**63) <= seed < 2**64:
            raise ValueError("Overflow when unpacking long long: a seed lies between -2**63 and 2**64 - 1")
        self._start(int(seed) & 0xFFFFFFFFFFFFFFFF)
        return self

    def seed(self) -> int:
        """Set a seed from the operating system, and return it."""
        self._start(int.from_bytes(os.urandom(8)))
        return self._seed

    def initial_seed(self) -> int:
        """Return the seed."""
        return self._seed

    def clone_state(self) -> "Generator":
        """Return a new generator with the same state."""
        clone = Generator()
        clone._set_state_array(self._state_array())
        return clone

    def long_words(self, count: int) -> np.ndarray:
        """Return the next `count` 64-bit words, each made of two 32-bit words, the upper half first."""
        halves = self.words(2 * count)
        upper = halves[0::2] << np.uint64(32)
        upper |= halves[1::2]
        return upper

    def uniform32(self, count: int) -> np.ndarray:
        """Return the next `count` float32 numbers from [0, 1), with 24 random bits each."""
        if fast is not None:
            out = np.empty(count, np.float32)
            fast.uniform(self.capsule, out)
            return out
        words = self.words(count)
        words &= LOW_24
        return words.astype(np.float32) * UNIT_24

    def uniform64(self, count: int) -> np.ndarray:
        """Return the next `count` float64 numbers from [0, 1), with 53 random bits each."""
        if fast is not None:
            out = np.empty(count, np.float64)
            fast.uniform(self.capsule, out)
            return out
        words = self.long_words(count)
        words &= LOW_53
        return words * UNIT_53

    def below(self, bound: int, count: int) -> np.ndarray:
        """Return whether the next `count` numbers of 53 bits are below a bound."""
        if fast is not None:
            out = np.empty(count, np.bool)
            fast.below(self.capsule, out, bound)
            return out
        words = self.long_words(count)
        words &= LOW_53
        return words < np.uint64(bound)

    def _state_array(self) -> np.ndarray:
        """Return the state as the 5056 bytes that PyTorch's `get_state` returns."""
        state = np.zeros(1, STATE)
        with self.lock:
            twister = self._bits.state["state"]
            words, used = twister["key"], twister["pos"]
            fresh = used == BLOCK and words[0] == self._seed & WORD
            state["seed"], state["seeded"], state["words"] = self._seed, True, words
            state["left"], state["next"] = BLOCK + 1 - used, 0 if fresh else used
            for kind in ("double", "float"):
                sample = getattr(self, f"next_{kind}_normal_sample")
                state[f"has_{kind}_sample"], state[f"{kind}_sample"] = sample is not None, sample or 0.0
        return state.view(np.uint8)

    def _set_state_array(self, array: np.ndarray) -> None:
        """Set a state that `_state_array`, or PyTorch, returned.

        Raises RuntimeError if the bytes are not a valid state, and TypeError if they are not bytes.
        """
        if array.dtype != np.uint8:
            raise TypeError("RNG state must be a torch.ByteTensor")
        if array.size != STATE.itemsize:
            raise RuntimeError(
                f"Expected a CPUGeneratorImplState of size {STATE.itemsize} "
                f"but found the input RNG state size to be {array.size}"
            )
        state = np.frombuffer(array.tobytes(), STATE)[0]
        if not (state["seeded"] and 0 < state["left"] <= BLOCK and state["next"] <= BLOCK):
            raise RuntimeError("Invalid mt19937 state")
        used = BLOCK if state["left"] == 1 else int(state["next"])
        twister = {"key": state["words"].astype(np.uint32), "pos": used}
        with self.lock:
            self._bits.state = {"bit_generator": "MT19937", "state": twister}  # type: ignore[typeddict-item]  # of NumPy's own
            self._seed = int(state["seed"])
            for kind in ("double", "float"):
                sample = float(state[f"{kind}_sample"]) if state[f"has_{kind}_sample"] else None
                setattr(self, f"next_{kind}_normal_sample", sample)

    def snapshot(self) -> tuple[Any, ...]:
        """Return the state in the form that takes least time, for `rewind`."""
        with self.lock:
            twister = self._bits.state if fast is None else fast.twister(self.capsule)
            return twister, self._seed, self.next_double_normal_sample, self.next_float_normal_sample

    def rewind(self, snapshot: tuple[Any, ...]) -> None:
        """Set a state that `snapshot` returned."""
        with self.lock:
            twister, self._seed, self.next_double_normal_sample, self.next_float_normal_sample = snapshot
            if fast is None:
                self._bits.state = twister
            else:
                fast.set_twister(self.capsule, twister)

    def get_state(self) -> TensorBase:
        """Return the state as a uint8 tensor, the same as PyTorch's."""
        return new_tensor(self._state_array())

    def set_state(self, new_state: TensorBase) -> None:
        """Set a state that `get_state` returned. Raises TypeError or RuntimeError for anything else."""
        if not isinstance(new_state, TensorBase):
            raise TypeError(f"expected a torch.ByteTensor, but got {type(new_state).__name__}")
        self._set_state_array(new_state._array)

    def __reduce__(self) -> Any:
        return type(self), (self.device,), (self.initial_seed(), None, self.get_state())  # as PyTorch's

    def __setstate__(self, state: Any) -> None:
        """Restores a state: bytes, or PyTorch's seed, offset and state, of which the last holds all."""
        last = state[2] if isinstance(state, tuple) else state
        self._set_state_array(last._array if isinstance(last, TensorBase) else last)


default_generator: Generator = Generator()
default_generator.seed()
