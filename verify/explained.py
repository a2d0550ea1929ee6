"""Differences from PyTorch with a known reason."""

import re
from typing import NamedTuple


class Explanation(NamedTuple):
    """What a difference looks like, in which part, in which programs or operators, and why it is there.

    `{name}` in `where` stands for what the difference is of: a variable, or the first one on the line that fails.
    """

    part: str
    difference: str
    where: str
    reason: str


COMPOSED = "multi_margin_loss|kron|trapezoid|quantile|cov|dist|logaddexp|einsum"
REAL = "embedding|cdist|nan_to_num|select_scatter|slice_scatter|diagonal_scatter|index_reduce|scatter_reduce|dist"
INFERENCE = "PyTorch writes to an inference tensor, then refuses to do so"
COUNTED = "PyTorch counts changes of what it computes from inference tensors, or of their .data"
GIVEN = "a tensor whose .data, or a leaf whose shape, was changed behind its graph: docs/pytorch-mistakes.md"
ROUNDING = "rounding: PyTorch's own numbers change as much where its inputs change in the last digit"
FILLED = "PyTorch fills an expanded tensor in place, but cannot differentiate that"
LOOKS = "PyTorch's einsum and matmul give a view of what they computed, which cannot be detached in place"
SAVES = "rushlight saves values for an operator that PyTorch builds from others, of which each saves less"
BUILT = "PyTorch builds the operator from others; its values and derivatives are the same"
INSIDE = "PyTorch's operator changes its own result in place"
LINEARIZE = "PyTorch's linearize takes the point for a constant, and its derivative for zero"
LAYER_NORM = "PyTorch's forward mode of layer_norm is wrong when differentiated: docs/pytorch-mistakes.md"
FUNCTIONAL = "functions of autograd.functional work inside transforms of func, which PyTorch refuses"
STALE = "PyTorch's save_on_cpu keeps a tensor itself, and does not notice that it was changed: docs/pytorch-mistakes.md"
CONSTANTS = "PyTorch's functions of autograd.functional take the point for a constant inside transforms of func"
CLIPPING = "PyTorch cannot clip where there is no gradient yet"
ROUNDED = "bfloat16: rounded once, at the end, where PyTorch rounds between its steps too"
BLOCKS = "rushlight has no sparse matrices of blocks, and says so"
OVERFLOWS = "float16: PyTorch overflows between its steps, rushlight rounds once, at the end"
SUBGRADIENT = "PyTorch gives nan for the derivative of a subgradient, rushlight zero"
NODES_OF_INPUTS = "PyTorch also runs the node of an input that is no leaf, and misses what it saved"
HALF_DONE = "PyTorch writes before it finds that it cannot"
TIES = "which of equal elements argsort, topk or quantile takes first is nobody's promise"
COMPLEX = "rushlight also takes complex numbers here"
SAVED = "PyTorch saves an input that the derivative does not need, or of which it needs the shape"
PROMOTED = "einsum of different types, which PyTorch takes only where one has size one"
ABSENT = "where nothing depends on an input its gradient is None, in PyTorch sometimes zero"
NESTED = "linearize can be nested, which PyTorch refuses"
OUT_DIMS = "PyTorch's vmap with a negative out_dims reads sizes that are not there, where a result is not mapped"
NAN = "PyTorch's derivatives of logcumsumexp are nan where they are not: docs/pytorch-mistakes.md"
CORNER = "a source may be larger than the index of a scatter: PyTorch has the value, but not the derivative"
MEMORY = "PyTorch's functions that overwrite a view in a copy keep it where elements share memory"
SCATTERED = "PyTorch's gradient of as_strided_scatter is that of what is overwritten: docs/pytorch-mistakes.md"
POWERS = "PyTorch's complex powers with exponent 0 are nan at some bases: docs/pytorch-mistakes.md"
INFINITE = "PyTorch's sums of complex numbers are nan beside an infinite part: docs/pytorch-mistakes.md"
MEANWHILE = "PyTorch reads what it has just written, where an operand lies in the memory that is changed"
MODES = "PyTorch's mode is any element where some are nan: docs/pytorch-mistakes.md"
PLACES = "negatives and inverses of complex 0 depend in PyTorch on where in memory it lies: docs/pytorch-mistakes.md"
EXTREMES = "PyTorch's scatter_reduce shares gradients with what does not count: docs/pytorch-mistakes.md"
UNREDUCED = "PyTorch's mse_loss in two vmaps takes no mean: docs/pytorch-mistakes.md"
LENGTHENED = (
    "PyTorch's vmap gives a number a dimension, and its derivative of var or logcumsumexp depends on the number"
)
ROOTS = "float16: PyTorch's power 0.5 of -inf is inf; in its other types it is NaN, as a square root is"
SCALED = "PyTorch's ldexp takes the power of two in the type of the exponent, in which it can overflow"
CROSSED = "PyTorch's cross product of a vector with itself is not zero, but what it rounds away"
UNREACHED = "PyTorch also looks at what was saved for gradients that nobody gets, of views made without gradients"
HOOKED_TWICE = "a hook on a node, through which PyTorch's second derivative runs again: without it all is the same"
THROUGH_RESULT = "PyTorch writes the derivative of prod with its result, on which derivatives of derivatives depend"
DIGITS = "numbers that differ in the last digit, and what depends on that: each line alone gives the same"
INNER = "PyTorch's own code alone gives this argument"
UNSET_VALUES = "places in memory, and values that nobody wrote"
LEFTOVERS = "PyTorch's gelsy with a rank below the full one gives other results when it is called again"
THREADS = "the number of threads, which this check sets for PyTorch alone"
BETWEEN = "threads between operators, which rushlight has not: PyTorch's number can be set once"
DENORMAL = "denormal numbers stay as they are, which the function's result says"
NUMBER_FIRST = "a number before the tensor is given by position, as is the tensor then"
FIRST_BAG = "PyTorch's torch.embedding_bag leaves the first row out of sums of float32"
SUMMED_BAGS = "PyTorch's torch.embedding_bag leaves out the numbers of bags where it sums float32"
ALONE = "a single number has no variance, which PyTorch's torch.instance_norm does not say"
FLAT_BAGS = "PyTorch's torch.embedding_bag ignores offsets of bags in two dimensions"
UNCHECKED = "sizes that mean nothing, which PyTorch does not check"
NONSENSE = r"max_unpool|fractional_max_pool|bilinear|sparse_|vecdot\(float64\[0\]|svd\(float64\[0, 0\]"
HALVES = "rushlight has no complex32"
FLIPPED = "PyTorch's vmap does not flip a number, which PyTorch does without vmap"
JOINED = "PyTorch's vmap finds that a number cannot be joined by looking for its dimension"
ZEROS = "PyTorch's tangent of zeros cannot be written to, which it finds when it differentiates it"
OVERWRITTEN = "PyTorch's forward mode of norm overwrites what it saved, and cannot be differentiated"
CONSTANT = "where a derivative is constant one library's depends on the inputs all the same, with gradients of zero"
SLOPE = "rushlight's gradient is the slope by central differences, PyTorch's is not: docs/pytorch-mistakes.md"
VIEWED = "PyTorch's kron of tensors of different layouts asks for a view that there is not"
UNNOTICED = "PyTorch's kron does not notice that what it saved was changed: docs/pytorch-mistakes.md"
CAST = "PyTorch saves the operand, rushlight what it is cast to"
HALVED = "PyTorch's trapezoid takes half of the ends away again, of which nan and infinity leave nothing"
EXAMPLES = "PyTorch's layer_norm of a number inside vmap normalizes over the examples"
GATHERED = "inside vmap PyTorch's index_select is a gather, which says by another type that an index is out of range"
JOINED_HOOKS = "hooks on PyTorch's node of cat also see gradients of what needs none"
BATCHED_HOOKS = "PyTorch's hooks in a batched pass see tensors of a batch, which tell nothing of the graph"
RETAINED_BATCHES = "a batched pass adds to the retained gradient of a tensor inside what means nothing after it"
CDIST = "PyTorch has no second derivative of cdist, or of a batch of its derivatives"
TWO_TYPES = "PyTorch's cosine_similarity of two types computes lengths in the narrower one: docs/pytorch-mistakes.md"
DETACHED = "PyTorch lets inference tensors be changed through `detach()`, as if they were ordinary ones"
UNPLACED = "PyTorch's views of nothing have an offset in memory, NumPy's have none, and as_strided begins there"
NOWHERE = "a view of a leaf that is made without gradients requires them, but has no node in PyTorch: they end nowhere"
BESSEL = "PyTorch's Bessel functions are wrong in the seventh digit near 5: docs/pytorch-mistakes.md"
OFFSETS = "a piece of unsafe_split is no view, and its offset zero, though it lies in the whole's memory"
GAPS = "PyTorch writes an `out` with gaps in memory as if it had none: docs/pytorch-mistakes.md"
IN_ORDER = "PyTorch's kernel takes contiguous tensors only, and says so by an internal error"
UNDERIVED = "PyTorch has no derivative of these changes in place"
OWN_PLACE = "PyTorch's linear gives a view that is given as out= memory of its own"
RESIZES = "PyTorch's addbmm_ gives its tensor another shape, instead of refusing: docs/pytorch-mistakes.md"
UNSIZED = "PyTorch's normal adds the mean to an `out` before it has its size"
SPACED = "PyTorch's lstsq leaves gaps in an `out` that it has resized"
TRIANGLES = (
    "PyTorch differentiates cholesky_inverse and cholesky_solve by what they do not read: docs/pytorch-mistakes.md"
)
POLES = "PyTorch's polygamma is large, not infinite, at negative integers"
MORE_TYPES = "rushlight computes in a type for which PyTorch has no kernel"
TRANSFORMS = "PyTorch's library for Fourier transforms refuses to transform nothing"
HALF_REFUSED = "PyTorch computes the value of nothing, but not its derivative"
INTERNAL = "PyTorch finds that it cannot only by an internal error"
ASSERTED = "PyTorch says so by an internal check of its own, rushlight by words for the argument"
DESCRIPTORS = "PyTorch's reflected methods refuse a number for self: they are functions in C"
UNWRITTEN = "memory that nobody has written to"
INDEPENDENT = "a gradient of nothing is made by PyTorch only where something depends on it"
EMPTY_GROUPS = "PyTorch's group_norm of nothing has nan for the slope of a weight: docs/pytorch-mistakes.md"
EMPTY_RESIDUALS = "PyTorch's lstsq has no residuals where nothing is solved for: docs/pytorch-mistakes.md"
EMPTY_ATTENTION = "PyTorch's attention does not look at sizes where a tensor is empty: docs/pytorch-mistakes.md"
ENDED = "PyTorch ends the process, where the program runs on PyTorch alone"
RETAINED = "PyTorch cannot change a second result that retains its gradient: docs/pytorch-mistakes.md"
LOGARITHMS = "PyTorch's logaddexp of complex numbers is nan where one is very small: docs/pytorch-mistakes.md"
UNHOOKED = "PyTorch's grad gives a tensor's gradient before its hook: docs/pytorch-mistakes.md"
HOOKED = "a hook gives what was saved back in another type, with which rushlight computes"
UNFINISHED = "a pass that fails has added to the gradients that came before, and the order is nobody's promise"
BEYOND = "PyTorch reads beyond the one number that is given for a vector"
POWERS_OUT = "PyTorch's matrix_power casts to an `out` of another type for some exponents only: 1 and 4, not 2 or -1"
COPIED = "PyTorch's lu copies into an `out` of any type"
UNBATCHED = "PyTorch has no batching rule, rushlight has"
SEVERAL = "two reasons to refuse a call, of which each library names one"
CHOSEN = "PyTorch's where gives a real operand beside a complex one a complex gradient, which std and var refuse"
ENDLESS = "complex powers of infinity have a direction that depends on infinite angles"
ZERO_FACTORS = "PyTorch has no second derivative of products with several factors of zero"
FOLLOWS = "PyTorch also records drawn numbers where the probabilities require grad, with gradients of zero"
NOTHING_RAISED = "raises nothing, on PyTorch RuntimeError"

EXPLANATIONS = [
    Explanation("programs", r"^[^\n]*: (values|shape|strides)", r"inference_mode\(\):\n    {name} = ", INFERENCE),
    Explanation("programs", "^[^\n]*: node", rf"\b{{name}} = [^\n]*(({COMPOSED})\(| @ )", BUILT),
    Explanation("programs", r"^seen(\[|:)", rf"(\w+) = [^\n]*({COMPOSED})\(.*\b\1\.grad_fn\.register_", BUILT),
    Explanation("programs", ": version", r"\b{name} = [^\n]*quantile\(", INSIDE),
    Explanation("programs", ": version", r"quantile\(.*\b{name} = \w+\.unsqueeze\(", INSIDE),
    Explanation("programs", ": version", "inference_mode", COUNTED),
    Explanation("programs", r"^[^\n]*\.detach_\(\)\nraises nothing", r"\b{name} = (torch\.einsum\(|[^\n]* @ )", LOOKS),
    Explanation(
        "programs",
        r"(grad|backward)\(.*raises RuntimeError, on PyTorch nothing",
        r"torch\.(trapezoid|einsum)\(|cosine_similarity\(.*\.detach_\(\)",
        SAVES,
    ),
    Explanation(
        "programs", NOTHING_RAISED, r"\b{name} = [^\n]*\[1\]\n.*({name}\.retain_grad\(\)|inputs=[^\n]*{name})", RETAINED
    ),
    Explanation(
        "programs",
        r"^(seen: kind|\w\.grad: values)",
        r"\b(\w+) = torch\.trapezoid\(.*accumulate_grad_hook.*\b\1\.backward\(.*backward\(",
        UNFINISHED,
    ),
    Explanation("programs", "values", "linearize", LINEARIZE),
    Explanation("programs", "raises nothing, on PyTorch TypeError", r"complex.*ldexp\(", COMPLEX),
    Explanation("programs", r"^g\d+\[\d\]: values", r"\b(t\d+)\.register_hook.*grad\(.*\[x, \1", UNHOOKED),
    Explanation("programs", "grads.*PyTorch's None|requires_grad True, PyTorch's False", "linearize", LINEARIZE),
    Explanation("programs", "raises (nothing|AttributeError), on PyTorch IndexError", r"x\.flip.*vmap", FLIPPED),
    Explanation("programs", "raises RuntimeError, on PyTorch IndexError", r"torch\.cat.*vmap", JOINED),
    Explanation("programs", NOTHING_RAISED, "mse_loss.*grad_and_value.*jvp.*func.grad", ZEROS),
    Explanation(
        "programs",
        rf"^(grads|result) = .*{NOTHING_RAISED}",
        r"norm\(.*(hessian|jacfwd|(func\.(grad|jvp|vjp)|jacrev).*jvp)",
        OVERWRITTEN,
    ),
    Explanation("programs", rf"(grad|backward)\(.*{NOTHING_RAISED}", r"complex.*torch\.dist\(", COMPLEX),
    Explanation(
        "programs",
        r"^t\d+\.grad: (requires_grad True|leaf False), PyTorch's",
        r"(inputs=\[[^\]]*\bt\d|{name}\.retain_grad\(\)).*is_grads_batched=True",
        RETAINED_BATCHES,
    ),
    Explanation("programs", "values", "layer_norm.*(jac|hess|jvp|linearize|forward_ad)", LAYER_NORM),
    Explanation("programs", NOTHING_RAISED, "autograd.functional", FUNCTIONAL),
    Explanation(
        "programs",
        r"values.*PyTorch's\narray\(\[?0\.",
        r"functional\.\w+\(.*create_graph=True.*torch\.func\.",
        CONSTANTS,
    ),
    Explanation(
        "programs", r"^(g\d+|\w\.grad).*values", r"save_on_cpu\(\):\n    (\w+) = .*\b\1(\.\w+_\(| [*+/-]= )", STALE
    ),
    Explanation(
        "programs",
        r"^t\d+: values",
        r"save_on_cpu\(\):\n    (\w+) = .*\b\1(\.\w+_\(| [*+/-]= ).*\b{name} = sum\([^\n]* in g\d+",
        STALE,
    ),
    Explanation(
        "programs", "^torch.nn.utils.clip_grad_value_[^\n]*\nraises nothing, on PyTorch (Run|Attr)", "", CLIPPING
    ),
    Explanation(
        "programs", r"(inputs=|grad\(.*, )\[x, t.*raises nothing, on PyTorch (Run|Assert)", "", NODES_OF_INPUTS
    ),
    Explanation(
        "programs",
        r"(grad|backward)\(.*raises RuntimeError, on PyTorch (nothing|IndexError)",
        r"torch\.kron\(.*(_\(| [*+]= |\] = )",
        UNNOTICED,
    ),
    Explanation("programs", r"\.grad: kind NoneType", r"torch\.kron\(.*(_\(| [*+]= ).*backward\(", UNNOTICED),
    Explanation("programs", r"torch\.kron\([^\n]*\nraises nothing, on PyTorch RuntimeError", "", VIEWED),
    Explanation("programs", r"(grad|backward)\(.*raises nothing", r"\.to\(torch.*cosine_similarity\(", CAST),
    Explanation("programs", r"(grad|backward)\(.*raises nothing", r"complex.*torch\.logaddexp\(", COMPLEX),
    Explanation("programs", ": values.*nan", r"torch\.trapezoid\(", HALVED),
    Explanation(
        "programs", r"^seen\[.*(requires_grad True|leaf False), PyTorch's", "is_grads_batched=True", BATCHED_HOOKS
    ),
    Explanation("programs", r"(grad|backward)\(.*on PyTorch NotImpl", r"torch\.cdist\(", CDIST),
    Explanation("programs", "values", r"\.to\(torch\.float32\).*cosine_similarity\(", TWO_TYPES),
    Explanation("programs", "values.*nan.*inf", r"float16.*\b{name} = \w+ \*\* 0\.5", ROOTS),
    Explanation(
        "programs",
        "raises RuntimeError, on PyTorch nothing",
        r"inference_mode\(\):\n    (\w+) = .*\b(\w+) = \1\.(detach\(\)|data)\n.*\b\2(\.\w+_\(| [*+/-]= )",
        DETACHED,
    ),
    Explanation(
        "programs",
        r"^seen(\[\d+\])+: value .*PyTorch's None",
        r"(no_grad|inference_mode|enabled)\([^\n]*\):\n    (\w+) = ",
        NOWHERE,
    ),
    Explanation("programs", rf"as_strided\([^\n]*\n{NOTHING_RAISED}", r"\w+ = \w+\[\d+:\]\n", UNPLACED),
    Explanation(
        "programs",
        "(requires_grad False, PyTorch's True|leaf True, PyTorch's False)",
        r"^(?!.*vmap).*\.(var|std)\(",
        CONSTANT,
    ),
    Explanation("programs", r"^\w+ %= [^\n]*\nraises NotImplementedError, on PyTorch RuntimeError", "complex", SEVERAL),
    Explanation("programs", r"index_copy_?\(.*raises IndexError, on PyTorch RuntimeError", "", ASSERTED),
    Explanation(
        "programs",
        r"^t\d+: (values|strides|offset)",
        r"\.unfold\(.*\b{name} = [^\n]*(select|slice|diagonal)_scatter\(",
        MEMORY,
    ),
    Explanation(
        "programs",
        "^(first|again|second).*values",
        r"(\w+) = [^\n]*\.unfold\(.*\b\1\.(select|slice|diagonal)_scatter\(",
        MEMORY,
    ),
    Explanation(
        "programs", r"raises (Index|Value|Attribute|Type)Error, on PyTorch Run", r"autograd\.functional", FUNCTIONAL
    ),
    Explanation("programs", "raises TypeError, on PyTorch RuntimeError", "linearize", NESTED),
    Explanation(
        "programs",
        r"autograd\.grad\(.*raises RuntimeError, on PyTorch nothing",
        r"\b(\w+) = [^\n]*\.prod\(.*create_graph=True.*autograd\.grad\(\w+, \1\b",
        THROUGH_RESULT,
    ),
    Explanation(
        "programs",
        rf"autograd\.grad\(.*{NOTHING_RAISED}",
        r"\b(\w+) = [^\n]*\.(cum)?prod\(.*create_graph=True.*backward\(",
        THROUGH_RESULT,
    ),
    Explanation(
        "programs",
        r"^seen: kind \[\], PyTorch's",
        r"\b(\w+) = [^\n]*\.(cum)?prod\(.*create_graph=True.*\b\1\.grad_fn\.register_hook\(",
        THROUGH_RESULT,
    ),
    Explanation("programs", r"^t\d+\.grad: kind NoneType", r"torch\.einsum\(.*(_\(| [*+]= ).*backward\(", SAVES),
    Explanation("programs", "leaf False, PyTorch's True", "linearize", LINEARIZE),
    Explanation("programs", r"^seen(\[\d+\])+: kind NoneType, PyTorch's Tensor", r"torch\.cat\(", JOINED_HOOKS),
    Explanation("programs", "result.*raises RuntimeError, on PyTorch nothing", "layer_norm.*vmap", EXAMPLES),
    Explanation("programs", "raises IndexError, on PyTorch RuntimeError", "index_select.*vmap", GATHERED),
    Explanation("programs", NOTHING_RAISED, "mse_loss.*(hessian|vmap.*vmap|func.grad.*jacfwd)", ZEROS),
    Explanation("programs", "grads.*raises RuntimeError, on PyTorch nothing", "logcumsumexp.*vmap", NAN),
    Explanation("programs", r"^t\d+: values.*PyTorch's.*nan", r"{name} = torch\.logaddexp\(", LOGARITHMS),
    Explanation("programs", rf"(grad|backward)\(.*{NOTHING_RAISED}", r"lambda t: t\.detach\(\) \* 1.*where\(", HOOKED),
    Explanation("programs", r"\.grad: value .*PyTorch's None", r"cosine_similarity\(.*backward\(", UNFINISHED),
    Explanation(
        "programs",
        r"\.grad: kind NoneType",
        r"cosine_similarity\(.*suppress\(Exception\):\n    \w+\.sum\(\)\.backward\(inputs",
        UNFINISHED,
    ),
    Explanation(
        "programs",
        r"^\w+\[[^\n]*torch\.tensor\(\[\]\)[^\n]*\] = [^\n]*\nraises IndexError, on PyTorch RuntimeError",
        "",
        SEVERAL,
    ),
    Explanation(
        "programs",
        rf"backward\(.*{NOTHING_RAISED}",
        r"(no_grad\(\)|enabled\(False\)):\n    \w+ = (torch\.broadcast_tensors|\w+\.(expand|unsqueeze|mT)|\w+\[)",
        UNREACHED,
    ),
    Explanation("programs", r"^(\w+)\[[^\n]*\] = \1\nraises RuntimeError, on PyTorch IndexError", "", SEVERAL),
    Explanation(
        "programs", "raises (Assertion|Runtime)Error, on PyTorch (Assert|Run)", "allow_mutation_on_saved", SEVERAL
    ),
    Explanation(
        "programs",
        "raises NotImplementedError, on PyTorch Runtime",
        r"inference_mode\(\):\n    {name} = |\.unique\(.*_\(",
        SEVERAL,
    ),
    Explanation("programs", rf"second = .*{NOTHING_RAISED}", r"index_reduce\([^\n]*'prod'", ZERO_FACTORS),
    Explanation(
        "programs",
        "raises (RuntimeError, on PyTorch nothing|(IndexError|nothing), on PyTorch RuntimeError)",
        r"inference_mode\(\):\n    (\w+) = .*\b\1\.(t|squeeze|unsqueeze|transpose|swapdims)_\(",
        HALF_DONE,
    ),
    Explanation("programs", "raises NotImplementedError, on PyTorch nothing", r"torch\.complex\(", HALVES),
    Explanation("programs", rf"({REAL})\([^\n]*\nraises nothing", "complex", COMPLEX),
    Explanation(
        "programs",
        r"(grad|backward)\(.*raises (nothing|NameError)",
        r"(\.(cummax|cummin|put_?|index_add_)|torch\.complex)\(",
        SAVED,
    ),
    Explanation("programs", rf"(grad|backward)\(.*{NOTHING_RAISED}", r"complex.*\.(std|var)\(.*where\(", CHOSEN),
    Explanation("programs", r"^\w\.grad: values", r"lambda t: t\.detach\(\) \* 1.*where\(", HOOKED),
    Explanation("programs", "^seen: kind", r"cosine_similarity\(.*register_hook\(.*backward\(", UNFINISHED),
    Explanation("programs", "values.*inf", r"complex.*float\('inf'\).* \*\* ", ENDLESS),
    Explanation(
        "programs",
        rf"(grad|backward)\(.*{NOTHING_RAISED}",
        r"(\w+) = (\w+\.expand|torch\.broadcast_tensors)\(.*\b\1\.(zero|fill)_\(",
        FILLED,
    ),
    Explanation("programs", "autograd.grad.*raises (nothing|Not).*on PyTorch Runtime", r"\.scatter(_|\()", CORNER),
    Explanation("programs", "einsum.*raises RuntimeError, on PyTorch nothing", "", PROMOTED),
    Explanation("programs", "absent, PyTorch's is zero", "func|forward_ad", ABSENT),
    Explanation("programs", NOTHING_RAISED, "linearize", NESTED),
    Explanation("programs", NOTHING_RAISED, "out_dims=-1", OUT_DIMS),
    Explanation("programs", "values.*PyTorch's.array.*nan", "logcumsumexp", NAN),
    Explanation("programs", r"\.grad: kind None", r"no_grad\(\):\n    \w+ = .*\.detach_\(\)\n.*backward\(", UNFINISHED),
    Explanation("programs", "rate: version", "lr_scheduler", INSIDE),
    Explanation("programs", "values.*nan", r"torch\.dist\((\w+), \1\)", SUBGRADIENT),
    Explanation("programs", "values", r"torch\.cross\((\w+), \1, ", CROSSED),
    Explanation("errors", "MKL FFT error", "fft|stft", TRANSFORMS),
    Explanation("errors", r"returned an invalid gradient|_backward\(\): Expected", "", HALF_REFUSED),
    Explanation(
        "errors",
        "raises nothing\non PyTorch RuntimeError",
        "scatter_reduce|pixel_unshuffle|channel_shuffle",
        HALF_REFUSED,
    ),
    Explanation("errors", "values.*nan", r"group_norm\(float64\[\d+, \d+, 0\]", EMPTY_GROUPS),
    Explanation("errors", r"\]\[1\]: values", r"lstsq.*\(float64\[\d+, 0\]", EMPTY_RESIDUALS),
    Explanation(
        "errors",
        "raises RuntimeError.*on PyTorch nothing",
        r"scaled_dot_product_attention\(.*float64\[(0, \d+|\d+, 0)",
        EMPTY_ATTENTION,
    ),
    Explanation("errors", r"\[2\]\[0\]: values", r"as_strided_scatter\(float64\[\]", SCATTERED),
    Explanation("errors", "TensorAccessor expected 1 dims|Dimension specified as -2", "", ASSERTED),
    Explanation("errors", "raises RuntimeError: bias should contain", "native_batch_norm", BEYOND),
    Explanation("errors", r"on PyTorch IndexError: amax\(\)", "linear_cross_entropy", SEVERAL),
    Explanation("errors", "raises nothing.*INTERNAL ASSERT", "", INTERNAL),
    Explanation("errors", "PyTorch .*(setStorage|ZeroDivisionError|std::vector|static_cast|SmallVector)", "", ASSERTED),
    Explanation("errors", "on PyTorch TypeError: descriptor", "__r", DESCRIPTORS),
    Explanation("errors", "values", "resize_", UNWRITTEN),
    Explanation("errors", r"PyTorch's \[\]", "trapz|trapezoid|cond", INDEPENDENT),
    Explanation("operators", "value", r"special\.(bessel_|airy_ai)", BESSEL),
    Explanation("calls", "value", r"special\.(bessel_|airy_ai)", BESSEL),
    Explanation("calls", "rushlight has no matrices of blocks", "sparse_bs[rc]_tensor", BLOCKS),
    Explanation("calls", "'implicit'", "expand", INNER),
    Explanation("calls", "value", "data_ptr|Tensor.new", UNSET_VALUES),
    Explanation("calls", "raises nothing", "_stacklevel=", INNER),
    Explanation("calls", "requires_grad False, PyTorch's True", "bernoulli_", FOLLOWS),
    Explanation("calls", "dropout|must be tuple of ints", "multi_head_att|adaptive_max_pool[23]d", SEVERAL),
    Explanation("calls", "value", "get_num_threads", THREADS),
    Explanation("calls", "value|cannot set number", "num_interop_threads", BETWEEN),
    Explanation("calls", "value 'False'", "set_flush_denormal", DENORMAL),
    Explanation("calls", "multiple values for argument 'tensor'", "result_type", NUMBER_FIRST),
    Explanation("calls", r"\[1\]: shape", "embedding_bag", SUMMED_BAGS),
    Explanation("calls", r"\[0\]: values", "embedding_bag", FIRST_BAG),
    Explanation("calls", "values", "lstsq.*0.5", LEFTOVERS),
    Explanation("calls", "Expected more than 1 spatial element", "instance_norm", ALONE),
    Explanation("calls", "offsets has to be None", "embedding_bag", FLAT_BAGS),
    Explanation("calls", "raises (Runtime|Index)Error", NONSENSE, UNCHECKED),
    Explanation("operators", "values", "(kthvalue|topk|sort)", TIES),
    Explanation("operators", r"^result\[0\](\['right'\]\[0\])?\[1\]: values", r"mode\(", TIES),
    Explanation("operators", "output with shape .* doesn't match the broadcast", r"in place.*: addbmm\(", RESIZES),
    Explanation("operators", r"\['none'\]: .* PyTorch's 'RuntimeError'", r"out=: normal\.", UNSIZED),
    Explanation("operators", r"\['none'\]\[1\]", r"out=: linalg\.lstsq\(", SPACED),
    Explanation("operators", "raises nothing.*INTERNAL ASSERT", "as_strided_scatter", INTERNAL),
    Explanation("operators", "'view'.*values", r"out=: (nn\.functional\.avg_pool3d|narrow_copy)", GAPS),
    Explanation("operators", "raises nothing\non PyTorch NotImplementedError.*not implemented for", "", MORE_TYPES),
    Explanation("operators", "derivative for 'inplace version of", "in place[^:]*: a(cos|sin|tan)h", UNDERIVED),
    Explanation("operators", r"\[2\]\[0\]: values", "(views|inputs): as_strided_scatter", SCATTERED),
    Explanation("operators", r"\['integers'\]: kind RuntimeError", r"out=: lu\(", COPIED),
    Explanation("operators", "raises nothing.*does not yet have a batching rule", "batching", UNBATCHED),
    Explanation("operators", r"\['view'\]\[1\]", r"out=: nn\.functional\.linear", OWN_PLACE),
    Explanation("operators", "complex_cpu. not implemented for 'Half'", r": complex\(float16", HALVES),
    Explanation("operators", "only supported for half, float and double", r": view_as_complex\(float16", HALVES),
    Explanation("operators", "values.*inf", "polygamma.*int(8|16)", POLES),
    Explanation("operators", "value '0', PyTorch's", "(layout|strided|views).*: unsafe_(split|chunk)", OFFSETS),
    Explanation("operators", "value '", "as_strided_scatter", MEMORY),
    Explanation(
        "operators",
        "on PyTorch RuntimeError: (Expected X.is_contiguous|view size|grad_input must be)",
        "strided",
        IN_ORDER,
    ),
    Explanation("operators", r"\]\[2\]\[\d\]: values", "(views|inputs): cholesky_(inverse|solve)", TRIANGLES),
    Explanation("operators", "values", r"mode[(]bfloat16", TIES),
    Explanation("operators", "PyTorch's.array..*(nan|inf)", r"(matrix_exp|soft_margin_loss)[(]float16", OVERFLOWS),
    Explanation("operators", r"\['wider'\]: value .*RuntimeError", r"out=: linalg\.matrix_power\(", POWERS_OUT),
    Explanation("operators", "values", r"(matrix_exp|histc|normal|logcumsumexp)[(].*bfloat16", ROUNDED),
    Explanation("operators", "PyTorch's.array..nan", "subgradients_at_zero", SUBGRADIENT),
]


RESHAPED = r"^with torch\.(no_grad|inference_mode)\(\):\n    [xwbs]\.(t|squeeze|unsqueeze|transpose|swapdims)_\("
BLAMED = {
    rf"\.data\b|{RESHAPED}": GIVEN,
    r"grad_fn\.register_(pre)?hook\(lambda \w+(, \w+)?: tuple": HOOKED_TWICE,
}
"""Lines that explain what a program does otherwise, where without them it does the same."""


def reason(part: str, difference: str, lines: list[str]) -> str:
    """The reason of a difference in a program, or nothing."""
    text = "\n".join(lines)
    names = subjects(difference, text)
    for explanation in EXPLANATIONS:
        found = explanation.part == part and re.search(explanation.difference, difference, re.DOTALL)
        if found and re.search(explanation.where.replace("{name}", names), text, re.DOTALL):
            return explanation.reason
    return ""


def subjects(difference: str, text: str) -> str:
    """What a difference is of, and what that was made from in a line, which it may share memory with: a pattern."""
    name = re.match(r"(?:with [^\n]*\n\s+)?(\w*)", difference)[1]
    made = re.findall(rf"\b{name} = ([^\n]*)", text)
    return f"(?:{'|'.join([name, *re.findall(r'[a-z][0-9]+', ' '.join(made))])})"


def without_blamed(lines: list[str]) -> tuple[list[str], str]:
    """A program without the lines that are to blame for what it does otherwise, and why they are."""
    for pattern, why in BLAMED.items():
        others = [line for line in lines if not re.search(pattern, line)]
        if len(others) < len(lines):
            return others, why
    return lines, ""
