"""The features of the CPU, their limit set by the user, and the BLAS kernels for them: loaded before NumPy."""

import os
import sys
import warnings

__all__ = ["allowed_cpus", "capability", "choose_blas_kernels", "has_avx512"]

CAPABILITY = "RUSHLIGHT_CPU_CAPABILITY"  # limits the CPU features of kernels; compiled kernels read it themselves
CAPABILITIES = ("default", "avx2", "avx512")

VARIABLE = "OPENBLAS_CORETYPE"
BEST = "SkylakeX"  # OpenBLAS's name for its AVX-512 kernels, which also run on AMD's CPUs
NEEDED = {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}
CHOSEN = False  # whether `choose_blas_kernels` chose
QUOTA = "/sys/fs/cgroup/cpu.max"  # the CPU time in microseconds that Linux allows a container, and the period


def capability() -> str:
    """The most CPU features that kernels may use: default, avx2 or avx512. Another setting gets a warning."""
    most = os.environ.get(CAPABILITY, CAPABILITIES[-1])
    if most in CAPABILITIES:
        return most
    warnings.warn(f"ignoring invalid value for {CAPABILITY}: {most} (one of {', '.join(CAPABILITIES)})", stacklevel=2)
    return CAPABILITIES[-1]


def has_avx512() -> bool:
    """Whether this CPU has AVX-512, as far as Linux tells, and kernels may use it."""
    if capability() != "avx512":
        return False
    try:
        with open("/proc/cpuinfo") as file:
            flags = next((line for line in file if line.startswith("flags")), "")
    except OSError:
        return False
    return set(flags.split()) >= NEEDED


def allowed_cpus() -> int:
    """How many CPUs this process may use at a time: limited by its affinity and by its container's quota."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        with open(QUOTA) as file:
            quota, period = file.read().split()
    except (OSError, ValueError):
        return count
    return count if quota == "max" else max(1, min(count, -(-int(quota) // int(period))))


def choose_blas_kernels() -> None:
    """Makes OpenBLAS use its AVX-512 kernels when NumPy loads it: it does not recognize every CPU that has AVX-512.

    Does nothing if NumPy is already loaded or the environment sets OPENBLAS_CORETYPE. The environment is unchanged
    afterwards.
    """
    global CHOSEN
    most = capability()
    if most != "avx512" or "numpy" in sys.modules or VARIABLE in os.environ or not has_avx512():
        return
    CHOSEN = True
    os.environ[VARIABLE] = BEST
    try:
        import numpy  # noqa: F401 (it reads the environment)
    finally:
        del os.environ[VARIABLE]
