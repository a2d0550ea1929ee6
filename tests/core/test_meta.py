"""The device "meta": shapes, strides and dtypes as on the CPU, no memory, PyTorch's errors."""

import pytest

import rushlight as torch

F = torch.nn.functional
SMALL = {
    "add": lambda make: make(3, 4) + make(4),
    "matmul": lambda make: make(3, 4) @ make(4, 5),
    "bmm": lambda make: make(2, 3, 4) @ make(2, 4, 5),
    "sum": lambda make: make(3, 4).sum(1, keepdim=True),
    "view": lambda make: make(3, 4).view(2, -1).transpose(0, 1),
    "slices": lambda make: make(6, 4)[1::2, None],
    "permuted": lambda make: make(2, 3, 4).permute(2, 0, 1),
    "cat": lambda make: torch.cat([make(3, 4), make(2, 4)]),
    "softmax": lambda make: make(3, 4).softmax(1),
    "max": lambda make: make(3, 4).max(1)[1],
    "comparison": lambda make: make(3, 4) > 0,
    "where": lambda make: torch.where(make(3, 4) > 0, make(3, 4), 0.0),
    "conv2d": lambda make: F.conv2d(make(5, 3, 9, 9), make(4, 3, 3, 3), make(4), stride=2, padding=1),
    "max_pool2d": lambda make: F.max_pool2d(make(5, 3, 9, 9), 2),
    "batch_norm": lambda make: F.batch_norm(make(5, 3, 9, 9), make(3), make(3), make(3), make(3), training=True),
    "layer_norm": lambda make: F.layer_norm(make(5, 3), (3,), make(3), make(3)),
    "linear": lambda make: F.linear(make(5, 3), make(4, 3), make(4)),
    "embedding": lambda make: F.embedding(make(5, 3).long(), make(7, 6)),
    "cross_entropy": lambda make: F.cross_entropy(make(5, 3), make(5).long()),
    "attention": lambda make: F.scaled_dot_product_attention(make(2, 3, 4), make(2, 3, 4), make(2, 3, 4)),
    "dropout": lambda make: F.dropout(make(5, 3)),
    "gelu": lambda make: F.gelu(make(5, 3)),
    "sort": lambda make: make(5, 3).sort(0)[0],
    "einsum": lambda make: torch.einsum("ij,kj->ik", make(5, 3), make(4, 3)),
    "double": lambda make: make(5, 3).double(),
    "in place": lambda make: make(5, 3).add_(1).mul_(make(3)).zero_(),
    "svd": lambda make: torch.linalg.svd(make(5, 3), full_matrices=False)[0],
    "like": lambda make: torch.randn_like(make(5, 3)) + torch.zeros_like(make(5, 3)),
    "tril": lambda make: make(5, 3).tril(),
}


def on_meta(*shape):
    return torch.empty(shape, device="meta")


@pytest.mark.parametrize("name", SMALL)
def test_shapes_are_those_of_the_cpu(name):
    result, wanted = SMALL[name](on_meta), SMALL[name](torch.ones)
    assert result.is_meta
    assert str(result.device) == "meta"
    assert (result.shape, result.dtype) == (wanted.shape, wanted.dtype)
    if name != "svd":  # whose columns lie together
        assert result.stride() == wanted.stride()


def test_no_memory_is_taken():
    """A product of 4 TB by 4 TB, its loss and its gradients."""
    layer = torch.nn.Linear(10**6, 10**6, device="meta")
    result = torch.relu(layer(torch.ones(10**6, 10**6, device="meta")))
    result.square().mean().backward()
    assert result.shape == layer.weight.grad.shape == (10**6, 10**6)
    assert layer.weight.grad.is_meta


def test_a_network():
    with torch.device("meta"):
        assert torch.get_default_device() == torch.device("meta")
        net = torch.nn.Sequential(
            torch.nn.Conv2d(3, 64, 7, 2, 3),
            torch.nn.BatchNorm2d(64),
            torch.nn.ReLU(),
            torch.nn.MaxPool2d(2),
            torch.nn.Flatten(),
            torch.nn.Linear(64 * 56 * 56, 10),
        )
        result = net(torch.randn(100_000, 3, 224, 224))
        assert not torch.ones(2, device="cpu").is_meta
    assert result.shape == (100_000, 10)
    assert all(t.is_meta for t in net.state_dict().values())
    assert not torch.ones(2).is_meta


def test_from_meta_to_the_cpu():
    source = torch.nn.Linear(3, 2)
    layer = torch.nn.Linear(3, 2, device="meta")
    with pytest.raises(NotImplementedError, match=r"no data! Please use torch\.nn\.Module\.to_empty\(\) instead"):
        layer.to("cpu")
    with pytest.warns(UserWarning, match="for weight: copying from a non-meta parameter"):
        layer.load_state_dict(source.state_dict())
    assert layer.weight.is_meta
    layer.load_state_dict(source.state_dict(), assign=True)
    assert layer.weight.tolist() == source.weight.tolist()
    empty = torch.nn.Linear(3, 2, device="meta").to_empty(device="cpu")
    empty.load_state_dict(source.state_dict())
    assert empty.bias.tolist() == source.bias.tolist()
    assert source.to("meta").weight.is_meta


ERRORS = {
    "item": (lambda x: x.sum().item(), RuntimeError, r"Tensor\.item\(\) cannot be called on meta tensors"),
    "bool": (lambda x: bool(x.sum()), RuntimeError, r"Tensor\.item\(\) cannot be called on meta tensors"),
    "tolist": (lambda x: x.tolist(), NotImplementedError, "Cannot copy out of meta tensor; no data!"),
    "numpy": (lambda x: x.numpy(), TypeError, "can't convert meta device type tensor to numpy"),
    "cpu": (lambda x: x.cpu(), NotImplementedError, "Cannot copy out of meta tensor; no data!"),
    "copy": (lambda x: torch.ones(2, 3).copy_(x), NotImplementedError, "Cannot copy out of meta tensor; no data!"),
    "sizes": (lambda x: x + torch.ones(4, device="meta"), RuntimeError, r"The size of tensor a \(3\) must match"),
    "product": (lambda x: x @ x, RuntimeError, "mat1 and mat2 shapes cannot be multiplied"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name):
    call, kind, words = ERRORS[name]
    with pytest.raises(kind, match=words):
        call(torch.empty(2, 3, device="meta"))


def test_text():
    assert repr(torch.empty(2, 3, device="meta")) == "tensor(..., device='meta', size=(2, 3))"
    assert repr(torch.tensor([1], device="meta")) == "tensor(..., device='meta', size=(1,), dtype=torch.int64)"
    x = torch.empty(2, device="meta", requires_grad=True)
    assert repr(x) == "tensor(..., device='meta', size=(2,), requires_grad=True)"
    assert repr(x * 2) == "tensor(..., device='meta', size=(2,), grad_fn=<MulBackward0>)"
    assert (x.data_ptr(), x.device.type, torch.arange(3, device="meta").shape) == (0, "meta", (3,))


@pytest.mark.parametrize(
    "make",
    [
        lambda m: m.empty_strided((2**20, 2**20), (1, 2**20), device="meta"),
        lambda m: m.empty_permuted((2**20, 2**20), (1, 0), device="meta"),
        lambda m: m.eye(2**22, 2**20, device="meta"),
        lambda m: m.arange(2**45, device="meta"),
        lambda m: m.arange(0, 2**40, 0.5, device="meta"),
        lambda m: m.linspace(0, 1, 2**45, device="meta"),
        lambda m: m.logspace(0, 1, 2**45, device="meta"),
        lambda m: m.randperm(2**45, device="meta"),
    ],
)
def test_what_is_made_without_values_takes_no_memory(make):
    theirs = make(pytest.importorskip("torch"))
    ours = make(torch)
    assert (ours.shape, ours.stride(), str(ours.dtype)) == (theirs.shape, theirs.stride(), str(theirs.dtype))
