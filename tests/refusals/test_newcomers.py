"""Mistakes that newcomers make: each message names the cause in PyTorch's words, and then what to do.

`python tests/refusals/test_newcomers.py` prints the messages of both, one below the other.
"""

import importlib
import math
import re
import sys

import numpy as np
import pytest

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
]
ABSENT = [  # what is absent on purpose, or misspelt, and what is said of it
    ("torch.jit.load", "TorchScript"),
    ("torch.onnx.dynamo", "export the model with PyTorch"),
    ("torch.quantization", "float16"),
    ("torch.export", "compiler"),
    ("torch.nested", "pad them"),
    ("torch.cuda.memory_stats", "torch.cuda.is_available()"),
    ("torch.matmull", "Did you mean matmul"),
    ("nn.Lineer", "Did you mean Linear"),
    ("torch.amp.autocats", "Did you mean autocast"),
    ("torch.special.gama", "Did you mean"),
    ("torch.linalg.invers", "Did you mean"),
    ("torch.fft.ft", "Did you mean"),
]


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


def failure(torch, expression):
    """The error of an expression."""
    with pytest.raises(Exception) as found:  # noqa: PT011 (any kind: it is compared)
        eval(expression, names(torch))
    return found.value


@pytest.mark.parametrize(("expression", "cause", "remedy"), MISTAKES, ids=[line[0] for line in MISTAKES])
def test_a_mistake_is_explained(expression, cause, remedy):
    error = failure(importlib.import_module("rushlight"), expression)
    assert cause in str(error)
    assert remedy in str(error).partition(cause)[2]
    assert error.__cause__ is None
    assert error.__context__ is None or error.__suppress_context__  # nothing of NumPy's above it


@pytest.mark.parametrize(("expression", "cause", "remedy"), MISTAKES, ids=[line[0] for line in MISTAKES])
def test_pytorch_has_the_same_kind_and_words(expression, cause, remedy):
    theirs = failure(pytest.importorskip("torch"), expression)
    ours = failure(importlib.import_module("rushlight"), expression)
    assert type(ours).__name__ == type(theirs).__name__
    assert cause in str(theirs)


@pytest.mark.parametrize(("expression", "words"), ABSENT, ids=[line[0] for line in ABSENT])
def test_what_is_absent_has_a_reason(expression, words):
    assert words in str(failure(importlib.import_module("rushlight"), expression))


def test_advice_is_given_once():
    error = failure(importlib.import_module("rushlight"), "nn.Sequential(nn.Flatten(), nn.Linear(5, 2))(x)")
    assert len(re.findall("in_features", str(error))) == 1


if __name__ == "__main__":
    for expression, *_ in MISTAKES:
        print(f"\n{expression}")
        for name in ("torch", "rushlight"):
            error = failure(importlib.import_module(name), expression)
            print(f"  {name}: {type(error).__name__}: {error}", file=sys.stdout)
