"""Compiles LLVM IR to machine code, cached on disk by its content."""

import hashlib
import os
import platform
import sys
from functools import cache
from pathlib import Path
from typing import Any

from rushlight.machine.processor import capability
from rushlight.serialization.replacing import replacing

DIGEST = 32  # bytes of the digest at the start of a cached file
ENGINES: list[Any] = []  # they own the code that was made
CAPPED = {"default": "x86-64", "avx2": "x86-64-v3"}  # LLVM's CPU names for these limits
ATTRIBUTES = 'attributes #0 = { nounwind "prefer-vector-width"="512" "min-legal-vector-width"="512" }'
SELDOM = '!0 = !{!"branch_weights", i32 1, i32 10000}'  # metadata of a branch that is rarely taken


@cache
def llvm() -> Any:
    """llvmlite's binding, initialized; None if it is not installed."""
    try:
        import llvmlite.binding as binding
    except ImportError:
        return None
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    return binding


@cache
def fuses() -> bool:
    """Whether the CPU that code is made for has an instruction for a b + c that rounds once."""
    if platform.machine() not in ("x86_64", "AMD64"):
        return platform.machine() in ("arm64", "aarch64", "ARM64")
    return capability() != "default" and bool(llvm().get_host_cpu_features().get("fma"))


def target() -> tuple[Any, str]:
    """A target machine, which belongs to the engine that is made with it, and a text that identifies it."""
    binding = llvm()
    features, name = binding.get_host_cpu_features().flatten(), binding.get_host_cpu_name()
    if capability() in CAPPED and platform.machine() in ("x86_64", "AMD64"):
        features, name = "", CAPPED[capability()]
    triple = binding.get_process_triple()
    machine = binding.Target.from_triple(triple).create_target_machine(
        cpu=name, features=features, opt=2, reloc="pic", codemodel="jitdefault", jit=True
    )
    return machine, repr((binding.llvm_version_info, triple, name, features))


def folder() -> Path:
    """The cache directory: RUSHLIGHT_CACHE, or the usual place on this system."""
    given = os.environ.get("RUSHLIGHT_CACHE")
    if given:
        return Path(given)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "rushlight" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "rushlight"
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "rushlight"


def built(text: str, names: list[str]) -> list[int]:
    """The addresses of the functions of a module."""
    binding = llvm()
    machine, kind = target()
    file = folder() / f"{hashlib.sha256((kind + text).encode()).hexdigest()}.o"
    kept = read(file)
    module = binding.parse_assembly(text if kept is None else "")
    module.triple = machine.triple
    engine = binding.create_mcjit_compiler(module, machine)
    if kept is None:
        engine.set_object_cache(lambda module, made: keep(file, made), None)
        optimize(module, machine)
        engine.finalize_object()
    else:
        engine.add_object_file(binding.ObjectFileRef.from_data(kept))
        engine.finalize_object()
    ENGINES.append(engine)
    return [engine.get_function_address(name) for name in names]


def optimize(module: Any, machine: Any) -> None:
    """Optimizes a module: promotes variables to registers, and hoists loop invariants."""
    binding = llvm()
    builder = binding.create_pass_builder(machine, binding.create_pipeline_tuning_options(1))
    passes = binding.create_new_function_pass_manager()
    passes.add_sroa_pass()
    passes.add_instruction_combine_pass()
    for function in module.functions:
        if not function.is_declaration:
            passes.run(function, builder)


def read(file: Path) -> bytes | None:
    """The code in a cached file; None if it does not exist or is incomplete."""
    try:
        kept = file.read_bytes()
    except OSError:
        return None
    digest, made = kept[:DIGEST], kept[DIGEST:]
    return made if hashlib.sha256(made).digest() == digest else None


def keep(file: Path, made: bytes) -> None:
    """Writes compiled code to the cache; if that is impossible it is compiled again next time."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with replacing(str(file)) as out:
            out.write(hashlib.sha256(made).digest() + made)
    except OSError:
        return
