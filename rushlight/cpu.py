"""What the CPU can do and is allowed to, and the BLAS kernels that suit it: loaded before NumPy is."""

import os
import sys
import warnings

__all__ = ["allowed_cpus", "capability", "choose_blas_kernels", "has_avx512"]

CAPABILITY = "RUSHLIGHT_CPU_CAPABILITY"  # names the most that kernels may take; compiled ones read it themselves
CAPABILITIES = ("default", "avx2", "avx512")

VARIABLE = "OPENBLAS_CORETYPE"
BEST = "SkylakeX"  # OpenBLAS's name for its kernels for AVX-512, which serve AMD's CPUs too
NEEDED = {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}
CHOSEN = False  # whether `choose_blas_kernels` did
QUOTA = "/sys/fs/cgroup/cpu.max"  # microseconds of CPU time that Linux allows a container, in so many microseconds


def capability() -> str:
    """The most that kernels may take of this CPU: default, avx2 or avx512. Any other wish gets a warning."""
    most = os.environ.get(CAPABILITY, CAPABILITIES[-1])
    if most in CAPABILITIES:
        return most
    warnings.warn(f"ignoring invalid value for {CAPABILITY}: {most} (one of {', '.join(CAPABILITIES)})", stacklevel=2)
    return CAPABILITIES[-1]


def has_avx512() -> bool:
    """Whether this is a CPU with AVX-512, as far as Linux tells, which kernels may take."""
    if capability() != "avx512":
        return False
    try:
        with open("/proc/cpuinfo") as file:
            flags = next((line for line in file if line.startswith("flags")), "")
    except OSError:
        return False
    return set(flags.split()) >= NEEDED


def allowed_cpus() -> int:
    """How many CPUs this process may use at a time: those it may run on, and what its container's quota amounts to."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        with open(QUOTA) as file:
            quota, period = file.read().split()
    except (OSError, ValueError):
        return count
    return count if quota == "max" else max(1, min(count, -(-int(quota) // int(period))))


def choose_blas_kernels() -> None:
    """Lets OpenBLAS take its kernels for AVX-512 when NumPy loads it: it does not know every CPU that has them.

    Nothing is done where NumPy is loaded already or the environment says OPENBLAS_CORETYPE; the environment stays as
    it is.
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
