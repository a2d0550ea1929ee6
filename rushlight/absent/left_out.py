"""The table of the names that PyTorch has and rushlight lacks, with the reason and what to use instead.

A name stands for itself and everything below it; `*` in it for any letters. `missing` reads the table when an unknown
name is used, and docs/parity.md lists it.
"""

from fnmatch import fnmatchcase
from typing import NamedTuple

from rushlight.core.above import above

__all__ = ["LEFT_OUT", "LeftOut", "entry", "reason"]


class LeftOut(NamedTuple):
    """Names that are absent for one reason. `outside` tells that they are out of rushlight's scope."""

    reason: str
    names: str
    outside: bool = True


LEFT_OUT = [
    LeftOut(
        "it needs a GPU, and rushlight computes on the CPU: ask torch.cuda.is_available() first.",
        """torch.cuda torch._C._cuda_* torch.xpu torch.mps torch.mtia torch.accelerator torch.cudnn_* torch.miopen_*
        torch.Stream torch.Event torch.backends.cuda torch.backends.cudnn torch.backends.cusparselt
        torch.backends.miopen torch.backends.mps torch.batch_norm_*elemt torch.batch_norm_gather_*
        torch.batch_norm_*_reduce torch.batch_norm_stats torch.batch_norm_update_stats torch.get_device_module
        torch.profiler_allow_* torch.autograd.profiler.*nvprof*
        torch.autograd.profiler.KinetoStepTracker torch.autograd.graph.set_*stream* torch.Tensor.record_stream
        torch.Tensor.ipu torch.Tensor.xpu torch.Tensor.mtia
        torch.nn.Module.ipu torch.nn.Module.xpu torch.nn.Module.mtia torch.is_vulkan_available
        torch.nn.attention.*flash_attention* torch.nn.functional.*scaled_*mm torch.nn.functional.grouped_mm
        torch.nn.functional.ScalingType torch.nn.functional.SwizzleType torch.autograd.profiler_util.Kernel
        torch.Generator.graphsafe_* torch.Generator.*_offset torch.BenchmarkConfig
        torch.BenchmarkExecutionStats torch.nn.attention.flex_attention.FlexKernelOptions torch.version.rocm
        torch.utils.serialization torch.*autocast_gpu* torch.*autocast_ipu* torch.*autocast_xla*
        torch.sparse.SparseSemiStructured* torch.sparse.to_sparse_semi_structured""",
    ),
    LeftOut(
        "it speaks to libraries that rushlight does not use: NumPy and its own kernels compute.",
        """torch.mkldnn_* torch.backends torch.Tensor.to_mkldnn torch.has_mkl
        torch.has_lapack torch.has_openmp torch.has_spectral torch.cpu torch.fbgemm_*
        torch.compiled_with_cxx11_abi torch.cpp torch.USE_* torch.init_num_threads torch.utils.cpp_extension
        torch.utils.cmake_prefix_path torch.utils.*cpp_backtrace
        torch.utils.backend_registration torch.utils.*privateuse1_backend torch.utils.backcompat
        torch.utils.mobile_optimizer torch.utils.throughput_benchmark torch.utils.ThroughputBenchmark
        torch.ThroughputBenchmark torch.utils.collect_env torch.utils.benchmark.Callgrind*
        torch.utils.benchmark.CopyIfCallgrind torch.utils.benchmark.FunctionCount* torch.nn.functional.*_notes
        torch.linalg.common_notes torch.version.git_version torch.get_file_path
        torch.prepare_multiprocessing_environment torch.torch_shm_manager""",
    ),
    LeftOut(
        "rushlight has no quantized tensors: compute in float16 or float32.",
        """torch.*quantize* torch.q_* torch.qint* torch.quint* torch.qscheme torch.int_repr torch.per_channel_*
        torch.per_tensor_* torch.choose_qparams_* torch.fused_moving_avg_* torch.Tensor.q_*
        torch.Tensor.qscheme torch.Tensor.int_repr torch.Tensor.dequantize torch.int[1-7] torch.uint[1-7]
        torch.bit torch.bits* torch.float4_* torch.QInt* torch.QUInt* torch.nn.quantized torch.nn.quantizable
        torch.nn.qat torch.nn.intrinsic torch.quantization torch.ao torch.DType""",
    ),
    LeftOut(
        "rushlight reads and writes no programs of TorchScript: save a module by torch.save(module.state_dict(), "
        "file), or by torch.onnx.export for other runtimes. In PyTorch, this makes a file that "
        "torch.load reads here: torch.save(torch.jit.load(file).state_dict(), other).",
        "torch.jit.save torch.jit.load torch.jit.save_jit_module_to_flatbuffer torch.jit.jit_module_from_flatbuffer",
    ),
    LeftOut(
        "it belongs to TorchScript, which rushlight does not compile: torch.jit.script gives programs back as they "
        "are, and torch.save keeps a module's state_dict.",
        """torch.jit torch.*Type torch.Script* torch.AliasDb torch.Argument torch.ArgumentSpec torch.Block
        torch.CallStack torch.Capsule torch.Code torch.CompilationUnit torch.CompleteArgumentSpec
        torch.ConcreteModuleType* torch.DeepCopyMemoTable torch.DeserializationStorageContext
        torch.ErrorReport torch.ExecutionPlan torch.FileCheck torch.FunctionSchema torch.Future torch.Gradient
        torch.Graph torch.GraphExecutorState torch.IODescriptor torch.JITException torch.LiteScriptModule
        torch.LockingLogger torch.LoggerBase torch.NoopLogger torch.Node torch.OperatorInfo torch.PyTorchFile*
        torch.SerializationStorageContext torch.StaticModule torch.TracingState torch.Type torch.Use
        torch.Value torch.BufferDict torch.ModuleDict torch.ParameterDict torch.parse_* torch.import_ir_*
        torch.merge_type_* torch.unify_type_list torch.fork torch.wait torch.AggregationType torch.AVG
        torch.SUM torch.FatalError torch.PRIVATE_OPS torch.testing.FileCheck
        torch.nn.functional.BroadcastingList* torch.nn.functional.boolean_dispatch
        torch.nn.functional.assert_int_or_pair torch.classproperty""",
    ),
    LeftOut(
        "it belongs to PyTorch's compiler; rushlight runs programs as they are.",
        """torch.compiler torch._dynamo torch._inductor torch.sym_* torch.Sym*
        torch.fx.experimental torch.fx.passes torch.fx.traceback
        torch.func.debug_unwrap functorch.make_fx
        torch._functorch torch.functorch.compile torch.utils._python_dispatch.*compile*
        torch.utils.deterministic torch.DispatchKey*
        torch.ExcludeDispatchKeyGuard torch.Tag torch.autograd.graph.region_activation_memory_budget
        torch.utils.checkpoint.GraphExecGroup torch.profiler.ExecutionTraceObserver""",
    ),
    LeftOut(
        "rushlight has no exported programs: torch.onnx.export writes a model to a file that other runtimes read, "
        "torch.compile records one to replay it, and torch.fx.symbolic_trace gives its graph.",
        "torch.export torch._export",
    ),
    LeftOut(
        "rushlight exports models by torch.onnx.export alone: save the state_dict, and export the model with PyTorch.",
        "torch.onnx torch.package torch.nativert",
    ),
    LeftOut(
        "it is part of the insides of PyTorch's dispatcher: TorchDispatchMode, __torch_dispatch__ of classes, and "
        "register_kernel, register_autograd and register_vmap of torch.library are there.",
        """torch.library torch.utils._python_dispatch torch.overrides.enable_reentrant_dispatch
        torch.overrides.redispatch_function""",
    ),
    LeftOut(
        "PyTorch's own code calls it, its users do not; where there is a function of the plain name, use that.",
        """torch.return_types.*_out torch.return_types.pytree_register_structseq
        torch.return_types.all_return_types torch.*_indices_copy torch.indices_copy torch.values_copy
        torch.slice_inverse torch.Tensor.slice_inverse torch.native_norm
        torch.*convolution torch.hash_tensor torch.Tensor.hash_tensor
        torch.feature_dropout torch.feature_dropout_ torch.thread_safe_generator
        torch.random.thread_safe_generator torch.autograd.*NestedIOFunction torch.autograd.enforce_grad_layout_policy
        torch.autograd.grad_mode.enforce_grad_layout_policy torch.autograd.function.NestedIOFunction
        torch.autograd.function.BackwardCFunction
        torch.autograd.gradcheck.get_* torch.autograd.profiler.EnforceUnique
        torch.autograd.profiler*.MemRecordsAcc torch.autograd.profiler_util.EventMetadata
        torch.autograd.profiler_util.FormattedTimesMixin torch.autograd.profiler_util.StringTable
        torch.nn.functional.TYPE_CHECKING torch.TYPE_CHECKING torch.nn.functional.Tensor
        torch.fft.Tensor torch.nn.common_types torch.nn.factory_kwargs torch.nn.Module.T_destination
        torch.nn.Module.dump_patches torch.optim.Optimizer.Optimizer*Hook
        torch.optim.Optimizer.profile_hook_step torch.utils.data.DataLoader.check_worker_number_rationality
        torch.Tensor.const_data_ptr torch.Tensor.volatile torch.Tensor.reinforce torch.Tensor.name
        torch.Tensor.index torch.dtype.abbr torch.utils.set_module torch.utils.benchmark.Colorize
        torch.utils.benchmark.utils torch.utils.benchmark.ordered_unique
        torch.utils.benchmark.set_torch_threads torch.utils.benchmark.Language
        torch.utils.benchmark.FuzzedSparseTensor torch.utils.dlpack.DLDeviceType
        torch.utils.checkpoint.DefaultDeviceType torch.utils.checkpoint.*_device_states torch.is_distributed
        torch.Tensor.is_distributed torch.serialization.LoadEndianness torch.serialization.*_endianness
        torch.serialization.*_options torch.serialization.StorageType torch.serialization.*_storage_type
        torch.serialization.storage_to_tensor_type torch.serialization.validate_* torch.serialization.mkdtemp
        torch.serialization.default_restore_location torch.serialization.location_tag
        torch.serialization.check_module_version_* torch.serialization.SourceChangeWarning
        torch.serialization.register_package torch.utils._pytree.*Fn
        torch.utils._pytree.DumpableContext torch.utils._pytree.is_structseq* torch.utils._pytree.treespec_pprint
        torch.utils._pytree.is_namedtuple_* torch.utils.data._DatasetKind
        torch.nn.functional.*torch_function*""",
    ),
    LeftOut(
        "PyTorch removed it itself: use torch.linalg instead.",
        """torch.eig torch.symeig torch.lstsq torch.solve torch.matrix_rank torch.Tensor.eig torch.Tensor.symeig
        torch.Tensor.lstsq torch.Tensor.solve torch.Tensor.resize torch.Tensor.resize_as""",
    ),
    LeftOut(
        "rushlight has no nested tensors: keep a list of tensors, or pad them by torch.nn.utils.rnn.pad_sequence.",
        "torch.nested torch.jagged torch.Tensor.to_padded_tensor",
    ),
    LeftOut(
        "PyTorch itself has given data pipes up: use a Dataset or an IterableDataset.",
        """torch.utils.data.datapipes torch.utils.data.*DataPipe torch.utils.data.DataChunk
        torch.utils.data.functional_datapipe torch.utils.data.guaranteed_datapipes_determinism
        torch.utils.data.non_deterministic torch.utils.data.runtime_validation*
        torch.utils.data.argument_validation""",
    ),
    LeftOut(
        "communication is over MPI: groups, collectives, DistributedDataParallel, fully_shard, DTensor, "
        "parallelize_module, PipelineStage and RPC are there, not other schedules of pipelines or the insides of "
        "PyTorch's backends.",
        """torch.distributed torch.nn.parallel torch.monitor""",
    ),
    LeftOut(
        "no file is a storage here: numpy.memmap maps one, and torch.from_numpy makes a tensor of it.",
        "torch.storage.*Legacy*",
        outside=False,
    ),
    LeftOut(
        "NumPy has no complex numbers of two halves: compute in torch.complex64.",
        "torch.complex32 torch.chalf torch.Tensor.chalf torch.ComplexHalfStorage",
        outside=False,
    ),
    LeftOut(
        "it holds scales of matrix products on GPUs: keep scales in float32.",
        "torch.float8_e8m0fnu",
        outside=False,
    ),
    LeftOut(
        "sparse matrices are stored element by element, not in blocks: use to_sparse_csr or to_sparse_csc.",
        "torch.Tensor.to_sparse_bsr torch.Tensor.to_sparse_bsc",
        outside=False,
    ),
    LeftOut(
        "make a sparse tensor of the other's shape: torch.zeros_like(other), or sparse_resize_.",
        "torch.resize_as_sparse_ torch.Tensor.resize_as_sparse_",
        outside=False,
    ),
    LeftOut(
        "solve with torch.linalg.solve(A.to_dense(), b), or without gradients with scipy.sparse.linalg.spsolve; "
        "PyTorch's own needs a GPU.",
        "torch.sparse.solve",
        outside=False,
    ),
    LeftOut(
        "keep values and mask apart: the functions of torch.masked take the mask as an argument.",
        """torch.masked.MaskedTensor torch.masked.as_masked_tensor torch.masked.is_masked_tensor
        torch.masked.masked_tensor""",
        outside=False,
    ),
    LeftOut(
        "a tensor stays the object that it is: copy_ changes its values, and `data` its memory.",
        "torch.utils.swap_tensors",
        outside=False,
    ),
]


@above
def reason(name: str) -> str | None:
    """Why a name of PyTorch's, such as `torch.jit.load`, is absent; None if the table does not have it.

    >>> reason("torch.jit.load")[:44]
    'rushlight reads and writes no programs of To'
    """
    found = entry(name)
    return None if found is None else found.reason


def entry(name: str) -> LeftOut | None:
    """The first line of the table that contains a name, or a name above it."""
    parts = name.split(".")
    whole = [".".join(parts[:end]) for end in range(2, len(parts) + 1)]
    for line in LEFT_OUT:
        for pattern in line.names.split():
            if any(fnmatchcase(part, pattern) and part.count(".") == pattern.count(".") for part in whole):
                return line
    return None
