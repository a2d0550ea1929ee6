"""What PyTorch's test files ask about the machine and the build, and decorators that skip tests accordingly."""

import os
import platform
import sys
import unittest
import warnings
from collections.abc import Callable
from functools import wraps
from importlib.util import find_spec
from typing import Any, TypeVar

Test = TypeVar("Test", bound=Callable[..., Any])
Decorator = Callable[[Test], Test]

IS_LINUX, IS_MACOS, IS_WINDOWS = (sys.platform == name for name in ("linux", "darwin", "win32"))
IS_X86, IS_ARM64 = platform.machine() in ("x86_64", "i386", "AMD64"), platform.machine() in ("arm64", "aarch64")
IS_PPC, IS_S390X, IS_JETSON = platform.processor() == "ppc64le", platform.machine() == "s390x", False
IS_CI, IS_FBCODE, IS_SANDCASTLE, IS_REMOTE_GPU = bool(os.getenv("CI")), False, False, False
TEST_NUMPY, NO_MULTIPROCESSING_SPAWN = True, False
TEST_SCIPY, TEST_NUMBA, TEST_DILL = (find_spec(name) is not None for name in ("scipy", "numba", "dill"))
TEST_CUDA = TEST_MPS = TEST_XPU = TEST_HPU = TEST_ACCELERATOR = TEST_MULTIACCELERATOR = TEST_PRIVATEUSE1 = False
TEST_CUDNN = TEST_MULTIGPU = TEST_MKL = TEST_ONEDNN = TEST_OPT_EINSUM = False
TEST_WITH_ASAN = TEST_WITH_TSAN = TEST_WITH_UBSAN = TEST_WITH_DEV_DBG_ASAN = TEST_WITH_ROCM = TEST_WITH_MTIA = False
TEST_WITH_TORCHDYNAMO = TEST_WITH_TORCHINDUCTOR = TEST_WITH_AOT_EAGER = TEST_WITH_CROSSREF = TEST_WITH_TV = False
TEST_WITH_SLOW, TEST_SKIP_FAST = (os.getenv(f"PYTORCH_TEST_{word}", "0") == "1" for word in ("WITH_SLOW", "SKIP_FAST"))
TEST_WITH_SLOW_GRADCHECK = os.getenv("PYTORCH_TEST_WITH_SLOW_GRADCHECK", "0") == "1"
GRADCHECK_NONDET_TOL = 0.0


def skips(condition: bool, why: str) -> Decorator[Any]:
    """A decorator that skips tests if a condition holds."""
    return lambda test: unittest.skipIf(condition, why)(test)


def never(test: Any = None, *args: Any, **kwargs: Any) -> Any:
    """A decorator for circumstances that rushlight is never in, with arguments or without: the test is run."""
    return test if callable(test) and not args and not kwargs else lambda decorated: decorated


skipIfNoSciPy = skips(not TEST_SCIPY, "it needs SciPy")
skipIfNoDill = skips(not TEST_DILL, "it needs dill")
skipIfWindows = skips(IS_WINDOWS, "not on Windows")
skipIfNoLapack = skipIfCompiledWithoutNumpy = skipIfRocm = skipIfMPS = skipIfXpu = skipIfHpu = never
skipIfTorchDynamo = skipIfTorchInductor = skipIfCrossRef = skipIfLegacyJitExecutor = skipIfSlowGradcheckEnv = never
xfailIfTorchDynamo = markDynamoStrictTest = unMarkDynamoStrictTest = serialTest = never


def xfailIf(condition: bool) -> Decorator[Any]:
    """A decorator for tests that fail if a condition holds."""
    return lambda test: unittest.expectedFailure(test) if condition else test


def skip_but_pass_in_sandcastle_if(condition: bool, reason: str) -> Decorator[Any]:
    """A decorator that skips tests if a condition holds."""
    return skips(condition, reason)


def slowTest(test: Any) -> Any:
    """Decorates a test that is only run if PYTORCH_TEST_WITH_SLOW is 1."""
    return unittest.skipIf(not TEST_WITH_SLOW, "it is slow: set PYTORCH_TEST_WITH_SLOW=1 to run it")(test)


def suppress_warnings(test: Any) -> Any:
    """Decorates a test whose warnings are not shown."""

    @wraps(test)
    def called(*args: Any, **kwargs: Any) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return test(*args, **kwargs)

    return called
