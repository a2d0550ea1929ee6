"""Mistakes that newcomers make, what is said of them, and how good that is: a point each for cause, place and remedy.

`python tests/refusals/mistakes.py` judges PyTorch's messages and rushlight's, and writes the table of docs/messages.md.
"""

import importlib
import math
import re
import sys
from pathlib import Path

import numpy as np

PAGE = Path(__file__).parents[2] / "docs" / "messages.md"
# What is written, PyTorch's words, and a word of the remedy.
MISTAKES = [
    ("nn.Linear(5, 2)(x)", "mat1 and mat2 shapes cannot be multiplied (3x4 and 5x2)", "in_features"),
    (
        "nn.Linear(64, 10)(torch.ones(2, 4, 4, 4))",
        "mat1 and mat2 shapes cannot be multiplied (32x4 and 64x10)",
        "flatten",
    ),
    ("nn.Linear(4, 2)(x.double())", "mat1 and mat2 must have the same dtype, but got Double and Float", "x.float()"),
    ("nn.Linear(4, 2)(array)", "linear(): argument 'input' (position 1) must be Tensor, not", "torch.from_numpy"),
    (
        "nn.Conv2d(3, 8, 3)(torch.ones(1, 8, 8, 3))",
        "Given groups=1, weight of size [8, 3, 3, 3]",
        "permute(0, 3, 1, 2)",
    ),
    ("nn.Conv2d(1, 8, 3)(torch.ones(28, 28))", "Expected 3D (unbatched) or 4D (batched) input", "x[None, None]"),
    ("F.cross_entropy(x, torch.tensor([0, 4, 1]))", "Target 4 is out of bounds.", "Classes count from 0"),
    ("F.cross_entropy(x, torch.tensor([0.0, 3.0, 1.0]))", "expected target dtype to be Long or Byte", "target.long()"),
    ("F.cross_entropy(x, torch.tensor([[0], [3], [1]]))", "0D or 1D target tensor expected", "target.squeeze(1)"),
    ("F.cross_entropy(x, torch.tensor([0, 1]))", "Expected input batch_size (3) to match", "(batch, classes)"),
    ("nn.Embedding(10, 3)(torch.tensor([1, 10]))", "index out of range in self", "num_embeddings - 1"),
    ("nn.Embedding(10, 3)(torch.tensor([1.0, 2.0]))", "Expected tensor for argument #1 'indices'", "x.long()"),
    ("F.one_hot(torch.tensor([0, 5]), 3)", "Class values must be smaller than num_classes", "largest class plus 1"),
    ("F.binary_cross_entropy(x * 2, x)", "all elements of input should be between 0 and 1", "with_logits"),
    ("F.binary_cross_entropy_with_logits(torch.ones(3, 1), torch.ones(3))", "Target size (torch.Size([3]))", "squeeze"),
    ("(w * 2).backward()", "grad can be implicitly created only for scalar outputs", ".sum()"),
    ("x.sum().backward()", "element 0 of tensors does not require grad", "detached"),
    ("w.add_(1)", "a leaf Variable that requires grad is being used in an in-place operation", "torch.no_grad()"),
    ("w.numpy()", "Can't call numpy() on Tensor that requires grad", "detach().numpy()"),
    ("torch.tensor([1, 2], requires_grad=True)", "Only Tensors of floating point and complex dtype", "x.float()"),
    ("torch.optim.SGD([], lr=0.1)", "optimizer got an empty parameter list", "ModuleList"),
    ("torch.optim.SGD(w, lr=0.1)", "params argument given to the optimizer should be an iterable", "[w]"),
    ("torch.optim.SGD([w * 2], lr=0.1)", "can't optimize a non-leaf Tensor", "detach"),
    ("Forgetful()", "cannot assign module before Module.__init__() call", "super().__init__()"),
    ("Empty()(x)", 'Module [Empty] is missing the required "forward" function', "def forward"),
    (
        "nn.Linear(4, 3).load_state_dict(nn.Linear(5, 3).state_dict())",
        "Error(s) in loading state_dict",
        "sizes of the one",
    ),
    (
        "x @ torch.ones(3, 4)",
        "mat1 and mat2 shapes cannot be multiplied (3x4 and 3x4)",
        "first dimension of the second",
    ),
    ("x @ x.T.double()", "expected m1 and m2 to have the same dtype", "x.float()"),
    ("x + torch.ones(3)", "The size of tensor a (4) must match the size of tensor b (3)", "unsqueeze"),
    ("torch.cat([x, torch.ones(3, 5)])", "Sizes of tensors must match except in dimension 0", "another dim"),
    ("torch.stack([w, torch.ones(3)])", "stack expects each tensor to be equal size", "pad_sequence"),
    ("x.view(5, 2)", "shape '[5, 2]' is invalid for input of size 12", "multiply to 12"),
    ("x[3]", "index 3 is out of bounds for dimension 0 with size 3", "count from 0"),
    ("x[0, 0, 0]", "too many indices for tensor of dimension 2", "x.shape"),
    ("x[1.0]", "only integers, slices", "int(i)"),
    ("x.sum(2)", "Dimension out of range", "-1 is the last"),
    ("torch.tensor([1, 2]).mean()", "mean(): could not infer output dtype", "x.float()"),
    ("bool(x > 0)", "Boolean value of Tensor with more than one value is ambiguous", "torch.where"),
    ("x.item()", "a Tensor with 12 elements cannot be converted to Scalar", "tolist()"),
    ("torch.sin(array)", "sin(): argument 'input' (position 1) must be Tensor, not", "torch.from_numpy"),
    ("torch.tensor([[1, 2], [3]])", "expected sequence of length 2 at dim 1 (got 1)", "pad"),
    ("torch.tensor([1.0, None])", "Could not infer dtype of NoneType", "nan"),
    ("nn.LSTM(3, 4)(torch.ones(5, 2, 7))", "input.size(-1) must be equal to input_size", "features of each step"),
    ("nn.GRU(3, 4)(torch.ones(3))", "GRU: Expected input to be 2D or 3D", "batch_first"),
    ("nn.BatchNorm1d(5)(x)", "running_mean should contain 4 elements not 5", "num_features"),
    ("nn.BatchNorm1d(4)(x[:1])", "Expected more than 1 value per channel when training", "model.eval()"),
    ("nn.Linear(4, 2)(torch.ones(1, 4).long())", "mat1 and mat2 must have the same dtype", "int64"),
    ("nn.BCELoss()(torch.ones(2, 1), torch.ones(2))", "Using a target size (torch.Size([2])) that", "squeeze"),
    ("nn.GRU(3, 4)(torch.ones(5, 3, 3), torch.ones(3, 4))", "hx should also be 3-D but got 2-D tensor", "(h, c)"),
    ("x[torch.tensor([0.0])]", "tensors used as indices must be long, int, byte or bool tensors", "i.long()"),
    ("torch.optim.SGD([1.0])", "optimizer can only optimize Tensors, but one of the params is float", "requires_grad"),
    ("torch.optim.SGD(nn.Linear(1, 1))", "'Linear' object is not iterable", "model.parameters()"),
    ("torch.softmax(x)", 'softmax() missing 1 required positional arguments: "dim"', "dim=-1"),
    ("nn.BatchNorm2d(4)(x)", "expected 4D input (got 2D input)", "BatchNorm1d"),
    ("torch.tensor([w, w])", "only one element tensors can be converted to Python scalars", "torch.stack"),
    ("math.sin(x)", "only one element tensors can be converted to Python scalars", "torch.sin(x)"),
    ("nn.Sequential([nn.Linear(1, 1)])", "list is not a Module subclass", "Sequential(*layers)"),
    ("nn.ModuleList([nn.Linear(4, 1)])(x)", 'Module [ModuleList] is missing the required "forward"', "nn.Sequential"),
    ("list(torch.utils.data.DataLoader([w, x], 2))", "stack expects each tensor to be equal size", "pad_sequence"),
    ("torch.utils.data.TensorDataset(x, w)", "Size mismatch between tensors", "x.shape[0]"),
    ("x.cuda()", "Torch not compiled with CUDA enabled", "CPU"),
    ("nn.Conv1d(4, 8, 3)(torch.ones(2, 10, 4))", "Given groups=1, weight of size [8, 4, 3]", "x.transpose(1, 2)"),
    ("nn.MaxPool2d(2)(torch.ones(5))", "non-empty 3D or 4D (batch mode) tensor expected for input", "x[None, None]"),
    ("nn.Linear(4.0, 2)", "empty(): argument 'size' failed to unpack", "int(n)"),
    ("nn.Dropout(1.5)", "dropout probability has to be between 0 and 1, but got 1.5", "0.2"),
    ("nn.MultiheadAttention(10, 3)", "embed_dim must be divisible by num_heads", "embed_dim / num_heads"),
    ("nn.LayerNorm(5)(x)", "Given normalized_shape=[5], expected input with shape [*, 5]", "shape ends with"),
    ("F.mse_loss(x, torch.ones(5, 4))", "The size of tensor a (3) must match the size of tensor b (5)", "unsqueeze"),
    ("torch.ones(2, 3).reshape(4)", "shape '[4]' is invalid for input of size 6", "multiply to 6"),
    ("x.transpose(0, 2)", "Dimension out of range", "-1 is the last"),
    ("x.permute(0)", "is not equal to len(dims) = 1", "x.permute(1, 0)"),
    ("x['a']", "new(): invalid data type 'str'", "x[:, 2]"),
    ("torch.zeros(3)[torch.tensor([True, False])]", "The shape of the mask [2] at index 0", "A mask has"),
    ("torch.cat([x, w])", "Tensors must have same number of dimensions: got 2 and 1", "unsqueeze(0)"),
    ("torch.cat(x, w)", "cat(): argument 'tensors' (position 1) must be tuple of Tensors, not Tensor", "[a, b]"),
    ("torch.stack([])", "stack expects a non-empty TensorList", "one tensor at least"),
    ("torch.tensor(['a', 'b'])", "too many dimensions 'str'", "numpy.unique"),
    ("torch.tensor({'a': 1})", "Could not infer dtype of dict", "d.values()"),
    ("torch.from_numpy([1, 2])", "expected np.ndarray (got list)", "torch.tensor"),
    ("torch.max(x, 1).argmax()", "'torch.return_types.max' object has no attribute 'argmax'", "values and indices"),
    ("torch.optim.Adam([w], lr=-1)", "Invalid learning rate: -1", "0.01"),
    ("nn.Linear(1, 1).load_state_dict('model.pt')", "Expected state_dict to be dict-like", "torch.load(path)"),
    ("nn.Linear(4, 2).weights", "'Linear' object has no attribute 'weights'", "Did you mean weight"),
    ("nn.Linear(4, 2).forwrd(x)", "'Linear' object has no attribute 'forwrd'", "Did you mean forward"),
    ("torch.einsum('ij,jk', x, x)", "einsum(): subscript j has size 3 for operand 1", "transpose an operand"),
    ("torch.linalg.inv(x)", "linalg.inv: A must be batches of square matrices", "torch.linalg.pinv"),
    ("torch.linalg.cholesky(-torch.eye(2))", "the input is not positive-definite", "1e-6 * torch.eye"),
    ("torch.ones(2, dtype='float32')", "ones(): argument 'dtype' must be torch.dtype, not str", "torch.float32"),
    (
        "torch.ones(2, dtype=int).requires_grad_()",
        "only Tensors of floating point dtype can require gradients",
        "x.float()",
    ),
    ("torch.utils.data.random_split([1, 2, 3], [1, 1])", "Sum of input lengths does not equal", "[0.8, 0.2]"),
    (
        "setattr(nn.Linear(1, 1), 'weight', torch.ones(1, 1))",
        "cannot assign 'torch.FloatTensor' as parameter 'weight'",
        "torch.nn.Parameter(tensor)",
    ),
    ("torch.clamp(x)", "At least one of 'min' or 'max' must not be None", "clamp(min=0)"),
    ("F.one_hot(x, 3)", "one_hot is only applicable to index tensor of type LongTensor", "x.long()"),
    ("F.interpolate(x, 3)", "Only 3D, 4D and 5D input Tensors supported (got 2D)", "x[None, None]"),
    ("torch.bmm(x, x)", "batch1 must be a 3D tensor", "x @ y"),
    ("torch.dot(x, x)", "1D tensors expected, but got 2D and 2D tensors", "x @ y"),
    ("torch.topk(x, 9)", "selected index k out of range", "x.shape"),
    ("x.expand(2, 4)", "The expanded size of the tensor (2) must match the existing size (3)", "repeat"),
    ("x.repeat(2)", "Number of dimensions of repeat dims can not be smaller", "x.repeat(1, 2)"),
    ("x @ w", "size mismatch, got input (3), mat (3x4), vec (2)", "each column of the matrix: 4, not 2"),
    (
        "F.cross_entropy(torch.ones(3, 4, 5), torch.ones(3).long())",
        "Expected target size [3, 5], got [3]",
        "(batch, classes, ...)",
    ),
    ("F.pad(x, (1, 2, 3))", "Padding length must be divisible by 2", "(left, right)"),
    ("torch.optim.lr_scheduler.StepLR(0.1, 10)", "float is not an Optimizer", "StepLR(optimizer, 10)"),
    ("len(torch.tensor(3.0))", "len() of a 0-d tensor", "x.item()"),
    ("list(torch.tensor(3.0))", "iteration over a 0-d tensor", "x.item()"),
    (
        "torch.autograd.grad(w.sum(), x.clone().requires_grad_())",
        "appears to not have been used in the graph",
        "the way to it is cut",
    ),
    ("nn.CrossEntropyLoss()(torch.tensor([0, 1, 2]), x)", "not implemented for 'Long'", "x.float()"),
    (
        "[y.backward() for y in [(w * w).sum()] * 2]",
        "Trying to backward through the graph a second time",
        "(a + b).backward()",
    ),
    ("[(y := w.exp()), y.add_(1), y.sum().backward()]", "has been modified by an inplace operation", "x.clone()"),
    ("nn.RNN(3, 4, num_layers=0)", "num_layers must be greater than zero", "1 or more"),
    ("nn.Conv2d(4, 6, 3, groups=4)", "out_channels must be divisible by groups", "out_channels / groups"),
    (
        "nn.Conv2d(1, 1, 5)(torch.ones(1, 1, 3, 3))",
        "Kernel size can't be greater than actual input size",
        "smaller kernel",
    ),
    ("nn.MaxPool2d(4)(torch.ones(1, 1, 2, 2))", "Output size is too small", "smaller kernel"),
    ("torch.utils.data.DataLoader([1, 2], batch_size=0)", "batch_size should be a positive integer value", "from 1 on"),
    (
        "torch.utils.data.DataLoader([1], shuffle=True, sampler=[0])",
        "sampler option is mutually exclusive",
        "Leave one of them",
    ),
    ("torch.optim.SGD([w], lr='0.1')", "'<' not supported between instances of 'str' and 'float'", "float(text)"),
    ("torch.optim.SGD([w], 0.1, nesterov=True)", "Nesterov momentum requires a momentum", "momentum=0.9"),
    ("torch.optim.Adam([w], betas=(0.9, 1.0))", "Invalid beta parameter at index 1: 1.0", "(0.9, 0.999)"),
    ("torch.randint(5)", "randint() received an invalid combination of arguments", "torch.randint(10, (2, 3))"),
    ("torch.rand(-1)", "Trying to create tensor with negative dimension -1", "from 0 on"),
    ("torch.tensor(5.0)[0]", "invalid index of a 0-dim tensor", "tensor.item()"),
    ("x.__setitem__((slice(None), 0), torch.ones(5))", "The expanded size of the tensor (3)", "repeat"),
    ("x.add('a')", "argument 'other' (position 1) must be Tensor, not str", "float(text)"),
    ("F.nll_loss(x, torch.tensor([0.0, 1.0, 2.0]))", "expected target dtype to be Long or Byte", "target.long()"),
    ("nn.Embedding(10, 3, padding_idx=10)", "Padding_idx must be within num_embeddings", "count from 0"),
    ("nn.Upsample(scale_factor=2)(x)", "Only 3D, 4D and 5D input Tensors supported", "x[None, None]"),
    ("nn.Unflatten(1, (3, 2))(x)", "Provided sizes [3, 2] don't multiply up to the size of dim 1 (4)", "may be -1"),
    (
        "torch.gather(x, 1, torch.tensor([0, 1]))",
        "Index tensor must have the same number of dimensions",
        "index.unsqueeze(1)",
    ),
    ("torch.gather(x, 1, torch.tensor([[9], [0], [0]]))", "index 9 is out of bounds for dimension 1", "count from 0"),
    ("x.masked_fill(x.long(), 0)", "only supports boolean masks", "mask.bool()"),
    ("torch.where(x, x, 0)", "where expected condition to be a boolean tensor", "mask.bool()"),
    ("x.split([1, 1])", "expects split_sizes to sum exactly to 3", "add up to 3"),
    ("torch.multinomial(torch.tensor([0.0, 0.0]), 1)", "invalid multinomial distribution", "softmax"),
    ("torch.multinomial(torch.ones(2), 5)", "samples without replacement", "replacement=True"),
    ("torch.distributions.Normal(0.0, -1.0)", "to satisfy the constraint GreaterThan", "softplus"),
    ("nn.ModuleDict({'a.b': nn.Linear(1, 1)})", "module name can", "write _"),
    ("nn.Linear(1, 1).register_buffer('mean', 3)", "cannot assign 'int' object to buffer 'mean'", "torch.tensor"),
    ("nn.Sequential(nn.Linear(1, 1))[3]", "index 3 is out of range", "count from 0"),
    (
        "F.conv2d(torch.ones(1, 1, 5, 5), torch.ones(3, 3))",
        "weight should have at least three dimensions",
        "weight[None, None]",
    ),
    ("torch.autograd.grad(w * 2, w)", "grad can be implicitly created only for scalar outputs", ".sum()"),
    ("torch.tensor([1, 2]).div_(2)", "result type Float can't be cast to the desired output type Long", "x = x / 2"),
    ("torch.matmul(x, 3)", "matmul(): argument 'other' (position 2) must be Tensor, not int", "torch.tensor"),
    ("nn.BatchNorm1d(4)(torch.ones(3, 5, 4))", "running_mean should contain 5 elements not 4", "num_features"),
    ("nn.GroupNorm(3, 4)", "num_channels (4) must be divisible by num_groups (3)", "num_channels / num_groups"),
    ("torch.arange(0, 5, -1)", "upper bound and lower bound inconsistent with step sign", "end - start"),
    ("torch.linspace(0, 1)", "linspace() received an invalid combination of arguments", "steps=11"),
    ("x.reshape(-1, -1)", "only one dimension can be inferred", "Give -1 once"),
    ("torch.device('gpu')", "device type at start of device string: gpu", "'cpu'"),
    ("x.to('float32')", "evice string", "torch.float32"),
    ("x.type('float')", "invalid type: 'float'", "torch.float32"),
    (
        "F.cross_entropy(x, torch.tensor([0, 1, 2]), torch.ones(3))",
        "weight tensor should be defined either for all 4 classes",
        "for each class, 4",
    ),
    ("torch.sqrt(-1)", "sqrt(): argument 'input' (position 1) must be Tensor, not int", "math"),
]
ABSENT = [  # what is absent on purpose, or misspelt, and what is said of it
    ("torch.jit.load", "TorchScript"),
    ("torch.onnx.dynamo", "export the model with PyTorch"),
    ("torch.quantization", "float16"),
    ("torch.export", "compiler"),
    ("torch.nested", "pad them"),
    ("torch.cuda.nccl", "torch.cuda.is_available()"),
    ("torch.matmull", "Did you mean matmul"),
    ("nn.Lineer", "Did you mean Linear"),
    ("torch.amp.autocats", "Did you mean autocast"),
    ("torch.special.gama", "Did you mean"),
    ("torch.linalg.invers", "Did you mean"),
    ("torch.fft.ft", "Did you mean"),
]


PLACE = r"\d|'[^']+'|\[\w+\]|argument|Double|Float|Long|\b(?:list|str|float|int|dict|None)"  # what names what is wrong
ORDER = r"(?i)\b(?:use|try|please|specify|hint|consider|call|convert|reduce|did you mean)\b"  # what says what to do


def names(torch):
    """What the mistakes use."""
    nn = torch.nn

    class Forgetful(nn.Module):
        def __init__(self):
            self.layer = nn.Linear(1, 1)

    class Empty(nn.Module):
        pass

    w = torch.ones(2, requires_grad=True)
    given = {"x": torch.ones(3, 4), "w": w, "array": np.ones(4), "Forgetful": Forgetful, "Empty": Empty}
    return {"math": math, "torch": torch, "nn": nn, "F": nn.functional, **given}


def error_of(torch, expression):
    """The error of an expression."""
    try:
        eval(expression, names(torch))
    except Exception as error:
        return error
    raise AssertionError(f"{expression} raises nothing")


def score(message, cause, remedy):
    """Points of a message: it says what is wrong, names the value, size, type or argument, and says what to do."""
    words = re.split(r"[.!]\s", message)[0]  # what is advised names values too
    place, order = re.search(PLACE, words), re.search(ORDER, message)
    return (cause in message) + (place is not None) + (remedy in message or order is not None)


def scores(torch):
    """The points of a library for each mistake."""
    return [score(str(error_of(torch, expression)), cause, remedy) for expression, cause, remedy in MISTAKES]


def table(ours, theirs):
    """The judgements as a table in Markdown."""
    rows = [
        f"| `{expression}` | {mine} | {other} | {advice(expression, cause)} |"
        for (expression, cause, _), mine, other in zip(MISTAKES, ours, theirs, strict=True)
    ]
    means = f"| **mean of {len(rows)}** | **{sum(ours) / len(rows):.2f}** | **{sum(theirs) / len(rows):.2f}** | |"
    return "\n".join(["| mistake | rushlight | PyTorch | what is added |", "| --- | --- | --- | --- |", *rows, means])


def advice(expression, cause):
    """What rushlight says beyond PyTorch's words."""
    ours = str(error_of(importlib.import_module("rushlight"), expression))
    theirs = str(error_of(importlib.import_module("torch"), expression))
    added = ours[len(theirs) :] if ours.startswith(theirs.rstrip()) else ours.partition(cause)[2]
    return " ".join(added.strip(" .:").split()).replace("|", "\\|")


def main():
    """Judges both, and writes the page's table."""
    sys.path.insert(0, str(PAGE.parents[1]))
    ours, theirs = (scores(importlib.import_module(name)) for name in ("rushlight", "torch"))
    begin, _, _ = PAGE.read_text(encoding="utf-8").partition("| mistake |")
    PAGE.write_text(f"{begin}{table(ours, theirs)}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
