"""Test cases as PyTorch's own test files write them: comparisons of tensors, and tests with parameters."""

import random
import socket
import tempfile
import unittest
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import partialmethod
from itertools import product
from typing import Any

import numpy as np

from rushlight import dtypes, settings
from rushlight.autograd.gradcheck import gradcheck, gradgradcheck
from rushlight.core.graph import TensorBase, new_tensor
from rushlight.devices import device
from rushlight.dtypes import dtype
from rushlight.random import get_rng_state, manual_seed, set_rng_state
from rushlight.testing import assert_close, make_tensor
from rushlight.testing._internal.circumstances import (
    GRADCHECK_NONDET_TOL,
    IS_ARM64,
    IS_CI,
    IS_FBCODE,
    IS_JETSON,
    IS_LINUX,
    IS_MACOS,
    IS_PPC,
    IS_REMOTE_GPU,
    IS_S390X,
    IS_SANDCASTLE,
    IS_WINDOWS,
    IS_X86,
    NO_MULTIPROCESSING_SPAWN,
    TEST_ACCELERATOR,
    TEST_CUDA,
    TEST_DILL,
    TEST_HPU,
    TEST_MKL,
    TEST_MPS,
    TEST_MULTIACCELERATOR,
    TEST_NUMBA,
    TEST_NUMPY,
    TEST_ONEDNN,
    TEST_OPT_EINSUM,
    TEST_PRIVATEUSE1,
    TEST_SCIPY,
    TEST_SKIP_FAST,
    TEST_WITH_AOT_EAGER,
    TEST_WITH_ASAN,
    TEST_WITH_CROSSREF,
    TEST_WITH_DEV_DBG_ASAN,
    TEST_WITH_MTIA,
    TEST_WITH_ROCM,
    TEST_WITH_SLOW,
    TEST_WITH_SLOW_GRADCHECK,
    TEST_WITH_TORCHDYNAMO,
    TEST_WITH_TORCHINDUCTOR,
    TEST_WITH_TSAN,
    TEST_WITH_TV,
    TEST_WITH_UBSAN,
    TEST_XPU,
    markDynamoStrictTest,
    serialTest,
    skip_but_pass_in_sandcastle_if,
    skipIfCompiledWithoutNumpy,
    skipIfCrossRef,
    skipIfHpu,
    skipIfLegacyJitExecutor,
    skipIfMPS,
    skipIfNoDill,
    skipIfNoLapack,
    skipIfNoSciPy,
    skipIfRocm,
    skipIfSlowGradcheckEnv,
    skipIfTorchDynamo,
    skipIfTorchInductor,
    skipIfWindows,
    skipIfXpu,
    slowTest,
    suppress_warnings,
    unMarkDynamoStrictTest,
    xfailIf,
    xfailIfTorchDynamo,
)
from rushlight.testing._internal.matrices import (
    make_fullrank_matrices_with_distinct_singular_values,
    noncontiguous_like,
    random_hermitian_matrix,
    random_hermitian_pd_matrix,
    random_symmetric_matrix,
    random_symmetric_pd_matrix,
    random_symmetric_psd_matrix,
    random_well_conditioned_matrix,
)

__all__ = [
    "GRADCHECK_NONDET_TOL",
    "IS_ARM64",
    "IS_CI",
    "IS_FBCODE",
    "IS_JETSON",
    "IS_LINUX",
    "IS_MACOS",
    "IS_PPC",
    "IS_REMOTE_GPU",
    "IS_S390X",
    "IS_SANDCASTLE",
    "IS_WINDOWS",
    "IS_X86",
    "NO_MULTIPROCESSING_SPAWN",
    "SEED",
    "TEST_ACCELERATOR",
    "TEST_CUDA",
    "TEST_DILL",
    "TEST_HPU",
    "TEST_MKL",
    "TEST_MPS",
    "TEST_MULTIACCELERATOR",
    "TEST_NUMBA",
    "TEST_NUMPY",
    "TEST_ONEDNN",
    "TEST_OPT_EINSUM",
    "TEST_PRIVATEUSE1",
    "TEST_SCIPY",
    "TEST_SKIP_FAST",
    "TEST_WITH_AOT_EAGER",
    "TEST_WITH_ASAN",
    "TEST_WITH_CROSSREF",
    "TEST_WITH_DEV_DBG_ASAN",
    "TEST_WITH_MTIA",
    "TEST_WITH_ROCM",
    "TEST_WITH_SLOW",
    "TEST_WITH_SLOW_GRADCHECK",
    "TEST_WITH_TORCHDYNAMO",
    "TEST_WITH_TORCHINDUCTOR",
    "TEST_WITH_TSAN",
    "TEST_WITH_TV",
    "TEST_WITH_UBSAN",
    "TEST_XPU",
    "DeterministicGuard",
    "TemporaryFileName",
    "TestCase",
    "dtype_name",
    "find_free_port",
    "first_sample",
    "freeze_rng_state",
    "gradcheck",
    "gradgradcheck",
    "instantiate_parametrized_tests",
    "is_iterable",
    "iter_indices",
    "load_tests",
    "make_fullrank_matrices_with_distinct_singular_values",
    "make_tensor",
    "markDynamoStrictTest",
    "noncontiguous_like",
    "numpy_to_torch_dtype_dict",
    "parametrize",
    "random_hermitian_matrix",
    "random_hermitian_pd_matrix",
    "random_symmetric_matrix",
    "random_symmetric_pd_matrix",
    "random_symmetric_psd_matrix",
    "random_well_conditioned_matrix",
    "run_tests",
    "serialTest",
    "set_default_dtype",
    "set_rng_seed",
    "skipIfCompiledWithoutNumpy",
    "skipIfCrossRef",
    "skipIfHpu",
    "skipIfLegacyJitExecutor",
    "skipIfMPS",
    "skipIfNoDill",
    "skipIfNoLapack",
    "skipIfNoSciPy",
    "skipIfRocm",
    "skipIfSlowGradcheckEnv",
    "skipIfTorchDynamo",
    "skipIfTorchInductor",
    "skipIfWindows",
    "skipIfXpu",
    "skip_but_pass_in_sandcastle_if",
    "slowTest",
    "subtest",
    "suppress_warnings",
    "torch_to_numpy_dtype_dict",
    "unMarkDynamoStrictTest",
    "xfailIf",
    "xfailIfTorchDynamo",
]

SEED = 1234
load_tests = None  # PyTorch's files name it; unittest loads tests itself
numpy_to_torch_dtype_dict = {
    np.dtype(str(kind).removeprefix("torch.")).type: kind
    for kind in (
        *(dtypes.bool, dtypes.uint8, dtypes.uint16, dtypes.uint32, dtypes.uint64, dtypes.int8, dtypes.int16),
        *(dtypes.int32, dtypes.int64, dtypes.float16, dtypes.float32, dtypes.float64),
        *(dtypes.complex64, dtypes.complex128),
    )
}
torch_to_numpy_dtype_dict = {kind: name for name, kind in numpy_to_torch_dtype_dict.items()}
EQUAL = unittest.TestCase.assertEqual
COMPARED = (TensorBase, np.ndarray, np.number, int, float, complex)


class TestCase(unittest.TestCase):
    """A test case that compares tensors, and seeds the random numbers before each test."""

    tolerances: tuple[float | None, float | None] = (None, None)  # of the running test, absolute and relative

    def setUp(self) -> None:
        """Seeds the random numbers."""
        super().setUp()
        set_rng_seed(SEED)

    def assertEqual(
        self,
        first: Any,
        second: Any,
        msg: Any = None,
        *,
        atol: float | None = None,
        rtol: float | None = None,
        equal_nan: bool = True,
        exact_dtype: bool = True,
    ) -> None:
        """Asserts that two values are equal: tensors and numbers closely, also within sequences and mappings."""
        if atol is None and rtol is None:
            atol, rtol = self.tolerances
            atol, rtol = (0.0 if rtol is not None and atol is None else atol), (1e-5 if atol and not rtol else rtol)
        options = {"atol": atol, "rtol": rtol, "equal_nan": equal_nan, "check_dtype": exact_dtype, "msg": msg}
        self.compare(first, second, options)

    def compare(self, first: Any, second: Any, options: dict[str, Any]) -> None:
        """Compares two values, or their items."""
        mappings = isinstance(first, Mapping) and isinstance(second, Mapping)
        if mappings and first.keys() == second.keys():
            for key in first:
                self.compare(first[key], second[key], options)
        elif is_sequence(first) and is_sequence(second) and len(first) == len(second):
            for one, other in zip(first, second, strict=True):
                self.compare(one, other, options)
        elif isinstance(first, COMPARED) and isinstance(second, COMPARED):
            if isinstance(first, TensorBase) != isinstance(second, TensorBase):
                first, second, options = as_tensor(first), as_tensor(second), options | {"check_dtype": False}
            assert_close(first, second, **options)
        else:
            EQUAL(self, first, second, options["msg"])


def set_rng_seed(seed: int | None = None) -> None:
    """Seeds the random numbers of rushlight, Python and NumPy."""
    seed = SEED if seed is None else seed
    manual_seed(seed)
    random.seed(seed)
    np.random.seed(seed)


@contextmanager
def freeze_rng_state() -> Iterator[None]:
    """Random numbers drawn within do not change those drawn afterwards."""
    state = get_rng_state()
    try:
        yield
    finally:
        set_rng_state(state)


@contextmanager
def set_default_dtype(dtype: dtype) -> Iterator[None]:
    """Within it, floating point tensors are made in another type."""
    saved = dtypes.get_default_dtype()
    dtypes.set_default_dtype(dtype)
    try:
        yield
    finally:
        dtypes.set_default_dtype(saved)


class DeterministicGuard:
    """Within it, deterministic algorithms are asked for, or not."""

    def __init__(self, deterministic: bool, *, warn_only: bool = False, fill_uninitialized_memory: bool = True):
        self.wanted = deterministic, warn_only
        self.saved: list[tuple[bool, bool]] = []

    def __enter__(self) -> None:
        warns = settings.is_deterministic_algorithms_warn_only_enabled()
        self.saved.append((settings.are_deterministic_algorithms_enabled(), warns))
        settings.use_deterministic_algorithms(self.wanted[0], warn_only=self.wanted[1])

    def __exit__(self, *raised: Any) -> None:
        deterministic, warns = self.saved.pop()
        settings.use_deterministic_algorithms(deterministic, warn_only=warns)


@contextmanager
def TemporaryFileName(*args: Any, **kwargs: Any) -> Iterator[str]:
    """The name of a file that is removed afterwards."""
    with tempfile.NamedTemporaryFile(*args, **kwargs) as file:
        yield file.name


def find_free_port() -> int:
    """A port of this machine that nobody uses at present."""
    with closing(socket.socket(socket.AF_INET, socket.SOCK_STREAM)) as found:
        found.bind(("localhost", 0))
        return found.getsockname()[1]


def is_iterable(obj: Any) -> bool:
    """Whether a value can be iterated over."""
    return hasattr(obj, "__iter__") or hasattr(obj, "__getitem__")


def iter_indices(tensor: Any) -> Iterable[Any]:
    """The indices of all elements: numbers for one dimension, tuples for more."""
    return range(sum(tensor.shape)) if tensor.dim() < 2 else product(*map(range, tensor.shape))


def dtype_name(dtype: dtype) -> str:
    """The name of a type, without the library's."""
    return str(dtype).removeprefix("torch.")


def first_sample(self: unittest.TestCase, samples: Iterable[Any]) -> Any:
    """The first of some samples; skips the test if there is none."""
    for sample in samples:
        return sample
    raise unittest.SkipTest("Skipped! Need at least 1 sample input")


def as_tensor(value: Any) -> Any:
    """A tensor as it is, an array or number as a tensor."""
    return value if isinstance(value, TensorBase) else new_tensor(np.asarray(value))


def is_sequence(value: Any) -> bool:
    """Whether a value has items to compare one by one."""
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


class subtest:
    """The values of one test of `parametrize`, with the end of its name and decorators of its own."""

    def __init__(self, arg_values: Any, name: str | None = None, decorators: Iterable[Callable[..., Any]] = ()):
        self.arg_values, self.name, self.decorators = arg_values, name, list(decorators)


class parametrize:
    """Decorates a test: `instantiate_parametrized_tests` makes one of it for each of some values.

    `arg_str` names the parameters, separated by commas; `name_fn` makes the end of a test's name of their values.
    """

    def __init__(self, arg_str: str, arg_values: Iterable[Any], name_fn: Callable[..., str] | None = None):
        self.names = [name.strip() for name in arg_str.split(",") if name.strip()]
        self.values, self.name_fn = list(arg_values), name_fn

    def __call__(self, test: Callable[..., Any]) -> Callable[..., Any]:
        vars(test).setdefault("parameters", []).insert(0, self)
        return test

    def cases(self) -> list[tuple[str, dict[str, Any], list[Callable[..., Any]]]]:
        """The end of the name, the arguments and the decorators of each test."""
        found = []
        for i, given in enumerate(self.values):
            case = given if isinstance(given, subtest) else subtest(given)
            values = [case.arg_values] if len(self.names) == 1 else list(case.arg_values)
            end = case.name or (self.name_fn(*values) if self.name_fn else self.named(i, values))
            found.append((end, dict(zip(self.names, values, strict=True)), case.decorators))
        return found

    def named(self, i: int, values: list[Any]) -> str:
        """The end of the i-th test's name, made of the parameters and their values."""
        return "_".join(name_part(i, name, value) for name, value in zip(self.names, values, strict=True))


def name_part(i: int, name: str, value: Any) -> str:
    """A parameter of the i-th test within its name."""
    if isinstance(value, dtype):
        return str(value).removeprefix("torch.")
    if isinstance(value, device):
        return str(value)
    return f"{name}_{value}".replace(".", "_") if isinstance(value, (int, float, str)) else f"{name}{i}"


def instantiate_parametrized_tests(cls: type) -> type:
    """Replaces the tests of a class that have parameters by one test for each combination of values."""
    for name, test in list(vars(cls).items()):
        if not hasattr(test, "parameters"):
            continue
        delattr(cls, name)
        for combination in product(*[parameters.cases() for parameters in test.parameters]):
            arguments = {key: value for _, values, _ in combination for key, value in values.items()}
            made: Any = partialmethod(test, **arguments).__get__(None, cls)
            for _, _, decorators in combination:
                for decorate in decorators:
                    made = decorate(made)
            made.__name__ = "_".join([name, *[end for end, _, _ in combination]])
            if hasattr(cls, made.__name__):
                raise RuntimeError(f"{made.__name__} is made twice by {cls.__name__}.{name}: give subtests other names")
            setattr(cls, made.__name__, made)
    return cls


def run_tests(argv: list[str] | None = None) -> None:
    """Runs the tests of the program, as `unittest.main` does."""
    unittest.main(argv=argv)
