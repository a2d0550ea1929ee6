"""Advice on mistakes with layers and losses."""

LAYERS = (
    (
        r"Given (?:groups|transposed)=.*weight of size \[\d+, \d+, \d+\], expected .* channels, but got (\d+) channels",
        "Sequences are (batch, channels, length): "
        "if the channels come last use x.transpose(1, 2), else in_channels={1}.",
    ),
    (
        r"Given (?:groups|transposed)=.*expected input.* to have (\d+) channels, but got (\d+) channels instead",
        "Images are (batch, channels, height, width): "
        "if the channels come last use x.permute(0, 3, 1, 2), else in_channels={2}.",
    ),
    (
        r"Expected 3D \(unbatched\) or 4D \(batched\) input to conv",
        "x.unsqueeze(1) gives a batch of grey images its channel, x[None, None] one image both dimensions.",
    ),
    (
        r"\(got [345]D\) for the modes",
        "linear is for sequences (3D), bilinear and bicubic for images (4D), trilinear for volumes (5D), nearest and "
        "area for all of them.",
    ),
    (
        r"non-empty 3D or 4D \(batch mode\) tensor expected|Only 3D, 4D and 5D input Tensors supported"
        r"|Expected 3D or 4D \(batch mode\) tensor|Expected \dD \(unbatched\) or \dD \(batched\) input to conv",
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
        r"^Found dtype \w+ but expected \w+$",
        "Both have one type: x.to(y.dtype), as target.float() for an input of float32.",
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
        "Indices count from 0 and end one below the size. "
        "Look at x.min() and x.max(): an Embedding takes 0 to num_embeddings - 1.",
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
    (
        r"^expected \dD.* input \(got \dD input\)",
        "Inputs are (batch, channels, ...): "
        "BatchNorm1d takes (batch, features), BatchNorm2d images; unsqueeze adds a dimension.",
    ),
    (r"dropout probability has to be between 0 and 1", "It is the share of elements that become 0: 0.2, say."),
    (r"one_hot is only applicable to index tensor", "Classes are whole numbers: x.long()."),
    (r"Expected target size \[", "Scores are (batch, classes, ...), targets (batch, ...) with a class for each place."),
    (
        r"Padding length must be divisible by 2",
        "Give two numbers for each dimension, the last one first: (left, right).",
    ),
    (r"to be dict-like, got <class 'str'>", "Load the file first: load_state_dict(torch.load(path))."),
    (
        r"^cannot assign '.*' as parameter '(\w+)'",
        "torch.nn.Parameter(tensor) makes a parameter; layer.{1}.copy_(tensor) in torch.no_grad() changes its values.",
    ),
    (r"Parameter data has to be a Tensor", "Make a tensor of it: torch.tensor(...)."),
    (
        r"^(?:list|tuple) is not a Module subclass",
        "Give modules: Sequential(*layers), Linear(1, 2).",
    ),
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
    (r"^Padding_idx must be within num_embeddings", "Rows of the table count from 0; num_embeddings is one more."),
    (
        r"^index -?\d+ is out of range: there are (\d+)",
        "Members count from 0, from the end as -1; len(...) tells how many there are.",
    ),
    (r"name can't contain \"\.\"", "Dots part the names of modules in modules: write _ instead."),
    (r"object to buffer '\w+'", "Make a tensor of it (torch.tensor(...)); what is none is a plain attribute."),
    (
        r"weight tensor should be defined either for all (\d+) classes",
        "Give a number for each class, {1} in all: as many as there are columns of scores.",
    ),
    (
        r"weight should have at least three dimensions",
        "A convolution's weight is (out_channels, in_channels / groups, *kernel): weight[None, None] for one kernel.",
    ),
    (
        r"expecting embedding dimension of (\d+)|feature number of src and tgt must be equal to d_model",
        "The last dimension of queries, keys and values is embed_dim, which a Transformer calls d_model.",
    ),
    (
        r"shape of the [23]D attn_mask is|expecting key_padding_mask shape",
        "A mask has a row for each query and a column for each key, (batch * heads, queries, keys) one for each head; "
        "key_padding_mask is (batch, keys).",
    ),
    (
        r"offsets has to be a 1D Tensor",
        "Give the places where bags begin, offsets=torch.tensor([0, 2]), or bags of one size as rows of a matrix.",
    ),
    (
        r"Expected input_lengths to have value at most (\d+)",
        "Scores are (steps, batch, classes): no length exceeds the number of steps, {1}.",
    ),
    (
        r"Expected target_lengths to have value at most (\d+)",
        "Targets are (batch, longest): no length exceeds the size of the second dimension, {1}.",
    ),
    (
        r"margin_ranking_loss : All input tensors should have same dimension",
        "The target has a 1 or -1 for each pair of numbers, in the inputs' shape.",
    ),
    (
        r"var has negative entr",
        "Variances are from 0 on: torch.nn.functional.softplus(x) or x.exp() makes numbers positive.",
    ),
    (
        r"Mismatch of parameter numbers and input channel size.* channel size = (\d+)",
        "num_parameters is 1, or the size of the input's second dimension: {1}.",
    ),
    (
        r"^requested an output size of",
        "Leave output_size out, or give a size between those: stride, padding and kernel_size decide them.",
    ),
    (
        r"padding='same' is not supported for strided",
        "Give a number: padding=(kernel_size - 1) // 2.",
    ),
    (r"pad should be at most half of effective kernel size", "Use less padding, or a larger kernel."),
    (
        r"^pixel_shuffle expects its input's 'channel' dimension",
        "Give the layer before it out_channels=channels * upscale_factor ** 2.",
    ),
    (
        r"^pixel_unshuffle expects (height|width)",
        "Cut or pad the images first: torch.nn.functional.pad(x, (left, right, top, bottom)).",
    ),
    (
        r"size or scale_factor should be defined",
        "Give one of them: size=(height, width), or scale_factor=2.",
    ),
    (
        r"expected grid to have size (\d+) in last dimension",
        "A grid has a place, from -1 to 1, for each pixel of the result: (batch, height, width, {1}).",
    ),
    (
        r"divisible by the product of kernel_size",
        "fold takes what unfold gives: (batch, channels * height * width of the kernel, places).",
    ),
    (
        r"is not a valid value for reduction",
        "Give reduction='mean', 'sum' or 'none'.",
    ),
    (
        r"^Expected floating point type for target with class probabilities",
        "Scores are (batch, classes) and targets (batch,): give the scores themselves, not their argmax, and "
        "target.argmax(1) for rows with a single 1. Probabilities are target.float().",
    ),
    (
        r"^Class values must be non-negative",
        "Classes count from 0: leave out what marks missing ones (-1), as in target[target >= 0].",
    ),
    (
        r"input has inconsistent input_size: got (\d+)",
        "input_size is the number of features: the size of the input's last dimension, {1}.",
    ),
    (
        r"input has inconsistent hidden_size: got (\d+)|hidden\d? has inconsistent hidden_size: got (\d+)",
        "A cell's state is (batch, hidden_size).",
    ),
    (
        r"^Fan in and fan out can not be computed",
        "Give a matrix of weights; torch.nn.init.zeros_ and uniform_ take biases too.",
    ),
    (
        r"^Unsupported nonlinearity",
        "Give 'linear', 'relu', 'leaky_relu', 'tanh', 'sigmoid' or 'selu'; 'relu' suits its smooth kin.",
    ),
    (
        r"^Expected more than 1 spatial element",
        "A single number has no variance: give larger images, or leave the normalization out where they are so small.",
    ),
    (
        r"input batch dimensions do not match",
        "Both inputs have a row for each example: x.shape[0] is the same.",
    ),
    (
        r"^[\w.]*\.(\w+) is not a Module subclass",
        "Give a module: {1}() makes one of a class of modules, and a class of your own inherits from torch.nn.Module.",
    ),
    (r"^[\w.]+ is not a Module subclass", "Give modules: nn.ReLU(), not torch.relu; nn.ModuleList([nn.Linear(4, 2)])."),
    (r"to be dict-like, got", "Give what a model's state_dict() gives: load_state_dict(other.state_dict())."),
    (
        r"only accepts floating point or complex dtypes",
        "Weights stay numbers with a point (torch.float32, torch.float64): convert the input instead.",
    ),
)
