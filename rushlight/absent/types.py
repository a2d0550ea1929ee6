"""Classes of PyTorch's that rushlight has no instances of: programs use them in annotations and in `isinstance`.

Each class raises when it is instantiated, with the reason from `left_out`. Such a class also stands for a function that
libraries import, of a module that has no meaning here.
"""

import sys
from typing import Any

from rushlight.core.above import ABOVE

__all__ = ["MODULES", "AbsentType", "absent_type"]

MODULES = {  # which are made when a program imports them: see `interop.places`
    "rushlight._functorch.aot_autograd": """aot_export_module aot_function aot_module aot_module_simplified
        make_boxed_compiler make_boxed_func""",
    "rushlight._functorch.compilers": "aot_function debug_compile draw_graph_compile nop ts_compile",
    "rushlight._functorch.partitioners": "default_partition min_cut_rematerialization_partition",
    "rushlight.ao": "",
    "rushlight.ao.quantization": """DeQuantStub FakeQuantize QConfig QConfigMapping QuantStub QuantWrapper convert
        fuse_modules get_default_qat_qconfig get_default_qconfig prepare prepare_qat quantize_dynamic""",
    "rushlight.export": "Dim ExportedProgram export load save",
    "rushlight.functorch.compile": """aot_function aot_module default_partition make_boxed_func
        memory_efficient_fusion min_cut_rematerialization_partition nop ts_compile""",
    "rushlight.jit._script": "RecursiveScriptModule ScriptFunction ScriptModule",
    "rushlight.jit._trace": "TopLevelTracedModule TracedModule",
    "rushlight.nested": "as_nested_tensor nested_tensor nested_tensor_from_jagged to_padded_tensor",
    "rushlight.package": "PackageExporter PackageImporter",
    "rushlight.quantization": """DeQuantStub FakeQuantize QConfig QuantStub QuantWrapper convert fuse_modules
        get_default_qat_qconfig get_default_qconfig prepare prepare_qat quantize_dynamic""",
    "rushlight.utils.cpp_extension": "BuildExtension CUDAExtension CppExtension include_paths load load_inline",
    "rushlight.utils.data.datapipes": "",
    "rushlight.utils.data.datapipes.datapipe": "IterDataPipe MapDataPipe",
    "rushlight.utils.data.datapipes.iter": "FileLister FileOpener IterDataPipe IterableWrapper Mapper Shuffler",
}
TYPES = {
    **MODULES,
    "rushlight": """DispatchKey DispatchKeySet Event FunctionSchema PyTorchFileReader PyTorchFileWriter ScriptDict
        ScriptFunction ScriptList ScriptMethod ScriptModule ScriptObject Stream SymBool SymFloat SymInt Tag""",
    "rushlight._C": "FunctionSchema Graph Node PyTorchFileReader ScriptFunction ScriptMethod ScriptModule Value",
    "rushlight.compiler": """keep_portable_guards_unsafe keep_tensor_guards_unsafe load_cache_artifacts
        load_compiled_function save_cache_artifacts set_enable_guard_collectives skip_all_guards_unsafe
        skip_guard_on_all_nn_modules_unsafe skip_guard_on_globals_unsafe skip_guard_on_inbuilt_nn_modules_unsafe""",
    "rushlight._subclasses.fake_tensor": "FakeTensor FakeTensorMode",
    "rushlight.distributed._shard.sharded_optim": "ShardedOptimizer",
    "rushlight.distributed._shard.sharded_tensor": "Shard ShardedTensor ShardedTensorMetadata",
    "rushlight.distributed._shard.sharding_plan": "ShardingPlan ShardingPlanner",
    "rushlight.distributed._shard.sharding_spec": "ChunkShardingSpec EnumerableShardingSpec ShardMetadata ShardingSpec",
    "rushlight.distributed.checkpoint.hf_storage": "HuggingFaceStorageReader HuggingFaceStorageWriter",
    "rushlight.distributed.tensor.placement_types": "_StridedShard",
}


class AbsentType:
    """A class of PyTorch's without instances. NotImplementedError when it is instantiated."""

    def __init__(self, *args: Any, **kwargs: Any):
        name = f"{type(self).__module__}.{type(self).__qualname__}"
        because = ABOVE.reason(name) or "PyTorch's own code makes them."
        lacks = "has no objects" if type(self).__qualname__[0].isupper() else "cannot be called"
        raise NotImplementedError(f"{name} {lacks} in rushlight: {because}")


def absent_type(module: str, name: str) -> type | None:
    """The class for a name that a module lacks, if it is one of these; else None.

    >>> import rushlight as torch
    >>> isinstance(3, torch.SymInt), issubclass(torch.Stream, object)
    (False, True)
    >>> torch.Stream()
    Traceback (most recent call last):
    ...
    NotImplementedError: torch.Stream has no objects in rushlight: it needs a GPU, ...
    """
    if name not in TYPES.get(module, "").split():
        return None
    made = type(name, (AbsentType,), {"__module__": module.replace("rushlight", "torch", 1)})
    setattr(sys.modules[module], name, made)
    return made
