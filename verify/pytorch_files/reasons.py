"""Why tests of PyTorch's files do not pass with rushlight, where that has a reason."""

import re

from rushlight.absent.left_out import reason

INNER = "PyTorch's inner workings: a name with an underscore"
SAYS = "rushlight has no such thing, and says so"
REFS = "it tests torch._refs, PyTorch's own second definitions of its operators"
PROFILER = "PyTorch's library behind its profiler, or the fields of that library's events"
ADVICE = "the test compares the whole message, and rushlight's says also what to do"
COMPLEX32 = "NumPy has no complex numbers of two halves (torch.complex32)"
QUANTIZED = reason("torch.quint8")
HASHES = reason("torch.hash_tensor")
ARRAYS = "NumPy's functions of tensors give tensors here, where PyTorch's become arrays"
CUDA_CLASSES = "the classes of tensors and storages in torch.cuda are empty, for annotations and isinstance"
NOTHING = "an array without elements has no strides of its own in NumPy: those of a contiguous one are reported"
UNSORTED = "PyTorch does not sort rows with NaN, nor finds equal ones among the others, as its comparison is no order"
EMPTY_LIST = "PyTorch's masked.prod takes dim=[] for no dimension, where dim=() and other masked reductions take all"
DIMENSIONS = "NumPy's arrays have at most 64 dimensions, which are an error in both, with other words"
MUTATION = "what PyTorch's allow_mutation_on_saved_tensors keeps inside: copies are made elsewhere here"
LIBRARIES = "PyTorch's tools skip it where libraries are absent that rushlight does not use"
SPARSE = "rushlight checks gradients of sparse tensors by torch.sparse.as_sparse_gradcheck, as PyTorch's page says"
HANDED = "saved and recomputed values are equal, not the same objects"
STORAGES = "a typed storage is an array: it is no tensor's memory that could be followed, resized or resurrected"
META_STORAGES = "tensors on the device meta have no storage"
EXPANDED = "PyTorch warns that writing to expanded tensors will be refused, rushlight refuses"
PRIVATE_NAMES = "names of PyTorch's files that no page of PyTorch has"
ROUNDED = "rounded once, at the end, where PyTorch rounds between its steps too"
VIEWS = "a view of an inference tensor that requires grad requires grad too"
TORCHSCRIPT = "the test expects that TorchScript refuses a program, which rushlight runs as it is"
STOLEN = "a gradient that a custom function was given is copied into .grad, of which the test wants the memory itself"
ONE_NODE = "a linear layer is one node here, without another for the transposed weight"
VERTEX = "a leaf is the end of the graph itself: set_() under no_grad does not take it out of the graphs it is in"
BATCHES = "gradcheck's batched passes are vmap's, and say what vmap says"
VALUES = "the graph of a sparse tensor is that of its values"
UNSEEN = "modes see an operator before its inputs are saved: what ends a recomputation early is seen"
ZIP = "archives are read and written by Python's zipfile, which seeks, and reads before it copies"
TO_CPU = "tensors of any device are loaded to the CPU"
PICKLE = "files are read and written by Python's own pickle alone, and say so"
MORE = "the test expects a failure of PyTorch's, where rushlight computes"

ABSENT = r"verify\.pytorch_files\.absent\.(torch\.[\w.]+)"

# A pattern that is found in "Class::test: outcome words", and the reason.
REASONS = {
    r"__refs_\w+_cpu": REFS,
    r"AttributeError: (type object )?'(?!NoneType)\w+' (object )?has no attribute '_\w+'": INNER,
    r"ImportError: cannot import name '_": INNER,
    r"NotImplementedError: .*rushlight (has no|knows|asks no)": SAYS,
    r"test_profiler|test_record_function": PROFILER,
    r"MKL-DNN build is disabled|compiled without Lapack": LIBRARIES,
    r"no gradcheck of sparse inputs": SPARSE,
    r"saved_object_identity": HANDED,
    r"test_gradcheck_(forward_ad_respects_requires_grad|get_\w+_jacobian)": INNER,
    r"test_volatile_deprecated|test_cant_create_saved_tensors": PRIVATE_NAMES,
    r"test_(storage_meta|typed_storage_meta)": META_STORAGES,
    r"test_storage_\w*(cycle|dealloc|resurrected|preserve)|TypedStoragePair": STORAGES,
    r"(index|masked)_fill_mem_overlap|index_put_mem_overlap": EXPANDED,
    r"(reduce_(mean|prod)_cpu_b?float16|put_cpu_float16)": ROUNDED,
    r"must be real number, not (complex|bytes)$|'\|V1|numpy.void|torch.complex32$|_complex32: ": COMPLEX32,
    r"\"complex_cpu\" not implemented for 'Half'": COMPLEX32,
    r"Unknown Complex ScalarType for Half|test_cat_all_dtypes_and_devices|test_complex_assertraises": COMPLEX32,
    r"only tensors with up to 64 dims": DIMENSIONS,
    r"test_dtype_is_signed": QUANTIZED,
    r"test_gradient_type_promotion": ARRAYS,
    r"hash_tensor_cpu": HASHES,
    r"test_sobolengine_(distribution|fast_forward)": ARRAYS,
    r"test_storage_error_no_attribute": CUDA_CLASSES,
    r"test_empty_strided_cpu": NOTHING,
    r"test_unique_dim_cpu": UNSORTED,
    r"test_dim_empty\w*_masked_prod": EMPTY_LIST,
    r"TestAllowMutationOnSaved": MUTATION,
    r"test_nonzero_astuple_out": TORCHSCRIPT,
    r"test_numpy_array_binary_ufunc_promotion|test_scatter_index_reduce_prod_gradgrad_error": MORE,
    r"test_not_implemented_fwad": MORE,
    r"test_autograd_inplace_views_cross_dtype": "PyTorch's gradient is wrong there, as the test says",
    r"test_numpy_array_interface": "NumPy's comparisons of tensors are bool here; PyTorch makes uint8 of them",
    r"test_numpy_scalar_cmp": "PyTorch drops imaginary parts in comparisons with NumPy's complex numbers",
    r"test_numpy_unresizable|test_resizable": "resize_ takes new memory where NumPy holds the old; PyTorch refuses",
    r"unexpected keyword argument '_internal'": INNER,
    r"test_grad: failed AssertionError: String comparison failed: 'Mism": ADVICE,
    r"test_dir: ": "hasattr(x, 'imag') is False for a real tensor; with PyTorch it raises RuntimeError",
    r"test_deep_reentrant": "passes inside passes nest as deep as Python's recursion limit; PyTorch changes threads",
    r"test_attribute_deletion|cond_op|_subclasses|old_get_allowed_globals": INNER,
    r"test_weights_only_error_unsafe_global_False": MORE,
    r"test_serialization_filelike": ZIP,
    r"test_load_nonexistent_device": TO_CPU,
    r"test_pickle_module": PICKLE,
    r"test_no_grad_copy": STOLEN,
    r"test_backward_hook_relative_ordering": ONE_NODE,
    r"test_grad_to_node_set": VERTEX,
    r"test_gradcheck_forward_ad_batched_grad": BATCHES,
    r"test_graph_save_on_cpu": VALUES,
    r"test_nested_checkpoint_set_early_stop_no_recompution_needed": UNSEEN,
    r"test_inference_mode_inf_tensor_in_normal_mode_view_op": VIEWS,
    r"DLPack only supports signed/unsigned": "NumPy's arrays cannot be exchanged as bfloat16 by DLPack",
    r"test_scatter_\w*(prod|reductions)_cpu_complex": "complex products are rounded in another order in a scatter",
}


def explanation(test: str, came: str, why: str) -> str:
    """The reason why a test cannot pass, or nothing."""
    absent = re.match(r"absent (.*)", why) or re.search(ABSENT, why)
    if absent and any(part[:1] == "_" for part in absent[1].split(".")):
        return reason(absent[1]) or INNER
    if absent and (given := reason(absent[1])):
        return given
    return next((given for found, given in REASONS.items() if re.search(found, f"{test}: {came} {why}")), "")
