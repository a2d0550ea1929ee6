"""Sparse tensors: what is done with them gives what it gives with ordinary ones, printed and refused as in PyTorch."""

import copy
import io

import pytest

import rushlight as torch

A = [[0.0, 2.0, -1.0], [3.0, 0.0, 0.5]]
B = [[1.0, 0.0, 4.0], [3.0, 5.0, 0.0]]
LAYOUTS = [torch.sparse_coo, torch.sparse_csr, torch.sparse_csc]
ZERO_KEPT = """abs asin asinh atan ceil deg2rad erf expm1 floor frac neg rad2deg relu round sgn sign sin sinh square tan
    tanh trunc""".split()


def leaf(values, layout=None):
    """A leaf that requires grad: a sparse one, or an ordinary one where no layout is given."""
    made = torch.tensor(values, dtype=torch.float64)
    return (made if layout is None else made.to_sparse(layout=layout)).requires_grad_()


def dense(value):
    return value.to_dense() if isinstance(value, torch.Tensor) and value.layout is not torch.strided else value


def same(sparse, ordinary):
    torch.testing.assert_close(dense(sparse), ordinary, rtol=1e-12, atol=1e-12)


FUNCTIONS = {
    "sum": lambda a, b, d: torch.sum(a),
    "mm": lambda a, b, d: torch.sparse.mm(a, d.t()) if a.layout is not torch.strided else a @ d.t(),
    "@": lambda a, b, d: a @ d.t(),
    "dense @": lambda a, b, d: d.t() @ a,
    "sparse @ sparse": lambda a, b, d: a @ b.t(),
    "vector": lambda a, b, d: a @ d[0],
    "addmm": lambda a, b, d: torch.addmm(torch.ones(2, 2, dtype=torch.float64), a, d.t(), beta=2, alpha=3),
    "linear": lambda a, b, d: torch.nn.functional.linear(d, a),
    "+": lambda a, b, d: a + b,
    "- scaled": lambda a, b, d: torch.sub(a, b, alpha=3),
    "dense +": lambda a, b, d: d + a,
    "*": lambda a, b, d: a * b,
    "* dense": lambda a, b, d: a * d,
    "* number": lambda a, b, d: 3 * a,
    "/": lambda a, b, d: a / 4,
    "**": lambda a, b, d: a**2,
    "t": lambda a, b, d: a.t(),
    "norm": lambda a, b, d: a.norm(),
    "sin": lambda a, b, d: a.sin(),
    "to": lambda a, b, d: a.to(torch.float32).to(torch.float64),
}


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_and_gradients_are_those_of_ordinary_tensors(name, layout):
    function = FUNCTIONS[name]
    sparse = leaf(A, layout), leaf(B, layout), leaf([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    ordinary = leaf(A), leaf(B), leaf([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    found, wanted = function(*sparse), function(*ordinary)
    same(found, wanted)
    factor = torch.arange(wanted.numel(), dtype=torch.float64).reshape(wanted.shape) + 1
    (dense(found) * factor).sum().backward()
    (wanted * factor).sum().backward()
    for one, other in zip(sparse, ordinary, strict=True):
        if other.grad is None:
            assert one.grad is None
        else:
            stored = dense(one) != 0  # the gradient of a sparse tensor is that of the elements that are stored
            same(dense(one.grad), other.grad * stored)


@pytest.mark.parametrize("name", ZERO_KEPT)
def test_functions_that_keep_zero(name):
    a = torch.tensor(A) / 4
    same(getattr(torch, name)(a.to_sparse()), getattr(torch, name)(a))
    same(getattr(a.to_sparse().coalesce(), f"{name}_")(), getattr(torch, name)(a))


@pytest.mark.parametrize("dim", [0, 1, (0, 1), -1])
def test_sums_over_dimensions(dim):
    a = leaf(A, torch.sparse_coo)
    b = leaf(A)
    found, wanted = torch.sparse.sum(a, dim), b.sum(dim)
    same(found, wanted)
    (dense(found) ** 2).sum().backward()
    (wanted**2).sum().backward()
    same(a.grad, b.grad * (b != 0))


@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("log", [False, True])
def test_softmax_is_that_of_the_stored_elements(dim, log):
    a, b = leaf(A, torch.sparse_coo), leaf(A)
    absent = b.detach() == 0
    function = torch.sparse.log_softmax if log else torch.sparse.softmax
    found = function(a, dim).to_dense()
    filled = b.masked_fill(absent, -float("inf"))
    wanted = (filled.log_softmax(dim) if log else filled.softmax(dim)).masked_fill(absent, 0)
    same(found, wanted)
    (found**3).sum().backward()
    (wanted**3).sum().backward()
    same(a.grad, b.grad)


def test_values_at_the_same_place_count_together():
    values = torch.tensor([1.0, 2.0, 4.0], requires_grad=True)
    s = torch.sparse_coo_tensor([[0, 1, 0], [2, 0, 2]], values, (2, 3))
    assert not s.is_coalesced()
    assert s.to_dense().tolist() == [[0, 0, 5], [2, 0, 0]]
    c = s.coalesce()
    assert (c.indices().tolist(), c.values().tolist(), c._nnz()) == ([[0, 1], [2, 0]], [5, 2], 2)
    (c.values() * torch.tensor([10.0, 1.0])).sum().backward()
    assert values.grad.tolist() == [10, 1, 10]
    with pytest.raises(RuntimeError, match="Cannot get indices on an uncoalesced tensor"):
        s.indices()
    assert (s + s).to_dense().tolist() == [[0, 0, 10], [4, 0, 0]]
    assert (s * s).to_dense().tolist() == [[0, 0, 25], [4, 0, 0]]


def test_dense_dimensions():
    s = torch.sparse_coo_tensor([[0, 2, 2]], [[1.0, 2], [3, 4], [5, 6]], (3, 2))
    assert (s.sparse_dim(), s.dense_dim(), tuple(s.shape), s.numel()) == (1, 1, (3, 2), 6)
    assert s.to_dense().tolist() == [[1, 2], [0, 0], [8, 10]]
    assert torch.sparse.sum(s, 0).tolist() == [9, 12]
    assert torch.sparse.sum(s, 1).to_dense().tolist() == [3, 0, 18]
    assert s[2].tolist() == [8, 10]
    same(torch.sparse.softmax(s, 1).to_dense()[0], torch.tensor([1.0, 2.0]).softmax(0))


def test_selecting_and_joining():
    d = torch.tensor(A)
    s = d.to_sparse()
    same(s[0], d[0])
    same(s[:, 1], d[:, 1])
    assert s[1, 0].item() == 3
    same(s.select(1, 2), d.select(1, 2))
    same(s.index_select(1, torch.tensor([2, 0, 2])), d.index_select(1, torch.tensor([2, 0, 2])))
    same(torch.cat([s, s], 1), torch.cat([d, d], 1))
    same(torch.stack([s, s]), torch.stack([d, d]))
    same(s.unsqueeze(1), d.unsqueeze(1))
    assert [dense(row).tolist() for row in s] == A
    same(d.sparse_mask(s), d)
    with pytest.raises(IndexError, match="out of range"):
        s.select(0, 2)


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_copies_and_files(layout):
    s = torch.tensor(A).to_sparse(layout=layout)
    file = io.BytesIO()
    torch.save({"s": s}, file)
    for other in (copy.deepcopy(s), torch.load(io.BytesIO(file.getvalue()))["s"], s.clone(), s.detach()):
        assert other.layout is layout
        same(other, torch.tensor(A))


def test_files_are_pytorchs():
    theirs = pytest.importorskip("torch")
    for layout in ("sparse_coo", "sparse_csr", "sparse_csc"):
        file = io.BytesIO()
        torch.save(torch.tensor(A).to_sparse(layout=getattr(torch, layout)), file)
        read = theirs.load(io.BytesIO(file.getvalue()))
        assert str(read.layout) == f"torch.{layout}"
        assert read.to_dense().tolist() == A
        file = io.BytesIO()
        theirs.save(theirs.tensor(A).to_sparse(layout=getattr(theirs, layout)), file)
        assert torch.load(io.BytesIO(file.getvalue())).to_dense().tolist() == A


def test_text():
    s = torch.tensor([[0.0, 5.0], [1.5, 0.0]]).to_sparse()
    assert repr(s) == (
        "tensor(indices=tensor([[0, 1],\n                       [1, 0]]),\n       values=tensor([5.0000, 1.5000]),\n"
        "       size=(2, 2), nnz=2, layout=torch.sparse_coo)"
    )
    assert repr(s.to_sparse_csr().double().requires_grad_()) == (
        "tensor(crow_indices=tensor([0, 1, 2]),\n       col_indices=tensor([1, 0]),\n"
        "       values=tensor([5.0000, 1.5000]), size=(2, 2), nnz=2,\n"
        "       dtype=torch.float64, layout=torch.sparse_csr, requires_grad=True)"
    )


SAID = {
    "torch.sparse_coo_tensor([[0, 1], [2, 0]], [3.0], (2, 3))": "indices and values must have same nnz, but got nnz",
    "torch.sparse_coo_tensor([0, 1], [3.0, 4.0])": "indices must be sparse_dim x nnz, but got",
    "torch.sparse_coo_tensor([[0, 1]], [3.0, 4.0], (2, 3))": "'len(size) == sparse_dim + dense_dim' is not satisfied",
    "torch.sparse_coo_tensor([[0, 1]], [[3.0], [4.0]], (2, 3))": "values has incorrect size, expected",
    "torch.sparse_coo_tensor([[0, 5]], [3.0, 4.0], (2,), check_invariants=True)": "size is inconsistent with indices",
    "torch.sparse_coo_tensor([[0, -1]], [3.0, 4.0], (2,), check_invariants=True)": "found negative index -1 for dim 0",
    "torch.sparse_csr_tensor([0, 2, 4], [0, 1], [1.0, 2.0], (2, 3), check_invariants=True)": "`crow_indices",
    "s.exp()": "Could not run 'aten::exp' with arguments from the 'SparseCPU' backend.",
    "s + 1": "add(sparse, dense) is not supported. Use add(dense, sparse) instead.",
    "s / s": "Sparse division requires a scalar or zero-dim dense tensor divisor",
    "s.numpy()": "can't convert Sparse layout tensor to numpy.",
    "s.reshape(6)": "reshape is not implemented for sparse tensors",
    "d.coalesce()": "coalesce expected sparse coordinate tensor layout but got Strided",
    "d.indices()": "indices expected sparse coordinate tensor layout but got Strided",
    "s.crow_indices()": "crow_indices expected sparse row compressed tensor layout but got Sparse",
    "bool(s)": "Boolean value of Tensor with more than one value is ambiguous",
    "torch.mm(s, d)": "",
}


@pytest.mark.parametrize("expression", SAID)
def test_what_is_refused(expression):
    def error_of(module):
        d = module.tensor(A)
        with pytest.raises(Exception) as caught:  # noqa: PT011
            eval(expression, {"torch": module, "d": d, "s": d.to_sparse()})
        return caught.value

    found = error_of(torch)
    assert str(found).startswith(SAID[expression])
    wanted = error_of(pytest.importorskip("torch"))
    assert type(found).__name__ == type(wanted).__name__
    assert SAID[expression] in str(wanted)


def test_matrices_of_blocks_are_refused():
    with pytest.raises(NotImplementedError, match="rushlight has no matrices of blocks"):
        torch.sparse_bsr_tensor([0, 1], [0], [[[1.0]]])


def test_diagonals():
    found = torch.sparse.spdiags(torch.arange(9).reshape(3, 3), torch.tensor([0, -1, 1]), (3, 3))
    assert found.to_dense().tolist() == [[0, 7, 0], [3, 1, 8], [0, 4, 2]]


def table(sparse, kind=torch.nn.Embedding, **options):
    weight = torch.arange(12.0, dtype=torch.float64).reshape(4, 3) / 10
    return kind(4, 3, sparse=sparse, _weight=weight, **options)


OPTIMIZERS = {
    "SGD": {"lr": 0.1},
    "SGD with momentum": {"lr": 0.1, "momentum": 0.9},
    "SGD up": {"lr": 0.1, "maximize": True},
    "Adagrad": {"lr": 0.1, "lr_decay": 0.1},
}


@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize("kind", [torch.nn.Embedding, torch.nn.EmbeddingBag])
def test_tables_with_sparse_gradients_are_trained_as_with_ordinary_ones(name, kind):
    weights = []
    for sparse in (True, False):
        layer = table(sparse, kind)
        optimizer = getattr(torch.optim, name.split()[0])(layer.parameters(), **OPTIMIZERS[name])
        for rows in ([[1, 2], [2, 2]], [[0, 3], [1, 1]]):
            optimizer.zero_grad()
            (layer(torch.tensor(rows)) ** 2).sum().backward()
            assert layer.weight.grad.is_sparse is sparse
            optimizer.step()
        weights.append(layer.weight.detach())
    same(*weights)


def test_sparse_adam_changes_rows_that_have_gradients():
    layer = table(True)
    before = layer.weight.detach().clone()
    optimizer = torch.optim.SparseAdam(layer.parameters(), lr=0.1)
    layer(torch.tensor([1, 1, 3])).sum().backward()
    optimizer.step()
    step = (before - layer.weight.detach()).tolist()
    assert step[0] == step[2] == [0, 0, 0]
    assert step[1] == pytest.approx([0.1] * 3, rel=1e-6)


@pytest.mark.parametrize("name", ["Adam", "AdamW", "RMSprop", "Adadelta", "Adamax", "NAdam", "Rprop", "ASGD"])
def test_optimizers_that_take_no_sparse_gradients(name):
    layer = table(True)
    optimizer = getattr(torch.optim, name)(layer.parameters())
    layer(torch.tensor([1])).sum().backward()
    with pytest.raises(RuntimeError, match="does not support sparse gradients"):
        optimizer.step()


def test_sparse_gradients_are_added_up():
    layer = table(True, padding_idx=0)
    layer(torch.tensor([1, 0, 2])).sum().backward()
    assert (layer.weight.grad._indices().tolist(), layer.weight.grad._nnz()) == ([[1, 2]], 2)
    layer(torch.tensor([2])).sum().backward()
    assert layer.weight.grad._nnz() == 2
    assert layer.weight.grad.to_dense()[:, 0].tolist() == [0, 1, 2, 0]
    layer.weight.sum().backward()
    assert layer.weight.grad[:, 0].tolist() == [1, 2, 3, 1]
    layer.zero_grad()
    (layer(torch.tensor([1])).sum() + layer(torch.tensor([3])).sum() + (2 * layer.weight).sum()).backward()
    assert layer.weight.grad[:, 0].tolist() == [2, 3, 2, 3]
    (found,) = torch.autograd.grad(layer(torch.tensor([3])).sum(), layer.weight)
    assert found.is_sparse
    seen = []
    layer.weight.register_hook(lambda grad: seen.append(grad._nnz()))
    layer.zero_grad()
    layer(torch.tensor([1, 2])).sum().backward()
    layer.zero_grad(set_to_none=False)
    assert seen == [2]
    assert layer.weight.grad._nnz() == 0


@pytest.mark.parametrize(("shape", "dim"), [((2, 3), 1), ((2, 3), 0), ((), 0)])
def test_gather_with_a_sparse_gradient(shape, dim):
    x = torch.rand(shape, dtype=torch.float64).requires_grad_()
    index = torch.tensor([[0, 0], [1, 1]]) if shape else torch.tensor(0)
    found, expected = (
        torch.autograd.grad((torch.gather(x, dim, index, sparse_grad=sparse) ** 2).sum(), x)[0]
        for sparse in (True, False)
    )
    assert (found.is_sparse, found._nnz(), found.is_coalesced()) == (True, index.numel(), False)
    same(found, expected)
    with pytest.raises(RuntimeError, match="scale_grad_by_freq not supported with sparse gradients"):
        table(True, scale_grad_by_freq=True)(torch.tensor([1])).sum().backward()


def test_central_differences():
    check = torch.sparse.as_sparse_gradcheck(torch.autograd.gradcheck)
    a, b, d = leaf(A, torch.sparse_coo), leaf(B, torch.sparse_coo), leaf([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    assert check(lambda a, d: torch.sparse.mm(a, d.t()), (a, d))
    assert check(lambda a, b: torch.sparse.mm(a, b.t()).to_dense(), (a, b))
    assert check(lambda a: torch.sparse.softmax(a, 1), (a,))
    assert torch.autograd.gradgradcheck(
        lambda v, d: torch.sparse.mm(torch.sparse_coo_tensor([[0, 1], [1, 2]], v, (2, 3)), d.t()),
        (torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True), d),
    )


def test_sparse_buffers_of_modules():
    class Graph(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("links", torch.eye(2).to_sparse())
            self.weight = torch.nn.Parameter(torch.ones(2, 2))

        def forward(self):
            return torch.sparse.mm(self.links, self.weight)

    graph = Graph().double()
    assert graph().dtype is torch.float64
    other = Graph().double()
    other.load_state_dict(graph.state_dict())
    same(other.links, torch.eye(2, dtype=torch.float64))


@pytest.mark.parametrize("product", ["dsmm", "spmm"])
def test_products_take_dense_matrices_too(product):
    a = torch.tensor([[1.0, 2.0]])
    assert torch.equal(getattr(torch, product)(a, a.t()), torch.tensor([[5.0]]))


@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128])
def test_batches_of_matrices_are_transposed(dtype):
    torch.manual_seed(0)
    x = torch.randn(2, 3, 4, dtype=dtype)
    sparse = x.to_sparse()
    for turned in (lambda t: t.mT, lambda t: t.mH, lambda t: t.adjoint(), lambda t: t.permute(2, 1, 0)):
        same(turned(sparse), turned(x).resolve_conj())
    same(sparse.T, x.permute(2, 1, 0))
    with pytest.raises(RuntimeError, match="expects a tensor with <= 2 sparse"):
        sparse.t()


class Applied(torch.autograd.Function):
    """A sparse matrix times an ordinary one."""

    @staticmethod
    def forward(ctx, sparse, other):
        ctx.sparse = sparse
        return torch.sparse.mm(sparse, other)

    @staticmethod
    def backward(ctx, grad):
        return None, torch.sparse.mm(ctx.sparse.mT, grad)


def test_custom_functions_take_sparse_tensors():
    matrix, x = torch.tensor(A), torch.ones(3, 2, requires_grad=True)
    result = Applied.apply(matrix.to_sparse(), x)
    same(result.detach(), matrix @ x.detach())
    result.sum().backward()
    same(x.grad, matrix.T @ torch.ones(2, 2))


def test_gradients_of_repeated_indices_are_those_of_the_elements(torch):
    x = torch.sparse_coo_tensor([[0, 1, 1], [2, 0, 0]], [3.0, 4.0, 5.0], (2, 3), requires_grad=True)
    (torch.sparse.mm(x, torch.ones(3, 2)) * torch.tensor([[1.0], [3.0]])).sum().backward()
    assert x.grad._nnz() == 2
    assert x.grad.to_dense().tolist() == [[0.0, 0.0, 2.0], [6.0, 0.0, 0.0]]
