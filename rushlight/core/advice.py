"""What to do about the mistakes that are made most: a sentence after PyTorch's words."""

import re

INDEX = "Indices count from 0 and end one below the size."
ADVICE = (
    (
        r"mat1 and mat2 shapes cannot be multiplied \((\d+)x(\d+) and (\d+)x(\d+)\)",
        "The last dimension of the first ({2}) has to be the first dimension of the second ({3}). In a Linear layer "
        "that is in_features: the size of the input's last dimension. flatten(1) makes a row of each image.",
    ),
    (
        r"mat1 and mat2 must have the same dtype|expected m1 and m2 to have the same dtype",
        "Layers' weights are float32, NumPy's numbers float64, whole numbers int64: "
        "convert the data once (x.float()), or the model (model.double()).",
    ),
    (
        r"Given groups=.*weight of size \[\d+, \d+, \d+\], expected .* channels, but got (\d+) channels",
        "Sequences are (batch, channels, length): "
        "if the channels come last use x.transpose(1, 2), else in_channels={1}.",
    ),
    (
        r"Given groups=.*expected input.* to have (\d+) channels, but got (\d+) channels instead",
        "Images are (batch, channels, height, width): "
        "if the channels come last use x.permute(0, 3, 1, 2), else in_channels={2}.",
    ),
    (
        r"Expected 3D \(unbatched\) or 4D \(batched\) input to conv2d",
        "x.unsqueeze(1) gives a batch of grey images its channel, x[None, None] one image both dimensions.",
    ),
    (
        r"non-empty 3D or 4D \(batch mode\) tensor expected|Only 3D, 4D and 5D input Tensors supported",
        "Images are (batch, channels, height, width), sequences (batch, channels, length): x[None, None] adds both.",
    ),
    (
        r"Calculated padded input size per channel|Output size is too small$",
        "Use a smaller kernel, padding, or larger images.",
    ),
    (
        r"Target (-?\d+) is out of bounds\.",
        "Classes count from 0 and end one below the number of scores: "
        "give the last layer more outputs, or count the classes from 0.",
    ),
    (
        r"expected target dtype to be Long or Byte",
        "Classes are whole numbers: target.long(). Probabilities have the shape of the scores.",
    ),
    (
        r"0D or 1D target tensor expected, multi-target not supported",
        "Give one class for each example: target.squeeze(1), or target.argmax(1) for rows with a single 1.",
    ),
    (
        r"Expected input batch_size \((\d+)\) to match target batch_size \((\d+)\)",
        "There are {1} rows of scores and {2} classes: scores are (batch, classes), targets (batch,).",
    ),
    (
        r"^index out of range in self",
        f"{INDEX} Look at x.min() and x.max(): an Embedding takes 0 to num_embeddings - 1.",
    ),
    (r"Expected tensor for argument #1 'indices'", "Indices are whole numbers: x.long()."),
    (r"Class values must be smaller than num_classes", "num_classes is the largest class plus 1, or more."),
    (
        r"all elements of input should be between 0 and 1",
        "Give probabilities (scores.sigmoid()), or the scores to binary_cross_entropy_with_logits.",
    ),
    (
        r"Target size \(.*\) must be the same as input size|Using a target size \(.*\) that is different .* deprecated",
        "Bring both to one shape: scores.squeeze(1), or target.unsqueeze(1).",
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
    (r"shape '\[.*\]' is invalid for input of size (\d+)", "The sizes have to multiply to {1}; one may be -1."),
    (
        r"len\(\) of a 0-d tensor|iteration over a 0-d tensor",
        "It has no dimension, only a value: x.item() gives it, x[None] is a tensor of one element.",
    ),
    (
        r"length of the desired ordering of dimensions",
        "Name each dimension once: x.permute(1, 0) for two.",
    ),
    (r"^selected index k out of range", "k is at most the size of the dimension: x.shape shows it."),
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
        r"device type at start of device string: (?:u?int|float|double|half|long|bool|complex)",
        "A type of numbers is a name of torch: x.to(torch.float32).",
    ),
    (r"device type at start of device string", "rushlight computes on 'cpu'."),
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
    (r"expected np.ndarray \(got (\w+)\)", "Make a tensor of a {1} with torch.tensor."),
    (
        r"input.size\(-1\) must be equal to input_size",
        "input_size is the number of features of each step: the size of the input's last dimension.",
    ),
    (
        r"Expected hidden\[\d\] size|Expected hidden size|input, hx should also be",
        "A state is (layers * directions, batch, hidden_size), with batch_first too; an LSTM takes a pair, (h, c).",
    ),
    (
        r"(?:GRU|LSTM|RNN): Expected input to be 2D or 3D",
        "One sequence is (steps, features), several are (steps, batch, features), "
        "or (batch, steps, features) with batch_first=True.",
    ),
    (r"running_mean should contain (\d+) elements", "num_features is the size of the input's second dimension: {1}."),
    (
        r"Expected more than 1 value per channel when training",
        "One example has no variance: model.eval() before predictions, drop_last=True in a DataLoader.",
    ),
    (r"Given normalized_shape=", "normalized_shape is what the input's shape ends with."),
    (r"[Oo]nly Tensors of floating point.* dtype can require gradients", "Write 1.0 for 1, or use x.float()."),
    (
        r"^expected \dD.* input \(got \dD input\)",
        "Inputs are (batch, channels, ...): "
        "BatchNorm1d takes (batch, features), BatchNorm2d images; unsqueeze adds a dimension.",
    ),
    (r"missing 1 required positional arguments: \"dim\"", "dim=-1 is along the last dimension, dim=0 along the first."),
    (r"Invalid learning rate", "It is a number from 0 on: 0.01, say."),
    (r"dropout probability has to be between 0 and 1", "It is the share of elements that become 0: 0.2, say."),
    (r"one_hot is only applicable to index tensor", "Classes are whole numbers: x.long()."),
    (r"Expected target size \[", "Scores are (batch, classes, ...), targets (batch, ...) with a class for each place."),
    (
        r"Padding length must be divisible by 2",
        "Give two numbers for each dimension, the last one first: (left, right).",
    ),
    (r"At least one of 'min' or 'max' must not be None", "clamp(min=0) keeps what is positive."),
    (r"to be dict-like, got <class 'str'>", "Load the file first: load_state_dict(torch.load(path))."),
    (
        r"^cannot assign '.*' as parameter '(\w+)'",
        "torch.nn.Parameter(tensor) makes a parameter; layer.{1}.copy_(tensor) in torch.no_grad() changes its values.",
    ),
    (r"Parameter data has to be a Tensor", "Make a tensor of it: torch.tensor(...)."),
    (
        r"Sum of input lengths does not equal",
        "The lengths add up to len(dataset), or they are shares that add up to 1: [0.8, 0.2].",
    ),
    (r"is not an Optimizer$", "A schedule's first argument is the optimizer: StepLR(optimizer, 10)."),
    (r"optimizer can only optimize Tensors", "Make it one: torch.tensor(..., requires_grad=True)."),
    (r"params argument given to the optimizer should be an iterable", "Put it into a list: [w]."),
    (
        r"can't optimize a non-leaf Tensor",
        "It is the result of an operation: give the tensor that it was computed from, "
        "or cut it off (w = w.detach().requires_grad_()).",
    ),
    (
        r"^(?:list|tuple|type|\w*function\w*) is not a Module subclass",
        "Give modules: Sequential(*layers), Linear(1, 2).",
    ),
    (r"^Size mismatch between tensors", "Their first dimensions count the examples, and have to be equal: x.shape[0]."),
    (r"cannot assign \w+ before Module.__init__\(\) call", "Begin __init__ with super().__init__()."),
    (
        r"Module \[Module(?:List|Dict)\] is missing the required",
        "Call its members, one after the other: for layer in layers: x = layer(x). nn.Sequential does that by itself.",
    ),
    (r'is missing the required "forward" function', "Define `def forward(self, x)` in the class."),
    (
        r"size mismatch for [\w.]+: copying a param with shape",
        "Build the model with the sizes of the one that was saved; strict=False does not help here.",
    ),
    (
        r"Missing key\(s\) in state_dict|Unexpected key\(s\) in state_dict",
        "Load into a model of the same class; strict=False takes the names that agree.",
    ),
    (r"embed_dim must be divisible by num_heads", "Each head gets embed_dim / num_heads numbers."),
    (
        r"_channels must be divisible by groups",
        "Each group gets in_channels / groups and out_channels / groups channels; groups=1 joins all.",
    ),
    (r"must be divisible by num_groups", "Each group gets num_channels / num_groups channels."),
    (r"^(\w+) must be greater than zero, but got", "Give 1 or more: {1}=1."),
    (
        r"^(\w+) should be a positive integer value, but got",
        "Give a whole number from 1 on: int({1}). A DataLoader with batch_size=None gives single examples.",
    ),
    (r"sampler option is mutually exclusive with shuffle", "Leave one of them out: a sampler gives the order itself."),
    (r"is mutually exclusive with drop_last", "Leave drop_last out: single examples make no batch that is too short."),
    (r"^Padding_idx must be within num_embeddings", "Rows of the table count from 0; num_embeddings is one more."),
    (
        r"^index -?\d+ is out of range: there are (\d+)",
        "Members count from 0, from the end as -1; len(...) tells how many there are.",
    ),
    (r"name can't contain \"\.\"", "Dots part the names of modules in modules: write _ instead."),
    (r"object to buffer '\w+'", "Make a tensor of it (torch.tensor(...)); what is none is a plain attribute."),
    (r"^Nesterov momentum requires", "Give a momentum, momentum=0.9 say, and leave dampening at 0."),
    (r"^Invalid beta", "It is a share from 0 on and below 1: betas=(0.9, 0.999) are the usual ones."),
    (r"^Invalid (?:momentum|epsilon|weight_decay|rho|alpha|lambd)", "It is a number from 0 on: look for its sign."),
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
        r"invalid multinomial distribution|probability tensor contains either",
        "Give weights from 0 on, not all of them 0: scores.softmax(-1) makes some of scores.",
    ),
    (r"samples without replacement", "replacement=True may draw the same one again."),
    (
        r"result type \w+ can't be cast to the desired output type",
        "What is changed in place keeps its type: convert it first (x.float()), or make a new tensor (x = x / 2).",
    ),
    (
        r"weight tensor should be defined either for all (\d+) classes",
        "Give a number for each class, {1} in all: as many as there are columns of scores.",
    ),
    (
        r"weight should have at least three dimensions",
        "A convolution's weight is (out_channels, in_channels / groups, *kernel): weight[None, None] for one kernel.",
    ),
    (r"inconsistent with step sign", "The step leads from start to end: give it the sign of end - start."),
    (
        r"to satisfy the constraint GreaterThan",
        "Look for mistakes of sign: torch.nn.functional.softplus(x) or x.exp() makes numbers positive.",
    ),
    (r"to satisfy the constraint", "Look for NaN and for mistakes of sign in what the parameters are computed from."),
    (r"^randint\(\) received an invalid", "Give the size as a tuple: torch.randint(10, (2, 3))."),
    (r"^linspace\(\) received an invalid", "Give the number of points: torch.linspace(0, 1, steps=11)."),
)


def advised(text: str) -> str:
    """A message with the advice that fits it.

    >>> from rushlight.core.advice import advised
    >>> advised("Class values must be smaller than num_classes.")
    'Class values must be smaller than num_classes. num_classes is the largest class plus 1, or more.'
    """
    for pattern, words in ADVICE:
        found = re.search(pattern, text)
        if found:
            advice = words.format(found[0], *found.groups())
            return text if advice in text else f"{text.rstrip()}{'' if text.rstrip()[-1] in '.:!?' else '.'} {advice}"
    return text


def with_advice(error: Exception) -> Exception:
    """The same error, its message followed by the advice that fits it."""
    if isinstance(error, (RuntimeError, ValueError, IndexError, TypeError)) and len(error.args) == 1:
        error.args = (advised(str(error)),)
    return error
