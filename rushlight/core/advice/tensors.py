"""Advice on mistakes with shapes, indices, dtypes and numbers."""

INDEX = "Indices count from 0 and end one below the size."
TENSORS = (
    (r"^(?:maximum|minimum)\(\): .* must be Tensor, not (?:int|float)", "x.clamp(min=0) compares with a number."),
    (
        r"argument '?\w+'? \(position \d+\) must be Tensor, not tuple",
        "Take the tensor out of it: recurrent layers give (output, state), max along a dimension (values, indices). "
        "torch.tensor(...) makes one of numbers.",
    ),
    (
        r"argument 'dim' .*must be int, not str",
        "Dimensions have numbers, no names: dim=0 is the first, dim=-1 the last one.",
    ),
    (r"must be int, not (?:float|Tensor)", "Whole numbers belong there: int(n), or n // 2 in place of n / 2."),
    (
        r"must be (?:Number|float|int), not str|^invalid literal for int",
        "Texts are no numbers: convert them first, float(text).",
    ),
    (
        r"^normal\(\) received an invalid",
        "Beside two numbers it takes the size: torch.normal(0.0, 1.0, (2, 3)).",
    ),
    (
        r"received an invalid combination of arguments - got \([^)]*\bstr\b",
        "A text stands where none belongs: dimensions are numbers (dim=0), types names of torch (torch.float32).",
    ),
    (
        r"mat1 and mat2 shapes cannot be multiplied \((\d+)x(\d+) and (\d+)x(\d+)\)",
        "The last dimension of the first ({2}) has to be the first dimension of the second ({3}). In a Linear layer "
        "that is in_features: the size of the input's last dimension. flatten(1) makes a row of each image.",
    ),
    (
        r"mat1 and mat2 must have the same dtype|expected m1 and m2 to have the same dtype"
        r"|^expected scalar type \w+ but found \w+|^Input type \(.*\) and bias type \(.*\) should be the same",
        "Layers' weights are float32, NumPy's numbers float64, whole numbers int64: "
        "convert the data once (x.float()), or the model (model.double()).",
    ),
    (
        r"The size of tensor a \(\d+\) must match the size of tensor b \(\d+\) at non-singleton dimension \d+",
        "Sizes are compared from the last dimension on, and have to be equal or 1: unsqueeze adds a 1.",
    ),
    (
        r"Sizes of tensors must match except in dimension \d+",
        "Join them along another dim, or bring the other dimensions to one size.",
    ),
    (
        r"Tensors must have same number of dimensions",
        "unsqueeze(0) makes a row of a vector; stack joins tensors of one shape along a new dimension.",
    ),
    (r"expects a non-empty (?:TensorList|list of Tensors)", "Give one tensor at least."),
    (
        r"The expanded size of the tensor \(\d+\) must match the existing size",
        "Only dimensions of size 1 are expanded; repeat copies others.",
    ),
    (
        r"Number of dimensions of repeat dims can not be smaller",
        "Give a number for each dimension, the first one first: x.repeat(1, 2).",
    ),
    (r"argument 'tensors' \(position 1\) must be tuple of Tensors, not Tensor", "Put them into a list: [a, b]."),
    (
        r"stack expects each tensor to be equal size",
        "Pad them to one size (torch.nn.utils.rnn.pad_sequence), or keep a list; a DataLoader takes collate_fn=list.",
    ),
    (r"^invalid shape dimension -\d+ at index", "Sizes are whole numbers from 0 on; one may be -1, for what is left."),
    (r"shape '\[.*\]' is invalid for input of size (\d+)", "The sizes have to multiply to {1}; one may be -1."),
    (
        r"len\(\) of a 0-d tensor|iteration over a 0-d tensor",
        "It has no dimension, only a value: x.item() gives it, x[None] is a tensor of one element.",
    ),
    (
        r"length of the desired ordering of dimensions|duplicate dims are not allowed",
        "Name each dimension once: x.permute(1, 0) for two.",
    ),
    (r"selected (?:index|number) k out of range", "k is at most the size of the dimension: x.shape shows it."),
    (
        r"batch[12] must be a 3D tensor",
        "Batches of matrices are (batch, rows, columns); x @ y multiplies matrices too.",
    ),
    (r"^1D tensors expected, but got", "x @ y multiplies matrices, (x * y).sum() adds up all products."),
    (
        r"^size mismatch, got input \(\d+\), mat \((\d+)x(\d+)\), vec \((\d+)\)",
        "The vector needs a number for each column of the matrix: {2}, not {3}.",
    ),
    (
        r"subscript \w+ has size \d+ for operand \d+ which does not broadcast",
        "A letter stands for one size everywhere: change the letters, or transpose an operand.",
    ),
    (r"must be batches of square matrices", "torch.linalg.pinv and torch.linalg.lstsq take others."),
    (
        r"input is not positive-definite",
        "Look for mistakes of sign, or add a little to the diagonal: A + 1e-6 * torch.eye(n).",
    ),
    (r"tensors used as indices must be long", "Convert what was computed: i.long(); a condition (x > 0) is a mask."),
    (r"index -?\d+ is out of bounds for dimension \d+ with size \d+", INDEX),
    (r"too many indices for tensor of dimension (\d+)", "Its shape has {1} sizes: x.shape shows them."),
    (r"only integers, slices .* are valid indices \(got float\)", "Convert what was computed: int(i), or i.long()."),
    (
        r"The shape of the mask .* does not match the shape of the indexed tensor",
        "A mask has the tensor's shape, or that of its first dimensions.",
    ),
    (r"^Dimension out of range", "Dimensions count from 0; -1 is the last one."),
    (r"could not infer output dtype. Input dtype must be", "Convert first: x.float()."),
    (
        r"Boolean value of Tensor with more than one value is ambiguous",
        "Ask (x > 0).any() or .all(); write & and | for `and` and `or`, torch.where for `if`.",
    ),
    (
        r"a Tensor with \d+ elements cannot be converted to Scalar",
        "Take one of them (x[0].item()), reduce first (x.sum().item()), or take all (x.tolist()).",
    ),
    (
        r"only one element tensors can be converted to Python scalars",
        "torch.stack makes one tensor of several, x.tolist() numbers of one, "
        "and functions of math are torch's too: torch.sin(x).",
    ),
    (
        r"argument '?\w+'? \(position \d+\) must be Tensor, not (?:numpy\.)?ndarray",
        "torch.from_numpy(array) shares the array's memory, torch.tensor(array) copies it.",
    ),
    (
        r"argument '?\w+'? \(position \d+\) must be Tensor, not (?:list|tuple)",
        "Make a tensor of it: torch.tensor(...).",
    ),
    (r"^expected sequence of length \d+ at dim", "Rows have to be equally long: pad them, or keep a list of tensors."),
    (r"invalid data type '(?:str|bytes)' as an index", "A tensor's dimensions have numbers, no names: x[0], x[:, 2]."),
    (
        r"argument 'size' .*(?:must be tuple of ints|failed to unpack)",
        "Sizes are whole numbers: int(n), or n // 2 in place of n / 2.",
    ),
    (r"argument 'dtype' must be torch.dtype, not str", "Types are names of torch: torch.float32 for 'float32'."),
    (
        r"(?:device type at start of device string: |Invalid device string: ')"
        r"(?:u?int|float|double|half|long|bool|complex)",
        "A type of numbers is a name of torch: x.to(torch.float32).",
    ),
    (r"device type at start of device string|^Invalid device string", "rushlight computes on 'cpu'."),
    (r"Could not infer dtype of NoneType", "Leave None out, or write float('nan')."),
    (
        r"Could not infer dtype of (?!NoneType)(\w+)",
        "Numbers, lists of them and arrays make a tensor, no {1}: take its values, as list(d.values()) of a dict.",
    ),
    (
        r"too many dimensions 'str'|invalid data type 'str'",
        "Texts are no numbers: number them first (numpy.unique(texts, return_inverse=True)).",
    ),
    (
        r"can't convert np.ndarray of type numpy.object_",
        "The array holds objects (None, texts, rows of several lengths): array.astype(float) shows which.",
    ),
    (
        r"can't convert np.ndarray of type numpy.(?:str_|bytes_)",
        "Texts are no numbers: array.astype(float) reads digits, numpy.unique(array, return_inverse=True) gives "
        "each text a number.",
    ),
    (r"^random_ expects 'from' to be less than 'to'", "`high` is not among the numbers: randint(5, 6) draws fives."),
    (r"expected np.ndarray \(got Tensor\)", "It is a tensor already."),
    (r"expected np.ndarray \(got (\w+)\)", "Make a tensor of a {1} with torch.tensor."),
    (r"missing 1 required positional arguments: \"dim\"", "dim=-1 is along the last dimension, dim=0 along the first."),
    (r"At least one of 'min' or 'max' must not be None", "clamp(min=0) keeps what is positive."),
    (r"^invalid type: '(\w+)'", "Give a type of torch: torch.float32, or its older name 'torch.FloatTensor'."),
    (
        r"not implemented for '(?:Long|Int|Short|Char|Byte|Bool)'",
        "Convert whole numbers and truth values first: x.float(). A loss takes the scores first, then the target.",
    ),
    (
        r"must be Tensor, not (?:int|float|bool|complex)\b",
        "Make a tensor of it (torch.tensor(...)), or use Python's math for numbers.",
    ),
    (r"must be Tensor, not (?:str|bytes)\b", "Texts are no numbers: convert them first, float(text)."),
    (r"must be Tensor, not NoneType", "A function without `return` gives None: look at where it comes from."),
    (
        r"Trying to create tensor with negative dimension",
        "Sizes are whole numbers from 0 on: look at where they are computed.",
    ),
    (
        r"Index tensor must have the same number of dimensions as",
        "x.gather(1, index.unsqueeze(1)) takes one element of each row.",
    ),
    (
        r"only supports boolean masks|expected condition to be a boolean tensor",
        "Compare, as in x > 0, or convert what is 0 and 1: mask.bool().",
    ),
    (
        r"expects split_sizes to sum exactly to (\d+)",
        "The parts' sizes add up to {1}; a single number is the size of all parts.",
    ),
    (r"Provided sizes .* multiply up to the size of dim", "One of the sizes may be -1: it is what the others leave."),
    (r"only one dimension can be inferred", "Give -1 once, and numbers for the other sizes."),
    (
        r"result type \w+ can't be cast to the desired output type",
        "What is changed in place keeps its type: convert it first (x.float()), or make a new tensor (x = x / 2).",
    ),
    (r"inconsistent with step sign", "The step leads from start to end: give it the sign of end - start."),
    (r"^randint\(\) received an invalid", "Give the size as a tuple: torch.randint(10, (2, 3))."),
    (r"^linspace\(\) received an invalid", "Give the number of points: torch.linspace(0, 1, steps=11)."),
    (
        r"inconsistent tensor size, expected tensor \[(\d+)\] and src \[(\d+)\]",
        "Vectors are multiplied element by element and added up: both have {1} elements, or {2}.",
    ),
    (
        r"Expected size for first two dimensions of batch2 tensor",
        "Matrices (batch, n, m) go with (batch, m, p); the last dimensions of queries and keys are equal.",
    ),
    (r"appears multiple times in the list of dims", "Name each dimension once."),
    (r"^chunk expects `chunks` to be greater than 0", "Give the number of parts: x.chunk(2)."),
    (r"^step must be greater than zero", "x.flip(0) turns a dimension round."),
    (r"Expected dtype int32 ?(?:or |/)int64 for index", "Indices are whole numbers: index.long()."),
    (
        r"Number of indices \(\d+\) should be equal to source.size\(dim\)",
        "Give an index for each slice of what is added: source.shape[dim] of them.",
    ),
    (
        r"^repeats must have the same size as input along dim",
        "Give a number for each row and dim=0: without dim the tensor is flattened first.",
    ),
    (r'missing 1 required positional arguments: "fill_value"', "Give what it is filled with: torch.full((2, 3), 0.0)."),
    (r"^step must be nonzero", "Leave step out to count by 1."),
    (r"^Expected p_in >= 0 && p_in <= 1", "Give probabilities from 0 to 1: scores.sigmoid() makes them of scores."),
    (
        r"expected Tensor as element \d+ in argument \d+, but got (\w+)",
        "Every member of the list is a tensor: leave {1} out, or make one of it (torch.tensor(...)).",
    ),
    (r"Expected 0D or 1D tensor in the tensor list", "Give a vector for each axis: torch.linspace(0, 1, 5)."),
    (
        r"X1 and X2 must have the same number of columns",
        "Points are rows, and both have as many coordinates: x.T makes rows of columns.",
    ),
    (r"Expected 1-D argument \w+, but got", "Give vectors: x.flatten() makes one of x."),
    (r"^(?:self|mat1|mat2|input) must be a matrix", "x @ w takes vectors and batches too; w[:, None] makes a column."),
    (r"vector \+ matrix @ vector expected", "The matrix comes first, then the vector: x @ w takes either."),
    (
        r"no dimension of size 3 in input|must have length 3",
        "A cross product is one of vectors with three numbers: append a 0 to those with two.",
    ),
    (r"^diag\(\): Supports 1D or 2D tensors", "x.diagonal(dim1=-2, dim2=-1) takes those of a batch."),
    (r"There must be one `x` value for each sample point", "x has the length of y along dim: x.shape and y.shape."),
    (
        r"boundaries tensor should be 1 dimension",
        "Give sorted numbers in one dimension, or a row of them for each row of values.",
    ),
    (
        r"^bincount only supports 1-d non-negative integral inputs",
        "Give whole numbers from 0 on in one dimension: x.flatten().long(); torch.histc counts others.",
    ),
    (r"bins must be > 0", "Give 1 or more: bins=10."),
    (r"^quantile\(\) q (?:values )?must be in the range", "q is a share: 0.95 for 95 percent."),
    (r"input tensor must be either float or double dtype|dtype must be a floating point", "Convert first: x.float()."),
    (r"^einsum\(\): output subscript \w+ does not appear", "What stands after -> stands before it too."),
    (
        r"^einsum\(\): (?:more|fewer) operands were provided",
        "Commas part the operands: 'ij,jk->ik' is for two.",
    ),
    (
        r"Incompatible shapes of A and B for the equation AX = B \((\d+)x",
        "B has a row for each row of A, {1} in all.",
    ),
    (
        r"matrix is singular",
        "It has no inverse: look for rows that are multiples of others or 0, add a little to the diagonal "
        "(A + 1e-6 * torch.eye(n)), or use torch.linalg.lstsq.",
    ),
    (r"Order \w+ not supported", "Give a number (2, float('inf')), or for matrices 'fro' or 'nuc'."),
    (
        r"input\.size\(-2\) should match other\.size",
        "Both have a row for each equation; b.unsqueeze(-1) makes a column of a vector.",
    ),
    (r"^not a sequence$", "Beside rows there are only rows: pad them, or keep a list of tensors."),
    (
        r"only floating-point types are supported as the default type",
        "Give torch.float32 or torch.float64; whole numbers stay torch.int64.",
    ),
    (
        r"only implemented on integer and Boolean-type tensors",
        "Compare first, ~(x > 0), or convert: x.bool().",
    ),
    (
        r"not implemented for '(?:Float|Double)'",
        "Whole numbers belong there: x.long() cuts off what is behind the point.",
    ),
    (
        r"only integer tensors of a single element can be converted to an index",
        "int(x) makes a whole number of a tensor with one element.",
    ),
)
