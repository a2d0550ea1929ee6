"""Python's own pickles of PyTorch's objects are read, and what files name stands where PyTorch has it."""

import inspect
import io
import pickle
from importlib import import_module

import pytest

import rushlight
from rushlight.serialization.names import theirs


class Reader(pickle.Unpickler):
    """Reads pickles of PyTorch's as `pickle.load` does where rushlight serves as PyTorch."""

    def find_class(self, module, name):
        found = import_module(module.replace("torch", "rushlight", 1) if module.startswith("torch") else module)
        for part in name.split("."):
            found = getattr(found, part)
        return found


def read(data):
    return Reader(io.BytesIO(data)).load()


def tensors(torch):
    base = torch.arange(12.0).reshape(3, 4)
    return {
        "whole": base,
        "view": base[1:, ::2].t(),
        "number": torch.tensor(3),
        "empty": torch.empty(0, 2),
        "bool": torch.tensor([True, False]),
        "narrow": torch.ones(2, dtype=torch.bfloat16),
        "complex": torch.ones(2, dtype=torch.complex64) * 1j,
        "conjugate": (torch.ones(2, dtype=torch.complex64) * 1j).conj(),
        "leaf": torch.ones(2, requires_grad=True),
        "parameter": torch.nn.Parameter(torch.ones(2)),
        "sparse": torch.eye(3).to_sparse(),
        "compressed": torch.eye(3).to_sparse_csr(),
    }


@pytest.mark.parametrize("protocol", [2, 4])
def test_tensors_in_plain_pickles(protocol):
    torch = pytest.importorskip("torch")
    for name, tensor in tensors(torch).items():
        found = read(pickle.dumps(tensor, protocol))
        assert (str(found.dtype), found.requires_grad) == (str(tensor.dtype), tensor.requires_grad), name
        assert found.to_dense().tolist() == tensor.to_dense().tolist(), name
        assert isinstance(found, rushlight.nn.Parameter) == isinstance(tensor, torch.nn.Parameter)


def test_views_in_plain_pickles_share_memory():
    torch = pytest.importorskip("torch")
    storage = torch.arange(4.0).storage()
    first, second = read(pickle.dumps((storage, storage)))
    assert first is second
    assert first.tolist() == [0.0, 1.0, 2.0, 3.0]


def test_without_values_and_of_other_classes():
    torch = pytest.importorskip("torch")
    assert read(pickle.dumps(torch.empty(2, 3, device="meta"))).shape == (2, 3)
    assert read(pickle.dumps(torch.strided)) is rushlight.strided
    assert read(pickle.dumps(torch.nn.Buffer(torch.ones(2)))).tolist() == [1.0, 1.0]


def test_modules_and_optimizers_in_plain_pickles():
    torch = pytest.importorskip("torch")
    layer = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3), torch.nn.LSTM(3, 2))
    optimizer = torch.optim.Adam(layer.parameters())
    found, follower = read(pickle.dumps((layer, optimizer)))
    assert [p.tolist() for p in found.parameters()] == [p.tolist() for p in layer.parameters()]
    assert follower.param_groups[0]["params"][0] is found[0].weight


LAZY = [("LazyLinear", (4,), (2, 3)), ("LazyConv2d", (4, 3), (1, 2, 5, 5)), ("LazyBatchNorm2d", (), (2, 3, 4, 4))]


@pytest.mark.parametrize(("name", "arguments", "shape"), LAZY)
@pytest.mark.parametrize("direction", ["own", "to torch", "from torch", "plain"])
def test_lazy_modules_with_their_hooks(name, arguments, shape, direction):
    torch = rushlight if direction == "own" else pytest.importorskip("torch")
    one, other = (rushlight, torch) if direction == "to torch" else (torch, rushlight)
    layer = getattr(one.nn, name)(*arguments)
    if direction == "plain":
        found = read(pickle.dumps(layer))
    else:
        file = io.BytesIO()
        one.save(layer, file)
        found = other.load(io.BytesIO(file.getvalue()), weights_only=False)
    found(other.ones(shape))
    assert type(found).__name__ == name.removeprefix("Lazy")
    assert not found._forward_pre_hooks
    assert not found._load_state_dict_pre_hooks


def test_handles_of_two_programs_do_not_collide():
    layer = rushlight.nn.Linear(1, 1)
    handle = layer.register_forward_pre_hook(print)
    copy, its = pickle.loads(pickle.dumps((layer, handle)))
    later = copy.register_forward_pre_hook(print)
    its.remove()
    assert list(copy._forward_pre_hooks) == [later.id]
    assert list(layer._forward_pre_hooks) == [handle.id]


def test_narrow_numbers_in_the_format_before_1_6():
    for dtype in (rushlight.uint16, rushlight.uint64, rushlight.float8_e4m3fn):
        file = io.BytesIO()
        rushlight.save(rushlight.ones(3).to(dtype), file, _use_new_zipfile_serialization=False)
        assert rushlight.load(io.BytesIO(file.getvalue())).to(rushlight.float32).tolist() == [1.0, 1.0, 1.0]


MODULES = """
 .nn .nn.modules .nn.utils .nn.utils.parametrize .nn.utils.rnn .optim .optim.lr_scheduler .optim.swa_utils .utils.data
 .utils.data._utils.collate .utils.data.distributed .utils.hooks .distributions .distributions.transforms
 .distributions.constraints .distributions.kl .autograd .autograd.function .fx .func .linalg .sparse .utils.checkpoint
""".split()
NAMELESS = {"LinearCrossEntropyOptions"}  # loaded where it is used, and put into no file


@pytest.mark.parametrize("module", MODULES)
def test_classes_have_the_names_that_pytorch_finds(module):
    torch = pytest.importorskip("torch")
    ours, theirs_ = import_module(f"rushlight{module}"), import_module(f"{torch.__name__}{module}")
    for name, kind in vars(theirs_).items():
        found = getattr(ours, name, None) if not name.startswith("_") else None
        both = inspect.isclass(kind) and inspect.isclass(found) and name not in NAMELESS
        if both and kind.__module__.startswith("torch") and found.__module__.startswith("rushlight"):
            home = import_module(theirs(found.__module__, found.__qualname__))
            assert getattr(home, found.__qualname__) is kind, name
